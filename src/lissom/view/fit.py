"""Pictures of a fit: what was measured, what the model does before and after, and what is left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.view.style import COLOURS, GREY, INK, headline, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lissom.identify.misfit import Block
    from lissom.identify.result import Fit

ANGLE = 180 / np.pi  # degrees are what people read
WIDTH, HEIGHT, TOP = 9.0, 2.9, 0.5


def plot_fit(fit: Fit, path: str | os.PathLike[str] | None = None) -> Figure:
    """One row per record and output: histories on the left, errors beside them, both over time."""
    import matplotlib.pyplot as plt

    after, before = fit.blocks, fit.before
    with style():
        height = HEIGHT * len(after) + TOP
        figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
        figure.get_layout_engine().set(rect=(0, 0, 1, 1 - TOP / height))  # type: ignore[union-attr, call-arg]
        axes: Any = figure.subplots(len(after), 2, squeeze=False, width_ratios=(3, 2))
        for row, old, new in zip(axes, before, after):
            histories(row[0], old, new)
            _errors(row[1], new, fit.noise.get(new.output))
        for axis in axes[-1]:
            axis.set_xlabel("time [s]")
        headline(figure, f"{fit.misfit.robot.name}, fitted", fit.message)
        if path is not None:
            figure.savefig(path)
        return figure


def _shown(block: Block, values: np.ndarray) -> tuple[np.ndarray, str]:
    """Values in units that people read."""
    if block.unit.startswith("rad"):
        return values * ANGLE, block.unit.replace("rad", "deg", 1)
    if block.unit == "1":
        return values * 1e6, "1e-6"
    return values, block.unit


def histories(axes: Axes, before: Block, after: Block) -> None:
    measured, unit = _shown(after, after.measured)
    axes.plot(after.time, measured, color=INK, linewidth=1.8, alpha=0.45, label="measured")
    axes.plot(before.time, _shown(before, before.modelled)[0], color=GREY, linewidth=0.9, label="before")
    axes.plot(after.time, _shown(after, after.modelled)[0], color=COLOURS[1], linewidth=1.1, label="fitted")
    spread = float(np.ptp(measured)) or 1.0
    axes.set_ylim(measured.min() - 0.4 * spread, measured.max() + 0.4 * spread)
    axes.set(title=f"{after.output}, {after.record}", ylabel=unit)
    axes.legend(loc="upper right", ncols=3)


def _errors(axes: Axes, block: Block, noise: float | None) -> None:
    errors, unit = _shown(block, block.errors)
    if noise is not None:
        band = 2 * float(_shown(block, np.array([noise]))[0][0])
        axes.axhspan(-band, band, color=COLOURS[4], alpha=0.18, linewidth=0)
    axes.plot(block.time, errors, color=COLOURS[0], linewidth=0.7)
    axes.set(title=f"error {100 * block.normalised:.2g} %", ylabel=unit)
