"""How many functions of `auto` a link needs for its frequencies, whatever holds or loads its tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from lissom.beam.basis import DIRECTIONS
from lissom.beam.profile import Profile
from lissom.beam.quadrature import Quadrature
from lissom.beam.ritz import MOTION, Ritz, enough_degree, mass_matrices
from lissom.errors import LissomError

FEW = 14  # functions of a direction that are usually enough
COUPLED = 1e-3  # of the diagonal, in compliance or mass, from which on directions count as coupled
MISSED = 20.0  # what a frequency counts that is not there at all, as the logarithm of its error
FAR = 20  # times as high as wanted: frequencies of stretching that need no function


def enough_modes(profile: Profile, reach: float | None, accuracy: float, most: int = 50) -> dict[str, int]:
    """How many functions of `auto` each direction needs.

    Enough that every frequency of the link up to `reach` (Hz; ten times its lowest unless given), its base held, is
    right within `accuracy`, whatever its tip carries. Bending and torsion have their shapes under tip loads at least;
    stretching has none if its lowest frequency is more than twenty times as high as `reach`.
    """
    alone = {name: Ritz.of(profile, [name], enough_degree(profile, FEW)) for name in DIRECTIONS}
    lowest = {name: part.frequencies(part.modes(1))[0] for name, part in alone.items()}
    wanted = 10 * min(lowest.values()) if reach is None else reach
    counts = {name: 0 for name in DIRECTIONS}
    for group in coupled_directions(profile):
        if group == ["axial"] and lowest["axial"] > FAR * wanted:
            continue
        found = _Search(profile, group, wanted, FEW).counts(accuracy)
        if found is None:
            found = _Search(profile, group, wanted, most).counts(accuracy)
        if found is None:
            text = f"frequencies up to {wanted:g} Hz need more than {most} functions along {group[0]}; ask for less"
            raise LissomError(text, ("modes",))
        counts |= found
    return counts


def coupled_directions(profile: Profile) -> list[list[str]]:
    """Directions that move each other, together."""
    compliance, moments = (np.real(t) for t in profile.tables(Quadrature.cached(profile.edges, 5).nodes))
    joined = np.zeros((6, 6), bool)
    for tables in (compliance, mass_matrices(moments)):
        root = np.sqrt(np.diagonal(tables, axis1=1, axis2=2))
        joined |= np.any(np.abs(tables) > COUPLED * root[:, :, None] * root[:, None], axis=0)
    groups: list[list[str]] = []
    for name in DIRECTIONS:
        touched = [g for g in groups if any(joined[np.ix_(MOTION[name], MOTION[other])].any() for other in g)]
        groups = [g for g in groups if g not in touched] + [[*chain(*touched), name]]
    return groups


class _Search:
    """Functions of directions that move each other, against a fine solution of all of them together."""

    def __init__(self, profile: Profile, group: Sequence[str], reach: float, most: int) -> None:
        from scipy.linalg import block_diag  # here: most robots do not need it

        degree = enough_degree(profile, most)
        alone = {name: Ritz.of(profile, [name], degree) for name in group}
        fine = Ritz.of(profile, group, degree)
        self.group, self.reach, self.most = group, reach, most
        self.least = {name: len(part.tip) for name, part in alone.items()}
        rows = range(len(fine.tip))
        # tip free, held, and held but for one motion: what a mass there brings lies between these
        self.tips = [tuple(rows), (), *(tuple(r for r in rows if r != free) for free in rows if len(rows) > 1)]
        self.exact = [fine.frequencies(fine.modes(most + 1, held), held) for held in self.tips]
        # the functions of each direction, `most` of each, as the only ones in which the link may move
        shapes = block_diag(*(part.tip_held(most - len(part.tip)) for part in alone.values()))
        stiffness, mass = (shapes.T @ table @ shapes for table in (fine.stiffness, fine.mass))
        self.all = replace(fine, stiffness=stiffness, mass=mass, tip=fine.tip @ shapes)

    def counts(self, accuracy: float) -> dict[str, int] | None:
        """The functions that are enough: one more where it helps most, then fewer where none is missed.

        None where they are more than `most`.
        """
        if any(hz[-1] <= self.reach for hz in self.exact):
            return None
        counts = self.least
        while self._excess(counts, accuracy) > 0:
            more = [counts | {name: counts[name] + 1} for name in self.group if counts[name] < self.most]
            if not more:
                return None
            counts = min(more, key=lambda each: self._excess(each, accuracy))
        for name in self.group:
            while counts[name] > self.least[name]:
                fewer = counts | {name: counts[name] - 1}
                if self._excess(fewer, accuracy) > 0:
                    break
                counts = fewer
        return counts

    def _excess(self, counts: dict[str, int], accuracy: float) -> float:
        """How far the frequencies that so many functions give are beyond what is allowed; zero where none is."""
        chosen = [k * self.most + j for k, name in enumerate(self.group) for j in range(counts[name])]
        shapes = np.eye(len(self.group) * self.most)[:, chosen]
        total = 0.0
        for held, exact in zip(self.tips, self.exact):
            found = self.all.frequencies(shapes, held)
            within = int(np.searchsorted(exact, self.reach, side="right"))
            if len(found) < within:
                total += MISSED * (within - len(found))
                continue
            # the next frequency comes down when the tip is loaded; its error falls with its square
            last = within + (held != self.tips[0] and len(found) > within)
            allowed = accuracy * np.maximum(1.0, exact[:last] / self.reach) ** 2
            total += float(np.log(np.maximum(1.0, (found[:last] / exact[:last] - 1) / allowed)).sum())
        return total
