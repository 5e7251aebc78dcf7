"""Actuators whose effort follows the command: torque in a joint, thrust along a line, tension, pressure, thrusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from lissom.kernel.data.arrays import Port
from lissom.model.actuators.actuator import ActuatorState, Commanded
from lissom.model.actuators.routes import FrameAt, Routed
from lissom.model.description.frame import Frame
from lissom.model.description.location import AnyPlace
from lissom.model.description.origin import Origin
from lissom.model.schema.base_model import FORM
from lissom.model.schema.name_fields import Name
from lissom.model.schema.number_fields import Number
from lissom.model.schema.vector_fields import Axis, Vec3

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot


class TorqueSource(Commanded):
    """A torque (a force where the joint slides) that follows its command: a motor whose inside does not matter."""

    form: ClassVar[str] = FORM + "torque"
    effort_unit: ClassVar[str] = "N m"
    rate_unit: ClassVar[str] = "rad/s"
    type: Literal["torque"] = "torque"
    joint: Annotated[str, Name("the joint that it turns")]
    gear: Annotated[float, Number("the turns of the motor per turn of the joint", above=0)] = 1.0

    def on_coordinate(self) -> str:
        """Return the joint."""
        return self.joint

    def ratio(self, robot: Robot) -> float:
        """Return the turns of the motor per turn of the joint."""
        return self.gear

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the torque."""
        return (self.commanded_state("torque", "N m", 1.0),)

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        return (1.0, 0.0)


class Thrust(Commanded, Routed):
    """A force that pushes the ends of a path apart: a cylinder driven by force."""

    form: ClassVar[str] = FORM + "thrust"
    type: Literal["thrust"] = "thrust"

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the thrust."""
        return (self.commanded_state("thrust", "N", 1.0),)

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        return (1.0, 0.0)


class PulledTendon(Commanded, Routed):
    """A tendon pulled with a tension that follows its command: its path becomes shorter; it never pushes."""

    form: ClassVar[str] = FORM + "tendon"
    type: Literal["tendon"] = "tendon"
    friction: Annotated[float, Number("the friction coefficient about its points", at_least=0, at_most=2)] = 0.0

    def grip(self) -> float:
        """Return the friction coefficient about its points."""
        return self.friction

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the tension."""
        return (self.commanded_state("tension", "N", 1.0),)

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        return (-1.0, 1.0)


class Chamber(Commanded, Routed):
    """A pressure chamber along a beam or between points: its pressure on its area pushes its ends apart.

    Pressure follows its command with a lag, as the chamber fills; walls that stretch are part of the beam.
    """

    form: ClassVar[str] = FORM + "chamber"
    type: Literal["chamber"] = "chamber"
    area: Annotated[float, Number("the area on which the pressure acts", "m2", above=0)]

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the pressure above that of the surroundings."""
        return (self.commanded_state("pressure", "Pa", 1e5),)

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        return (self.area, 0.0)


class Thruster(Commanded):
    """A force on a point of a link along an axis of its own: a jet, a propeller."""

    port: ClassVar[Port] = Port.AXIS
    form: ClassVar[str] = FORM + "thruster"
    type: Literal["thruster"] = "thruster"
    link: Annotated[str, Name("the link that it pushes")]
    at: AnyPlace | None = None
    origin: Origin = Origin()
    direction: Annotated[Vec3, Axis("the direction of the force in the axes of its frame")] = (1.0, 0.0, 0.0)

    def frames(self, robot: Robot) -> list[FrameAt]:
        """Return where it sits."""
        return [((), Frame(link=self.link, at=self.at, origin=self.origin))]

    def axis(self) -> Sequence[float]:
        """Return the direction of the force."""
        return self.direction

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the thrust."""
        return (self.commanded_state("thrust", "N", 1.0),)

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        return (1.0, 0.0)
