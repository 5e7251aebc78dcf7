"""Pictures of a fit: what was measured, what the model does before and after, and what is left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.view.figures.figure_style import COLOURS, GREY, INK, headline, save, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lissom.identify.fit_result import Fit
    from lissom.identify.residuals import OutputBlock

ANGLE = 180 / np.pi  # degrees are what people read
STRAIN = "µm/m"
WIDTH, HEIGHT, TOP = 9.0, 2.6, 0.5
ROOM = 0.35  # of the measured range, above and below it


def plot_fit(fit: Fit, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw one row per record and output: histories on the left, errors beside them; then frequencies."""
    import matplotlib.pyplot as plt

    after, before = fit.blocks, fit.before
    rows = len(after) + bool(len(fit.frequencies))
    with style():
        height = HEIGHT * rows + TOP
        figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
        figure.get_layout_engine().set(rect=(0, 0, 1, 1 - TOP / height))  # type: ignore[union-attr, call-arg]
        axes: Any = figure.subplots(rows, 2, squeeze=False, width_ratios=(3, 2))
        for row, old, new in zip(axes, before, after):
            histories(row[0], {"before": old, "fitted": new})
            _errors(row[1], new, fit.noise[new.record][new.output])
        for axis in axes[len(after) - 1] if after else ():
            axis.set_xlabel("time [s]")
        if len(fit.frequencies):
            _frequencies(axes[-1], fit)
        headline(figure, f"{fit.misfit.robot.name}, fitted", fit.message)
        if path is not None:
            save(figure, path)
        return figure


def _in_shown_units(block: OutputBlock, values: np.ndarray) -> tuple[np.ndarray, str]:
    """Return values in units that people read."""
    if block.unit.startswith("rad"):
        return values * ANGLE, block.unit.replace("rad", "deg", 1)
    if block.unit == "1":
        return values * 1e6, STRAIN
    return values, block.unit


def histories(axes: Axes, models: dict[str, OutputBlock]) -> None:
    """Draw what was measured, and what models have made of it; the last model in colour."""
    *_, last = models.values()
    measured, unit = _in_shown_units(last, last.measured)
    axes.plot(last.time, measured, color=INK, linewidth=1.8, alpha=0.45, label="measured")
    for name, block in models.items():
        line = {"color": COLOURS[1], "linewidth": 1.1} if block is last else {"color": GREY, "linewidth": 0.9}
        axes.plot(block.time, _in_shown_units(block, block.modelled)[0], label=name, **line)  # type: ignore[arg-type]
    spread = float(np.ptp(measured)) or 1.0
    axes.set_ylim(measured.min() - ROOM * spread, measured.max() + ROOM * spread)
    axes.set(title=f"{last.output}, {last.record}", ylabel=unit)
    axes.legend(loc="upper right", ncols=3)


def _errors(axes: Axes, block: OutputBlock, noise: float) -> None:
    errors, unit = _in_shown_units(block, block.errors)
    band = 2 * float(_in_shown_units(block, np.array([noise]))[0][0])
    axes.axhspan(-band, band, color=COLOURS[4], alpha=0.18, linewidth=0)
    axes.plot(block.time, errors, color=COLOURS[0], linewidth=0.7)
    axes.set(title=f"error {100 * block.normalised:.2g} %", ylabel=unit)


def _frequencies(row: Any, fit: Fit) -> None:
    """Draw measured frequencies with twice their deviations, and the model's; beside them their errors."""
    measured, before, after = fit.frequencies.T
    sigma = np.array([each.sigma for each in fit.misfit.frequencies])
    at = np.arange(len(measured))
    names = [f"mode {each.mode}" for each in fit.misfit.frequencies]
    left, right = row
    left.errorbar(at, measured, 2 * sigma, fmt="_", color=INK, capsize=5, markersize=14, label="measured")
    left.plot(at, before, "o", color=GREY, markersize=5, label="before")
    left.plot(at, after, "o", color=COLOURS[1], markersize=5, label="fitted")
    left.set(title="natural frequencies", ylabel="Hz", ylim=(0, None))
    left.legend(loc="best", ncols=3)
    right.axhspan(-2, 2, color=COLOURS[4], alpha=0.18, linewidth=0)
    right.plot(at, (after - measured) / sigma, "o", color=COLOURS[0], markersize=5)
    right.set(title="error", ylabel="deviations")
    for axis in row:
        axis.set_xticks(at, names)
        axis.set_xlim(-0.5, len(at) - 0.5)
