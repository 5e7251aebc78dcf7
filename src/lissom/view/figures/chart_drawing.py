"""Panels of figures: functions that draw a chart, or something else of a run, on given axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.results.quantity_names import AXES
from lissom.view.figures.chart import Chart
from lissom.view.figures.figure_style import COLOURS, DASHES, GREY, LIGHT, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lissom.analysis.modes.spectra import Spectrum
    from lissom.results.trajectory import Trajectory

DOTTED: dict[str, Any] = {"linestyle": (0, (2, 1.6)), "linewidth": 1.0}
DOTS = [(0, (2, 1.6)), (0, (5, 2)), (0, (5, 1.6, 1, 1.6)), (0, (1, 2))]  # of the first that is drawn beside, ...
BAND = 0.25  # opacity of error bands
HIDING = 1.8  # extra width, in points, of a line that another one covers: its edges show on both sides
FLAT = 0.3  # least extent of a drawing in space, relative to its largest
ZOOM = 0.8  # of pictures in space: their labels stay beside what is drawn next to them
AxesDrawing = Callable[["Axes"], None]


def draw_chart(axes: Axes, chart: Chart) -> None:
    """Draw the curves of a chart: dashed ones below the others, each group of them with one entry in the legend."""
    solid = [curve for curve in chart.series if not curve.dashed]
    for curve in chart.series:
        if curve.dashed:
            label = None if curve.group else curve.name
            dotted = DOTTED | {"linestyle": DOTS[curve.turn % len(DOTS)]}
            axes.plot(chart.time, curve.values, color=curve.colour, alpha=0.8, label=label, **dotted)
    for curve in solid:
        if curve.error is not None:
            known = np.isfinite(curve.error)
            low, high = curve.values - curve.error, curve.values + curve.error
            axes.fill_between(chart.time, low, high, where=known, color=curve.colour, alpha=BAND, linewidth=0)
    drawstyle = "steps-post" if chart.steps else "default"
    for curve, width in zip(solid, _widths([curve.values for curve in solid]), strict=True):
        look: dict[str, Any] = {"color": curve.colour, "linestyle": DASHES[curve.turn % len(DASHES)]}
        axes.plot(chart.time, curve.values, label=curve.name, linewidth=width, drawstyle=drawstyle, **look)
    for group in dict.fromkeys(curve.group for curve in chart.series if curve.group):
        turn = next(curve.turn for curve in chart.series if curve.group == group)
        axes.plot([], [], color=GREY, label=group, **DOTTED | {"linestyle": DOTS[turn % len(DOTS)]})
    title = f"{chart.title} ({chart.detail})" if chart.detail else chart.title
    axes.set(title=title, ylabel=chart.label)
    if chart.sizes:
        axes.set_ylim(bottom=0)
    legend(axes)


def _widths(curves: Sequence[np.ndarray]) -> list[float]:
    """Return line widths: a curve that a later one would hide is drawn wider."""
    import matplotlib as mpl

    thin = float(mpl.rcParams["lines.linewidth"])
    near = 0.01 * max((float(np.abs(curve).max()) for curve in curves), default=0.0)
    hidden = [any(np.abs(curve - later).max() < near for later in curves[k + 1 :]) for k, curve in enumerate(curves)]
    return [thin + HIDING * covered for covered in hidden]


def envelopes(axes: Axes, x: np.ndarray, curves: dict[str, np.ndarray], label: str, title: str) -> None:
    """Draw quantities (N, k) at places x (k,) of a link: from the least to the most of each place over the run."""
    for (name, values), colour in zip(curves.items(), COLOURS):
        low, high = values.min(axis=0), values.max(axis=0)
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(x, high, color=colour, label=name)
        axes.plot(x, low, color=colour)
    axes.set(title=title, ylabel=label)
    legend(axes)


def spectra(
    axes: Axes, found: Spectrum, labels: Iterable[str], looks: Iterable[dict[str, Any]], unit: str, title: str
) -> None:
    """Draw amplitudes over frequency, the strongest peaks named."""
    from scipy.signal import find_peaks

    floor = 1e-6 * found.values.max()
    for k, (label, look) in enumerate(zip(labels, looks, strict=True)):
        values = np.maximum(found.values[:, k], floor)
        axes.semilogy(found.frequencies, values, label=label, **look)
        for at in find_peaks(np.log10(values), prominence=0.5)[0]:
            if values[at] > 1e-3 * found.values.max():
                axes.annotate(
                    f"{found.frequencies[at]:.3g} Hz",
                    (found.frequencies[at], values[at]),
                    (0, 3),
                    textcoords="offset points",
                    ha="center",
                    size=7,
                    color=look["color"],
                )
    axes.set(title=title, ylabel=f"amplitude [{unit}]")
    axes.set_ylim(floor, 4 * found.values.max())
    legend(axes)


def path(axes: Any, run: Trajectory, tip: np.ndarray, link: str) -> None:
    """Draw the tip's path in space, and the chain of links up to it at the start and at the end."""
    for sample, shade in ((0, LIGHT), (-1, GREY)):
        for line_ in chain(run, link, sample):
            axes.plot(*line_.T, color=shade, linewidth=2.2, solid_capstyle="round")
    axes.plot(*tip.T, color=COLOURS[0])
    axes.plot(*tip[:1].T, marker="o", color="white", markeredgecolor=COLOURS[0], linestyle="", label="start")
    axes.plot(*tip[-1:].T, marker="o", color=COLOURS[0], linestyle="", label="end")
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    for one in (axes.xaxis, axes.yaxis, axes.zaxis):
        one.set_pane_color((1, 1, 1, 0))
        one.get_major_locator().set_params(nbins=5)
    up = "xyz"[int(np.argmax(np.abs(run.model.robot.gravity)))] if np.any(run.model.robot.gravity) else "z"
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    half = np.ptp(limits, axis=1) / 2
    half = np.maximum(half, FLAT * half.max())
    axes.set(**{f"{name}lim": (c - h, c + h) for name, c, h in zip(AXES, limits.mean(axis=1), half, strict=True)})
    axes.view_init(elev=22, azim=-55, vertical_axis=up)
    axes.set_box_aspect(half, zoom=ZOOM)
    axes.legend(loc="upper left")


def chain(run: Trajectory, link: str, sample: int) -> list[np.ndarray]:
    """Return lines (k, 3) in the world that stand for the links from the base to `link`, at one sample."""
    lines: list[np.ndarray] = []
    row = run.model.row(link)
    while row > 0:
        name = run.model.links[row - 1]
        ends = [run.quantities.select(key, "link", name)[sample] for key in ("link_position", "tip_position")]
        flexible = name in run.model.flexible
        lines.insert(0, run.numbers.centre_line(name)[sample] if flexible else np.array(ends))
        if len(lines) > 1:
            lines[0] = np.vstack([lines[0], lines[1][:1]])  # to where the next link begins
        row = int(run.model.arrays.tree.parent[row])
    return lines


def label_bar(bar: Any, label: str) -> None:
    """Label a colour bar and take its frame away."""
    bar.set_label(label)
    bar.outline.set_visible(False)
