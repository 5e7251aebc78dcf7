"""What a page shows over time: charts as plain data, the same for a report, a notebook and the live page.

The same colour means the same joint, and the link that it carries, as in the figures of `lissom.view.plots`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lissom.simulation.lookup import joint_names
from lissom.view.panels import AXES, MEANING, shown
from lissom.view.style import COLOURS, GREY, INK, line

if TYPE_CHECKING:
    from lissom.model.compiled import BodyNames
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
            for series in self.series:
                part = np.nan_to_num(series.values[rows])
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
        values = {label: 1e3 * _size(run.deflection(link).values) for label, run in runs.items()}
        made.append(_several(runs, f"Tip deflection of {link}", "deflection", "mm", values))
    for body in shown(first):
        for part, columns, unit in (("torque", slice(0, 3), "N m"), ("force", slice(3, 6), "N")):
            values = {label: _size(run.wrench(body.joint).values[:, columns]) for label, run in runs.items()}
            made.append(_several(runs, f"{part.capitalize()} through {body.joint}", part, unit, values))
    return made


def _several(
    runs: Mapping[str, Trajectory], title: str, quantity: str, unit: str, values: Mapping[str, np.ndarray]
) -> Chart:
    time = next(iter(runs.values())).time
    series = []
    for k, (label, run) in enumerate(runs.items()):
        same = len(run.time) == len(time) and np.array_equal(run.time, time)
        there = values[label] if same else np.interp(time, run.time, values[label], right=np.nan)
        series.append(Series(label, there, COLOURS[k % len(COLOURS)], dashed=k > 0))
    return Chart(title, quantity, unit, time, tuple(series))


def _joints(run: Trajectory) -> list[Chart]:
    by_unit: dict[str, list[tuple[str, BodyNames]]] = {}
    for body in run.lookup.moving():
        for name in joint_names(body, "q"):
            by_unit.setdefault(str(run[name].attrs["units"]), []).append((name, body))
    made = []
    for unit, names in sorted(by_unit.items(), key=lambda item: ("rad", "m", "1").index(item[0])):
        series = []
        for (name, _), colour in zip(names, _colours(run, names)):
            goal = _reference(run, name)
            if goal is not None:
                series.append(Series(f"{name}, reference", goal, colour, dashed=True, group="reference"))
            series.append(Series(name, run[name].values, colour))
        title = "Joint orientations" if unit == "1" else f"Joint {MEANING[unit]}s"
        made.append(Chart(title, MEANING[unit], unit, run.time, tuple(series)))
    return made


def _reference(run: Trajectory, name: str) -> np.ndarray | None:
    if "reference" not in run.dataset:
        return None
    labels = run.dataset["reference_q"].values.tolist()
    found = [labels.index(label) for label in (name, f"{name}.rotor") if label in labels]
    return run.dataset["reference"].values[:, found[0]] if found else None


def _torques(run: Trajectory) -> list[Chart]:
    by_unit: dict[str, list[tuple[str, BodyNames]]] = {}
    for body in run.lookup.moving():
        for name in (body.joint,) if body.rotor_v is not None else joint_names(body, "v"):
            values = run.torque(name)
            if np.any(values.values):
                by_unit.setdefault(str(values.attrs["units"]), []).append((name, body))
    return [
        Chart(
            f"Applied {MEANING[unit]}s",
            MEANING[unit],
            unit,
            run.time,
            tuple(Series(n, run.torque(n).values, colour) for (n, _), colour in zip(names, _colours(run, names))),
        )
        for unit, names in by_unit.items()
    ]


def _deflections(run: Trajectory) -> Chart:
    series = tuple(
        Series(body.link, 1e3 * _size(run.deflection(body.link).values), _colour(run, body))
        for body in run.model.bodies
        if body.link in run.model.flexible
    )
    return Chart("Tip deflection of links", "deflection", "mm", run.time, series)


def _wrenches(run: Trajectory, part: str) -> Chart:
    columns = slice(0, 3) if part == "torque" else slice(3, 6)
    series = tuple(
        Series(body.joint, _size(run.wrench(body.joint).values[:, columns]), _colour(run, body)) for body in shown(run)
    )
    return Chart(f"{part.capitalize()} through joints", part, "N m" if part == "torque" else "N", run.time, series)


def _tip(run: Trajectory) -> Chart:
    last = run.model.links[-1]
    tip = run.tip(last).values
    series = tuple(Series(axis, tip[:, k], COLOURS[k]) for k, axis in enumerate(AXES))
    return Chart(f"Tip of {last} in the world", "position", "m", run.time, series)


def _energy(run: Trajectory) -> Chart:
    stored = run.dataset["stored_energy"].values
    series = [Series("stored", stored - stored[0], COLOURS[0])]
    if "work" in run.dataset:
        series = [
            Series("work in", run.work - run.work[0], GREY),
            Series("dissipated", run.dissipated - run.dissipated[0], COLOURS[1]),
            *series,
            Series("left over", run.dataset["energy_residual"].values, INK, dashed=True),
        ]
    return Chart("Energy balance", "energy since start", "J", run.time, tuple(series))


def _colours(run: Trajectory, names: list[tuple[str, BodyNames]]) -> list[str]:
    """The colour of each coordinate's joint as long as no joint has several of them."""
    several = len({body.joint for _, body in names}) < len(names)
    return [str(line(k)["color"]) if several else _colour(run, body) for k, (_, body) in enumerate(names)]


def _colour(run: Trajectory, body: BodyNames) -> str:
    bodies = sorted(run.model.bodies, key=lambda b: b.joint_v.stop == b.joint_v.start)
    return str(line(bodies.index(body))["color"])


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vectors, axis=1)
