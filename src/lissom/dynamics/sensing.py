"""What ideal sensors read: exact functions of a state and its accelerations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lissom.beam import BeamLink
from lissom.beam.fibre_strain import SectionStrain, beside_material, outermost
from lissom.beam.sections.general_section import BEND_Y, BEND_Z
from lissom.dynamics.state_checks import Vector, finite, number_type, vector
from lissom.errors import LissomError
from lissom.kernel.algorithms import newton_euler
from lissom.kernel.constraints.loop_constraints import loop_wrenches
from lissom.kernel.kinematics import forward_kinematics
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compilation.frames_on_links import with_frames
from lissom.model.compilation.tip_frames import Probe
from lissom.model.description.sensor import (
    TURN,
    Accelerometer,
    AtPoint,
    Encoder,
    ForceTorque,
    Gyro,
    OnJoint,
    Position,
    Sensor,
    StrainGauge,
    Tachometer,
    as_sensors,
    sensor_problems,
)
from lissom.model.model import Model

Sensors: TypeAlias = Sensor | Mapping[str, object] | Iterable[Sensor | Mapping[str, object]]

AXES = ("x", "y", "z")
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
POINT_UNITS: dict[type[Sensor], str] = {Accelerometer: "m/s2", Gyro: "rad/s", Position: "m"}


class Moment(NamedTuple):
    """A state as sensors see it: workspace of the points after the passes that were needed."""

    q: Vector
    v: Vector
    work: Any
    loop_wrench: np.ndarray  # (loops, 6)


class Eye(NamedTuple):
    """One sensor on a model."""

    sensor: Sensor
    labels: tuple[str, ...]
    units: tuple[str, ...]
    read: Callable[[Moment], Any]
    place: slice  # among the readings of all
    resolution: np.ndarray | None  # (m,) steps of its readings

    @property
    def name(self) -> str:
        """Return the name of the sensor."""
        return self.sensor.called

    @property
    def depth(self) -> int:
        """Which pass it needs: 0 none, 1 that of velocities, 2 that of forces."""
        return 2 if isinstance(self.sensor, Accelerometer | ForceTorque) else int(isinstance(self.sensor, AtPoint))


class Sensing:
    """Sensors on a model, m numbers in all; `eyes` are the sensors in their order.

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
        self._sees_places = any(isinstance(sensor, Position) for sensor in sensors)
        self.eyes: list[Eye] = []
        begin = 0
        for k, sensor in enumerate(sensors):
            suffixes, units, read = self._eye(sensor, k)
            labels = tuple(f"{sensor.called}.{suffix}" if suffix else sensor.called for suffix in suffixes)
            place = slice(begin, begin + len(labels))
            _check_sizes(sensor, k, len(labels))
            self.eyes.append(Eye(sensor, labels, units, read, place, self._resolution(sensor, len(labels))))
            begin = place.stop
        self.size = begin

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of all readings."""
        return tuple(label for eye in self.eyes for label in eye.labels)

    @property
    def units(self) -> tuple[str, ...]:
        """Return the unit of each number that is read."""
        return tuple(unit for eye in self.eyes for unit in eye.units)

    def __call__(
        self,
        q: Vector,
        v: Vector,
        a: Vector,
        loads: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
        multipliers: Vector | None = None,
        only: Sequence[int] | None = None,
    ) -> Vector:
        """Return readings (m,) at one state; those of the eyes in `only` where it is given, the others stay zero.

        Parameters
        ----------
        loads : tuple of array, optional
            Numbers that act from outside, and the row and the entry of the wrench that each is.
        multipliers : array, optional
            Of loops, (rows,).
        """
        eyes = self.eyes if only is None else [self.eyes[k] for k in only]
        number = number_type(self.model, q, v, a)
        moment = self._moment(q, v, a, loads, multipliers, max((eye.depth for eye in eyes), default=0), number)
        out = np.zeros(self.size, number)
        for eye in eyes:
            out[eye.place] = eye.read(moment)
        return out

    def _moment(
        self, q: Vector, v: Vector, a: Vector, loads: Any, multipliers: Vector | None, depth: int, number: Any
    ) -> Moment:
        loop_wrench = np.zeros((len(self.model.loops), 6), number)
        if depth == 0:
            return Moment(q, v, None, loop_wrench)
        q, v, a = (np.ascontiguousarray(x, number) for x in (q, v, a))
        struct, packed = self.points.struct, self.points.workspace(number)
        if depth == 1 or len(loop_wrench):
            forward_kinematics.forward_kinematics(struct, packed, q, v)
        if depth == 2:
            wrench = np.zeros((len(self.points.arrays.tree.parent), 6), number)
            if len(loop_wrench) and multipliers is not None:
                loop_wrenches(struct, packed, np.ascontiguousarray(multipliers, number), loop_wrench, wrench)
            if loads is not None:
                values, row, entry = loads
                wrench[row, entry] = values
            newton_euler.inverse_dynamics(struct, packed, q, v, a, wrench, np.zeros(self.model.nv, number))
        if self._sees_places:
            forward_kinematics.world_frames(struct, packed)
        return Moment(q, v, self.points.scratch(number), loop_wrench)

    def _eye(self, sensor: Sensor, k: int) -> tuple[tuple[str, ...], tuple[str, ...], Callable[[Moment], Any]]:
        """Return suffixes and units of its readings, and how they are read."""
        if isinstance(sensor, Encoder | Tachometer):
            return self._at_joint(sensor)
        if isinstance(sensor, ForceTorque):
            forces = ("N m",) * 3 + ("N",) * 3
            loops = [loop.name for loop in self.model.loops]
            if sensor.joint in loops:
                loop = loops.index(sensor.joint)
                return WRENCH, forces, lambda moment: moment.loop_wrench[loop]
            row = self.model.joints.index(sensor.joint) + 1
            return WRENCH, forces, lambda moment: moment.work.wrench[row]
        if isinstance(sensor, StrainGauge):
            return self._gauge(sensor, k)
        row, units = self._row[id(sensor)], (POINT_UNITS[type(sensor)],) * 3
        if isinstance(sensor, Accelerometer):
            return AXES, units, lambda moment: moment.work.acceleration[row, 3:]
        if isinstance(sensor, Gyro):
            return AXES, units, lambda moment: moment.work.omega[row]
        return AXES, units, lambda moment: moment.work.world_position[row]

    def _at_joint(self, sensor: OnJoint) -> tuple[tuple[str, ...], tuple[str, ...], Callable[[Moment], Any]]:
        angles, on_motor = isinstance(sensor, Encoder), getattr(sensor, "side", "joint") == "motor"
        body = next(body for body in self.model.bodies if body.joint == sensor.joint)
        kind = next(link.joint.kind for link in self.model.robot.bodies if link.name == body.link)
        part = body.joint_q if angles else body.joint_v
        units = kind.position_units if angles else tuple(f"{unit}/s" for unit in kind.velocity_units)
        names = (body.q_names if angles else body.v_names)[: part.stop - part.start]
        suffixes = tuple(name.removeprefix(body.joint).removeprefix(".") for name in names)
        rotor = body.rotor_q if angles else body.rotor_v
        at: Any = part if rotor is None or not on_motor else slice(rotor, rotor + 1)
        return suffixes, units, (lambda moment: moment.q[at]) if angles else (lambda moment: moment.v[at])

    def _gauge(self, sensor: StrainGauge, k: int) -> tuple[tuple[str, ...], tuple[str, ...], Callable[[Moment], Any]]:
        beam = self.model.flexible[sensor.link]
        assert isinstance(beam, BeamLink)
        strain, modes = SectionStrain(beam, sensor.at), self.model.link(sensor.link).modes_q
        if sensor.reading == "curvature":
            entry = BEND_Z if sensor.face[-1] == "y" else BEND_Y
            sign = (1.0 if entry == BEND_Z else -1.0) * (-1.0 if sensor.face.startswith("-") else 1.0)
            return ("",), ("1/m",), lambda moment: sign * strain(moment.q[modes])[entry]
        fibre = sensor.fibre or outermost(beam, sensor.at, sensor.face)
        if fibre is None:
            text = "missing; the section has no outline, so say where in it the gauge is: fibre: [y, z] in metres"
            raise LissomError(text, ("sensors", k, "fibre"))
        if sensor.fibre is not None and (beside := beside_material(beam, sensor.at, *sensor.fibre)):
            raise LissomError(beside, ("sensors", k, "fibre"), list(sensor.fibre))
        return ("",), ("1",), lambda moment: strain.fibre(moment.q[modes], *fibre)

    def _resolution(self, sensor: Sensor, size: int) -> np.ndarray | None:
        """Return the steps of its readings (m,), where it has some."""
        if isinstance(sensor, Encoder) and sensor.counts is not None:
            joint = next(link.joint for link in self.model.robot.bodies if link.joint.name == sensor.joint)
            gear = joint.transmission.gear if joint.transmission is not None and sensor.side == "motor" else 1.0
            return np.full(size, TURN / sensor.counts / np.real(gear))
        return None if sensor.resolution is None else np.broadcast_to(np.real(sensor.resolution), size).astype(float)


def _check_sizes(sensor: Sensor, k: int, size: int) -> None:
    for field in ("noise", "bias", "resolution"):
        value = getattr(sensor, field)
        if isinstance(value, tuple) and len(value) != size:
            raise LissomError(
                f"has {len(value)} numbers, and the sensor {size}; give one for all, or {size}",
                ("sensors", k, field),
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

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> lissom.sense(model, model.neutral(), sensors=[lissom.model.Encoder(name="e", joint="elbow")])
    """
    model = as_model(robot)
    q = vector(model, q, "q", model.nq)
    v, a = (vector(model, np.zeros(model.nv) if x is None else x, name, model.nv) for name, x in (("v", v), ("a", a)))
    sensing = Sensing(model, sensors_of(model, sensors))
    if model.loops and multipliers is None and any(isinstance(e.sensor, ForceTorque) for e in sensing.eyes):
        raise LissomError(
            f"{model.robot.name} has loops, whose reactions act on its joints; give "
            "multipliers=closed_loops(robot, q, v, tau).multipliers"
        )
    values = sensing(q, v, a, multipliers=None if multipliers is None else np.asarray(multipliers))
    finite(model, "sense", values, q=q, v=v, a=a)
    return {eye.name: values[eye.place].item() if _single(eye) else values[eye.place] for eye in sensing.eyes}


def _single(eye: Eye) -> bool:
    return len(eye.labels) == 1
