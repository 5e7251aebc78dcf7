"""Sensors: what a robot measures of itself, and how well.

In a file: `sensors: [{name: elbow-angle, type: encoder, joint: elbow, counts: 4096, rate: 1000}]`. What they read is in
`dynamics.sensing`; sampling, filters and noise are in `simulation.inputs.sensor_signals`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.description.frame import Frame, Problem, frame_problems
from lissom.model.description.location import AnyPlace, on_beam
from lissom.model.description.origin import Origin
from lissom.model.schema.base_model import FORM, Description, refusals
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Count, Number, PerCoordinate, wrong_kind
from lissom.model.schema.registered_types import Registered
from lissom.model.schema.units import FORCE, POSITION, RATE, JointUnit
from lissom.model.schema.vector_fields import Pair, Vec2
from lissom.model.schema.written_forms import QUANTITY, AlsoWritten, several

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot

SIDES = ("joint", "motor")
FACES = ("y", "-y", "z", "-z")
GAUGES = ("strain", "curvature")
LARGEST_SEED = 2**32 - 1
TURN = 2 * np.pi

Written = Annotated[PerCoordinate, AlsoWritten(QUANTITY), AlsoWritten(several(QUANTITY))]


class Sensor(Description):
    """Base of all sensors: how a quantity becomes readings.

    It passes the low-pass, is sampled, gets bias and noise, is rounded to steps of the resolution, and is told late.
    Between samples the last one is told.
    """

    what: ClassVar[str] = "sensor"
    chosen_by: ClassVar[str] = "type"
    unit: ClassVar[str | JointUnit] = ""  # of its readings

    name: Annotated[str | None, Name("the name of the sensor")] = None
    rate: Annotated[
        float | None, Number("the samples per second (whenever it is read unless given)", "Hz", above=0, at_most=1e6)
    ] = None
    delay: Annotated[float, Number("the time from a sample until it is told", "seconds", at_least=0, at_most=1e6)] = 0.0
    low_pass: Annotated[
        float | None, Number("the corner of a first-order low-pass before the sampler", "Hz", above=0, at_most=1e6)
    ] = None
    noise: Written = Field(default=0.0, description="the standard deviation of white noise, one or a list")
    bias: Written = Field(default=0.0, description="what is added to every reading, one or a list")
    resolution: Written | None = Field(default=None, description="the step of the readings, one or a list")
    seed: Annotated[int, Count("the seed of the noise", LARGEST_SEED)] = 0

    @field_validator("noise", "bias", "resolution", mode="plain")  # keeps the unit until the joint is known
    @classmethod
    def _in_its_unit(cls, value: Any, info: ValidationInfo) -> Any:
        bounds = {"noise": {"at_least": 0.0}, "resolution": {"above": 0.0}}.get(str(info.field_name), {})
        meaning = {"noise": "the standard deviation of the noise", "bias": "the bias", "resolution": "the step"}
        if value is None and info.field_name == "resolution":
            return None
        return Number(meaning[str(info.field_name)], cls.unit, each=True, **bounds).check(value)

    @property
    def called(self) -> str:
        """Its name; its kind and its place where it has none."""
        return self.name or f"{self.kind}-{self.place}"

    @property
    def kind(self) -> str:
        """What it is called in files."""
        return self.form.removeprefix(FORM)

    @property
    def place(self) -> str:
        """The joint or the link that it sits on."""
        return str(getattr(self, "joint", None) or getattr(self, "link", ""))

    @abstractmethod
    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""


class OnJoint(Sensor):
    """A sensor at a joint."""

    joint: Annotated[str, Name("the joint that it sits at")]

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""
        joints = {link.joint.name: link.joint for link in robot.bodies}
        if self.joint not in joints:
            text = f"is not a joint{did_you_mean(self.joint, list(joints))}; the joints are {listed(list(joints))}"
            return [((*path, "joint"), self.joint, text)]
        if joints[self.joint].nv == 0:
            return [((*path, "joint"), self.joint, "is a fixed joint, which does not move; name another")]
        kind = joints[self.joint].kind
        return self._wrong_units(kind.position_units if self.unit is POSITION else kind.velocity_units, path)

    def _wrong_units(self, moved: Sequence[str], path: tuple[str | int, ...]) -> list[Problem]:
        """Return numbers that were written in a unit of the wrong kind, for readings that are "rad" or "m" each."""
        assert isinstance(self.unit, JointUnit)
        given = [(name, getattr(self, name)) for name in ("noise", "bias", "resolution")]
        texts = [(name, value, wrong_kind(value, self.unit, moved)) for name, value in given]
        return [((*path, name), value, text) for name, value, text in texts if text]


class Encoder(OnJoint):
    """Coordinates of a joint, in the order of `q`; of an elastic gear those of the `joint` or of the `motor`.

    `counts` per turn of the joint, or of the motor before its gear, give the resolution.
    """

    form: ClassVar[str] = FORM + "encoder"
    unit: ClassVar[str | JointUnit] = POSITION
    type: Literal["encoder"] = "encoder"
    side: Annotated[str, Choice("the side of the gear", SIDES)] = "joint"
    counts: Annotated[float | None, Number("the counts per turn", above=0)] = None

    @model_validator(mode="after")
    def _one_resolution(self) -> Self:
        if self.counts is not None and self.resolution is not None:
            raise refusals(("counts", self.counts, "gives the resolution already; give counts or resolution, not both"))
        return self

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""
        found = super().problems(robot, path)
        if found or self.counts is None:
            return found
        kind = next(link.joint.kind for link in robot.bodies if link.joint.name == self.joint)
        if set(kind.position_units) != {"rad"}:
            text = f"are per turn, and {self.joint!r} does not turn about axes alone; give its resolution instead"
            return [((*path, "counts"), self.counts, text)]
        return []


class Tachometer(OnJoint):
    """Velocities of a joint, in the order of `v`; of an elastic gear those of the `joint` or of the `motor`."""

    form: ClassVar[str] = FORM + "tachometer"
    unit: ClassVar[str | JointUnit] = RATE
    type: Literal["tachometer"] = "tachometer"
    side: Annotated[str, Choice("the side of the gear", SIDES)] = "joint"


class ForceTorque(OnJoint):
    """Torque and force of the parent on the child in a joint, a fixed one or that of a loop too; the child's axes."""

    form: ClassVar[str] = FORM + "force-torque"
    unit: ClassVar[str | JointUnit] = FORCE
    type: Literal["force-torque"] = "force-torque"

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""
        names = [*(link.joint.name for link in robot.bodies), *(loop.name for loop in robot.closures)]
        if self.joint in names:
            return self._wrong_units(("rad",) * 3 + ("m",) * 3, path)
        text = f"is not a joint{did_you_mean(self.joint, names)}; the joints are {listed(names)}"
        return [((*path, "joint"), self.joint, text)]


class StrainGauge(Sensor):
    """Strain along the axis of a beam at the station `at`, of its outermost fibre on a `face` or of a given `fibre`.

    Faces and fibres are along the axes of the link: [y, z] from its axis, however the section is turned or shifted.
    With `reading: curvature`, the curvature towards that face instead: v'' for y, w'' for z.
    """

    form: ClassVar[str] = FORM + "strain-gauge"
    unit: ClassVar[str] = ""
    type: Literal["strain-gauge"] = "strain-gauge"
    link: Annotated[str, Name("the beam that it is glued to")]
    at: Annotated[float, Number("the place along the beam", "metres", at_least=0)] = 0.0
    face: Annotated[str, Choice("the face of the beam", FACES)] = "y"
    fibre: Annotated[Vec2 | None, Pair("the place of the fibre along the link's y and z, from its axis")] = None
    reading: Annotated[str, Choice("what is read", GAUGES)] = "strain"

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.fibre is not None and self.reading == "curvature":
            raise refusals(("fibre", self.fibre, "a curvature has a face, not a fibre; remove it, or read the strain"))
        return self

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""
        links = {link.name: link for link in robot.bodies}
        link = links.get(self.link)
        beams = [name for name, each in links.items() if each.beam is not None]
        known = f"the beams are {listed(beams)}" if beams else "the robot has no beams"
        if link is None:
            return [((*path, "link"), self.link, f"is not a link{did_you_mean(self.link, beams)}; {known}")]
        if link.beam is None:
            what = "rigid" if link.finite_elements is None else "a link of finite elements, whose strains are not kept"
            return [((*path, "link"), self.link, f"is {what}; {known}")]
        if not on_beam(self.at, link.beam.length):
            text = f"lies beyond the end of {self.link!r} (length {np.real(link.beam.length):g}); give a place along it"
            return [((*path, "at"), self.at, text)]
        return []


class AtPoint(Sensor):
    """A sensor at a frame of a link."""

    link: Annotated[str, Name("the link that it sits on")]
    at: AnyPlace | None = Field(
        default=None, description="the place along a beam in metres, or an interface; the tip unless given"
    )
    origin: Origin = Field(
        default=Origin(), description="the sensor as seen from there; on a rigid link, from its frame"
    )

    @property
    def frame(self) -> Frame:
        """Where it sits."""
        return Frame(link=self.link, at=self.at, origin=self.origin)

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""
        if self.link == "world":
            return [((*path, "link"), self.link, "does not move; name a link")]
        return frame_problems(robot, self.frame, path)


class Accelerometer(AtPoint):
    """Proper acceleration of a point, what it does beyond falling freely, in the axes of its frame."""

    form: ClassVar[str] = FORM + "accelerometer"
    unit: ClassVar[str] = "m/s2"
    type: Literal["accelerometer"] = "accelerometer"


class Gyro(AtPoint):
    """Angular velocity of a frame, in its own axes."""

    form: ClassVar[str] = FORM + "gyro"
    unit: ClassVar[str] = "rad/s"
    type: Literal["gyro"] = "gyro"


class Position(AtPoint):
    """Position of a point in the world."""

    form: ClassVar[str] = FORM + "position"
    unit: ClassVar[str] = "metres"
    type: Literal["position"] = "position"


class Deflection(Sensor):
    """How far the tip of a link that bends is displaced, along its y and z, as a camera on its first frame sees it."""

    form: ClassVar[str] = FORM + "deflection"
    unit: ClassVar[str] = "metres"
    type: Literal["deflection"] = "deflection"
    link: Annotated[str, Name("the link that bends")]

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""
        flexible = [link.name for link in robot.bodies if link.flexible]
        if self.link in flexible:
            return []
        known = f"the links that bend are {listed(flexible)}" if flexible else "no link of the robot bends"
        what = "is rigid" if any(link.name == self.link for link in robot.bodies) else "is not a link"
        return [((*path, "link"), self.link, f"{what}{did_you_mean(self.link, flexible)}; {known}")]


KINDS: list[type[Sensor]] = [
    Encoder, Tachometer, StrainGauge, Accelerometer, Gyro, Position, ForceTorque, Deflection
]  # fmt: skip
AnySensor = Annotated[Sensor, Registered(KINDS)]


class SensorList(Description):
    """Sensors beside those of the robot."""

    what: ClassVar[str] = "list of sensors"
    whole: ClassVar[str] = "list of sensors"
    error: ClassVar[type[LissomError]] = LissomError

    sensors: tuple[AnySensor, ...] = Field(description="[{type: encoder, joint: elbow}]")


def as_sensors(sensors: Any) -> tuple[Sensor, ...]:
    """Return sensors as a person gives them: objects, or mappings as in a file; one, or several."""
    if sensors is None:
        return ()
    several: Any = [sensors] if isinstance(sensors, Sensor | dict) else sensors
    if isinstance(several, list | tuple) and all(isinstance(each, Sensor) for each in several):
        return tuple(several)
    return SensorList(sensors=several).sensors


def sensor_problems(robot: Robot, sensors: Sequence[Sensor], known: Sequence[Sensor] = ()) -> list[Problem]:
    """Return what keeps sensors from being on the robot, which has those `known` already: (path, value, what to do)."""
    found: list[Problem] = []
    names = {sensor.called for sensor in known}
    for k, sensor in enumerate(sensors):
        if sensor.called in names:
            found.append(
                (("sensors", k, "name"), sensor.called, "is the name of another sensor too; give each its own")
            )
        names.add(sensor.called)
        found += sensor.problems(robot, ("sensors", k))
    return found
