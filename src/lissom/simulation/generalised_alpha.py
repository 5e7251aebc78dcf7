"""Generalised-alpha: implicit, second order, with adjustable damping of high frequencies.

Chung and Hulbert, J. Appl. Mech. 60 (1993) 371-375; on Lie groups Arnold and Bruels, Multibody Syst. Dyn. 18 (2007)
185-202. The residual is the inverse dynamics at the end of the step, so a Newton iteration costs one Newton-Euler pass;
the iteration matrix M + gamma' h C + beta' h^2 K is exact and kept as long as it serves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algebra import cross, vector
from lissom.kernel.chart import chart_rate, move
from lissom.kernel.machine import Struct, inline, kernel
from lissom.simulation import newton
from lissom.simulation.dense import fit_ends
from lissom.simulation.linear_solve import factorise, solve
from lissom.simulation.record import record_step, wanted
from lissom.simulation.stepping import (
    CONTINUED,
    EVALUATIONS,
    LAST_STEP,
    LEAST_STEP,
    NEXT_STEP,
    REJECTED,
    TIME,
    accept,
    is_finite,
    limited_step,
    position_scale,
    velocity_scale,
)
from lissom.simulation.system import prescribe, residual

NEWTON_ITERATIONS = 10


class AlphaWork(NamedTuple):
    """Memory of the method."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    factors: np.ndarray  # (n, n)
    pivots: np.ndarray
    a: np.ndarray  # (n,) the method's own variable: acceleration at (alpha_m - alpha_f) h after the start of the step
    a_new: np.ndarray  # (n,) the same for its end
    a_last: np.ndarray  # (n,) the same for its start, as the step before has left it
    jerk: np.ndarray  # (n,) moves it when the step size changes, and predicts accelerations
    r: np.ndarray  # (n,)
    factored: np.ndarray  # (1,) step size of the factors
    matrix: np.ndarray  # (5,) what is due and what is new of M, C, K; see newton
    memory: np.ndarray  # (2,) contraction rates; see newton
    radius: np.ndarray  # (1,) spectral radius at infinite frequency


def make_work(n: int, radius: float) -> Any:
    """Memory for n velocities, as `march` takes it; `radius` from 0 (strong damping) to 1 (none)."""

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    return Struct(
        AlphaWork(
            M=zeros(n, n),
            C=zeros(n, n),
            K=zeros(n, n),
            factors=zeros(n, n),
            pivots=np.zeros(n, np.int64),
            a=zeros(n),
            a_new=zeros(n),
            a_last=zeros(n),
            jerk=zeros(n),
            r=zeros(n),
            factored=zeros(1),
            matrix=np.zeros(5, np.int64),
            memory=np.ones(2),
            radius=np.array([radius]),
        )
    )


@inline
def parameters(radius):
    """alpha_m, alpha_f, beta, gamma of the optimal method with the given spectral radius."""
    alpha_m = (2.0 * radius - 1.0) / (radius + 1.0)
    alpha_f = radius / (radius + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    return alpha_m, alpha_f, beta, gamma


@inline
def advance(system, state, work, h, alpha_m, alpha_f, beta, gamma):
    """End of the step that belongs to the accelerations state.a1."""
    for k in range(state.v.shape[0]):
        a_new = ((1.0 - alpha_f) * state.a1[k] + alpha_f * state.a[k] - alpha_m * work.a[k]) / (1.0 - alpha_m)
        work.a_new[k] = a_new
        state.v1[k] = state.v[k] + h * ((1.0 - gamma) * work.a[k] + gamma * a_new)
        state.u1[k] = h * state.v[k] + h * h * ((0.5 - beta) * work.a[k] + beta * a_new)
    for k in range(state.v.shape[0]):
        if system.model.velocities.group_axis[k] == 3:  # glides while it turns: omega x v belongs to its acceleration
            w0, w1 = vector(state.v[k - 3 : k]), vector(state.v1[k - 3 : k])
            turn0, turn1 = cross(w0, vector(state.v[k : k + 3])), cross(w1, vector(state.v1[k : k + 3]))
            for c in range(3):
                state.u1[k + c] += h * h * ((0.5 - beta) * turn0[c] + beta * turn1[c])
    move(system.model, state.q, state.u1, state.q1)
    prescribe(system, state.clock[TIME] + h, state.q1, state.v1, state.a1)


@inline
def converge(system, scratch, state, work, h, alpha_m, alpha_f, beta, gamma):
    """Newton iteration on the acceleration at the end of the step. Returns (converged, contraction rate)."""
    before = 0.0
    weight = (1.0 - alpha_f) / (1.0 - alpha_m)
    n = state.v.shape[0]
    for iteration in range(NEWTON_ITERATIONS):
        advance(system, state, work, h, alpha_m, alpha_f, beta, gamma)
        residual(system, scratch, state.clock[TIME] + h, state.q1, state.v1, state.a1, work.r)
        state.counts[EVALUATIONS] += 1
        solve(work.factors, work.pivots, work.r)
        total = 0.0
        for k in range(n):
            state.a1[k] -= work.r[k]
            dv = h * gamma * weight * work.r[k] / velocity_scale(state, k)
            du = h * h * beta * weight * work.r[k] / position_scale(system, state, k)
            total += dv * dv + du * du
        size = (total / (2 * n)) ** 0.5
        verdict, rate = newton.judge(iteration, NEWTON_ITERATIONS - 1, size, before, work.memory)
        if verdict == newton.CONVERGED:
            advance(system, state, work, h, alpha_m, alpha_f, beta, gamma)
            return True, rate
        if verdict == newton.GIVE_UP:
            break
        before = size
    return False, 1.0


@inline
def error_size(system, state, work, h, beta):
    """Local error of position and velocity from the change of acceleration (Zienkiewicz and Xie 1991)."""
    n = state.v.shape[0]
    total = 0.0
    for k in range(n):
        du = h * h * abs(beta - 1.0 / 6.0) * (work.a_new[k] - work.a[k])
        dv = h * 0.5 * ((state.a1[k] - state.a[k]) - (work.a_new[k] - work.a[k]))
        total += (du / position_scale(system, state, k)) ** 2 + (dv / velocity_scale(state, k)) ** 2
    return (total / (2 * n)) ** 0.5


@inline
def prepare(work, h, weight, beta, gamma):
    """Factors of the iteration matrix for step h."""
    n = work.M.shape[0]
    for row in range(n):
        for k in range(n):
            work.factors[row, k] = work.M[row, k] + weight * h * (gamma * work.C[row, k] + beta * h * work.K[row, k])
    work.factored[0] = h
    work.memory[0] = 1.0
    return factorise(work.factors, work.pivots)


@kernel
def march(system, scratch, scratch_c, record, state, work, t_end, h_max, fixed, max_steps):
    """Advance to `t_end` or for `max_steps` steps; with `fixed` the step is not controlled. Returns a Status."""
    n = state.v.shape[0]
    alpha_m, alpha_f, beta, gamma = parameters(work.radius[0])
    weight = (1.0 - alpha_f) / (1.0 - alpha_m)
    if state.flags[CONTINUED] == 0:
        for k in range(n):
            work.a_last[k] = state.a[k]
            work.jerk[k] = 0.0
        state.flags[CONTINUED] = 1
    for _ in range(max_steps):
        t = state.clock[TIME]
        if t >= t_end:
            return 0
        h = limited_step(t, min(state.clock[NEXT_STEP], h_max), t_end)
        if fixed:
            h = min(min(state.clock[NEXT_STEP], h_max), t_end - t)
        newton.renew(system, scratch, scratch_c, state, work, h)
        if h != work.factored[0] and not prepare(work, h, weight, beta, gamma):
            return 2
        change = (alpha_m - alpha_f) * (h - state.clock[LAST_STEP])
        for k in range(n):
            work.a[k] = work.a_last[k] + change * work.jerk[k]
            state.a1[k] = state.a[k] + h * work.jerk[k]
        converged, rate = converge(system, scratch, state, work, h, alpha_m, alpha_f, beta, gamma)
        if not converged:
            state.counts[REJECTED] += 1
            if newton.plan_after_failure(work):
                continue
            state.clock[NEXT_STEP] = 0.5 * h
            if state.clock[NEXT_STEP] < state.clock[LEAST_STEP]:
                return 2
            continue
        factor = 1.0
        if not fixed:
            error = error_size(system, state, work, h, beta)
            factor = min(3.0, max(0.3, 0.9 * max(error, 1e-10) ** (-1.0 / 3.0)))
            if not error <= 1.0:
                state.counts[REJECTED] += 1
                state.clock[NEXT_STEP] = h * min(factor, 0.9)
                if state.clock[NEXT_STEP] < state.clock[LEAST_STEP]:
                    return 2
                continue
        if not (is_finite(state.q1) and is_finite(state.v1)):
            return 3
        chart_rate(system.model, state.u1, state.v1, state.rate1)
        if wanted(record, t, h):
            fit_ends(system.model, record, 3, h, state.u1, state.rate1, state.v, state.a, state.v1, state.a1)
            record_step(system, scratch, record, t, h, state.q)
        for k in range(n):
            work.a_last[k] = work.a_new[k]
            work.jerk[k] = (state.a1[k] - state.a[k]) / h
        accept(system, state, h)
        if t + h > t_end - 1e-12 * max(1.0, t_end):
            state.clock[TIME] = t_end
        newton.plan_after_step(work, rate)
        if fixed:
            state.clock[NEXT_STEP] = min(2.0 * state.clock[NEXT_STEP], h_max)
        elif factor < 1.0 or factor > 1.5:
            state.clock[NEXT_STEP] = h * factor
    return 1
