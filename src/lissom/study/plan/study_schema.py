"""The study as a user writes it: a scenario, what varies in it, how that is sampled, and what is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from lissom.errors import LissomError, StudyError
from lissom.model.description.robot import FORMAT, FormatVersion
from lissom.model.io.to_dict import fields
from lissom.model.schema.name_fields import Title
from lissom.model.schema.number_fields import Checked, Count, kind_of, refusal
from lissom.model.schema.written_forms import TEXT, Schema, SchemaOf, named, several, union
from lissom.scenario.scenario_files import load as load_scenario
from lissom.scenario.scenario_schema import Scenario
from lissom.scenario.tasks import load_task
from lissom.study.plan.kept_quantities import EXAMPLE, quantities
from lissom.study.plan.run_plan import Runs, check_units
from lissom.study.plan.sampling import AnyVaried, Normal, Range, Sampling, StudyPart, Values, Variations, sample_runs

if TYPE_CHECKING:
    from lissom.study.store.study_results import Results

CHUNK = 100  # runs that are written together, unless given
START = "start with scenario:, vary: and outputs:"


@dataclass(frozen=True)
class ScenarioSource(Checked):
    """The scenario of a study: a name, a path, or the whole description."""

    remedy: str = "give the name of a built-in scenario, the path of a scenario file, or the scenario as a mapping"

    def check(self, value: Any) -> Scenario:
        """Return the scenario, or refuse what is none."""
        if isinstance(value, Scenario):
            return value
        if isinstance(value, dict):
            return Scenario.model_validate(value)
        if isinstance(value, str) and value.strip():
            try:
                return load_scenario(value)
            except LissomError as error:
                raise refusal(str(error)) from None
        raise refusal(f"must be a name, a path or a mapping, not {kind_of(value)}; {self.remedy}")

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union(TEXT, of(Scenario))


@dataclass(frozen=True)
class Outputs(Checked):
    """Quantities by name."""

    remedy: str = f"give a list of quantities such as {EXAMPLE!r}, or {{name: quantity}}"

    def check(self, value: Any) -> dict[str, str]:
        """Return the outputs by name, or refuse what is none."""
        try:
            return {name: quantity.text for name, quantity in quantities(value).items()}
        except LissomError as error:
            raise refusal(f"{error.text}" if error.path == ("outputs",) else str(error)) from None

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union(TEXT, several(TEXT), named(TEXT))


class Study(StudyPart):
    """Many runs of one scenario.

    >>> study = Study(
    ...     scenario="ella",
    ...     vary={"links.forearm.beam.masses.0.mass": {"from": 0.5, "to": 3, "points": 20}},
    ...     outputs={"sag": "peak |deflection.upper|"},
    ... )
    >>> results = study.run("payloads.zarr")
    """

    what: ClassVar[str] = "study"

    lissom: FormatVersion = FORMAT
    name: Annotated[str, Title("the name of the study")] = "study"
    scenario: Annotated[Scenario, ScenarioSource()]
    vary: dict[str, Annotated[Range | Normal | Values, AnyVaried()]] = Field(
        min_length=1, description="what differs from run to run, {path: [values]}, {path: {from: , to: }} and so on"
    )
    sampling: Sampling = Sampling()
    outputs: Annotated[dict[str, str], Outputs()]
    chunk: Annotated[int, Count("how many runs are written together", 10**6, at_least=1)] = CHUNK

    @cached_property
    def variations(self) -> Variations:
        """The values of every run."""
        return sample_runs(self.vary, self.sampling)

    @cached_property
    def runs(self) -> Runs:
        """The runs, to be computed."""
        for name, varied in self.vary.items():
            for path in varied.fields or (name,):
                check_units(self.scenario, path, varied.texts)
        return Runs(self.scenario, self.variations, quantities(self.outputs))

    def __len__(self) -> int:
        return len(self.variations)

    def run(
        self,
        store: str | os.PathLike[str],
        *,
        cores: int | None = None,
        cluster: Any = None,
        progress: bool = True,
    ) -> Results:
        """Compute what the store does not hold yet, and open it.

        Parameters
        ----------
        store : str or path
            A folder such as "payloads.zarr", or an address that fsspec knows, such as "s3://bucket/payloads".
        cores : int, optional
            Processes on this machine, all unless given.
        cluster
            The address of a Dask scheduler, or a `distributed.Client`, in place of processes here.
        progress : bool
            Show how far it is and how long it will take.
        """
        from lissom.study.execution.study_execution import execute

        return execute(self, store, cores=cores, cluster=cluster, progress=progress)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with the whole scenario and robot: everything that decides the results."""
        scenario = self.scenario.model_copy(update={"robot": self.scenario.load_robot()})
        return {
            "name": self.name,
            "scenario": scenario.to_dict(),
            "vary": {name: _plain(fields(varied)) for name, varied in self.vary.items()},
            "sampling": fields(self.sampling),
            "outputs": dict(self.outputs),
            "chunk": self.chunk,
        }


def _plain(data: Any) -> Any:
    """Return tuples as lists, so that data equals what comes back from a file."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(value) for value in data] if isinstance(data, list | tuple) else data


def load(path: str | os.PathLike[str]) -> Study:
    """Read a study from its file; relative paths in it begin in the folder of the file."""
    return load_task(path, lambda _: Study, StudyError, START)
