"""Small motions about a state of rest: what everything that acts there adds to mass, damping and stiffness.

Statics, natural modes and stability take their matrices from here. Springs, elements, contacts, prestress and weight
are those of the model; wrenches that turn with a link, loads that keep to the world's axes and the reactions of loops
are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.equilibrium.actuators_at_rest import resting_states
from lissom.analysis.equilibrium.loop_freedoms import reaction_stiffness
from lissom.dynamics import inverse_derivatives, point_force
from lissom.dynamics.coordinates import along_coordinates
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_jacobian
from lissom.dynamics.state_checks import Vector, Wrenches
from lissom.model.model import Model

Loads: TypeAlias = Mapping[str | tuple[str, float], ArrayLike]

SYMMETRIC = 1e-8  # antisymmetric part of a stiffness that counts as rounding, relative to the two modes it couples


class Tangent(NamedTuple):
    """Forces at rest and the matrices of small motions: M a + C v + K u = 0, u along velocity coordinates."""

    force: Vector  # (nv,) that would have to act to keep the arm where it is
    M: np.ndarray  # (nv, nv)
    C: np.ndarray  # (nv, nv)
    K: np.ndarray  # (nv, columns); symmetric only where all that acts has a potential


def tangent(
    model: Model,
    q: Vector,
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
    lam: Vector | None = None,
    along: np.ndarray | None = None,
    tau: Vector | None = None,
) -> Tangent:
    """Return forces and matrices about `q` at rest.

    Parameters
    ----------
    wrenches, loads : mapping, optional
        As of `static_equilibrium`.
    lam : array, optional
        Multipliers (rows,) of the loops, whose reactions turn with the links; none unless given.
    along : array, optional
        Velocity coordinates that are the columns of K; all unless given.
    tau : array, optional
        Forces (nv,), of which the commands of actuators count.
    """
    zero = np.zeros(model.nv)
    along = np.arange(model.nv) if along is None else along
    exact = inverse_derivatives(model, q, resting_states(model, tau), zero, wrenches)
    force, K = exact.tau, exact.q[:, along]
    if loads:
        force = force - load_forces(model, q, loads)
        K = K - along_coordinates(model, q, lambda z: load_forces(model, z, loads), along)
    if lam is not None and len(lam):
        force = force - loop_jacobian(model, q).T @ lam
        K = K - reaction_stiffness(model, q, lam, along)
    return Tangent(force, exact.a, exact.v, K)


def load_forces(model: Model, q: Vector, loads: Loads) -> Vector:
    """Return generalised forces (nv,) of loads at points; q may be complex."""
    total = np.zeros(model.nv, q.dtype)
    for place, wrench in loads.items():
        link, x = place if isinstance(place, tuple) else (place, None)
        total = total + point_force(model, q, wrench, link, x)
    return total


class Eigenmodes(NamedTuple):
    """Solutions of K x = square M x, real parts of the squares rising."""

    squares: np.ndarray  # (k,) of the angular frequencies; real unless two modes flutter: then a complex pair
    shapes: np.ndarray  # (n, k) with x^T M x = 1; of a pair that flutters, complex
    noise: np.ndarray  # (k,) what of each square may be rounding
    potential: bool  # whether K is symmetric: all that acts has a potential

    @property
    def growth(self) -> np.ndarray:
        """(k,) 1/s: the rate at which each mode grows, zero where it does not."""
        real = np.real(np.sqrt(-self.squares.astype(complex)))
        return np.where((np.imag(self.squares) != 0) | (np.real(self.squares) < -self.noise), np.abs(real), 0.0)


def eigenmodes(M: np.ndarray, K: np.ndarray, pull: float = 0.0) -> Eigenmodes:
    """Return undamped modes of a stiffness that need not be symmetric.

    Forces without a potential (followers, moments about fixed axes) couple modes antisymmetrically: their squares stay
    real until two of them meet and flutter.

    Parameters
    ----------
    pull : float
        The largest force at rest: what its derivatives leave by rounding is no stiffness.

    Raises
    ------
    scipy.linalg.LinAlgError
        Where M is not positive definite.
    """
    from scipy.linalg import eig, eigh

    squares, X = eigh((K + K.T) / 2, M)
    eps = len(M) * np.finfo(float).eps
    floor = eps * (np.abs(squares).max(initial=0.0) + pull * (X**2).sum(axis=0).max(initial=0.0))
    circulatory = X.T @ ((K - K.T) / 2) @ X
    size = np.sqrt(np.abs(squares) + floor + np.finfo(float).tiny)
    if np.abs(circulatory / np.outer(size, size)).max(initial=0.0) <= SYMMETRIC:
        return Eigenmodes(squares, X, np.full(len(squares), floor), True)
    inner = np.diag(squares) + circulatory
    values, left, right = eig(inner, left=True, right=True)
    overlap = np.abs(np.sum(left.conj() * right, axis=0))  # of unit vectors: one over the condition of an eigenvalue
    noise = floor / np.maximum(overlap, np.sqrt(np.finfo(float).eps))
    values = np.where(np.abs(values.imag) <= noise, values.real, values)
    for k in np.flatnonzero(values.imag == 0):
        turned = right[:, k] / right[np.abs(right[:, k]).argmax(), k]
        right[:, k] = turned.real / np.linalg.norm(turned.real)
    if not np.any(values.imag):
        values, right = values.real, right.real
    order = np.lexsort((values.imag, values.real))
    return Eigenmodes(values[order], X @ right[:, order], noise[order], False)


def grows(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[float, float]:
    """Return the fastest growth (1/s) of small motions M a + C v + K u = 0, 0 where none grows, and its Hz.

    Where all that acts has a potential, damping never makes a state of rest unstable, and K alone decides. Where it has
    none, damping may (Ziegler 1952), and the damped motions decide.
    """
    from scipy.linalg import cholesky, eig, solve_triangular

    if not len(M):
        return 0.0, 0.0
    found = eigenmodes(M, K)
    fastest = int(found.growth.argmax())
    if found.growth[fastest] > 0 or found.potential or not np.any(C):
        swing = np.imag(np.sqrt(complex(-found.squares[fastest])))
        return float(found.growth[fastest]), abs(swing) / (2 * np.pi)
    L = cholesky(M, lower=True)
    scaled = [solve_triangular(L, solve_triangular(L, part, lower=True).T, lower=True).T for part in (C, K)]
    n, pace = len(M), np.sqrt(np.abs(found.squares).max())
    A = np.block([[np.zeros((n, n)), pace * np.eye(n)], [-scaled[1] / pace, -scaled[0]]])
    values, left, right = eig(A, left=True, right=True)
    overlap = np.abs(np.sum(left.conj() * right, axis=0))
    noise = 2 * n * np.finfo(float).eps * np.linalg.norm(A) / np.maximum(overlap, np.sqrt(np.finfo(float).eps))
    growing = np.where(values.real > noise, values.real, 0.0)
    fastest = int(growing.argmax())
    return float(growing[fastest]), abs(float(values.imag[fastest])) / (2 * np.pi)
