"""Radau over packs: the runs of a pack in lock-step, by the source of `radau_steps` itself.

Time, step size and Newton's plan are those of all lanes: the largest correction and the largest error decide
(`kernel.maths.elementary_functions.worst`). References differ from run to run, so that lanes may be in different pieces
of theirs. Left out is what `eligible` runs do not have: loops, motions on groups, accounts of energy, and the forms of
Newton's matrix beyond the one of a single configuration.
"""

from __future__ import annotations

from lissom.control.laws import control_kernel
from lissom.control.laws.control_kernel import polynomial
from lissom.kernel.compile import inline, kernel
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics, world_frames
from lissom.kernel.maths.elementary_functions import since, worst
from lissom.kernel.numbers.rebind import without
from lissom.simulation.equations import dense_output, loop_projection, recorder, system
from lissom.simulation.equations.newton import TENSE
from lissom.simulation.equations.system import prescribe, residual
from lissom.simulation.integrators import accept_step
from lissom.simulation.integrators.radau import radau_error, radau_matrix, radau_solve, radau_steps
from lissom.simulation.integrators.radau.radau_error import PASSES, low_pass
from lissom.simulation.integrators.radau.radau_matrix import bodies_stiffness, renew_shared
from lissom.simulation.integrators.radau.radau_solve import solve_shared, transform, transform_back
from lissom.simulation.integrators.radau.radau_tableau import GAMMA

PLAIN = frozenset(("Newton", "clock", "rtol", "atol", "times", "latest", "accepted", "ceiling"))  # all lanes share them
UNUSED = frozenset(("forward", "mass", "factorise_coupled", "solve_coupled", "solve"))  # pointers not followed


@inline
def renew(system, scratch, scratch_c, state, work, form, t, h):
    """Factorise the matrix of one configuration, whatever form is asked for."""
    renew_shared(system, scratch, state, work, t, h, bodies_stiffness(state, work))
    return True


@inline
def correct(system, work, form):
    """Solve for the Newton step of the stages by the matrix of one configuration."""
    transform(work)
    solve_shared(system, work)
    transform_back(work)


@inline
def filter_error(system, work, form, h):
    """Filter work.error by the real factors, and by those of the low-pass where vibrations are left out."""
    low_pass(system, work, work.matrix.real, h * GAMMA)
    if work.lag > 0.0:
        for _ in range(PASSES):
            low_pass(system, work, work.matrix.slow, work.lag)


@inline
def piece_of_all(breaks, t, sign):
    """Return the last piece of a piecewise function that all lanes have reached (sign 1), or any (sign -1)."""
    low = 0
    high = breaks.shape[0] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if sign * worst(sign * breaks[middle]) <= t:
            low = middle
        else:
            high = middle - 1
    return low


@inline
def evaluate(breaks, coefficients, channel, t):
    """Evaluate the piecewise polynomial of `control.laws.control_kernel`, each lane in its own piece."""
    end = breaks[breaks.shape[0] - 1]
    at = since(t, end, end, since(t, breaks[0], t, breaks[0]))
    moving = since(t, end, 0.0, since(t, breaks[0], 1.0, 0.0))
    first = piece_of_all(breaks, t, 1.0)
    r, rd, rdd = polynomial(coefficients[first, channel], at - breaks[first])
    for piece in range(first + 1, piece_of_all(breaks, t, -1.0) + 1):
        value, rate, rise = polynomial(coefficients[piece, channel], at - breaks[piece])
        r = since(t, breaks[piece], value, r)
        rd = since(t, breaks[piece], rate, rd)
        rdd = since(t, breaks[piece], rise, rdd)
    return r, moving * rd, moving * rdd


@inline
def close_loops(system, scratch, closure, state, t, h):
    """Leave the end of the step: there are no loops."""


@inline
def settle(system, scratch, record, t):
    """Leave the sample: there are no loops."""


@inline
def take_reactions(system, scratch, t, v, out):
    """Subtract nothing: there are no loops."""


@inline
def set_driven_rows(system, t, given):
    """Give nothing: there are no loops."""


@inline
def integrate_flow(system, scratch, record, t, h, base, begin, end):
    """Keep no account of energy."""


@inline
def prescribe_group(system, joint, t, q, v, a):
    """Prescribe nothing: there are no joints on groups."""


@inline
def refine_groups(model, record, h, u1, rate1, v0, a0, v1, a1):
    """Refine nothing: there are no joints on groups."""


INSTEAD = {
    control_kernel.evaluate: evaluate,
    radau_matrix.renew: renew,
    radau_solve.correct: correct,
    radau_error.filter_error: filter_error,
    accept_step.close_loops: close_loops,
    recorder.settle: settle,
    loop_projection.subtract_reactions: take_reactions,
    loop_projection.set_driven_rows: set_driven_rows,
    recorder.integrate_flow: integrate_flow,
    system.prescribe_group: prescribe_group,
    dense_output.refine_groups: refine_groups,
}
march = without(radau_steps.march, INSTEAD, __name__)
write_sample = without(recorder.write_sample, INSTEAD, __name__)
prescribe = without(prescribe, INSTEAD, __name__)
residual = without(residual, INSTEAD, __name__)


@kernel
def write_state(system, scratch, record, state, t):
    """Write the state as the next output."""
    write_sample(system, scratch, record, t, state.q, state.v, state.a)


@kernel
def write_wrenches(system, scratch, record, count, out):
    """Compute wrenches of the parent on the child at each joint, (N, n, 6), of the first `count` outputs."""
    for s in range(count):
        q = record.q[s]
        scratch.inverse(system.model, scratch.own, q, record.v[s], record.a[s], scratch.wrench, scratch.residual)
        for k in range(out.wrench.shape[1]):
            for row in range(6):
                out.wrench[s, k, row] = scratch.work.wrench[k + 1, row]


@kernel
def write_frames(system, scratch, record, count, out):
    """Compute the position and rotation matrix of every link in the world, (N, n, 12), of the first `count` outputs."""
    work = scratch.work
    for s in range(count):
        forward_kinematics(system.model, work, record.q[s], record.v[s])
        world_frames(system.model, work)
        for k in range(out.frame.shape[1]):
            for row in range(3):
                out.frame[s, k, row] = work.world_position[k + 1, row]
                for column in range(3):
                    out.frame[s, k, 3 + 3 * row + column] = work.world_rotation[k + 1, row, column]


@kernel
def accelerate(system, scratch, matrix, state, t):
    """Compute state.a = a(t, q, v) by factors of the mass matrix: the residual is linear in accelerations."""
    local = matrix.second
    q = state.q
    v = state.v
    a = state.a
    for k in range(v.shape[0]):
        a[k] = scratch.zero
    prescribe(system, t, q, v, a)
    for k in range(q.shape[0]):
        local.q[k] = q[k]
    for k in range(v.shape[0]):
        local.v[k] = v[k]
        local.a[k] = a[k]
    x = matrix.real.x
    residual(system, matrix.scratch_second, t, q, v, a, x)
    matrix.linearise(system, scratch, local, t, matrix.seen, TENSE)
    matrix.factorise_real(system.model, local, matrix.real, 0.0, 0.0)
    for k in range(v.shape[0]):
        x[k] = -x[k]
    matrix.solve_real(system.model, local, matrix.real)
    for k in range(v.shape[0]):
        a[k] += x[k]


march.returns = "int64"
for function in (write_state, write_wrenches, write_frames, accelerate):
    function.returns = "none"
