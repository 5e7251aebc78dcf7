"""Explicit Runge-Kutta methods from their tableaus, with or without step-size control.

The chart of a step makes them Munthe-Kaas methods on group joints (Munthe-Kaas, BIT 38 (1998) 92-111). Loops stay
closed by the accelerations at the stages; the end of a step is brought to closed loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Struct, inline, kernel
from lissom.kernel.maths.chart import chart_rate, move
from lissom.simulation.equations.system import acceleration, prescribe
from lissom.simulation.integrators.accept_step import close_loops, finish, try_again
from lissom.simulation.integrators.integrator_state import (
    EVALUATIONS,
    LEAST_STEP,
    NEXT_STEP,
    TIME,
    Status,
    is_finite,
    next_step,
    position_scale,
    velocity_scale,
)
from lissom.simulation.integrators.registry import Method, Setup


@dataclass(frozen=True, eq=False)
class Tableau:
    """An explicit Runge-Kutta method: y + h sum b_i k_i, error estimate h sum e_i k_i (the last e is the step's end).

    `order` is that of the solution, `error_order` that of the estimate plus one; no `error` means fixed steps only.
    """

    reference: str
    order: int
    A: np.ndarray  # (s, s)
    b: np.ndarray  # (s,)
    c: np.ndarray  # (s,)
    error: np.ndarray | None = None  # (s + 1,)
    error_order: int = 0


class ExplicitWork(NamedTuple):
    """Memory of the method."""

    A: np.ndarray
    b: np.ndarray
    c: np.ndarray
    error: np.ndarray
    exponent: np.ndarray  # (1,) of the step-size control
    ku: np.ndarray  # (s + 1, n)
    kv: np.ndarray  # (s + 1, n)
    u: np.ndarray  # (n,)


def prepare(setup: Setup, tableau: Tableau) -> Method:
    """Make the method of a tableau ready for a run."""
    return Method(setup, march, make_work(setup.model.nv, tableau))


def make_work(n: int, tableau: Tableau) -> Any:
    """Return memory for n velocities, as `march` takes it."""
    s = len(tableau.b)
    error = np.zeros(s + 1) if tableau.error is None else np.asarray(tableau.error, float)
    return Struct(
        ExplicitWork(
            np.ascontiguousarray(tableau.A, dtype=float),
            np.ascontiguousarray(tableau.b, dtype=float),
            np.ascontiguousarray(tableau.c, dtype=float),
            error,
            np.array([-1.0 / max(tableau.error_order, 1)]),
            np.zeros((s + 1, n)),
            np.zeros((s + 1, n)),
            np.zeros(n),
        )
    )


@inline
def combine(weights, stages, rows, h, out, start):
    """Compute out = start + h sum_i weights[i] stages[i]."""
    for k in range(out.shape[0]):
        total = 0.0
        for i in range(rows):
            total += weights[i] * stages[i, k]
        out[k] = start[k] + h * total


@inline
def take_step(system, scratch, state, work, t, h):
    """Compute stages and the end of the step, with the acceleration there."""
    n = state.v.shape[0]
    s = work.b.shape[0]
    for k in range(n):
        work.ku[0, k] = state.v[k]
        work.kv[0, k] = state.a[k]
        work.u[k] = 0.0
    # Stages: V_i = v + h sum a_ij kv_j, and chart positions likewise from their rates.
    for i in range(1, s):
        for k in range(n):
            u = 0.0
            v = 0.0
            for j in range(i):
                u += work.A[i, j] * work.ku[j, k]
                v += work.A[i, j] * work.kv[j, k]
            state.u1[k] = h * u
            state.v1[k] = state.v[k] + h * v
        move(system.model, state.q, state.u1, scratch.q)
        acceleration(system, scratch, t + work.c[i] * h, scratch.q, state.v1, work.kv[i])
        chart_rate(system.model, state.u1, state.v1, work.ku[i])
    # The end of the step, brought to closed loops, and the acceleration there (the last stage of the estimate).
    combine(work.b, work.ku, s, h, state.u1, work.u)
    combine(work.b, work.kv, s, h, state.v1, state.v)
    move(system.model, state.q, state.u1, state.q1)
    prescribe(system, t + h, state.q1, state.v1, state.a1)  # loops close around joints as prescribed
    close_loops(system, scratch, scratch.closure, state, t, h)
    acceleration(system, scratch, t + h, state.q1, state.v1, state.a1)
    chart_rate(system.model, state.u1, state.v1, state.rate1)
    for k in range(n):
        work.ku[s, k] = state.rate1[k]
        work.kv[s, k] = state.a1[k]
    state.counts[EVALUATIONS] += s


@inline
def error_size(system, state, work, h):
    """Return the size of the embedded error estimate in units of the allowed error."""
    n = state.v.shape[0]
    total = 0.0
    for k in range(n):
        u = 0.0
        v = 0.0
        for i in range(work.error.shape[0]):
            u += work.error[i] * work.ku[i, k]
            v += work.error[i] * work.kv[i, k]
        total += (h * u / position_scale(system, state, k)) ** 2 + (h * v / velocity_scale(state, k)) ** 2
    return (total / (2 * n)) ** 0.5


@kernel
def march(system, scratch, scratch_c, record, state, work, t_end, h_max, fixed, max_steps):
    """Advance to `t_end` or for `max_steps` steps; with `fixed` the step is not controlled. Returns a Status."""
    largest = 5.0
    for _ in range(max_steps):
        t = state.clock[TIME]
        if t >= t_end:
            return Status.REACHED
        h = next_step(state, t_end, h_max, fixed)
        take_step(system, scratch, state, work, t, h)
        if not (is_finite(state.q1) and is_finite(state.v1) and is_finite(state.a1)):
            if fixed or h < state.clock[LEAST_STEP]:
                return Status.NOT_FINITE
            try_again(state, 0.2 * h)
            continue
        if not fixed:
            error = error_size(system, state, work, h)
            factor = min(largest, max(0.2, 0.9 * max(error, 1e-12) ** work.exponent[0]))
            largest = 5.0
            if error > 1.0:
                largest = 1.0  # no growth right after a rejection: at the stability limit steps would alternate
                if not try_again(state, h * factor):
                    return Status.FAILED
                continue
            state.clock[NEXT_STEP] = h * factor
        finish(system, scratch, record, state, 5, t, h, t_end)
    return Status.PAUSED
