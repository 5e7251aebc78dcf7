"""Pictures of the shapes in which arms give way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.dynamics.state_checks import integrate
from lissom.errors import LissomError
from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.figures.figure_style import GREY, grid, headline, line, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.analysis.modes.buckling_modes import BucklingModes
    from lissom.model.model import Model

LARGEST = 0.15  # way of the point that moves most, over the reach of the arm


def plot_buckling(found: BucklingModes) -> Figure:
    """Draw the arm at rest and in the shapes in which it gives way, one panel for each load factor."""
    if not len(found):
        raise LissomError(f"nothing of {found.name} gives way under these loads, so there is nothing to draw")
    with style():
        figure, panels = grid(len(found), min(2, len(found)), height=2.6)
        for k, axes in enumerate(panels[: len(found)]):
            rest, moved = _lines(found.model, found.q[k], found.shapes[:, k])
            across = _view(rest, moved)
            for lines, look in ((rest, {"color": GREY, "lw": 1.0}), (moved, line(0))):
                for points in lines:
                    axes.plot(*(points @ across.T).T, **look)
            what = found.labels[k] + (f", {found.frequencies[k]:.3g} Hz" if found.kinds[k] == "flutter" else "")
            axes.set(title=f"{found.factors[k]:.4g}: {what}", aspect="equal", xlabel="[m]")
            axes.margins(0.1)
        headline(figure, "Buckling", f"{found.name}, load factors and shapes")
        return figure


def _lines(model: Model, q: np.ndarray, shape: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the axes of all links, (points, 3) each in the world: at q, and moved along a shape so as to be seen."""
    drawing = Drawing(model)

    def origins(step: np.ndarray) -> np.ndarray:
        return drawing.frames(drawing.motion(np.asarray(integrate(model, q, step), float)[None])).origin

    rest = origins(0.0 * shape)
    small = 1e-4 * drawing.reach / float(np.abs(shape).max())
    way = float(np.linalg.norm(origins(small * shape) - rest, axis=1).max()) / small
    moved = origins(LARGEST * drawing.reach / way * shape)
    # A link that bends is a line along its axis; a rigid one goes from its frame to those that stand on it.
    chains = [drawing.frames_of[link] for link in model.flexible]
    chains += [np.array([c, k]) for k, c in enumerate(drawing.carrier) if c >= 0 and c < len(drawing.links)]
    return [rest[chain] for chain in chains], [moved[chain] for chain in chains]


def _view(rest: list[np.ndarray], moved: list[np.ndarray]) -> np.ndarray:
    """Return two directions (2, 3) that show most of the arm and of its motion."""
    points, way = np.concatenate(rest), np.concatenate(moved) - np.concatenate(rest)
    spread = points - points.mean(axis=0)
    first = np.linalg.svd(spread)[2][0]
    first = first * np.sign(first[np.abs(first).argmax()])
    beside = np.concatenate([way, 1e-3 * spread])
    beside = beside - np.outer(beside @ first, first)
    second = np.linalg.svd(beside)[2][0]
    return np.array([first, second * np.sign(second[np.abs(second).argmax()])])
