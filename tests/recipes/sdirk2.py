"""An integrator from outside, in one file: SDIRK2, two stages, order 2, L-stable (Alexander 1977, Theorem 5).

Its stages solve r(t_i, q_i, V_i, A_i) = 0 one after the other, V_i = v + h sum a_ij A_j, U_i = h sum a_ij rate_j.
Both have the matrix M + h g C + (h g)^2 K, and the second is the end of the step. Steps have the size that is asked
for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Struct, inline, kernel
from lissom.kernel.maths.chart import chart_rate, move
from lissom.simulation.equations import newton
from lissom.simulation.equations.system import prescribe, residual
from lissom.simulation.integrators.accept_step import close_loops, finish, try_newton_again
from lissom.simulation.integrators.integrator_state import (
    CONTINUED,
    EVALUATIONS,
    NEXT_STEP,
    TIME,
    Status,
    is_finite,
    next_step,
    position_scale,
    velocity_scale,
)
from lissom.simulation.integrators.one_stage_matrix import correct, make_matrix, renew
from lissom.simulation.integrators.registry import Integrator, Method, Setup

GAMMA = 1.0 - 0.5**0.5


class Work(NamedTuple):
    """Memory of the method."""

    newton: Any  # Newton
    matrix: Any  # OneStageMatrix
    A: np.ndarray  # (2, n) stage accelerations
    V: np.ndarray  # (2, n)
    U: np.ndarray  # (2, n)
    rate: np.ndarray  # (2, n) of U
    r: np.ndarray  # (n,)


def prepare(setup: Setup) -> Method:
    """Make the method ready for a run."""
    matrix = make_matrix(setup.model, setup.system, setup.scratch)
    iteration, n = matrix.fields.newton, setup.model.nv
    A, V, U, rate = np.zeros((4, 2, n))
    work = Struct(Work(iteration, matrix, A, V, U, rate, np.zeros(n)))
    return Method(setup, march, work, iteration.fields, matrix.fields.projector)


@inline
def motion(system, state, work, i, h):
    """Stage velocity and chart position that belong to the stage accelerations."""
    for k in range(state.v.shape[0]):
        known = (1.0 - GAMMA) * work.A[0, k] if i == 1 else 0.0
        work.V[i, k] = state.v[k] + h * (known + GAMMA * work.A[i, k])
    chart_rate(system.model, work.U[i], work.V[i], work.rate[i])
    for k in range(state.v.shape[0]):
        known = (1.0 - GAMMA) * work.rate[0, k] if i == 1 else 0.0
        work.U[i, k] = h * (known + GAMMA * work.rate[i, k])
    move(system.model, state.q, work.U[i], state.q1)


@inline
def converge(system, scratch, scratch_c, state, work, i, t, h):
    """Newton iteration on the acceleration of stage i. Returns (converged, iterations, contraction rate)."""
    matrix = work.matrix
    v, a, c = work.V[i], work.A[i], h * GAMMA
    before = 0.0
    due = newton.begin(work.newton, h)
    for iteration in range(newton.ITERATIONS_MOST):
        motion(system, state, work, i, h)
        prescribe(system, t, state.q1, v, a)
        residual(system, matrix.scratch, t, state.q1, v, a, work.r)
        state.counts[EVALUATIONS] += 1
        if due:
            if not renew(system, scratch, scratch_c, state, matrix, t, state.q1, v, a, c, c * c):
                return False, iteration, 1.0
            newton.renewed(work.newton, h)
        correct(system, matrix, work.r, c)
        total = 0.0
        for k in range(a.shape[0]):
            a[k] -= work.r[k]
            dv = c * work.r[k] / velocity_scale(state, k)
            du = c * c * work.r[k] / position_scale(system, state, k)
            total += dv * dv + du * du
        size = (total / (2 * a.shape[0])) ** 0.5
        verdict, rate = newton.judge(work.newton, iteration, size, before, due)
        if verdict == newton.CONVERGED:
            motion(system, state, work, i, h)
            return True, iteration + 1, rate
        if verdict == newton.GIVE_UP:
            return False, iteration + 1, rate
        due = newton.renew_within(work.newton, iteration, size, before, rate)
        before = size
    return False, newton.ITERATIONS_MOST, 1.0


@kernel
def march(system, scratch, scratch_c, record, state, work, t_end, h_max, fixed, max_steps):
    """Advance to `t_end` or for `max_steps` steps. Returns a Status."""
    n = state.v.shape[0]
    matrix = work.matrix
    if state.flags[CONTINUED] == 0:
        for k in range(matrix.closure.lam.shape[0]):
            matrix.scratch.lam[k] = scratch.closure.lam[k]
        state.flags[CONTINUED] = 1
    for _ in range(max_steps):
        t = state.clock[TIME]
        if t >= t_end:
            return Status.REACHED
        h = next_step(state, t_end, h_max, fixed)
        # Both stages, each from the acceleration before it.
        for k in range(n):
            work.A[0, k] = state.a[k]
            work.U[0, k] = GAMMA * h * state.v[k]
            work.U[1, k] = h * state.v[k]
        converged, iterations, rate = converge(system, scratch, scratch_c, state, work, 0, t + GAMMA * h, h)
        if converged:
            for k in range(n):
                work.A[1, k] = work.A[0, k]
            converged, more, rate = converge(system, scratch, scratch_c, state, work, 1, t + h, h)
            iterations = max(iterations, more)
        if not converged:
            if not try_newton_again(
                state, work.newton.plan, newton.plan_after_failure(work.newton, iterations, False), h
            ):
                return Status.FAILED
            continue
        # The second stage is the end of the step.
        for k in range(n):
            state.u1[k] = work.U[1, k]
            state.v1[k] = work.V[1, k]
            state.a1[k] = work.A[1, k]
        record.reach[0] = h * GAMMA
        record.reach[1] = (h * GAMMA) ** 2
        record.allowed[0] = state.atol[0]
        prescribe(system, t + h, state.q1, state.v1, state.a1)
        close_loops(system, scratch, matrix.projector, state, t, h)
        if not (is_finite(state.q1) and is_finite(state.v1)):
            return Status.NOT_FINITE
        chart_rate(system.model, state.u1, state.v1, state.rate1)
        finish(system, scratch, record, state, 3, t, h, t_end)
        newton.plan_after_step(work.newton, iterations, rate)
        state.clock[NEXT_STEP] = min(2.0 * state.clock[NEXT_STEP], h_max)
    return Status.PAUSED


SDIRK2 = Integrator(
    name="sdirk2",
    purpose="an example of an integrator from outside",
    order="2",
    prepare=prepare,
    implicit=True,
    fixed_only=True,
)
