"""What a link that is held at both ends adds to the second-order field: terms of fourth order.

Such a link may bow by several hundredths of its length, and whatever hangs on it follows its foreshortening. Sections
turn by th = (thy, thz), and shear lets the axis lean by l = (-gz, gy) from their normals, both linear in coordinates.
The sines of the slopes of a section's normal are th, and v' = thz + gy, w' = -thy + gz hold exactly. In the plane, with
sin a = th, the axis is x' = cos a - l tan a, the shear strain l / cos a and the curvature a' = th' / cos a. So

    it is drawn back by a further  int 1/8 (th . th)^2 + 1/2 (th . th) (th . l),
    its strain energy has          1/2 int (th . th') (th . M) + (th . l) (th . Q)    more,

with moments M = (My, Mz) and shear forces Q = (-Qz, Qy) that are linear in the coordinates. This is right to fourth
order for bending in one plane, and for a link that bends equally both ways. Integrals are sums over nodes of a Gauss
rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.beam.constants import constant_property
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.number_types import Array, Number
from lissom.beam.sections.general_section import BEND_Y, BEND_Z, SHEAR_Y, SHEAR_Z

TURN, CURVATURE, MOMENT, LEAN, SHEAR = range(5)  # rows of `Bow.nodes`

STRETCHES = 1e-4  # of the curvature times the length, from which a stretch is one


@dataclass(frozen=True, eq=False)
class Bow:
    """Terms of fourth order of a link with m coordinates, on K nodes."""

    field: Any
    rule: Quadrature
    nodes: Array  # (K, 5, 2, m) per coordinate: th, th', M, l, Q; M and Q times the weight of the node

    def running(self, xi: Array) -> Array:
        """Return (k, K): from values at the nodes to integrals over x up to fractions xi (k,) of the length."""
        return self.field.running(self.rule, xi)

    @constant_property
    def stretches(self) -> bool:
        """Whether the axis stretches where the link bends, as its sections are off the axis."""
        strain, basis = np.real(self.field.nodes.strain), self.field.basis
        bending = strain[..., : basis.counts["y"] + basis.counts["z"]]
        return bool(np.abs(bending[:, 0]).max() > STRETCHES * np.real(self.field.length) * np.abs(bending[:, 4:]).max())

    def shortening(self, xi: Array, eta: Array) -> Array:
        """Return how far sections at fractions xi (k,) are drawn back, for eta (..., m): (..., k)."""
        th, lean = self._at(eta, TURN), self._at(eta, LEAN)
        square = (th * th).sum(axis=-1)
        return (square * (square + 4 * (th * lean).sum(axis=-1))) @ self.running(xi).T / 8

    def strain_energy(self, eta: Array) -> Number:
        """Return the strain energy of fourth order at eta (..., m)."""
        th = self._at(eta, TURN)
        bent, moment, sheared, force = (
            (th * self._at(eta, row)).sum(axis=-1) for row in (CURVATURE, MOMENT, LEAN, SHEAR)
        )
        return (bent * moment + sheared * force).sum(axis=-1) / 2

    def _at(self, eta: Array, row: int) -> Array:
        """Return the slopes at the nodes, (..., K, 2), at eta (..., m)."""
        return np.einsum("kaj,...j->...ka", self.nodes[:, row], eta)


def bow(field: Any, forces_at: Callable[[Array], Array]) -> Bow:
    """Return the terms of fourth order; `forces_at`: forces (k, 6, m) per coordinate at fractions xi (k,)."""
    edges = field.basis.rule.edges
    pieces, points = len(edges) - 1, 2 * max(field.basis.counts["y"], field.basis.counts["z"]) + 3
    rule = Quadrature.cached(edges, points if pieces == 1 else max(5, 3 + points // pieces))
    sections = field.sections(rule.nodes)
    forces = field.running(rule, np.ones(1))[0][:, None, None] * forces_at(rule.nodes)
    strain = sections.strain
    rows = [
        sections.psi[:, 1:],
        sections.psi_x[:, 1:],
        forces[:, [BEND_Y, BEND_Z]],
        np.stack([-strain[:, SHEAR_Z], strain[:, SHEAR_Y]], axis=1),
        np.stack([-forces[:, SHEAR_Z], forces[:, SHEAR_Y]], axis=1),
    ]
    return Bow(field, rule, np.stack(rows, axis=1))
