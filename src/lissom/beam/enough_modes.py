"""How many functions of `auto` a link needs for its frequencies, whatever holds or loads its tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from lissom.beam.basis import DIRECTIONS
from lissom.beam.eigen import eigenmodes
from lissom.beam.number import Array
from lissom.beam.profile import Profile
from lissom.beam.quadrature import Quadrature
from lissom.beam.ritz import MOTION, Ritz, enough_degree, mass_matrices
from lissom.errors import LissomError

FEW = 14  # functions of a direction that are usually enough
COUPLED = 1e-3  # of the diagonal, in compliance or mass, from which on directions count as coupled
MISSED = 20.0  # what a frequency counts that is not there at all, as the logarithm of its error
SAMPLES = 8  # frequencies up to the wanted one, evenly
APART = 0.999  # of a natural frequency of the link: where the tip's own motions are without bound
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
        self.held = tuple(range(len(fine.tip)))
        self.exact = fine.frequencies(fine.modes(most + 1, self.held), self.held)
        self.free = fine.frequencies(fine.modes(most + 1))
        many = min(len(group) * most, len(fine.mass) // 2)
        self.tips = _Tip(fine, fine.tip_held(many)).felt(self._samples())
        # the functions of each direction, `most` of each, as the only ones in which the link may move
        shapes = block_diag(*(part.tip_held(most - len(part.tip)) for part in alone.values()))
        stiffness, mass = (shapes.T @ table @ shapes for table in (fine.stiffness, fine.mass))
        self.all = replace(fine, stiffness=stiffness, mass=mass, tip=fine.tip @ shapes)

    def counts(self, accuracy: float) -> dict[str, int] | None:
        """The functions that are enough: one more where it helps most, then fewer where none is missed.

        None where they are more than `most`.
        """
        if min(self.exact[-1], self.free[-1]) <= self.reach:
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

    def _samples(self) -> Array:
        """Frequencies up to the wanted one, and those of the link with its tip free or held, at which tips are felt."""
        own = np.concatenate([self.exact, self.free])
        even = self.reach * np.arange(1, SAMPLES + 1) / SAMPLES
        return np.concatenate([even, APART * own[own <= self.reach]])

    def _excess(self, counts: dict[str, int], accuracy: float) -> float:
        """How far the frequencies that so many functions give are beyond what is allowed; zero where none is."""
        chosen = [k * self.most + j for k, name in enumerate(self.group) for j in range(counts[name])]
        shapes = np.eye(len(self.group) * self.most)[:, chosen]
        found = self.all.frequencies(shapes, self.held)
        within = int(np.searchsorted(self.exact, self.reach, side="right"))
        if len(found) < within:
            return MISSED * (within - len(found))
        errors = [found[:within] / self.exact[:within] - 1]
        tips = _Tip(self.all, shapes).felt(self._samples())
        errors += [[_shift(ours, true)] for ours, true in zip(tips, self.tips)]
        return float(np.log(np.maximum(1.0, np.concatenate(errors) / accuracy)).sum())


class _Felt(NamedTuple):
    """A link as what hangs on its tip feels it at one frequency."""

    square: float  # omega^2
    stiffness: Array  # (c, c) D: force per motion of the tip
    mass: Array  # (c, c) -dD/d(omega^2): of the whole link, as it then moves


class _Tip:
    """The tip of a link that moves in `shapes` (r, n) only."""

    def __init__(self, ritz: Ritz, shapes: Array) -> None:
        omega, X = eigenmodes(shapes.T @ ritz.mass @ shapes, shapes.T @ ritz.stiffness @ shapes)
        self.squares, self.motions = omega**2, ritz.tip @ shapes @ X

    def felt(self, frequencies: Array) -> list[_Felt]:
        """At each of the frequencies, Hz."""
        made = []
        for square in (2 * np.pi * frequencies) ** 2:
            share = self.motions / (self.squares - square)
            D = np.linalg.inv(share @ self.motions.T)
            made.append(_Felt(square, D, D @ (share @ share.T) @ D))
        return made


def _shift(ours: _Felt, true: _Felt) -> float:
    """By how much of itself a natural frequency is off where it falls here, at most, whatever mass the tip carries.

    It falls where D and that mass balance along some motion t of the tip: t . D t = omega^2 t . mass t. It is off by
    t . (ours - true) t over 2 omega^2 times all that moves, the link and what it carries.
    """
    from scipy.linalg import eigh

    balance, motions = eigh(true.stiffness, true.mass)
    scale = 1 / np.sqrt(true.square + np.maximum(balance, 0.0))
    gap = motions.T @ (ours.stiffness - true.stiffness) @ motions
    return float(np.linalg.eigvalsh(scale[:, None] * gap * scale)[-1]) / 2
