"""The displacement field of a link of any profile: forces give strains, and these, integrated, displacements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.beam.constants import constant_property
from lissom.beam.displacement_fields.displacement_field import Field, Sections, integrate_strains, on_chord
from lissom.beam.functions.force_based_shapes import OwnBasis
from lissom.beam.functions.quadrature import cache_by_place
from lissom.beam.number_types import Array, Number
from lissom.beam.sections.profile import Profile


@dataclass(frozen=True, eq=False)
class ProfileField(Field):
    """The field of a link of any profile: its strains, integrated from the base."""

    basis: OwnBasis
    chord: tuple[str, ...] = ()

    @property
    def length(self) -> Number:
        """Length of the link in metres."""
        return self.basis.profile.length

    def place(self, xi: Array) -> Array:
        """Return x of fractions xi (k,)."""
        return self.basis.profile.place(xi)

    def rate(self, xi: Array) -> Array:
        """Return dx/dxi at fractions xi (k,)."""
        return self.basis.profile.rate(xi)

    def forces(self, section: Profile, xi: Array) -> Array:
        """Return internal forces per coordinate at fractions xi (k,), (k, 6, m)."""
        return self._forces_and_strains(xi)[0]

    def moments(self, section: Profile) -> Array:
        """Return moments of mass per length at the nodes, (n, 4, 4)."""
        return self._moments

    def _fraction(self, x: Array) -> Array:
        return self.basis.profile.fraction(x)

    @constant_property
    def _moments(self) -> Array:
        return self.basis.profile.tables(self.basis.rule.nodes)[1]

    @cache_by_place
    def _forces_and_strains(self, xi: Array) -> tuple[Array, Array]:
        return self.basis.forces_and_strains(xi)

    @constant_property
    def _inner(self) -> Array:
        return self.running(self.basis.rule, self.basis.rule.nodes)

    @cache_by_place
    def sections(self, xi: Array) -> Sections:
        """Return the first-order motion of the sections at fractions xi (k,) of the length."""
        known = self._forces_and_strains(self.basis.rule.nodes)[1]
        phi, psi = integrate_strains(known, self._inner, self.running(self.basis.rule, xi))
        tip = integrate_strains(known, self._inner, self.running(self.basis.rule, np.ones(1)))[0][0]
        strain = np.array(self._forces_and_strains(xi)[1])
        return on_chord(Sections(phi, psi, strain[:, 3:], strain), self.place(xi), tip, self.length, self.chord)
