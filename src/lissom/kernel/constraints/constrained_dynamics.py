"""Forward dynamics of a tree with loops: accelerations that keep them closed, and the multipliers that do it.

    M a + h = tau + G^T lam,    G a = gamma

The tree's own forward dynamics leave their factors in the workspace. Every column of M^-1 G^T is one more pass over
them, O(n); then the small system of `schur`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.compile import Hidden, Pointer, Struct, kernel
from lissom.kernel.constraints.constraint_solve import add_columns, factorise_rows, least_norm, make_schur, solve_rows
from lissom.kernel.constraints.loop_constraints import loop_accelerations, loop_rows
from lissom.kernel.implicit.articulated_newton import Factors, make_factors, solve


class Closure(NamedTuple):
    """Memory for the loops of a model in one number type."""

    schur: Any  # Schur of the mass matrix
    factors: Any  # Factors of the mass matrix: those that the forward dynamics leave in the workspace
    local: Any  # Hidden: frames that belong to them, here the workspace
    solve: Any  # Pointer to `articulated.solve`
    G: np.ndarray  # (rows, nv)
    given: np.ndarray  # (rows, 3) value, rate, acceleration that the rows are to have
    lam: np.ndarray  # (rows,) multipliers
    miss: np.ndarray  # (rows,) scratch: what a row has too much


def make_closure(model: Any, number: type) -> Any:
    """Make the memory for the loops of `model`, as kernels take it."""
    arrays, work = model.arrays, model.workspace(number)
    own = work.fields
    made = make_factors(arrays, number)
    factors = Struct(
        Factors(
            **{
                **made._asdict(),
                "block": own.inertia,
                "modal_inverse": own.modal_inverse,
                "U": own.U,
                "D_inverse": own.D_inverse,
                "u": made.u,
            }
        )
    )
    free = arrays.velocities.prescribed[arrays.gears.rotor_v] == 0
    made.gear[:, 0] = np.where(free, 1.0 / arrays.gears.inertia, 0.0)
    rows, nv = len(arrays.loops.hold), len(arrays.velocities.prescribed)
    return Struct(
        Closure(
            schur=Struct(make_schur(rows, nv, number)),
            factors=factors,
            local=Hidden(work),
            solve=Pointer(solve, model.struct, Hidden(work), factors),
            G=np.zeros((rows, nv), number),
            given=np.zeros((rows, 3)),
            lam=np.zeros(rows, number),
            miss=np.zeros(rows, number),
        )
    )


@kernel
def set_columns(model, closure):
    """Compute the columns J^-1 G^T by the factors at hand and factorise W = G J^-1 G^T."""
    x = closure.factors.x
    for row in range(closure.G.shape[0]):
        moved = False  # rows that no coordinate moves, as those across the plane of a planar mechanism, cost nothing
        for k in range(x.shape[0]):
            x[k] = closure.G[row, k]
            moved = moved or x[k].real != 0.0 or x[k].imag != 0.0
        if moved:
            closure.solve(model, closure.local, closure.factors)
        for k in range(x.shape[0]):
            closure.schur.columns[row, k] = x[k]
    factorise_rows(closure.schur, closure.G)


@kernel
def closed_dynamics(model, work, closure, q, v, tau, wrench, qdd):
    """Compute `qdd` (nv,) as `forward_dynamics` does, loops closed; the multipliers go to closure.lam (rows,)."""
    forward_dynamics(model, work, q, v, tau, wrench, qdd)
    close(model, work, closure, qdd)


@kernel
def close(model, work, closure, qdd):
    """Correct the accelerations that the forward dynamics left in `qdd` and `work` so that loops stay closed.

    lam = -W^-1 (G qdd + Gdot v - gamma), qdd += M^-1 G^T lam.
    """
    loop_rows(model, work, closure.G)
    loop_accelerations(model, work, qdd, closure.given, closure.miss)
    set_columns(model, closure)
    schur = closure.schur
    for row in range(closure.miss.shape[0]):
        schur.x[row] = -closure.miss[row]
    solve_rows(schur)
    add_columns(schur, qdd)
    least_norm(schur)
    for row in range(closure.lam.shape[0]):
        closure.lam[row] = schur.x[row]
