"""Charts as plain data: what figures, pages and the live view draw of a run over time, each in its own way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lissom.view.figures.figure_style import COLOURS

if TYPE_CHECKING:
    from lissom.results.presentation.presentation import Presentation
    from lissom.results.trajectory import Trajectory

SAMPLES = 4000  # of a curve at most; peaks are kept
PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
PREFIXED = ("N", "J")  # how units begin that take a prefix


@dataclass(frozen=True)
class Series:
    """One curve of a chart.

    Parameters
    ----------
    name : str
        Its name in the legend.
    values : array (N,)
        One value per time of the chart.
    colour : str
        Such as "#0072B2".
    turn : int
        How often the colours were used up before: figures draw the curves of each turn with dashes of their own.
    dashed : bool
        Whether it is no result but what a result is compared with, such as a set-point.
    group : str
        Several curves with one entry in the legend.
    key : str
        Its name as a quantity of results, such as "position.elbow": what other runs and measured data call it.
    error : array (N,), optional
        By how much the values may be off, drawn as a band; infinite where nobody knows.
    """

    name: str
    values: np.ndarray
    colour: str
    turn: int = 0
    dashed: bool = False
    group: str = ""
    key: str = ""
    error: np.ndarray | None = None

    def scaled(self, factor: float) -> Series:
        """Return the curve with values and errors times a factor."""
        error = None if self.error is None else factor * self.error
        return replace(self, values=factor * self.values, error=error)

    @classmethod
    def kth(cls, k: int, name: str, values: np.ndarray, key: str = "") -> Series:
        """Return the k-th curve of a chart, in the colour that is its turn."""
        return cls(name, values, COLOURS[k % len(COLOURS)], k // len(COLOURS), key=key)


@dataclass(frozen=True)
class Chart:
    """Curves over one time axis.

    Parameters
    ----------
    title, quantity, unit : str
        What stands above the chart and beside its vertical axis.
    time : array (N,)
        Times, s.
    series : tuple of Series
        The curves.
    log : bool
        Whether the vertical axis is logarithmic.
    place : str
        Part of the page that it stands in; that of most unless given.
    detail : str
        What a figure says behind the title.
    sizes : bool
        Whether values are norms, so that the vertical axis begins at zero.
    steps : bool
        Whether values hold until the next time.
    """

    title: str
    quantity: str
    unit: str
    time: np.ndarray
    series: tuple[Series, ...]
    log: bool = False
    place: str = ""
    detail: str = ""
    sizes: bool = False
    steps: bool = False

    @property
    def label(self) -> str:
        """Text beside the vertical axis."""
        return f"{self.quantity} [{self.unit}]"

    def prefixed(self, below: float, small: bool = False) -> Chart:
        """Return the chart in thousands or millions of its unit, where its values are not below a limit otherwise.

        With `small` also in thousandths, millionths and less.
        """
        most = max((float(np.nanmax(np.abs(s.values), initial=0.0)) for s in self.series), default=0.0)
        usable = [p for p, size in PREFIXES.items() if small or size >= 1.0]
        prefix = next((p for p in usable if most < PREFIXES[p] * below), usable[-1])
        if not prefix or not most or self.unit[:1] not in PREFIXED:
            return self
        scaled = tuple(s.scaled(1 / PREFIXES[prefix]) for s in self.series)
        return replace(self, unit=prefix + self.unit, series=scaled)

    def shown(self, how: Presentation) -> Chart:
        """Return the chart in the units chosen; curves that are nothing but noise are zero."""
        if self.log:
            return self
        curves, unit = how.curves([curve.values for curve in self.series], self.unit)
        if unit == self.unit and all(new is old.values for new, old in zip(curves, self.series, strict=True)):
            return self
        series = tuple(
            replace(curve, values=values, error=_stretched(curve, values))
            for curve, values in zip(self.series, curves, strict=True)
        )
        return replace(self, unit=unit, series=series)

    def thinned(self, samples: int = SAMPLES) -> Chart:
        """Return the chart with at most about `samples` times; the extremes of every stretch are among them."""
        count = len(self.time)
        if count <= samples:
            return self
        stretches = np.array_split(np.arange(count), max(1, samples // (2 * len(self.series))))
        keep = {0, count - 1}
        for rows in stretches:
            for curve in self.series:
                part = np.nan_to_num(curve.values[rows])
                keep |= {int(rows[part.argmin()]), int(rows[part.argmax()])}
        at = np.array(sorted(keep))
        thin = tuple(
            replace(s, values=s.values[at], error=None if s.error is None else s.error[at]) for s in self.series
        )
        return replace(self, time=self.time[at], series=thin)


def _stretched(curve: Series, values: np.ndarray) -> np.ndarray | None:
    """Return the errors of a curve whose values are in another unit now, or zero because they are noise."""
    before, now = (float(np.nanmax(np.abs(each), initial=0.0)) for each in (curve.values, values))
    return curve.error * (now / before) if curve.error is not None and now else None


def quantity_charts(run: Trajectory, name: str) -> list[Chart]:
    """Return charts of any quantity of a run, one per unit, and of vectors one per vector.

    Parameters
    ----------
    run : Trajectory
        A run.
    name : str
        Name of a quantity, such as "element_force".

    Returns
    -------
    list of Chart
        Empty where the run does not have the quantity.
    """
    if name not in run.quantities:
        return []
    variable = run.quantities.variables[name]
    text = str(variable.attrs["long_name"])
    *owners, last = [run.quantities.labels(dim) for dim in variable.dims[1:]] or [[name.replace("_", " ")]]
    values = variable.values.reshape(len(run.time), -1, len(last))
    labels = [".".join(row) for row in _rows(owners)]
    units = run.quantities.column_units(name)
    return [
        Chart(
            text.capitalize() + (f": {label}" if label else ""),
            name.replace("_", " "),
            unit,
            run.time,
            tuple(Series.kth(n, last[k], values[:, row, k]) for n, k in enumerate(_where(units, unit))),
        )
        for row, label in enumerate(labels)
        for unit in dict.fromkeys(units)
    ]


def _rows(owners: list[list[str]]) -> Iterable[tuple[str, ...]]:
    """Yield the labels of every vector of a quantity."""
    rows: list[tuple[str, ...]] = [()]
    for names in owners:
        rows = [(*row, name) for row in rows for name in names]
    return rows


def _where(units: list[str], unit: str) -> list[int]:
    return [k for k, each in enumerate(units) if each == unit]
