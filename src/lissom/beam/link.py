"""A flexible link: a uniform beam with lumped masses, its motion, inertia, stiffness and damping.

Link frame at the proximal end, x along the undeformed axis. Coordinates eta multiply the shapes of the link's
basis: deflections v (along y) and w (along z), twist t, extension a. The pose of a section is

    r(x) = (x + a - 1/2 eta^T B(x) eta,  v,  w)              B: foreshortening of a bent axis
    R(x) = bend(0, -w', v') Rx(t + 1/2 eta^T D(x) eta)       D: twist of an axis bent both ways

so that R carries e_x along the axis to second order and the twist rate is t'. Stiffening "none": B = D = 0;
"exact": the field of `beam.exact`, good for any deflection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from lissom.beam import damping as laws
from lissom.beam.basis import DIRECTIONS, Basis
from lissom.beam.damping import Damping
from lissom.beam.eigen import eigenmodes
from lissom.beam.exact import ExactField, Stations
from lissom.beam.field import Field, Sections, gram
from lissom.beam.flexible import NaturalModes, SectionMap
from lissom.beam.invariants import Invariants, integrate
from lissom.beam.lumped import LumpedMass
from lissom.beam.number import Array, Number, positive
from lissom.beam.rotation import bend, roll
from lissom.beam.section import Section
from lissom.beam.shortening import Shortening, shortening
from lissom.errors import LissomError

ORDERS = ("none", "first", "exact")


@dataclass(frozen=True, eq=False)
class BeamLink:
    """A uniform flexible link. All arrays are computed once, when first asked for, and are read-only.

    Args:
        stiffening: "none" for the linear field, "first" for the second-order one, "exact" for any deflection.
        damping: modal ratio, {"stiffness": beta, "mass": alpha}, or the preset "engineering".
    """

    length: Number
    section: Section
    basis: Basis
    stiffening: str = "first"
    damping: Damping = 0.0
    masses: tuple[LumpedMass, ...] = ()

    interfaces: ClassVar[Mapping[str, Any]] = MappingProxyType({})  # places are metres along the axis: none has a name

    def __post_init__(self) -> None:
        positive("length", self.length)
        laws.check(self.damping)
        if self.stiffening not in ORDERS:
            raise LissomError(f"stiffening {self.stiffening!r} is unknown; choose from {', '.join(ORDERS)}")
        object.__setattr__(self, "masses", tuple(self.masses))
        for lump in self.masses:
            self.field.fraction(lump.x)

    @property
    def count(self) -> int:
        """Number m of coordinates."""
        return self.basis.count

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates: y1, y2, z1, ..., torsion1, axial1."""
        return self.basis.labels

    @property
    def directions(self) -> tuple[str, ...]:
        """The direction of each coordinate: y, z, torsion or axial."""
        return tuple(name for name, part in self.basis.slices.items() for _ in range(part.start, part.stop))

    @property
    def bending_count(self) -> int:
        """Number of bending coordinates, which come first."""
        return self.basis.y.count + self.basis.z.count

    @property
    def mass(self) -> Number:
        """Mass of the beam, lumped masses included."""
        return self.section.rhoA * self.length + sum(lump.mass for lump in self.masses)

    @cached_property
    def field(self) -> Field:
        """The displacement field that the basis spans."""
        return Field(self.length, self.basis)

    @property
    def second_order(self) -> bool:
        """Whether the field has second-order terms, and no others."""
        return self.stiffening == "first"

    @cached_property
    def exact_field(self) -> ExactField | None:
        """The geometrically exact field, where the link has it."""
        return ExactField(self.field) if self.stiffening == "exact" else None

    def stations(self) -> Stations | None:
        """Tables of the exact field; None with the other fields, whose inertia follows from invariants."""
        return self._stations

    @cached_property
    def _stations(self) -> Stations | None:
        field = self.exact_field
        return field.stations(self.section, self.masses, self.retardation) if field else None

    def section_map(self, x: Number) -> SectionMap:
        """Linear and quadratic terms of the motion of the section at x."""
        xi = self.field.fraction(x)
        section = self.field.sections(xi)
        B = D = np.zeros((self.count, self.count), section.phi.dtype)
        if self.second_order:
            terms = self.field.running_terms(xi)
            B, D = terms.foreshortening(np.ones(1)), terms.twist(np.ones(1))
        running = self.exact_field.running(xi)[0] if self.exact_field else np.zeros(0)
        return SectionMap(np.array([x, 0 * x, 0 * x]), section.phi[0], section.psi[0], B, D, running)

    def position(self, x: Any) -> Array:
        """Places on the undeformed axis: x scalar -> (3,), (k,) -> (k, 3)."""
        return np.multiply.outer(x, [1, 0, 0])

    def displacement(self, x: Any, eta: Array) -> Array:
        """Displacement of the centre line at x: eta (..., m), x scalar or (k,) -> (..., [k,] 3)."""
        poses = self.pose(x, eta)
        return poses[..., :3, 3] - self.position(x)

    def pose(self, x: Any, eta: Array) -> Array:
        """Section frame at x in the link frame: eta (..., m), x scalar or (k,) -> (..., [k,] 4, 4)."""
        xi = self.field.fraction(x)
        if self.exact_field:
            T = self.exact_field.poses(xi, np.asarray(eta))
            return T if np.ndim(x) else T[..., 0, :, :]
        section = self.field.sections(xi)
        u = np.einsum("kaj,...j->...ka", section.phi, eta)
        th = np.einsum("kaj,...j->...ka", section.psi, eta)
        shortening, twist = self.field.running_terms(xi).at(eta) if self.second_order else (0.0, 0.0)
        T = np.zeros((*u.shape[:-1], 4, 4), u.dtype)
        T[..., :3, :3] = bend(th[..., 1], th[..., 2]) @ roll(th[..., 0] + twist)
        T[..., :3, 3] = u
        T[..., 0, 3] += x - shortening
        T[..., 3, 3] = 1
        return T if np.ndim(x) else T[..., 0, :, :]

    def invariants(self) -> Invariants:
        """Integrals over the mass of the beam and its lumped masses."""
        return self._invariants

    def shortening(self) -> Shortening | None:
        """What foreshortening adds to the inertia; None where the field has none."""
        bends = self.basis.y.count + self.basis.z.count > 0
        return self._shortening if self.second_order and bends else None

    def stiffness(self) -> Array:
        """K of the strain energy 1/2 eta^T K eta, (m, m)."""
        return self._stiffness

    def cubic_terms(self) -> tuple[Array, Array, Array]:
        """Strain energy beyond 1/2 eta^T K eta: (EIz - EIy) int t v'' w'' dx = sum_n c_n eta_i eta_j eta_k.

        Returns:
            index (nc, 3), the coordinates (torsion, y, z) of each term; c (nc,); and beta c (nc,), its part
            in the dissipation where damping is proportional to stiffness. Empty with a linear field, or where
            the section bends equally both ways.
        """
        return self._cubic_terms

    def damping_matrix(self) -> Array:
        """D of the damping force -D etadot at small deflection, (m, m)."""
        return self._damping_matrix

    @property
    def retardation(self) -> Number:
        """Time beta by which stresses lag: strain + beta strain rate. Zero unless damping follows stiffness."""
        beta, _ = laws.rayleigh(self.damping) or (0.0, 0.0)
        return beta

    def strain_energy(self, eta: Array) -> Number:
        """Elastic energy at eta (..., m)."""
        eta = np.asarray(eta)
        if self.exact_field:
            return self.exact_field.strain_energy(self.section, eta)
        index, coefficient, _ = self.cubic_terms()
        quadratic = np.einsum("...i,ij,...j->...", eta, self.stiffness(), eta) / 2
        return quadratic + (coefficient * eta[..., index].prod(axis=-1)).sum(axis=-1)

    def natural_modes(self, tip_mass: Number = 0.0) -> NaturalModes:
        """Undamped natural modes with the base held; `tip_mass` is added at the tip."""
        if tip_mass:
            loaded = replace(self, masses=(*self.masses, LumpedMass(self.length, tip_mass)))
            return loaded.natural_modes()
        if self.count == 0:
            return NaturalModes(np.zeros(0), (), np.zeros((0, 0)))
        M, K = np.real(self.invariants().mass_matrix), np.real(self.stiffness())
        omega, X = eigenmodes(M, K)
        kinetic = X * (M @ X)
        shares = np.stack([kinetic[part].sum(axis=0) for part in self.basis.slices.values()])
        strongest = [DIRECTIONS[k] for k in shares.argmax(axis=0)]
        labels = tuple(f"{name}{strongest[: k + 1].count(name)}" for k, name in enumerate(strongest))
        return NaturalModes(omega / (2 * np.pi), labels, X)

    @cached_property
    def _mass_elements(self) -> tuple[Array, Array, Sections]:
        """Stations xi (k,) that carry the link's mass, its moments there (k, 4, 4), and how they move."""
        field, section = self.field, self.section
        per_length = np.zeros((4, 4), np.result_type(section.rhoA, section.second_moments))
        per_length[0, 0], per_length[1:, 1:] = section.rhoA, section.second_moments
        moments = field.weights[:, None, None] * per_length
        xi, sections = self.basis.rule.nodes, field.nodes
        if self.masses:
            at_lumps = field.fraction([lump.x for lump in self.masses])
            moments = np.concatenate([moments, [lump.moments for lump in self.masses]])
            sections = Sections(*map(np.concatenate, zip(sections, field.sections(at_lumps))))
            xi = np.concatenate([xi, at_lumps])
        return xi, moments, sections

    @cached_property
    def _invariants(self) -> Invariants:
        xi, moments, sections = self._mass_elements
        return integrate(self.length * xi, moments, sections)

    @cached_property
    def _shortening(self) -> Shortening:
        xi, moments, sections = self._mass_elements
        return shortening(self.length * xi, moments, sections, self.field.running_terms(xi))

    @cached_property
    def _stiffness(self) -> Array:
        s, strain = self.section, self.field.nodes.strain
        parts = zip((s.EA, s.GJ, s.EIy, s.EIz), np.moveaxis(strain, 1, 0))
        return _read_only(sum(stiffness * gram(e, self.field.weights, e) for stiffness, e in parts))

    @cached_property
    def _cubic_terms(self) -> tuple[Array, Array, Array]:
        y, z, torsion, _ = (np.arange(self.count)[part] for part in self.basis.slices.values())
        difference = self.section.EIz - self.section.EIy
        if not self.second_order or difference == 0:
            torsion = torsion[:0]
        nodes = self.field.nodes
        t, v2, w2 = nodes.psi[:, 0, torsion], nodes.psi_x[:, 2, y], -nodes.psi_x[:, 1, z]
        bends = (v2[:, :, None] * w2[:, None, :]).reshape(len(t), len(y) * len(z))
        c = difference * gram(t, self.field.weights, bends).ravel()
        index = np.stack([i.ravel() for i in np.meshgrid(torsion, y, z, indexing="ij")], axis=1)
        return _read_only(index), _read_only(c), _read_only(self.retardation * c)

    @cached_property
    def _damping_matrix(self) -> Array:
        return _read_only(laws.matrix(self.damping, self.invariants().mass_matrix, self.stiffness()))


def _read_only(array: Any) -> Array:
    array.flags.writeable = False
    return array
