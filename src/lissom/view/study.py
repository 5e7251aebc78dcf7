"""Pictures of a study: every output against every input, and all runs as lines across their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import StudyError
from lissom.messages import did_you_mean, listed
from lissom.view.style import COLOURS, GREY, LIGHT, SEQUENTIAL, headline, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lissom.study.results import Results

LINES = 400  # runs that parallel coordinates show, evenly out of all
POINTS = 5000  # runs that a scatter shows
NAME = 30  # characters of a field's path that fit below an axis


def plot_study(results: Results, *outputs: str) -> Figure:
    """Scatter of outputs (rows, all unless named) against inputs (columns), and parallel coordinates below."""
    import matplotlib.pyplot as plt

    inputs, known = results.inputs(), results.outputs()
    for name in outputs:
        if name not in known:
            text = f"there is no such output{did_you_mean(name, known)}; there are {listed(known, 'and')}"
            raise StudyError(text, ("outputs",), name)
    shown = {name: known[name] for name in outputs or known}
    if not shown or not inputs:
        raise StudyError("there is nothing to draw: no output is one number per run, or nothing varied is a number")
    ranking, units = results.ranking(), {name: results.data[name].attrs.get("units", "") for name in shown}
    columns, rows = len(inputs), len(shown)
    with style():
        figure = plt.figure(figsize=(max(6.0, 2.9 * columns), 2.1 * rows + 3.1), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=(2.1 * rows, 2.7))
        upper, lower = parts
        axes = upper.subplots(rows, columns, squeeze=False, sharex="col", sharey="row")
        for i, (output, y) in enumerate(shown.items()):
            for j, (field, x) in enumerate(inputs.items()):
                _scatter(axes[i, j], x, y, ranking[output][field], COLOURS[i % len(COLOURS)])
            axes[i, 0].set_ylabel(f"{output} [{units[output]}]" if units[output] else output)
        for j, field in enumerate(inputs):
            axes[-1, j].set_xlabel(_short(field))
        _parallel(lower.subplots(), inputs, shown)
        headline(figure, results.study.name, f"{results.finished} runs of {len(results.study)}")
        return figure


def _scatter(axes: Axes, x: np.ndarray, y: np.ndarray, share: float, colour: str) -> None:
    some = spread_evenly(len(x), POINTS)
    axes.margins(0.04)
    axes.scatter(x[some], y[some], s=6, color=colour, alpha=min(1.0, 0.15 + 60 / len(some)), linewidths=0)
    axes.set_title(f"explains {share:.0%}", color=GREY, fontsize=8, fontweight="normal", loc="right", pad=2)


def _parallel(axes: Axes, inputs: dict[str, np.ndarray], outputs: dict[str, np.ndarray]) -> None:
    """One line per run through its inputs and outputs, each scaled from its least to its largest value."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    every = inputs | outputs
    values = np.column_stack(list(every.values()))
    least, most = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    scaled = (values - least) / np.where(most > least, most - least, 1.0)
    good = np.flatnonzero(np.isfinite(scaled).all(axis=1))
    scaled = scaled[good[spread_evenly(len(good), LINES)]] if len(good) else scaled[:0]
    at = np.arange(values.shape[1])
    lines = [np.column_stack([at, row]) for row in scaled]
    colours = colormaps[SEQUENTIAL](scaled[:, -1])
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=0.8, alpha=0.5))
    axes.vlines(at, 0, 1, color=LIGHT, linewidth=1)
    for k, name in enumerate(every):
        axes.annotate(f"{most[k]:.4g}", (k, 1), (0, 4), textcoords="offset points", ha="center", fontsize=7.5)
        axes.annotate(f"{least[k]:.4g}", (k, 0), (0, -11), textcoords="offset points", ha="center", fontsize=7.5)
        axes.annotate(_short(name), (k, 0), (0, -22), textcoords="offset points", ha="center", fontsize=8)
    axes.set(
        xlim=(-0.4, len(every) - 0.6), ylim=(-0.22, 1.1), title=f"Every run as a line, coloured by {list(every)[-1]}"
    )
    axes.axis("off")


def spread_evenly(count: int, most: int) -> np.ndarray:
    """Evenly spread indices, at most so many."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int)) if count else np.zeros(0, int)


def _short(path: str) -> str:
    """The end of a path, which says most."""
    return path if len(path) <= NAME else "..." + path[-NAME:]
