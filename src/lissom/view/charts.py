"""What a page shows over time: charts as plain data, the same for a report, a notebook and the live page.

The same colour means the same joint, and the link that it carries, as in the figures of `lissom.view.plots`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lissom.simulation.lookup import joint_names
from lissom.view import series
from lissom.view.series import AXES, MEANING, shown
from lissom.view.style import COLOURS, GREY, INK

if TYPE_CHECKING:
    from lissom.simulation.trajectory import Trajectory

SAMPLES = 4000  # of a curve at most; peaks are kept


@dataclass(frozen=True)
class Series:
    """One curve."""

    name: str
    values: np.ndarray  # (N,)
    colour: str
    dashed: bool = False
    group: str = ""  # several curves with one entry in the legend


@dataclass(frozen=True)
class Chart:
    """Curves over one time axis."""

    title: str
    quantity: str
    unit: str
    time: np.ndarray  # (N,) s
    series: tuple[Series, ...]

    @property
    def label(self) -> str:
        """Text beside the vertical axis."""
        return f"{self.quantity} [{self.unit}]"

    def thinned(self, samples: int = SAMPLES) -> Chart:
        """The chart with at most about `samples` times; the extremes of every stretch are among them."""
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
        fewer = tuple(Series(s.name, s.values[at], s.colour, s.dashed, s.group) for s in self.series)
        return Chart(self.title, self.quantity, self.unit, self.time[at], fewer)


def charts(run: Trajectory) -> list[Chart]:
    """Joints with their references, deflections, torques, joint wrenches, tip, energy; the most telling two first."""
    made = _joints(run)[:1]
    made += [_deflections(run)] if run.model.flexible else []
    made += [*_joints(run)[1:], *_torques(run)]
    made += [_wrenches(run, "torque"), _wrenches(run, "force"), _tip(run), _energy(run)]
    return made


def compared(runs: Mapping[str, Trajectory]) -> list[Chart]:
    """Charts with one curve per run: joint coordinates, tip, deflections and joint wrenches; the first run is solid."""
    first = next(iter(runs.values()))
    made = []
    for body in first.lookup.moving():
        for name in joint_names(body, "q"):
            values = {label: run[name].values for label, run in runs.items()}
            unit = str(first[name].attrs["units"])
            made.append(_several(runs, f"Joint {name}", MEANING[unit], unit, values))
    last = first.model.links[-1]
    for k, axis in enumerate(AXES):
        values = {label: run.tip(last).values[:, k] for label, run in runs.items()}
        made.append(_several(runs, f"Tip of {last}, {axis}", "position", "m", values))
    for link in first.model.flexible:
        values = {label: series.deflection(run, link) for label, run in runs.items()}
        made.append(_several(runs, f"Tip deflection of {link}", "deflection", "mm", values))
    for body in shown(first):
        for part, (_, unit) in series.WRENCH.items():
            values = {label: series.wrench(run, body.joint, part) for label, run in runs.items()}
            made.append(_several(runs, f"{part.capitalize()} through {body.joint}", part, unit, values))
    return made


def _several(
    runs: Mapping[str, Trajectory], title: str, quantity: str, unit: str, values: Mapping[str, np.ndarray]
) -> Chart:
    time = next(iter(runs.values())).time
    curves = []
    for k, (label, run) in enumerate(runs.items()):
        same = len(run.time) == len(time) and np.array_equal(run.time, time)
        there = values[label] if same else np.interp(time, run.time, values[label], right=np.nan)
        curves.append(Series(label, there, COLOURS[k % len(COLOURS)], dashed=k > 0))
    return Chart(title, quantity, unit, time, tuple(curves))


def _joints(run: Trajectory) -> list[Chart]:
    made = []
    by_unit = series.joints_by_unit(run)
    for unit, names in sorted(by_unit.items(), key=lambda item: ("rad", "m", "1").index(item[0])):
        curves = []
        for (name, _), look in zip(names, series.looks(run, names), strict=True):
            goal = series.reference(run, name)
            if goal is not None:
                curves.append(Series(f"{name}, reference", goal, look["color"], dashed=True, group="reference"))
            curves.append(Series(name, run[name].values, look["color"]))
        made.append(Chart(series.joint_title(unit), MEANING[unit], unit, run.time, tuple(curves)))
    return made


def _torques(run: Trajectory) -> list[Chart]:
    made = []
    for unit, names in series.torques_by_unit(run).items():
        styles = series.looks(run, names)
        curves = (Series(name, run.torque(name).values, look["color"]) for (name, _), look in zip(names, styles))
        made.append(Chart(f"Applied {MEANING[unit]}s", MEANING[unit], unit, run.time, tuple(curves)))
    return made


def _deflections(run: Trajectory) -> Chart:
    curves = (Series(body.link, size, series.look(run, body)["color"]) for body, size in series.deflections(run))
    return Chart("Tip deflection of links", "deflection", "mm", run.time, tuple(curves))


def _wrenches(run: Trajectory, part: str) -> Chart:
    curves = (
        Series(body.joint, series.wrench(run, body.joint, part), series.look(run, body)["color"]) for body in shown(run)
    )
    return Chart(f"{part.capitalize()} through joints", part, series.WRENCH[part][1], run.time, tuple(curves))


def _tip(run: Trajectory) -> Chart:
    last = run.model.links[-1]
    tip = run.tip(last).values
    curves = tuple(Series(axis, tip[:, k], COLOURS[k]) for k, axis in enumerate(AXES))
    return Chart(f"Tip of {last} in the world", "position", "m", run.time, curves)


def _energy(run: Trajectory) -> Chart:
    flows = series.energy_flows(run)
    curves = [Series("stored", flows["stored"], COLOURS[0])]
    if "work in" in flows:
        curves = [
            Series("work in", flows["work in"], GREY),
            Series("dissipated", flows["dissipated"], COLOURS[1]),
            *curves,
            Series("left over", run.dataset["energy_residual"].values, INK, dashed=True),
        ]
    return Chart("Energy balance", "energy since start", "J", run.time, tuple(curves))
