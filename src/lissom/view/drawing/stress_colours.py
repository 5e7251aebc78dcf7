"""Stress on the arm: the largest von Mises stress of every section as a colour on the solids of a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.errors import LissomError
from lissom.results.registry.stress_peaks import stress_along, stressed_links

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory
    from lissom.view.drawing.arm_drawing import Drawing

# From none to the largest of the run, evenly: blue, green, yellow, orange, red, in lightness that grows and then falls.
SCALE = ("#3B6FB6", "#4CB5AE", "#F2D04B", "#E8833A", "#B5262B")


class StressColours:
    """Stress at the frames of a drawing over a run: of beams with a known shape; others have none.

    Parameters
    ----------
    run : Trajectory
        The run.
    arm : Drawing
        The drawing of its arm.
    """

    def __init__(self, run: Trajectory, arm: Drawing) -> None:
        self.time = run.time
        self.frames = np.zeros((len(run.time), len(arm.owner)))  # Pa
        self.links: list[str] = []
        for link in stressed_links(run.data):
            try:
                x, stress = stress_along(run.data, link)
            except LissomError:  # forces do not add up: there is no state of stress to show
                continue
            if not np.all(np.isfinite(stress)):
                continue
            at = arm.frames_of[link]
            places = [place if not isinstance(place, str) else 0.0 for place in arm.places(link)]
            order = np.argsort(x, kind="stable")
            for sample, row in enumerate(stress):
                self.frames[sample, at] = np.interp(places, x[order], row[order])
            self.links.append(link)
        self.most = float(self.frames.max(initial=0.0))

    def __bool__(self) -> bool:
        return self.most > 0

    def at(self, times: np.ndarray) -> np.ndarray:
        """Return stresses (n, frames) Pa at some times."""
        return np.stack([np.interp(times, self.time, column) for column in self.frames.T], axis=1)

    def colours(self, stress: np.ndarray) -> np.ndarray:
        """Return colours (..., 3), 0 to 1, of stresses."""
        stops = np.array([[int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)] for colour in SCALE])
        share = np.clip(np.asarray(stress) / self.most, 0.0, 1.0) * (len(SCALE) - 1)
        return np.stack([np.interp(share, np.arange(len(SCALE)), stops[:, k]) for k in range(3)], axis=-1)
