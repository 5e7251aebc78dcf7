"""Radau IIA, three stages, order 5: L-stable, for stiff and lightly damped arms. The default for flexible links.

Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, section IV.8; written here for second-order
systems in residual form: the unknowns are the stage accelerations a_i, with V = v + h A a, U = h A V. Newton's matrix
is factorised by an articulated pass, O(n); see `radau_matrix` and `radau_solve`. Loops: the stages' multipliers are
unknowns too, their velocities keep the loops closed (index 2), and the end of the step is brought to closed loops.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Struct, inline, kernel
from lissom.kernel.maths.chart import chart_rate, move
from lissom.kernel.maths.elementary_functions import worst
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
from lissom.simulation.integrators.radau.radau_error import estimate_error, filtered_error, step_factor
from lissom.simulation.integrators.radau.radau_matrix import make_matrix, note_stiffness, renew
from lissom.simulation.integrators.radau.radau_solve import correct
from lissom.simulation.integrators.radau.radau_tableau import GAMMA, NODES, TABLEAU
from lissom.simulation.integrators.registry import Method, Setup

# Per step, of the largest step to try after one that did not converge: ten steps to come back to ten times its size,
# where a faster rise would meet the same failure again and again, and a slower one keep steps short for long.
CEILING_RISE = 1.25


class RadauWork(NamedTuple):
    """Memory of the method."""

    newton: Any  # Newton
    matrix: Any  # Matrix
    lag: float  # s: vibrations faster than 1/lag are no error; 0 where all are
    A: np.ndarray  # (3, n) stage accelerations
    V: np.ndarray  # (3, n)
    U: np.ndarray  # (3, n)
    rate: np.ndarray  # (3, n)
    R: np.ndarray  # (3, n)
    step: np.ndarray  # (3, n) Newton step of A
    last: np.ndarray  # (3, n) A of the step before
    L: np.ndarray  # (3, rows) multipliers of the stages
    C: np.ndarray  # (3, rows) rates of the rows of loops
    lam_step: np.ndarray  # (3, rows) Newton step of L
    lam_last: np.ndarray  # (3, rows) L of the step before
    error: np.ndarray  # (2, n) of position and velocity
    size: np.ndarray  # (1,) square of the last correction or error, over all coordinates
    accepted: np.ndarray  # (2,) size and error of the last step accepted; 0 where there is none
    rejected: np.ndarray  # (1,) 1 where the last attempt had too large an error
    ceiling: np.ndarray  # (1,) largest step to try: below one that did not converge, rising
    variation: Any  # Hidden: for `derive`
    derive: Any  # Pointer to what derives a step before it is accepted: (variation, t, h, form of the matrix)


def prepare(setup: Setup) -> Method:
    """Make the method ready for a run, in the memory of a run that is over if it can."""
    run = (setup.model, setup.system, setup.scratch, setup.settings.follow)
    work = make_work(*run)
    projector = work.fields.matrix.fields.projector
    return Method(setup, march, work, work.fields.newton.fields, projector, partial(keep_work, *run, work))


def make_work(model: Model, system: Any, scratch: Any, follow: float | None = None) -> Any:
    """Return memory for a run, as `march` takes it: that of a run which is over if it can.

    system, scratch: as kernels take them.
    follow: Hz; vibrations above it are no error, and the method damps them. None: there are none such.
    """
    of, work = model.borrow(_key(system, follow), lambda: (None, None))
    if of is not scratch:
        return _new_work(model, system, scratch, follow)
    newton.forget(work.fields.newton.fields)
    for array in work.fields:
        if isinstance(array, np.ndarray):
            array.fill(0)
    work.fields.ceiling[0] = np.inf
    return work


def keep_work(model: Model, system: Any, scratch: Any, follow: float | None, work: Any) -> None:
    """Leave the memory of a run that is over to the next one that has the same scratch and calls the same kernels."""
    model.give_back(_key(system, follow), (scratch, work))


def _key(system: Any, follow: float | None) -> tuple[Any, ...]:
    return "radau", system.kind, follow


def _new_work(model: Model, system: Any, scratch: Any, follow: float | None) -> Any:
    A, V, U, rate, R, step, last = np.zeros((7, 3, model.nv))
    rows = len(model.arrays.loops.hold)
    L, C, lam_step, lam_last = np.zeros((4, 3, rows))
    # With loops and with states of actuators one configuration serves all stages, or the exact matrix.
    forms = 1 if rows or model.states else 3
    iteration = newton.make_newton(forms, len(model.bodies), model.nv)
    return Struct(
        RadauWork(
            newton=Struct(iteration),
            matrix=make_matrix(model, system, scratch, iteration.plan),
            lag=0.0 if follow is None else 1.0 / (2.0 * np.pi * follow),
            A=A,
            V=V,
            U=U,
            rate=rate,
            R=R,
            step=step,
            last=last,
            L=L,
            C=C,
            lam_step=lam_step,
            lam_last=lam_last,
            error=np.zeros((2, model.nv)),
            size=np.zeros(1),
            accepted=np.zeros(2),
            rejected=np.zeros(1, np.int64),
            ceiling=np.array([np.inf]),
            **not_derived(system),
        )
    )


@inline
def predict(scratch, state, work, h):
    """Compute stage accelerations and multipliers to begin with: those of the last step, extrapolated, or of its start.

    And chart positions, from which `motion` goes on to those that belong to them.
    """
    n = state.v.shape[0]
    rows = work.L.shape[1]
    for i in range(3):
        for k in range(n):
            work.U[i, k] = NODES[i] * h * state.v[k]
    if state.flags[CONTINUED] == 0 or work.newton.plan[newton.FLAT] == 1:
        for i in range(3):
            for k in range(n):
                work.A[i, k] = state.a[k]
            for k in range(rows):
                work.L[i, k] = scratch.closure.lam[k]
        return
    ratio = h / state.clock[LAST_STEP]
    for i in range(3):
        w0, w1, w2 = extrapolation(1.0 + NODES[i] * ratio)
        for k in range(n):
            work.A[i, k] = w0 * work.last[0, k] + w1 * work.last[1, k] + w2 * work.last[2, k]
        for k in range(rows):
            work.L[i, k] = w0 * work.lam_last[0, k] + w1 * work.lam_last[1, k] + w2 * work.lam_last[2, k]


@inline
def extrapolation(s):
    """Return weights of the three stages of a step in the quadratic through them, at the fraction s of that step."""
    w0 = (s - NODES[1]) * (s - NODES[2]) / ((NODES[0] - NODES[1]) * (NODES[0] - NODES[2]))
    w1 = (s - NODES[0]) * (s - NODES[2]) / ((NODES[1] - NODES[0]) * (NODES[1] - NODES[2]))
    w2 = (s - NODES[0]) * (s - NODES[1]) / ((NODES[2] - NODES[0]) * (NODES[2] - NODES[1]))
    return w0, w1, w2


@inline
def motion(system, state, work, h):
    """Return stage velocities and chart positions of the stage accelerations.

    Rates of group joints are taken at the chart positions found before, or expected. Returns the largest change of such
    a position, in units of the allowed error.
    """
    n = state.v.shape[0]
    for i in range(3):
        for k in range(n):
            work.V[i, k] = state.v[k] + h * (
                TABLEAU[i, 0] * work.A[0, k] + TABLEAU[i, 1] * work.A[1, k] + TABLEAU[i, 2] * work.A[2, k]
            )
        chart_rate(system.model, work.U[i], work.V[i], work.rate[i])
    change = 0.0
    for i in range(3):
        for k in range(n):
            u = h * (
                TABLEAU[i, 0] * work.rate[0, k] + TABLEAU[i, 1] * work.rate[1, k] + TABLEAU[i, 2] * work.rate[2, k]
            )
            if system.model.velocities.group_axis[k] >= 0:
                change = max(change, worst(abs(u - work.U[i, k]) / position_scale(system, state, k)))
            work.U[i, k] = u
    return change


@inline
def residuals(system, state, work, t, h):
    """Compute residuals of the equations of motion at the stages."""
    scratches = (work.matrix.scratch, work.matrix.scratch_second, work.matrix.scratch_third)
    for i in range(3):
        scratch = scratches[i]
        move(system.model, state.q, work.U[i], scratch.q)
        prescribe(system, t + NODES[i] * h, scratch.q, work.V[i], work.A[i])
        for k in range(work.L.shape[1]):
            scratch.lam[k] = work.L[i, k]
        residual(system, scratch, t + NODES[i] * h, scratch.q, work.V[i], work.A[i], work.R[i])
        for k in range(work.L.shape[1]):
            work.C[i, k] = scratch.row_rate[k]
    state.counts[EVALUATIONS] += 3


@inline
def advance(system, state, work, h):
    """Add the Newton step to accelerations and multipliers; returns its size in units of the allowed error."""
    n = state.v.shape[0]
    total = 0.0
    for k in range(n):
        d0 = work.step[0, k]
        d1 = work.step[1, k]
        d2 = work.step[2, k]
        work.A[0, k] += d0
        work.A[1, k] += d1
        work.A[2, k] += d2
        scale = velocity_scale(state, k)
        place = position_scale(system, state, k)
        dv0 = h * (TABLEAU[0, 0] * d0 + TABLEAU[0, 1] * d1 + TABLEAU[0, 2] * d2)
        dv1 = h * (TABLEAU[1, 0] * d0 + TABLEAU[1, 1] * d1 + TABLEAU[1, 2] * d2)
        dv2 = h * (TABLEAU[2, 0] * d0 + TABLEAU[2, 1] * d1 + TABLEAU[2, 2] * d2)
        total += (dv0 * dv0 + dv1 * dv1 + dv2 * dv2) / (scale * scale)
        for i in range(3):
            du = h * (TABLEAU[i, 0] * dv0 + TABLEAU[i, 1] * dv1 + TABLEAU[i, 2] * dv2)
            total += (du / place) * (du / place)
            work.U[i, k] += du  # on a group the next look at the charts adds what is left
    for i in range(3):
        for k in range(work.L.shape[1]):
            work.L[i, k] += work.lam_step[i, k]
    work.size[0] = total
    return (worst(total) / (6 * n)) ** 0.5


@inline
def converge(system, scratch, scratch_c, state, work, t, h):
    """Solve for the stages by Newton's iteration. Returns (converged, iterations, contraction rate)."""
    form = work.newton.plan[newton.FORM]
    due = newton.begin(work.newton, h)
    before = 0.0
    motion(system, state, work, h)  # a first look at the charts of group joints
    for iteration in range(newton.ITERATIONS_MOST):
        change = motion(system, state, work, h)
        residuals(system, state, work, t, h)
        if due:
            if not renew(system, scratch, scratch_c, state, work, form, t, h):
                return False, iteration, 1.0
            newton.renewed(work.newton, h)
        correct(system, work, form)
        size = max(advance(system, state, work, h), change)
        verdict, rate = newton.judge(work.newton, iteration, size, before, due)
        if verdict == newton.CONVERGED:
            motion(system, state, work, h)  # of the latest accelerations
            note_stiffness(system, work)
            return True, iteration + 1, rate
        if verdict == newton.GIVE_UP:
            return False, iteration + 1, rate
        due = newton.renew_within(work.newton, iteration, size, before, rate)
        before = size
    return False, newton.ITERATIONS_MOST, 1.0


@kernel
def march(system, scratch, scratch_c, record, state, work, t_end, h_max, fixed, max_steps):
    """Advance to `t_end` or for `max_steps` steps; with `fixed` the step is not controlled. Returns a Status."""
    n = state.v.shape[0]
    plan = work.newton.plan
    for _ in range(max_steps):
        t = state.clock[TIME]
        if t >= t_end:
            return Status.REACHED
        h = next_step(state, t_end, h_max, fixed)
        if h < state.clock[NEXT_STEP]:
            plan[newton.LIMIT] = newton.SCHEDULE
        # Stages, or another attempt: with a better matrix, else with half the step.
        predict(scratch, state, work, h)
        converged, iterations, rate = converge(system, scratch, scratch_c, state, work, t, h)
        if not converged:
            same = newton.plan_after_failure(work.newton, iterations, state.flags[CONTINUED] == 1)
            if not same:
                work.ceiling[0] = 0.5 * h
            if not try_newton_again(state, plan, same, h):
                return Status.FAILED
            continue
        # The error, and another attempt where it is too large.
        estimate_error(state, work, h)
        error = filtered_error(system, state, work, h)
        if error > 1.0 and (work.rejected[0] == 1 or state.flags[CONTINUED] == 0):
            error = filtered_error(system, state, work, h)  # a transient too stiff to matter is no error: (8.20) there
        if not fixed and not error <= 1.0:
            work.rejected[0] = 1
            plan[newton.LIMIT] = newton.ACCURACY
            if not try_again(state, h * max(0.2, min(0.9, 0.9 * error**-0.25))):
                return Status.FAILED
            continue
        # The third stage is the end of the step.
        factor = step_factor(work, h, error)
        work.accepted[0] = h
        work.accepted[1] = max(error, 0.01)
        for k in range(n):
            for i in range(3):
                work.last[i, k] = work.A[i, k]
            state.v1[k] = work.V[2, k]
            state.a1[k] = work.A[2, k]
            state.u1[k] = work.U[2, k]
        move(system.model, state.q, state.u1, state.q1)
        prescribe(system, t + h, state.q1, state.v1, state.a1)
        for i in range(3):
            for k in range(work.L.shape[1]):
                work.lam_last[i, k] = work.L[i, k]
        # What a Newton step over the factors at hand moves, for samples of robots with loops.
        record.reach[0] = h * GAMMA
        record.reach[1] = (h * GAMMA) ** 2
        record.allowed[0] = state.atol[0]
        if not finish_implicit(system, scratch, record, state, work, work.matrix.projector, 5, t, h, t_end):
            return Status.NOT_FINITE
        # The next step: as the error allows, but below one that did not converge.
        state.flags[CONTINUED] = 1
        newton.plan_after_step(work.newton, iterations, rate)
        work.rejected[0] = 0
        work.ceiling[0] *= CEILING_RISE
        plan[newton.LIMIT] = newton.SCHEDULE if fixed else newton.ACCURACY
        if fixed:
            state.clock[NEXT_STEP] = min(2.0 * state.clock[NEXT_STEP], h_max)
        elif factor < 1.0 or factor > 1.3:
            if work.ceiling[0] < h * factor:
                plan[newton.LIMIT] = newton.CONVERGENCE
            state.clock[NEXT_STEP] = min(h * factor, work.ceiling[0])
        else:
            state.clock[NEXT_STEP] = h
    return Status.PAUSED
