"""Uniform links of one field whose numbers differ: the arrays of all at once, with an axis of links in front.

The formulas are those of one link, which take further axes; so is every digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lissom.beam import damping as laws
from lissom.beam import lumped_mass
from lissom.beam.beam_link import BeamLink
from lissom.beam.displacement_fields.foreshortening_forms import Shortening
from lissom.beam.displacement_fields.inertia_invariants import Invariants
from lissom.beam.displacement_fields.strain_energy import cubic_terms, stiffness
from lissom.beam.flexible_link import SectionMap
from lissom.beam.number_types import Array, symmetric
from lissom.beam.sections.cross_section import moments_per_length


class Stack:
    """N links; shapes are those of `BeamLink` with N in front."""

    bow = None  # of none of them

    def __init__(self, links: Sequence[BeamLink]) -> None:
        self.links, self.first = links, links[0]
        self.count, self.labels, self.field = self.first.count, self.first.labels, self.first.field
        self.length, self.stiffening = self.first.length, self.first.stiffening
        self.second_order, self.bending_count = self.first.second_order, self.first.bending_count

    @classmethod
    def of(cls, links: Sequence[Any]) -> Stack | None:
        """Return the links side by side; None where more than numbers differ, or their field has further terms."""
        first = links[0]
        if not isinstance(first, BeamLink) or first.bow is not None or first.stiffening == "exact":
            return None
        places, kind = [lump.x for lump in first.masses], type(first.damping)
        for link in links:
            if not (isinstance(link, BeamLink) and link.plain and link.field is first.field and not link.prestress):
                return None
            if link.draws_in_width:
                return None
            if link.stiffening != first.stiffening or [lump.x for lump in link.masses] != places:
                return None
            if type(link.damping) is not kind or (kind is str and link.damping != first.damping):
                return None
            if kind is float and (link.damping == 0) != (first.damping == 0):
                return None
        return cls(links)

    def section_map(self, x: Any) -> SectionMap:
        """Return the same for all."""
        return self.first.section_map(x)

    def invariants(self) -> Invariants:
        """Return the integrals over the mass."""
        return self._invariants

    def shortening(self) -> Shortening | None:
        """Return what foreshortening adds to the inertia; None where the field has none."""
        return self._shortening if self.second_order and self.bending_count else None

    def stiffness(self) -> Array:
        """Return K of the strain energy 1/2 eta^T K eta, (N, m, m)."""
        return self._stiffness

    def preload(self) -> Array:
        """Return the linear term of the strain energy, (m,)."""
        return self.first.preload()

    def cubic_terms(self) -> tuple[Array, Array, Array]:
        """Return the index (nc, 3), coefficients (N, nc) and their part in damping (N, nc)."""
        return self._cubic_terms

    @cached_property
    def _cubic_terms(self) -> tuple[Array, Array, Array]:
        index, c = np.zeros((0, 3), np.int64), np.zeros((len(self.links), 0))
        if self.second_order and self.count:
            index, c = cubic_terms(self._forces, self.first.second_order_strains)
        return index, c, self._each([link.retardation for link in self.links])[:, :, 0] * c

    def damping_matrix(self) -> Array:
        """Return D of the damping force -D etadot, (N, m, m)."""
        given: list[Any] = [link.damping for link in self.links]
        together = given[0]
        if isinstance(together, dict):
            together = {name: self._each([one.get(name, 0.0) for one in given]) for name in ("stiffness", "mass")}
        elif not isinstance(together, str):
            together = self._each(given)
        return laws.matrix(together, self._invariants.mass_matrix, self._stiffness)

    @staticmethod
    def _each(numbers: list[Any]) -> Array:
        """Return a number of every link, as a factor of matrices."""
        return np.array(numbers)[:, None, None]

    @cached_property
    def moments(self) -> Array:
        """Moments of the mass at the stations, (N, k, 4, 4)."""
        numbers = [(s.rhoA, s.Jx, s.Jy, s.Jz) for s in (link.section for link in self.links)]
        moments = self.field.weights[:, None, None] * moments_per_length(*np.array(numbers).T)[:, None]
        if not self.first.masses:
            return moments
        mass, com, inertia = (
            np.array([[getattr(lump, name) for lump in link.masses] for link in self.links])
            for name in ("mass", "com", "inertia")
        )
        return np.concatenate([moments, lumped_mass.moments(mass, com, inertia)], axis=1)

    @cached_property
    def _equal(self) -> bool:
        """Whether the masses of all are the same."""
        return bool(np.all(self.moments == self.moments[0]))

    @cached_property
    def _invariants(self) -> Invariants:
        return self.first.invariants() if self._equal else self.first.carriers.motion.integrate(self.moments)

    @cached_property
    def _shortening(self) -> Shortening | None:
        return self.first.shortening() if self._equal else self.first.carriers.span.shortening(self.moments[..., 0, :])

    @cached_property
    def _forces(self) -> Array:
        """Internal forces per coordinate at the nodes, times their weights, (N, n, 6, m)."""
        rigidity = np.array([(s.EA, 0.0, 0.0, s.GJ, s.EIy, s.EIz) for s in (link.section for link in self.links)])
        return self.field.weights[:, None, None] * (rigidity[:, None, :, None] * self.field.nodes.strain)

    @cached_property
    def _stiffness(self) -> Array:
        return symmetric(stiffness(self._forces, self.field.nodes.strain))
