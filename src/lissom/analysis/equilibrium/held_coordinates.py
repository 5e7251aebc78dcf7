"""What is held at rest: joints, motors, or what is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from lissom.analysis.equilibrium.loop_freedoms import leading_joints
from lissom.dynamics.coordinates import Named, motor_indices, velocity_indices
from lissom.dynamics.state_checks import Vector
from lissom.errors import LissomError
from lissom.model.model import Model

Hold: TypeAlias = Literal["joints", "motors"] | Iterable[str]


def held_coordinates(model: Model, hold: Hold, q: Vector, lengths: Mapping[str, float] | None = None) -> list[int]:
    """Return the indices in v of what `hold` names: joints (of loops those that lead), motors, or those of given names.

    A joint whose motor follows a prescribed motion behind an elastic gear is not held: its motor is.
    """
    given = model.arrays.velocities.prescribed
    led = {body.joint_v.start for body in model.bodies if body.rotor_v is not None and given[body.rotor_v]}
    return [k for k in _indices(model, hold, q, lengths) if k not in led]


def _indices(model: Model, hold: Hold, q: Vector, lengths: Mapping[str, float] | None) -> list[int]:
    if isinstance(hold, str):
        if hold == "joints":
            return leading_joints(model, q, lengths)
        if hold == "motors":
            return [int(k) for k in model.actuated]
        raise LissomError(f"write 'joints', 'motors' or a list of names such as [{hold!r}]", ("hold",), hold)
    return [k for name in hold for k in velocity_indices(model, name)]


def refuse_held_forces(model: Model, tau: Named, coordinates: list[int]) -> None:
    """Refuse a force on what is held: it is a result, not an argument."""
    held = set(coordinates)
    for body in model.bodies:
        if body.rotor_v is not None and body.joint_v.start in held:
            held.add(body.rotor_v)
    for name in tau:
        if held & set(motor_indices(model, name)):
            raise LissomError("is held, so its force is a result; leave it out, or out of hold", ("tau", name))
