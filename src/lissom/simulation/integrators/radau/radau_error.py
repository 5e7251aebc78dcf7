"""The error of Radau's steps: its estimate, filtered, and the size of the next step that follows from it.

Hairer and Wanner II, section IV.8. The embedded rule of order 3 is filtered by (1 - h gamma f')^-1, so that stiff
components count by what the solution has of them; where vibrations are left out, by a low-pass as well.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.implicit.local_stiffness import add_local_product
from lissom.kernel.maths.elementary_functions import worst
from lissom.simulation.equations import dense_lu, newton
from lissom.simulation.equations.loop_projection import correct_rows
from lissom.simulation.integrators.integrator_state import position_size
from lissom.simulation.integrators.radau.radau_tableau import ERROR, GAMMA
from lissom.simulation.settings import TYPICAL_SIZE

PASSES = 8  # of the filter against vibrations: 1/16 is left of one at the limit, 1e-5 of one four times as fast


@inline
def estimate_error(state, work, h):
    """Compute the embedded error estimate of positions and velocities into work.error."""
    for k in range(state.v.shape[0]):
        work.error[0, k] = h * GAMMA * state.v[k]
        work.error[1, k] = h * GAMMA * state.a[k]
        for i in range(3):
            work.error[0, k] += h * ERROR[i] * work.rate[i, k]
            work.error[1, k] += h * ERROR[i] * work.A[i, k]


@inline
def estimate_tolerance(tolerance):
    """Return what the estimate of order 3 may be for a solution of order 5 as precise as `tolerance` (RADAU5)."""
    return max(tolerance, 0.1 * tolerance ** (2.0 / 3.0))


@inline
def filtered_error(system, state, work, h):
    """Filter work.error against stiff components. Returns its size, 1 is the allowed estimate.

    Both tolerances are eased, each by its own size: a smaller one never allows more.
    """
    n = state.v.shape[0]
    filter_error(system, work, work.newton.plan[newton.FORM], h)
    rtol = estimate_tolerance(state.rtol[0])
    ease = estimate_tolerance(state.atol[0] / TYPICAL_SIZE) * TYPICAL_SIZE / state.atol[0]
    total = 0.0
    for k in range(n):
        place = work.error[0, k] / (ease * state.atol[0] + rtol * position_size(system, state, k))
        speed = work.error[1, k] / (ease * state.atol_rate[k] + rtol * abs(state.v[k]))
        total += place * place + speed * speed
    work.size[0] = total
    return (worst(total) / (2 * n)) ** 0.5


@inline
def step_factor(work, h, error):
    """Return the growth of the step by the error of this step and of the one before (Gustafsson; (8.25) there)."""
    error = max(error, 1e-10)
    factor = 0.9 * error**-0.25
    if work.accepted[0] > 0.0:
        factor = min(factor, factor * h / work.accepted[0] * (work.accepted[1] / error) ** 0.25)
    return min(8.0, max(0.2, factor))


@kernel
def filter_error(system, work, form, h):
    """Filter work.error (position, velocity) by (1 - h gamma f')^-1 against stiff components.

    Where vibrations above a frequency are not followed, by (1 - lag f')^-1, often enough to leave little.
    """
    matrix = work.matrix
    hg = h * GAMMA
    if form == newton.EXACT:
        filter_exactly(work, hg)
    else:
        low_pass(system, work, matrix.real, hg)
    if work.L.shape[1] > 0:
        for row in range(work.L.shape[1]):
            matrix.closure.miss[row] = 0.0
        correct_rows(matrix.closure, work.error[0], matrix.closure.miss)
        correct_rows(matrix.closure, work.error[1], matrix.closure.miss)
    if work.lag > 0.0:
        for _ in range(PASSES):
            low_pass(system, work, matrix.slow, work.lag)


@inline
def filter_exactly(work, hg):
    """Filter work.error by the exact matrix."""
    matrix = work.matrix
    e_u = work.error[0]
    e_v = work.error[1]
    x = matrix.real.x
    n = x.shape[0]
    for row in range(n):
        value = 0.0
        for k in range(n):
            value += matrix.M[row, k] * e_v[k] - hg * matrix.K[row, k] * e_u[k]
        x[row] = value
    dense_lu.solve(matrix.dense, matrix.pivots, x)
    for k in range(n):
        e_v[k] = x[k]
        e_u[k] += hg * e_v[k]


@inline
def low_pass(system, work, factors, lag):
    """Compute work.error <- (1 - lag f')^-1 work.error by local parts: e_v - J^-1 lag (D e_v + K (e_u + lag e_v))."""
    matrix = work.matrix
    e_u = work.error[0]
    e_v = work.error[1]
    x = factors.x
    ahead = work.step[0]
    for k in range(x.shape[0]):
        x[k] = 0.0
        ahead[k] = e_u[k] + lag * e_v[k]
    add_local_product(system.model, matrix.second, lag, lag, e_v, ahead, x)
    matrix.solve_real(system.model, matrix.second, factors)
    for k in range(x.shape[0]):
        e_v[k] -= x[k]
        e_u[k] += lag * e_v[k]
