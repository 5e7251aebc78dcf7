"""A robot as plain data: the mapping that its file holds, without what goes without saying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import RobotError
from lissom.model.beam_parts import Modes
from lissom.model.frame import WORLD
from lissom.model.joint import Joint
from lissom.model.part import Part
from lissom.model.values import Matrix3

if TYPE_CHECKING:
    from lissom.model.loop import Loop
    from lissom.model.robot import Link, Robot


def plain(robot: Robot) -> dict[str, Any]:
    """Mapping of lists, numbers and text; `Robot.from_dict` gives an equal robot back."""
    data: dict[str, Any] = {"lissom": robot.lissom, "name": robot.name, "gravity": list(robot.gravity)}
    if robot.materials:
        data["materials"] = {name: fields(material) for name, material in robot.materials.items()}
    if robot.visual:
        data["visual"] = [fields(shape) for shape in robot.visual]
    previous = WORLD
    data["links"] = []
    tipped = {link.name for link in robot.links if link.body is not None and np.any(link.body.tip or 0)}
    for link in robot.links:
        data["links"].append(_link(link, previous))
        if link.parent in tipped and "origin" in link.model_fields_set:  # said, as a tip might be meant without it
            data["links"][-1].setdefault("origin", {"xyz": [0, 0, 0]})
        previous = link.name
    if robot.loops:
        data["loops"] = [_loop(loop) for loop in robot.loops]
    for name in ("elements", "contacts", "sensors"):
        if parts := getattr(robot, name):
            data[name] = [fields(part) for part in parts]
    return data


def _link(link: Link, previous: str) -> dict[str, Any]:
    data = fields(link)
    if link.parent == previous:
        data.pop("parent", None)
    data["joint"] = _joint(link.joint, link.name)
    return data


def _loop(loop: Loop) -> dict[str, Any]:
    data = fields(loop)
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


def fields(part: Part) -> dict[str, Any]:
    """The fields that differ from their defaults, in the order of the schema, blocks at the end."""
    data = {}
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        if name == part.chosen_by or field.is_required() or value != field.default:
            data[field.alias or name] = _value(name, value)
    return data


def _value(name: str, value: Any) -> Any:
    if isinstance(value, Modes):
        return {direction: count for direction, count in value.as_dict().items() if count}
    if isinstance(value, Part):
        return fields(value)
    if name == "inertia":
        return _inertia(value)
    if name == "reduced" and not isinstance(value, str | None):
        text = "holds a link in memory; write it with link.save('link.npz') and name that file under reduced"
        raise RobotError(text, ("links", "finite_elements", "reduced"))
    if isinstance(value, dict):
        return {key: _value("", inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return [_value("", v) for v in value]
    return value


def _inertia(matrix: Matrix3) -> list[Any]:
    """Three numbers when the axes are principal, else the matrix."""
    inertia = np.array(matrix)
    diagonal = np.diag(inertia)
    if np.array_equal(inertia, np.diag(diagonal)):
        return [matrix[i][i] for i in range(3)]
    return [list(row) for row in matrix]
