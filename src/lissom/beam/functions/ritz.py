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
# Degrees of the polynomials in each piece beyond what the number of functions asks for: few pieces need them all, short
# ones hardly any. Random tapers of 5 to 48 pieces: the eighth frequency within 1e-9 of that with twelve everywhere.
EXTRA_DEGREE, EXTRA_IN_ALL, LEAST_EXTRA = 12, 36, 4


def enough_degree(profile: Profile, functions: int) -> int:
    """Return degree of the polynomials in each piece among which so many functions of a direction are found well."""
    pieces = len(profile.pieces)
    extra = max(LEAST_EXTRA, min(EXTRA_DEGREE, -(-EXTRA_IN_ALL // pieces)))
    return extra + int(np.ceil(1.5 * functions / pieces))


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
        """Make the matrices of a link that carries `masses`; `places`: in metres. Pieces end where both are.

        A force distribution deforms its own piece alone; all beyond follows as a rigid body. So integrals over single
        pieces and the rigid masses beyond them are enough: a blade of fifty stations costs little more than a rod.
        """
        rule = Quadrature.cached(profile.edges, degree + profile.degree // 2 + 6)
        unit = Quadrature.cached((0.0, 1.0), rule.points)  # the same rule in a piece by itself
        edges, x = (np.real(profile.place(xi)) for xi in (np.array(profile.edges), rule.nodes))
        pieces, weights = len(profile.pieces), np.real(profile.rate(rule.nodes)) * rule.weights
        C, W = (np.real(t) for t in profile.tables(rule.nodes))

        def by_piece(values: Array) -> Array:
            return values.reshape(pieces, rule.points, *values.shape[1:])

        # the force distributions F of every piece at its own nodes, (pieces, nodes, 6, c), and their strains C F
        named = [component for name in directions for component in components(profile, name)]
        polynomials = legvander(2 * unit.nodes - 1, degree)[:, None, None]
        F = by_piece(independent_forces(C)[0][:, :, named])[..., None] * polynomials
        F = F.reshape(*F.shape[:3], -1)
        strain = by_piece(C) @ F
        # the motion that these give to the nodes and to the end of the piece, which carries on all that follows
        running = unit.running(np.append(unit.nodes, 1.0)) * np.diff(edges)[:, None, None]
        motion = np.array([np.hstack(integrate_strains(e, upto[:-1], upto)) for e, upto in zip(strain, running)])
        inside, carried = motion[:, :-1], rigid_motion(-edges[1:]) @ motion[:, -1]

        # mass that moves as a rigid body about the base: between two edges, and all beyond each edge
        M6, rigid = weights[:, None, None] * mass_matrices(W), rigid_motion(x)
        mass = np.zeros((pieces + 1, 6, 6))
        mass[:-1] = by_piece(np.swapaxes(rigid, 1, 2) @ M6 @ rigid).sum(axis=1)
        for lump in masses:
            there = rigid_motion(np.real(lump.x))
            mass[_edge(edges, lump.x)] += there.T @ mass_matrices(np.real(lump.moments)[None])[0] @ there
        mass = np.cumsum(mass[::-1], axis=0)[::-1]

        # K = int F^T C F dx, M = int u^T W u dx: two pieces share what moves by the later one
        momentum = by_piece(M6) @ inside
        about_base = (np.swapaxes(by_piece(rigid), 2, 3) @ momentum).sum(axis=1) + mass[1:] @ carried
        stiffness = (np.swapaxes(F, 2, 3) @ (by_piece(weights)[..., None, None] * strain)).sum(axis=1)
        own = (np.swapaxes(inside, 2, 3) @ momentum).sum(axis=1) + np.swapaxes(carried, 1, 2) @ mass[1:] @ carried
        layout = _Columns(pieces, len(named), degree + 1)
        G, Q, piece = layout.row(carried), layout.row(about_base), layout.piece
        shared = np.where(piece[:, None] < piece, G.T @ Q, 0.0)
        M = shared + shared.T + layout.on_diagonal(own)

        rows = [row for name in directions for row in MOTION[name]]
        moved = np.zeros((len(places), len(rows), len(M)))
        for k, place in enumerate(places):
            moved[k] = np.where(piece < _edge(edges, place), rigid_motion(np.real(place))[rows] @ G, 0.0)
        main = np.where(piece < np.repeat(np.arange(pieces), rule.points)[:, None], rigid[:, rows[0]] @ G, 0.0)
        for k in range(pieces):
            main[k * rule.points : (k + 1) * rule.points, layout.at[k]] = inside[k, :, rows[0]]
        return cls(
            stiffness=layout.on_diagonal(stiffness),
            mass=M,
            base=Q[rows].T,
            base_mass=mass[0][np.ix_(rows, rows)],
            tip=rigid_motion(edges[-1])[rows] @ G,
            main=main,
            weights=weights / weights.sum(),
            places=moved,
            hanging=[*directions] == ["axial"],
        )

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


class _Columns:
    """Where the force distributions of each piece stand among all: they run over forces, pieces, then degrees."""

    def __init__(self, pieces: int, forces: int, degrees: int) -> None:
        one = (np.arange(forces)[:, None] * pieces * degrees + np.arange(degrees)).ravel()
        self.at = one + np.arange(pieces)[:, None] * degrees  # (pieces, c)
        self.piece = np.empty(self.at.size, int)  # of each column
        self.piece[self.at] = np.arange(pieces)[:, None]

    def row(self, parts: Array) -> Array:
        """Return what each piece has of its own columns, (pieces, k, c), side by side, (k, all)."""
        out = np.empty((parts.shape[1], self.at.size))
        out[:, self.at] = parts.swapaxes(0, 1)
        return out

    def on_diagonal(self, blocks: Array) -> Array:
        """Return the matrix (all, all) of blocks (pieces, c, c) that each piece has to itself."""
        out = np.zeros((self.at.size, self.at.size))
        out[self.at[:, :, None], self.at[:, None, :]] = blocks
        return out


def rigid_motion(x: Any) -> Array:
    """Return displacement and rotation at `x` of a rigid body per displacement and rotation at 0, (..., 6, 6)."""
    x = np.asarray(x)
    out = np.zeros((*x.shape, 6, 6))
    out[..., range(6), range(6)] = 1.0
    out[..., 1, 5], out[..., 2, 4] = x, -x
    return out


def _edge(edges: Array, x: Any) -> int:
    """Return which of the edges between pieces a place is."""
    return int(np.argmin(np.abs(edges - np.real(x))))


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
