"""The results of a study: data, a table, the most important inputs, and every run again."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.errors import StudyError
from lissom.messages import listed
from lissom.study.plan.run_plan import FINISHED
from lissom.study.store.sobol_ranking import first_order_indices
from lissom.study.store.zarr_store import Store, open_store

if TYPE_CHECKING:
    import xarray as xr
    from rich.table import Table

    from lissom.results.error_bars import ErrorBar
    from lissom.results.trajectory import Trajectory
    from lissom.study.plan.study_schema import Study

SHOWN = 100  # failed runs that a summary lists


class Results(printing.Printed):
    """What a study found.

    >>> results = lissom.study.open_results("payloads.zarr")
    >>> results.data["sag"], results.ranking(), results.trajectory(17)
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    @cached_property
    def study(self) -> Study:
        """The study, as it was when it was begun."""
        return self.store.study()

    @cached_property
    def data(self) -> xr.Dataset:
        """Varied quantities and outputs with a dimension `run`; read when looked at."""
        return self.store.dataset()

    def values(self, name: str) -> np.ndarray:
        """Return the numbers of a varied quantity or an output, (runs, ...)."""
        with self.store.reading(name):
            return np.asarray(self.data[name].values)

    @property
    def complete(self) -> bool:
        """Whether every run is stored."""
        return not self.store.missing()

    def trajectory(self, run: int, **options: Any) -> Trajectory:
        """Simulate one run again, whole, from its row alone."""
        if not 0 <= run < len(self.study):
            raise StudyError(f"there are runs 0 to {len(self.study) - 1}", ("run",), run)
        return self.study.runs.trajectory(run, **options)

    def trust(self, count: int = 3) -> dict[int, dict[str, ErrorBar]]:
        """Return error bars of the outputs of so many runs, evenly spread: {run: {output: ErrorBar}}."""
        from lissom.study.plan.sampled_trust import sampled_trust

        return sampled_trust(self.study.runs, count)

    def inputs(self) -> dict[str, np.ndarray]:
        """Return varied quantities, (runs,) each: numbers, or words such as the names of materials."""
        return {str(name): self.values(name) for name in self.study.vary}

    def outputs(self) -> dict[str, np.ndarray]:
        """Return outputs that are one number per run, (runs,) each; nan where a run failed."""
        return {str(name): self.values(name) for name in self.study.outputs if self.data[name].ndim == 1}

    def ranking(self) -> dict[str, dict[str, float]]:
        """Return the share of each output's variance that each input explains alone (first-order Sobol), 0 to 1.

        nan where fewer than eight runs have a result: they do not tell.
        """
        inputs = self.inputs()
        return {name: first_order_indices(inputs, values) for name, values in self.outputs().items()}

    def table(self) -> Table:
        """Return least, mean and largest value of every output, and what moves it most."""
        table = printing.table("output", "least", "mean", "largest", "unit", "moved most by", title=self._title())
        ranking = self.ranking()
        for name, values in self.outputs().items():
            finite = values[np.isfinite(values)]
            numbers = [f"{x:.5g}" for x in (finite.min(), finite.mean(), finite.max())] if len(finite) else ["-"] * 3
            shares = sorted(((field, share) for field, share in ranking[name].items() if share > 0.02), key=_by_share)
            most = listed([f"{field} ({share:.0%})" for field, share in shares[:2]] or ["-"], "and")
            table.add_row(name, *numbers, self.data[name].attrs.get("units", ""), most)
        for name in (name for name in self.study.outputs if name not in ranking):
            table.add_row(name, "over time", "", "", self.data[name].attrs.get("units", ""), "")
        return table

    @property
    def finished(self) -> int:
        """How many runs finished."""
        return int((self.values("status") == FINISHED).sum())

    def to_dict(self) -> dict[str, Any]:
        """Return counts, ranges, ranking and what went wrong, as plain data."""
        cause, status = self.values("cause"), self.values("status")
        failed = {int(k): str(cause[k]) for k in np.flatnonzero(status > FINISHED)[:SHOWN]}
        ranges = {}
        for name, values in self.outputs().items():
            good = values[np.isfinite(values)]
            ranges[name] = (
                {"least": float(good.min()), "mean": float(good.mean()), "largest": float(good.max())}
                if len(good)
                else None
            )
        return {
            "study": self.study.name,
            "store": self.store.address,
            "runs": len(status),
            "finished": self.finished,
            "failed": failed,
            "outputs": ranges,
            "ranking": {name: {k: _plain(share) for k, share in all_.items()} for name, all_ in self.ranking().items()},
        }

    def plot(self, *outputs: str) -> Any:
        """Draw every output against every input, and parallel coordinates, as a matplotlib figure."""
        from lissom.view.figures.study_figures import plot_study

        return plot_study(self, *outputs)

    def page(self, path: str | os.PathLike[str]) -> Path:
        """Write one HTML file with all runs as lines and points, and the ranking; it opens without a network."""
        from lissom.view.pages.study_page import save

        return save(self, path)

    def _title(self) -> str:
        status = self.values("status")
        good, stored = self.finished, int((status >= 0).sum())
        failed = f", {stored - good} did not finish" if stored > good else ""
        missing = f", {len(status) - stored} still to be computed" if stored < len(status) else ""
        return f"{self.study.name}: {good} runs{failed}{missing}"


def _by_share(pair: tuple[str, float]) -> float:
    return -pair[1]


def _plain(share: float) -> float | None:
    return float(share) if np.isfinite(share) else None


def open_results(address: str | os.PathLike[str]) -> Results:
    """Return the results of a study by the address of its store, finished or not."""
    return Results(open_store(address))
