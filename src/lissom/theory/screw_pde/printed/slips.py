"""Equations of the paper as they are printed, where they cannot be right: for the errata page and its numbers alone.

Each function gives what a printed equation gives; the tests hold it against the right one.
"""

from __future__ import annotations

import numpy as np

from lissom.lie import so3
from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray


def accelerations(formulation: ScrewPDE, q: Array, v: Array, tau: Array, equation: int) -> Array:
    """Accelerations (nv,) with the deformation equation as printed in (17) or (59).

    (17) counts the tangential acceleration of the deformation twice once (48) is inserted; (59) has lost the part
    -r~ omega' + 2 omega~ r' + omega~^2 r of the frame's acceleration (compare (97)). Linear fields, frames at the base.

    Equations: 003 (59).
    """
    system = formulation.system(q, v, tau)
    table, work, model = formulation.table, formulation.work, formulation.model
    matrix, right = system.matrix.toarray(), system.right.copy()
    if equation == 17:
        undeformed = _undeformed_coupling(formulation, q, v, tau)
        formulation.evaluate(q, v, tau)
    for i, body in enumerate(model.bodies):
        m = int(table.modes[i])
        if m == 0:
            continue
        row = next(b for b in system.rows if b.name == f"{body.link}: deformation")
        column = next(b for b in system.columns if b.name == f"{body.link}: twist acceleration")
        angular = slice(column.start, column.start + 3)
        if equation == 17:
            twice = work.mass[i, 6 : 6 + m, :3] - undeformed[i][:, :3]
            matrix[row.slice, angular] += twice
        else:
            carried = work.mass[i, 6 : 6 + m, 3:6]
            omega, u = work.V[i, :3], work.V[i, 3:]
            r = work.world_R[i].T @ work.world_p[i]
            rate = u - np.cross(omega, r)
            matrix[row.slice, angular] += carried @ so3.hat(r)
            right[row.slice] += carried @ (np.cross(omega, rate) + np.cross(omega, u))
    x = np.linalg.solve(matrix, right)
    return system.sorted(x).accelerations


def _undeformed_coupling(formulation: ScrewPDE, q: Array, v: Array, tau: Array) -> list[Array]:
    """Coupling of deformation and twist (m, 6) of every link without its deformation."""
    flat = q.copy()
    for body in formulation.model.bodies:
        flat[body.modes_q] = 0.0
    formulation.evaluate(flat, v, tau)
    return [formulation.work.mass[i, 6 : 6 + m, :6].copy() for i, m in enumerate(formulation.table.modes)]


def without_tip_rotation(formulation: ScrewPDE) -> ScrewPDE:
    """Return the system with (23), (31): a deformed link moves the next one but does not turn it."""
    other = ScrewPDE(formulation.model)
    n = len(other.model.bodies)
    other.table.psi[:n] = 0.0
    other.table.twist[:n] = 0.0
    return other


def stacked_rank(formulation: ScrewPDE, q: Array, v: Array) -> tuple[int, int]:
    """Rank and size of (42) as printed: six projected constraint rows P_i [...] per joint and no actuator rows."""
    system = formulation.system(q, v, np.zeros(formulation.model.nv))
    kept = np.ones(len(system.right), bool)
    for row in system.rows:
        if row.kind == "actuator":
            kept[row.slice] = False  # six rows P_i [...] span 6 - d_i: the rest are combinations of them
    A = system.matrix.toarray() * kept[:, None]
    scale = np.abs(A).max(axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(A / np.where(scale > 0, scale, 1.0), tol=1e-12)), len(A)
