"""How the section changes along a link: pieces, each of one smooth law, joined at stations where it may jump.

Fractions xi in [0, 1] of the length are the integration variable; the ends of pieces are at the real parts of their
places, so that a place may carry a derivative (complex step) while the functions stay where they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebvander

from lissom.beam.constants import constant_property
from lissom.beam.number_types import NEAR, Array, Number
from lissom.beam.sections.cross_section import Section
from lissom.beam.sections.general_section import GeneralSection
from lissom.errors import LissomError

MOST_POINTS = 64  # of a piece, to resolve how its section changes
COARSE = 1e-6  # the same, beyond which it is refused
ON_AXIS = 1e-6  # of the size of a section, by which its shear centre may miss the axis
LEAST = 1e-4  # root of a diagonal entry over the largest, below which it counts as so much
RESOLVED = 1e-11  # of the largest diagonal entries, the last coefficients of the expansion of a piece


@dataclass(frozen=True, eq=False)
class Piece:
    """The part of a link from x = `start` to `end`; `at(s)` is its section at the fraction s of the piece."""

    start: Number
    end: Number
    at: Callable[[float], GeneralSection]
    uniform: bool = False

    @classmethod
    def constant(cls, start: Number, end: Number, section: GeneralSection) -> Piece:
        """Make a link of one section all along."""
        return cls(start, end, lambda s: section, uniform=True)

    def rigid_in_shear(self) -> Piece:
        """Return the same with sections that do not shear."""
        return replace(self, at=lambda s: self.at(s).rigid_in_shear())

    def part(self, start: Number, end: Number) -> Piece:
        """Return what of it lies between two places."""
        first, last = ((float(np.real((x - self.start) / (self.end - self.start)))) for x in (start, end))
        return replace(self, start=start, end=end, at=lambda s: self.at(first + s * (last - first)))

    def tables(self, s: Array) -> tuple[Array, Array]:
        """Return compliance (k, 6, 6) and moments (k, 4, 4) at fractions s (k,) of the piece."""
        if self.uniform:
            section = self.at(0.5)
            return tuple(np.broadcast_to(part, (len(s), *part.shape)) for part in (section.compliance, section.moments))  # type: ignore[return-value]
        made = [self.at(float(x)) for x in s]
        return np.array([p.compliance for p in made]), np.array([p.moments for p in made])

    @constant_property
    def degree(self) -> int:
        """Degree of polynomials that represent the section's numbers between the ends."""
        if self.uniform:
            return 0
        count = 8
        while True:
            points = chebpts1(count)
            tables = [_balance_rows(np.real(t)).reshape(count, -1) for t in self.tables((points + 1) / 2)]
            parts = [np.linalg.solve(chebvander(points, count - 1), t) for t in tables]
            tail = max(np.abs(p[-2:]).max() for p in parts)
            if count >= MOST_POINTS and tail > COARSE:
                text = "change too fast between two stations to be resolved; put stations between them (turn is in rad)"
                raise LissomError(text, ("stations",))
            if tail < RESOLVED or count >= MOST_POINTS:
                sizes = np.max([np.abs(p).max(axis=1) for p in parts], axis=0)
                return int(np.flatnonzero(sizes >= RESOLVED)[-1])
            count *= 2


@dataclass(frozen=True, eq=False)
class Profile:
    """Sections along a link: pieces from x = 0 to its end, without gaps.

    shear: whether shear forces deform the sections (Timoshenko) or not (Euler-Bernoulli).
    """

    pieces: tuple[Piece, ...]
    shear: bool = True

    def __post_init__(self) -> None:
        ends = [0.0, *(np.real(p.end) for p in self.pieces)]
        if not self.pieces or any(np.real(p.start) != a or not b > a for p, a, b in zip(self.pieces, ends, ends[1:])):
            raise LissomError("must follow each other from x = 0, each of positive length", ("profile", "pieces"))

    @classmethod
    def uniform(cls, section: Section | GeneralSection, length: Number, shear: bool = True) -> Profile:
        """Make a link of one section all along."""
        general = section if isinstance(section, GeneralSection) else GeneralSection.of(section)
        return cls((Piece.constant(0.0, length, general),), shear)

    @classmethod
    def without_shear(cls, pieces: Sequence[Piece]) -> Profile:
        """Make a profile that does not shear; where shear centres are off the axis, shear forces still twist it."""
        places = [piece.at(s) for piece in pieces for s in (0.0, 0.5, 1.0)]
        if all(np.abs(section.shear_centre).max() <= ON_AXIS * section.size for section in places):
            return cls(tuple(pieces), shear=False)
        return cls(tuple(piece.rigid_in_shear() for piece in pieces), shear=True)

    def split(self, places: Sequence[Number]) -> Profile:
        """Return the same in pieces that also end at these places, where they are apart from where one ends already."""
        near, made = NEAR * np.real(self.length), []
        for piece in self.pieces:
            ends = [piece.start]
            for x in sorted(places, key=np.real):
                if np.real(ends[-1]) + near < np.real(x) < np.real(piece.end) - near:
                    ends.append(x)
            made += [piece.part(a, b) for a, b in itertools.pairwise([*ends, piece.end])] if ends[1:] else [piece]
        return replace(self, pieces=tuple(made))

    @property
    def length(self) -> Number:
        """Length in metres."""
        return self.pieces[-1].end

    @constant_property
    def edges(self) -> tuple[float, ...]:
        """Fractions of the length at which pieces begin and end."""
        length = float(np.real(self.length))
        return (0.0, *(float(np.real(p.end)) / length for p in self.pieces[:-1]), 1.0)

    @property
    def degree(self) -> int:
        """Of polynomials that represent the sections within each piece."""
        return max(p.degree for p in self.pieces)

    @constant_property
    def _places(self) -> Array:
        return np.array([0 * self.length, *(p.end for p in self.pieces)])

    def piece(self, xi: Array) -> tuple[Array, Array]:
        """Return which piece each fraction xi (k,) of the length falls in, and where in it (0 to 1)."""
        edges = np.array(self.edges)
        k = np.clip(np.searchsorted(edges, np.real(xi), side="right") - 1, 0, len(self.pieces) - 1)
        return k, (xi - edges[k]) / (edges[k + 1] - edges[k])

    def place(self, xi: Array) -> Array:
        """Return x of fractions xi (k,)."""
        k, s = self.piece(xi)
        return self._places[k] + s * (self._places[k + 1] - self._places[k])

    def rate(self, xi: Array) -> Array:
        """Return dx/dxi at fractions xi (k,)."""
        edges, places = np.array(self.edges), self._places
        k, _ = self.piece(xi)
        return ((places[1:] - places[:-1]) / (edges[1:] - edges[:-1]))[k]

    def fraction(self, x: Any) -> Array:
        """Return xi of places x, shape (k,)."""
        x, edges, places = np.atleast_1d(np.asarray(x)), np.array(self.edges), self._places
        k = np.clip(np.searchsorted(np.real(places), np.real(x), side="right") - 1, 0, len(self.pieces) - 1)
        return edges[k] + (x - places[k]) / (places[k + 1] - places[k]) * (edges[k + 1] - edges[k])

    def tables(self, xi: Array) -> tuple[Array, Array]:
        """Return compliance (k, 6, 6) and moments of mass per length (k, 4, 4) at fractions xi (k,)."""
        which, s = self.piece(xi)
        number = np.result_type(float, *(t for p in self.pieces for t in p.tables(np.array([0.5]))))
        compliance, moments = np.zeros((len(xi), 6, 6), number), np.zeros((len(xi), 4, 4), number)
        for k, piece in enumerate(self.pieces):
            here = which == k
            if here.any():
                compliance[here], moments[here] = piece.tables(np.real(s[here]))
        return compliance, moments

    def section(self, xi: float) -> GeneralSection:
        """Return the section at a fraction of the length."""
        (k,), (s,) = self.piece(np.array([xi]))
        return self.pieces[k].at(float(np.real(s)))


def _balance_rows(tables: Array) -> Array:
    """Scale matrices (k, n, n) by the geometric means of their largest diagonal entries: rounding stays small."""
    largest = np.sqrt(np.abs(np.diagonal(tables, axis1=1, axis2=2)).max(axis=0))
    largest = np.maximum(largest, LEAST * largest.max())
    return tables / np.outer(largest, largest)
