"""Curves of other runs and of measured data, and error bands, drawn into the charts of a run.

Curves are matched by the names of results, as studies and exported tables write them: position.elbow, torque.elbow,
|deflection.upper|, tip_position.tool.z. In tables a bare coordinate is its position, and `elbow [deg]` has its unit.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.identify.data_tables import FILES, columns
from lissom.messages import listed
from lissom.model.schema.units import fits, heading, parse
from lissom.results.presentation.display_units import ENERGIES
from lissom.results.trajectory import Trajectory
from lissom.study.plan.kept_quantities import Quantity
from lissom.view.figures.chart import Chart, Series

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

TIMES = ("time", "t", "Time", "TIME")
ENERGY = re.compile(rf"(.*\S)\s*\[({'|'.join(ENERGIES)})\]")
RUN_FILE = "trajectory.nc"
VISIBLE = 0.002  # of the height of a chart: narrower error bands are hidden by their curve


@dataclass(frozen=True)
class OverlaidCurves:
    """Curves from elsewhere: another run, or columns of measured data over their time, in SI."""

    label: str
    time: np.ndarray
    run: Trajectory | None = None
    columns: Mapping[str, np.ndarray] | None = None

    def curve(self, key: str) -> np.ndarray | None:
        """Return the curve of that name over its own time; None where there is none."""
        if self.run is not None:
            return _of_run(self.run, key)
        assert self.columns is not None, "an overlay is of a run or of columns"
        return self.columns.get(key)

    def at(self, time: np.ndarray, key: str) -> np.ndarray | None:
        """Return the curve at other times, NaN before its start and after its end."""
        values = self.curve(key)
        if values is None:
            return None
        good = np.isfinite(values)
        if not np.any(good):
            return None
        return np.interp(time, self.time[good], values[good], left=np.nan, right=np.nan)


def read_overlays(run: Trajectory, given: Mapping[str, Any]) -> tuple[OverlaidCurves, ...]:
    """Return what is to be drawn beside a run, by its labels: runs, paths of saved runs, tables or their paths."""
    return tuple(_read(run, label, each) for label, each in given.items())


def finished(run: Trajectory, charts: Iterable[Chart]) -> list[Chart]:
    """Return charts of a run as they are shown: with error bands where they were measured and the curves beside it.

    In the units chosen, without noise.
    """
    return [_with_overlays(_with_bands(chart, run), run.others).shown(run.shown) for chart in charts]


def with_measured(run: Trajectory, charts: Sequence[Chart]) -> list[Chart]:
    """Return charts, and further ones of what was measured and is in none of them."""
    shown = {curve.key for chart in charts for curve in chart.series}
    return [*charts, *_further(run, shown)]


def _with_overlays(chart: Chart, others: Sequence[OverlaidCurves]) -> Chart:
    more = []
    for k, other in enumerate(others):
        for curve in chart.series:
            values = other.at(chart.time, curve.key) if curve.key and not curve.dashed else None
            if values is not None:
                unit = parse(chart.unit)
                shown = values / (unit.size if unit else 1.0)
                more.append(Series(f"{curve.name}, {other.label}", shown, curve.colour, k, True, other.label))
    return replace(chart, series=(*chart.series, *more)) if more else chart


def _with_bands(chart: Chart, run: Trajectory) -> Chart:
    """Return a chart whose curves have error bands, where they would be seen."""
    repeated = None if run.measured is None else run.measured.runs
    if repeated is None or chart.log:
        return chart
    unit = parse(chart.unit)
    size = unit.size if unit else 1.0
    height = max((float(np.ptp(curve.values)) for curve in chart.series), default=0.0)

    def with_band(curve: Series) -> Series:
        if not curve.key or curve.dashed or _of_run(run, curve.key) is None:
            return curve
        error = repeated.errors(lambda one: np.asarray(_of_run(one, curve.key))) / size
        return replace(curve, error=error) if np.any(error > VISIBLE * height) else curve

    return replace(chart, series=tuple(map(with_band, chart.series)))


def _further(run: Trajectory, shown: set[str]) -> list[Chart]:
    """Return charts of what was measured, and is not among the curves shown, as the run has it."""
    names = dict.fromkeys(name for other in run.others for name in other.columns or () if name not in shown)
    made = []
    for name in names:
        values = _of_run(run, name)
        if values is not None:
            unit = Quantity.of(name).measure(run.quantities, run.model, run.q[0]).units
            made.append(Chart(name, "value", unit, run.time, (Series.kth(0, name, values, key=name),)))
    return made


def _of_run(run: Trajectory, key: str) -> np.ndarray | None:
    try:
        quantity = Quantity.of(key)
        found = quantity.measure(run.quantities, run.model, run.q[0])
    except LissomError:
        return None
    return found.values if quantity.over_time and found.dims == ("time",) else None


def _read(run: Trajectory, label: str, given: Any) -> OverlaidCurves:
    if isinstance(given, Trajectory):
        return OverlaidCurves(label, given.time, run=given)
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        if path.is_dir() or path.suffix == ".nc":
            other = Trajectory.load(path / RUN_FILE if path.is_dir() else path)
            return OverlaidCurves(label, other.time, run=other)
        return _of_table(run, label, _file_columns(path), str(path))
    if hasattr(given, "keys"):
        return _of_table(run, label, {str(name): np.asarray(given[name], float) for name in list(given)}, label)
    raise LissomError("must be a run, the path of a run or of a table, or columns by name", ("beside", label), given)


def _file_columns(path: Path) -> dict[str, np.ndarray]:
    """Return all columns of a table, by their headings."""
    if path.suffix.lower() not in FILES:
        raise LissomError(
            f"what is drawn beside a run comes from its folder or from {listed(FILES)} files", source=str(path)
        )
    names = _headings(path)
    return columns(path, names)


def _headings(path: Path) -> list[str]:
    import pandas as pd

    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            import pyarrow.parquet as pq

            return list(pq.read_schema(path).names)
        if suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return list(file.files)
        return list(pd.read_csv(path, nrows=0, sep=None, engine="python", comment="#", skipinitialspace=True).columns)
    except ImportError:
        raise LissomError("Parquet needs the package pyarrow: pip install lissom[parquet]", source=str(path)) from None
    except (OSError, ValueError) as error:
        raise LissomError(
            f"cannot be read ({error}); give a table with names over its columns", source=str(path)
        ) from None


def _of_table(run: Trajectory, label: str, table: Mapping[str, ArrayLike], source: str) -> OverlaidCurves:
    """Return columns that mean something to a run, in SI; the others are left out, unless all are."""
    found: dict[str, np.ndarray] = {}
    time = None
    unknown = []
    for title, values in table.items():
        name, unit = heading(title)
        energy = ENERGY.fullmatch(title)
        name, size = (energy[1], ENERGIES[energy[2]]) if energy else (name, 1.0 if unit is None else unit.size)
        numbers = np.asarray(values, float) * size
        if name in TIMES and time is None:
            time = numbers
            continue
        key = f"position.{name}" if run.numbers.has(name) else name
        if _of_run(run, key) is None:
            unknown.append(name)
            continue
        if unit is not None:
            si = Quantity.of(key).measure(run.quantities, run.model, run.q[0]).units
            if not fits(unit, si):
                raise LissomError(f"column {title!r} is in a unit that {key} cannot have; it is in {si}", source=source)
        found[key] = numbers
    if time is None:
        raise LissomError(f"has no column of times; name one of its columns {TIMES[0]!r}", source=source)
    if not found:
        example = f"position.{run.model.q_names[0]}" if run.model.q_names else "tip_position.LINK.x"
        there = f" ({listed(unknown, 'and')})" if unknown else ""
        text = f"none of its columns{there} is a quantity of {run.model.robot.name}"
        raise LissomError(f"{text}; name them as exported tables do, such as {example!r}", source=source)
    if unknown:
        what = f"columns that are no quantities of {run.model.robot.name} are left out"
        warnings.warn(f"{source}: {what}: {listed(unknown, 'and')}", stacklevel=6)
    return OverlaidCurves(label, time, columns=found)
