"""A robot as plain data: the mapping that its file holds, without what goes without saying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import RobotError
from lissom.model.description.frame import WORLD
from lissom.model.description.joint import Joint
from lissom.model.flexible.beam_parts import Modes
from lissom.model.schema.base_model import Description
from lissom.model.schema.vector_fields import Matrix3

if TYPE_CHECKING:
    from lissom.model.description.kinematic_loop import Loop
    from lissom.model.description.robot import Link, Robot


def to_dict(robot: Robot) -> dict[str, Any]:
    """Return mapping of lists, numbers and text; `Robot.from_dict` gives an equal robot back."""
    data: dict[str, Any] = {"lissom": robot.lissom, "name": robot.name, "gravity": list(robot.gravity)}
    if robot.materials:
        data["materials"] = {name: fields(material) for name, material in robot.materials.items()}
    if robot.visual:
        data["visual"] = [fields(shape) for shape in robot.visual]
    previous = WORLD
    data["links"] = []
    tipped = frozenset(link.name for link in robot.links if getattr(link.body, "tip", None) is not None)
    for link in robot.links:
        data["links"].append(_link(link, previous, tipped))
        previous = link.name
    if robot.loops:
        data["loops"] = [_loop(loop, tipped) for loop in robot.loops]
    for name in ("elements", "actuators", "contacts", "sensors"):
        if parts := getattr(robot, name):
            data[name] = [fields(part, tipped) for part in parts]
    if robot.tolerances:
        data["tolerances"] = dict(robot.tolerances)
    return data


def _link(link: Link, previous: str, tipped: frozenset[str]) -> dict[str, Any]:
    data = fields(link, tipped)
    if link.parent == previous:
        data.pop("parent", None)
    data["joint"] = _joint(link.joint, link.name)
    return data


def _loop(loop: Loop, tipped: frozenset[str]) -> dict[str, Any]:
    data = fields(loop, tipped)
    if loop.joint is not None:
        data["joint"] = _joint(loop.joint, loop.name)
    return data


def _joint(joint: Joint, link_name: str) -> str | dict[str, Any]:
    data = fields(joint)
    if joint.name == link_name:
        del data["name"]
    if joint.kind.axes == 1:
        del data["axes"]
    return joint.type if list(data) == ["type"] else data


def fields(part: Description, tipped: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the fields that differ from their defaults, in the order of the schema, blocks at the end.

    An origin of zero on a link of `tipped`, which have a tip, is written too: without it, the tip is meant.
    """
    data = {}
    on_tipped = getattr(part, "parent", None) in tipped or getattr(part, "link", None) in tipped
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if name == "origin" and on_tipped and "xyz" in value.model_fields_set:
            data[name] = {"xyz": list(value.xyz), **fields(value)}
        elif name == part.chosen_by or field.is_required() or value != field.default:
            data[field.alias or name] = _value(name, value, tipped)
    return data


def _value(name: str, value: Any, tipped: frozenset[str] = frozenset()) -> Any:
    if isinstance(value, Modes):
        return {direction: count for direction, count in value.as_dict().items() if count}
    if isinstance(value, Description):
        return fields(value, tipped)
    if name == "inertia":
        return _inertia(value)
    if name == "reduced" and not isinstance(value, str | None):
        text = "holds a link in memory; write it with link.save('link.npz') and name that file under reduced"
        raise RobotError(text, ("links", "finite_elements", "reduced"))
    if isinstance(value, float):
        return float(value)  # whatever unit it was written in
    if isinstance(value, dict):
        return {key: _value("", inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return [_value("", v, tipped) for v in value]
    return value


def _inertia(matrix: Matrix3) -> list[Any]:
    """Return three numbers when the axes are principal, else the matrix."""
    inertia = np.array(matrix)
    diagonal = np.diag(inertia)
    if np.array_equal(inertia, np.diag(diagonal)):
        return [matrix[i][i] for i in range(3)]
    return [list(row) for row in matrix]
