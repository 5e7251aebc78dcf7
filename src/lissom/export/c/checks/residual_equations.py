"""Equations that accelerations solve, by which C and Python are compared where these are ill conditioned.

A solution x of B x = b holds log10(cond B) digits less than the numbers of B and b, whoever computes it. What can be
asked of a program is that its x solves B x = b exactly for numbers that differ by a small share from the right ones.
The least such share is, after Oettli and Prager (1964),

    max_i |B x - b|_i / (|B| |x| + |b|)_i .

The check takes Python's x as the solution, b = B x, so that the first term is |B (found - wanted)|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.dynamics import mass_matrix
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_jacobian
from lissom.kernel.constraints.constraint_solve import REDUNDANT
from lissom.model.model import Model


class Equations(NamedTuple):
    """What x (n, columns) solves."""

    B: np.ndarray  # (rows, n)
    parts: np.ndarray  # (rows, n) numbers of which the rows of B are made

    def size(self, x: np.ndarray) -> np.ndarray:
        """Return |B| |x| + |B x|, the largest of all columns, shape (rows,); 0 where x does not enter."""
        x = x.reshape(self.B.shape[1], -1)
        return (np.abs(self.parts) @ np.abs(x) + np.abs(self.B @ x)).max(axis=1)


def of_motion(model: Model, q: np.ndarray) -> Equations:
    """Return the residual M a - G^T lam = tau - h, G a = gamma; redundant multipliers do nothing."""
    M, G, _, idle = _parts(model, q)
    B = np.block([[M, -G.T], [G, np.zeros_like(idle)], [np.zeros_like(G), idle]])
    return Equations(B, B)


def of_accelerations(model: Model, q: np.ndarray) -> Equations:
    """Return the residual of accelerations alone, or of their derivatives, with the multipliers eliminated."""
    M, G, across, _ = _parts(model, q)
    return Equations(np.vstack([across @ M, G]), np.vstack([M, G]))


def _parts(model: Model, q: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return M, the loops' G, what takes reactions out of forces, and the multipliers that do nothing.

    Prescribed accelerations are known: no equation is theirs, and they enter none.
    """
    free = model.arrays.velocities.prescribed == 0
    M, G = mass_matrix(model, q) * np.outer(free, free), loop_jacobian(model, q) * free
    size = np.outer(*2 * (np.sqrt(np.diag(M) + ~free),))
    compliance = np.linalg.inv((M + np.diag(~free)) / size) / size
    strength, rows = np.linalg.eigh(G @ compliance @ G.T)
    held = strength > REDUNDANT * strength.max(initial=0.0)
    stiffness = (rows[:, held] / strength[held]) @ rows[:, held].T
    return M, G, np.eye(model.nv) - G.T @ stiffness @ G @ compliance, rows[:, ~held] @ rows[:, ~held].T


EQUATIONS = {"forward_dynamics": of_motion, "derivatives": of_accelerations}  # by function
