"""A fit as a file says it: the robot, what is to be found, and the records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field
from pydantic_core import ValidationError

from lissom.errors import IdentifyError, LissomError
from lissom.identify.estimation import fit
from lissom.identify.fit_parameters import FitPart, Unknowns
from lissom.identify.fit_result import Fit
from lissom.identify.measured_frequencies import MeasuredFrequency
from lissom.identify.measured_records import Record
from lissom.identify.published.explanations import Explanations, explain
from lissom.identify.published.robot_tables import PublishedTable, RobotTables
from lissom.model.any_robot import as_robot
from lissom.model.description.robot import FORMAT, FormatVersion, Robot
from lissom.model.io.robot_files import builtin_names, text_of
from lissom.model.io.yaml_reader import read
from lissom.model.schema.name_fields import Title
from lissom.model.schema.number_fields import Count, Number
from lissom.model.schema.validation_errors import explain as explained
from lissom.scenario.scenario_schema import RobotSource

START = "start with robot:, parameters: and records:"


class FitFile(FitPart):
    """A whole fit as its file says it, to be run; `lissom.identify.load` reads one."""

    what: ClassVar[str] = "fit"

    lissom: FormatVersion = FORMAT
    name: Annotated[str, Title("the name of the fit")] = "fit"
    robot: Annotated[str | Robot, RobotSource()]
    parameters: Unknowns = Field(description="what is to be found")
    records: tuple[Record, ...] = Field(default=(), description="what was measured: [{data: run.csv, outputs: ...}]")
    held_back: tuple[Record, ...] = Field(default=(), description="records that are not fitted, but judge the fit")
    frequencies: tuple[MeasuredFrequency, ...] = Field(default=(), description="[{frequency: 3.2, mode: 1}]")
    most: Annotated[int, Count("the evaluations of the model at most", 10**6)] = 50
    rtol: Annotated[float, Number("the relative error of runs per step", above=0, below=1)] = 1e-7
    atol: Annotated[float | None, Number("the absolute error of runs per step, rtol / 100 unless given", above=0)] = (
        None
    )
    folder: Annotated[str, Title("where relative paths begin")] = "."

    def run(self, *, progress: bool = True) -> Fit:
        """Make the fit."""
        return fit(
            self.robot,
            self.parameters,
            self.records,
            frequencies=self.frequencies,
            held_back=self.held_back,
            most=self.most,
            folder=self.folder,
            progress=progress,
            rtol=self.rtol,
            atol=self.atol,
        )


class ExplanationFile(FitPart):
    """Published tables and what may explain them, as a file says it, to be run."""

    what: ClassVar[str] = "fit"

    lissom: FormatVersion = FORMAT
    name: Annotated[str, Title("the name of the fit")] = "explanations"
    robot: Annotated[str | Robot, RobotSource()]
    tables: tuple[PublishedTable, ...] = Field(min_length=1, description="[{time: 0.5, values: {quantity: printed}}]")
    explanations: dict[str, dict[str, float | tuple[float, float]]] = Field(
        min_length=1, description="{explanation: {path of the robot: [low, high]}}; one number holds it there"
    )
    folder: Annotated[str, Title("where relative paths begin")] = "."

    def run(self, *, progress: bool = True) -> Explanations:
        """Fit every explanation and weigh them."""
        tables = RobotTables(as_robot(self.robot), self.tables)
        return explain(tables, tables.printed, self.explanations, progress=progress)


def load(path: str | os.PathLike[str]) -> FitFile | ExplanationFile:
    """Read a fit, or explanations of published tables, from its file; relative paths begin in the file's folder."""
    source = os.fspath(path)
    root = read(text_of(Path(path)), source)
    if root is None or not isinstance(root.value, dict):
        raise IdentifyError(f"the file must be a mapping; {START}", source=source)
    data: dict[str, Any] = root.value
    folder = Path(path).parent
    robot = data.get("robot")
    if isinstance(robot, str) and robot.strip() and robot not in builtin_names():
        data = data | {"robot": str(folder / robot)}
    data = {"name": Path(path).stem, "folder": str(folder)} | data
    kind: type[FitFile | ExplanationFile] = ExplanationFile if "explanations" in data else FitFile
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise explained(error, kind, data, source, root.line_of) from None
    except LissomError as error:
        error.add_source(source)
        raise
