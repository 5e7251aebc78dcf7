"""The displacement field of a link: how each section moves with the coordinates.

To first order it moves by (a, v, w) and turns by (t, -w', v'). To second order its centre is drawn back by
1/2 eta^T B eta along x, and it turns by a further 1/2 eta^T D eta about its axis:

    eta^T B(x) eta = int_0^x (v'^2 + w'^2) ds,      eta^T D(x) eta = int_0^x (v' w'' - w' v'') ds

Where shear or off-axis sections let the axis slip past the normal, its slopes are v' = thz + gy, w' = -thy + gz:

    eta^T B(x) eta = int_0^x (thy^2 + thz^2 + 2 thz gy - 2 thy gz) ds,
    eta^T D(x) eta = int_0^x (thy thz' - thz thy') ds

so that the stretch stays a' along the section's normal; with gy = gz = 0 as above.

The link frame is tangent to the link at its base. With `chord` it is turned, to first order, so that x goes through the
tip: seen from there, the slopes of a link that is held at both ends are half as large. What is bent stays what it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.beam.constants import constant_property
from lissom.beam.functions.basis import Basis
from lissom.beam.functions.quadrature import Quadrature, cache_by_place
from lissom.beam.number_types import Array, Number, symmetric
from lissom.beam.sections.cross_section import Section
from lissom.errors import LissomError


class Sections(NamedTuple):
    """First-order motion of k sections per coordinate of a link that has m of them."""

    phi: Array  # (k, 3, m) displacement (a, v, w)
    psi: Array  # (k, 3, m) rotation (t, -w', v')
    psi_x: Array  # (k, 3, m) its x-derivative (t', -w'', v'')
    strain: Array  # (k, 6, m) stretch, shear along y and z, twist rate, curvature about y and z (see `general_section`)


@dataclass(frozen=True, eq=False)
class RunningTerms:
    """What the second-order field integrates along the link, from its base up to each of k stations.

    Attributes
    ----------
        running: (k, n) from values at n nodes to integrals over x.
        nodes: the sections at the nodes.
    """

    running: Array
    nodes: Sections

    def foreshortening(self, weights: Array) -> Array:
        """Return sum_k weights_k B(x_k), shape (..., m, m); weights (..., k)."""
        outboard = weights @ self.running
        psi, strain = self.nodes.psi, self.nodes.strain
        drawn = gram(psi[:, 1], outboard, psi[:, 1]) + gram(psi[:, 2], outboard, psi[:, 2])
        if not strain[:, 1:3].any():
            return drawn
        return drawn + 2 * symmetric(gram(psi[:, 2], outboard, strain[:, 1]) - gram(psi[:, 1], outboard, strain[:, 2]))

    def twist(self, weights: Array) -> Array:
        """Return sum_k weights_k D(x_k), shape (..., m, m); weights (..., k)."""
        outboard = weights @ self.running
        psi, psi_x = self.nodes.psi, self.nodes.psi_x
        return symmetric(gram(psi[:, 1], outboard, psi_x[:, 2]) - gram(psi[:, 2], outboard, psi_x[:, 1]))

    def at(self, eta: Array) -> tuple[Array, Array]:
        """Return (1/2 eta^T B eta, 1/2 eta^T D eta) at the stations, each (..., k), for eta (..., m)."""
        th, th_x = (np.moveaxis(motion(part, eta), -1, 0) for part in (self.nodes.psi, self.nodes.psi_x))
        twist = th[1] * th_x[2] - th[2] * th_x[1]
        return self.shortening_at(eta), twist @ self.running.T / 2

    def shortening_at(self, eta: Array) -> Array:
        """Return 1/2 eta^T B eta at the stations, (..., k), for eta (..., m)."""
        _, th_y, th_z = np.moveaxis(motion(self.nodes.psi, eta), -1, 0)
        shortening = th_y**2 + th_z**2
        if self.nodes.strain[:, 1:3].any():
            slip_y, slip_z = np.moveaxis(motion(self.nodes.strain[:, 1:3], eta), -1, 0)
            shortening = shortening + 2 * (th_z * slip_y - th_y * slip_z)
        return shortening @ self.running.T / 2


def motion(table: Array, eta: Array) -> Array:
    """Return what coordinates eta (..., m) do by a table (k, a, m) per coordinate, (..., k, a)."""
    moved = eta @ table.reshape(-1, table.shape[-1]).T
    return moved.reshape(*moved.shape[:-1], *table.shape[:-1])


def integrate_strains(strain: Array, inner: Array, upto: Array) -> tuple[Array, Array]:
    """Return displacements and rotations (k, 3, m) that follow from strains at n nodes (n, 6, m) on a clamped base.

    inner (n, n), upto (k, n): from values at the nodes to integrals over x up to each node, and up to k places.
    """
    turned = np.einsum("pn,naj->paj", inner, strain[:, 3:])
    slope = np.array(strain[:, :3], np.result_type(turned, strain))
    slope[:, 1] += turned[:, 2]
    slope[:, 2] -= turned[:, 1]
    return np.einsum("kn,naj->kaj", upto, slope), np.einsum("kn,naj->kaj", upto, strain[:, 3:])


def on_chord(sections: Sections, x: Array, tip: Array, length: Number, chord: tuple[str, ...]) -> Sections:
    """Return the motion of sections at x (k,) seen from the chord in some of the directions y and z.

    tip: (3, m) displacement of the tip per coordinate, seen from the base.
    """
    if not chord:
        return sections
    phi, psi = np.array(sections.phi), np.array(sections.psi)
    for direction, row, axis, sense in (("y", 1, 2, 1.0), ("z", 2, 1, -1.0)):
        if direction in chord:
            turn = tip[row] / length
            phi[:, row] -= np.multiply.outer(x, turn)
            psi[:, axis] -= sense * turn
    return sections._replace(phi=phi, psi=psi)


def gram(left: Array, weights: Array, right: Array) -> Array:
    """Return sum_k weights_k left_ki right_kj, (..., m, m); weights (..., k)."""
    return left.T @ (weights[..., None] * right)


class Field(ABC):
    """The field that a basis spans; `chord`: directions in which the link's frame lies on its chord.

    Uniform links have a closed form (`UniformField`), others integrate their strains (`fields.profile_field`).
    """

    basis: Any  # its functions
    chord: tuple[str, ...]

    if TYPE_CHECKING:

        @property
        def length(self) -> Number:
            """Length of the link in metres."""

    @abstractmethod
    def place(self, xi: Array) -> Array:
        """Return x of fractions xi (k,)."""

    @abstractmethod
    def rate(self, xi: Array) -> Number | Array:
        """Return dx/dxi at fractions xi (k,)."""

    @abstractmethod
    def sections(self, xi: Array) -> Sections:
        """Return the first-order motion of the sections at fractions xi (k,) of the length."""

    @abstractmethod
    def forces(self, section: Any, xi: Array) -> Array:
        """Return internal forces per coordinate at fractions xi (k,) of a link with such sections, (k, 6, m)."""

    @abstractmethod
    def moments(self, section: Any) -> Array:
        """Return moments of mass per length at the nodes of a link with such sections, (n, 4, 4) or (4, 4)."""

    @abstractmethod
    def _fraction(self, x: Array) -> Array:
        """Return xi of places x (k,)."""

    def fraction(self, x: Any) -> Array:
        """Return xi of places on the link, shape (k,); an error for a place that is not."""
        x = np.atleast_1d(np.asarray(x))
        share = np.real(x / self.length)
        if not np.all((share >= -1e-12) & (share <= 1 + 1e-12)):
            raise LissomError(f"is not on the link, which reaches from 0 to {self.length!r}", ("x",), x)
        return self._fraction(x)

    @constant_property
    def nodes(self) -> Sections:
        """The sections at the nodes of the basis' quadrature."""
        return self.sections(self.basis.rule.nodes)

    @property
    def weights(self) -> Array:
        """Weights of integrals over x on those nodes."""
        rule = self.basis.rule
        return self.rate(rule.nodes) * rule.weights

    def running(self, rule: Quadrature, xi: Array) -> Array:
        """Return (k, n): from values at the n nodes of a rule to integrals over x up to fractions xi (k,)."""
        return self.rate(rule.nodes) * rule.running(xi)

    def running_terms(self, xi: Array) -> RunningTerms:
        """Return second-order terms up to the sections at fractions xi (k,)."""
        return RunningTerms(self.running(self.basis.rule, xi), self.nodes)


@dataclass(frozen=True, eq=False)
class UniformField(Field):
    """The field of a uniform link that does not shear, with named functions: no integral is left."""

    length: Number
    basis: Basis
    chord: tuple[str, ...] = ()

    def place(self, xi: Array) -> Array:
        """Return x of fractions xi (k,)."""
        return self.length * xi

    def rate(self, xi: Array) -> Number:
        """Return dx/dxi, the same everywhere."""
        return self.length

    def forces(self, section: Section, xi: Array) -> Array:
        """Return internal forces per coordinate at fractions xi (k,), (k, 6, m)."""
        return section.rigidity[:, None] * self.sections(xi).strain

    def moments(self, section: Section) -> Array:
        """Return moments of mass per length, (4, 4)."""
        return section.moments

    def _fraction(self, x: Array) -> Array:
        return x / self.length

    @cache_by_place
    def sections(self, xi: Array) -> Sections:
        """Return the first-order motion of the sections at fractions xi (k,) of the length."""
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
        stretch = np.zeros_like(psi_x)
        stretch[:, 0, axial] = a1 / L
        found = Sections(phi, psi, psi_x, np.concatenate([stretch, psi_x], axis=1))
        tip = np.zeros((3, basis.count))
        tip[1, y], tip[2, z] = basis.y.values(1.0)[0][0], basis.z.values(1.0)[0][0]
        return on_chord(found, self.place(xi), tip, L, self.chord)
