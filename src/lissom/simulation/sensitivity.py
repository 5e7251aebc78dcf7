"""Sensitivity of a motion to physical parameters: exact derivatives along the trajectory.

With x = (q, v) and x' = f(t, x, p), the sensitivity s = dx/dp follows the linear equation s' = A(t) s + b(t), A = df/dx
and b = df/dp at the motion's own states, both by the complex step. It is integrated by Radau IIA of order 5, three
stages in each interval between two outputs of the motion. Where the forces of a controller jump, A and b do and s does
not: the motion is run from jump to jump.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.control.law import ControlLaw
from lissom.dynamics import derivatives, forward_dynamics, tip_pose
from lissom.errors import LissomError
from lissom.kernel.derivatives import STEP
from lissom.model.any_robot import AnyRobot, as_model, as_robot
from lissom.model.compiled import Model
from lissom.model.robot import Robot
from lissom.printing import Printed
from lissom.simulation.ending import Ending
from lissom.simulation.radau_tableau import NODES, TABLEAU
from lissom.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from rich.table import Table

Output = Callable[[Model, np.ndarray, np.ndarray], Any]

STATES = 8  # samples of the motion per step: stiff coordinates want their states between outputs to many digits


@dataclass(frozen=True, eq=False)
class Sensitivity(Printed):
    """Derivatives along a motion, one row per parameter."""

    parameters: tuple[str, ...]
    values: np.ndarray  # (parameters,) where they were taken
    time: np.ndarray  # (N,)
    q: np.ndarray  # (parameters, N, nv) of the configuration
    v: np.ndarray  # (parameters, N, nv) of the velocity
    output: np.ndarray  # (parameters, N, ...) of the output

    def table(self) -> Table:
        """The largest change of the output for a change of each parameter by its own size."""
        table = printing.table("parameter", "value", "largest d output", "for a change by itself", title="sensitivity")
        for k, (name, value) in enumerate(zip(self.parameters, self.values)):
            largest = float(np.abs(self.output[k]).max(initial=0.0))
            table.add_row(name, f"{value:.5g}", f"{largest:.4g}", f"{largest * abs(value):.4g}")
        return table

    def relative(self) -> np.ndarray:
        """Change of the output for a change of each parameter by its own size, (parameters, N, ...)."""
        return self.output * self.values.reshape(-1, *([1] * (self.output.ndim - 1)))


def tip_position(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Position (3,) of the last link's tip in the world."""
    return tip_pose(model, q)[:3, 3]


def sensitivity(
    robot: AnyRobot,
    parameters: Sequence[str] | str,
    duration: float,
    *,
    controller: ControlLaw | None = None,
    output: Output | str = tip_position,
    start: Any = None,
    rate: float = 400.0,
    rtol: float = 1e-8,
) -> Sensitivity:
    """Exact derivatives of a motion with respect to physical parameters.

    >>> lissom.sensitivity("canadarm2", "links.boom1.joint.transmission.stiffness", 1.0)

    Args:
        parameters: paths of numbers of the robot, such as "links.upper.beam.section.EIz",
            "links.upper.joint.transmission.rotor_inertia".
        duration, start: of the motion, as in `lissom.simulate`; the start does not depend on the parameters.
        controller: a continuous law: `control.pd`, `computed_torque`, or `torques` over time. It stays as it is, with
            the rigid twin it was built with, while the robot's parameters change. Where a torque reaches its saturation
            between two outputs, the error is of first order in their distance.
        rate: outputs per second, which are also the steps of the sensitivity's equation: double it to see its error.
        output: what is derived: the name of a coordinate, or a function of (model, q, v) that returns numbers, also for
            complex arguments; the tip's position unless given.
        rtol: error allowed per step of the motion.
    """
    robot = as_robot(robot)
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    model, values = as_model(robot), np.array([_number(robot, path) for path in names])
    if model.nq != model.nv:
        raise LissomError(f"{robot.name} has joints with quaternions; sensitivities need plain coordinates")
    if not (controller is None or isinstance(controller, ControlLaw)):
        raise LissomError(
            f"controller: sensitivities need a continuous law, not a {type(controller).__name__}; "
            "give one of control.pd, computed_torque or torques"
        )
    measure = _coordinate(model, output) if isinstance(output, str) else output
    stepped = [robot.with_value(path, value + 1j * STEP).compile() for path, value in zip(names, values, strict=True)]
    n = model.nv
    times, s = [0.0], [np.zeros((2 * n, len(names)))]
    states: list[tuple[np.ndarray, np.ndarray]] = []
    for begin, law, run in _segments(model, duration, controller, start, rate, rtol):
        last = np.nextafter(run.time[-1], 0.0)  # a law is read before its jump
        outputs = run.time[::STATES]
        for t, h in zip(outputs[:-1], np.diff(outputs), strict=True):
            at = t + h * NODES
            slopes = [_slopes(model, stepped, law, min(x, last), *state) for x, state in zip(at, zip(*run.state(at)))]
            s.append(_radau_step(slopes, h, s[-1]))
        times.extend(begin + outputs[1:])
        kept = slice(STATES if states else 0, None, STATES)
        states.extend(zip(run.q[kept], run.v[kept]))
    by_parameter = np.moveaxis(np.array(s), 2, 0)
    rows = [
        [
            np.imag(measure(other, q + 1j * STEP * x[:n], v + 1j * STEP * x[n:])) / STEP
            for (q, v), x in zip(states, d, strict=True)
        ]
        for other, d in zip(stepped, by_parameter, strict=True)
    ]
    return Sensitivity(names, values, np.array(times), by_parameter[..., :n], by_parameter[..., n:], np.array(rows))


def _segments(
    model: Model, duration: float, law: ControlLaw | None, start: Any, rate: float, rtol: float
) -> Iterator[tuple[float, ControlLaw | None, Trajectory]]:
    """The motion from jump to jump of the forces: when each part begins, its law and its run, both from time zero.

    A run has STATES samples per output.
    """
    from lissom.simulation.main import simulate

    jumps = [] if law is None else [t for t in law.jumps if 0 < t < duration]
    for begin, end in pairwise([0.0, *jumps, duration]):
        here = law and replace(
            law, reference=law.reference.shifted(-begin), feedforward=law.feedforward.shifted(-begin)
        )
        samples = STATES * max(1, round((end - begin) * rate)) / (end - begin)
        run = simulate(
            model, end - begin, controller=here, start=start, rate=samples, rtol=rtol, atol=1e-3 * rtol, audit=False
        )
        if run.info.status is Ending.INTERRUPTED:
            raise KeyboardInterrupt
        if run.info.status is not Ending.FINISHED:
            raise LissomError(f"the motion did not finish: {run.info.status.word} at t = {begin + run.time[-1]:.6g} s")
        yield begin, here, run
        start = (run.q[-1], run.v[-1])


def _slopes(
    model: Model, stepped: list[Model], law: ControlLaw | None, t: float, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A (2 nv, 2 nv) and b (2 nv, parameters) at a state."""
    n = model.nv
    tau = np.zeros(n) if law is None else law(t, q, v)
    exact = derivatives(model, q, v, tau)
    A, b = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, len(stepped)))
    A[:n, n:], A[n:, :n], A[n:, n:] = np.eye(n), exact.q, exact.v
    if law is not None:
        A[n:] += exact.tau @ np.hstack(law.derivatives(t, q, v))
    b[n:] = np.transpose([forward_dynamics(other, q, v, tau).imag / STEP for other in stepped])
    return A, b


def _radau_step(slopes: Sequence[tuple[np.ndarray, np.ndarray]], h: float, s: np.ndarray) -> np.ndarray:
    """s (2 nv, parameters) at the end of a step of length h, from A and b at its three stages."""
    size, count = s.shape
    system = np.eye(3 * size)
    blocks = system.reshape(3, size, 3, size)
    for i, (A, _) in enumerate(slopes):
        blocks[i] -= h * TABLEAU[i, None, :, None] * A[:, None, :]
    right = np.concatenate([A @ s + b for A, b in slopes])
    rates = np.linalg.solve(system, right).reshape(3, size, count)
    return s + h * np.einsum("j,jap->ap", TABLEAU[2], rates)


def _number(robot: Robot, path: str) -> float:
    value = robot.value(path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LissomError(f"{path} = {value!r} is not a number; give the path of a number of the robot")
    return float(value)


def _coordinate(model: Model, name: str) -> Output:
    if name not in model.coordinates:
        raise LissomError(f"output: {name!r} is not a coordinate; there are {', '.join(model.coordinates)}")
    at = model.coordinates.index(name)
    return lambda model, q, v: q[at]
