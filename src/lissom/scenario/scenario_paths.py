"""A scenario as plain data, and copies of it with another value at a path."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from lissom.errors import RobotError, ScenarioError
from lissom.messages import did_you_mean, listed
from lissom.model import Robot
from lissom.model.description.joint_kinds import KINDS
from lissom.model.io.robot_paths import get, unit_at_joint, unit_of
from lissom.model.io.to_dict import fields
from lissom.model.schema.base_model import Description
from lissom.model.schema.units import JointUnit
from lissom.scenario.scenario_schema import Scenario

FIRST = ("lissom", "name", "robot", "duration")  # fields of a file in the order of reading
ROBOT = ("gravity", "materials", "links", "loops", "elements", "actuators", "contacts")


def plain(scenario: Scenario, whole_robot: bool = True) -> dict[str, Any]:
    """Return mapping of lists, numbers and text without defaults; the robot as its mapping, or as the object it is."""
    data: dict[str, Any] = {}
    known = type(scenario).model_fields
    for name in sorted(known, key=lambda name: name not in FIRST):
        field = known[name]
        value = getattr(scenario, name)
        if name == "robot":
            data[name] = value.to_dict() if isinstance(value, Robot) and whole_robot else value
        elif name == "output":
            defaults = type(value).model_fields
            changed = {key: getattr(value, key) for key in defaults}
            data[name] = {key: inner for key, inner in changed.items() if inner != defaults[key].default}
        elif name != "lissom" and (field.is_required() or value != field.default):
            data[name] = _lists(value)
    return data if data["output"] else {name: value for name, value in data.items() if name != "output"}


def replace_values(scenario: Scenario, changes: Iterable[tuple[str, Any]]) -> Scenario:
    """Return a copy with other values at paths of the scenario or its robot, checked once all are in place."""
    of_robot, others = [], []
    for path, value in changes:
        head, _, rest = path.partition(".")
        if head in ROBOT or (head == "robot" and rest):
            of_robot.append((rest if head == "robot" else path, value))
        else:
            others.append((path, value))
    if others:
        scenario = _with_others(scenario, others)
    return scenario.model_copy(update={"robot": scenario.load_robot().with_values(of_robot)}) if of_robot else scenario


def value_at(scenario: Scenario, path: str) -> Any:
    """Return the value at a path of the scenario or of its robot; None where none is given."""
    head, _, rest = path.partition(".")
    if head in ROBOT or (head == "robot" and rest):
        try:
            return get(scenario.load_robot(), rest if head == "robot" else path)
        except RobotError:
            return None
    here: Any = plain(scenario, whole_robot=False)
    while path:
        if isinstance(here, list):
            here = {str(k): one for k, one in enumerate(here)}
        key = _longest(here, path) if isinstance(here, dict) else None
        if key is None:
            return None
        here, path = here[key], path[len(key) + 1 :]
    return here


def unit_at(scenario: Scenario, path: str) -> str:
    """Return the SI unit of the number at a path of the scenario or its robot; empty where none is known."""
    robot, (head, _, rest) = scenario.load_robot(), path.partition(".")
    try:
        if head in ROBOT or (head == "robot" and rest):
            return unit_of(robot, rest if head == "robot" else path)
    except RobotError:
        return ""
    kinds = {link.joint.name: link.joint.type for link in robot.links}
    if head == "start":
        moved = set(KINDS[kinds[rest]].velocity_units) if rest in kinds else set()
        return moved.pop() if len(moved) == 1 else ""
    said: str | JointUnit = ""
    kind, rest = "", path
    here: Any = scenario
    while rest:
        key = _longest(here, rest) if isinstance(here, dict) else rest.partition(".")[0]
        if isinstance(here, Description) and key in type(here).model_fields:
            said = next((mark.unit for mark in type(here).model_fields[key].metadata if hasattr(mark, "unit")), "")
            here = getattr(here, key)
        elif isinstance(here, dict) and key is not None:
            kind, here = kinds.get(key, kind), here[key]
        else:
            return ""
        rest = rest[len(key) + 1 :]
    return unit_at_joint(said, kind)


def _with_others(scenario: Scenario, changes: Iterable[tuple[str, Any]]) -> Scenario:
    """Replace values of its own; what lies beside them are the same objects."""
    before, changed, changes = plain(scenario, whole_robot=False), set(), list(changes)
    data = dict(before)
    for path, value in changes:
        head, _, rest = path.partition(".")
        if head == "start" and rest:  # names of coordinates have dots of their own
            data[head] = data.get(head, {}) | {rest: value}
        else:
            data[_check_known(head, path)] = _set_value(data.get(head), rest, value, path)
        changed |= {head, "hold"} if head == "start" else {head}
    try:
        made = Scenario.from_dict(data)
    except ScenarioError:
        for path, _ in changes:
            _check_spelling(before, path)
        raise
    return made.model_copy(update={name: getattr(scenario, name) for name in Scenario.model_fields.keys() - changed})


def _check_known(head: str, path: str) -> str:
    known = [name for name in Scenario.model_fields if name != "lissom"]
    if head not in known:
        hint = did_you_mean(head, [*known, *ROBOT])
        raise ScenarioError(
            f"unknown path at {head!r}{hint}; a scenario has {listed(known, 'and')}, its robot {listed(ROBOT, 'and')}",
            path.split("."),
        )
    return head


def _set_value(here: Any, path: str, value: Any, whole: str) -> Any:
    """Return `here` with the value at the path below it; mappings that are not there yet are made."""
    if not path:
        return value
    if isinstance(here, list):
        head, _, rest = path.partition(".")
        if not head.isdecimal() or int(head) >= len(here):
            text = f"unknown path at {head!r}; here are the items 0 to {len(here) - 1} of a list"
            raise ScenarioError(text, whole.split("."))
        changed = copy.copy(here)
        changed[int(head)] = _set_value(here[int(head)], rest, value, whole)
        return changed
    if here is not None and not isinstance(here, dict):
        raise ScenarioError(f"unknown path at {path!r}; there is nothing below", whole.split("."))
    mapping = here or {}
    # A key with dots, such as shoulder.1, goes before the plain word.
    head = _longest(mapping, path) or path.partition(".")[0]
    return mapping | {head: _set_value(mapping.get(head), path[len(head) + 1 :], value, whole)}


def _check_spelling(here: Any, path: str) -> None:
    """Refuse a path whose first key that is not there looks like one that is."""
    rest = path
    while isinstance(here, dict) and (key := _longest(here, rest)) is not None:
        here, rest = here[key], rest[len(key) + 1 :]
    word = rest.partition(".")[0]
    hint = did_you_mean(word, here) if isinstance(here, dict) and word else ""
    if hint:
        raise ScenarioError(f"unknown path at {word!r}{hint}; here there are {listed(here, 'and')}", path.split("."))


def _longest(mapping: dict[str, Any], path: str) -> str | None:
    """Return the longest key that a path begins with."""
    return max((key for key in mapping if path == key or path.startswith(f"{key}.")), key=len, default=None)


def _lists(value: Any) -> Any:
    if isinstance(value, Description):
        return fields(value)
    if isinstance(value, dict):
        return {key: _lists(inner) for key, inner in value.items()}
    return [_lists(inner) for inner in value] if isinstance(value, list | tuple) else value
