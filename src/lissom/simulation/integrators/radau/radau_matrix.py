"""Newton matrix of Radau's stages in three forms, from cheap to exact, and its factors.

SHARED   one configuration for all stages: by the eigenvalues of the tableau one real and one complex articulated
         factorisation
STAGES   every stage at its own configuration: one articulated factorisation of all three
EXACT    all derivatives of the equations of motion at one state, dense: n^3

The first two hold what links, joints, gears and gains do by themselves; what they leave out, the iteration makes good.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, inline, kernel
from lissom.kernel.constraints.constrained_dynamics import set_columns
from lissom.kernel.implicit import (
    articulated_newton,
    stage_coupled,
    stage_coupled_factorise,
    stage_coupled_solve,
)
from lissom.kernel.maths.chart import move
from lissom.model.model import Model
from lissom.simulation.equations import dense_lu, newton
from lissom.simulation.equations.loop_projection import (
    AtHand,
    copy_rows,
    dense_columns,
    projector,
    projector_at_hand,
)
from lissom.simulation.equations.newton_linearisation import linearise, local_memory, stage_scratch
from lissom.simulation.equations.system import linear_parts, prescribe
from lissom.simulation.integrators.integrator_state import CONTINUED, JACOBIANS
from lissom.simulation.integrators.radau.last_step_stiffness import (
    copy_stiffness,
    make_last_step_stiffness,
    store_stiffness,
)
from lissom.simulation.integrators.radau.radau_tableau import GAMMA, LAMBDA, NODES, SQUARE, TABLEAU


class Matrix(NamedTuple):
    """Memory and kernels of the matrix."""

    first: Any  # Local of stage 1
    second: Any  # of stage 2, where SHARED is taken
    third: Any  # of stage 3
    scratch: Any  # Scratch whose residuals fill the workspace of stage 1
    scratch_second: Any  # of stage 2
    scratch_third: Any  # of stage 3
    seen: int  # 1 where they do: the equations of motion are the kernel's
    real: Any  # Factors for GAMMA
    complex: Any  # Factors for LAMBDA
    coupled: Any  # Coupled
    slow: Any  # Factors for the lag that tells slow motion from vibrations
    closure: Any  # Closure of loops over the factors for GAMMA
    closure_complex: Any  # and over those for LAMBDA
    projector: Any  # Closure that brings states to closed loops, over the real factors at hand
    linearise: Any  # Pointers
    factorise_real: Any
    factorise_complex: Any
    solve_real: Any
    solve_complex: Any
    factorise_coupled: Any
    solve_coupled: Any
    last_stiffness: Any  # LastStepStiffness
    store: Any  # Pointer
    M: np.ndarray  # (n, n) of the exact form
    C: np.ndarray
    K: np.ndarray
    dense: np.ndarray  # (n, n) factors of M + h gamma C + h^2 gamma^2 K
    pivots: np.ndarray
    dense_complex: np.ndarray
    pivots_complex: np.ndarray


def make_matrix(model: Model, system: Any, scratch: Any, plan: np.ndarray) -> Any:
    """Return memory for `model`; dense arrays take none until they are used. System and scratch as kernels take them.

    `plan` is that of Newton's iterations.
    """
    n = model.nv
    dense, pivots = np.zeros((n, n)), np.zeros(n, np.int64)
    # tangents of the forces at each of the three stages
    first, second, third = stages = [local_memory(model) for _ in range(3)]
    scratches = [stage_scratch(scratch, local) for local in stages]
    # the stages decouple into a real and a complex system, Hairer and Wanner 1996, IV.8; or are solved as one
    real, complex_ = (
        Struct(articulated_newton.make_factors(model.arrays, number)) for number in (np.float64, np.complex128)
    )
    whole = Struct(stage_coupled.make_coupled(model.arrays))
    struct, last = model.struct, Struct(make_last_step_stiffness(first.fields.work.fields))
    # on kinematic loops, the multipliers of both systems
    closure, closure_complex = (
        projector(model, second, factors, articulated_newton.solve, factors.fields.x.dtype.type)
        for factors in (real, complex_)
    )
    return Struct(
        Matrix(
            first=first,
            second=second,
            third=third,
            scratch=scratches[0][0],
            scratch_second=scratches[1][0],
            scratch_third=scratches[2][0],
            seen=scratches[0][1],
            real=real,
            complex=complex_,
            coupled=whole,
            slow=Struct(articulated_newton.make_factors(model.arrays, np.float64)),
            closure=closure,
            closure_complex=closure_complex,
            projector=projector_at_hand(model, AtHand(plan, second, dense, pivots), real),
            linearise=Pointer(linearise, system, scratch, first, 0.0, 1, newton.TENSE),
            factorise_real=Pointer(articulated_newton.factorise, struct, first, real, 0.0, 0.0),
            factorise_complex=Pointer(articulated_newton.factorise, struct, first, complex_, 0j, 0j),
            solve_real=Pointer(articulated_newton.solve, struct, first, real),
            solve_complex=Pointer(articulated_newton.solve, struct, first, complex_),
            factorise_coupled=Pointer(stage_coupled_factorise.factorise_coupled, struct, whole, first, second, third),
            solve_coupled=Pointer(stage_coupled_solve.solve_coupled, struct, whole),
            last_stiffness=last,
            store=Pointer(store_stiffness, struct, first.fields.work, np.zeros(model.nq), np.zeros(n), last),
            M=np.zeros((n, n)),
            C=np.zeros((n, n)),
            K=np.zeros((n, n)),
            dense=dense,
            pivots=pivots,
            dense_complex=np.zeros((n, n), complex),
            pivots_complex=np.zeros(n, np.int64),
        )
    )


@inline
def linearise_stage(system, scratch, state, work, local, i, t, h, stiffen):
    """Compute local parts at the present guess of stage i; without `stiffen` those of bodies stay as they are."""
    move(system.model, state.q, work.U[i], local.q)
    for k in range(local.v.shape[0]):
        local.v[k] = work.V[i, k]
        local.a[k] = work.A[i, k]
    prescribe(system, t + NODES[i] * h, local.q, local.v, local.a)
    work.matrix.linearise(system, scratch, local, t + NODES[i] * h, work.matrix.seen, stiffen)


@kernel
def renew(system, scratch, scratch_c, state, work, form, t, h):
    """Factorise the matrix in the given form at the stages' present guess, whose residuals were just computed.

    Returns whether it is regular.
    """
    matrix = work.matrix
    model = system.model
    hg = h * GAMMA
    plan = work.newton.plan
    stiffen = plan[newton.STIFFEN]
    if form < newton.EXACT:
        stiffen = bodies_stiffness(state, work)
    # SHARED: M + h gamma D + (h gamma)^2 K, and the same with lambda, at the second stage.
    if form == newton.SHARED:
        renew_shared(system, scratch, state, work, t, h, stiffen)
        if work.L.shape[1] > 0:
            copy_rows(model, matrix.scratch_second.G, matrix.closure)
            copy_rows(model, matrix.scratch_second.G, matrix.closure_complex)
            set_columns(model, matrix.closure)
            set_columns(model, matrix.closure_complex)
        return True
    # STAGES: block (a, b) is M_a delta_ab + h A_ab D_a + h^2 (A A)_ab K_a; the real factors serve the error filter.
    if form == newton.STAGES:
        linearise_stage(system, scratch, state, work, matrix.first, 0, t, h, stiffen)
        linearise_stage(system, scratch, state, work, matrix.second, 1, t, h, stiffen)
        linearise_stage(system, scratch, state, work, matrix.third, 2, t, h, stiffen)
        for a in range(3):
            for b in range(3):
                matrix.coupled.by_damping[a, b] = h * TABLEAU[a, b]
                matrix.coupled.by_stiffness[a, b] = h * h * SQUARE[a, b]
        matrix.factorise_coupled(model, matrix.coupled, matrix.first, matrix.second, matrix.third)
        matrix.factorise_real(model, matrix.second, matrix.real, hg, hg * hg)
        factorise_slow(model, matrix, work.lag)
        return True
    # EXACT: derivatives of the residual at the second stage, unless the step size alone has changed.
    if plan[newton.DUE] == 1 or work.newton.factored[0] == 0.0:
        move(model, state.q, work.U[1], state.q1)
        for k in range(state.v.shape[0]):
            state.v1[k] = work.V[1, k]
            state.a1[k] = work.A[1, k]
        at = t + NODES[1] * h
        prescribe(system, at, state.q1, state.v1, state.a1)
        for k in range(work.L.shape[1]):
            scratch_c.lam[k] = work.L[1, k]
        linear_parts(system, scratch, scratch_c, at, state.q1, state.v1, state.a1, matrix.M, matrix.C, matrix.K)
        state.counts[JACOBIANS] += 1
    if work.lag > 0.0:
        linearise_stage(system, scratch, state, work, matrix.second, 1, t, h, newton.SLACK)
        factorise_slow(model, matrix, work.lag)
    regular = factorise_dense(matrix, h)
    if regular and work.L.shape[1] > 0:
        copy_rows(model, matrix.scratch_second.G, matrix.closure)
        copy_rows(model, matrix.scratch_second.G, matrix.closure_complex)
        dense_columns(matrix.closure, matrix.dense, matrix.pivots)
        dense_columns(matrix.closure_complex, matrix.dense_complex, matrix.pivots_complex)
    return regular


@inline
def bodies_stiffness(state, work):
    """Return what the matrix is to hold of the stiffness of bodies; put that of the step before in its place."""
    matrix = work.matrix
    plan = work.newton.plan
    if (
        plan[newton.STIFFEN] == newton.TENSE
        and state.flags[CONTINUED] == 1
        and plan[newton.MATRICES] == 0
        and matrix.seen == 1
    ):
        # forces of predicted accelerations are far off where links are stiff
        copy_stiffness(matrix.last_stiffness, matrix.first.work)
        copy_stiffness(matrix.last_stiffness, matrix.second.work)
        copy_stiffness(matrix.last_stiffness, matrix.third.work)
        return newton.KEPT
    return plan[newton.STIFFEN]


@inline
def renew_shared(system, scratch, state, work, t, h, stiffen):
    """Compute factors of one configuration, that of the second stage."""
    matrix = work.matrix
    hg = h * GAMMA
    hl = h * LAMBDA
    linearise_stage(system, scratch, state, work, matrix.second, 1, t, h, stiffen)
    matrix.factorise_real(system.model, matrix.second, matrix.real, hg, hg * hg)
    matrix.factorise_complex(system.model, matrix.second, matrix.complex, hl, hl * hl)
    factorise_slow(system.model, matrix, work.lag)


@inline
def note_stiffness(system, work):
    """Keep the stiffness of a step that has converged, for the next one."""
    matrix = work.matrix
    if matrix.seen == 1 and work.newton.stages > 1 and work.newton.plan[newton.UNTIL_TENSE] <= 1:
        matrix.store(system.model, matrix.third.work, matrix.scratch_third.q, work.V[2], matrix.last_stiffness)


@inline
def factorise_slow(model, matrix, lag):
    """Compute factors that tell slow motion from vibrations."""
    if lag > 0.0:
        matrix.factorise_real(model, matrix.second, matrix.slow, lag, lag * lag)


@inline
def factorise_dense(matrix, h):
    """Return factors of the exact form for the step h."""
    n = matrix.M.shape[0]
    for row in range(n):
        for k in range(n):
            M = matrix.M[row, k]
            C = h * matrix.C[row, k]
            K = h * h * matrix.K[row, k]
            matrix.dense[row, k] = M + GAMMA * C + GAMMA * GAMMA * K
            matrix.dense_complex[row, k] = M + LAMBDA * C + LAMBDA * LAMBDA * K
    if not dense_lu.factorise(matrix.dense, matrix.pivots):
        return False
    return dense_lu.factorise(matrix.dense_complex, matrix.pivots_complex)
