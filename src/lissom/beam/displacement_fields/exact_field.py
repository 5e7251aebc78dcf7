"""The geometrically exact field of a link: its sections turn by any angle, its axis follows.

The coordinates give the rotation vector of every section and the stretch and shear of the axis; the axis is its
tangent's integral (a Cosserat rod). With the same functions as the linear field, theta(x) = Psi(x) eta,

    R(x) = exp(theta~),    r'(x) = R(x) (e_x + gamma(x)),    r(0) = 0,
    energy 1/2 int e^T S e,    e = (gamma, k),    k~ = R^T R',

S the stiffness of the section. No order of the deflection is left out. Integrals are sums over the nodes of a Gauss
rule, and the model is the one with these sums: its energy balance holds to rounding, however few the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lissom.beam.constants import constant_property
from lissom.beam.displacement_fields.displacement_field import Field, Sections, motion
from lissom.beam.functions.basis import Basis
from lissom.beam.functions.force_based_shapes import OwnBasis
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.lumped_mass import LumpedMass
from lissom.beam.number_types import Array, Number
from lissom.lie import so3


def rule(basis: Basis | OwnBasis) -> Quadrature:
    """Return Gauss rule of the exact field: about two nodes per function of a direction, or eight per element."""
    points = 10 + 2 * max(basis.counts.values())
    if isinstance(basis, Basis) and any(s.name == "hermite" for s in basis.directions.values()):
        return Quadrature.cached((0.0, *basis.breaks, 1.0), 8)
    pieces = len(basis.breaks) + 1
    return Quadrature.cached((0.0, *basis.breaks, 1.0), points if pieces == 1 else max(6, 4 + points // pieces))


@dataclass(frozen=True, eq=False)
class Stations:
    """Where a link with m coordinates is evaluated: the K nodes of its rule, then its lumped masses."""

    nodes: int  # K
    # (s, 6, 6) of the sections times the weight, order of strains as in `general_section`; zero for masses
    stiffness: Array
    prestress: Array  # (s, 6) forces in the sections without strain, times the weight
    retardation: Number  # beta of stress = stiffness (strain + beta strain rate)
    running: Array  # (s, K) from values at the nodes to integrals over x up to each station
    psi: Array  # (s, 6, m) rotation of the section (x, y, z), stretch and shears per coordinate
    psi_x: Array  # (s, 3, m) x-derivative of the rotation
    mass: Array  # (s,)
    offset: Array  # (s, 3) centre of mass in section axes
    shifted: Array  # (s,) 1 where the centre of mass is off the axis
    inertia: Array  # (s, 3, 3) about the centre of mass, section axes


@dataclass(frozen=True, eq=False)
class ExactField:
    """The exact field of a link."""

    field: Field

    @property
    def rule(self) -> Quadrature:
        """Quadrature of the exact field."""
        return rule(self.field.basis)

    def running(self, xi: Array) -> Array:
        """Return (k, K): from values at the nodes to integrals over x up to fractions xi (k,) of the length."""
        return self.field.running(self.rule, xi)

    @property
    def weights(self) -> Array:
        """Weights of integrals over x."""
        return self.running(np.ones(1))[0]

    @constant_property
    def _nodes(self) -> Sections:
        return self.field.sections(self.rule.nodes)

    def poses(self, xi: Array, eta: Array) -> Array:
        """Return section frames at fractions xi (k,), for eta (..., m): (..., k, 4, 4)."""
        R, place = so3.exp(motion(self.field.sections(xi).psi, eta)), self.positions(xi, eta)
        T = np.zeros((*R.shape[:-2], 4, 4), np.result_type(R, place))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, place, 1
        return T

    def positions(self, xi: Array, eta: Array) -> Array:
        """Return where sections at fractions xi (k,) are, for eta (..., m): (..., k, 3)."""
        nodes = self._nodes
        along = motion(nodes.strain[:, :3], eta) + np.array([1.0, 0.0, 0.0])
        found: Array = self.running(xi) @ so3.act(so3.exp(motion(nodes.psi, eta)), along)
        return found

    def strain_energy(self, stiffness: Array, prestress: Array, eta: Array) -> Number:
        """Return the elastic energy at eta (..., m) for stiffness (K, 6, 6) and forces without strain (K, 6)."""
        nodes = self._nodes
        theta, theta_x = (np.einsum("kaj,...j->...ka", part, eta) for part in (nodes.psi, nodes.psi_x))
        curvature = so3.act(so3.right_jacobian(theta), theta_x)
        stretch = np.einsum("kaj,...j->...ka", nodes.strain[:, :3], eta)
        strain = np.concatenate([stretch, curvature], axis=-1)
        elastic = np.einsum("...ka,kab,...kb,k->...", strain, stiffness, strain, self.weights) / 2
        return elastic + np.einsum("...ka,ka,k->...", strain, prestress, self.weights)

    def stations(
        self,
        stiffness: Array,
        moments: Array,
        prestress: Array,
        masses: Sequence[LumpedMass],
        retardation: Number,
    ) -> Stations:
        """Return the tables of a link with stiffness (K, 6, 6), moments (K, 4, 4), forces without strain (K, 6)."""
        nodes = self.rule.nodes
        lumps = self.field.fraction([lump.x for lump in masses]) if masses else nodes[:0]
        xi = np.concatenate([nodes, lumps])
        W = self.weights[:, None, None] * moments
        W = np.concatenate([W, np.array([lump.moments for lump in masses]).reshape(-1, 4, 4)])
        mass = W[:, 0, 0]
        offset = np.divide(W[:, 0, 1:], mass[:, None], out=np.zeros_like(W[:, 0, 1:]), where=mass[:, None] != 0)
        second = W[:, 1:, 1:] - mass[:, None, None] * offset[:, :, None] * offset[:, None, :]
        inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
        weighted = self.weights[:, None, None] * stiffness
        pulls = self.weights[:, None] * prestress
        sections = self.field.sections(xi)
        return Stations(
            nodes=len(nodes),
            stiffness=np.concatenate([weighted, np.zeros((len(masses), 6, 6))]),
            prestress=np.concatenate([pulls, np.zeros((len(masses), 6))]),
            retardation=retardation,
            running=self.running(xi),
            psi=np.concatenate([sections.psi, sections.strain[:, :3]], axis=1),
            psi_x=sections.psi_x,
            mass=mass,
            offset=offset,
            shifted=np.any(offset != 0, axis=1).astype(np.int64),
            inertia=inertia,
        )
