"""What ideal sensors read: exact functions of a state and its accelerations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.sensor_kinds import Moment, Pass, SensorKind, kind_of
from lissom.dynamics.state_checks import Vector, finite, number_type, vector
from lissom.errors import LissomError
from lissom.kernel.algorithms import newton_euler
from lissom.kernel.constraints.loop_constraints import loop_wrenches
from lissom.kernel.kinematics import forward_kinematics
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compilation.frames_on_links import with_frames
from lissom.model.compilation.tip_frames import Probe
from lissom.model.description.sensor import AtPoint, Sensor, as_sensors, sensor_problems
from lissom.model.model import Model

Sensors: TypeAlias = Sensor | Mapping[str, object] | Iterable[Sensor | Mapping[str, object]]


class Mounted(NamedTuple):
    """One sensor on a model."""

    sensor: Sensor
    kind: SensorKind
    labels: tuple[str, ...]
    units: tuple[str, ...]
    read: Callable[[Moment], Any]
    place: slice  # among the readings of all
    resolution: np.ndarray | None  # (m,) steps of its readings

    @property
    def name(self) -> str:
        """What the sensor is called."""
        return self.sensor.called


class Sensing:
    """Sensors on a model, m numbers in all; `mounted` are the sensors in their order.

    States may be complex, so that readings can be derived by the complex step.
    """

    def __init__(self, model: Model, sensors: Sequence[Sensor]) -> None:
        for path, value, text in sensor_problems(model.robot, sensors):
            raise LissomError(text, path, value)
        self.model = model
        at_points = [sensor for sensor in sensors if isinstance(sensor, AtPoint)]
        self._row = {id(sensor): model.rows + k for k, sensor in enumerate(at_points)}
        rows = {"world": 0} | {link: k for k, link in enumerate(model.links, start=1)}
        frames = [sensor.frame for sensor in at_points]
        self.points = Probe(with_frames(model.robot, model.arrays, frames, rows, model.flexible))
        self.mounted: list[Mounted] = []
        for k, sensor in enumerate(sensors):
            self._mount(sensor, ("sensors", k))
        self.size = self.mounted[-1].place.stop if self.mounted else 0

    def _mount(self, sensor: Sensor, path: tuple[Any, ...]) -> None:
        kind = kind_of(sensor)
        suffixes, units, read, implied = kind.mount(self, sensor, path)
        size, begin = len(suffixes), self.mounted[-1].place.stop if self.mounted else 0
        labels = tuple(f"{sensor.called}.{suffix}" if suffix else sensor.called for suffix in suffixes)
        _check_sizes(sensor, path, size)
        step: Any = sensor.resolution if implied is None else implied
        resolution = None if step is None else np.broadcast_to(np.real(step), size).astype(float)
        self.mounted.append(Mounted(sensor, kind, labels, units, read, slice(begin, begin + size), resolution))

    def row(self, sensor: AtPoint) -> int:
        """Return the row of a sensor's frame in the workspace that it reads."""
        return self._row[id(sensor)]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of all readings."""
        return tuple(label for one in self.mounted for label in one.labels)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of all readings."""
        return tuple(unit for one in self.mounted for unit in one.units)

    def __call__(
        self,
        q: Vector,
        v: Vector,
        a: Vector,
        loads: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
        multipliers: Vector | None = None,
        only: Sequence[int] | None = None,
    ) -> Vector:
        """Return readings (m,) at one state; those of the sensors in `only` where it is given, zero for the others.

        `loads` are numbers that act from outside, and the row and the entry of the wrench that each is; `multipliers`
        (rows,) are those of loops.
        """
        chosen = self.mounted if only is None else [self.mounted[k] for k in only]
        number = number_type(self.model, q, v, a)
        passes = reduce(or_, (one.kind.passes for one in chosen), Pass.NONE)
        moment = self._moment(q, v, a, loads, multipliers, passes, number)
        out = np.zeros(self.size, number)
        for one in chosen:
            out[one.place] = one.read(moment)
        return out

    def _moment(
        self, q: Vector, v: Vector, a: Vector, loads: Any, multipliers: Vector | None, passes: Pass, number: Any
    ) -> Moment:
        loop_wrench = np.zeros((len(self.model.loops), 6), number)
        if not passes:
            return Moment(q, v, None, loop_wrench)
        q, v, a = (np.ascontiguousarray(x, number) for x in (q, v, a))
        struct, packed = self.points.struct, self.points.workspace(number)
        if not passes & Pass.FORCES or len(loop_wrench):
            forward_kinematics.forward_kinematics(struct, packed, q, v)
        if passes & Pass.FORCES:
            wrench = np.zeros((len(self.points.arrays.tree.parent), 6), number)
            if len(loop_wrench) and multipliers is not None:
                loop_wrenches(struct, packed, np.ascontiguousarray(multipliers, number), loop_wrench, wrench)
            if loads is not None:
                values, row, entry = loads
                wrench[row, entry] = values
            newton_euler.inverse_dynamics(struct, packed, q, v, a, wrench, np.zeros(self.model.nv, number))
        if passes & Pass.WORLD:
            forward_kinematics.world_frames(struct, packed)
        return Moment(q, v, self.points.scratch(number), loop_wrench)


def _check_sizes(sensor: Sensor, path: tuple[Any, ...], size: int) -> None:
    for field in ("noise", "bias", "resolution"):
        value = getattr(sensor, field)
        if isinstance(value, tuple) and len(value) != size:
            raise LissomError(
                f"has {len(value)} numbers, and the sensor {size}; give one for all, or {size}",
                (*path, field),
                list(value),
            )


def sensors_of(model: Model, more: Any = None) -> tuple[Sensor, ...]:
    """Return sensors of the robot and some more, each with a name of its own."""
    own, further = model.robot.sensors, as_sensors(more)
    for path, value, text in sensor_problems(model.robot, further, own):
        raise LissomError(text, path, value)
    return (*own, *further)


def sense(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    sensors: Sensors | None = None,
    multipliers: ArrayLike | None = None,
) -> dict[str, float | Vector]:
    """Return what ideal sensors read at a state: {sensor: number or array}.

    Parameters
    ----------
    q, v, a : array_like, optional
        Configuration (nq,), velocities and accelerations (nv,); zero unless given. Accelerometers and force-torque
        sensors depend on `a`, others do not.
    sensors : sequence of sensors, optional
        Besides those of the robot's file: objects of `lissom.model` such as `Encoder(joint="elbow")`, or mappings
        as in a file.
    multipliers : array_like, optional
        Of the loops, (rows,), from `closed_loops`; force-torque sensors of a robot with loops need them.

    Returns
    -------
    dict
        {sensor: number, or array where it has several channels}.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> lissom.sense(model, model.neutral(), sensors=[lissom.model.Encoder(name="e", joint="elbow")])
    """
    model = as_model(robot)
    q = vector(model, q, "q", model.nq)
    v, a = (vector(model, np.zeros(model.nv) if x is None else x, name, model.nv) for name, x in (("v", v), ("a", a)))
    sensing = Sensing(model, sensors_of(model, sensors))
    if model.loops and multipliers is None and any(one.kind.reactions for one in sensing.mounted):
        raise LissomError(
            f"{model.robot.name} has loops, whose reactions act on its joints; give "
            "multipliers=closed_loops(robot, q, v, tau).multipliers"
        )
    values = sensing(q, v, a, multipliers=None if multipliers is None else np.asarray(multipliers))
    finite(model, "sense", values, q=q, v=v, a=a)
    return {
        one.name: values[one.place].item() if len(one.labels) == 1 else values[one.place] for one in sensing.mounted
    }
