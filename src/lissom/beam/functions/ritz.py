"""Ritz solutions of a link of any profile: its static and natural shapes among polynomial distributions of force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial.legendre import legvander

from lissom.beam.displacement_fields.displacement_field import integrate_strains
from lissom.beam.functions.eigenmodes import eigenmodes
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.lumped_mass import LumpedMass
from lissom.beam.number_types import Array
from lissom.beam.sections.general_section import BEND_Y, BEND_Z, SHEAR_Y, SHEAR_Z, STRETCH, TWIST, independent_forces
from lissom.beam.sections.profile import Profile

FORCES = {"y": (BEND_Z, SHEAR_Y), "z": (BEND_Y, SHEAR_Z), "torsion": (TWIST,), "axial": (STRETCH,)}
# rows of a section's motion (displacement, rotation) that each direction moves first
MOTION = {"y": (1, 5), "z": (2, 4), "torsion": (3,), "axial": (0,)}
EXTRA_DEGREE = 12  # of the polynomials in each piece, beyond what the number of functions asks for


def enough_degree(profile: Profile, functions: int) -> int:
    """Return degree of the polynomials in each piece among which so many functions of a direction are found well."""
    return EXTRA_DEGREE + int(np.ceil(1.5 * functions / len(profile.pieces)))


def components(profile: Profile, direction: str) -> tuple[int, ...]:
    """Return the forces of a direction that deform the sections."""
    forces = FORCES[direction]
    return forces if profile.shear else forces[:1]


def raw_distributions(profile: Profile, direction: str, degree: int, xi: Array) -> Array:
    """Return polynomials of a direction's independent forces at xi (k,): (k, 6, forces x pieces x (degree + 1))."""
    which, s = profile.piece(xi)
    P = legvander(2 * s - 1, degree)
    pieces, rows = len(profile.pieces), np.arange(len(xi))
    local = np.zeros((len(xi), pieces, degree + 1), P.dtype)
    local[rows, which] = P
    flat = local.reshape(len(xi), -1)
    named = components(profile, direction)
    out = np.zeros((len(xi), 6, len(named), flat.shape[1]), P.dtype)
    for k, component in enumerate(named):
        out[:, component, k] = flat
    return out.reshape(len(xi), 6, -1)


def raw_forces(profile: Profile, direction: str, degree: int, xi: Array) -> Array:
    """Return force distributions of a direction at xi (k,): (k, 6, forces x pieces x (degree + 1)).

    Shear forces of bending do not twist, axial forces do not bend: what does is left to functions of torsion and of
    bending. If all could do all, two functions of different directions could be the same.
    """
    return independent_forces(profile.tables(xi)[0])[0] @ raw_distributions(profile, direction, degree, xi)


@dataclass(frozen=True, eq=False)
class Ritz:
    """The problem of one direction or several in their raw force distributions; at the real parts of all numbers."""

    stiffness: Array  # (r, r)
    mass: Array  # (r, r)
    base: Array  # (r, c) coupling of the mass to motions of the base along MOTION
    base_mass: Array  # (c, c)
    tip: Array  # (c, r) motion of the tip along MOTION
    main: Array  # (k, r) the leading displacement at the nodes
    weights: Array  # (k,)
    places: Array  # (p, c, r) motion of further places along MOTION
    hanging: bool = False  # whether it is the problem of stretching alone

    @classmethod
    def of(
        cls,
        profile: Profile,
        directions: Sequence[str],
        degree: int,
        masses: Sequence[LumpedMass] = (),
        places: Sequence[float] = (),
    ) -> Ritz:
        """Make the matrices of a link that carries `masses` where its pieces end; `places`: in metres."""
        rule = Quadrature.cached(profile.edges, degree + profile.degree // 2 + 6)
        C, W = (np.real(t) for t in profile.tables(rule.nodes))
        rate = np.real(profile.rate(rule.nodes))
        weights = rate * rule.weights
        # K = int F^T C F dx of the force distributions F with the compliance C of the sections
        F = np.concatenate([np.real(raw_forces(profile, name, degree, rule.nodes)) for name in directions], axis=2)
        strain = C @ F
        K = np.einsum("kar,k,kas->rs", F, weights, strain, optimize=True)
        # M = int u^T W u dx of the motion u that the strains C F give
        inner = rule.running(rule.nodes) * rate
        motion = np.concatenate(integrate_strains(strain, inner, inner), axis=1)
        at_tip = np.concatenate(integrate_strains(strain, inner, weights[None]), axis=1)[0]
        x = np.real(profile.place(rule.nodes))
        M6 = weights[:, None, None] * mass_matrices(W)
        M = np.einsum("kar,kab,kbs->rs", motion, M6, motion, optimize=True)

        def moved(x: Any) -> Array:
            upto = rule.running(np.real(profile.fraction(x))) * rate
            return np.concatenate(integrate_strains(strain, inner, upto), axis=1)

        for lump in masses:
            there = moved(lump.x)[0]
            M = M + there.T @ mass_matrices(np.real(lump.moments)[None])[0] @ there
        # what a moving base does to them: the coupling, and the mass of the rigid link
        rows = [row for name in directions for row in MOTION[name]]
        whole = np.tile(np.eye(6), (len(x), 1, 1))  # motion of the sections of a rigid link whose base moves
        whole[:, 1, 5], whole[:, 2, 4] = x, -x
        rigid = whole[:, :, rows]
        base = np.einsum("kar,kab,kbc->rc", motion, M6, rigid, optimize=True)
        base_mass = np.einsum("kac,kab,kbd->cd", rigid, M6, rigid, optimize=True)
        there = moved(list(places))[:, rows] if len(places) else np.zeros((0, len(rows), len(K)))
        share, alone = weights / weights.sum(), [*directions] == ["axial"]
        return cls(K, M, base, base_mass, at_tip[rows], motion[:, rows[0]], share, there, alone)

    def modes(self, n: int, held: tuple[int, ...] = (), free: tuple[int, ...] = (), tip: Array | None = None) -> Array:
        """Return the n lowest natural shapes (r, n): tip held or base free in some motions, with `tip` inertia."""
        M = self.mass
        if tip is not None:
            M = M + (self.tip.T * tip) @ self.tip
        if free:
            columns = list(free)
            B, A = self.base[:, columns], self.base_mass[np.ix_(columns, columns)]
            M = M - B @ np.linalg.solve(A, B.T)
        space = null_space(self.tip[list(held)]) if held else np.eye(len(M))
        return space @ lowest(space.T @ self.stiffness @ space, space.T @ M @ space, n)

    def frequencies(self, shapes: Array, held: tuple[int, ...] = ()) -> Array:
        """Return the natural frequencies, Hz, of the link in `shapes` (r, n) only, its tip held in some motions."""
        if held:
            shapes = shapes @ null_space(self.tip[list(held)] @ shapes)
        if not shapes.shape[1]:
            return np.zeros(0)
        omega, _ = eigenmodes(shapes.T @ self.mass @ shapes, shapes.T @ self.stiffness @ shapes)
        return omega / (2 * np.pi)

    def statics(self, loads: list[int]) -> Array:
        """Return shapes (r, len(loads)) under unit forces on the tip along the given motions."""
        return np.linalg.solve(self.stiffness, self.tip[loads].T)

    def strains(self, shapes: Array) -> Array:
        """Return shapes (r, n) as strains, so scaled that the strain energy is half their square."""
        return np.linalg.cholesky(self.stiffness).T @ shapes

    def tip_held(self, n: int) -> Array:
        """Return shapes (r, c + n) under loads at the tip, then the n lowest natural ones with the tip held.

        Of stretching the first of these is the shape under its weight as it hangs instead: nearly the same, and exact
        at rest.
        """
        rows = range(len(self.tip))
        held = self.modes(n, held=tuple(rows))
        if self.hanging and n:
            held[:, :1] = np.linalg.solve(self.stiffness, self.base)
        return np.hstack([self.statics(list(rows)), held])

    def ordered(self, shapes: Array) -> Array:
        """Return combinations of `shapes` that are natural modes among themselves, in rising order of frequency."""
        return shapes @ lowest(shapes.T @ self.stiffness @ shapes, shapes.T @ self.mass @ shapes, shapes.shape[1])

    def normalised(self, shapes: Array) -> Array:
        """Scale shapes to a mean square of one of the leading displacement, which is positive at the tip."""
        f = self.main @ shapes
        sign = np.sign(self.tip[0] @ shapes)
        return shapes * np.where(sign == 0, 1, sign) / np.sqrt(self.weights @ f**2)


def lowest(stiffness: Array, mass: Array, n: int) -> Array:
    """Return the n lowest modes of K, M: the largest of M in the metric of K, which is well conditioned."""
    from scipy.linalg import eigh  # here: most robots do not need it

    if n == 0:
        return np.zeros((len(stiffness), 0))
    scale = 1 / np.sqrt(np.diag(stiffness))
    K, M = stiffness * np.outer(scale, scale), mass * np.outer(scale, scale)
    size = len(K)
    _, X = eigh((M + M.T) / 2, (K + K.T) / 2, subset_by_index=[size - n, size - 1])
    return scale[:, None] * X[:, ::-1]


def mass_matrices(W: Array) -> Array:
    """Return (k, 6, 6) of (velocity, angular velocity) from moments (k, 4, 4)."""
    m, S, E = W[:, 0, 0], W[:, 0, 1:], W[:, 1:, 1:]
    out = np.zeros((len(W), 6, 6))
    out[:, [0, 1, 2], [0, 1, 2]] = m[:, None]
    out[:, 3:, 3:] = np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3) - E
    cross = np.zeros((len(W), 3, 3))  # v . (omega x S)
    cross[:, 0, 1], cross[:, 0, 2] = S[:, 2], -S[:, 1]
    cross[:, 1, 0], cross[:, 1, 2] = -S[:, 2], S[:, 0]
    cross[:, 2, 0], cross[:, 2, 1] = S[:, 1], -S[:, 0]
    out[:, :3, 3:], out[:, 3:, :3] = cross, np.swapaxes(cross, 1, 2)
    return out


def null_space(rows: Array) -> Array:
    """Return orthonormal columns that the rows map to zero."""
    from scipy.linalg import null_space

    return null_space(rows)
