"""Ropes whose free length is driven: winches with reeving, tendons wound on a spool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from lissom.kernel.data.arrays import Drive
from lissom.model.actuators.actuator import ActuatorState, Commanded
from lissom.model.actuators.routes import Routed
from lissom.model.schema.base_model import FORM
from lissom.model.schema.name_fields import Choice
from lissom.model.schema.number_fields import Count, Number

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot

WINCH_LAG = 0.05  # s: of a winch and its motor, unless `response` says otherwise
TAUT = 1e-5  # of its length: stretch over which a rope becomes taut


class Winch(Commanded, Routed):
    """A rope over sheaves, wound on a drum: it only pulls, and its free length is driven.

    The command is the speed at which rope is paid out, or the length paid out since the start. The rope runs `falls`
    times between each point and the next, without slip or friction; `length` is all of it.
    """

    form: ClassVar[str] = FORM + "winch"
    kind: ClassVar[Drive] = Drive.ROPE
    type: Literal["winch"] = "winch"
    stiffness: Annotated[float, Number("the stiffness of the whole rope, EA over its length,", "N/m", above=0)]
    length: Annotated[float, Number("the free length of the rope along its path at the start", "metres", above=0)]
    damping: Annotated[float, Number("the damping of the whole rope", "N s/m", at_least=0)] = 0.0
    parts: Annotated[int, Count("the falls: how often the rope runs between its points", at_most=100, at_least=1)] = 1
    drive: Annotated[str, Choice("what the command is", ("speed", "length"))] = "speed"
    response: Annotated[float, Number("the time constant with which it follows its command", "seconds", above=0)] = (
        WINCH_LAG
    )

    def falls(self) -> float:
        """Return how often the rope runs between its points."""
        return float(self.parts)

    def commanded(self) -> int | None:
        """Return the speed."""
        return 1

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the length paid out, and the speed of it."""
        speed = self.commanded_state("speed", "m/s", 0.1)
        if self.drive == "length":
            speed = speed._replace(inertia=self.response**2)
        return (ActuatorState("paid_out", "m", typical=0.01), speed)

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of its law."""
        width = TAUT * self.length
        servo = 1.0 if self.drive == "length" else 0.0
        return (self.stiffness, self.damping, self.length - width / 2, width, servo, self.response)
