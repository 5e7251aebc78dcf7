"""Scenario files: find, read, check. A robot file alone is a free motion of the robot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic_core import ValidationError

from lissom import builtin
from lissom.errors import LissomError, ScenarioError
from lissom.model.io import robot_files
from lissom.model.io.yaml_reader import Node, read
from lissom.model.schema.number_fields import kind_of
from lissom.model.schema.validation_errors import explain
from lissom.scenario import FREE_MOTION
from lissom.scenario.scenario_schema import Scenario

# what needs the robot to be checked
BLOCKS = ("start", "hold", "control", "motion", "loads", "payloads", "sensors", "method")
SHOWING = [name for name in Scenario.model_fields if name not in ("lissom", "name")]  # fields that no robot has
START = "start with robot: and duration: (a scenario), or with lissom: 1, name: and links: (a robot)"


@dataclass(frozen=True)
class LoadedScenario:
    """A scenario and where its values stand."""

    scenario: Scenario
    kind: Literal["scenario", "robot"]
    source: str  # name of the file
    line_of: Callable[[tuple[str | int, ...]], int | None] = lambda path: None

    @property
    def name(self) -> str:
        """The scenario's name, or that of its file."""
        return self.scenario.name or Path(self.source).stem

    def located(self, error: LissomError, changed: Iterable[str] = ()) -> LissomError:
        """Return the error with file and line in front where it names a field of the file.

        Parameters
        ----------
        changed : sequence of str
            Fields whose values come from elsewhere, such as the command line.
        """
        if self.kind == "scenario" and error.path and error.path[0] in BLOCKS and error.path[0] not in changed:
            error.add_source(self.source, self.line_of(error.path))
        return error


def builtin_names() -> list[str]:
    """Return names of the scenarios that come with lissom; each is one of its robots in motion."""
    return builtin.names(builtin.SCENARIOS)


def load(name_or_path: str | os.PathLike[str]) -> Scenario:
    """Load a scenario by the name of a built-in one ("ella"), or by the path of a scenario or robot file."""
    return find(name_or_path).scenario


def find(name_or_path: str | os.PathLike[str]) -> LoadedScenario:
    """Find and check a scenario, with the place of every value; a robot alone moves freely."""
    found = robot_files.find(name_or_path, builtin.SCENARIOS, builtin.ROBOTS)
    mapping = found.root is not None and isinstance(found.root.value, dict)
    if found.holds_robot or (mapping and not any(name in found.fields for name in SHOWING)):
        robot = found.robot()
        return LoadedScenario(Scenario(robot=robot, duration=FREE_MOTION), "robot", os.fspath(name_or_path))
    return _check(found.root, found.source, Path(found.source).parent)


def parse(text: str, source: str, folder: str | os.PathLike[str] = ".") -> LoadedScenario:
    """Read a scenario from the text of a scenario file, whose relative paths begin in `folder`."""
    return _check(read(text, source), source, Path(folder))


def _check(root: Node | None, source: str, folder: Path) -> LoadedScenario:
    if root is None:
        raise ScenarioError(f"the file is empty; {START}", source=source)
    if not isinstance(root.value, dict):
        text = f"the file must be a mapping, not {kind_of(root.value)}; {START}"
        raise ScenarioError(text, source=source, line=root.line)
    data = _resolve_robot_path(root.value, folder)
    try:
        scenario = Scenario.model_validate(data, context={"folder": folder})
    except ValidationError as error:
        raise explain(error, Scenario, data, source, root.line_of) from None
    return LoadedScenario(scenario, "scenario", source, root.line_of)


def _resolve_robot_path(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the data with the path of a robot file as seen from the working folder, not from that of the scenario."""
    robot = data.get("robot")
    if isinstance(robot, str) and robot.strip() and robot not in robot_files.builtin_names():
        return data | {"robot": str(folder / robot)}
    return data
