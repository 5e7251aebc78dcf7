"""Newton iterations with an iteration matrix from an earlier step: when they are done, and when to renew the matrix.

The matrix is M + c1 h C + c2 h^2 K. What changes along a motion is above all the mass matrix M, which is cheap; C and
K, mostly constant stiffness, damping and gains, take a complex Newton-Euler pass per coordinate. So M is renewed first.
"""

from __future__ import annotations

from lissom.kernel.chart import move
from lissom.kernel.machine import inline, kernel
from lissom.simulation.stepping import JACOBIANS, TIME, USABLE
from lissom.simulation.system import linear_parts, mass_part

TOLERANCE = 0.02  # of the allowed error
SLOW = 0.1  # contraction rate above which the mass matrix is renewed
STALE = 0.3  # and, with a mass matrix of this step, the whole
SPAN = 10  # steps that the whole should serve for
WHILE = 10  # steps over which the mass matrix is renewed every time, once it had to be

# Entries of `matrix` (5,): what to renew before the next step, what is new in this one, steps since the whole was
# renewed, steps for which the mass matrix is renewed every time, failures in a row
DUE, NEW, AGE, BUSY, FAILED = 0, 1, 2, 3, 4
KEPT, MASS, WHOLE = 0, 1, 2

CONVERGED, GO_ON, GIVE_UP = 1, 0, -1


@inline
def judge(iteration, last, size, before, memory):
    """What to do after a Newton step of the given size, in units of the allowed error; and the contraction rate.

    `before`: size of the step before; `last`: number of the last iteration allowed. `memory` (2,): contraction rate of
    earlier steps, 1 where unknown, by which a single iteration may do; and that of the iteration before.
    """
    if not size < 1e10:
        return GIVE_UP, 1.0
    rate = memory[0]
    if iteration > 0:
        latest = size / before
        if latest > 2.0:
            return GIVE_UP, latest
        rate = (latest * memory[1]) ** 0.5 if iteration > 1 else latest
        memory[1] = latest
    left = size * (rate / (1.0 - rate) if rate < 0.95 else 20.0)
    tiny = size < 1e-3 * TOLERANCE
    if left < TOLERANCE or tiny:
        if iteration == 0:  # not measured: trust it less each time
            memory[0] = min(1.0, 1.3 * rate)
            return CONVERGED, 0.0
        memory[0] = min(1.0, max(rate, 0.005))
        return CONVERGED, 0.0 if tiny else rate
    if iteration == last or (iteration > 1 and left * rate ** (last - iteration) > TOLERANCE):
        return GIVE_UP, rate
    return GO_ON, rate


@kernel
def renew(system, scratch, scratch_c, state, work, ahead):
    """Renew what is due of M, C, K before a step, in the configuration in which the arm will be in `ahead` seconds."""
    due = work.matrix[DUE] if state.flags[USABLE] == 1 else WHOLE
    work.matrix[NEW] = due
    if due == KEPT:
        return
    for k in range(state.v.shape[0]):
        state.u1[k] = ahead * state.v[k]
    move(system.model, state.q, state.u1, state.q1)
    if due == MASS:
        mass_part(system, scratch, state.q1, state.v, work.M)
    else:
        t = state.clock[TIME] + ahead
        linear_parts(system, scratch, scratch_c, t, state.q1, state.v, state.a, work.M, work.C, work.K)
        state.counts[JACOBIANS] += 1
        state.flags[USABLE] = 1
        work.matrix[AGE] = 0
    work.factored[0] = 0.0


@inline
def plan_after_step(work, rate):
    """After a step that converged: what the next one should renew."""
    matrix = work.matrix
    matrix[AGE] += 1
    matrix[FAILED] = 0
    if rate > SLOW:
        matrix[BUSY] = WHILE
    if rate > STALE and matrix[NEW] == MASS and matrix[AGE] > SPAN:
        matrix[DUE] = WHOLE
    elif matrix[BUSY] > 0:
        matrix[DUE] = MASS
        matrix[BUSY] -= 1
    else:
        matrix[DUE] = KEPT


@inline
def plan_after_failure(work):
    """After a step that did not converge: what to renew before the next attempt. Returns True where this one is as
    large as the last, False where only a smaller one may help."""
    matrix = work.matrix
    matrix[BUSY] = WHILE
    matrix[FAILED] += 1
    stale = matrix[AGE] > (SPAN if matrix[FAILED] < 3 else 0)
    matrix[DUE] = WHOLE if matrix[NEW] == MASS and stale else MASS
    return matrix[NEW] == KEPT or matrix[DUE] == WHOLE
