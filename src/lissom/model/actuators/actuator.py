"""What all actuators share: their name, the limits of their command, the states that they bring into a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple, Self

import numpy as np
from pydantic import model_validator

from lissom.kernel.data.arrays import Drive, Port, Regulation
from lissom.messages import did_you_mean, listed
from lissom.model.description.frame import Frame, Problem, frame_problems
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Name
from lissom.model.schema.number_fields import Number

if TYPE_CHECKING:
    from lissom.model.description.robot import Link, Robot

LAG = 1e-3  # s: with which an effort follows its command unless `response` says otherwise


class ActuatorState(NamedTuple):
    """A state of an actuator, m dz/dt = command + what its law says."""

    name: str
    unit: str
    inertia: float = 1.0  # m
    typical: float = 1.0  # its size: errors of it are judged by that
    powered: bool = False  # whether command times state is a power
    lower: float = -np.inf  # limits of the command
    upper: float = np.inf
    slew: float = np.inf  # per second
    regulation: Regulation = Regulation.NONE
    servo_time: float = 1.0  # s
    peak: float = np.inf
    command_unit: str = ""  # where it is not the state's own


class Actuator(Description):
    """Base of all actuators: what turns a command and states of its own into forces."""

    what: ClassVar[str] = "actuator"
    chosen_by: ClassVar[str] = "type"
    kind: ClassVar[Drive] = Drive.EFFORT  # the law that the kernel computes
    port: ClassVar[Port] = Port.JOINT  # what it works on
    command_unit: ClassVar[str] = ""
    effort_unit: ClassVar[str] = "N"
    rate_unit: ClassVar[str] = "m/s"
    if TYPE_CHECKING:
        type: str  # by which files name it

    name: Annotated[str, Name("the name of the actuator")]

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the states that it has."""
        raise NotImplementedError

    def commanded(self) -> int | None:
        """Return which of its states takes the command, None where none does."""
        return 0

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers that its law takes, in the order of `kernel.forces.actuator_laws`."""
        raise NotImplementedError

    def frames(self, robot: Robot) -> list[tuple[tuple[str | int, ...], Frame]]:
        """Return the points of its path, each with its place below the actuator."""
        return []

    def points_of_force(self, robot: Robot) -> list[Frame]:
        """Return where it acts on a point, which the functions of a beam should follow; not along a smooth curve."""
        return [frame for _, frame in self.frames(robot)]

    def falls(self) -> float:
        """Return how often a rope runs from each of its points to the next."""
        return 1.0

    def grip(self) -> float:
        """Return the friction coefficient of a rope about its points."""
        return 0.0

    def axis(self) -> Sequence[float]:
        """Return the axis along which it pushes a frame."""
        return (0.0, 0.0, 0.0)

    def on_coordinate(self) -> str:
        """Return the coordinate of a joint that it works on; "" where that is something else."""
        return ""

    def followed(self) -> str:
        """Return the coordinate that feedback laws on its command measure; "" where there is none."""
        return self.on_coordinate()

    def ratio(self, robot: Robot) -> float:
        """Return how fast its port moves per rate of that coordinate."""
        return 1.0

    def rotor(self, robot: Robot) -> float:
        """Return the inertia that it adds to that coordinate."""
        return 0.0

    def companions(self) -> tuple[Actuator, ...]:
        """Return further rows that it brings along, such as its friction."""
        return ()

    def problems(self, robot: Robot, path: tuple[str | int, ...]) -> list[Problem]:
        """Return what keeps it from being on the robot: (path, value, what to do)."""
        found = [each for at, frame in self.frames(robot) for each in frame_problems(robot, frame, (*path, *at))]
        for field, name in (("joint", self.on_coordinate()), ("follows", getattr(self, "follows", None))):
            found += [((*path, field), name, text) for text in _coordinate_problem(robot, name)] if name else []
        return found


def _coordinate_problem(robot: Robot, name: str) -> list[str]:
    """Return why no actuator can turn the coordinate of that name."""
    known: dict[str, Link] = {}
    for link in robot.bodies:
        if not link.joint.kind.on_group:
            known |= dict.fromkeys([link.joint.name] if link.joint.nv == 1 else link.joint.velocity_names, link)
    if name not in known:
        several = next((link.joint for link in robot.bodies if link.joint.name == name and link.joint.nv), None)
        if several is not None and several.kind.on_group:
            return [f"is a {several.type} joint, whose rotation is not a single angle; choose a joint that is one"]
        if several is not None:
            return [f"moves along several coordinates; choose one: {listed(several.velocity_names)}"]
        return [f"is not a joint that moves{did_you_mean(name, list(known))}; choose {listed(list(known))}"]
    if robot.on_chord(known[name].name):
        return ["carries a link whose frame lies on its chord, so that nothing may drive it; write frame: base"]
    return []


def joint_unit(robot: Robot, coordinate: str) -> str:
    """Return what a coordinate of a joint is in, "rad" or "m"."""
    for link in robot.bodies:
        if coordinate in link.joint.velocity_names:
            return link.joint.kind.velocity_units[link.joint.velocity_names.index(coordinate)]
    return "rad"


class Commanded(Actuator):
    """Base of actuators whose first state follows the command with a lag: limits, rate, response."""

    lowest: Annotated[float | None, Number("the lowest command, in its SI unit,")] = None
    highest: Annotated[float | None, Number("the highest command, in its SI unit,")] = None
    rate: Annotated[float | None, Number("the largest rate of the command, in its unit per second", above=0)] = None
    response: Annotated[float, Number("the time constant with which it follows its command", "seconds", above=0)] = LAG
    follows: Annotated[str | None, Name("the joint that feedback laws on its command measure")] = None

    def followed(self) -> str:
        """Return the coordinate that feedback laws on its command measure; "" where there is none."""
        return self.follows or self.on_coordinate()

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.lowest is not None and self.highest is not None and not self.lowest < self.highest:
            text = f"must be more than the lowest command of {self.lowest:g}; correct one of them"
            raise refusals(("highest", self.highest, text))
        return self

    def commanded_state(self, name: str, unit: str, typical: float) -> ActuatorState:
        """Return the state that follows the command."""
        lower = -np.inf if self.lowest is None else self.lowest
        upper = np.inf if self.highest is None else self.highest
        slew = np.inf if self.rate is None else self.rate
        return ActuatorState(name, unit, self.response, typical, lower=lower, upper=upper, slew=slew)
