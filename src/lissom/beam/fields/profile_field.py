"""The displacement field of a link of any profile: forces give strains, and these, integrated, displacements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.beam.constants import constant_property
from lissom.beam.fields.displacement_field import RunningTerms, Sections, integrate_strains, on_chord
from lissom.beam.functions.force_based_shapes import OwnBasis
from lissom.beam.functions.quadrature import Quadrature, kept_by_place
from lissom.beam.number_types import Array, Number
from lissom.errors import LissomError


@dataclass(frozen=True, eq=False)
class OwnField:
    """The field of a link with functions of its own; offers what `Field` does."""

    basis: OwnBasis
    chord: tuple[str, ...] = ()

    @property
    def length(self) -> Number:
        return self.basis.profile.length

    def fraction(self, x: Any) -> Array:
        """xi of places x on the link, shape (k,); an error for a place that is not."""
        share = np.real(np.atleast_1d(np.asarray(x)) / self.length)
        if not np.all((share >= -1e-12) & (share <= 1 + 1e-12)):
            raise LissomError(f"is not on the link, which reaches from 0 to {self.length!r}", ("x",), x)
        return self.basis.profile.fraction(x)

    def place(self, xi: Array) -> Array:
        """x of fractions xi (k,)."""
        return self.basis.profile.place(xi)

    @constant_property
    def forces(self) -> Array:
        """Internal forces per coordinate at the nodes, (n, 6, m)."""
        return self._forces_and_strains[0]

    @constant_property
    def _forces_and_strains(self) -> tuple[Array, Array]:
        return self.basis.forces_and_strains(self.basis.rule.nodes)

    @constant_property
    def tables(self) -> tuple[Array, Array]:
        """Compliance (n, 6, 6) and moments of mass per length (n, 4, 4) at the nodes."""
        return self.basis.profile.tables(self.basis.rule.nodes)

    @constant_property
    def _strain(self) -> Array:
        return self._forces_and_strains[1]

    @constant_property
    def _inner(self) -> Array:
        return self.running(self.basis.rule, self.basis.rule.nodes)

    @kept_by_place
    def sections(self, xi: Array) -> Sections:
        """First-order motion of the sections at fractions xi (k,) of the length."""
        phi, psi = integrate_strains(self._strain, self._inner, self.running(self.basis.rule, xi))
        strain = self.basis.forces_and_strains(xi)[1]
        return self._framed(Sections(phi, psi, strain[:, 3:], strain), xi)

    def _framed(self, sections: Sections, xi: Array) -> Sections:
        tip = integrate_strains(self._strain, self._inner, self.running(self.basis.rule, np.ones(1)))[0][0]
        return on_chord(sections, self.place(xi), tip, self.length, self.chord)

    @constant_property
    def nodes(self) -> Sections:
        """The sections at the nodes of the basis' quadrature."""
        phi, psi = integrate_strains(self._strain, self._inner, self._inner)
        return self._framed(Sections(phi, psi, self._strain[:, 3:], self._strain), self.basis.rule.nodes)

    @property
    def weights(self) -> Array:
        """Weights of integrals over x on those nodes."""
        rule = self.basis.rule
        return self.basis.profile.rate(rule.nodes) * rule.weights

    def running(self, rule: Quadrature, xi: Array) -> Array:
        """(k, n): from values at the n nodes of a rule to integrals over x up to fractions xi (k,)."""
        return rule.running(xi) * self.basis.profile.rate(rule.nodes)

    def running_terms(self, xi: Array) -> RunningTerms:
        """Second-order terms up to the sections at fractions xi (k,)."""
        return RunningTerms(self.running(self.basis.rule, xi), self.nodes)
