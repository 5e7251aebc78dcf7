"""The `control:` block of a scenario as checked data; what needs the robot is checked in `controller_builder`."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from lissom.control.choices import REDUCTIONS, SHAPERS, SIDES, ShaperKind, Side
from lissom.control.schema.joint_values import ByJoint, One, Values
from lissom.control.schema.reference_schema import COORDINATE, AnyReference, AnyTorque, Block
from lissom.model.schema.base_model import FORM, refusals
from lissom.model.schema.lazy_fields import lazy
from lissom.model.schema.name_fields import Choice, Title
from lissom.model.schema.number_fields import Count, Flag, Number
from lissom.model.schema.registered_types import Registered
from lissom.model.schema.units import DAMPING, FORCE, POSITION, STIFFNESS
from lissom.model.schema.written_forms import AlsoWritten

if TYPE_CHECKING:
    from lissom.control.schema.time_series_schema import AnySeries
else:
    AnySeries = lazy("lissom.control.schema.time_series_schema:AnySeries")

Poses = Annotated[int | None, Count("how many poses along the reference it is designed at", at_least=2, at_most=50)]
CONTROL = "{type: pd, gains: ..., reference: ...}, or a list of such"  # an example, for messages


class ControlBlock(Block):
    """What acts on the joints."""

    what: ClassVar[str] = "control"
    type: str


class NoControl(ControlBlock):
    """Joints that nothing drives."""

    form: ClassVar[str] = FORM + "none"
    type: Literal["none"] = "none"


class Limited(ControlBlock):
    """A controller with limits, which may be sampled."""

    saturation: Annotated[Values | None, ByJoint(Number("the largest torque", FORCE))] = None
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

    p: Annotated[One, Number("p", STIFFNESS, at_least=0, each=True)]
    d: Annotated[One, Number("d, 0 for none,", DAMPING, at_least=0, each=True)]


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
    shaper: Annotated[ShaperBlock | None, BeforeValidator(_by_name), AlsoWritten({"enum": list(SHAPERS)})] = Field(
        default=None, description="{type: zvd, modes: 1}"
    )
    side: Annotated[Side, Choice("what is measured", SIDES)] = "joint"


class OfJoints(Following, Continuous):
    """A law of joints, on their state or on what sensors tell of it."""

    gains: dict[str, Gain] = Field(description="gains: {joint: {p: ..., d: ...}}")
    sensors: tuple[Annotated[str, Title("the name of an encoder or tachometer")], ...] = Field(
        default=(), description="names of encoders and tachometers that are read instead of the state"
    )

    @model_validator(mode="after")
    def _rate_beside_sensors(self) -> Self:
        if self.sensors and self.rate is None:
            text = "missing, and sensors are read by sampled controllers; give the samples per second, e.g. rate: 1000"
            raise refusals(("rate", None, text))
        return self


class Pd(OfJoints):
    """Proportional-derivative control."""

    form: ClassVar[str] = FORM + "pd"
    type: Literal["pd"] = "pd"
    gravity_compensation: Annotated[bool, Flag("whether the weight is balanced")] = False
    inverse_dynamics: Annotated[bool, Flag("whether the torques of the reference's motion are added")] = False
    feedforward: dict[str, AnyTorque] = Field(
        default={}, description="torques to add: {joint: number or {type: csv, ...}}"
    )


class PidGain(Block):
    """Gains of one joint under PID control."""

    what: ClassVar[str] = "gain"

    p: Annotated[One, Number("p", STIFFNESS, at_least=0, each=True)]
    i: Annotated[One, Number("i in N m/(rad s), 0 for none,", at_least=0, each=True)] = 0.0
    d: Annotated[One, Number("d, 0 for none,", DAMPING, at_least=0, each=True)] = 0.0


class NotchBlock(Block):
    """A notch filter behind the gains of a joint."""

    what: ClassVar[str] = "notch"

    joint: Annotated[str, Title("the name of a joint")]
    frequency: Annotated[float, Number("the frequency of the notch", "Hz", above=0)]
    depth: Annotated[float, Number("the gain there", at_least=0, at_most=1)] = 0.05
    width: Annotated[float, Number("the damping ratio of its poles", above=0)] = 0.5


class Pid(Following):
    """Sampled PID control with integral action that does not wind up; fields as in `lissom.control.pid`."""

    form: ClassVar[str] = FORM + "pid"
    type: Literal["pid"] = "pid"
    gains: dict[str, PidGain] = Field(description="gains: {joint: {p: ..., i: ..., d: ...}}")
    notches: tuple[NotchBlock, ...] = Field(default=(), description="[{joint: elbow, frequency: 14 Hz}]")
    derivative: Annotated[float | None, Number("the frequency up to which rates are derived", "Hz", above=0)] = None
    tracking: Annotated[float | None, Number("the time in which integrals leave limits", "seconds", above=0)] = None
    gravity_compensation: Annotated[bool, Flag("whether the weight is balanced")] = False
    inverse_dynamics: Annotated[bool, Flag("whether the torques of the reference's motion are added")] = False
    feedforward: dict[str, AnyTorque] = Field(
        default={}, description="torques to add: {joint: number or {type: csv, ...}}"
    )
    sensors: tuple[Annotated[str, Title("the name of an encoder")], ...] = Field(
        default=(), description="names of encoders that are read instead of the state"
    )


class Impedance(Continuous):
    """A spring and a damper between a tip and where it is to be; fields as in `lissom.control.impedance`."""

    form: ClassVar[str] = FORM + "impedance"
    type: Literal["impedance"] = "impedance"
    link: Annotated[str, Title("the link whose tip it is")]
    stiffness: Annotated[One, Number("the stiffness along x, y, z", "N/m", at_least=0, each=True)]
    damping: Annotated[One, Number("the damping along x, y, z", "N s/m", at_least=0, each=True)]
    reference: AnySeries | None = Field(default=None, description="[x, y, z] of the tip, or over time, in metres")
    joint_damping: Annotated[Values, ByJoint(Number("the damping of the joints", DAMPING, at_least=0))] = 0.0
    side: Annotated[Side, Choice("what is measured", SIDES)] = "joint"


class ComputedTorque(OfJoints):
    """Inverse dynamics of the rigid robot, and PD on what is left."""

    form: ClassVar[str] = FORM + "computed-torque"
    type: Literal["computed-torque"] = "computed-torque"


class Lqr(Following):
    """State feedback; fields as in `lissom.control.lqr`."""

    form: ClassVar[str] = FORM + "lqr"
    type: Literal["lqr"] = "lqr"
    joints: tuple[Annotated[str, Title("the name of a joint")], ...] | None = Field(
        default=None, description="a list of joints"
    )
    angle: Annotated[Values | None, ByJoint(Number("an acceptable error", POSITION, above=0))] = None
    deflection: Annotated[float | None, Number("an acceptable deflection", "metres", above=0)] = None
    torque: Annotated[Values | None, ByJoint(Number("an acceptable torque", FORCE, above=0))] = None
    bandwidth: Annotated[float | None, Number("the bandwidth of the joints", "Hz", above=0)] = None
    sensors: tuple[Annotated[str, Title("the name of a sensor")], ...] = Field(
        default=(), description="names of sensors that are read beside the encoders of the joints"
    )
    angle_noise: Annotated[float | None, Number("the standard deviation of the encoders", POSITION, above=0)] = None
    limit: Annotated[float | None, Number("the highest frequency of the design", "Hz", above=0)] = None
    pose: Annotated[Values | None, COORDINATE] = None
    poses: Poses = None


class Lqg(ControlBlock):
    """Kalman filter and state feedback on a reduced model, from sensors; fields as in `lissom.control.lqg`."""

    form: ClassVar[str] = FORM + "lqg"
    type: Literal["lqg"] = "lqg"
    sensors: tuple[Annotated[str, Title("the name of a sensor")], ...] = Field(description="names of sensors")
    keep: dict[str, Annotated[float, Number("an acceptable deviation in its unit", above=0)]] = Field(
        description="acceptable deviations by signal: {elbow: 0.01, forearm.tip: 0.005}"
    )
    torque: Annotated[Values, ByJoint(Number("an acceptable torque", FORCE, above=0))]
    frequency: Annotated[
        float | None, Number("the frequency up to which the reduced model is right", "Hz", above=0)
    ] = None
    order: Annotated[float | None, Number("the states of the reduced model", at_least=0)] = None
    method: Annotated[str, Choice("a reduction", REDUCTIONS)] = "balanced"
    reference: AnyReference | None = Field(default=None, description="{type: quintic, to: {joint: value}, duration: 1}")
    joints: tuple[Annotated[str, Title("the name of a joint")], ...] | None = Field(
        default=None, description="a list of joints"
    )
    disturbance: Annotated[Values | None, ByJoint(Number("an unknown torque to expect", FORCE, above=0))] = None
    rate: Annotated[float | None, Number("the samples per second", above=0)] = None
    saturation: Annotated[Values | None, ByJoint(Number("the largest torque", FORCE))] = None
    pose: Annotated[Values | None, COORDINATE] = None
    poses: Poses = None


CONTROLS: list[type[ControlBlock]] = [NoControl, Torque, Pd, Pid, ComputedTorque, Impedance, Lqr, Lqg]
AnyControl = Annotated[ControlBlock | tuple[ControlBlock, ...], Registered(CONTROLS, several=True)]
