"""Root locus: the poles of a loop as its gain grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.linear_models.frequency_grid import frequency_grid
from lissom.analysis.linear_models.linear_model import LinearModel, Poles
from lissom.errors import LissomError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAINS = 300


@dataclass(frozen=True, eq=False)
class RootLocus:
    """Poles of the loop closed by u = -k y; a column of `poles` is one branch."""

    gains: np.ndarray  # (N,) rising
    poles: np.ndarray  # (N, n) complex, rad/s; in discrete time in the z plane
    zeros: np.ndarray  # (m,) where branches end
    dt: float | None
    name: str

    @property
    def stable(self) -> np.ndarray:
        """Whether every motion decays, for each gain (N,)."""
        rows = self.poles if self.dt is None else np.log(np.where(self.poles == 0, 1e-300, self.poles)) / self.dt
        return np.array([Poles(row).stable for row in rows])

    def plot(self, limit: float | None = None) -> Figure:
        """Draw the branches in the complex plane, poles as crosses, zeros as circles.

        Parameters
        ----------
        limit : float, optional
            Hz up to which poles are shown; all unless given.
        """
        from lissom.view.figures.models.linear_figures import plot_root_locus

        return plot_root_locus(self, limit)


def root_locus(loop: LinearModel, gains: ArrayLike | None = None) -> RootLocus:
    """Return the poles of a loop with one input and one output that is closed by u = -k y, over gains k.

    Parameters
    ----------
    loop : LinearModel
        The loop for k = 1.
    gains : array_like, optional
        Factors k, rising; where the poles move unless given.

    Returns
    -------
    RootLocus
        Poles by gain, followed from gain to gain, and the zeros of the loop.
    """
    from scipy.optimize import linear_sum_assignment

    from lissom.analysis.linear_models.frequency_grid import finite_zeros

    if len(loop.inputs) != 1 or len(loop.outputs) != 1:
        text = f"has {len(loop.inputs)} inputs and {len(loop.outputs)} outputs; choose one of each: loop.select(...)"
        raise LissomError(text, ("loop",))
    if gains is None:
        sizes = np.abs(loop.response(frequency_grid(loop))[:, 0, 0])
        low, high = np.percentile(sizes[sizes > 0], [1, 99]) if np.any(sizes > 0) else (1.0, 1.0)
        chosen = np.concatenate([[0.0], np.geomspace(0.01 / high, 100 / low, GAINS)])
    else:
        chosen = np.unique(np.atleast_1d(np.asarray(gains, float)))
        if not np.all(np.isfinite(chosen)):
            raise LissomError("must be finite numbers", ("gains",), gains)
    rows: list[np.ndarray] = []
    for k in chosen:
        found = np.linalg.eigvals(loop.feedback(float(k)).A)
        if rows:  # each branch goes on at the pole that is nearest
            distance = np.abs(rows[-1][:, None] - found[None, :])
            found = found[linear_sum_assignment(distance)[1]]
        rows.append(found)
    return RootLocus(chosen, np.array(rows), finite_zeros(loop, plane=True), loop.dt, loop.name)
