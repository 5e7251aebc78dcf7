"""What a link that bows between its ends adds to the second-order field: terms of fourth order.

A link whose frame lies on its chord is held at both ends; it may bow by several hundredths of its length, and whatever
hangs on it follows its foreshortening. Beyond the second-order field, with slopes th = (-w', v') that are linear in the
coordinates,

    it is drawn back by a further 1/8 int_0^x (th . th)^2, as x'^2 + v'^2 + w'^2 = 1 has it;
    its curvature is th' (1 + 1/2 th^2), which adds 1/2 int EI (th th')^2 to the strain energy.

The energy is that of bending in one plane, or of a link that bends equally both ways; in between the stiffness of the
product is the mean of both. Integrals are sums over the nodes of a Gauss rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.beam.basis import CHORD
from lissom.beam.field import Field
from lissom.beam.number import Array, Number
from lissom.beam.quadrature import Quadrature
from lissom.beam.section import Section


@dataclass(frozen=True, eq=False)
class Bow:
    """Terms of fourth order of a link with m coordinates, on K nodes."""

    field: Field
    rule: Quadrature
    slope: Array  # (K, 2, m) rotation of the section about y and z per coordinate
    slope_x: Array  # (K, 2, m) its x-derivative
    rigidity: Array  # (K, 3) EIy, EIz and their mean, times the weight

    def running(self, xi: Array) -> Array:
        """(k, K): from values at the nodes to integrals over x up to fractions xi (k,) of the length."""
        return self.field.running(self.rule, xi)

    def shortening(self, xi: Array, eta: Array) -> Array:
        """How far sections at fractions xi (k,) are drawn back, for eta (..., m): (..., k)."""
        slope = np.einsum("naj,...j->...na", self.slope, eta)
        return (slope**2).sum(axis=-1) ** 2 @ self.running(xi).T / 8

    def strain_energy(self, eta: Array) -> Number:
        """Of eta (..., m)."""
        slope, curvature = (np.einsum("naj,...j->...na", part, eta) for part in (self.slope, self.slope_x))
        y, z = np.moveaxis(slope * curvature, -1, 0)
        products = np.stack([y * y, z * z, 2 * y * z], axis=-1)
        return (products * self.rigidity).sum(axis=(-2, -1)) / 2


def bow(field: Any, section: Any) -> Bow | None:
    """Of a link with this field and section; None where its frame is on its base."""
    if not isinstance(section, Section) or CHORD not in (field.basis.y.name, field.basis.z.name):
        return None
    rule = Quadrature.cached((0.0, 1.0), 2 * max(field.basis.counts["y"], field.basis.counts["z"]) + 3)
    nodes = field.sections(rule.nodes)
    rigidity = np.array([section.EIy, section.EIz, (section.EIy + section.EIz) / 2])
    weights = field.length * rule.weights
    return Bow(field, rule, nodes.psi[:, 1:], nodes.psi_x[:, 1:], weights[:, None] * rigidity)
