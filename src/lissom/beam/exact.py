"""The geometrically exact field of a link: its sections turn by any angle, its axis follows.

The coordinates give the rotation vector of every section and the stretch of the axis; the axis is its tangent's
integral. With the same functions as the linear field, theta(x) = Psi(x) eta,

    R(x) = exp(theta~),    r'(x) = (1 + a'(x)) R(x) e_x,    r(0) = 0,
    energy 1/2 int (GJ k_x^2 + EIy k_y^2 + EIz k_z^2 + EA a'^2),   k~ = R^T R'.

No order of the deflection is left out. Integrals are sums over the nodes of a Gauss rule, and the model is the one
with these sums: its energy balance holds to rounding, however few the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lissom.beam.basis import Basis
from lissom.beam.field import Field, Sections
from lissom.beam.lumped import LumpedMass
from lissom.beam.number import Array, Number
from lissom.beam.quadrature import Quadrature
from lissom.beam.section import Section
from lissom.lie import so3


def rule(basis: Basis) -> Quadrature:
    """Gauss rule of the exact field: about two nodes per function of a direction, or eight per element."""
    sets = basis.directions.values()
    breaks = tuple(b for s in sets for b in s.breaks)
    points = 8 if breaks else 10 + 2 * max(s.count for s in sets)
    return Quadrature.cached((0.0, *breaks, 1.0), points)


@dataclass(frozen=True, eq=False)
class Stations:
    """Where a link with m coordinates is evaluated: the K nodes of its rule, then its lumped masses."""

    nodes: int  # K
    rigidity: Array  # (4,) GJ, EIy, EIz, EA
    retardation: Number  # beta of stress = stiffness (strain + beta strain rate)
    weight: Array  # (s,) of integrals over x; zero for lumped masses
    running: Array  # (s, K) from values at the nodes to integrals over x up to each station
    psi: Array  # (s, 4, m) rotation of the section (x, y, z) and stretch per coordinate
    psi_x: Array  # (s, 3, m) x-derivative of the rotation
    mass: Array  # (s,)
    offset: Array  # (s, 3) centre of mass in section axes
    inertia: Array  # (s, 3, 3) about the centre of mass, section axes


@dataclass(frozen=True, eq=False)
class ExactField:
    """The exact field of a link."""

    field: Field

    @property
    def rule(self) -> Quadrature:
        return rule(self.field.basis)

    def running(self, xi: Array) -> Array:
        """(k, K): from values at the nodes to integrals over x up to fractions xi (k,) of the length."""
        return self.field.length * self.rule.running(xi)

    def poses(self, xi: Array, eta: Array) -> Array:
        """Section frames at fractions xi (k,), for eta (..., m): (..., k, 4, 4)."""
        tangent = self._tangent(self.field.sections(self.rule.nodes), eta)
        R = so3.exp(np.einsum("kaj,...j->...ka", self.field.sections(xi).psi, eta))
        T = np.zeros((*R.shape[:-2], 4, 4), np.result_type(R, tangent))
        T[..., :3, :3] = R
        T[..., :3, 3] = np.einsum("kn,...na->...ka", self.running(xi), tangent)
        T[..., 3, 3] = 1
        return T

    def strain_energy(self, section: Section, eta: Array) -> Number:
        """Elastic energy at eta (..., m)."""
        nodes, weights = self.field.sections(self.rule.nodes), self.field.length * self.rule.weights
        theta, theta_x = (np.einsum("kaj,...j->...ka", part, eta) for part in (nodes.psi, nodes.psi_x))
        curvature = so3.act(so3.right_jacobian(theta), theta_x)
        stretch = np.einsum("kj,...j->...k", nodes.strain[:, 0], eta)
        density = curvature**2 @ np.array([section.GJ, section.EIy, section.EIz]) + section.EA * stretch**2
        return density @ weights / 2

    def stations(self, section: Section, masses: Sequence[LumpedMass], retardation: Number) -> Stations:
        """The tables of a link with the given section, lumped masses and stiffness-proportional damping."""
        nodes = self.rule.nodes
        lumps = self.field.fraction([lump.x for lump in masses]) if masses else nodes[:0]
        xi = np.concatenate([nodes, lumps])
        weight = np.concatenate([self.field.length * self.rule.weights, np.zeros(len(masses))])
        sections = self.field.sections(xi)
        dtype = np.result_type(weight, sections.psi, *(x for m in masses for x in (m.mass, m.com, m.inertia)))
        dtype = np.result_type(dtype, section.rhoA, section.Jx, section.Jy, section.Jz)
        mass, offset = (weight * section.rhoA).astype(dtype), np.zeros((len(xi), 3), dtype)
        inertia = weight[:, None, None] * np.diag([section.Jx, section.Jy, section.Jz]).astype(dtype)
        for k, lump in enumerate(masses, start=len(nodes)):
            mass[k], offset[k], inertia[k] = lump.mass, lump.com, lump.inertia
        return Stations(
            nodes=len(nodes),
            rigidity=np.array([section.GJ, section.EIy, section.EIz, section.EA]),
            retardation=retardation,
            weight=weight,
            running=self.running(xi),
            psi=np.concatenate([sections.psi, sections.strain[:, :1]], axis=1),
            psi_x=sections.psi_x,
            mass=mass,
            offset=offset,
            inertia=inertia,
        )

    @staticmethod
    def _tangent(nodes: Sections, eta: Array) -> Array:
        """r' at the nodes, (..., K, 3)."""
        R = so3.exp(np.einsum("kaj,...j->...ka", nodes.psi, eta))
        stretch = np.einsum("kj,...j->...k", nodes.strain[:, 0], eta)
        return (1 + stretch)[..., None] * R[..., 0]
