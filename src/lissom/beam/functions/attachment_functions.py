"""Attachment functions: how a link deforms under forces and couples at places inside its span.

Functions that are made for loads at the tip know nothing of a force elsewhere: its moment has a kink there, that of a
couple a jump, which smooth functions follow only slowly. Where a joint, a loop, an element, a mass or a load sits, the
static shapes under it are added (attachment modes: R. R. Craig, "Coupling of substructures for dynamic analyses: an
overview", 2000), as far as those at hand leave out more than `TOLERANCE` of the compliance.

A link that a loop holds at its tip or elsewhere gives way by far less than it would as a cantilever: at four fifths of
the span by a hundredth. What its functions are chosen by is the compliance with the
tip and all other places held: which of them do hold is not looked into.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lissom.beam.number_types import NEAR, Array

TOLERANCE = 1e-4  # of a place's compliance under any load there, that may be left out: more harms third frequencies
LEAST = 1e-6  # of the cantilever's compliance: what is held so closely is as good as rigid


class Place(NamedTuple):
    """A place inside the span at which something acts on a link."""

    x: float  # metres, or a fraction of the length
    couple: bool = True  # whether couples act there too, or forces alone
    held: bool = False  # whether the link is held elsewhere, too

    def loads(self, direction: str) -> tuple[int, ...]:
        """Return which unit loads of a direction act there: force (0) and couple (1) in bending, one load (0) else."""
        if direction in ("y", "z"):
            return (0, 1) if self.couple else (0,)
        return (0,) if self.couple or direction == "axial" else ()


def inside(places: Iterable[Place], length: float) -> tuple[Place, ...]:
    """Return the places that lie between the ends of a link, each once, in rising order."""
    out: list[Place] = []
    for x, couple in sorted((float(np.real(place.x)), place.couple) for place in places):
        if not NEAR * length < x < (1 - NEAR) * length:
            continue
        if out and x - out[-1].x <= NEAR * length:
            out[-1] = out[-1]._replace(couple=out[-1].couple or couple)
        else:
            out.append(Place(x, couple))
    return tuple(out)


def missed_shares(functions: Array, statics: Sequence[Array]) -> list[Array]:
    """Return by place the share of the compliance under unit loads that functions leave out, each (c,), from 0 to 1.

    Parameters
    ----------
    functions : array
        (k, n) strains of the functions at hand, scaled so that the strain energy is half their square.
    statics : sequence of array
        By place, (k, c) strains under c unit loads there, scaled likewise.
    """
    known = _orthonormal(functions)
    return [
        np.sum((part - _project(known, part)) ** 2, axis=0) / np.sum(part**2, axis=0) if part.shape[1] else np.zeros(0)
        for part in statics
    ]


def needed_loads(
    functions: Array, statics: Sequence[Array], tip: Array | None = None, tolerance: float = TOLERANCE
) -> Array:
    """Return combinations of the unit loads of all places whose shapes are to be added, (loads, n).

    The place that lacks most comes first, with the load that its functions follow worst, until none lacks more than
    `tolerance`. Arguments as in `missed_shares`; tip (k, c): strains under unit loads on the tip of a link that is held
    at places or there.
    """
    ends = np.cumsum([0, *(part.shape[1] for part in statics)])
    known = _orthonormal(functions)
    missed = [part - _project(known, part) for part in statics]
    whole = [*statics] if tip is None else _held(statics, tip)
    chosen: list[Array] = []
    while len(chosen) < ends[-1]:
        worst = [_worst(*pair) for pair in zip(missed, whole, strict=True)]
        at = max(range(len(statics)), key=lambda p: worst[p][0])
        share, load = worst[at]
        if share <= tolerance:
            break
        chosen.append(np.zeros(ends[-1]))
        chosen[-1][ends[at] : ends[at + 1]] = load
        shape = missed[at] @ load
        missed = [part - _project((shape / np.linalg.norm(shape))[:, None], part) for part in missed]
    return np.stack(chosen, axis=1) if chosen else np.zeros((ends[-1], 0))


def _held(statics: Sequence[Array], tip: Array) -> list[Array]:
    """Return strains by place whose squares are the compliance there with the tip and all other places held."""
    whole = []
    for k, part in enumerate(statics):
        rest = np.hstack([tip, *statics[:k], *statics[k + 1 :]])
        # Reactions of what is held do no work: their strains are at right angles to those that remain.
        directions, sizes, _ = np.linalg.svd(rest, full_matrices=False)
        own = part - _project(directions[:, sizes > NEAR * sizes.max(initial=0.0)], part)
        whole.append(np.vstack([own, np.sqrt(LEAST) * part]))
    return whole


def _worst(missed: Array, whole: Array) -> tuple[float, Array]:
    """Return the largest share of energy that is missed under any load (c,) at one place, and that load."""
    if not whole.shape[1]:
        return 0.0, np.zeros(0)
    inverse = np.linalg.inv(np.linalg.cholesky(whole.T @ whole))
    shares, loads = np.linalg.eigh(inverse @ (missed.T @ missed) @ inverse.T)
    return float(shares[-1]), inverse.T @ loads[:, -1]


def _orthonormal(functions: Array) -> Array:
    return np.linalg.qr(functions)[0] if functions.shape[1] else functions


def _project(directions: Array, vectors: Array) -> Array:
    """Return what of vectors (k, c) lies along orthonormal directions (k, n)."""
    return directions @ (directions.T @ vectors)
