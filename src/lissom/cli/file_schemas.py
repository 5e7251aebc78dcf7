"""JSON Schemas of all files that lissom reads, for editors; a copy of each lies in the folder `lissom/schemas`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.schema.json_schema import json_schema

TITLES = {
    "robot": "A robot of lissom",
    "scenario": "A scenario of lissom: a robot, and what it does",
    "study": "A study of lissom: many runs of one scenario",
    "fit": "A fit of lissom: a robot whose numbers are found from measurements",
    "task": "A task of lissom: the best motion, or the lightest sections",
}


def file_schema(kind: str, linked: bool = False) -> dict[str, Any]:
    """Return the JSON Schema of a kind of file.

    Parameters
    ----------
    kind : str
        One of `TITLES`.
    linked : bool
        Whether robots and scenarios inside are those of the schemas beside it; else it is complete in itself.
    """
    if kind not in TITLES:
        raise LissomError(f"is unknown{did_you_mean(kind, TITLES)}; choose {listed(TITLES)}", ("kind",), kind)
    from lissom.model.description.robot import Robot
    from lissom.scenario.scenario_schema import Scenario

    files: dict[type, str] = {Robot: "robot", Scenario: "scenario"}
    elsewhere = {type: f"{name}.json#/definitions/{type.__name__}" for type, name in files.items() if name != kind}
    return json_schema(_type(kind), TITLES[kind], elsewhere if linked else {})


def write_schemas(folder: Path) -> None:
    """Write the schemas of all kinds into a folder: `robot.json` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in TITLES:
        (folder / f"{kind}.json").write_text(schema_text(file_schema(kind, linked=True)), encoding="utf-8")


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as the text of its file."""
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False) + "\n"


def _type(kind: str) -> Any:
    """Return the class, or the union of classes, that a kind of file holds."""
    if kind == "robot":
        from lissom.model.description.robot import Robot
        from lissom.model.importers.denavit_hartenberg import DhFile
        from lissom.model.importers.urdf import Overlay

        return Robot | Overlay | DhFile
    if kind == "scenario":
        from lissom.scenario.scenario_schema import Scenario

        return Scenario
    if kind == "study":
        from lissom.study.plan.study_schema import Study

        return Study
    if kind == "fit":
        from lissom.identify.fit_schema import FitFile

        return FitFile
    from lissom.optimise.motion_schema import Motion
    from lissom.optimise.sizing_schema import Sizing

    return Motion | Sizing
