"""What comes with lissom, and robots by any name that a command takes."""

from __future__ import annotations

from importlib import resources
from typing import Any, NamedTuple

from lissom.model import Robot, builtin_names
from lissom.scenario.files import builtin_names as scenario_names
from lissom.scenario.files import builtin_text, find, parse
from lissom.scenario.schema import FREE_MOTION, Scenario


class Entry(NamedTuple):
    """A line of `lissom list`."""

    name: str
    links: int
    flexible: int
    run: str  # what `lissom run` does with it
    about: str


def entries() -> list[Entry]:
    """Every built-in name."""
    return [_entry(name) for name in builtin_names()]


def robot_of(name: str, settings: list[tuple[str, Any]]) -> tuple[Robot, Scenario | None]:
    """A robot by name or path, with values changed; and the scenario, where that is what the file holds."""
    scenario = None
    if name in builtin_names():
        from lissom.model import load

        robot = load(name)
    else:
        loaded = find(name)
        scenario = loaded.scenario if loaded.kind == "scenario" else None
        robot = loaded.scenario.load_robot()
    for path, value in settings:
        robot = robot.with_value(path.removeprefix("robot."), value)
    return robot, scenario


def _entry(name: str) -> Entry:
    text = (resources.files("lissom.model") / "robots" / f"{name}.yaml").read_text(encoding="utf-8")
    robot = Robot.from_yaml(text)
    size = len(robot.links), sum(link.flexible for link in robot.links)
    if name not in scenario_names():
        return Entry(name, *size, f"free motion, {FREE_MOTION:g} s", "Let go at rest from zero")
    told = builtin_text(name)
    scenario = parse(told, name).scenario
    return Entry(name, *size, f"{_kind(scenario)}, {scenario.duration:g} s", _first_sentence(told))


def _kind(scenario: Scenario) -> str:
    if scenario.control is not None:
        return {"pd": "PD control"}.get(scenario.control.type, scenario.control.type.replace("-", " "))
    return "prescribed" if scenario.motion else "free motion"


def _first_sentence(text: str) -> str:
    """Of the comment at the top of a file."""
    comment = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# "))
    return " ".join(comment).split(". ")[0].rstrip(".")
