"""Pictures of a study: every output against every input, and all runs as lines across their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import StudyError
from lissom.messages import did_you_mean, listed
from lissom.view.figures.figure_style import COLOURS, GREY, LIGHT, SEQUENTIAL, headline, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lissom.study.store.study_results import Results

LINES = 400  # runs that parallel coordinates show, evenly out of all
POINTS = 5000  # runs that a scatter shows
NAME = 24  # letters that fit beside a chart
LETTERS = 13  # that fit into an inch


def plot_study(results: Results, *outputs: str) -> Figure:
    """Draw a scatter of outputs (rows, all unless named) against inputs (columns), and parallel coordinates below."""
    import matplotlib.pyplot as plt

    inputs, known = results.inputs(), results.outputs()
    for name in outputs:
        if name not in known:
            text = f"there is no such output{did_you_mean(name, known)}; there are {listed(known, 'and')}"
            raise StudyError(text, ("outputs",), name)
    shown = {name: known[name] for name in outputs or known}
    if not shown:
        raise StudyError("there is nothing to draw: no output is one number per run")
    ranking, columns, rows = results.ranking(), len(inputs), len(shown)
    with style():
        width = max(6.0, 2.9 * columns, 1.3 * (columns + rows))
        figure = plt.figure(figsize=(width, 2.1 * rows + 3.4), layout="constrained")
        parts: Any = figure.subfigures(3, 1, height_ratios=(0.3, 2.1 * rows, 2.7))
        _, upper, lower = parts  # the first is for the headline
        axes = upper.subplots(rows, columns, squeeze=False, sharex="col", sharey="row")
        for i, (output, y) in enumerate(shown.items()):
            for j, (field, x) in enumerate(inputs.items()):
                _scatter(axes[i, j], x, y, ranking[output][field], COLOURS[i % len(COLOURS)])
            axes[i, 0].set_ylabel(in_lines(label_with_unit(results, output), NAME))
        for j, field in enumerate(inputs):
            axes[-1, j].set_xlabel(in_lines(label_with_unit(results, field), NAME + 6))
        every = inputs | shown
        room = max(12, int(width / len(every) * LETTERS))
        _parallel(lower.subplots(), {in_lines(name, room): values for name, values in every.items()})
        headline(figure, results.study.name, f"{results.finished} runs of {len(results.study)}")
        return figure


def _scatter(axes: Axes, x: np.ndarray, y: np.ndarray, share: float, colour: str) -> None:
    some = spread_evenly(len(x), POINTS)
    at, words = encode_words(x)
    axes.margins(0.04)
    size, alpha = np.clip(2000 / len(some), 6, 24), min(1.0, 0.15 + 60 / len(some))
    axes.scatter(at[some], y[some], s=size, color=colour, alpha=alpha, linewidths=0)
    if words:
        axes.set_xticks(range(len(words)), words)
    if np.isfinite(share):
        axes.set_title(f"explains {share:.0%}", color=GREY, fontsize=8, fontweight="normal", loc="right", pad=2)


def _parallel(axes: Axes, every: dict[str, np.ndarray]) -> None:
    """Draw one line per run through its inputs and outputs, each scaled from its least to its largest value."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    words = [encode_words(values)[1] for values in every.values()]
    values = np.column_stack([encode_words(values)[0] for values in every.values()])
    known = np.isfinite(values).any(axis=0)
    least, most = (bound(np.where(known, values, 0.0), axis=0) for bound in (np.nanmin, np.nanmax))
    scaled = np.where(most > least, (values - least) / np.where(most > least, most - least, 1.0), values - least + 0.5)
    good = np.flatnonzero(np.isfinite(scaled[:, known]).all(axis=1))
    scaled = scaled[good[spread_evenly(len(good), LINES)]] if len(good) else scaled[:0]
    at = np.arange(values.shape[1])
    lines = [np.column_stack([at, row])[known] for row in scaled]
    colours = colormaps[SEQUENTIAL](scaled[:, -1])
    axes.add_collection(LineCollection(lines, colors=colours, linewidths=0.8, alpha=0.5))
    axes.vlines(at, 0, 1, color=LIGHT, linewidth=1)
    for k, name in enumerate(every):
        low, high = (words[k][0], words[k][-1]) if words[k] else (f"{least[k]:.4g}", f"{most[k]:.4g}")
        if known[k]:
            axes.annotate(high, (k, 1), (0, 4), textcoords="offset points", ha="center", fontsize=7.5)
            axes.annotate(low, (k, 0), (0, -11), textcoords="offset points", ha="center", fontsize=7.5)
        axes.annotate(name, (k, 0), (0, -15), textcoords="offset points", ha="center", va="top", fontsize=8)
    last = list(every)[-1].replace("\n", "")
    axes.set(xlim=(-0.5, len(every) - 0.5), ylim=(-0.3, 1.1), title=f"Every run as a line, coloured by {last}")
    axes.axis("off")


def encode_words(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return numbers as they are; words as their places in the list of all, and that list."""
    if values.dtype.kind == "f":
        return values, []
    words, places = np.unique(values.astype(str), return_inverse=True)
    return places.astype(float), [str(word) for word in words]


def label_with_unit(results: Results, name: str) -> str:
    """Return a name with its unit."""
    unit = results.data[name].attrs.get("units", "")
    return f"{name} [{unit}]" if unit else name


def spread_evenly(count: int, most: int) -> np.ndarray:
    """Return evenly spread indices, at most so many."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int)) if count else np.zeros(0, int)


def in_lines(name: str, room: int) -> str:
    """Return a name, in two lines if it is longer than the room, broken after a dot or a space; its end says most."""
    if len(name) <= room:
        return name
    breaks = [k + 1 for k, letter in enumerate(name[:-1]) if letter in ". "]
    at = min(breaks, key=lambda k: abs(len(name) - k - min(room, 0.6 * len(name))), default=len(name) - room)
    return "\n".join(part if len(part) <= room else f"...{part[-room:]}" for part in (name[:at], name[at:].strip()))
