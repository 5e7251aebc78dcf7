"""The Newton matrix of an implicit step with one unknown acceleration, J = M + c C + d K, and its solutions.

Its form is the one that the plan of the iteration asks for (`newton`): local parts factorised by an
articulated pass, O(n), or exact, dense and factorised by LU. Loops: J holds for accelerations, and the multipliers take
the step to where the rows of loops have the rates that they are to have.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, inline
from lissom.kernel.constraints.constrained_dynamics import set_columns
from lissom.kernel.implicit import articulated_newton
from lissom.model.model import Model
from lissom.simulation.equations import dense_lu, newton
from lissom.simulation.equations.loop_projection import (
    AtHand,
    copy_rows,
    correct_rows,
    dense_columns,
    projector,
    projector_at_hand,
)
from lissom.simulation.equations.newton_linearisation import linearise, local_memory, stage_scratch
from lissom.simulation.equations.system import linear_parts
from lissom.simulation.integrators.integrator_state import JACOBIANS


class OneStageMatrix(NamedTuple):
    """Memory of the matrix."""

    newton: Any  # Newton
    scratch: Any  # Scratch whose residuals fill the workspace of `local`
    seen: int  # 1 where they do: the equations of motion are the kernel's
    local: Any  # Local
    factors: Any  # Factors
    closure: Any  # Closure of loops over them
    projector: Any  # Closure over them that brings states to closed loops
    linearise: Any  # Pointers
    factorise: Any
    solve: Any
    M: np.ndarray  # (n, n) of the exact matrix
    C: np.ndarray
    K: np.ndarray
    dense: np.ndarray  # (n, n) its factors
    pivots: np.ndarray


def make_matrix(model: Model, system: Any, scratch: Any) -> Any:
    """Return memory as kernels take it; `system` and `scratch` are those of the run."""
    n = model.nv
    local, factors = local_memory(model), Struct(articulated_newton.make_factors(model.arrays, np.float64))
    own, seen = stage_scratch(scratch, local)
    dense, pivots = np.zeros((n, n)), np.zeros(n, np.int64)
    iteration = newton.make_newton(1, len(model.bodies), n)
    return Struct(
        OneStageMatrix(
            newton=Struct(iteration),
            scratch=own,
            seen=seen,
            local=local,
            factors=factors,
            closure=projector(model, local, factors, articulated_newton.solve),
            projector=projector_at_hand(model, AtHand(iteration.plan, local, dense, pivots), factors),
            linearise=Pointer(linearise, system, scratch, local, 0.0, 1, newton.TENSE),
            factorise=Pointer(articulated_newton.factorise, model.struct, local, factors, 0.0, 0.0),
            solve=Pointer(articulated_newton.solve, model.struct, local, factors),
            M=np.zeros((n, n)),
            C=np.zeros((n, n)),
            K=np.zeros((n, n)),
            dense=dense,
            pivots=pivots,
        )
    )


@inline
def renew(system, scratch, scratch_c, state, matrix, t, q, v, a, by_damping, by_stiffness):
    """Factorise M + by_damping C + by_stiffness K at (t, q, v, a), where the residual was just computed.

    Returns whether it is regular.
    """
    # Local parts: the workspace holds the inverse dynamics of this state already.
    if matrix.newton.plan[newton.FORM] == newton.SHARED:
        local = matrix.local
        for k in range(local.q.shape[0]):
            local.q[k] = q[k]
        for k in range(local.v.shape[0]):
            local.v[k] = v[k]
            local.a[k] = a[k]
        matrix.linearise(system, scratch, local, t, matrix.seen, matrix.newton.plan[newton.STIFFEN])
        matrix.factorise(system.model, local, matrix.factors, by_damping, by_stiffness)
        if matrix.closure.lam.shape[0] > 0:
            copy_rows(system.model, matrix.scratch.G, matrix.closure)
            set_columns(system.model, matrix.closure)
        return True
    # Exact derivatives by complex steps, unless the step size alone has changed.
    if matrix.newton.plan[newton.DUE] == 1 or matrix.newton.factored[0] == 0.0:
        for k in range(scratch_c.lam.shape[0]):
            scratch_c.lam[k] = matrix.scratch.lam[k]
        linear_parts(system, scratch, scratch_c, t, q, v, a, matrix.M, matrix.C, matrix.K)
        state.counts[JACOBIANS] += 1
    n = matrix.M.shape[0]
    for row in range(n):
        for k in range(n):
            matrix.dense[row, k] = matrix.M[row, k] + by_damping * matrix.C[row, k] + by_stiffness * matrix.K[row, k]
    regular = dense_lu.factorise(matrix.dense, matrix.pivots)
    if regular and matrix.closure.lam.shape[0] > 0:
        copy_rows(system.model, matrix.scratch.G, matrix.closure)
        dense_columns(matrix.closure, matrix.dense, matrix.pivots)
    return regular


@inline
def correct(system, matrix, r, by_damping):
    """Overwrite the residual r with the Newton step for it; add the one of the multipliers to those of the scratch."""
    solve(system, matrix, matrix.newton.plan[newton.FORM], r)
    closure = matrix.closure
    if closure.lam.shape[0] > 0:
        for row in range(closure.miss.shape[0]):
            closure.miss[row] = matrix.scratch.row_rate[row] / by_damping
        correct_rows(closure, r, closure.miss)
        for row in range(closure.miss.shape[0]):
            matrix.scratch.lam[row] -= closure.schur.x[row]


@inline
def solve(system, matrix, form, r):
    """Overwrite r with J^-1 r, J in the given form."""
    if form == newton.EXACT:
        dense_lu.solve(matrix.dense, matrix.pivots, r)
    else:
        x = matrix.factors.x
        for k in range(x.shape[0]):
            x[k] = r[k]
        matrix.solve(system.model, matrix.local, matrix.factors)
        for k in range(x.shape[0]):
            r[k] = x[k]
