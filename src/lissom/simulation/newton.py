"""Newton iterations of implicit steps: when they are done, when their matrix is renewed, and in which form it serves.

A matrix is kept as long as it contracts well. One that is fresh and does not is replaced by the next form, closer to
the truth and dearer; after a while the cheaper one is tried again. Nothing but measured contraction decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.jit import inline

TOLERANCE = 0.02  # of the allowed error
SLOW = 0.1  # contraction rate above which the matrix is renewed
POOR = 0.25  # and above which, fresh, its form does not do
BUSY_STEPS = 10  # steps over which the matrix is renewed every time, once it had to be
RENEWED = 4
FAR = 10.0  # size of a first correction, in units of the allowed error, that changes the matrix
TRIAL = 10  # steps before a cheaper form is tried again; doubled with every failure

SHARED, STAGES, EXACT = 0, 1, 2  # forms of the matrix; methods of one stage have no STAGES
CONVERGED, GO_ON, GIVE_UP = 1, 0, -1

# Entries of `plan` (8,): form of the matrix; renew it before the next step; it was renewed in this one; steps for which
# it is renewed every time; failures in a row; predict by the last acceleration alone; steps until a cheaper form is
# tried; how many steps that takes the next time
FORM, DUE, FRESH, BUSY, FAILED, FLAT, UNTIL, WAIT = range(8)

# Columns of `tally`: steps, iterations, renewals of the matrix, failures to converge
STEPS, ITERATIONS, RENEWALS, FAILURES = range(4)


class Newton(NamedTuple):
    """Memory of the iteration."""

    plan: np.ndarray  # (8,)
    memory: np.ndarray  # (2,) contraction rates: of earlier steps, of the iteration before
    factored: np.ndarray  # (1,) step size of the factors
    tally: np.ndarray  # (3, 4) counts by form of the matrix
    trace: np.ndarray
    rates: np.ndarray  # (3, 2) sum and number of the measured logarithms of contraction, by form


def make_newton(form: int) -> Newton:
    """Memory for an iteration that begins with the given form."""
    plan = np.zeros(8, np.int64)
    plan[FORM], plan[DUE], plan[WAIT] = form, 1, TRIAL
    return Newton(plan, np.ones(2), np.zeros(1), np.zeros((3, 4), np.int64), np.zeros(40), np.zeros((3, 2)))


@inline
def judge(iteration, last, size, before, fresh, memory):
    """What to do after a Newton step of the given size, in units of the allowed error; and the contraction rate.

    `before`: size of the step before, 0 where the matrix has changed since; `last`: number of the last iteration
    allowed. `memory` (2,): contraction rate of earlier steps, 1 where unknown, by which a single iteration may do; and
    that of the iteration before.
    """
    if not size < 1e10:
        return GIVE_UP, 1.0
    rate = memory[0]
    measured = before > 0.0
    if measured:
        latest = size / before
        if latest > 2.0:
            return GIVE_UP, latest
        rate = (latest * memory[1]) ** 0.5 if memory[1] > 0.0 and not fresh else latest
        memory[1] = latest
    else:
        memory[1] = 0.0
    left = size * (rate / (1.0 - rate) if rate < 0.95 else 20.0)
    tiny = size < 1e-3 * TOLERANCE
    if left < TOLERANCE or tiny:
        if not measured:  # trust it less each time
            memory[0] = min(1.0, 1.3 * rate)
            return CONVERGED, 0.0
        memory[0] = min(1.0, max(rate, 0.005))
        return CONVERGED, 0.0 if tiny else rate
    hopeless = measured and iteration > RENEWED and left * rate ** (last - iteration) > TOLERANCE
    if iteration == last or hopeless:
        return GIVE_UP, rate
    return GO_ON, rate


@inline
def note_rate(newton, rate):
    """Keep account of a measured contraction rate."""
    if rate > 0.0:
        sums = newton.rates[newton.plan[FORM]]
        sums[0] += np.log(rate)
        sums[1] += 1.0


@inline
def plan_after_step(newton, rate, dearest):
    """After a step that converged at the given rate: what the next one should renew, and in which form.

    `dearest`: the form beyond which nothing is tried for slowness alone.
    """
    plan = newton.plan
    newton.tally[plan[FORM], STEPS] += 1
    note_rate(newton, rate)
    plan[FAILED] = 0
    plan[FLAT] = 0
    if rate > SLOW:
        plan[BUSY] = BUSY_STEPS
    plan[DUE] = 0
    if plan[BUSY] > 0:
        plan[DUE] = 1
        plan[BUSY] -= 1
    if rate > POOR and plan[FRESH] == 1 and plan[FORM] < dearest:
        climb(plan)
    elif plan[FORM] > SHARED:
        plan[UNTIL] -= 1
        if plan[UNTIL] <= 0:
            plan[FORM] -= 1
            plan[DUE] = 1


@inline
def climb(plan):
    """Take the next form for a while; a longer one every time."""
    plan[FORM] += 1
    plan[DUE] = 1
    plan[UNTIL] = plan[WAIT]
    plan[WAIT] = min(2 * plan[WAIT], 1000)


@inline
def plan_after_failure(newton, extrapolated, dearest):
    """After a step that did not converge: a fresh matrix, a better form, a flat predictor, in this order.

    Returns False where only a smaller step is left to try.
    """
    plan = newton.plan
    newton.tally[plan[FORM], FAILURES] += 1
    plan[BUSY] = BUSY_STEPS
    plan[FAILED] += 1
    plan[DUE] = 1
    if plan[FRESH] == 0:
        return True
    if plan[FORM] < dearest:
        climb(plan)
        return True
    if extrapolated and plan[FLAT] == 0:
        plan[FLAT] = 1
        return True
    return False
