"""The scenario: immutable and checked field by field; what needs the robot's model is checked in `prepare`."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, field_validator, model_validator

from lissom.control.schema.control_schema import CONTROL, AnyControl
from lissom.control.schema.reference_schema import MOTION
from lissom.errors import ABSENT, LissomError, ScenarioError
from lissom.messages import did_you_mean, listed
from lissom.model import Robot, load
from lissom.model.description.robot import FORMAT, FormatVersion
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.lazy_fields import lazy
from lissom.model.schema.name_fields import Title
from lissom.model.schema.number_fields import Checked, Number, Share, kind_of, refusal
from lissom.model.schema.units import STATE
from lissom.model.schema.written_forms import TEXT, AlsoWritten, Schema, SchemaOf, several, union
from lissom.results.presentation.display_units import UnitNames
from lissom.simulation.initial_state import EQUILIBRIUM, HELD, REMEDY
from lissom.simulation.settings import Integration, OutputSampling

if TYPE_CHECKING:
    from lissom.control.schema.pose_motions import AnyMotion
    from lissom.model.description.sensor import AnySensor
    from lissom.results.presentation.report_text import ReportText
    from lissom.results.trajectory import Trajectory
    from lissom.scenario.prepare import Prepared
    from lissom.simulation.inputs.loads import Load
    from lissom.simulation.inputs.payload import Payload
else:
    AnyMotion = lazy("lissom.control.schema.pose_motions:AnyMotion")
    AnySensor = lazy("lissom.model.description.sensor:AnySensor")
    Load = lazy("lissom.simulation.inputs.loads:Load")
    ReportText = lazy("lissom.results.presentation.report_text:ReportText")
    Payload = lazy("lissom.simulation.inputs.payload:Payload")

HOLDS = ("joints", "motors")
SENSOR = "{type: encoder, joint: elbow, rate: 500}"
PAYLOAD = "{link: hand, mass: 5, pick: 1.0}"
LOAD = "{link: forearm, force: [0, 0, -20]}"


@dataclass(frozen=True)
class RobotSource(Checked):
    """The robot of a scenario: a name, a path, or the whole description."""

    remedy: str = "give the name of a built-in robot, the path of a robot file, or the robot itself as a mapping"

    def check(self, value: Any) -> str | Robot:
        """Return the source of the robot, or refuse what is none."""
        if isinstance(value, dict):
            return Robot.model_validate(value)  # its problems keep their paths below robot
        if isinstance(value, Robot) or (isinstance(value, str) and value.strip()):
            return value
        raise refusal(f"must be a name, a path or a mapping, not {kind_of(value)}; {self.remedy}")

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union(TEXT, of(Robot))


class ScenarioPart(Description):
    """A piece of a scenario; a wrong value raises `ScenarioError`."""

    whole: ClassVar[str] = "scenario"
    error: ClassVar[type[LissomError]] = ScenarioError


class Output(ScenarioPart, OutputSampling):
    """What is kept of a run, and where."""

    what: ClassVar[str] = "output"

    folder: Annotated[str | None, Title("the folder for the results")] = None


@dataclass(frozen=True)
class HeldStart(Checked):
    """What stays where it is while the rest settles: a word of `static_equilibrium`, or names."""

    remedy: str = f"write {listed(HOLDS)}, or a list of joints such as [elbow, wrist.rotor]"

    def check(self, value: Any) -> str | tuple[str, ...]:
        """Return what is held, or refuse what is none."""
        if isinstance(value, str):
            if value not in HOLDS:
                raise refusal(f"is unknown{did_you_mean(value, HOLDS)}; {self.remedy}")
            return value
        if not isinstance(value, list | tuple):
            raise refusal(f"must be a word or a list, not {kind_of(value)}; {self.remedy}")
        for name in value:
            if not isinstance(name, str):
                raise refusal(f"must hold names, not {kind_of(name)}; {self.remedy}")
        return tuple(value)

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union({"enum": list(HOLDS)}, several(TEXT))


class Scenario(ScenarioPart, Integration):
    """What to simulate, and how; `start: equilibrium` is short for `hold: joints` with all joints at zero."""

    what: ClassVar[str] = "scenario"

    lissom: FormatVersion = Field(default=FORMAT, description="the version of the format")
    name: Annotated[str, Title("the name of the scenario")] = ""
    robot: Annotated[str | Robot, RobotSource()]
    change: dict[str, Any] = Field(
        default={}, description="values of the robot that differ, by their path: {links.upper.beam.length: 1.2}"
    )
    start: Annotated[
        dict[
            str,
            Annotated[
                float | tuple[float, ...],
                Number("the value at the start (a list for several)", STATE, each=True),
            ],
        ],
        AlsoWritten({"enum": [EQUILIBRIUM]}),
    ] = Field(
        default={}, description="start values by joint, e.g. {elbow: 0.5, elbow.rate: 0.1}, or the word equilibrium"
    )
    hold: Annotated[str | tuple[str, ...] | None, HeldStart()] = None
    control: AnyControl | None = Field(default=None, description=CONTROL)
    motion: dict[str, AnyMotion] = Field(
        default={},
        description=f"prescribed motions by joint, or by cylinder or loop of given length: {{shaft: {MOTION}}}",
    )
    loads: tuple[Load, ...] = Field(default=(), description=f"a list of loads: [{LOAD}]")
    payloads: tuple[Payload, ...] = Field(default=(), description=f"a list of payloads: [{PAYLOAD}]")
    sensors: tuple[AnySensor, ...] = Field(default=(), description=f"sensors besides the robot's: [{SENSOR}]")
    accuracy: Annotated[float | None, Share("the relative error allowed in the numbers of the tables, such as 1 %")] = (
        None
    )
    units: Annotated[tuple[str, ...], UnitNames()] = Field(
        default=(), description="units of tables, figures, pages and exports: [kN, mm, deg, MPa]"
    )
    report: ReportText | None = Field(default=None, description="{title: ..., text: ..., logo: ...} of its report")
    output: Output = Field(default=Output(), description="{rate: 200, folder: ..., audit: true}")

    @model_validator(mode="before")
    @classmethod
    def _settle(cls, data: Any) -> Any:
        start = data.get("start") if isinstance(data, dict) else None
        if not isinstance(start, str) or start != EQUILIBRIUM:
            return data
        return data | {"start": {}, "hold": HELD if data.get("hold") is None else data["hold"]}

    @model_validator(mode="before")
    @classmethod
    def _apply_changes(cls, data: Any) -> Any:
        """Return the robot with the values that `change` gives it; the scenario then has that robot."""
        change, robot = (data.get("change"), data.get("robot")) if isinstance(data, dict) else (None, None)
        if not (isinstance(change, dict) and change and robot):
            return data
        given = robot if isinstance(robot, dict) else RobotSource().check(robot)
        place = "robot"
        try:
            source = Robot.from_dict(given) if isinstance(given, dict) else given
            source = load(source) if isinstance(source, str) else source
            place = "change"
            return data | {"robot": source.with_values(change.items()), "change": {}}
        except LissomError as error:
            told = error.problems or (error,)
            raise refusals(*(((place, *one.path), _offending_value(one.value), one.text) for one in told)) from None

    @field_validator("start", mode="before")
    @classmethod
    def _known_word(cls, start: Any) -> Any:
        if isinstance(start, str):
            raise refusal(f"is unknown{did_you_mean(start, [EQUILIBRIUM])}; {REMEDY}")
        return start

    def load_robot(self) -> Robot:
        """Return the robot, read from its file where only the name is given."""
        return self.robot if isinstance(self.robot, Robot) else load(self.robot)

    def prepare(self) -> "Prepared":
        """Compile the model and build the arguments for `lissom.simulate`; control, motion and start are checked."""
        from lissom.scenario.prepare import prepare

        return prepare(self)

    def run(self, **options: Any) -> "Trajectory":
        """Simulate; `options` such as duration=1.0 or progress=False take the place of the scenario's."""
        return self.prepare().simulate(**options)

    def with_value(self, path: str, value: Any) -> "Scenario":
        """Return a scenario that differs in one value of its own ("control.gains.elbow.p") or of its robot's.

        Paths of the robot are those of `Robot.with_value`: "links.upper.beam.length", "gravity", "robot.name".
        """
        return self.with_values([(path, value)])

    def with_values(self, changes: Iterable[tuple[str, Any]]) -> "Scenario":
        """Return a scenario with several values changed together, so that only the whole must be right."""
        from lissom.scenario.scenario_paths import replace_values

        return replace_values(self, changes)

    @classmethod
    def from_yaml(cls, text: str) -> "Scenario":
        """Read a scenario from the text of a scenario file; relative paths in it begin in the working folder."""
        from lissom.scenario.scenario_files import parse

        return parse(text, "<text>").scenario

    def to_dict(self) -> dict[str, Any]:
        """Return plain data as in a scenario file, without what equals its default."""
        from lissom.scenario.scenario_paths import plain

        return plain(self)

    def to_yaml(self) -> str:
        """Return the text of a scenario file; reading it gives an equal scenario."""
        from lissom.model.io.yaml_writer import write

        return write(self.to_dict())


def _offending_value(value: Any) -> Any:
    """Return what stands at the place of an error, None for nothing."""
    return None if value is ABSENT else value
