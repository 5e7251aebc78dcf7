"""Newton iterations of implicit steps: when they are done, when their matrix is renewed, and in which form it serves.

The matrix has up to three forms, from cheap to exact (`radau_matrix`). It is kept as long as it contracts well. Where a
fresh one of one configuration does not, every stage gets its own. Where that is slow too, the exact one is taken as
soon as slowness has cost as much as it costs. After a while the cheaper form is tried again. Nothing but measured
contraction decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import log

from lissom.kernel.compile import inline

# RADAU5 has 7 iterations and a tolerance of at most 0.03. A matrix by recursion costs about one iteration, far less
# than LU factors, so it is renewed much sooner here: from a contraction of 0.1 on it saves an iteration in each step.
ITERATIONS_MOST = 10  # in one step
TOLERANCE = 0.02  # of the allowed error
SLOW = 0.1  # contraction rate above which the matrix is renewed
POOR = 0.25  # and above which, fresh, its form does not do
FAR = 10.0  # size of a correction, in units of the allowed error, for which the matrix is renewed
RENEWALS_MOST = 4  # within one step
# Growth of a correction that is hopeless: while the matrix may still be renewed, where the first corrections in long
# chains grow before they fall, and after that.
WILD, GROWING = 20.0, 2.0
# A renewal every step beats one that comes an iteration too late; short enough to find out when it is needless.
BUSY_STEPS = 10  # steps over which the matrix is renewed every time, once it had to be
TRIAL = 10  # steps before a cheaper form is tried again; doubled every time it does not do
FAIR = 3  # iterations in a step; what goes beyond is slowness
RENEWAL_COST = 1.0  # of a matrix by recursion, in iterations

SHARED, STAGES, EXACT = 0, 1, 2  # forms of the matrix; a method of one stage has no STAGES
CONVERGED, GO_ON, GIVE_UP = 1, 0, -1
KEPT, SLACK, TENSE = 0, 1, 2  # stiffness of bodies in the matrix: as it was; of links; of links and of turns
ACCURACY, CONVERGENCE, SCHEDULE = 0, 1, 2  # what limits a step: its error, Newton's convergence, an end or a given size

# Entries of `plan`: form of the matrix; renew it in the next step; it was renewed in this one; steps for which it is
# renewed every time; predict by the acceleration at the start alone; steps until a cheaper form is tried; how many it
# is the next time; what limits the next step; matrices in this step; the exact one has proved its worth; what the
# matrix holds of the bodies' stiffness; steps until tension is tried again; how many it is the next time
FORM, DUE, FRESH, BUSY, FLAT, UNTIL, WAIT, LIMIT, MATRICES, PROVEN, STIFFEN, UNTIL_TENSE, WAIT_TENSE = range(13)

# Columns of `tally`: steps, iterations, renewals of the matrix, failures to converge
STEPS, ITERATIONS, RENEWALS, FAILURES = range(4)


class Newton(NamedTuple):
    """Memory of the iteration."""

    stages: int  # of the method
    cost: float  # of an exact matrix, in iterations
    plan: np.ndarray  # (13,)
    memory: np.ndarray  # (3,) contraction rates: of earlier steps, of the iteration before; and see `judge`
    factored: np.ndarray  # (1,) step size of the factors
    lost: np.ndarray  # (1,) iterations that slowness has cost
    tally: np.ndarray  # (3, 4) counts by form of the matrix
    rates: np.ndarray  # (3, 2) sum and number of logarithms of measured rates, by form
    limits: np.ndarray  # (3,) steps by what limited them


def make_newton(stages: int, bodies: int, velocities: int) -> Newton:
    """Return memory for the iteration of a method with so many stages."""
    residuals = 5.0 * velocities + velocities**3 / (600.0 * bodies)  # complex passes; elimination, measured
    made = Newton(
        stages=stages,
        cost=residuals / stages,
        plan=np.zeros(13, np.int64),
        memory=np.zeros(3),
        factored=np.zeros(1),
        lost=np.zeros(1),
        tally=np.zeros((3, 4), np.int64),
        rates=np.zeros((3, 2)),
        limits=np.zeros(3, np.int64),
    )
    forget(made)
    return made


def forget(newton: Newton) -> None:
    """Begin a run: drop what an earlier one has taught."""
    for array in newton[2:]:
        array.fill(0)
    newton.memory[:2] = 1.0
    newton.plan[DUE], newton.plan[STIFFEN] = 1, TENSE if newton.stages > 1 else SLACK
    newton.plan[WAIT] = newton.plan[WAIT_TENSE] = TRIAL


def report(newton: Newton) -> dict[str, Any]:
    """Return how the iterations went, by form of the matrix, and how many steps were limited by what.

    `contraction` is the mean factor by which an iteration reduces the error, where it took two to see.
    """
    forms = ("one configuration", "each stage", "exact") if newton.stages > 1 else ("recursive", "", "exact")
    by_form = {}
    for name, counts, (logarithms, measured) in zip(forms, newton.tally.tolist(), newton.rates.tolist(), strict=True):
        if counts[ITERATIONS]:
            by_form[name] = dict(zip(("steps", "iterations", "renewals", "failures"), counts, strict=True))
            by_form[name]["contraction"] = float(np.exp(logarithms / measured)) if measured else 0.0
    limited = dict(zip(("accuracy", "convergence", "schedule"), newton.limits.tolist(), strict=True))
    return {"matrix": by_form, "limited": limited}


@inline
def judge(newton, iteration, size, before, fresh):
    """Return what to do after a Newton step of the given size, in units of the allowed error; and the contraction rate.

    `before`: size of the step before, 0 for none; `fresh`: the matrix has changed since. `newton.memory` (3,):
    contraction rate of earlier steps, 1 where unknown, by which a single iteration may do; that of the iteration
    before; and where bodies rub, how many times smaller than allowed a correction itself must be, else 0. The matrix of
    a body that sticks makes corrections of one that slides small, and no smaller.
    """
    newton.tally[newton.plan[FORM], ITERATIONS] += 1
    verdict, rate = contraction(iteration, size, before, fresh, newton.memory)
    if verdict == GO_ON and beyond(newton, size):
        return GIVE_UP, rate
    return verdict, rate


@inline
def contraction(iteration, size, before, fresh, memory):
    """Return verdict and rate by the sizes of corrections alone, theta = |dx_i| / |dx_(i-1)| (Hairer, Wanner IV.8)."""
    # Beyond hope: a correction that overflows, or grows.
    if not size < 1e10:
        return GIVE_UP, 1.0
    rate = memory[0]
    measured = before > 0.0
    if measured:
        latest = size / before
        if latest > (WILD if iteration < RENEWALS_MOST else GROWING):
            return GIVE_UP, latest
        rate = (latest * memory[1]) ** 0.5 if memory[1] > 0.0 and not fresh else latest
        memory[1] = latest
    else:
        memory[1] = 0.0
    # What is left by the geometric series, |dx| theta / (1 - theta); without a second correction theta is remembered.
    left = size * (rate / (1.0 - rate) if rate < 0.95 else 20.0)
    if memory[2] > 0.0:
        left = size * memory[2]
    tiny = size < 1e-3 * TOLERANCE
    if left < TOLERANCE or tiny:
        if not measured:  # trust it less each time
            memory[0] = min(1.0, 1.3 * rate)
            return CONVERGED, 0.0
        memory[0] = min(1.0, max(rate, 0.005))
        return CONVERGED, 0.0 if tiny else rate
    # What the iterations that remain can still do.
    further = ITERATIONS_MOST - 1 - iteration
    hopeless = iteration > RENEWALS_MOST and left * rate**further > TOLERANCE
    if further == 0 or hopeless:
        return GIVE_UP, rate
    return GO_ON, rate


@inline
def begin(newton, h):
    """Return whether the matrix is to be renewed, at the start of a step."""
    due = newton.plan[DUE] == 1 or h != newton.factored[0]
    newton.plan[FRESH] = 1 if due else 0
    newton.plan[MATRICES] = 0
    return due


@inline
def renewed(newton, h):
    """Note a new matrix for steps of size h."""
    newton.factored[0] = h
    newton.memory[0] = 1.0
    newton.tally[newton.plan[FORM], RENEWALS] += 1
    newton.plan[MATRICES] += 1


@inline
def beyond(newton, size):
    """Return whether a correction is too large for a matrix that was kept from an earlier step."""
    return size > FAR and newton.plan[FRESH] == 0 and newton.plan[FORM] < EXACT


@inline
def renew_within(newton, iteration, size, before, rate):
    """Return whether the next iteration deserves a matrix at what this one has found."""
    slow = size > FAR or (before > 0.0 and rate > SLOW)
    return slow and newton.plan[FORM] < EXACT and iteration < RENEWALS_MOST


@inline
def plan_after_step(newton, iterations, rate):
    """Plan after a step that converged at the given rate: what the next one should renew, and in which form."""
    plan = newton.plan
    form = plan[FORM]
    newton.tally[form, STEPS] += 1
    newton.limits[plan[LIMIT]] += 1
    if rate > 0.0:
        newton.rates[form, 0] += log(rate)
        newton.rates[form, 1] += 1.0
    plan[FLAT] = 0
    plan[DUE] = 0
    # Tension comes back into the matrix after the steps that it was left out for.
    if plan[STIFFEN] != TENSE and newton.stages > 1:
        plan[UNTIL_TENSE] -= 1
        if plan[UNTIL_TENSE] <= 0:
            plan[STIFFEN] = TENSE
    # Renewal: the exact matrix when it is poor, one by recursion for some steps as soon as it is slow.
    if form == EXACT:
        plan[PROVEN] = 1
        if rate > POOR:
            plan[DUE] = 1
    else:
        if rate > SLOW:
            plan[BUSY] = BUSY_STEPS
        if plan[BUSY] > 0:
            plan[BUSY] -= 1
            plan[DUE] = 1
        # What slowness costs, in iterations: a better form comes when it has cost as much as that form does.
        newton.lost[0] += max(0, iterations - FAIR) + RENEWAL_COST * max(0, plan[MATRICES] - 1)
        if plan[LIMIT] == CONVERGENCE:
            newton.lost[0] += iterations
        poor = rate > POOR and plan[FRESH] == 1
        if form == SHARED and newton.stages > 1:
            if poor:
                climb(plan, STAGES)
        elif newton.lost[0] > newton.cost or (poor and plan[PROVEN] == 1):
            newton.lost[0] = 0.0
            climb(plan, EXACT)
    # A cheaper form is tried again after a while.
    if form > SHARED and plan[FORM] == form:
        plan[UNTIL] -= 1
        if plan[UNTIL] <= 0:
            plan[FORM] = STAGES if form == EXACT and newton.stages > 1 else SHARED
            plan[DUE] = 1


@inline
def climb(plan, form):
    """Take a better form for a while; a longer one every time."""
    plan[FORM] = form
    plan[DUE] = 1
    plan[UNTIL] = plan[WAIT]
    plan[WAIT] = min(2 * plan[WAIT], 1000)


@inline
def plan_after_failure(newton, iterations, extrapolated):
    """Plan after a step that failed: a fresh matrix, a better form, a flat predictor, no tension, in this order.

    Returns False where only a smaller step is left to try.
    """
    plan = newton.plan
    form = plan[FORM]
    newton.tally[form, FAILURES] += 1
    plan[BUSY] = BUSY_STEPS
    plan[DUE] = 1
    # A fresh matrix first.
    if plan[FRESH] == 0:
        return True
    # Then a better form: the exact one where it has proved its worth or is paid for, else that of each stage.
    if form < EXACT:
        newton.lost[0] += iterations + RENEWAL_COST * plan[MATRICES]
        if plan[PROVEN] == 1 or (newton.lost[0] > newton.cost and (form == STAGES or newton.stages == 1)):
            newton.lost[0] = 0.0
            climb(plan, EXACT)
            return True
        if form == SHARED and newton.stages > 1:
            climb(plan, STAGES)
            return True
    # Then the acceleration at the start in place of extrapolated stages.
    if extrapolated and plan[FLAT] == 0:
        plan[FLAT] = 1
        return True
    # Then a matrix without tension, whose forces may be far off.
    if form < EXACT and plan[STIFFEN] == TENSE:
        plan[STIFFEN] = SLACK
        plan[UNTIL_TENSE] = plan[WAIT_TENSE]
        plan[WAIT_TENSE] = min(2 * plan[WAIT_TENSE], 1000)
        return True
    return False
