"""A flexible link: a beam with lumped masses, its motion, inertia, stiffness and damping.

Link frame at the proximal end, x along the undeformed axis. Coordinates eta multiply the shapes of the link's
basis: deflections v (along y) and w (along z), twist t, extension a. The pose of a section is

    r(x) = (x + a - 1/2 eta^T B(x) eta,  v,  w)              B: foreshortening of a bent axis
    R(x) = bend(0, -w', v') Rx(t + 1/2 eta^T D(x) eta)       D: twist of an axis bent both ways

so that R carries e_x along the axis to second order and the twist rate is t'. Of a link held at both ends, whose field
has terms of fourth order, the slopes are sines of what its sections turn by. Stiffening "none": B = D = 0;
"exact": the field of `beam.displacement_fields.exact_field`, good for any deflection.

A uniform, shear-rigid link with its centroid on the axis has named functions (`Basis`); any other has functions of its
own (`OwnBasis`), each a distribution of internal forces; `strain_energy` has what its stiffness leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from lissom.beam import damping as laws
from lissom.beam.constants import constant_property, freeze
from lissom.beam.damping import Damping
from lissom.beam.displacement_fields.chord_field import Bow, bow
from lissom.beam.displacement_fields.displacement_field import Field, UniformField, motion
from lissom.beam.displacement_fields.exact_field import ExactField, Stations
from lissom.beam.displacement_fields.foreshortening_forms import Shortening
from lissom.beam.displacement_fields.inertia_invariants import Invariants
from lissom.beam.displacement_fields.mass_points import Carriers, carriers
from lissom.beam.displacement_fields.prestress import NOTHING, Prestress
from lissom.beam.displacement_fields.profile_field import ProfileField
from lissom.beam.displacement_fields.second_order_rotation import share_of_stiffness
from lissom.beam.displacement_fields.section_rotation import bend, roll
from lissom.beam.displacement_fields.strain_energy import (
    Product,
    cubic_terms,
    prestress_stiffness,
    second_order_strains,
    stiffness,
)
from lissom.beam.displacement_fields.width_forms import has_width, width_forms
from lissom.beam.flexible_link import LinkModes, SectionMap
from lissom.beam.functions.basis import DIRECTIONS
from lissom.beam.functions.eigenmodes import eigenmodes
from lissom.beam.functions.force_based_shapes import OwnBasis
from lissom.beam.lumped_mass import LumpedMass
from lissom.beam.number_types import Array, Number, positive, symmetric
from lissom.beam.sections.cross_section import Section
from lissom.beam.sections.general_section import RIGID_IN_SHEAR, shear_centres
from lissom.beam.sections.profile import Profile
from lissom.errors import LissomError

ORDERS = ("none", "first", "exact")
WIDTH = 0.1  # share of a link's stiffness, at a spin of its first natural frequency, from which on its width counts
QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])  # turn of (y, z)


@dataclass(frozen=True, eq=False)
class BeamLink:
    """A flexible link. All arrays are computed once, when first asked for, and are read-only.

    Parameters
    ----------
    section : Section or Profile
        Of a uniform link without shear; else the profile of which `basis` has the functions.
    stiffening : str
        "none" for the linear field, "first" for the second-order one, "exact" for any deflection.
    damping : Damping
        Modal ratio, {"stiffness": beta, "mass": alpha}, or the preset "engineering".
    prestress : Prestress
        Heat and tendons that bend, stretch or stress it by themselves.
    chord : tuple of str
        Bending directions, y and z, in which the link frame lies on the chord rather than on the base section.
    fourth_order : bool
        Whether the second-order field has the terms of `beam.displacement_fields.chord_field`, too.
    """

    length: Number
    section: Any  # a Section, or a Profile
    basis: Any  # a Basis, or the OwnBasis of a profile
    stiffening: str = "first"
    damping: Damping = 0.0
    masses: tuple[LumpedMass, ...] = ()
    prestress: Prestress = NOTHING
    chord: tuple[str, ...] = ()
    fourth_order: bool = False

    interfaces: ClassVar[Mapping[str, Any]] = MappingProxyType({})  # places are metres along the axis: none has a name

    def __post_init__(self) -> None:
        positive("length", self.length)
        laws.check(self.damping)
        if self.stiffening not in ORDERS:
            raise LissomError(f"is unknown; choose from {', '.join(ORDERS)}", ("stiffening",), self.stiffening)
        if isinstance(self.section, Profile) != isinstance(self.basis, OwnBasis):
            raise LissomError("a profile takes the functions of own_basis, a section those of make_basis", ("basis",))
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
        bending = self.basis.counts["y"] + self.basis.counts["z"]
        if not self.plain:  # coupled sections: twist and stretch bend the link too
            turned, slip = self.field.nodes.psi[:, 1:], self.field.nodes.strain[:, 1:3]
            if turned[..., bending:].any() or (turned.any() and slip[..., bending:].any()):
                return self.count
        return bending

    @property
    def mass(self) -> Number:
        """Mass of the beam, lumped masses included."""
        return self.moments[:, 0, 0].sum()

    @constant_property
    def field(self) -> Field:
        """The displacement field that the basis spans."""
        return _field(self.length, self.basis, self.chord)

    @constant_property
    def profile(self) -> Profile:
        """Sections along the link."""
        section = self.section
        return section if isinstance(section, Profile) else Profile.uniform(section, self.length, shear=False)

    @property
    def plain(self) -> bool:
        """Whether it is uniform, does not shear, and has its centroid on the axis."""
        return isinstance(self.section, Section)

    @property
    def second_order(self) -> bool:
        """Whether the field has second-order terms, and no others."""
        return self.stiffening == "first"

    @constant_property
    def exact_field(self) -> ExactField | None:
        """The geometrically exact field, where the link has it."""
        return ExactField(self.field) if self.stiffening == "exact" else None

    def stations(self) -> Stations | None:
        """Return tables of the exact field; None with the other fields, whose inertia follows from invariants."""
        return self._stations

    @constant_property
    def _stations(self) -> Stations | None:
        field = self.exact_field
        if field is None:
            return None
        moments = self.profile.tables(field.rule.nodes)[1]
        stiffness, prestress = self._section_stiffness(field.rule.nodes)
        return field.stations(stiffness, moments, prestress, self.masses, self.retardation)

    def _section_stiffness(self, xi: Array) -> tuple[Array, Array]:
        """Return stiffness (k, 6, 6) of the sections at fractions xi (k,), and forces (k, 6) in them without strain.

        Without shear there is no stiffness against it.
        """
        compliance = self.profile.tables(xi)[0]
        if self.profile.shear:
            S = symmetric(np.linalg.inv(compliance))
        else:
            keep = np.ix_(range(len(compliance)), RIGID_IN_SHEAR, RIGID_IN_SHEAR)
            S = np.zeros_like(compliance)
            S[keep] = symmetric(np.linalg.inv(compliance[keep]))
        return S, self.prestress.forces(S, shear_centres(compliance))

    def section_map(self, x: Number) -> SectionMap:
        """Return linear and quadratic terms of the motion of the section at x."""
        found = _section_map(self.field, self.stiffening, x)
        return found if self.bow is None else found._replace(bow=freeze(self.bow.running(self.field.fraction(x))[0]))

    def position(self, x: Any) -> Array:
        """Return places on the undeformed axis: x scalar -> (3,), (k,) -> (k, 3)."""
        return np.multiply.outer(x, [1, 0, 0])

    def displacement(self, x: Any, eta: Array) -> Array:
        """Return displacement of the centre line at x: eta (..., m), x scalar or (k,) -> (..., [k,] 3)."""
        xi, eta = self.field.fraction(x), np.asarray(eta)
        if self.exact_field:
            moved = self.exact_field.positions(xi, eta) - self.position(np.atleast_1d(x))
        else:
            moved = motion(self.field.sections(xi).phi, eta)
            if self.second_order:
                moved[..., 0] -= self.field.running_terms(xi).shortening_at(eta)
            if self.bow is not None:
                moved[..., 0] -= self.bow.shortening(xi, eta)
        return moved if np.ndim(x) else moved[..., 0, :]

    def pose(self, x: Any, eta: Array) -> Array:
        """Return section frame at x in the link frame: eta (..., m), x scalar or (k,) -> (..., [k,] 4, 4)."""
        x = np.asarray(x)
        xi = self.field.fraction(x)
        if self.exact_field:
            T = self.exact_field.poses(xi, np.asarray(eta))
            return T if np.ndim(x) else T[..., 0, :, :]
        section = self.field.sections(xi)
        eta = np.asarray(eta)
        u, th = motion(section.phi, eta), motion(section.psi, eta)
        shortening, twist = self.field.running_terms(xi).at(eta) if self.second_order else (0.0, 0.0)
        T = np.zeros((*u.shape[:-1], 4, 4), u.dtype)
        T[..., :3, :3] = bend(th[..., 1], th[..., 2], sines=self.bow is not None) @ roll(th[..., 0] + twist)
        T[..., :3, 3] = u
        T[..., 0, 3] += x - shortening - (self.bow.shortening(xi, eta) if self.bow else 0.0)
        T[..., 3, 3] = 1
        return T if np.ndim(x) else T[..., 0, :, :]

    def strains(self, x: Any, eta: Array) -> Array:
        """Return first-order strains of sections: eta (..., m), x scalar or (k,) -> (..., [k,] 6).

        Their order is that of `general_section`. A fibre at (y, z) of the section is stretched by
        strain[0] + z strain[4] - y strain[5].
        """
        strain = motion(self.field.sections(self.field.fraction(x)).strain, np.asarray(eta))
        return strain if np.ndim(x) else strain[..., 0, :]

    def invariants(self) -> Invariants:
        """Return integrals over the mass of the beam and its lumped masses."""
        return self._invariants

    @constant_property
    def turned_inertia(self) -> Array:
        """Integrals int s0_a d_i d_j s_b of sections turned to second order, (4, 3, m, m); s0_3 = 1."""
        return self.carriers.turned(self.moments)

    @constant_property
    def missed_turn(self) -> Array:
        """What of `turned_inertia` the second-order field leaves out, (4, 3, m, m)."""
        missed = np.array(self.turned_inertia)
        forms = self.shortening() if self.draws_in_width else None
        for form, s0, axis in zip(forms.form, forms.s0, forms.axis, strict=True) if forms else ():
            missed[axis, axis] += s0[axis] * form if axis else 0.0
        return missed

    def shortening(self) -> Shortening | None:
        """Return what foreshortening adds to the inertia; None where the field has none."""
        return self._shortening if self.second_order and self.bending_count else None

    @constant_property
    def bow(self) -> Bow | None:
        """Terms of fourth order, where the link has them and bends."""
        wanted = self.fourth_order and self.second_order and self.bending_count > 0
        return bow(self.field, self._forces_at) if wanted else None

    def bow_shares(self) -> Array:
        """Return (P, K) of a link that bows: from values at its nodes to int psi_p of their running integrals."""
        assert self.bow is not None
        return self._shortening.density @ self.bow.running(self.carriers.xi)

    def stiffness(self) -> Array:
        """Return K of the strain energy 1/2 eta^T K eta, (m, m)."""
        return self._stiffness

    def preload(self) -> Array:
        """Return the force of heat and tendons at eta = 0, (m,): the linear term of the strain energy."""
        return self._preload

    def cubic_terms(self) -> tuple[Array, Array, Array]:
        """Return strain energy beyond 1/2 eta^T K eta: int F . e2 dx = sum_n c_n eta_i eta_j eta_k.

        In a plain link it is (EIz - EIy) int t v'' w'' dx.

        Returns
        -------
            index (nc, 3), the coordinates of each term, the last one first: (torsion, y, z) in a plain link; c (nc,);
            and beta c (nc,), its part in the dissipation where damping is proportional to stiffness. Empty with a
            linear field, or where a plain link bends equally both ways.
        """
        return self._cubic_terms

    def damping_matrix(self) -> Array:
        """Return D of the damping force -D etadot at small deflection, (m, m)."""
        return self._damping_matrix

    @property
    def retardation(self) -> Number:
        """Time beta by which stresses lag: strain + beta strain rate. Zero unless damping follows stiffness."""
        beta, _ = laws.rayleigh(self.damping) or (0.0, 0.0)
        return beta

    def strain_energy(self, eta: Array) -> Number:
        """Return elastic energy at eta (..., m)."""
        eta = np.asarray(eta)
        if self.exact_field:
            return self.exact_field.strain_energy(*self._section_stiffness(self.exact_field.rule.nodes), eta)
        index, coefficient, _ = self.cubic_terms()
        quadratic = np.einsum("...i,ij,...j->...", eta, self.stiffness(), eta) / 2 + eta @ self.preload()
        cubic = (coefficient * eta[..., index].prod(axis=-1)).sum(axis=-1)
        return quadratic + cubic + (self.bow.strain_energy(eta) if self.bow else 0.0)

    def natural_modes(self, tip_mass: Number = 0.0) -> LinkModes:
        """Return undamped natural modes with the base held; `tip_mass` is added at the tip."""
        if tip_mass:
            loaded = replace(self, masses=(*self.masses, LumpedMass(self.length, tip_mass)))
            return loaded.natural_modes()
        if self.count == 0:
            return LinkModes(np.zeros(0), (), np.zeros((0, 0)))
        M, K = np.real(self.invariants().mass_matrix), np.real(self.stiffness())
        omega, X = eigenmodes(M, K)
        strongest = [DIRECTIONS[k] for k in self._motions(X).argmax(axis=0)]
        labels = tuple(f"{name}{strongest[: k + 1].count(name)}" for k, name in enumerate(strongest))
        return LinkModes(omega / (2 * np.pi), labels, X)

    def _motions(self, shapes: Array) -> Array:
        """Return twice the kinetic energy of shapes (m, n) along DIRECTIONS, (4, n), without that of slopes."""
        moments, sections = self.moments, self.carriers.sections
        W, phi, psi = (np.real(part) for part in (moments, sections.phi @ shapes, sections.psi @ shapes))
        mass, y, z = (W[:, 0, k, None] for k in (0, 2, 3))
        along, twist = np.moveaxis(phi, 1, 0), psi[:, 0]
        sideways = [mass * along[1] ** 2 - 2 * z * along[1] * twist, mass * along[2] ** 2 + 2 * y * along[2] * twist]
        turning = (W[:, 2, 2] + W[:, 3, 3])[:, None] * twist**2
        return np.stack([part.sum(axis=0) for part in (*sideways, turning, mass * along[0] ** 2)])

    @constant_property
    def carriers(self) -> Carriers:
        """The stations that carry the link's mass."""
        return carriers(self.field, *(lump.x for lump in self.masses))

    @constant_property
    def moments(self) -> Array:
        """Moments of the mass at these stations, (k, 4, 4)."""
        moments = self.field.weights[:, None, None] * self.field.moments(self.section)
        return np.concatenate([moments, [lump.moments for lump in self.masses]]) if self.masses else moments

    @constant_property
    def _invariants(self) -> Invariants:
        return self.carriers.invariants(self.moments)

    @constant_property
    def _shortening(self) -> Shortening:
        drawn = self.carriers.shortening(self.moments)
        return drawn.and_also(width_forms(self.carriers.sections, self.moments)) if self.draws_in_width else drawn

    @constant_property
    def draws_in_width(self) -> bool:
        """Whether the inertia has forms for the width of sections that turn: where a spin would miss them."""
        twists = self.second_order and self.basis.counts["torsion"] > 0 and self.bending_count > 0
        shapes = self.shapes_of_unit_stiffness if twists and self.bow is None and has_width(self.moments) else None
        if shapes is None:
            return False
        slowest = np.linalg.eigvalsh(shapes.T @ np.real(self.invariants().mass_matrix) @ shapes)[-1]  # 1 / omega^2
        squares = [(np.outer(e, e) - np.eye(3)) / slowest for e in np.eye(3)[1:]]
        return max(share_of_stiffness(self.turned_inertia, shapes, each) for each in squares) > WIDTH

    @constant_property
    def node_compliance(self) -> Array:
        """Compliance of the sections at the nodes, real, (n, 6, 6)."""
        return np.real(self.profile.tables(self.basis.rule.nodes)[0])

    @constant_property
    def twisted_bending(self) -> Array:
        """What w . (J^T S J - S) w is of the coordinates at the nodes, (n, m, m): see `beam.field_limits`."""
        w = np.real(self.field.nodes.strain[:, 4:])
        S = np.linalg.inv(self.node_compliance[:, 4:, 4:])
        return np.swapaxes(w, 1, 2) @ (QUARTER.T @ S @ QUARTER - S) @ w

    @constant_property
    def shapes_of_unit_stiffness(self) -> Array | None:
        """Combinations of the coordinates with the stiffness 1 each, none with another, (m, m); None if one buckles."""
        K = np.real(self.stiffness())
        scale = 1 / np.sqrt(np.diag(K))  # stretch is stiffer than bending by the square of the slenderness
        values, shapes = np.linalg.eigh(K * np.outer(scale, scale))
        return scale[:, None] * shapes / np.sqrt(values) if values[0] > 0 else None

    @constant_property
    def _forces(self) -> Array:
        """Internal forces per coordinate at the nodes, (n, 6, m)."""
        return self._forces_at(self.basis.rule.nodes)

    def _forces_at(self, xi: Array) -> Array:
        """Return internal forces per coordinate at fractions xi (k,) of the length, (k, 6, m)."""
        return self.field.forces(self.section, xi)

    @constant_property
    def _prestress_forces(self) -> Array:
        """F0 at the nodes times their weights, (n, 6)."""
        return self.field.weights[:, None] * self._section_stiffness(self.basis.rule.nodes)[1]

    @constant_property
    def _preload(self) -> Array:
        if not self.prestress:
            return np.zeros(self.count)
        return np.einsum("ka,kai->i", self._prestress_forces, self.field.nodes.strain)

    @constant_property
    def _stiffness(self) -> Array:
        K = stiffness(self.field.weights[:, None, None] * self._forces, self.field.nodes.strain)
        if self.prestress and self.second_order:  # F0 . e2
            K = K + prestress_stiffness(self._prestress_forces, self.second_order_strains)
        return symmetric(K)

    @property
    def second_order_strains(self) -> list[Product]:
        """Products of second-order strains, see `fields.strain_energy`."""
        return second_order_strains(self.field.nodes, not self.plain and self.profile.shear)

    @constant_property
    def _cubic_terms(self) -> tuple[Array, Array, Array]:
        index, c = np.zeros((0, 3), np.int64), np.zeros(0)
        if self.second_order and self.count:
            index, c = cubic_terms(self.field.weights[:, None, None] * self._forces, self.second_order_strains)
        return index, c, self.retardation * c

    @constant_property
    def _damping_matrix(self) -> Array:
        return laws.matrix(self.damping, self.invariants().mass_matrix, self.stiffness())


@lru_cache(maxsize=256, typed=True)  # a complex length is not the real one that equals it
def _field(length: Number, basis: Any, chord: tuple[str, ...]) -> Field:
    """Return the field that a basis spans: one for all links that differ in masses and sections alone."""
    return ProfileField(basis, chord) if isinstance(basis, OwnBasis) else UniformField(length, basis, chord)


@lru_cache(maxsize=256, typed=True)
def _section_map(field: Any, stiffening: str, x: Number) -> SectionMap:
    """Return the motion of a section, the same for links that differ in masses and stiffnesses alone."""
    xi = field.fraction(x)
    section = field.sections(xi)
    B = D = np.zeros((field.basis.count, field.basis.count), section.phi.dtype)
    if stiffening == "first":
        terms = field.running_terms(xi)
        B, D = terms.foreshortening(np.ones(1)), terms.twist(np.ones(1))
    running = ExactField(field).running(xi)[0] if stiffening == "exact" else np.zeros(0)
    return freeze(SectionMap(np.array([x, 0 * x, 0 * x]), section.phi[0], section.psi[0], B, D, running))
