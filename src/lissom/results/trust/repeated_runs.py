"""Error bands: by how much what a run shows over time may be off, from the runs that its error bars were made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import maximum_filter1d

from lissom.errors import LissomError
from lissom.messages import suggestion
from lissom.results.error_bars import ErrorBand, ErrorBar, ErrorSource
from lissom.results.trajectory import Trajectory
from lissom.results.trust.convergence import (
    JUMP_ORDER,
    KINDS,
    LEAST_ORDER,
    SAFETY,
    SIZEABLE,
    TAIL,
    Measured,
    convergence_order,
)

if TYPE_CHECKING:
    import xarray as xr

AROUND = 0.02  # of the run, over which the largest error counts: errors that swing pass through zero
METHODS = ("velocity", "acceleration", "torque", "wrench", "tip", "deflection", "rotation", "bow")


@dataclass(frozen=True)
class RepeatedRuns:
    """A run and those that are finer in one thing, or in all.

    Parameters
    ----------
    runs : mapping of str to Trajectory
        "plain", "sampling" (more outputs), "time", and where they differ "half more", "twice" (functions), "field",
        "shear" and "everything".
    sizes : tuple of int
        Functions of the dense run, and of those with half as many more and with twice as many.
    """

    runs: Mapping[str, Trajectory]
    sizes: tuple[int, int, int]

    def band(self, name: str) -> ErrorBand:
        """Return the error band of a channel: a joint or coordinate, "deflection.LINK", "wrench.JOINT", "tip.LINK"."""
        plain = self.runs["plain"]
        head, _, rest = name.partition(".")
        if not (head in METHODS and rest) and not plain.numbers.has(name):
            text = f"is no channel; {suggestion(head, METHODS)} with a joint or a link behind a dot, or name a joint"
            raise LissomError(text, value=name)

        def shown(run: Trajectory) -> xr.DataArray:
            return run[name] if plain.numbers.has(name) else getattr(run, head)(rest)

        own = shown(plain)
        error = self.errors(lambda run: shown(run).values)
        return ErrorBand(name, str(own.attrs.get("units", "")), plain.time, own.values, error)

    def errors(self, read: Callable[[Trajectory], np.ndarray]) -> np.ndarray:
        """Return by how much values over time may be off, (N, ...); `read` takes them from a run.

        As for a single number: the largest of what each refinement changes and of all together, with what functions
        beyond the second enrichment may change, over a stretch around each time.
        """
        plain = self.runs["plain"]
        found = {kind: _at(plain.time, run.time, read(run)) for kind, run in self.runs.items()}
        dense, finest = found["sampling"], found.get("everything", found["time"])
        largest = np.abs(finest - found["plain"])
        for kind in found.keys() - {"plain", "half more", "everything", "sampling"}:
            largest = np.maximum(largest, np.abs(found[kind] - dense))
        if "twice" in found:
            largest = largest + self._tail(dense, found["half more"], found["twice"])
        width = max(1, int(AROUND * len(plain.time)))
        return SAFETY * maximum_filter1d(largest, 2 * width + 1, axis=0, mode="nearest")

    def bar(self, name: str, unit: str, read: Callable[[Trajectory], float]) -> ErrorBar:
        """Return the error bar of a number that `read` takes from a run."""
        found = {kind: read(run) for kind, run in self.runs.items()}
        dense = found["sampling"]
        measured = Measured(
            plain=found["plain"],
            dense=dense,
            finer_steps=found["time"],
            half_more=found.get("half more", dense),
            twice=found.get("twice", dense),
            better={kind: found[kind] for kind in ("field", "shear") if kind in found},
            together=found.get("everything", found["time"]),
            sizes=self.sizes,
        )
        if not measured.finite:
            return ErrorBar(name, unit, measured.plain, np.inf, (), "it is there in some of the repeated runs only")
        why = "no limit in sight: it changes with every function" if measured.limitless(at_jump=False) else ""
        causes = sorted(measured.changes.items(), key=lambda cause: -cause[1])
        sources = tuple(ErrorSource(kind, KINDS[kind], size) for kind, size in causes if size > 0)
        return ErrorBar(name, unit, measured.plain, np.inf if why else measured.error, sources, why)

    def _tail(self, dense: np.ndarray, half: np.ndarray, twice: np.ndarray) -> np.ndarray:
        """Return what is left after the second enrichment, infinite near where that does not converge."""
        first, second = np.abs(half - dense), np.abs(twice - half)
        order = convergence_order(float(first.max()), float(second.max()), self.sizes)
        share = max(TAIL, 1 / ((self.sizes[2] / self.sizes[1]) ** max(LEAST_ORDER, order) - 1))
        endless = (second > SIZEABLE * np.abs(twice).max()) & (order < JUMP_ORDER)
        return np.where(endless, np.inf, share * second)


def _at(wanted: np.ndarray, time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return values at the wanted times, which are among those of a denser run, or lie between them."""
    if len(time) == len(wanted) and np.array_equal(time, wanted):
        return values
    right = np.clip(np.searchsorted(time, wanted), 1, len(time) - 1)
    share = np.clip((wanted - time[right - 1]) / (time[right] - time[right - 1]), 0.0, 1.0)
    share = share.reshape(-1, *[1] * (values.ndim - 1))
    made: np.ndarray = (1 - share) * values[right - 1] + share * values[right]
    return made
