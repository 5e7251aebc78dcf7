"""The charts of pages: of one run, and of several runs beside each other.

The same colour means the same joint, and the link that it carries, as in the figures of `lissom.view.figures.plots`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from lissom.results.lookup import joint_names
from lissom.results.quantity_names import AXES
from lissom.view.figures.chart import Chart, Series
from lissom.view.figures.overlays import with_measured
from lissom.view.figures.plots import PLOTS
from lissom.view.figures.run_charts import (
    MEANING,
    WRENCH,
    busiest,
    deflection,
    deflection_chart,
    energy_chart,
    external_charts,
    joint_charts,
    reading_charts,
    shown_bodies,
    tip_chart,
    torque_charts,
    wrench,
    wrench_charts,
)

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory


def charts(run: Trajectory) -> list[Chart]:
    """Return joints, deflections, torques, elements, wrenches, tip, energy, sensors; the most telling two first.

    What registered plots add comes last.
    """
    joints = joint_charts(run)
    made = [*joints[:1], *deflection_chart(run), *joints[1:], *torque_charts(run), *external_charts(run)]
    made += [*wrench_charts(run), tip_chart(run), energy_chart(run), *reading_charts(run)]
    made += [chart for plot in PLOTS.values() if plot.charts is not None for chart in plot.charts(run)]
    return with_measured(run, made)


def comparison_charts(runs: Mapping[str, Trajectory]) -> list[Chart]:
    """Return charts with one curve per run: joint coordinates, tip, deflections and joint wrenches."""
    first = next(iter(runs.values()))
    made = []
    for body in first.numbers.moving():
        for name in joint_names(body, "q"):
            values = {label: run.numbers.position(name).values for label, run in runs.items()}
            unit = str(first[name].attrs["units"])
            made.append(_several(runs, f"Joint {name}", MEANING[unit], unit, values))
    end = busiest(first)
    for k, axis in enumerate(AXES):
        values = {label: run.numbers.tip(end)[:, k] for label, run in runs.items()}
        made.append(_several(runs, f"Tip of {end}, {axis}", "position", "m", values))
    for link in first.model.flexible:
        values = {label: deflection(run, link) for label, run in runs.items()}
        made.append(_several(runs, f"Tip deflection of {link}", "deflection", "mm", values))
    for body in shown_bodies(first):
        for part, (_, unit) in WRENCH.items():
            values = {label: wrench(run, body.joint, part) for label, run in runs.items()}
            made.append(_several(runs, f"{part.capitalize()} through {body.joint}", part, unit, values))
    return made


def differences(runs: Mapping[str, Trajectory]) -> list[Chart]:
    """Return how far each run is from the first over time: vectors subtracted, the largest of all joints or links.

    Axes are logarithmic: what lies on each other among the values is told apart here.
    """
    first = next(iter(runs.values()))
    flexible = list(first.model.flexible)
    names: dict[str, list[str]] = {}
    for body in first.numbers.moving():
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
                lambda run, columns=columns: [
                    run.wrench(body.joint).values[:, columns] for body in shown_bodies(first)
                ],
            )
            for part, (columns, unit) in WRENCH.items()
        ),
    ]
    return [
        Chart(title, "difference", unit, first.time, _apart(runs, vectors), log=True)
        for title, unit, vectors in wanted
        if vectors(first)
    ]


def _apart(runs: Mapping[str, Trajectory], vectors: Callable[[Trajectory], list[np.ndarray]]) -> tuple[Series, ...]:
    """Return the largest distance of some vectors of each run from those of the first, over its times."""
    (_, first), *others = runs.items()
    base = vectors(first)
    curves = []
    for k, (label, run) in enumerate(others, start=1):
        there = [np.stack([_at(first.time, run, x) for x in each.T], axis=1) for each in vectors(run)]
        size = np.max([np.linalg.norm(a - b, axis=1) for a, b in zip(there, base, strict=True)], axis=0)
        curves.append(Series.kth(k, label, size))
    return tuple(curves)


def _at(time: np.ndarray, run: Trajectory, values: np.ndarray) -> np.ndarray:
    """Return the values (N,) of a run at other times; NaN after its end."""
    same = len(run.time) == len(time) and np.array_equal(run.time, time)
    return values if same else np.interp(time, run.time, values, right=np.nan)


def _several(
    runs: Mapping[str, Trajectory], title: str, quantity: str, unit: str, values: Mapping[str, np.ndarray]
) -> Chart:
    time = next(iter(runs.values())).time
    curves = []
    for k, (label, run) in enumerate(runs.items()):
        curves.append(Series.kth(k, label, _at(time, run, values[label])))
    return Chart(title, quantity, unit, time, tuple(curves))
