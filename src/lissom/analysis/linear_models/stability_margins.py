"""How far a feedback loop is from instability: margins of gain, phase, delay and distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lissom import printing
from lissom.analysis.linear_models.frequency_grid import frequency_grid
from lissom.analysis.linear_models.linear_model import LinearModel, Poles
from lissom.errors import LissomError
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

SMALL, HIGHEST = 0.1, 1e9  # size of a loop beyond whose frequency nothing crosses; Hz at which the search ends


@dataclass(frozen=True, eq=False)
class StabilityMargins(Printed):
    """Margins of a loop L closed by negative feedback; frequencies in Hz, infinite or nan where nothing crosses."""

    stable: bool  # whether the closed loop is
    gain: float  # factor by which L may grow, above 1
    gain_frequency: float
    least_gain: float  # factor to which L may shrink, below 1; 0 where any
    phase: float  # degrees by which L may lag
    phase_frequency: float  # where abs(L) = 1
    delay: float  # s that L may come late
    distance: float  # least abs(1 + L), the modulus margin: 1 / the peak of the sensitivity
    distance_frequency: float
    closed: Poles  # poles of the closed loop

    @property
    def gain_db(self) -> float:
        """The gain margin in decibels."""
        return float(20 * np.log10(self.gain))

    def table(self) -> Table:
        """Return a table of the margins and where they are met."""
        table = printing.table("margin", "value", "at", title="margins of the loop")
        table.add_row("closed loop", "stable" if self.stable else "unstable", "")
        table.add_row("gain", f"{self.gain:.4g} ({self.gain_db:.3g} dB)", _at(self.gain_frequency))
        if self.least_gain > 0:
            table.add_row("least gain", f"{self.least_gain:.4g}", "")
        table.add_row("phase", f"{self.phase:.4g} deg", _at(self.phase_frequency))
        table.add_row("delay", f"{1e3 * self.delay:.4g} ms", "")
        table.add_row("distance from -1", f"{self.distance:.4g}", _at(self.distance_frequency))
        return table


def _at(frequency: float) -> str:
    return f"{frequency:.4g} Hz" if np.isfinite(frequency) else ""


def stability_margins(loop: LinearModel) -> StabilityMargins:
    """Return the margins of a loop with one input and one output, u = -y.

    Crossings are found on a grid that follows poles and zeros of the loop, and refined to rounding.

    Parameters
    ----------
    loop : LinearModel
        The open loop, plant times controller, in continuous or discrete time.

    Returns
    -------
    StabilityMargins
        Gain, phase, delay and distance margins, and the poles of the closed loop.

    Examples
    --------
    >>> import numpy as np
    >>> from lissom.analysis import LinearModel, stability_margins
    >>> loop = LinearModel.of(np.array([[0.0, 1.0], [0.0, -2.0]]), [[0.0], [1.0]], [[4.0, 0.0]])
    >>> round(stability_margins(loop).phase, 3)  # of 4 / (s (s + 2))
    51.827
    """
    if len(loop.inputs) != 1 or len(loop.outputs) != 1:
        text = f"has {len(loop.inputs)} inputs and {len(loop.outputs)} outputs; choose one of each: loop.select(...)"
        raise LissomError(text, ("loop",))
    grid = frequency_grid(loop)
    while loop.dt is None and abs(loop.response(grid[-1:])[0, 0, 0]) > SMALL and grid[-1] < HIGHEST:
        grid = frequency_grid(loop, grid[0], 10 * grid[-1])  # where integrators are all there is, it crosses far above
    values = loop.response(grid)[:, 0, 0]

    def at(frequency: float) -> complex:
        return complex(loop.response(np.array([frequency]))[0, 0, 0])

    unit = _crossings(grid, np.log(np.maximum(np.abs(values), 1e-300)), lambda f: np.log(abs(at(f)) + 1e-300))
    real = [f for f in _crossings(grid, values.imag, lambda f: at(f).imag) if at(f).real < 0]
    if loop.dt is not None and (last := at(0.5 / loop.dt)).real < 0:
        real.append(0.5 / loop.dt) if abs(last.imag) <= 1e-9 * abs(last) else None
    sizes = {f: abs(at(f).real) for f in real}
    above = {f: size for f, size in sizes.items() if size < 1}
    below = {f: size for f, size in sizes.items() if size > 1}
    gain_frequency = max(above, key=lambda f: above[f], default=np.nan)
    lags = {f: float(np.degrees(np.angle(-at(f))) % 360.0) for f in unit}
    phase_frequency = min(lags, key=lambda f: min(lags[f], 360.0 - lags[f]), default=np.nan)
    distances = np.abs(1 + values)
    nearest = int(np.argmin(distances))
    distance_frequency = _least(lambda f: abs(1 + at(f)), grid, nearest)
    closed = loop.feedback().poles()
    return StabilityMargins(
        stable=closed.stable,
        gain=1 / above[gain_frequency] if above else np.inf,
        gain_frequency=float(gain_frequency),
        least_gain=1 / min(below.values()) if below else 0.0,
        phase=min((lags[f] if lags[f] <= 180 else lags[f] - 360 for f in lags), key=abs, default=np.inf),
        phase_frequency=float(phase_frequency),
        delay=min((np.radians(lags[f]) / (2 * np.pi * f) for f in lags), default=np.inf),
        distance=float(abs(1 + at(distance_frequency))),
        distance_frequency=distance_frequency,
        closed=closed,
    )


def _crossings(grid: np.ndarray, values: np.ndarray, function: object) -> list[float]:
    """Return where a function changes its sign between points of the grid; not where it jumps through infinity."""
    from scipy.optimize import brentq

    found = []
    for k in np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0):
        found.append(float(brentq(function, grid[k], grid[k + 1], xtol=1e-15 * grid[k], rtol=1e-14)))
    return found


def _least(function: object, grid: np.ndarray, nearest: int) -> float:
    """Return where a function is least, between the neighbours of a point of the grid."""
    from scipy.optimize import minimize_scalar

    low, high = grid[max(nearest - 1, 0)], grid[min(nearest + 1, len(grid) - 1)]
    found = minimize_scalar(function, bounds=(low, high), method="bounded", options={"xatol": 1e-12 * high})
    return float(found.x) if found.fun < function(grid[nearest]) else float(grid[nearest])  # type: ignore[operator]
