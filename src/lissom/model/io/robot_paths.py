"""Values of a robot by path: "links.upper.beam.length", "materials.steel.E", "links.tool.body.com.0"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from pydantic_core import ValidationError

from lissom.errors import RobotError
from lissom.messages import did_you_mean, listed
from lissom.model.description.frame import placed
from lissom.model.description.joint_kinds import KINDS
from lissom.model.schema import units
from lissom.model.schema.base_model import Description
from lissom.model.schema.number_fields import is_number, kind_of

if TYPE_CHECKING:
    from lissom.model.description.robot import Robot


def get(robot: Robot, path: str) -> Any:
    """Return the value at the path."""
    here: Any = robot
    keys = _keys(path)
    for k, key in enumerate(keys):
        if key == "origin" and keys[k + 1 : k + 2] == ["xyz"] and len(keys) > k + 2:
            _check_place(robot, here, keys)
        here = _step(here, key, path)
    return here


def _check_place(robot: Robot, part: Any, keys: list[str]) -> None:
    """Refuse one number of a place that is not given: it is the tip of a rigid link, not zero."""
    on = getattr(part, "parent", None) or getattr(part, "link", None)
    link = next((link for link in robot.links if link.name == on), None)
    if link is not None and placed(link, part.origin) is not part.origin:
        tip = ", ".join(f"{np.real(x):g}" for x in placed(link, part.origin).xyz)
        text = f"is not given, so that the tip of {on} is meant; give origin: {{xyz: [{tip}]}} first"
        raise RobotError(text, keys[:-1])


def unit_of(robot: Robot, path: str) -> str:
    """Return SI unit of the number at the path, such as "N m s/rad"; empty where it has none, or one that depends."""
    said: str | units.JointUnit = ""
    kind, here = "", robot
    for key in _keys(path):
        below = _step(here, key, path)
        if isinstance(here, Description):
            marks = type(here).model_fields[key].metadata
            said = next((mark.unit for mark in marks if hasattr(mark, "unit")), "")
        kind, here = getattr(below, "type", kind) if key == "joint" else kind, below
    return unit_at_joint(said, kind)


def unit_at_joint(unit: str | units.JointUnit, kind: str) -> str:
    """Return the SI unit of a field at a joint of a kind; empty where it has none, or one that depends."""
    if isinstance(unit, units.JointUnit):
        moved = set(KINDS[kind].velocity_units) if kind in KINDS else set()
        unit = "" if unit.others or len(moved) != 1 else unit.of(*moved)
    return {"metres": "m", "seconds": "s"}.get(unit, unit)


def replace_values(robot: Robot, changes: Iterable[tuple[str, Any]]) -> Robot:
    """Return a copy with other values at paths: complex ones as they are, the others checked with the whole."""
    changes = list(changes)
    for path, _ in changes:
        if ".origin.xyz." in f".{path}":
            get(robot, path)  # refuses one number of a place that is not given
    made = _check_along(robot, changes)
    if made is not None:
        return made
    unchecked: list[str] = []
    for path, value in changes:
        old = get(robot, path)
        if isinstance(value, complex):
            _check_complex(path, old, value)
            path, value = _whole_axis(robot, path, value)
        else:
            unchecked.append(path)
        robot = _replace(robot, path, value)
        if isinstance(value, dict | list | tuple):  # a later path may lead into it
            robot, unchecked = _check_values(robot, unchecked), []
    return _check_values(robot, unchecked) if unchecked else robot


def _check_along(robot: Robot, changes: Iterable[tuple[str, Any]]) -> Robot | None:
    """Return a copy with other numbers; parts that paths lead through are checked, the others stay the same.

    Those were valid before, and no part asks what it is a part of. None where that is not enough, or not right.
    """
    changed: dict[str, Any] = {}
    for path, value in changes:
        keys = _keys(path)
        if type(value) not in (float, int) or INERTIA in keys:
            return None
        below = changed
        for key in keys[:-1]:
            below = below.setdefault(key, {})
            if not isinstance(below, dict):
                return None
        below[keys[-1]] = value
    if not _is_real(robot):
        return None
    try:
        made: Robot = _recheck(robot, changed)
    except (ValidationError, KeyError, TypeError, ValueError):  # who looks at the whole says what is wrong
        return None
    return made


def _recheck(here: Any, changed: dict[str, Any]) -> Any:
    """Return `here` with what `changed` leads to in its place; parts on the way are checked."""

    def new(key: str, old: Any) -> Any:
        return _recheck(old, changed[key]) if isinstance(changed[key], dict) else changed[key]

    if isinstance(here, Description):
        known = vars(here)
        data = dict(_given_fields(here)) | {key: new(key, known[key]) for key in changed}
        return type(here).model_validate(data)
    if isinstance(here, dict):
        return here | {key: new(key, here[key]) for key in changed}
    names, items = _names(here), list(here)
    for key in changed:
        at = names.index(key)
        items[at] = new(key, items[at])
    return items


def _check_values(robot: Robot, paths: Iterable[str]) -> Robot:
    """Return the robot, valid, with the values at `paths` as the check normalises them; complex values stay."""
    checked = type(robot).from_dict(_real_data(robot))
    if not has_complex_values(robot):
        return checked
    for path in paths:
        robot = _replace(robot, path, get(checked, path))
    return robot


def _check_complex(path: str, old: Any, value: complex) -> None:
    keys = _keys(path)
    if "axes" in keys or ("axis" in keys and keys[-3:-1] != ["joint", "axis"]):
        raise RobotError("is a direction among others and cannot be complex; turn origin.rpy instead", keys, value)
    if old is not None and not is_number(old) and not isinstance(old, complex):
        raise RobotError(f"holds {kind_of(old)}; only a number can be complex", keys, value)


def _whole_axis(robot: Robot, path: str, value: Any) -> tuple[str, Any]:
    """Return a joint and its path where a number of its axis is complex: the axis keeps unit length, a . a = 1."""
    keys = _keys(path)
    if keys[-3:-1] != ["joint", "axis"]:
        return path, value
    place = path.rsplit(".", 2)[0]
    joint = get(robot, place)
    axis = np.array(joint.axis, complex)
    axis[int(keys[-1])] = value
    square = axis @ axis  # analytic, unlike a norm: derivatives pass through
    if abs(square) < 1e-12:
        raise RobotError("leaves an axis of no length; give a small imaginary part", keys, value)
    unit = tuple((axis / np.sqrt(square)).tolist())
    return place, joint.model_copy(update={"axis": unit, "axes": (unit,)})


INERTIA = "inertia"  # a matrix, whose entries come in pairs
REAL = {float, int, str, bool, type(None)}


def has_complex_values(part: Any) -> bool:
    """Return whether any number in the description is complex."""
    ahead = [part]
    while ahead:
        value = ahead.pop()
        kind = type(value)
        if kind in REAL:
            continue
        if kind is tuple:
            ahead += value
        elif kind is dict:
            ahead += value.values()
        elif issubclass(kind, complex):
            return True
        elif issubclass(kind, Description):
            ahead += vars(value).values()
    return False


_real: list[Any] = [None]  # the description that was last found to hold no complex number


def _is_real(robot: Robot) -> bool:
    """Return the same, quick for a robot of which many others are made."""
    if robot is not _real[0]:
        if has_complex_values(robot):
            return False
        _real[0] = robot
    return True


Made = TypeVar("Made")


def cache_real(make: Callable[..., Made]) -> Callable[..., Made]:
    """Keep what is made of descriptions; not of complex numbers, which equal real ones and carry derivatives."""
    known = lru_cache(maxsize=256)(make)

    @wraps(make)
    def made(*parts: Any) -> Made:
        return make(*parts) if has_complex_values(parts) else known(*parts)

    return made


def _keys(path: str) -> list[str]:
    keys = path.split(".") if isinstance(path, str) else []
    if not keys or not all(keys):
        raise RobotError(f"{path!r} is not a path; write one such as 'links.upper.beam.length' or 'materials.steel.E'")
    return keys


def _names(here: Any) -> list[str]:
    """Return what may follow on a path."""
    if isinstance(here, Description):
        return list(type(here).model_fields)
    if isinstance(here, dict):
        return list(here)
    if isinstance(here, tuple):
        return [getattr(item, "name", "") or str(i) for i, item in enumerate(here)]
    return []


def _step(here: Any, key: str, path: str) -> Any:
    if key not in _names(here):
        known = _names(here)
        remedy = f"here there are {listed(known, 'and')}" if known else "there is nothing below"
        raise RobotError(f"unknown path at {key!r}{did_you_mean(key, known)}; {remedy}", _keys(path))
    if isinstance(here, Description):
        return getattr(here, key)
    return here[key] if isinstance(here, dict) else here[_names(here).index(key)]


def _replace(robot: Robot, path: str, value: Any) -> Robot:
    """Return a copy with another value at the path, unchecked; off an inertia's diagonal, the mirror image too."""
    keys = _keys(path)
    changed: Robot = _rebuilt(robot, keys, value)
    if INERTIA in keys[-3:-2] and keys[-1] != keys[-2]:
        changed = _rebuilt(changed, [*keys[:-2], keys[-1], keys[-2]], value)
    return changed


def _rebuilt(here: Any, keys: list[str], value: Any) -> Any:
    if not keys:
        return value
    key, *rest = keys
    new = _rebuilt(_step(here, key, key), rest, value)
    if isinstance(here, Description):
        return here.model_copy(update={key: new})
    if isinstance(here, dict):
        return {**here, key: new}
    index = _names(here).index(key)
    return (*here[:index], new, *here[index + 1 :])


def _given_fields(part: Description) -> Iterator[tuple[str, Any]]:
    """Return the fields of a part that were given, and the one that says which kind of part it is."""
    known = vars(part)
    return ((name, known[name]) for name in part.model_fields_set | {part.chosen_by} if name in known)


def _real_data(part: Any) -> Any:
    """Return plain nested data with the real parts of complex numbers, for a new validation."""
    if isinstance(part, Description):
        return {name: _real_data(value) for name, value in _given_fields(part)}
    if isinstance(part, dict):
        return {name: _real_data(value) for name, value in part.items()}
    if isinstance(part, tuple):
        return [_real_data(value) for value in part]
    return part.real if isinstance(part, complex) else part
