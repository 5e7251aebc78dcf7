"""How sensors read: one record of each kind says what it reads and what it needs for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntFlag
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from lissom.beam import BeamLink
from lissom.beam.fibre_strain import SectionStrain, beside_material, outermost
from lissom.beam.sections.general_section import BEND_Y, BEND_Z
from lissom.dynamics.state_checks import Vector
from lissom.errors import LissomError
from lissom.model.description import sensor as sensors
from lissom.model.description.sensor import TURN, Sensor
from lissom.model.model import Model

AXES = ("x", "y", "z")
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")


class Pass(IntFlag):
    """What is computed of a state before a sensor reads."""

    NONE = 0
    VELOCITIES = 1  # forward kinematics
    FORCES = 2  # inverse dynamics
    WORLD = 4  # frames in the world, after one of the others


class OnModel(Protocol):
    """What sensors are mounted on: a model with further frames."""

    model: Model

    def row(self, sensor: sensors.AtPoint) -> int:
        """Return the row of a sensor's frame in the workspace that it reads."""


class Moment(NamedTuple):
    """A state as sensors see it: workspace of the points after the passes that were needed."""

    q: Vector
    v: Vector
    work: Any
    loop_wrench: np.ndarray  # (loops, 6)


class Reading(NamedTuple):
    """The m numbers that a sensor reads."""

    suffixes: tuple[str, ...]  # of their names, behind that of the sensor; empty for a single number
    units: tuple[str, ...]
    read: Callable[[Moment], Any]  # for complex states too
    resolution: float | None = None  # the step of each, where the sensor's fields imply one


@dataclass(frozen=True)
class SensorKind:
    """A kind of sensor.

    Parameters
    ----------
    fields : type of Sensor
        Its class in files: the fields, and what keeps it from being on a robot.
    mount : callable
        `mount(sensing, sensor, path)` returns its Reading on `sensing.model`; errors name the path.
    passes : Pass
        What is computed before it reads.
    order : int
        The highest derivative of the configuration that it depends on: 0, 1 or 2 (accelerations and forces).
    of_joint : str
        What of a joint it tells, "position" or "velocity": laws of joints then can read it; "" for all others.
    reactions : bool
        Whether loads and the forces of closed loops enter beside the state.
    in_memory : bool
        Whether its readings are entries of the memory that the passes fill: an FMU holds no other readings.
    """

    fields: type[Sensor]
    mount: Callable[[OnModel, Any, tuple[Any, ...]], Reading]
    passes: Pass = Pass.NONE
    order: Literal[0, 1, 2] = 0
    of_joint: Literal["", "position", "velocity"] = ""
    reactions: bool = False
    in_memory: bool = True


_KINDS: dict[type[Sensor], SensorKind] = {}


def register(kind: SensorKind) -> SensorKind:
    """Add a kind of sensor: files, scenarios and functions then know it by the `type` of its fields."""
    _KINDS[kind.fields] = kind
    if kind.fields not in sensors.KINDS:
        sensors.KINDS.append(kind.fields)
    return kind


def kind_of(sensor: Sensor) -> SensorKind:
    """Return the record of the kind that a sensor is of."""
    for fields in type(sensor).__mro__:
        if fields in _KINDS:
            return _KINDS[fields]
    raise LissomError(f"sensors of type {sensor.kind} read nothing: register a SensorKind for them", ("sensors",))


def coordinates_of(model: Model, sensor: sensors.OnJoint) -> tuple[slice, slice]:
    """Return the places in q and in v of the joint that a sensor sits at, or of its motor."""
    body = next(body for body in model.bodies if body.joint == sensor.joint)
    if getattr(sensor, "side", "joint") == "motor":
        return body.motor_q, body.motor_v
    return body.joint_q, body.joint_v


def _encoder(sensing: OnModel, sensor: sensors.Encoder, path: tuple[Any, ...]) -> Reading:
    at, (joint, names) = coordinates_of(sensing.model, sensor)[0], _joint(sensing, sensor, "q")
    resolution = None
    if sensor.counts is not None:
        geared = joint.transmission is not None and sensor.side == "motor"
        resolution = float(TURN / sensor.counts / np.real(joint.transmission.gear if geared else 1.0))
    return Reading(names, joint.kind.position_units, lambda moment: moment.q[at], resolution)


def _tachometer(sensing: OnModel, sensor: sensors.Tachometer, path: tuple[Any, ...]) -> Reading:
    at, (joint, names) = coordinates_of(sensing.model, sensor)[1], _joint(sensing, sensor, "v")
    return Reading(names, tuple(f"{unit}/s" for unit in joint.kind.velocity_units), lambda moment: moment.v[at])


def _joint(sensing: OnModel, sensor: sensors.OnJoint, of: str) -> tuple[Any, tuple[str, ...]]:
    """Return a joint and what names of its coordinates add to its own name."""
    body = next(body for body in sensing.model.bodies if body.joint == sensor.joint)
    part = getattr(body, f"joint_{of}")
    names = getattr(body, f"{of}_names")[: part.stop - part.start]
    joint = sensing.model.robot.link(body.link).joint
    return joint, tuple(name.removeprefix(body.joint).removeprefix(".") for name in names)


def _force_torque(sensing: OnModel, sensor: sensors.ForceTorque, path: tuple[Any, ...]) -> Reading:
    units, loops = ("N m",) * 3 + ("N",) * 3, [loop.name for loop in sensing.model.loops]
    if sensor.joint in loops:
        loop = loops.index(sensor.joint)
        return Reading(WRENCH, units, lambda moment: moment.loop_wrench[loop])
    row = sensing.model.joints.index(sensor.joint) + 1
    return Reading(WRENCH, units, lambda moment: moment.work.wrench[row])


def _accelerometer(sensing: OnModel, sensor: sensors.Accelerometer, path: tuple[Any, ...]) -> Reading:
    row = sensing.row(sensor)
    return Reading(AXES, ("m/s2",) * 3, lambda moment: moment.work.acceleration[row, 3:])


def _gyro(sensing: OnModel, sensor: sensors.Gyro, path: tuple[Any, ...]) -> Reading:
    row = sensing.row(sensor)
    return Reading(AXES, ("rad/s",) * 3, lambda moment: moment.work.omega[row])


def _position(sensing: OnModel, sensor: sensors.Position, path: tuple[Any, ...]) -> Reading:
    row = sensing.row(sensor)
    return Reading(AXES, ("m",) * 3, lambda moment: moment.work.world_position[row])


def _strain_gauge(sensing: OnModel, sensor: sensors.StrainGauge, path: tuple[Any, ...]) -> Reading:
    beam = sensing.model.flexible[sensor.link]
    assert isinstance(beam, BeamLink)
    strain, modes = SectionStrain(beam, sensor.at), sensing.model.link(sensor.link).modes_q
    if sensor.reading == "curvature":
        entry = BEND_Z if sensor.face[-1] == "y" else BEND_Y
        sign = (1.0 if entry == BEND_Z else -1.0) * (-1.0 if sensor.face.startswith("-") else 1.0)
        return Reading(("",), ("1/m",), lambda moment: sign * strain(moment.q[modes])[entry])
    fibre = sensor.fibre or outermost(beam, sensor.at, sensor.face)
    if fibre is None:
        text = "missing; the section has no outline, so say where in it the gauge is: fibre: [y, z] in metres"
        raise LissomError(text, (*path, "fibre"))
    if sensor.fibre is not None and (beside := beside_material(beam, sensor.at, *sensor.fibre)):
        raise LissomError(beside, (*path, "fibre"), list(sensor.fibre))
    return Reading(("",), ("1",), lambda moment: strain.fibre(moment.q[modes], *fibre))


def _deflection(sensing: OnModel, sensor: sensors.Deflection, path: tuple[Any, ...]) -> Reading:
    link, modes = sensing.model.flexible[sensor.link], sensing.model.link(sensor.link).modes_q
    return Reading(("y", "z"), ("m", "m"), lambda moment: link.displacement(link.length, moment.q[modes])[1:])


register(SensorKind(sensors.Encoder, _encoder, of_joint="position"))
register(SensorKind(sensors.Tachometer, _tachometer, order=1, of_joint="velocity"))
register(SensorKind(sensors.StrainGauge, _strain_gauge, in_memory=False))
register(SensorKind(sensors.Accelerometer, _accelerometer, Pass.FORCES, order=2))
register(SensorKind(sensors.Gyro, _gyro, Pass.VELOCITIES, order=1))
register(SensorKind(sensors.Position, _position, Pass.VELOCITIES | Pass.WORLD))
register(SensorKind(sensors.ForceTorque, _force_torque, Pass.FORCES, order=2, reactions=True))
register(SensorKind(sensors.Deflection, _deflection, in_memory=False))
