"""How many functions of `auto` a link needs for its frequencies, whatever holds or loads its tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from lissom.beam.functions.basis import DIRECTIONS
from lissom.beam.functions.eigenmodes import eigenmodes
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.functions.ritz import FORCES, MOTION, Ritz, enough_degree, mass_matrices
from lissom.beam.number_types import Array
from lissom.beam.sections.cross_section import Section
from lissom.beam.sections.profile import Profile
from lissom.errors import LissomError

FEW = 14  # functions of a direction that are usually enough
COUPLED = 1e-3  # of the diagonal, in compliance or mass, from which on directions count as coupled
MISSED = 20.0  # what a frequency counts that is not there at all, as the logarithm of its error
SAMPLES = 8  # frequencies up to the wanted one, evenly
APART = 0.999  # of a natural frequency of the link: where the tip's own motions are without bound
LEAST = {"y": 4, "z": 4, "torsion": 4, "axial": 2}  # of `auto`: three frequencies, two of torsion, lateral buckling
LOWEST = {"y": 1.8751, "z": 1.8751, "torsion": np.pi / 2, "axial": np.pi / 2}  # waves on a clamped-free link, rad
WAVE_STEPS = 4  # per radian, to which waves on a link are rounded up
MOST_WAVES = 20  # radians on a link up to which its waves tell how many functions it needs
THICK = 0.05  # share of shear and rotary inertia in a wave from which on they shape it
FAR = 20  # times as high as wanted: frequencies of stretching that need no function


def enough_modes(profile: Profile, reach: float | None, accuracy: float, most: int = 50) -> dict[str, int]:
    """Return how many functions of `auto` each direction needs.

    Enough that every frequency of the link up to `reach` (Hz; ten times its lowest unless given), its base held, is
    right within `accuracy`, whatever its tip carries. Bending and torsion have their shapes under tip loads at least;
    stretching has none if its lowest frequency is more than twenty times as high as `reach`. Where no `reach` is given
    each direction has at least the functions of `LEAST`.
    """
    groups = coupled_directions(profile)
    waves = _Waves.of(profile) if reach is None and len(groups) == len(DIRECTIONS) else None
    if waves is not None:
        lowest = {name: waves.frequency(name, LOWEST[name]) for name in DIRECTIONS}
    else:
        alone = {name: Ritz.of(profile, [name], enough_degree(profile, FEW)) for name in DIRECTIONS}
        lowest = {name: part.frequencies(part.modes(1))[0] for name, part in alone.items()}
    wanted = 10 * min(lowest.values()) if reach is None else reach
    counts = {name: 0 for name in DIRECTIONS}
    for group in groups:
        if group == ["axial"] and lowest["axial"] > FAR * wanted:
            continue
        found = None if waves is None else waves.counts(group[0], wanted, accuracy)
        if found is None:
            found = _ModeCountSearch(profile, group, wanted, FEW).counts(accuracy)
        if found is None:
            found = _ModeCountSearch(profile, group, wanted, most).counts(accuracy)
        if found is None:
            text = f"frequencies up to {wanted:g} Hz need more than {most} functions along {group[0]}; ask for less"
            raise LissomError(text, ("modes",))
        counts |= found
    return counts if reach is not None else {name: max(n, LEAST[name]) for name, n in counts.items()}


class _Waves(NamedTuple):
    """A uniform link whose directions do not move each other, by the waves that run along it.

    How many functions it needs depends on how many waves of the wanted frequency its length has, whatever its numbers.
    """

    length: float
    stiffness: dict[str, float]  # EI, GJ or EA
    inertia: dict[str, float]  # mass per length, or inertia about its axis
    rotary: dict[str, float]  # rotary inertia of bending
    shear: dict[str, float]  # compliance in shear

    @classmethod
    def of(cls, profile: Profile) -> _Waves | None:
        """Return the numbers of a uniform link; None of one whose section changes along it."""
        if len(profile.pieces) > 1 or not profile.pieces[0].uniform:
            return None
        compliance, moments = (np.real(t)[0] for t in profile.tables(np.array([0.5])))
        mass = np.diagonal(mass_matrices(np.real(moments)[None])[0])
        forces = {name: FORCES[name] for name in DIRECTIONS}
        return cls(
            float(np.real(profile.length)),
            {name: 1 / compliance[rows[0], rows[0]] for name, rows in forces.items()},
            {name: mass[MOTION[name][0]] for name in DIRECTIONS},
            {name: mass[MOTION[name][1]] for name in ("y", "z")},
            {name: compliance[forces[name][1], forces[name][1]] if profile.shear else 0.0 for name in ("y", "z")},
        )

    def frequency(self, name: str, wave: float) -> float:
        """Return Hz of waves with `wave` radians on the length, without what shear and rotary inertia add."""
        k = wave / self.length
        speed = np.sqrt(self.stiffness[name] / self.inertia[name])
        return float(speed * (k**2 if name in self.rotary else k) / (2 * np.pi))

    def wave(self, name: str, frequency: float) -> float:
        """Return the radians of a wave of a frequency, Hz, on the length; infinite where shear shapes it."""
        square = (2 * np.pi * frequency) ** 2
        B, m = self.stiffness[name], self.inertia[name]
        if name not in self.rotary:
            return float(np.sqrt(square * m / B)) * self.length
        J, g = self.rotary[name], self.shear[name]
        # B k^4 - (J + m B g) w^2 k^2 - m w^2 (1 - J g w^2) = 0
        half = (J + m * B * g) * square / 2
        root = np.sqrt(half**2 + np.maximum(0.0, B * m * square * (1 - J * g * square)))
        return float(np.sqrt((half + root) / B)) * self.length if half < THICK * root else np.inf

    def counts(self, name: str, reach: float, accuracy: float) -> dict[str, int] | None:
        """Return functions of a direction; None where waves do not tell."""
        kind = "y" if name in self.rotary else name
        wave = self.wave(name, reach)
        found = None if wave > MOST_WAVES else _counts_of_waves(kind, int(np.ceil(wave * WAVE_STEPS)), accuracy)
        return None if found is None else {name: found}


@lru_cache(maxsize=256)
def _counts_of_waves(kind: str, steps: int, accuracy: float) -> int | None:
    """Return functions of a uniform link of unit length and numbers, for waves of steps / WAVE_STEPS radians on it."""
    section = Section(rhoA=1.0, EA=1.0, EIy=1.0, EIz=1.0, GJ=1.0, Jx=1.0, Jy=0.0, Jz=0.0)
    profile = Profile.uniform(section, 1.0, shear=False)
    wave = steps / WAVE_STEPS
    found = _ModeCountSearch(profile, [kind], (wave**2 if kind == "y" else wave) / (2 * np.pi), FEW).counts(accuracy)
    return None if found is None else found[kind]


def coupled_directions(profile: Profile) -> list[list[str]]:
    """Return directions that move each other, together."""
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


class _ModeCountSearch:
    """Functions of directions that move each other, against a fine solution of all of them together."""

    def __init__(self, profile: Profile, group: Sequence[str], reach: float, most: int) -> None:
        from scipy.linalg import block_diag  # here: most robots do not need it

        degree = enough_degree(profile, most)
        alone = {name: Ritz.of(profile, [name], degree) for name in group}
        fine = Ritz.of(profile, group, degree) if len(group) > 1 else alone[group[0]]
        self.group, self.reach, self.most = group, reach, most
        self.least = {name: len(part.tip) for name, part in alone.items()}
        self.held = tuple(range(len(fine.tip)))
        self.exact = fine.frequencies(fine.modes(most + 1, self.held))
        self.free = fine.frequencies(fine.modes(most + 1))
        many = min(len(group) * most, len(fine.mass) // 2)
        self.tips = _Tip(fine, fine.tip_held(many)).felt(self._samples())
        # the functions of each direction, `most` of each, as the only ones in which the link may move
        shapes = block_diag(*(part.tip_held(most - len(part.tip)) for part in alone.values()))
        stiffness, mass = (shapes.T @ table @ shapes for table in (fine.stiffness, fine.mass))
        self.all = replace(fine, stiffness=stiffness, mass=mass, tip=fine.tip @ shapes)

    def counts(self, accuracy: float) -> dict[str, int] | None:
        """Return the functions that are enough: one more where it helps most, then fewer where none is missed.

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
        """Return frequencies up to the wanted one, and those of the link with its tip free or held.

        None right at those of the link, where a tip is held without bound, or not at all.
        """
        own = np.concatenate([self.exact, self.free])
        even = self.reach * np.arange(1, SAMPLES + 1) / SAMPLES
        apart = np.abs(even[:, None] / own - 1).min(axis=1) > 1 - APART
        return np.concatenate([even[apart], APART * own[own <= self.reach / APART]])

    def _excess(self, counts: dict[str, int], accuracy: float) -> float:
        """Return how far the frequencies that so many functions give are beyond what is allowed; zero where none is."""
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
        """Return what is off at each of the frequencies, Hz."""
        made = []
        for square in (2 * np.pi * frequencies) ** 2:
            share = self.motions / (self.squares - square)
            D = np.linalg.inv(share @ self.motions.T)
            made.append(_Felt(square, D, D @ (share @ share.T) @ D))
        return made


def _shift(ours: _Felt, true: _Felt) -> float:
    """Return by what share a natural frequency that falls here is off at most, whatever mass the tip carries.

    It falls where D and that mass balance along some motion t of the tip: t . D t = omega^2 t . mass t. It is off by
    t . (ours - true) t over 2 omega^2 times all that moves, the link and what it carries.
    """
    from scipy.linalg import eigh

    balance, motions = eigh(true.stiffness, true.mass)
    scale = 1 / np.sqrt(true.square + np.maximum(balance, 0.0))
    gap = motions.T @ (ours.stiffness - true.stiffness) @ motions
    return float(np.linalg.eigvalsh(scale[:, None] * gap * scale)[-1]) / 2
