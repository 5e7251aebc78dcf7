"""Legends that hide no curve: where there is no free corner, the axis is given room above the curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# By name, the share of the free way from the left and from below; what comes first is taken first.
PLACES = {
    "upper right": (1.0, 1.0),
    "upper left": (0.0, 1.0),
    "lower right": (1.0, 0.0),
    "lower left": (0.0, 0.0),
    "center right": (1.0, 0.5),
    "center left": (0.0, 0.5),
    "upper center": (0.5, 1.0),
    "lower center": (0.5, 0.0),
}
SETTLED = "settled"  # marks legends that are moved
PAD = 6.0  # points between a legend and its axes
CLEAR = 0.3  # of it, that curves may not enter
TALLEST = 0.5  # share of the axes that a legend may take above the curves
SAMPLES = 600  # of curves with fewer points, so that long straight pieces count


def settle(axes: Axes) -> None:
    """Move the legend of flat axes to where no curve passes, or make room for it above all curves."""
    legend = axes.get_legend()
    if legend is None or legend.get_gid() != SETTLED:
        return
    figure: Any = axes.get_figure(root=True)
    box, pad = axes.bbox, PAD * figure.dpi / 72
    size = np.array(legend.get_window_extent().size)
    points = np.concatenate([np.empty((0, 2)), *_curves(axes)])
    points = points[np.isfinite(points).all(axis=1)]
    free, clear = np.array([box.width, box.height]) - size - 2 * pad, CLEAR * pad
    for place, share in PLACES.items():
        low = np.array([box.x0, box.y0]) + pad + np.array(share) * free
        if not np.any(np.all((points > low - clear) & (points < low + size + clear), axis=1)):
            legend.set_loc(place)  # type: ignore[arg-type]
            return
    _make_room(axes, points, size, pad)
    legend.set_loc("upper right")


def _make_room(axes: Axes, points: np.ndarray, size: np.ndarray, pad: float) -> None:
    """Raise the upper end of the ordinate so that a legend in the upper right corner is above all curves there."""
    box = axes.bbox
    taken = (size[1] + 3 * pad) / box.height
    if axes.get_yscale() != "linear" or taken > TALLEST:
        return
    below = points[points[:, 0] > box.x1 - size[0] - 3 * pad]
    top = (below[:, 1].max() - box.y0) / box.height
    low, high = axes.get_ylim()
    axes.set_ylim(low, low + (high - low) * max(1.0, top / (1 - taken)))


def _curves(axes: Axes) -> Iterator[np.ndarray]:
    """Yield points (n, 2) of everything drawn, in pixels, close enough that no curve slips between them."""
    for line in axes.lines:
        yield _close(line.get_transform().transform(np.column_stack(line.get_data())))
    for drawn in axes.collections:
        for path in drawn.get_paths():
            yield _close(drawn.get_transform().transform(path.vertices))


def _close(points: np.ndarray) -> np.ndarray:
    if not 1 < len(points) < SAMPLES:
        return points
    at = np.linspace(0, len(points) - 1, SAMPLES)
    return np.column_stack([np.interp(at, np.arange(len(points)), column) for column in points.T])
