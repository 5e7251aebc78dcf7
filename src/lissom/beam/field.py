"""The displacement field of a link: how each section moves with the coordinates.

To first order it moves by (a, v, w) and turns by (t, -w', v'). To second order its centre is drawn back by
1/2 eta^T B eta along x, and it turns by a further 1/2 eta^T D eta about its axis:

    eta^T B(x) eta = int_0^x (v'^2 + w'^2) ds,      eta^T D(x) eta = int_0^x (v' w'' - w' v'') ds
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lissom.beam.basis import Basis
from lissom.beam.number import Array, Number, symmetric
from lissom.errors import LissomError


class Sections(NamedTuple):
    """First-order motion of k sections per coordinate of a link that has m of them."""

    phi: Array  # (k, 3, m) displacement (a, v, w)
    psi: Array  # (k, 3, m) rotation (t, -w', v')
    psi_x: Array  # (k, 3, m) its x-derivative (t', -w'', v'')
    strain: Array  # (k, 4, m) what EA, GJ, EIy, EIz resist: a', t', -w'', v''


@dataclass(frozen=True, eq=False)
class RunningTerms:
    """What the second-order field integrates along the link, from its base up to each of k stations.

    Attributes:
        running: (k, n) from values at n nodes to integrals over x.
        nodes: the sections at the nodes.
    """

    running: Array
    nodes: Sections

    def foreshortening(self, weights: Array) -> Array:
        """sum_k weights_k B(x_k), shape (m, m); weights (k,)."""
        outboard = weights @ self.running
        psi = self.nodes.psi
        return gram(psi[:, 1], outboard, psi[:, 1]) + gram(psi[:, 2], outboard, psi[:, 2])

    def twist(self, weights: Array) -> Array:
        """sum_k weights_k D(x_k), shape (m, m); weights (k,)."""
        outboard = weights @ self.running
        psi, psi_x = self.nodes.psi, self.nodes.psi_x
        return symmetric(gram(psi[:, 1], outboard, psi_x[:, 2]) - gram(psi[:, 2], outboard, psi_x[:, 1]))

    def at(self, eta: Array) -> tuple[Array, Array]:
        """(1/2 eta^T B eta, 1/2 eta^T D eta) at the stations, each (..., k), for eta (..., m)."""
        th = np.einsum("naj,...j->a...n", self.nodes.psi, eta)
        th_x = np.einsum("naj,...j->a...n", self.nodes.psi_x, eta)
        shortening, twist = th[1] ** 2 + th[2] ** 2, th[1] * th_x[2] - th[2] * th_x[1]
        return shortening @ self.running.T / 2, twist @ self.running.T / 2


def gram(left: Array, weights: Array, right: Array) -> Array:
    """sum_k weights_k left_ki right_kj."""
    return left.T @ (weights[:, None] * right)


@dataclass(frozen=True, eq=False)
class Field:
    """The field of a link of the given length and basis."""

    length: Number
    basis: Basis

    def fraction(self, x: Any) -> Array:
        """xi = x/L, shape (k,); an error for a station that is not on the link."""
        xi = np.atleast_1d(np.asarray(x) / self.length)
        if not np.all((xi.real >= -1e-12) & (xi.real <= 1 + 1e-12)):
            raise LissomError(f"x = {x!r}: not on the link, which reaches from 0 to {self.length!r}")
        return xi

    def sections(self, xi: Array) -> Sections:
        """First-order motion of the sections at fractions xi (k,) of the length."""
        L, basis = self.length, self.basis
        y, z, torsion, axial = basis.slices.values()
        phi, psi, psi_x = (np.zeros((len(xi), 3, basis.count), np.result_type(xi, L, float)) for _ in range(3))
        v, v1, v2 = basis.y.values(xi)
        w, w1, w2 = basis.z.values(xi)
        t, t1, _ = basis.torsion.values(xi)
        a, a1, _ = basis.axial.values(xi)
        phi[:, 0, axial], phi[:, 1, y], phi[:, 2, z] = a, v, w
        psi[:, 0, torsion], psi[:, 1, z], psi[:, 2, y] = t, -w1 / L, v1 / L
        psi_x[:, 0, torsion], psi_x[:, 1, z], psi_x[:, 2, y] = t1 / L, -w2 / L**2, v2 / L**2
        stretch = np.zeros_like(psi_x[:, :1])
        stretch[:, 0, axial] = a1 / L
        return Sections(phi, psi, psi_x, np.concatenate([stretch, psi_x], axis=1))

    @cached_property
    def nodes(self) -> Sections:
        """The sections at the nodes of the basis' quadrature."""
        return self.sections(self.basis.rule.nodes)

    @property
    def weights(self) -> Array:
        """Weights of integrals over x on those nodes."""
        return self.length * self.basis.rule.weights

    def running_terms(self, xi: Array) -> RunningTerms:
        """Second-order terms up to the sections at fractions xi (k,)."""
        return RunningTerms(self.length * self.basis.rule.running(xi), self.nodes)
