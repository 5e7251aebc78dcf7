"""The stations of a link that carry its mass: the nodes of its quadrature, then its lumped masses.

Links that differ in masses and sections alone have the same stations, which move alike; where their masses are equal
too, they share the integrals over them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from lissom.beam.constants import constant_property, freeze
from lissom.beam.displacement_fields.displacement_field import RunningTerms, Sections
from lissom.beam.displacement_fields.foreshortening_forms import Shortening, Span
from lissom.beam.displacement_fields.inertia_invariants import Invariants, SectionMotion
from lissom.beam.displacement_fields.second_order_rotation import second_order_turn
from lissom.beam.number_types import Array, Number


class Carriers:
    """Stations of a field: xi (k,) of the length, and how they move."""

    def __init__(self, field: Any, lumps: tuple[Number, ...]) -> None:
        """Take the stations of a field and places of lumped masses, m."""
        xi, sections = field.basis.rule.nodes, field.nodes
        if lumps:
            at_lumps = field.fraction(list(lumps))
            sections = Sections(*map(np.concatenate, zip(sections, field.sections(at_lumps), strict=True)))
            xi = np.concatenate([xi, at_lumps])
        self.field, self.xi, self.sections = field, *freeze((xi, sections))

    @constant_property
    def _terms(self) -> RunningTerms:
        return self.field.running_terms(self.xi)

    @constant_property
    def motion(self) -> SectionMotion:
        """How masses there move with the coordinates."""
        return SectionMotion.of(self.field.place(self.xi), self.sections)

    @constant_property
    def span(self) -> Span:
        """How they are drawn back by foreshortening."""
        return Span.of(self.field.place(self.xi), self.sections, self._terms)

    def invariants(self, moments: Array) -> Invariants:
        """Integrate over masses with moments (k, 4, 4)."""
        return _invariants(self, _Table(moments))

    def turned(self, moments: Array) -> Array:
        """Return what the `second_order_rotation` of masses with moments (k, 4, 4) adds, (4, 3, m, m)."""
        return second_order_turn(self.motion.first_moments(moments), self.sections, self._terms)

    def shortening(self, moments: Array) -> Shortening:
        """Integrate over masses with moments (k, 4, 4)."""
        return _shortening(self, _Table(moments[:, 0]))


@lru_cache(maxsize=256, typed=True)  # a complex place is not the real one that equals it
def carriers(field: Any, *lumps: Number) -> Carriers:
    """Return the stations of a field with lumped masses at the places `lumps`, m."""
    return Carriers(field, lumps)


class _Table:
    """An array that equals others of the same numbers."""

    def __init__(self, array: Array) -> None:
        self.array, self._key = array, (array.dtype, array.tobytes())

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Table) and self._key == other._key


@lru_cache(maxsize=64)
def _invariants(stations: Carriers, moments: _Table) -> Invariants:
    return freeze(stations.motion.integrate(moments.array))


@lru_cache(maxsize=64)
def _shortening(stations: Carriers, moments: _Table) -> Shortening:
    return freeze(stations.span.shortening(moments.array))
