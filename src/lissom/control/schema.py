"""The `control:` and `motion:` blocks of a scenario as checked data; what needs the robot is checked in `config`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, ValidationInfo, field_validator, model_validator

from lissom.control.kinds import (
    INTERPOLATIONS,
    SENSORS,
    SHAPERS,
    SIDES,
    Interpolation,
    SensorKind,
    ShaperKind,
    Side,
)
from lissom.control.values import ByJoint, Column, Columns, One, Values
from lissom.errors import LissomError
from lissom.messages import listed
from lissom.model.names import Choice, Title
from lissom.model.part import FORM, Part, refusals
from lissom.model.values import Flag, Number

CONTROL = "{type: pd, gains: ..., reference: ...}"  # an example of each, for messages
MOTION = "{type: quintic, to: 1.0, duration: 2}"
COORDINATE = ByJoint(Number("the coordinate", "rad or metres"))
TIMES = Number("rising times, one per point,", "seconds")


class Block(Part):
    """A piece of a scenario whose `type` says what it is."""

    chosen_by: ClassVar[str] = "type"
    whole: ClassVar[str] = "scenario"
    error: ClassVar[type[LissomError]] = LissomError


def _form(data: Any) -> str | None:
    """Which of several blocks a mapping is; None where it does not say."""
    if isinstance(data, Block):
        return data.form
    return f"{FORM}{data['type']}" if isinstance(data, dict) and data.get("type") is not None else None


# references


class ReferenceBlock(Block):
    """What joints shall follow over time."""

    what: ClassVar[str] = "reference"


class Constant(ReferenceBlock):
    """Stay at `to`, where the motion starts unless given."""

    form: ClassVar[str] = FORM + "constant"
    type: Literal["constant"] = "constant"
    to: Annotated[Values | None, COORDINATE] = None


class Step(ReferenceBlock):
    """Jump to `to` at the time `at`."""

    form: ClassVar[str] = FORM + "step"
    type: Literal["step"] = "step"
    start: Annotated[Values | None, COORDINATE] = Field(default=None, alias="from")
    to: Annotated[Values, COORDINATE]
    at: Annotated[float, Number("the time of the step", "seconds")] = 0.0


class Quintic(ReferenceBlock):
    """From rest to rest, smooth up to the acceleration."""

    form: ClassVar[str] = FORM + "quintic"
    type: Literal["quintic"] = "quintic"
    start: Annotated[Values | None, COORDINATE] = Field(default=None, alias="from")
    to: Annotated[Values, COORDINATE]
    duration: Annotated[float, Number("the time of the motion", "seconds", above=0)]
    begin: Annotated[float, Number("the begin of the motion", "seconds")] = 0.0


class Trapezoid(ReferenceBlock):
    """Speed up, cruise, slow down."""

    form: ClassVar[str] = FORM + "trapezoid"
    type: Literal["trapezoid"] = "trapezoid"
    start: Annotated[Values | None, COORDINATE] = Field(default=None, alias="from")
    to: Annotated[Values, COORDINATE]
    speed: Annotated[Values | None, ByJoint(Number("the largest speed", "rad/s or m/s", above=0))] = None
    acceleration: Annotated[Values | None, ByJoint(Number("the largest acceleration", "rad/s2 or m/s2", above=0))] = (
        None
    )
    duration: Annotated[float | None, Number("the time of the motion", "seconds", above=0)] = None
    begin: Annotated[float, Number("the begin of the motion", "seconds")] = 0.0


class Points(ReferenceBlock):
    """Values at times."""

    points: tuple[Annotated[Values, COORDINATE], ...] = Field(description="a list of {joint: value}, one per time")
    times: tuple[Annotated[float, TIMES], ...] = Field(description="rising times in seconds, one per point")

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        if len(self.points) != len(self.times):
            text = f"has {len(self.points)} entries for {len(self.times)} times; give one per time"
            raise refusals(("points", None, text))
        for k in range(1, len(self.times)):
            if self.times[k] <= self.times[k - 1]:
                text = f"must be later than the one before, {self.times[k - 1]:g}; {TIMES.remedy}"
                raise refusals((("times", k), self.times[k], text))
        return self


class Via(Points):
    """Through points without a jerk, from rest to rest."""

    form: ClassVar[str] = FORM + "via"
    type: Literal["via"] = "via"


class Steps(Points):
    """Jump from point to point."""

    form: ClassVar[str] = FORM + "steps"
    type: Literal["steps"] = "steps"


class Csv(ReferenceBlock):
    """Samples from a CSV file, looked for beside the scenario."""

    form: ClassVar[str] = FORM + "csv"
    type: Literal["csv"] = "csv"
    path: Annotated[str, Title("the path of a CSV file", longest=4096)]
    columns: Annotated[Columns | None, Column("one column per coordinate", each=True)] = None
    time: Annotated[str | int, Column("the column of the time")] = 0
    interpolation: Annotated[Interpolation, Choice("an interpolation", INTERPOLATIONS)] = "cubic"

    @field_validator("path")
    @classmethod
    def _beside_the_scenario(cls, path: str, info: ValidationInfo) -> str:
        whole = Path((info.context or {}).get("folder", ""), path)
        return str(whole.absolute()) if whole.is_file() else str(whole)


class SpinUp(ReferenceBlock):
    """From rest to a constant speed."""

    form: ClassVar[str] = FORM + "spin-up"
    type: Literal["spin-up"] = "spin-up"
    speed: Annotated[Values, ByJoint(Number("the final speed", "rad/s or m/s"))]
    duration: Annotated[float, Number("the time it takes to reach the final speed", "seconds", above=0)]
    begin: Annotated[float, Number("the begin of the motion", "seconds", at_least=0)] = 0.0


_References = (
    Annotated[Constant, Tag(Constant.form)]
    | Annotated[Step, Tag(Step.form)]
    | Annotated[Steps, Tag(Steps.form)]
    | Annotated[Quintic, Tag(Quintic.form)]
    | Annotated[Trapezoid, Tag(Trapezoid.form)]
    | Annotated[Via, Tag(Via.form)]
    | Annotated[Csv, Tag(Csv.form)]
)
AnyReference = Annotated[_References, Discriminator(_form)]


# prescribed motions


SMOOTH = ("quintic", "trapezoid", "via", "csv", "spin-up", "constant")


def _no_jumps(motion: Any) -> Any:
    kind = motion.get("type") if isinstance(motion, dict) else None
    if kind in ("step", "steps"):
        raise refusals(("type", kind, f"jumps, which would take an infinite torque; choose {listed(SMOOTH)}"))
    return motion


AnyMotion = Annotated[
    Annotated[Quintic, Tag(Quintic.form)]
    | Annotated[Trapezoid, Tag(Trapezoid.form)]
    | Annotated[Via, Tag(Via.form)]
    | Annotated[Csv, Tag(Csv.form)]
    | Annotated[SpinUp, Tag(SpinUp.form)]
    | Annotated[Constant, Tag(Constant.form)],
    Discriminator(_form),
    BeforeValidator(_no_jumps),
]


# torques over time


def _torque_form(data: Any) -> str | None:
    return _form(data) if isinstance(data, dict | Block) else FORM + "number"


AnyTorque = Annotated[
    Annotated[One, Number("the torque", "N m (N when sliding)", each=True), Tag(FORM + "number")] | _References,
    Discriminator(_torque_form),
]


# controllers


class ControlBlock(Block):
    """What acts on the joints."""

    what: ClassVar[str] = "control"


class NoControl(ControlBlock):
    """Joints that nothing drives."""

    form: ClassVar[str] = FORM + "none"
    type: Literal["none"] = "none"


class Limited(ControlBlock):
    """A controller with limits, which may be sampled."""

    saturation: Annotated[Values | None, ByJoint(Number("the largest torque", "N m (N when sliding)"))] = None
    rate: Annotated[float | None, Number("the samples per second", above=0)] = None
    delay: Annotated[float | None, Number("the delay, 0 for none,", "seconds", at_least=0)] = None


class Continuous(Limited):
    """A controller that is sampled only where a rate is given."""

    @model_validator(mode="after")
    def _rate_beside_delay(self) -> Self:
        if self.delay is not None and self.rate is None:
            raise refusals(("rate", None, "missing, and delay needs it; give the samples per second, e.g. rate: 1000"))
        return self


class Torque(Continuous):
    """Torques or forces over time."""

    form: ClassVar[str] = FORM + "torque"
    type: Literal["torque"] = "torque"
    torques: dict[str, AnyTorque] = Field(description="torques: {joint: number or {type: steps, ...}}")


class Gain(Block):
    """Gains of one joint."""

    what: ClassVar[str] = "gain"

    p: Annotated[One, Number("p", "N m/rad (N/m when sliding)", at_least=0, each=True)]
    d: Annotated[One, Number("d, 0 for none,", "N m s/rad (N s/m when sliding)", at_least=0, each=True)]


class ShaperBlock(Block):
    """Split the reference so that vibrations cancel: those of the model's first modes, or of a given frequency."""

    what: ClassVar[str] = "shaper"

    type: Annotated[ShaperKind, Choice("a shaper", SHAPERS)] = "zvd"
    modes: Annotated[Any, Field(description="how many modes, or a list of them such as [1, 2]")] = None
    frequency: Annotated[float | None, Number("the mode's frequency", "Hz", above=0)] = None
    damping: Annotated[float | None, Number("the mode's damping ratio", at_least=0, below=1)] = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.frequency is not None and self.modes is not None:
            raise refusals(("modes", self.modes, "cannot be combined with frequency; give one of them"))
        if self.damping is not None and self.frequency is None:
            text = "belongs to a frequency; remove it, or give the frequency too"
            raise refusals(("damping", self.damping, text))
        return self


def _by_name(shaper: Any) -> Any:
    return {"type": shaper} if isinstance(shaper, str) else shaper


class Following(Limited):
    """A controller that follows a reference."""

    reference: AnyReference | None = Field(default=None, description="{type: quintic, to: {joint: value}, duration: 1}")
    shaper: Annotated[ShaperBlock | None, BeforeValidator(_by_name)] = Field(
        default=None, description="{type: zvd, modes: 1}"
    )
    side: Annotated[Side, Choice("what is measured", SIDES)] = "joint"


class Pd(Following, Continuous):
    """Proportional-derivative control."""

    form: ClassVar[str] = FORM + "pd"
    type: Literal["pd"] = "pd"
    gains: dict[str, Gain] = Field(description="gains: {joint: {p: ..., d: ...}}")
    gravity_compensation: Annotated[bool, Flag("whether the weight is balanced")] = False


class ComputedTorque(Following, Continuous):
    """Inverse dynamics of the rigid robot, and PD on what is left."""

    form: ClassVar[str] = FORM + "computed-torque"
    type: Literal["computed-torque"] = "computed-torque"
    gains: dict[str, Gain] = Field(description="gains: {joint: {p: ..., d: ...}}")


class SensorBlock(Block):
    """A sensor at a tip."""

    what: ClassVar[str] = "sensor"

    link: Annotated[str | None, Title("the link whose tip is measured")] = None
    kind: Annotated[SensorKind, Choice("a kind of sensor", SENSORS)] = "position"
    noise: Annotated[float | None, Number("the standard deviation", "metres", above=0)] = None


class Lqr(Following):
    """State feedback; fields as in `lissom.control.lqr`."""

    form: ClassVar[str] = FORM + "lqr"
    type: Literal["lqr"] = "lqr"
    joints: tuple[Annotated[str, Title("the name of a joint")], ...] | None = Field(
        default=None, description="a list of joints"
    )
    angle: Annotated[Values | None, ByJoint(Number("an acceptable error", "rad (m)", above=0))] = None
    deflection: Annotated[float | None, Number("an acceptable deflection", "metres", above=0)] = None
    torque: Annotated[Values | None, ByJoint(Number("an acceptable torque", "N m (N)", above=0))] = None
    bandwidth: Annotated[float | None, Number("the bandwidth of the joints", "Hz", above=0)] = None
    sensors: tuple[SensorBlock, ...] = Field(default=(), description="a list of {link: ..., kind: ...}")
    angle_noise: Annotated[float | None, Number("the standard deviation of the encoders", "rad", above=0)] = None
    limit: Annotated[float | None, Number("the highest frequency of the design", "Hz", above=0)] = None
    pose: Annotated[Values | None, COORDINATE] = None


AnyControl = Annotated[
    Annotated[NoControl, Tag(NoControl.form)]
    | Annotated[Torque, Tag(Torque.form)]
    | Annotated[Pd, Tag(Pd.form)]
    | Annotated[ComputedTorque, Tag(ComputedTorque.form)]
    | Annotated[Lqr, Tag(Lqr.form)],
    Discriminator(_form),
]
