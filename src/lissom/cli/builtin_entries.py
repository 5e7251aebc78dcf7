"""What comes with lissom, and robots by any name that a command takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lissom import builtin
from lissom.builtin import ROBOTS, SCENARIOS
from lissom.model.io.yaml_reader import read
from lissom.scenario import FREE_MOTION

if TYPE_CHECKING:
    from lissom.model import Robot
    from lissom.scenario import Scenario


class BuiltinEntry(NamedTuple):
    """A line of `lissom list`."""

    name: str
    links: int
    flexible: int
    run: str  # what `lissom run` does with it
    about: str


def entries() -> list[BuiltinEntry]:
    """Return every built-in name: robots, and scenarios in which one of them differs."""
    return [_entry(name) for name in sorted({*builtin.names(ROBOTS), *builtin.names(SCENARIOS)})]


def robot_of(name: str, settings: list[tuple[str, Any]]) -> tuple[Robot, Scenario | None]:
    """Return a robot by name or path, with values changed; and the scenario, where that is what the file holds."""
    scenario = None
    if name in builtin.names(ROBOTS):
        from lissom.model import load

        robot = load(name)
    else:
        from lissom.scenario.scenario_files import find

        loaded = find(name)
        scenario = loaded.scenario if loaded.kind == "scenario" else None
        robot = loaded.scenario.load_robot()
    for path, value in settings:
        robot = robot.with_value(path.removeprefix("robot."), value)
    return robot, scenario


def _entry(name: str) -> BuiltinEntry:
    """Return an entry from the data of its file alone: checks would take longer than all the rest."""
    told = builtin.text(SCENARIOS, name) if name in builtin.names(SCENARIOS) else ""
    scenario = _data(told) if told else {"robot": name}
    links = _data(builtin.text(ROBOTS, scenario["robot"]))["links"]
    size = len(links), sum("body" not in link for link in links)
    if not told:
        return BuiltinEntry(name, *size, f"free motion, {FREE_MOTION:g} s", "Let go at rest from zero")
    return BuiltinEntry(name, *size, f"{_kind(scenario)}, {scenario['duration']:g} s", _first_sentence(told))


def _data(text: str) -> dict[str, Any]:
    root = read(text, "built in")
    assert root is not None
    return root.value


def _kind(scenario: dict[str, Any]) -> str:
    control = scenario.get("control")
    if control is not None:
        return {"pd": "PD control"}.get(control["type"], control["type"].replace("-", " "))
    return "prescribed" if scenario.get("motion") else "free motion"


def _first_sentence(text: str) -> str:
    """Return the first sentence of the comment at the top of a file."""
    comment = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if line.startswith("# yaml-language-server"):  # for editors
            continue
        comment.append(line.lstrip("# "))
    return " ".join(comment).split(". ")[0].rstrip(".")
