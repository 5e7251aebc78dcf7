"""CVODE of SUNDIALS through scikit-sundae: Adams methods (orders 1 to 12) and BDF (orders 1 to 5).

Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363-396. The Adams method is the predictor-corrector that published
work on flexible arms uses. CVODE chooses its own steps and orders. Quaternions are integrated as four numbers; what is
recorded of them is brought back to unit length, and to closed loops where the robot has some.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.kernel.compile import kernel
from lissom.kernel.maths.chart import chart_rate, configuration_rate, difference
from lissom.simulation.equations.dense_output import fit_ends
from lissom.simulation.equations.loop_projection import project
from lissom.simulation.equations.recorder import record_step
from lissom.simulation.equations.system import acceleration, prescribe
from lissom.simulation.integrators.integrator_state import CONTINUED, EVALUATIONS, TIME, State, Status, accept
from lissom.simulation.integrators.registry import Method, Setup


@kernel
def rates(system, scratch, t, y, out):
    """Compute d(q, v)/dt of y = (q, v), at the nearest state with closed loops."""
    nq = scratch.q.shape[0]
    for k in range(nq):
        scratch.q[k] = y[k]
    for k in range(scratch.v.shape[0]):
        scratch.v[k] = y[nq + k]
    if scratch.lam.shape[0] > 0:  # what the loops would not allow is no part of the motion
        project(system, scratch, scratch.closure, t, scratch.q, scratch.v)
    acceleration(system, scratch, t, scratch.q, scratch.v, out[nq:])
    configuration_rate(system.model, scratch.q, scratch.v, out)


@kernel
def take_step(system, scratch, record, state, t, h, y):
    """Record the step of length `h` that ends in y = (q, v)."""
    nq = state.q.shape[0]
    for k in range(nq):
        state.q1[k] = y[k]
    for k in range(state.v.shape[0]):
        state.v1[k] = y[nq + k]
    if scratch.lam.shape[0] > 0:
        prescribe(system, t + h, state.q1, state.v1, state.a1)
        project(system, scratch, scratch.closure, t + h, state.q1, state.v1)
    acceleration(system, scratch, t + h, state.q1, state.v1, state.a1)
    difference(system.model, state.q, state.q1, state.u1)
    chart_rate(system.model, state.u1, state.v1, state.rate1)
    fit_ends(system.model, record, 5, h, state.u1, state.rate1, state.v, state.a, state.v1, state.a1)
    record_step(system, scratch, record, t, h, state.q)
    accept(system, state, h)


FAMILIES = {"cvode-adams": "Adams", "cvode-bdf": "BDF"}


def prepare(setup: Setup) -> Method:
    """Make the method ready for a run."""
    return Method(setup, make_march(FAMILIES[setup.integrator.name], setup.state), None)


def make_march(family: str, state: State) -> Callable[..., int]:
    """Return a march of a family of CVODE, called like those of the other integrators."""
    from sksundae.cvode import CVODE

    solver: Any = None
    evaluations = 0

    def march(
        system: Any,
        scratch: Any,
        scratch_c: Any,
        packed_record: Any,
        packed_state: Any,
        work: Any,
        t_end: float,
        h_max: float,
        fixed: bool,
        max_steps: int,
    ) -> int:
        nonlocal solver, evaluations
        slack = 1e-12 * max(1.0, t_end)

        def right_hand_side(time: float, y: np.ndarray, out: np.ndarray) -> None:
            rates(system, scratch, time, y.copy(), out)

        if state.flags[CONTINUED] == 0:  # at the start and after a jump
            solver = CVODE(
                right_hand_side,
                method=family,
                rtol=float(state.rtol[0]),
                atol=np.concatenate([np.repeat(state.atol, len(state.q)), state.atol_rate]),
                max_step=h_max,
                max_num_steps=10_000_000,
            )
            solver.init_step(float(state.clock[TIME]), np.concatenate([state.q, state.v]))
            evaluations = 0
            state.flags[CONTINUED] = 1
        for _ in range(max_steps):
            t = float(state.clock[TIME])
            if t >= t_end:
                return Status.REACHED
            reached = solver.step(t_end, method="onestep", tstop=t_end)
            state.counts[EVALUATIONS] += int(reached.nfev) - evaluations
            evaluations = int(reached.nfev)
            if not reached.success:
                return Status.FAILED
            if not np.all(np.isfinite(reached.y)):
                return Status.NOT_FINITE
            take_step(system, scratch, packed_record, packed_state, t, float(reached.t) - t, reached.y.copy())
            if state.clock[TIME] > t_end - slack:
                state.clock[TIME] = t_end
        return Status.PAUSED

    return march
