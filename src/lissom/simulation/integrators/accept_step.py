"""What all methods do once a step has been computed: try again, or close loops, write outputs and go on."""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.maths.chart import chart_rate, difference
from lissom.simulation.equations import newton
from lissom.simulation.equations.dense_output import fit_ends
from lissom.simulation.equations.loop_projection import project
from lissom.simulation.equations.recorder import record_step, wanted
from lissom.simulation.integrators.integrator_state import LEAST_STEP, NEXT_STEP, REJECTED, TIME, accept, is_finite

ROUNDING = 1e-12  # of the time: what a step may miss the end of the run by


@inline
def try_again(state, h):
    """Reject the step, to be tried with size h; returns whether that is not too small."""
    state.counts[REJECTED] += 1
    state.clock[NEXT_STEP] = h
    return h >= state.clock[LEAST_STEP]


@inline
def try_newton_again(state, plan, same, h):
    """Reject a step whose iteration failed: the `same` one is tried as `plan` says now, else one half as long.

    Returns whether that is not too small.
    """
    if same:
        state.counts[REJECTED] += 1
        return True
    plan[newton.LIMIT] = newton.CONVERGENCE
    return try_again(state, 0.5 * h)


@inline
def close_loops(system, scratch, closure, state, t, h):
    """Bring the end of the step to closed loops, where there are any."""
    if closure.lam.shape[0] > 0:
        project(system, scratch, closure, t + h, state.q1, state.v1)
        difference(system.model, state.q, state.q1, state.u1)


@inline
def finish(system, scratch, record, state, degree, t, h, t_end):
    """Write the outputs within the step, by polynomials of a degree, and make its end the state."""
    if wanted(record, t, h):
        fit_ends(system.model, record, degree, h, state.u1, state.rate1, state.v, state.a, state.v1, state.a1)
        record_step(system, scratch, record, t, h, state.q)
    accept(system, state, h)
    if t + h > t_end - ROUNDING * max(1.0, t_end):
        state.clock[TIME] = t_end


@inline
def finish_implicit(system, scratch, record, state, work, closure, degree, t, h, t_end):
    """Close loops, derive the step where that is asked for, and `finish` it. Returns whether its end is finite."""
    close_loops(system, scratch, closure, state, t, h)
    if not (is_finite(state.q1) and is_finite(state.v1)):
        return False
    work.derive(work.variation, t, h, work.newton.plan[newton.FORM])
    chart_rate(system.model, state.u1, state.v1, state.rate1)
    finish(system, scratch, record, state, degree, t, h, t_end)
    return True
