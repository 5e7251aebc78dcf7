"""What the models of robots have in common that differ in the numbers of some links alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lissom.model.compiled import BodyNames, Model
from lissom.model.robot import Robot

OF_JOINTS = ("joints", "velocities", "passive", "gears", "loops", "loads", "elements", "contacts")


def shared_tables(robot: Robot, names: Sequence[BodyNames], before: Model) -> dict[str, Any] | None:
    """The tables of another model that no number of a link's own mechanics goes into; None where they do not fit.

    They fit where all joints are the same objects in the same places, and nothing acts from outside.
    """
    other = before.robot
    if len(robot.links) != len(other.links) or list(names) != list(before.bodies):
        return None
    alike = all(
        a.joint is b.joint and a.origin is b.origin and a.payload is None and b.payload is None
        for a, b in zip(robot.links, other.links, strict=True)
    )
    if not alike or robot.frames or before.frames or before.prescribed or before.arrays.gravity.dtype.kind == "c":
        return None
    return {name: getattr(before.arrays, name) for name in OF_JOINTS}
