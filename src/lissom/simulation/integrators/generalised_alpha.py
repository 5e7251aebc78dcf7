"""Generalised-alpha: implicit, second order, with adjustable damping of high frequencies.

Chung and Hulbert, J. Appl. Mech. 60 (1993) 371-375; on Lie groups Arnold and Bruels, Multibody Syst. Dyn. 18 (2007)
185-202. The residual is the inverse dynamics at the end of the step, so a Newton iteration costs one Newton-Euler pass;
its matrix M + gamma' h D + beta' h^2 K is factorised by an articulated pass, O(n), or exact and dense where that is
slow; see `one_stage_matrix`. Loops: multipliers are unknowns too, velocities at the end of the step keep the loops
closed, and its configuration is brought to closed loops.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Struct, inline, kernel
from lissom.kernel.maths.algebra import cross, vector
from lissom.kernel.maths.chart import move
from lissom.model.model import Model
from lissom.simulation.equations import newton
from lissom.simulation.equations.system import prescribe, residual
from lissom.simulation.integrators.accept_step import finish_implicit, try_again, try_newton_again
from lissom.simulation.integrators.integrator_state import (
    CONTINUED,
    EVALUATIONS,
    LAST_STEP,
    NEXT_STEP,
    TIME,
    Status,
    next_step,
    not_derived,
    position_scale,
    velocity_scale,
)
from lissom.simulation.integrators.one_stage_matrix import correct, make_matrix, renew
from lissom.simulation.integrators.registry import Method, Setup


class AlphaWork(NamedTuple):
    """Memory of the method."""

    newton: Any  # Newton
    matrix: Any  # OneStageMatrix
    a: np.ndarray  # (n,) the method's own variable: acceleration at (alpha_m - alpha_f) h after the start of the step
    a_new: np.ndarray  # (n,) the same for its end
    a_last: np.ndarray  # (n,) the same for its start, as the step before has left it
    jerk: np.ndarray  # (n,) moves it when the step size changes, and predicts accelerations
    r: np.ndarray  # (n,)
    radius: np.ndarray  # (1,) spectral radius at infinite frequency
    variation: Any  # Hidden: for `derive`
    derive: Any  # Pointer to what derives a step before it is accepted: (variation, t, h, form of the matrix)


def prepare(setup: Setup) -> Method:
    """Make the method ready for a run."""
    work = make_work(setup.model, setup.system, setup.scratch, setup.settings.radius)
    return Method(setup, march, work, work.fields.newton.fields, work.fields.matrix.fields.projector)


def make_work(model: Model, system: Any, scratch: Any, radius: float) -> Any:
    """Return memory for a run, as `march` takes it; `radius` from 0 (strong damping) to 1 (none)."""
    matrix = make_matrix(model, system, scratch)
    a, a_new, a_last, jerk, r = np.zeros((5, model.nv))
    return Struct(
        AlphaWork(
            newton=matrix.fields.newton,
            matrix=matrix,
            a=a,
            a_new=a_new,
            a_last=a_last,
            jerk=jerk,
            r=r,
            radius=np.array([radius]),
            **not_derived(system),
        )
    )


@inline
def parameters(radius):
    """Return alpha_m, alpha_f, beta, gamma of the optimal method with the given spectral radius."""
    alpha_m = (2.0 * radius - 1.0) / (radius + 1.0)
    alpha_f = radius / (radius + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    return alpha_m, alpha_f, beta, gamma


@inline
def advance(system, state, work, h, alpha_m, alpha_f, beta, gamma):
    """Compute the end of the step that belongs to the accelerations state.a1."""
    for k in range(state.v.shape[0]):
        a_new = ((1.0 - alpha_f) * state.a1[k] + alpha_f * state.a[k] - alpha_m * work.a[k]) / (1.0 - alpha_m)
        work.a_new[k] = a_new
        state.v1[k] = state.v[k] + h * ((1.0 - gamma) * work.a[k] + gamma * a_new)
        state.u1[k] = h * state.v[k] + h * h * ((0.5 - beta) * work.a[k] + beta * a_new)
    for k in range(state.v.shape[0]):
        if system.model.velocities.group_axis[k] == 3:  # moves in axes that turn: omega x v belongs to its acceleration
            w0, w1 = vector(state.v[k - 3 : k]), vector(state.v1[k - 3 : k])
            turn0, turn1 = cross(w0, vector(state.v[k : k + 3])), cross(w1, vector(state.v1[k : k + 3]))
            for c in range(3):
                state.u1[k + c] += h * h * ((0.5 - beta) * turn0[c] + beta * turn1[c])
    move(system.model, state.q, state.u1, state.q1)
    prescribe(system, state.clock[TIME] + h, state.q1, state.v1, state.a1)


@inline
def converge(system, scratch, scratch_c, state, work, h, alpha_m, alpha_f, beta, gamma):
    """Solve for the acceleration at the end of the step by Newton. Returns (converged, iterations, contraction)."""
    before = 0.0
    weight = (1.0 - alpha_f) / (1.0 - alpha_m)
    n = state.v.shape[0]
    by_damping = weight * h * gamma
    by_stiffness = weight * h * h * beta
    t = state.clock[TIME] + h
    matrix = work.matrix
    due = newton.begin(work.newton, h)
    for iteration in range(newton.ITERATIONS_MOST):
        advance(system, state, work, h, alpha_m, alpha_f, beta, gamma)
        residual(system, matrix.scratch, t, state.q1, state.v1, state.a1, work.r)
        state.counts[EVALUATIONS] += 1
        if due:
            q, v, a = state.q1, state.v1, state.a1
            if not renew(system, scratch, scratch_c, state, matrix, t, q, v, a, by_damping, by_stiffness):
                return False, iteration, 1.0
            newton.renewed(work.newton, h)
        correct(system, matrix, work.r, by_damping)
        # The size of the correction, in units of the allowed error.
        total = 0.0
        for k in range(n):
            state.a1[k] -= work.r[k]
            dv = h * gamma * weight * work.r[k] / velocity_scale(state, k)
            du = h * h * beta * weight * work.r[k] / position_scale(system, state, k)
            total += dv * dv + du * du
        size = (total / (2 * n)) ** 0.5
        verdict, rate = newton.judge(work.newton, iteration, size, before, due)
        if verdict == newton.CONVERGED:
            advance(system, state, work, h, alpha_m, alpha_f, beta, gamma)
            return True, iteration + 1, rate
        if verdict == newton.GIVE_UP:
            return False, iteration + 1, rate
        due = newton.renew_within(work.newton, iteration, size, before, rate)
        before = size
    return False, newton.ITERATIONS_MOST, 1.0


@inline
def error_size(system, state, work, h, beta):
    """Return local error of position and velocity from the change of acceleration (Zienkiewicz and Xie 1991)."""
    n = state.v.shape[0]
    total = 0.0
    for k in range(n):
        du = h * h * abs(beta - 1.0 / 6.0) * (work.a_new[k] - work.a[k])
        dv = h * 0.5 * ((state.a1[k] - state.a[k]) - (work.a_new[k] - work.a[k]))
        total += (du / position_scale(system, state, k)) ** 2 + (dv / velocity_scale(state, k)) ** 2
    return (total / (2 * n)) ** 0.5


@kernel
def march(system, scratch, scratch_c, record, state, work, t_end, h_max, fixed, max_steps):
    """Advance to `t_end` or for `max_steps` steps; with `fixed` the step is not controlled. Returns a Status."""
    n = state.v.shape[0]
    alpha_m, alpha_f, beta, gamma = parameters(work.radius[0])
    plan = work.newton.plan
    if state.flags[CONTINUED] == 0:
        for k in range(n):
            work.a_last[k] = state.a[k]
            work.jerk[k] = 0.0
        for k in range(work.matrix.closure.lam.shape[0]):
            work.matrix.scratch.lam[k] = scratch.closure.lam[k]
        state.flags[CONTINUED] = 1
    for _ in range(max_steps):
        t = state.clock[TIME]
        if t >= t_end:
            return Status.REACHED
        h = next_step(state, t_end, h_max, fixed)
        if h < state.clock[NEXT_STEP]:
            plan[newton.LIMIT] = newton.SCHEDULE
        # The method's own acceleration belongs to (alpha_m - alpha_f) h after the start: it moves with the step size.
        change = (alpha_m - alpha_f) * (h - state.clock[LAST_STEP])
        for k in range(n):
            work.a[k] = work.a_last[k] + change * work.jerk[k]
            state.a1[k] = state.a[k] + (0.0 if plan[newton.FLAT] == 1 else h * work.jerk[k])
        converged, iterations, rate = converge(
            system, scratch, scratch_c, state, work, h, alpha_m, alpha_f, beta, gamma
        )
        if not converged:
            if not try_newton_again(state, plan, newton.plan_after_failure(work.newton, iterations, True), h):
                return Status.FAILED
            continue
        # The error, of order 2: h ~ error^(-1/3).
        factor = 1.0
        if not fixed:
            error = error_size(system, state, work, h, beta)
            factor = min(3.0, max(0.3, 0.9 * max(error, 1e-10) ** (-1.0 / 3.0)))
            if not error <= 1.0:
                plan[newton.LIMIT] = newton.ACCURACY
                if not try_again(state, h * min(factor, 0.9)):
                    return Status.FAILED
                continue
        for k in range(n):
            work.a_last[k] = work.a_new[k]
            work.jerk[k] = (state.a1[k] - state.a[k]) / h
        record.reach[0] = h * gamma * (1.0 - alpha_f) / (1.0 - alpha_m)
        record.reach[1] = h * h * beta * (1.0 - alpha_f) / (1.0 - alpha_m)
        record.allowed[0] = state.atol[0]
        if not finish_implicit(system, scratch, record, state, work, work.matrix.projector, 3, t, h, t_end):
            return Status.NOT_FINITE
        newton.plan_after_step(work.newton, iterations, rate)
        plan[newton.LIMIT] = newton.SCHEDULE if fixed else newton.ACCURACY
        if fixed:
            state.clock[NEXT_STEP] = min(2.0 * state.clock[NEXT_STEP], h_max)
        elif factor < 1.0 or factor > 1.5:
            state.clock[NEXT_STEP] = h * factor
    return Status.PAUSED
