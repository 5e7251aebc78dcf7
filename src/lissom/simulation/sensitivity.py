"""Sensitivity of a motion to physical parameters: exact derivatives along the trajectory.

With x = (q, v) and x' = f(x, p), the sensitivity s = dx/dp follows the linear equation s' = A(t) s + b(t), A = df/dx
and b = df/dp at the motion's own states, both by the complex step. It is integrated by Radau IIA of order 5, three
stages in each interval between two outputs of the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.dynamics import derivatives, forward_dynamics, tip_pose
from lissom.errors import LissomError
from lissom.model.compiled import Model
from lissom.model.robot import Robot

Output = Callable[[Model, np.ndarray, np.ndarray], Any]

STEP = 1e-30
# Radau IIA with three stages (Hairer and Wanner 1996, section IV.5)
_R = np.sqrt(6.0)
NODES = np.array([(4 - _R) / 10, (4 + _R) / 10, 1.0])
WEIGHTS = np.array(
    [
        [(88 - 7 * _R) / 360, (296 - 169 * _R) / 1800, (-2 + 3 * _R) / 225],
        [(296 + 169 * _R) / 1800, (88 + 7 * _R) / 360, (-2 - 3 * _R) / 225],
        [(16 - _R) / 36, (16 + _R) / 36, 1 / 9],
    ]
)


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives along a motion, one row per parameter."""

    parameters: tuple[str, ...]
    values: np.ndarray  # (parameters,) where they were taken
    time: np.ndarray  # (N,)
    q: np.ndarray  # (parameters, N, nv) of the configuration
    v: np.ndarray  # (parameters, N, nv) of the velocity
    output: np.ndarray  # (parameters, N, ...) of the output

    def relative(self) -> np.ndarray:
        """Change of the output for a change of each parameter by its own size, (parameters, N, ...)."""
        return self.output * self.values.reshape(-1, *([1] * (self.output.ndim - 1)))


def tip_position(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Position (3,) of the last link's tip in the world."""
    return tip_pose(model, q)[:3, 3]


def sensitivity(
    robot: Robot | str,
    parameters: Sequence[str] | str,
    duration: float,
    *,
    output: Output | str = tip_position,
    start: Any = None,
    rate: float = 400.0,
    rtol: float = 1e-8,
) -> Sensitivity:
    """Exact derivatives of a free motion with respect to physical parameters.

    >>> lissom.sensitivity("canadarm2", "links.boom1.joint.transmission.stiffness", 1.0)

    Args:
        parameters: paths of numbers of the robot, such as "links.upper.beam.section.EIz",
            "links.upper.joint.transmission.rotor_inertia".
        duration, start: of the motion, as in `lissom.simulate`; the start does not depend on the parameters.
        rate: outputs per second, which are also the steps of the sensitivity's equation: double it to see its error.
        output: what is derived: the name of a coordinate, or a function of (model, q, v) that returns numbers, also for
            complex arguments; the tip's position unless given.
        rtol: error allowed per step of the motion.
    """
    from lissom.model import load
    from lissom.simulation.main import simulate

    robot = load(robot) if isinstance(robot, str) else robot
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    model, values = robot.compile(), np.array([_number(robot, path) for path in names])
    if model.nq != model.nv:
        raise LissomError(f"{robot.name} has joints with quaternions; sensitivities need plain coordinates")
    measure = _coordinate(model, output) if isinstance(output, str) else output
    stepped = [robot.with_value(path, value + 1j * STEP).compile() for path, value in zip(names, values, strict=True)]
    run = simulate(model, duration, start=start, rate=rate, rtol=rtol, atol=1e-3 * rtol, audit=False)
    if run.info.status != "finished":
        raise LissomError(f"the motion did not finish: {run.info.status} at t = {run.time[-1]:.6g} s")
    n, times = model.nv, run.time
    s = np.zeros((len(times), 2 * n, len(names)))
    for k, (t, h) in enumerate(zip(times[:-1], np.diff(times), strict=True)):
        s[k + 1] = _radau_step(model, stepped, *run.state(t + h * NODES), h, s[k])
    rows = [
        [
            np.imag(measure(other, q + 1j * STEP * x[:n], v + 1j * STEP * x[n:])) / STEP
            for q, v, x in zip(run.q, run.v, d)
        ]
        for other, d in zip(stepped, np.moveaxis(s, 2, 0), strict=True)
    ]
    by_parameter = np.moveaxis(s, 2, 0)
    return Sensitivity(names, values, times, by_parameter[..., :n], by_parameter[..., n:], np.array(rows))


def _radau_step(
    model: Model, stepped: list[Model], q: np.ndarray, v: np.ndarray, h: float, s: np.ndarray
) -> np.ndarray:
    """s at the end of a step of length h, from the states (3, nv) at its three stages."""
    n = model.nv
    size, P = 2 * n, s.shape[1]
    system, right = np.eye(3 * size), np.zeros((3, size, P))
    slopes = np.zeros((3, size, size))
    for j in range(3):
        exact = derivatives(model, q[j], v[j])
        slopes[j, :n, n:], slopes[j, n:, :n], slopes[j, n:, n:] = np.eye(n), exact.q, exact.qd
        right[j] = slopes[j] @ s
        right[j, n:] += np.transpose([forward_dynamics(other, q[j], v[j]).imag / STEP for other in stepped])
    blocks = system.reshape(3, size, 3, size)
    for i in range(3):
        for j in range(3):
            blocks[i, :, j] -= h * WEIGHTS[i, j] * slopes[i]
    rates = np.linalg.solve(system, right.reshape(3 * size, P)).reshape(3, size, P)
    return s + h * np.einsum("j,jap->ap", WEIGHTS[2], rates)


def _number(robot: Robot, path: str) -> float:
    value = robot.value(path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LissomError(f"{path} = {value!r} is not a number; give the path of a number of the robot")
    return float(value)


def _coordinate(model: Model, name: str) -> Output:
    if name not in model.coordinates:
        raise LissomError(f"output: {name!r} is no coordinate; there are {', '.join(model.coordinates)}")
    at = model.coordinates.index(name)
    return lambda model, q, v: q[at]
