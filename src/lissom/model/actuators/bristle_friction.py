"""Friction with bristles, LuGre's and Dahl's, on joints, motors and cylinders: it has a state of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

from lissom.kernel.data.arrays import Drive, Port
from lissom.model.actuators.actuator import Actuator, ActuatorState
from lissom.model.description.frame import Frame
from lissom.model.schema.base_model import Description
from lissom.model.schema.number_fields import Number

if TYPE_CHECKING:
    from lissom.model.description.joint import Joint
    from lissom.model.description.robot import Robot


class BristleFriction(Description):
    """LuGre friction: bristles of a stiffness and damping, Coulomb friction, more of it near rest, viscous friction.

    Without damping, `stick` and `viscous` it is Dahl's.
    """

    what: ClassVar[str] = "friction"

    stiffness: Annotated[float, Number("the stiffness of the bristles", above=0)]
    damping: Annotated[float, Number("the damping of the bristles", at_least=0)] = 0.0
    coulomb: Annotated[float, Number("the Coulomb friction", above=0)]
    stick: Annotated[float, Number("the friction at rest beyond Coulomb's", at_least=0)] = 0.0
    stribeck: Annotated[float, Number("the speed over which that falls", above=0)] = 0.1
    viscous: Annotated[float, Number("the viscous friction", at_least=0)] = 0.0


class Bristles(Actuator):
    """The bristles of one coordinate or of one cylinder, as a row among the actuators; nobody commands them."""

    kind: ClassVar[Drive] = Drive.BRISTLE
    law: BristleFriction
    joint: str = ""
    path: tuple[Frame, ...] = ()
    turns: float = 1.0

    @classmethod
    def on(cls, name: str, law: BristleFriction, joint: str, ratio: float = 1.0) -> Bristles:
        """Return those on a coordinate, or on a shaft that turns `ratio` times as fast."""
        return cls.model_construct(name=name, law=law, joint=joint, path=(), turns=ratio)

    @classmethod
    def between(cls, name: str, law: BristleFriction, path: tuple[Frame, ...]) -> Bristles:
        """Return those along a path."""
        made = cls.model_construct(name=name, law=law, joint="", path=path, turns=1.0)
        return made

    @property
    def port(self) -> Port:  # type: ignore[override]
        """What they work on."""
        return Port.PATH if self.path else Port.JOINT

    def commanded(self) -> int | None:
        """Return that nobody commands them."""
        return None

    def on_coordinate(self) -> str:
        """Return the coordinate."""
        return self.joint

    def frames(self, robot: Robot) -> list[tuple[tuple[str | int, ...], Frame]]:
        """Return the ends of the cylinder."""
        return [(("through", k), frame) for k, frame in enumerate(self.path)]

    def ratio(self, robot: Robot) -> float:
        """Return how fast the shaft turns."""
        return self.turns

    def states(self, robot: Robot) -> tuple[ActuatorState, ...]:
        """Return the deflection of the bristles."""
        return (ActuatorState("bristle", "m" if self.path else "rad", typical=self._breakaway),)

    @property
    def _breakaway(self) -> float:
        """The deflection at which they slip."""
        return float(abs(self.law.coulomb / self.law.stiffness))

    def numbers(self, robot: Robot) -> Sequence[float]:
        """Return the numbers of the law."""
        law = self.law
        sticking = law.coulomb + law.stick
        return (law.stiffness, law.damping, law.coulomb, sticking, law.stribeck, law.viscous)


def bristles_of(joint: Joint) -> list[Bristles]:
    """Return the bristles of a joint, one row for each of its coordinates; none where its friction has no state."""
    friction = joint.friction
    if friction is None or friction.law == "smooth":
        return []
    found = []
    for k, name in enumerate(joint.velocity_names):

        def value(field: str, k: int = k) -> float:
            return joint.each(getattr(friction, field))[k]

        law = BristleFriction.model_construct(
            stiffness=value("bristle_stiffness"),
            damping=value("bristle_damping"),
            coulomb=value("coulomb"),
            stick=value("stick"),
            stribeck=value("stribeck"),
            viscous=value("viscous"),
        )
        found.append(Bristles.on(f"{name}.friction", law, name))
    return found
