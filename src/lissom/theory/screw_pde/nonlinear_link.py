"""Links whose field goes beyond second order: the geometrically exact one, and bowed links on closed loops.

A mass element with offsets d, l = (1, d), sits at s = A(eta) l with A = [r | R] of its section. All that the rows of a
link need of A(eta) follows from evaluating it for complex eta: derivatives by one complex step, the drift of velocities
(d/dt)^2 A without eta'' by Cauchy's integral around eta along eta'. Elastic forces are the slope of the strain energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.beam import BeamLink
from lissom.kernel.algorithms.complex_step import STEP
from lissom.lie import se3, so3
from lissom.theory.screw_pde.particles import mass_factors

Array = np.ndarray
RADIUS = 0.1  # of the circle of Cauchy's integral, in radians or lengths of the link: small against a turn
POINTS = 8  # on it: they leave out a relative 2 RADIUS^8 / 10! of a turn's second derivative
CIRCLE = np.exp(2j * np.pi * np.arange(POINTS // 2 + 1) / POINTS)  # half of it: fields are real on the real axis
SHARES = np.array([1.0, *[2.0] * (POINTS // 2 - 1), 1.0]) * 2 / POINTS


class SectionMotion(NamedTuple):
    """How a section moves relative to the body frame, components in its own axes."""

    pose: Array  # (4, 4)
    J: Array  # (6, m) its twist per modal velocity
    U: Array  # (6,) its twist
    dU: Array  # (6,) the rate of it without modal accelerations


class Taylor(NamedTuple):
    """A function of the amplitudes: value, slopes (m, ...), and second derivative along their rates."""

    value: Array
    slopes: Array
    drift: Array


class LinkRows(NamedTuple):
    """Twist and deformation rows: mass z' + bias."""

    mass: Array  # (6 + m, 6 + m)
    bias: Array  # (6 + m,)


class NonlinearLink:
    """A beam by its pose map, with sections that carry joints; its body frame rides on the one at `frame` metres."""

    def __init__(self, beam: BeamLink, frame: float, sections: Sequence[float | None]) -> None:
        self.beam, self.frame, self.m = beam, frame, beam.count
        if beam.exact_field is not None:
            rule = beam.exact_field.rule
            weights, tables = beam.exact_field.weights, beam.profile.tables(rule.nodes)
            stations = np.concatenate([beam.length * rule.nodes, [lump.x for lump in beam.masses]])
            moments = [*(weights[:, None, None] * tables[1]), *(lump.moments for lump in beam.masses)]
            self._strains = _Strains(beam, tables[0])
        else:
            stations, moments = beam.length * beam.carriers.xi, [*beam.moments]
            self._psi = beam.carriers.sections.psi
        factors = [mass_factors(each) for each in moments]
        self._at = np.repeat(np.arange(len(factors)), [len(sign) for sign, _ in factors])
        self._sign, self._l = (np.concatenate(part) for part in zip(*factors, strict=True))
        self._count = len(factors)
        places = [beam.length if x is None else x for x in sections]
        self._x = np.concatenate([stations, places, [frame]])
        carriers = beam.carriers.sections
        self._speeds = np.concatenate([*carriers.psi, *(carriers.phi / beam.length), *carriers.strain])
        self._known: tuple[Array, Array, Taylor] | None = None

    def section(self, k: int, eta: Array, rate: Array) -> SectionMotion:
        """Return the motion of section k, of those it was made with, as the body frame sees it.

        The one after the last is the body frame itself, as the base sees it.
        """
        T, by_eta, drift = (part[..., self._count + k, :, :] for part in self._motion(eta, rate))
        back = se3.inverse(T)
        J = se3.vee(back @ by_eta).T
        U = J @ rate
        spin = se3.hat(U)
        return SectionMotion(T, J, U, se3.vee(back @ drift - spin @ spin))

    def rows(self, eta: Array, rate: Array, twist: Array, gravity: Array) -> LinkRows:
        """Return the rows at a twist of the body frame, for gravity in its axes.

        Equations: 003 (9)-(12), (60).
        """
        s, phi, moving = self._elements(eta, rate)
        c, (omega, u) = self._l[:, 0], (twist[:3], twist[3:])
        velocity = np.einsum("jna,j->na", phi, rate)
        moving = moving + np.outer(c, np.cross(omega, u) - gravity)
        moving = moving + np.cross(omega, np.cross(omega, s)) + 2 * np.cross(omega, velocity)
        Z = np.concatenate([-so3.hat(s), c[:, None, None] * np.eye(3), phi.transpose(1, 2, 0)], axis=2)
        weighted = self._sign[:, None, None] * Z
        bias = np.einsum("nar,na->r", weighted, moving)
        bias[6:] += self._elastic_forces(eta, rate)
        return LinkRows(np.einsum("nar,nas->rs", weighted, Z), bias)

    def energies(self, eta: Array, rate: Array, twist: Array, gravity: Array, origin: Array) -> tuple[float, ...]:
        """Return kinetic energy, energy of gravity and strain energy; `origin` of the body frame, in its axes."""
        s, phi, _ = self._elements(eta, rate)
        c = self._l[:, 0]
        velocity = np.outer(c, twist[3:]) + np.cross(twist[:3], s) + np.einsum("jna,j->na", phi, rate)
        kinetic = 0.5 * float(self._sign @ (velocity**2).sum(axis=1))
        weight = -float((self._sign * c) @ ((s + np.outer(c, origin)) @ gravity))
        return kinetic, weight, float(np.real(self.beam.strain_energy(eta)))

    def _elements(self, eta: Array, rate: Array) -> Taylor:
        """Return places (n, 3) of the mass elements, their slopes (m, n, 3) and drifts (n, 3)."""
        T, by_eta, drift = (part[..., self._at, :3, :] for part in self._motion(eta, rate))
        place = self._l[:, [1, 2, 3, 0]]
        return Taylor(*(np.einsum("...nab,nb->...na", part, place) for part in (T, by_eta, drift)))

    def _motion(self, eta: Array, rate: Array) -> Taylor:
        """Return poses (k, 4, 4) of mass stations and sections, their slopes (m, k, 4, 4) and drifts (k, 4, 4)."""
        if self._known is None or not (np.array_equal(self._known[0], eta) and np.array_equal(self._known[1], rate)):
            size = float(np.abs(self._speeds @ rate).max(initial=0.0))
            step = RADIUS / size if size > 0 else 0.0
            around = eta + step * CIRCLE[:, None] * rate
            found = self._poses(np.concatenate([around, eta + 1j * STEP * np.eye(self.m), eta[None] + 0j]))
            ring = np.real(np.tensordot(SHARES / CIRCLE**2, found[: len(CIRCLE)], 1))
            drift = ring / step**2 if step else np.zeros_like(ring)
            known = Taylor(found[-1].real, found[len(CIRCLE) : -1].imag / STEP, drift)
            self._known = eta.copy(), rate.copy(), known
        return self._known[2]

    def _poses(self, eta: Array) -> Array:
        """Return poses (..., k, 4, 4) of mass stations and sections as the body frame has them, and of that frame."""
        T = self.beam.pose(self._x, eta)
        back = se3.inverse(T[..., -1:, :, :])
        if self.beam.exact_field is None:  # offsets turn to first order, as in all fields but the exact one
            turned = np.eye(3) + so3.hat(np.einsum("kaj,...j->...ka", self._psi, eta))
            T[..., : self._count, :3, :3] = turned
        if self.frame:
            T[..., :-1, :, :] = back @ T[..., :-1, :, :]
        return T

    def _elastic_forces(self, eta: Array, rate: Array) -> Array:
        """Return forces (m,) of elasticity and damping."""
        beam, D = self.beam, self.beam.damping_matrix()
        if beam.exact_field is not None:
            return self._strains.forces(eta, rate) + (D - beam.retardation * beam.stiffness()) @ rate
        nudged = eta + 1j * STEP * np.eye(self.m)
        force = np.imag([beam.strain_energy(each) for each in nudged]) / STEP + D @ rate
        index, _, damping = beam.cubic_terms()
        for (a, b, c), d in zip(index, damping, strict=True):
            for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
                force[x] += d * (rate[y] * eta[z] + eta[y] * rate[z])
        return force


class _Strains:
    """Strains of the exact field at its nodes: stretch and shear, and the curvature J(theta) theta'."""

    def __init__(self, beam: BeamLink, compliance: Array) -> None:
        field = beam.exact_field
        assert field is not None
        self.nodes, self.weights, self.beta = beam.field.sections(field.rule.nodes), field.weights, beam.retardation
        kept = np.arange(6) if beam.profile.shear else np.array([0, 3, 4, 5])
        self.stiffness = np.zeros_like(compliance)
        for S, C in zip(self.stiffness, compliance, strict=True):
            S[np.ix_(kept, kept)] = np.linalg.inv(C[np.ix_(kept, kept)])
        self.without = beam.stations().prestress[: len(self.weights)] / self.weights[:, None]  # type: ignore[union-attr]

    def at(self, eta: Array) -> Array:
        """Return strains (..., K, 6) at eta (..., m)."""
        theta, slope = (np.einsum("kaj,...j->...ka", part, eta) for part in (self.nodes.psi, self.nodes.psi_x))
        stretch = np.einsum("kaj,...j->...ka", self.nodes.strain[:, :3], eta)
        return np.concatenate([stretch, so3.act(so3.right_jacobian(theta), slope)], axis=-1)

    def forces(self, eta: Array, rate: Array) -> Array:
        """Return the work of stresses S (e + beta e') on every coordinate, (m,)."""
        found = self.at(eta + 1j * STEP * np.eye(len(eta)))
        by_eta = found.imag / STEP
        strain = self.at(eta) + self.beta * np.einsum("jka,j->ka", by_eta, rate)
        stress = np.einsum("kab,kb->ka", self.stiffness, strain) + self.without
        return np.einsum("jka,ka,k->j", by_eta, stress, self.weights)
