"""Fatigue of beams: cycles of stress by rainflow counting, damage by a Woehler line and Miner's sum.

Cycles are counted as in ASTM E1049-85 (5.4.4): three successive turning points make a cycle once the range before is no
larger than the one after, half a cycle where it begins the record; what is left at the end are half cycles.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.results.registry.stress_peaks import forces_along, stressed_links

if TYPE_CHECKING:
    from lissom.results.registry.result_quantity import RunData

SMALL = 1e-9  # of the largest range: rounding, no cycle


class Cycles(NamedTuple):
    """Cycles of a history: their ranges and means, and how many of each, 1 or 1/2."""

    ranges: np.ndarray  # (k,)
    means: np.ndarray  # (k,)
    counts: np.ndarray  # (k,)


class Fatigue(NamedTuple):
    """The most damaged point of a beam after one run."""

    link: str
    damage: float  # Miner's sum of one run: it fails at 1
    x: float  # m, along the beam
    place: tuple[float, float]  # m, (y, z) in the section
    cycles: Cycles  # of the normal stress there, Pa

    @property
    def repetitions(self) -> float:
        """How many such runs it lasts."""
        return 1.0 / self.damage if self.damage > 0 else np.inf


@dataclass(frozen=True)
class Woehler:
    """How many cycles of a stress range a detail bears; unless given otherwise the line of EN 1993-1-9.

    Parameters
    ----------
    detail : float
        The stress range in Pa that is borne for two million cycles: the detail category.
    slope : float
        N ~ range^-slope up to the `knee`.
    knee : float
        Cycles at which the line becomes flatter.
    flatter : float
        The slope beyond it.
    endless : float
        Cycles whose range, and all smaller ones, do no damage.
    """

    detail: float
    slope: float = 3.0
    knee: float = 5e6
    flatter: float = 5.0
    endless: float = 1e8

    def __post_init__(self) -> None:
        for name in ("detail", "slope", "knee", "flatter", "endless"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and value > 0):
                raise LissomError("must be a number above zero", (name,), value)
        if self.endless < self.knee:
            raise LissomError(f"must not be below the knee, {self.knee:g} cycles", ("endless",), self.endless)

    def cycles(self, ranges: np.ndarray) -> np.ndarray:
        """Return how many cycles of each stress range are borne; infinitely many of small ones."""
        ranges = np.maximum(np.asarray(ranges, float), np.finfo(float).tiny)
        at_knee = self.detail * (CATEGORY / self.knee) ** (1 / self.slope)
        with np.errstate(over="ignore"):
            steep = CATEGORY * (self.detail / ranges) ** self.slope
            flat = self.knee * (at_knee / ranges) ** self.flatter
        found = np.where(ranges >= at_knee, steep, flat)
        return np.where(found > self.endless, np.inf, found)

    def damage(self, cycles: Cycles) -> float:
        """Return Miner's sum of counted cycles."""
        return float(np.sum(cycles.counts / self.cycles(cycles.ranges)))


CATEGORY = 2e6  # cycles at which details are classified


def rainflow(history: np.ndarray) -> Cycles:
    """Return the cycles of a history (N,) by rainflow counting.

    Parameters
    ----------
    history : array_like
        Values over time, in any unit.

    Returns
    -------
    Cycles
        Ranges, means and counts (1 or 1/2), in the order in which cycles close.

    Examples
    --------
    >>> rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2]).ranges
    """
    points = _turning_points(np.asarray(history, float))
    found: list[tuple[float, float, float]] = []
    stack: list[float] = []
    for point in points.tolist():
        stack.append(point)
        while len(stack) >= 3:
            before, after = abs(stack[-2] - stack[-3]), abs(stack[-1] - stack[-2])
            if after < before:
                break
            first = len(stack) == 3
            found.append((before, (stack[-2] + stack[-3]) / 2, 0.5 if first else 1.0))
            if first:
                stack.pop(0)
            else:
                del stack[-3:-1]
    found += [(abs(b - a), (a + b) / 2, 0.5) for a, b in pairwise(stack)]
    return Cycles(*np.array(found, float).reshape(-1, 3).T)


def fatigue(run: RunData, link: str, woehler: Woehler) -> Fatigue:
    """Return the most damaged point of a beam by the normal stress at the outer fibres of its sections."""
    if link not in stressed_links(run):
        known = ", ".join(stressed_links(run)) or "none"
        text = f"is not a beam whose sections have a shape, so its stresses are not known; those that are: {known}"
        raise LissomError(text, ("link",), link)
    beam, materials = run.model.robot.link(link).beam, run.model.robot.materials
    assert beam is not None
    x, forces = forces_along(run, link)
    worst: Fatigue | None = None
    for k, at in enumerate(x):
        section = beam.section_stress(float(at), materials, ending=at in x[k + 1 :])
        assert section is not None
        outer = _outer(section.places)
        histories = forces[:, k] @ section.per_force[outer, 0].T
        for place, history in zip(section.places[outer], histories.T, strict=True):
            cycles = rainflow(history)
            damage = woehler.damage(cycles)
            if worst is None or damage > worst.damage:
                worst = Fatigue(link, damage, float(at), (float(place[0]), float(place[1])), cycles)
    assert worst is not None  # there are sections
    return worst


def _turning_points(history: np.ndarray) -> np.ndarray:
    """Return the first value, those where a history turns round, and the last."""
    least = SMALL * float(np.ptp(history)) if len(history) else 0.0
    kept = history[np.concatenate([[True], np.abs(np.diff(history)) > least])] if len(history) else history
    if len(kept) < 3:
        return kept
    turns = np.diff(kept)[1:] * np.diff(kept)[:-1] < 0
    return kept[np.concatenate([[True], turns, [True]])]


def _outer(places: np.ndarray) -> np.ndarray:
    """Return indices of the corners of the convex hull of places (p, 2): normal stress is linear between them."""
    from scipy.spatial import ConvexHull

    return np.asarray(ConvexHull(places).vertices)
