"""Radau IIA, three stages, order 5: L-stable, for stiff and lightly damped arms. The default for flexible links.

Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, section IV.8; written here for second-order
systems in residual form: the unknowns are the stage accelerations a_i, with V = v + h A a, U = h A V, and each Newton
step solves (M + h lambda C + h^2 lambda^2 K) x = -r once for the real and once for the complex eigenvalue of A.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

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

ROOT6 = np.sqrt(6.0)
NODES = np.array([(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1.0])
TABLEAU = np.array(
    [
        [(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225],
        [(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225],
        [(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9],
    ]
)


def _eigen_parts() -> tuple[float, complex, np.ndarray, np.ndarray]:
    """Real and upper complex eigenvalue of the tableau, eigenvectors T and their inverse, in that order."""
    values, vectors = np.linalg.eig(TABLEAU.astype(complex))
    order = [int(np.argmin(abs(values.imag))), int(np.argmax(values.imag)), int(np.argmin(values.imag))]
    T = vectors[:, order]
    return float(values[order[0]].real), complex(values[order[1]]), T, np.linalg.inv(T)


GAMMA, LAMBDA, TRANSFORM, INVERSE = _eigen_parts()


def _error_weights() -> np.ndarray:
    """Difference to the embedded rule of order 3 that uses the step's start with weight GAMMA."""
    moments = np.vander(NODES, 3, increasing=True).T
    embedded = np.linalg.solve(moments, np.array([1 - GAMMA, 1 / 2, 1 / 3]))
    return embedded - TABLEAU[2]


ERROR = _error_weights()
NEWTON_ITERATIONS = 10


class RadauWork(NamedTuple):
    """Memory of the method."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    real: np.ndarray  # (n, n) factors of M + h gamma C + h^2 gamma^2 K
    real_pivots: np.ndarray
    complex: np.ndarray  # (n, n) the same for the complex eigenvalue
    complex_pivots: np.ndarray
    A: np.ndarray  # (3, n) stage accelerations
    V: np.ndarray  # (3, n)
    U: np.ndarray  # (3, n)
    rate: np.ndarray  # (3, n)
    R: np.ndarray  # (3, n)
    last: np.ndarray  # (3, n) those of the step before
    error: np.ndarray  # (2, n) of position and velocity
    x: np.ndarray  # (n,)
    z: np.ndarray  # (n,) complex
    factored: np.ndarray  # (1,) step size of the factors
    matrix: np.ndarray  # (5,) what is due and what is new of M, C, K; see newton
    memory: np.ndarray  # (2,) contraction rates; see newton
    accepted: np.ndarray  # (2,) size and error of the last step accepted; 0 where there is none
    rejected: np.ndarray  # (1,) 1 where the last attempt had too large an error
    ceiling: np.ndarray  # (1,) largest step to try: below one that did not converge, slowly rising


def make_work(n: int) -> Any:
    """Memory for n velocities, as `march` takes it."""

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    return Struct(
        RadauWork(
            M=zeros(n, n),
            C=zeros(n, n),
            K=zeros(n, n),
            real=zeros(n, n),
            real_pivots=np.zeros(n, np.int64),
            complex=np.zeros((n, n), complex),
            complex_pivots=np.zeros(n, np.int64),
            A=zeros(3, n),
            V=zeros(3, n),
            U=zeros(3, n),
            rate=zeros(3, n),
            R=zeros(3, n),
            last=zeros(3, n),
            error=zeros(2, n),
            x=zeros(n),
            z=np.zeros(n, complex),
            factored=zeros(1),
            matrix=np.zeros(5, np.int64),
            memory=np.ones(2),
            accepted=zeros(2),
            rejected=np.zeros(1, np.int64),
            ceiling=np.array([np.inf]),
        )
    )


@inline
def predict(state, work, h):
    """Stage accelerations to start from: those of the last step, extrapolated, or the acceleration at the start."""
    n = state.v.shape[0]
    if state.flags[CONTINUED] == 0:
        for i in range(3):
            for k in range(n):
                work.A[i, k] = state.a[k]
        return
    ratio = h / state.clock[LAST_STEP]
    for i in range(3):
        s = 1.0 + NODES[i] * ratio
        w0 = (s - NODES[1]) * (s - NODES[2]) / ((NODES[0] - NODES[1]) * (NODES[0] - NODES[2]))
        w1 = (s - NODES[0]) * (s - NODES[2]) / ((NODES[1] - NODES[0]) * (NODES[1] - NODES[2]))
        w2 = (s - NODES[0]) * (s - NODES[1]) / ((NODES[2] - NODES[0]) * (NODES[2] - NODES[1]))
        for k in range(n):
            work.A[i, k] = w0 * work.last[0, k] + w1 * work.last[1, k] + w2 * work.last[2, k]


@inline
def motion(system, state, work, h):
    """Stage velocities and chart positions of the stage accelerations.

    Rates of group joints are taken at the chart positions found before. Returns the largest change of such a position,
    in units of the allowed error.
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
                change = max(change, abs(u - work.U[i, k]) / position_scale(system, state, k))
            work.U[i, k] = u
    return change


@inline
def residuals(system, scratch, state, work, t, h):
    """Residuals of the equations of motion at the stages."""
    for i in range(3):
        move(system.model, state.q, work.U[i], scratch.q)
        prescribe(system, t + NODES[i] * h, scratch.q, work.V[i], work.A[i])
        residual(system, scratch, t + NODES[i] * h, scratch.q, work.V[i], work.A[i], work.R[i])
    state.counts[EVALUATIONS] += 3


@inline
def newton_update(system, state, work, h):
    """Change of the stage accelerations by one Newton step; returns its size in units of the allowed error."""
    n = state.v.shape[0]
    for k in range(n):
        real = 0.0
        upper = 0.0j
        for i in range(3):
            real -= INVERSE[0, i].real * work.R[i, k]
            upper -= INVERSE[1, i] * work.R[i, k]
        work.x[k] = real
        work.z[k] = upper
    solve(work.real, work.real_pivots, work.x)
    solve(work.complex, work.complex_pivots, work.z)
    total = 0.0
    for k in range(n):
        d0 = TRANSFORM[0, 0].real * work.x[k] + 2.0 * (TRANSFORM[0, 1] * work.z[k]).real
        d1 = TRANSFORM[1, 0].real * work.x[k] + 2.0 * (TRANSFORM[1, 1] * work.z[k]).real
        d2 = TRANSFORM[2, 0].real * work.x[k] + 2.0 * (TRANSFORM[2, 1] * work.z[k]).real
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
            total += (du / place) ** 2
    return (total / (6 * n)) ** 0.5


@inline
def converge(system, scratch, state, work, t, h):
    """Newton iteration on the stages. Returns (converged, contraction rate)."""
    before = 0.0
    for iteration in range(NEWTON_ITERATIONS):
        change = motion(system, state, work, h)
        residuals(system, scratch, state, work, t, h)
        size = max(newton_update(system, state, work, h), change)
        verdict, rate = newton.judge(iteration, NEWTON_ITERATIONS - 1, size, before, work.memory)
        if verdict == newton.CONVERGED:
            motion(system, state, work, h)  # of the latest accelerations
            return True, rate
        if verdict == newton.GIVE_UP:
            break
        before = size
    return False, 1.0


@inline
def estimate_error(state, work, h):
    """Embedded error estimate of positions and velocities into work.error."""
    for k in range(state.v.shape[0]):
        work.error[0, k] = h * GAMMA * state.v[k]
        work.error[1, k] = h * GAMMA * state.a[k]
        for i in range(3):
            work.error[0, k] += h * ERROR[i] * work.rate[i, k]
            work.error[1, k] += h * ERROR[i] * work.A[i, k]


@inline
def filtered_error(system, state, work, h):
    """Filter work.error by (1 - h gamma J)^-1 against stiff components. Returns its size, 1 is the allowed error."""
    n = state.v.shape[0]
    e_u = work.error[0]
    e_v = work.error[1]
    for row in range(n):
        value = 0.0
        for k in range(n):
            value += work.M[row, k] * e_v[k] - h * GAMMA * work.K[row, k] * e_u[k]
        work.x[row] = value
    solve(work.real, work.real_pivots, work.x)
    total = 0.0
    for k in range(n):
        e_v[k] = work.x[k]
        e_u[k] += h * GAMMA * e_v[k]
        total += (e_u[k] / position_scale(system, state, k)) ** 2 + (e_v[k] / velocity_scale(state, k)) ** 2
    return (total / (2 * n)) ** 0.5


@inline
def step_factor(work, h, error):
    """Growth of the step by the error of this step and of the one before (Gustafsson; (8.25) there)."""
    error = max(error, 1e-10)
    factor = 0.9 * error**-0.25
    if work.accepted[0] > 0.0:
        factor = min(factor, factor * h / work.accepted[0] * (work.accepted[1] / error) ** 0.25)
    return min(8.0, max(0.2, factor))


@inline
def prepare(work, h):
    """Factors of both iteration matrices for step h."""
    n = work.M.shape[0]
    for row in range(n):
        for k in range(n):
            M = work.M[row, k]
            C = h * work.C[row, k]
            K = h * h * work.K[row, k]
            work.real[row, k] = M + GAMMA * C + GAMMA * GAMMA * K
            work.complex[row, k] = M + LAMBDA * C + LAMBDA * LAMBDA * K
    work.factored[0] = h
    work.memory[0] = 1.0
    return factorise(work.real, work.real_pivots) and factorise(work.complex, work.complex_pivots)


@kernel
def march(system, scratch, scratch_c, record, state, work, t_end, h_max, fixed, max_steps):
    """Advance to `t_end` or for `max_steps` steps; with `fixed` the step is not controlled. Returns a Status."""
    n = state.v.shape[0]
    # The estimate is of order 3, the solution of order 5: what it may be for a solution as precise as asked (RADAU5).
    slack = max(1.0, 0.1 * state.rtol[0] ** (-1.0 / 3.0))
    for _ in range(max_steps):
        t = state.clock[TIME]
        if t >= t_end:
            return 0
        h = limited_step(t, min(state.clock[NEXT_STEP], h_max), t_end)
        newton.renew(system, scratch, scratch_c, state, work, NODES[1] * h)
        if h != work.factored[0] and not prepare(work, h):
            return 2
        predict(state, work, h)
        converged, rate = converge(system, scratch, state, work, t, h)
        if not converged:
            state.counts[REJECTED] += 1
            if newton.plan_after_failure(work):
                continue
            state.clock[NEXT_STEP] = 0.5 * h
            work.ceiling[0] = 0.5 * h
            if state.clock[NEXT_STEP] < state.clock[LEAST_STEP]:
                return 2
            continue
        estimate_error(state, work, h)
        error = filtered_error(system, state, work, h)
        if error > slack and (work.rejected[0] == 1 or state.flags[CONTINUED] == 0):
            error = filtered_error(system, state, work, h)  # a transient too stiff to matter is no error: (8.20) there
        error /= slack
        if not fixed and not error <= 1.0:
            state.counts[REJECTED] += 1
            work.rejected[0] = 1
            state.clock[NEXT_STEP] = h * max(0.2, min(0.9, 0.9 * error**-0.25))
            if state.clock[NEXT_STEP] < state.clock[LEAST_STEP]:
                return 2
            continue
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
        if not (is_finite(state.q1) and is_finite(state.v1)):
            return 3
        chart_rate(system.model, state.u1, state.v1, state.rate1)
        if wanted(record, t, h):
            fit_ends(system.model, record, 5, h, state.u1, state.rate1, state.v, state.a, state.v1, state.a1)
            record_step(system, scratch, record, t, h, state.q)
        accept(system, state, h)
        if t + h > t_end - 1e-14 * max(1.0, t_end):
            state.clock[TIME] = t_end
        state.flags[CONTINUED] = 1
        newton.plan_after_step(work, rate)
        work.rejected[0] = 0
        work.ceiling[0] *= 1.05
        if fixed:
            state.clock[NEXT_STEP] = min(2.0 * state.clock[NEXT_STEP], h_max)
        elif factor < 1.0 or factor > 1.3:
            state.clock[NEXT_STEP] = min(h * factor, work.ceiling[0])
        else:
            state.clock[NEXT_STEP] = h
    return 1
