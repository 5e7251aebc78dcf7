"""A flexible link: a uniform beam with lumped masses, its displacement field, inertia, stiffness and damping.

Link frame at the proximal end, x along the undeformed axis. Coordinates eta multiply the shapes of the link's basis:
deflections v (along y) and w (along z), twist t, extension a. With stiffening "first" the field is of second order:

    centre line       r(x) = (x + a - 1/2 eta^T B(x) eta,  v,  w)        B: foreshortening
    section rotation  R(x) = bend(0, -w', v') Rx(t + 1/2 eta^T D(x) eta)   D: twist of a doubly bent axis

so that R carries e_x along the axis to second order and the twist rate is t'. With "none", B = D = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lissom.beam import damping as damping_laws
from lissom.beam.basis import DIRECTIONS, Basis
from lissom.beam.damping import Damping
from lissom.beam.invariants import Invariants, RunningTerms, Stations, integrate
from lissom.beam.number import Array, Number, positive
from lissom.beam.rotation import bend, roll
from lissom.beam.section import Section
from lissom.errors import LissomError


@dataclass(frozen=True, eq=False)
class LumpedMass:
    """A rigid mass fixed to the section at `x`; it moves and turns with that section.

    `com` (3,): its centre from the section's centre, in the section's axes; `inertia` (3, 3) about that centre.
    """

    x: Number
    mass: Number
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        positive("lumped mass: mass", self.mass, zero_allowed=True)
        inertia = np.asarray(self.inertia)
        if inertia.shape not in ((), (3,), (3, 3)):
            raise LissomError(
                f"lumped mass: inertia of shape {inertia.shape}; give a 3 x 3 matrix, or its diagonal"
            )
        object.__setattr__(self, "com", np.asarray(self.com))
        object.__setattr__(self, "inertia", inertia if inertia.ndim == 2 else inertia * np.eye(3))

    @property
    def moments(self) -> Array:
        """int (1, d)(1, d)^T dm about the section's centre, shape (4, 4)."""
        c = np.concatenate([[1.0], self.com])
        moments = self.mass * np.outer(c, c)
        moments = moments.astype(np.result_type(moments, self.inertia))
        moments[1:, 1:] += np.trace(self.inertia) / 2 * np.eye(3) - self.inertia
        return moments


class SectionMap(NamedTuple):
    """How the section at one station moves, for a link with m coordinates."""

    position: Array  # (3,) on the undeformed link
    phi: Array  # (3, m) displacement per coordinate
    psi: Array  # (3, m) rotation per coordinate
    foreshortening: Array  # (m, m) B: the section moves by -1/2 eta^T B eta along x
    twist: Array  # (m, m) D: it turns by 1/2 eta^T D eta about its axis


class NaturalModes(NamedTuple):
    """Natural modes of a link with its base held, in rising order of frequency."""

    hz: Array  # (m,)
    labels: tuple[
        str, ...
    ]  # direction that holds most of a mode's kinetic energy, counted: y1, z1, y2, torsion1, ...
    shapes: Array  # (m, m): column k holds the coordinates of mode k, with unit modal mass


class _Field(NamedTuple):
    """The link's shapes at k stations, each (k, 3, m); `strain` (k, 4, m) pairs with (EA, GJ, EIy, EIz)."""

    phi: Array  # displacement (a, v, w)
    psi: Array  # section rotation (t, -w', v')
    psi_x: Array  # its x-derivative (t', -w'', v'')
    strain: Array  # a', t', -w'', v''


@dataclass(frozen=True, eq=False)
class BeamLink:
    """A uniform flexible link. All arrays are computed once, when first asked for, and are read-only.

    Args:
        stiffening: "first" for the second-order field, "none" for the linear one.
        damping: modal ratio, {"stiffness": beta, "mass": alpha}, or the preset "engineering".
    """

    length: Number
    section: Section
    basis: Basis
    stiffening: str = "first"
    damping: Damping = 0.0
    masses: tuple[LumpedMass, ...] = ()

    def __post_init__(self) -> None:
        positive("length", self.length)
        damping_laws.check(self.damping)
        if self.stiffening not in ("none", "first"):
            raise LissomError(
                f"stiffening {self.stiffening!r} is unknown to a beam link; take 'none' or 'first'"
            )
        object.__setattr__(self, "masses", tuple(self.masses))
        for lump in self.masses:
            self._xi(lump.x)

    # What it is ------------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number m of coordinates."""
        return self.basis.count

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates: y1, y2, z1, ..., torsion1, axial1."""
        return self.basis.labels

    @property
    def mass(self) -> Number:
        """Mass of the beam and what is lumped on it."""
        return self.section.rhoA * self.length + sum(lump.mass for lump in self.masses)

    # How it moves ----------------------------------------------------------------------------------------------------

    def section_map(self, x: Number) -> SectionMap:
        """Linear and quadratic terms of the motion of the section at x."""
        xi = self._xi(x)
        at = self._field(xi)
        position = np.array([x, 0 * x, 0 * x])
        if self.stiffening == "none":
            zero = np.zeros((self.count, self.count), at.phi.dtype)
            return SectionMap(position, at.phi[0], at.psi[0], zero, zero)
        terms, one = self._running_terms(xi), np.ones(1)
        return SectionMap(position, at.phi[0], at.psi[0], terms.foreshortening(one), terms.twist(one))

    def displacement(self, x: Any, eta: Array) -> Array:
        """Displacement of the centre line at x, in the link frame: eta (..., m), x scalar or (k,) -> (..., [k,] 3)."""
        at, (shortening, _) = self._field(self._xi(x)), self._second_order(x, eta)
        u = np.einsum("kaj,...j->...ka", at.phi, eta)
        u[..., 0] = u[..., 0] - shortening
        return u if np.ndim(x) else u[..., 0, :]

    def pose(self, x: Any, eta: Array) -> Array:
        """Section frame at x in the link frame: eta (..., m), x scalar or (k,) -> (..., [k,] 4, 4), a proper rotation."""
        at, (_, twist) = self._field(self._xi(x)), self._second_order(x, eta)
        theta = np.einsum("kaj,...j->...ka", at.psi, eta)
        u = self.displacement(np.atleast_1d(x), eta)
        u[..., 0] = u[..., 0] + x
        T = np.zeros((*theta.shape[:-1], 4, 4), u.dtype)
        T[..., :3, :3] = bend(theta[..., 1], theta[..., 2]) @ roll(theta[..., 0] + twist)
        T[..., :3, 3] = u
        T[..., 3, 3] = 1
        return T if np.ndim(x) else T[..., 0, :, :]

    def _second_order(self, x: Any, eta: Array) -> tuple[Array, Array]:
        """(1/2 eta^T B eta, 1/2 eta^T D eta) at x, each (..., k)."""
        terms = self._running_terms(self._xi(x))
        if self.stiffening == "none":
            zero = np.zeros((*np.shape(eta)[:-1], len(terms.running)))
            return zero, zero
        th = np.einsum("naj,...j->a...n", terms.psi, eta)
        th_x = np.einsum("naj,...j->a...n", terms.psi_x, eta)
        integrands = th[1] ** 2 + th[2] ** 2, th[1] * th_x[2] - th[2] * th_x[1]
        return integrands[0] @ terms.running.T / 2, integrands[1] @ terms.running.T / 2

    # Inertia, stiffness, damping ---------------------------------------------------------------------------------------

    def invariants(self) -> Invariants:
        """Integrals over the mass of the beam and its lumped masses."""
        return self._invariants

    def stiffness(self) -> Array:
        """K of the strain energy 1/2 eta^T K eta, (m, m)."""
        return self._stiffness

    def cubic_terms(self) -> tuple[Array, Array, Array]:
        """Strain energy beyond 1/2 eta^T K eta: (EIz - EIy) int t v'' w'' dx = sum_n c_n eta_i eta_j eta_k.

        Returns:
            index (nc, 3): coordinates (torsion, y, z) of each term; c (nc,); and its damping counterpart beta c (nc,) where
            the damping is proportional to stiffness. Empty with a linear field, or where the section bends equally both ways.
        """
        return self._cubic_terms

    def damping_matrix(self) -> Array:
        """D of the damping force -D etadot, (m, m)."""
        return self._damping_matrix

    def strain_energy(self, eta: Array) -> Number:
        """Elastic energy at eta (..., m)."""
        eta = np.asarray(eta)
        index, coefficient, _ = self.cubic_terms()
        quadratic = np.einsum("...i,ij,...j->...", eta, self.stiffness(), eta) / 2
        return quadratic + (coefficient * eta[..., index].prod(axis=-1)).sum(axis=-1)

    def natural_modes(self, tip_mass: Number = 0.0) -> NaturalModes:
        """Undamped natural modes with the base held; `tip_mass` is added at the tip."""
        from scipy.linalg import eigh

        if tip_mass:
            loaded = replace(self, masses=(*self.masses, LumpedMass(self.length, tip_mass)))
            return loaded.natural_modes()
        M, K = np.real(self.invariants().mass_matrix), np.real(self.stiffness())
        if self.count == 0:
            return NaturalModes(np.zeros(0), (), np.zeros((0, 0)))
        squares, X = eigh(K, M)
        energy = X * (M @ X)
        share = np.stack([energy[part].sum(axis=0) for part in self.basis.slices.values()])
        seen = dict.fromkeys(DIRECTIONS, 0)
        labels = []
        for strongest in share.argmax(axis=0):
            direction = DIRECTIONS[strongest]
            seen[direction] += 1
            labels.append(f"{direction}{seen[direction]}")
        return NaturalModes(np.sqrt(squares) / (2 * np.pi), tuple(labels), X)

    def frequencies(self, tip_mass: Number = 0.0) -> Array:
        """Natural frequencies in Hz with the base held, (m,), rising; `natural_modes` also names and shapes them."""
        return self.natural_modes(tip_mass).hz

    # How the arrays are made -------------------------------------------------------------------------------------------

    def _xi(self, x: Any) -> Array:
        """Stations as fractions of the length, shape (k,); an error for one that is not on the link."""
        xi = np.atleast_1d(np.asarray(x) / self.length)
        if not np.all((xi.real >= -1e-12) & (xi.real <= 1 + 1e-12)):
            raise LissomError(f"x = {x!r}: not on the link, which reaches from 0 to {self.length!r}")
        return xi

    def _field(self, xi: Array) -> _Field:
        L, m, part = self.length, self.count, self.basis.slices
        dtype = np.result_type(xi, L, float)
        phi, psi, psi_x = (np.zeros((len(xi), 3, m), dtype) for _ in range(3))
        strain = np.zeros((len(xi), 4, m), dtype)
        v, v1, v2 = self.basis.y.values(xi)
        w, w1, w2 = self.basis.z.values(xi)
        t, t1, _ = self.basis.torsion.values(xi)
        a, a1, _ = self.basis.axial.values(xi)
        phi[:, 0, part["axial"]], phi[:, 1, part["y"]], phi[:, 2, part["z"]] = a, v, w
        psi[:, 0, part["torsion"]], psi[:, 1, part["z"]], psi[:, 2, part["y"]] = t, -w1 / L, v1 / L
        psi_x[:, 0, part["torsion"]], psi_x[:, 1, part["z"]], psi_x[:, 2, part["y"]] = (
            t1 / L,
            -w2 / L**2,
            v2 / L**2,
        )
        strain[:, 0, part["axial"]] = a1 / L
        strain[:, 1:] = psi_x
        return _Field(phi, psi, psi_x, strain)

    @cached_property
    def _at_nodes(self) -> _Field:
        return self._field(self.basis.rule.nodes)

    def _running_terms(self, xi: Array) -> RunningTerms:
        running = self.length * self.basis.rule.running(xi)
        return RunningTerms(running, self._at_nodes.psi, self._at_nodes.psi_x)

    @cached_property
    def _invariants(self) -> Invariants:
        rule, section = self.basis.rule, self.section
        beam = np.zeros((4, 4), np.result_type(section.rhoA, section.second_moments))
        beam[0, 0] = section.rhoA
        beam[1:, 1:] = section.second_moments
        moments = (self.length * rule.weights)[:, None, None] * beam
        at, xi = self._at_nodes, rule.nodes
        if self.masses:
            lumped_xi = self._xi(np.array([lump.x for lump in self.masses]))
            lumped = self._field(lumped_xi)
            moments = np.concatenate([moments, [lump.moments for lump in self.masses]])
            at = _Field(*(np.concatenate(parts) for parts in zip(at, lumped)))
            xi = np.concatenate([xi, lumped_xi])
        stations = Stations(self.length * xi, moments, at.phi, at.psi)
        return integrate(stations, None if self.stiffening == "none" else self._running_terms(xi))

    @cached_property
    def _stiffness(self) -> Array:
        strain, s = self._at_nodes.strain, self.section
        K = sum(
            stiffness * (strain[:, k].T @ ((self.length * self.basis.rule.weights)[:, None] * strain[:, k]))
            for k, stiffness in enumerate((s.EA, s.GJ, s.EIy, s.EIz))
        )
        return _read_only(np.asarray(K))

    @cached_property
    def _cubic_terms(self) -> tuple[Array, Array, Array]:
        part, section = self.basis.slices, self.section
        t, y, z = (np.arange(self.count)[part[name]] for name in ("torsion", "y", "z"))
        difference = section.EIz - section.EIy
        if self.stiffening == "none" or difference == 0:
            t = t[:0]
        at = self._at_nodes
        weights = difference * self.length * self.basis.rule.weights
        twist, v2, w2 = at.psi[:, 0, t], at.psi_x[:, 2, y], -at.psi_x[:, 1, z]
        bends = (v2[:, :, None] * w2[:, None, :]).reshape(len(weights), -1)
        c = ((weights[:, None] * twist).T @ bends).ravel()
        index = np.stack([i.ravel() for i in np.meshgrid(t, y, z, indexing="ij")], axis=1)
        rayleigh = damping_laws.rayleigh(self.damping)
        return _read_only(index), _read_only(c), _read_only(c * (rayleigh[0] if rayleigh else 0.0))

    @cached_property
    def _damping_matrix(self) -> Array:
        return _read_only(damping_laws.matrix(self.damping, self.invariants().mass_matrix, self.stiffness()))


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
