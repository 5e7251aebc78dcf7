"""What a page shows over time: charts as plain data, the same for a report, a notebook and the live page.

The same colour means the same joint, and the link that it carries, as in the figures of `lissom.view.figures.plots`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lissom.results.lookup import joint_names
from lissom.view.figures import curve_data as series
from lissom.view.figures.curve_data import AXES, MEANING, shown
from lissom.view.figures.figure_style import COLOURS, GREY, INK

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

SAMPLES = 4000  # of a curve at most; peaks are kept
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
PREFIXED = ("N", "J")  # how units begin that take a prefix


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
    log: bool = False  # whether the vertical axis is logarithmic
    place: str = ""  # part of the page that it stands in; that of most unless given

    @property
    def label(self) -> str:
        """Text beside the vertical axis."""
        return f"{self.quantity} [{self.unit}]"

    def prefixed(self, below: float) -> Chart:
        """The chart in thousands or millions of its unit, where its values are not below a limit otherwise."""
        most = max((float(np.nanmax(np.abs(s.values), initial=0.0)) for s in self.series), default=0.0)
        prefix = next((p for p in PREFIXES if most < PREFIXES[p] * below), "G")
        if not prefix or self.unit[:1] not in PREFIXED:
            return self
        smaller = tuple(replace(s, values=s.values / PREFIXES[prefix]) for s in self.series)
        return replace(self, unit=prefix + self.unit, series=smaller)

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
        return replace(self, time=self.time[at], series=fewer)


def charts(run: Trajectory) -> list[Chart]:
    """Joints, deflections, torques, elements, wrenches, tip, energy, sensors; the most telling two first."""
    made = _joints(run)[:1]
    made += [_deflections(run)] if run.model.flexible else []
    made += [*_joints(run)[1:], *_torques(run)]
    made += [*_outside(run), _wrenches(run, "torque"), _wrenches(run, "force"), _tip(run), _energy(run)]
    return made + _readings(run)


def _readings(run: Trajectory) -> list[Chart]:
    """What each sensor tells."""
    made, labels = [], run.quantities.labels("sensor")
    for name, told, _ in series.readings(run):
        columns = told.values.reshape(len(run.time), -1).T
        names = [labels[at].partition(".")[2] or name for at in told.at]
        curves = tuple(Series(label, values, COLOURS[k]) for k, (label, values) in enumerate(zip(names, columns)))
        made.append(Chart(f"Sensor {name}", "reading", told.units[0], run.time, curves))
    return made


def wrench_components(run: Trajectory) -> list[Chart]:
    """Components of what each joint transmits, in the axes of the link that it carries."""
    return [
        _components(run, f"{part.capitalize()} at {body.joint}", part, unit, run.numbers.wrench(body.joint)[:, columns])
        for body in shown(run)
        for part, (columns, unit) in series.WRENCH.items()
    ]


def space(run: Trajectory) -> list[Chart]:
    """Of a robot that floats: momentum, angular momentum and the way of the centre of mass."""
    if "momentum" not in run.quantities:
        return []
    values, centre = run.numbers, run.numbers["centre_of_mass"]
    return [
        _components(run, "Momentum", "momentum", "kg m/s", values["momentum"], "space"),
        _components(run, "Angular momentum", "angular momentum", "kg m²/s", values["angular_momentum"], "space"),
        _components(run, "Way of the centre of mass", "way", "mm", 1e3 * (centre - centre[0]), "space"),
    ]


def _components(
    run: Trajectory, title: str, quantity: str, unit: str, values: np.ndarray, place: str = "wrenches"
) -> Chart:
    curves = tuple(Series(axis, values[:, k], COLOURS[k]) for k, axis in enumerate(AXES))
    return Chart(title, quantity, unit, run.time, curves, place=place)


def compared(runs: Mapping[str, Trajectory]) -> list[Chart]:
    """Charts with one curve per run: joint coordinates, tip, deflections and joint wrenches."""
    first = next(iter(runs.values()))
    made = []
    for body in first.lookup.moving():
        for name in joint_names(body, "q"):
            values = {label: run.numbers.position(name).values for label, run in runs.items()}
            unit = str(first[name].attrs["units"])
            made.append(_several(runs, f"Joint {name}", MEANING[unit], unit, values))
    end = series.busiest(first)
    for k, axis in enumerate(AXES):
        values = {label: run.numbers.tip(end)[:, k] for label, run in runs.items()}
        made.append(_several(runs, f"Tip of {end}, {axis}", "position", "m", values))
    for link in first.model.flexible:
        values = {label: series.deflection(run, link) for label, run in runs.items()}
        made.append(_several(runs, f"Tip deflection of {link}", "deflection", "mm", values))
    for body in shown(first):
        for part, (_, unit) in series.WRENCH.items():
            values = {label: series.wrench(run, body.joint, part) for label, run in runs.items()}
            made.append(_several(runs, f"{part.capitalize()} through {body.joint}", part, unit, values))
    return made


def differences(runs: Mapping[str, Trajectory]) -> list[Chart]:
    """How far each run is from the first over time: vectors subtracted, the largest of all joints or links.

    Axes are logarithmic: what lies on each other among the values is told apart here.
    """
    first = next(iter(runs.values()))
    flexible = list(first.model.flexible)
    names: dict[str, list[str]] = {}
    for body in first.lookup.moving():
        for name in joint_names(body, "q"):
            names.setdefault(str(first[name].attrs["units"]), []).append(name)
    wanted: list[tuple[str, str, Callable[[Trajectory], list[np.ndarray]]]] = [  # title, unit, vectors (N, d) of a run
        ("Distance of the tips", "m", lambda run: [run.tip(end).values for end in first.model.ends]),
        *(
            (f"Joint {MEANING[unit]}s", unit, lambda run, own=own: [run[name].values[:, None] for name in own])
            for unit, own in names.items()
        ),
        ("Deflections of the links", "mm", lambda run: [1e3 * run.deflection(link).values for link in flexible]),
        *(
            (
                f"{part.capitalize()}s in the joints",
                unit,
                lambda run, columns=columns: [run.wrench(body.joint).values[:, columns] for body in shown(first)],
            )
            for part, (columns, unit) in series.WRENCH.items()
        ),
    ]
    return [
        Chart(title, "difference", unit, first.time, _apart(runs, vectors), log=True)
        for title, unit, vectors in wanted
        if vectors(first)
    ]


def _apart(runs: Mapping[str, Trajectory], vectors: Callable[[Trajectory], list[np.ndarray]]) -> tuple[Series, ...]:
    """Largest distance of some vectors of each run from those of the first, over its times."""
    (_, first), *others = runs.items()
    base = vectors(first)
    curves = []
    for k, (label, run) in enumerate(others, start=1):
        there = [np.stack([_at(first.time, run, x) for x in each.T], axis=1) for each in vectors(run)]
        size = np.max([np.linalg.norm(a - b, axis=1) for a, b in zip(there, base, strict=True)], axis=0)
        curves.append(Series(label, size, COLOURS[k % len(COLOURS)]))
    return tuple(curves)


def _at(time: np.ndarray, run: Trajectory, values: np.ndarray) -> np.ndarray:
    """Values (N,) of a run at other times; NaN after its end."""
    same = len(run.time) == len(time) and np.array_equal(run.time, time)
    return values if same else np.interp(time, run.time, values, right=np.nan)


def _several(
    runs: Mapping[str, Trajectory], title: str, quantity: str, unit: str, values: Mapping[str, np.ndarray]
) -> Chart:
    time = next(iter(runs.values())).time
    curves = []
    for k, (label, run) in enumerate(runs.items()):
        curves.append(Series(label, _at(time, run, values[label]), COLOURS[k % len(COLOURS)]))
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
            curves.append(Series(name, run.numbers.position(name).values, look["color"]))
        made.append(Chart(series.joint_title(unit), MEANING[unit], unit, run.time, tuple(curves)))
    return made


def _torques(run: Trajectory) -> list[Chart]:
    made = []
    for unit, names in series.torques_by_unit(run).items():
        styles = series.looks(run, names)
        curves = (
            Series(name, run.numbers.torque(name).values, look["color"]) for (name, _), look in zip(names, styles)
        )
        made.append(Chart(f"Applied {MEANING[unit]}s", MEANING[unit], unit, run.time, tuple(curves)))
    return made


def _deflections(run: Trajectory) -> Chart:
    curves = (Series(body.link, size, series.look(run, body)["color"]) for body, size in series.deflections(run))
    return Chart("Tip deflection of links", "deflection", "mm", run.time, tuple(curves))


def _outside(run: Trajectory) -> list[Chart]:
    made = []
    for title, quantity, unit, found in series.outside(run):
        curves = (Series(name, values, COLOURS[k % len(COLOURS)]) for k, (name, values) in enumerate(found.items()))
        made.append(Chart(title, quantity, unit, run.time, tuple(curves)))
    return made


def _wrenches(run: Trajectory, part: str) -> Chart:
    curves = (
        Series(body.joint, series.wrench(run, body.joint, part), series.look(run, body)["color"]) for body in shown(run)
    )
    return Chart(f"{part.capitalize()} through joints", part, series.WRENCH[part][1], run.time, tuple(curves))


def _tip(run: Trajectory) -> Chart:
    end = series.busiest(run)
    tip = run.numbers.tip(end)
    curves = tuple(Series(axis, tip[:, k], COLOURS[k]) for k, axis in enumerate(AXES))
    return Chart(f"Tip of {end} in the world", "position", "m", run.time, curves)


def _energy(run: Trajectory) -> Chart:
    flows = series.energy_flows(run)
    curves = [Series("stored", flows["stored"], COLOURS[0])]
    if "work in" in flows:
        curves = [
            Series("work in", flows["work in"], GREY),
            Series("dissipated", flows["dissipated"], COLOURS[1]),
            *([Series("work of loads", flows["work of loads"], COLOURS[2])] if "work of loads" in flows else []),
            *curves,
            Series("left over", run.numbers["energy_residual"], INK, dashed=True),
        ]
    return Chart("Energy balance", "energy since start", "J", run.time, tuple(curves))
