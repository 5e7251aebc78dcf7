"""References, prescribed motions and torques over time of a scenario as checked data; see `reference_builder`."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag, ValidationInfo, field_validator, model_validator

from lissom.control.choices import INTERPOLATIONS, SWEEPS, Interpolation, Sweep
from lissom.control.schema.joint_values import ByJoint, Column, Columns, One, Values
from lissom.errors import LissomError
from lissom.messages import listed
from lissom.model.schema.base_model import FORM, Description, form_of, refusals
from lissom.model.schema.name_fields import Choice, Title
from lissom.model.schema.number_fields import Number
from lissom.model.schema.units import ACCELERATION, FORCE, POSITION, RATE, SIGNAL

MOTION = "{type: quintic, to: 1.0, duration: 2}"  # an example, for messages
COORDINATE = ByJoint(Number("the coordinate", POSITION))
HERTZ = Number("frequencies", "Hz", above=0)
TIMES = Number("rising times, one per point,", "seconds")
BEGIN = Number("the begin of the motion", "seconds")
DURATION = Number("the time of the motion", "seconds", above=0)


class Block(Description):
    """A piece of a scenario whose `type` says what it is."""

    chosen_by: ClassVar[str] = "type"
    whole: ClassVar[str] = "scenario"
    error: ClassVar[type[LissomError]] = LissomError


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
    duration: Annotated[float, DURATION]
    begin: Annotated[float, BEGIN] = 0.0


class Trapezoid(ReferenceBlock):
    """Speed up, cruise, slow down."""

    form: ClassVar[str] = FORM + "trapezoid"
    type: Literal["trapezoid"] = "trapezoid"
    start: Annotated[Values | None, COORDINATE] = Field(default=None, alias="from")
    to: Annotated[Values, COORDINATE]
    speed: Annotated[Values | None, ByJoint(Number("the largest speed", RATE, above=0))] = None
    acceleration: Annotated[Values | None, ByJoint(Number("the largest acceleration", ACCELERATION, above=0))] = None
    duration: Annotated[float | None, DURATION] = None
    begin: Annotated[float, BEGIN] = 0.0


def check_timed(at: str, times: Sequence[float], to: str, count: int) -> None:
    """Refuse the field `at` unless it has times that rise, and the field `to` unless it has an entry for each."""
    if not times:
        raise refusals((at, [], "is an empty list; give at least one time in seconds"))
    if len(times) != count:
        raise refusals((to, None, f"has {count} entries for {len(times)} times; give one per time"))
    for k in range(1, len(times)):
        if times[k] <= times[k - 1]:
            text = f"must be later than the one before, {times[k - 1]:g}; {TIMES.remedy}"
            raise refusals(((at, k), times[k], text))


class Points(ReferenceBlock):
    """Values at times."""

    points: tuple[Annotated[Values, COORDINATE], ...] = Field(description="a list of {joint: value}, one per time")
    times: tuple[Annotated[float, TIMES], ...] = Field(description="rising times in seconds, one per point")

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        check_timed("times", self.times, "points", len(self.points))
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
    speed: Annotated[Values, ByJoint(Number("the final speed", RATE))]
    duration: Annotated[float, Number("the time it takes to reach the final speed", "seconds", above=0)]
    begin: Annotated[float, Number("the begin of the motion", "seconds", at_least=0)] = 0.0


class Wave(ReferenceBlock):
    """An oscillation about `offset`, where the joint starts unless given, until `duration` or the end of the run."""

    amplitude: Annotated[Values, ByJoint(Number("the amplitude", SIGNAL))]
    offset: Annotated[Values | None, COORDINATE] = None
    duration: Annotated[float | None, DURATION] = None
    ramp: Annotated[float, Number("the time of fading in and out, 0 for none,", "seconds", at_least=0)] = 0.0
    begin: Annotated[float, BEGIN] = 0.0


class Sine(Wave):
    """offset + amplitude sin(2 pi frequency (t - begin) + phase)."""

    form: ClassVar[str] = FORM + "sine"
    type: Literal["sine"] = "sine"
    frequency: Annotated[Values, ByJoint(Number("the frequency", "Hz", above=0))]
    phase: Annotated[Values, ByJoint(Number("the phase at the begin", "rad"))] = 0.0


class Chirp(Wave):
    """A sine whose frequency goes from the first of two to the second."""

    form: ClassVar[str] = FORM + "chirp"
    type: Literal["chirp"] = "chirp"
    frequencies: tuple[Annotated[float, HERTZ], Annotated[float, HERTZ]] = Field(description="[first, last] in Hz")
    sweep: Annotated[Sweep, Choice("how the frequency rises", SWEEPS)] = "linear"


class Multisine(Wave):
    """Sines of several frequencies at once, each of the same amplitude."""

    form: ClassVar[str] = FORM + "multisine"
    type: Literal["multisine"] = "multisine"
    frequencies: tuple[Annotated[float, HERTZ], ...] = Field(description="a list of frequencies in Hz", min_length=1)
    phases: tuple[Annotated[float, Number("the phases, one per frequency,", "rad")], ...] | None = Field(
        default=None, description="one phase per frequency in rad; low peaks (Schroeder 1970) unless given"
    )

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        if self.phases is not None and len(self.phases) != len(self.frequencies):
            text = f"has {len(self.phases)} entries for {len(self.frequencies)} frequencies; give one per frequency"
            raise refusals(("phases", None, text))
        return self


# prescribed motions


SMOOTH = ("quintic", "trapezoid", "via", "csv", "spin-up", "sine", "chirp", "multisine", "constant", "pose")


def no_jumps(motion: Any) -> Any:
    """Refuse a prescribed motion that jumps."""
    kind = motion.get("type") if isinstance(motion, dict) else None
    if kind in ("step", "steps"):
        raise refusals(("type", kind, f"jumps, which would take an infinite torque; choose {listed(SMOOTH)}"))
    return motion


Motions = (
    Annotated[Constant, Tag(Constant.form)]
    | Annotated[Quintic, Tag(Quintic.form)]
    | Annotated[Trapezoid, Tag(Trapezoid.form)]
    | Annotated[Via, Tag(Via.form)]
    | Annotated[Csv, Tag(Csv.form)]
    | Annotated[SpinUp, Tag(SpinUp.form)]
    | Annotated[Sine, Tag(Sine.form)]
    | Annotated[Chirp, Tag(Chirp.form)]
    | Annotated[Multisine, Tag(Multisine.form)]
)


# set-points: those, and jumps


_References = Motions | Annotated[Step, Tag(Step.form)] | Annotated[Steps, Tag(Steps.form)]
AnyReference = Annotated[_References, Discriminator(form_of)]


# torques over time


def _torque_form(data: Any) -> str | None:
    return form_of(data) if isinstance(data, dict | Block) else FORM + "number"


AnyTorque = Annotated[
    Annotated[One, Number("the torque", FORCE, each=True), Tag(FORM + "number")] | _References,
    Discriminator(_torque_form),
]
