"""Shape functions that a link of any profile has by itself: its static and natural shapes.

A function is a distribution of internal forces; strains follow from the section's compliance, rotations and
displacements by integration from the base. So every function satisfies the link's compatibility whatever its sections,
strains jump where sections do, and nothing locks. Each direction has the forces that cause it:

    y: moment Mz, shear force Qy      z: moment My, shear force Qz      torsion: torque      axial: axial force

and every displacement that they bring, coupled ones included. Functions are Ritz solutions among polynomials in each
piece.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial.legendre import legvander

from lissom.beam.basis import DIRECTIONS, Ends, by_direction, split_ends
from lissom.beam.eigen import eigenmodes
from lissom.beam.field import integrate_strains
from lissom.beam.general import BEND_Y, BEND_Z, SHEAR_Y, SHEAR_Z, STRETCH, TWIST
from lissom.beam.number import Array
from lissom.beam.profile import Profile
from lissom.beam.quadrature import Quadrature
from lissom.errors import LissomError

FORCES = {"y": (BEND_Z, SHEAR_Y), "z": (BEND_Y, SHEAR_Z), "torsion": (TWIST,), "axial": (STRETCH,)}
# rows of a section's motion (displacement, rotation) that each direction moves first
MOTION = {"y": (1, 5), "z": (2, 4), "torsion": (3,), "axial": (0,)}
# what holds the tip, what is free at the base: rows of MOTION
HELD = {"clamped-clamped": (0, 1), "clamped-pinned": (0,)}
FREE = {"pinned-free": (1,), "free-free": (0, 1)}
FAMILIES = ("auto", "legendre", "clamped-free", "clamped-mass", "clamped-inertia", *HELD, *FREE)
FEW = 14  # functions of a direction that are usually enough
EXTRA_DEGREE = 12  # of the polynomials in each piece, beyond what the number of functions asks for


@dataclass(frozen=True, eq=False)
class OwnBasis:
    """m functions of a link of the given profile, as mixtures of force distributions.

    A force distribution is a Legendre polynomial of one of the six forces in one piece.
    """

    profile: Profile
    degree: int
    mixing: dict[str, Array]  # by direction: (forces of the direction x pieces x (degree + 1), n)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each direction's coordinates sit in eta."""
        ends = np.cumsum([0] + [self.mixing[name].shape[1] for name in DIRECTIONS])
        return {name: slice(int(a), int(b)) for name, a, b in zip(DIRECTIONS, ends[:-1], ends[1:])}

    @property
    def count(self) -> int:
        """Number of coordinates."""
        return sum(part.shape[1] for part in self.mixing.values())

    @property
    def counts(self) -> dict[str, int]:
        """Number of functions by direction."""
        return {name: self.mixing[name].shape[1] for name in DIRECTIONS}

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the coordinates: y1, y2, z1, ..., torsion1, axial1."""
        return tuple(f"{name}{k + 1}" for name, n in self.counts.items() for k in range(n))

    @property
    def rule(self) -> Quadrature:
        """Quadrature on [0, 1] that resolves products of any two of the functions."""
        return Quadrature.cached(self.profile.edges, self.degree + self.profile.degree // 2 + 6)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Interior points where sections may jump."""
        return self.profile.edges[1:-1]

    def forces(self, xi: Array) -> Array:
        """Internal forces per coordinate at fractions xi (k,) of the length, (k, 6, m)."""
        out = np.zeros((len(xi), 6, self.count), np.result_type(xi, float))
        for name, part in self.slices.items():
            raw = _raw_forces(self.profile, name, self.degree, xi)
            out[:, :, part] = raw @ self.mixing[name]
        return out


def own_basis(profile: Profile, modes: Mapping[str, int], ends: Ends = "auto") -> OwnBasis:
    """The functions of a link of any profile.

    Args:
        modes: number of functions by direction ("y", "z", "torsion", "axial"); one left out is rigid.
        ends: "auto" (shapes under loads at the tip and natural shapes with the tip held), "legendre" (forces that are
            polynomials), or the natural modes of this very link by its end conditions, `families.BENDING`; or a
            mapping with `family` and its options `tip_mass` (kg), `tip_inertia` (kg m2); or one of these by direction.
    """
    kinds = by_direction(modes, ends)
    most = max(modes.values(), default=0)
    degree = EXTRA_DEGREE + int(np.ceil(1.5 * most / len(profile.pieces)))
    if any(split_ends(kind)[0] == "legendre" for kind in kinds.values()):
        degree = max(degree, most)
    mixing = {name: _functions(profile, degree, name, modes.get(name, 0), kinds[name]) for name in DIRECTIONS}
    return OwnBasis(profile, degree, mixing)


def enough_modes(profile: Profile, reach: float | None, accuracy: float, most: int = 50) -> dict[str, int]:
    """How many functions of `auto` each direction needs.

    Enough that every frequency of the link up to `reach` (Hz; ten times its lowest unless given), with its base held
    and its tip free or held too, is right within `accuracy`. A direction has its shapes under tip loads at least, and
    none at all if its lowest frequency is more than ten times as high as `reach`.
    """
    ritz = {name: _Ritz.of(profile, name, EXTRA_DEGREE + 3 * FEW // 2) for name in DIRECTIONS}
    lowest_of = {name: part.frequencies(part.modes(1))[0] for name, part in ritz.items()}
    reach = 10 * min(lowest_of.values()) if reach is None else reach
    counts = {name: 0 for name in DIRECTIONS}
    for name, part in ritz.items():
        if lowest_of[name] <= 10 * reach:
            count = _enough(part, reach, accuracy, FEW)
            if count is None:
                count = _enough(_Ritz.of(profile, name, EXTRA_DEGREE + 3 * most // 2), reach, accuracy, most)
            if count is None:
                text = f"frequencies up to {reach:g} Hz need more than {most} functions along {name}; ask for less"
                raise LissomError(text, ("modes",))
            counts[name] = count
    if not any(counts.values()):
        lowest = min(lowest_of.values())
        text = f"the link is rigid up to {reach:g} Hz (its lowest frequency is {lowest:.4g} Hz); make it a body"
        raise LissomError(text, ("modes",))
    return counts


def _enough(ritz: _Ritz, reach: float, accuracy: float, most: int) -> int | None:
    """The least number of functions, None where it is more than `most`."""
    ends = ((), tuple(range(len(ritz.tip))))  # tip free, tip held
    exact = [ritz.frequencies(ritz.modes(most, held), held) for held in ends]
    wanted = [hz[hz <= reach] for hz in exact]
    if any(len(hz) == most for hz in wanted):
        return None
    for count in range(len(ritz.tip), most + 1):
        shapes = _auto(ritz, count)
        found = [ritz.frequencies(shapes, held)[: len(hz)] for held, hz in zip(ends, wanted)]
        if all(len(a) == len(b) and np.all(a <= (1 + accuracy) * b) for a, b in zip(found, wanted)):
            return count
    return None


def _components(profile: Profile, direction: str) -> tuple[int, ...]:
    forces = FORCES[direction]
    return forces if profile.shear else forces[:1]


def _raw_forces(profile: Profile, direction: str, degree: int, xi: Array) -> Array:
    """Force distributions of a direction at xi (k,): (k, 6, forces x pieces x (degree + 1))."""
    which, s = profile.piece(xi)
    P = legvander(2 * s - 1, degree)
    pieces, rows = len(profile.pieces), np.arange(len(xi))
    local = np.zeros((len(xi), pieces, degree + 1), P.dtype)
    local[rows, which] = P
    flat = local.reshape(len(xi), -1)
    components = _components(profile, direction)
    out = np.zeros((len(xi), 6, len(components), flat.shape[1]), P.dtype)
    for k, component in enumerate(components):
        out[:, component, k] = flat
    return out.reshape(len(xi), 6, -1)


@dataclass(frozen=True, eq=False)
class _Ritz:
    """The problem of one direction in its raw force distributions; everything at the real parts of the numbers."""

    stiffness: Array  # (r, r)
    mass: Array  # (r, r)
    base: Array  # (r, c) coupling of the mass to motions of the base along MOTION
    base_mass: Array  # (c, c)
    tip: Array  # (c, r) motion of the tip along MOTION
    main: Array  # (k, r) the leading displacement at the nodes
    weights: Array  # (k,)

    @classmethod
    def of(cls, profile: Profile, direction: str, degree: int) -> _Ritz:
        rule = Quadrature.cached(profile.edges, degree + profile.degree // 2 + 6)
        C, W = (np.real(t) for t in profile.tables(rule.nodes))
        rate = np.real(profile.rate(rule.nodes))
        weights = rate * rule.weights
        F = _raw_forces(profile, direction, degree, rule.nodes)
        strain = C @ F
        K = np.einsum("kar,k,kas->rs", F, weights, strain, optimize=True)
        inner = rule.running(rule.nodes) * rate
        motion = np.concatenate(integrate_strains(strain, inner, inner), axis=1)
        at_tip = np.concatenate(integrate_strains(strain, inner, weights[None]), axis=1)[0]
        x = np.real(profile.place(rule.nodes))
        M6 = weights[:, None, None] * _mass_matrices(W)
        M = np.einsum("kar,kab,kbs->rs", motion, M6, motion, optimize=True)
        rows = list(MOTION[direction])
        rigid = np.zeros((len(x), 6, len(rows)))
        for k, row in enumerate(rows):
            rigid[:, row, k] = 1
        if direction == "y":
            rigid[:, 1, 1] = x
        elif direction == "z":
            rigid[:, 2, 1] = -x
        base = np.einsum("kar,kab,kbc->rc", motion, M6, rigid, optimize=True)
        base_mass = np.einsum("kac,kab,kbd->cd", rigid, M6, rigid, optimize=True)
        return cls(K, M, base, base_mass, at_tip[rows], motion[:, rows[0]], weights / weights.sum())

    def modes(self, n: int, held: tuple[int, ...] = (), free: tuple[int, ...] = (), tip: Array | None = None) -> Array:
        """The n lowest natural shapes (r, n): tip held in some motions, base free in some, `tip` inertia (c,) there."""
        M = self.mass
        if tip is not None:
            M = M + (self.tip.T * tip) @ self.tip
        if free:
            columns = list(free)
            B, A = self.base[:, columns], self.base_mass[np.ix_(columns, columns)]
            M = M - B @ np.linalg.solve(A, B.T)
        space = _null_space(self.tip[list(held)]) if held else np.eye(len(M))
        return space @ lowest(space.T @ self.stiffness @ space, space.T @ M @ space, n)

    def frequencies(self, shapes: Array, held: tuple[int, ...] = ()) -> Array:
        """Natural frequencies, Hz, of the link that moves in `shapes` (r, n) only, its tip held in some motions."""
        if held:
            shapes = shapes @ _null_space(self.tip[list(held)] @ shapes)
        if not shapes.shape[1]:
            return np.zeros(0)
        omega, _ = eigenmodes(shapes.T @ self.mass @ shapes, shapes.T @ self.stiffness @ shapes)
        return omega / (2 * np.pi)

    def statics(self, loads: list[int]) -> Array:
        """Shapes (r, len(loads)) under unit forces on the tip along the given motions."""
        return np.linalg.solve(self.stiffness, self.tip[loads].T)

    def ordered(self, shapes: Array) -> Array:
        """Combinations of `shapes` that are natural modes among themselves, in rising order of frequency."""
        return shapes @ lowest(shapes.T @ self.stiffness @ shapes, shapes.T @ self.mass @ shapes, shapes.shape[1])

    def normalised(self, shapes: Array) -> Array:
        """Scaled to a mean square of one of the leading displacement, which is positive at the tip."""
        f = self.main @ shapes
        sign = np.sign(self.tip[0] @ shapes)
        return shapes * np.where(sign == 0, 1, sign) / np.sqrt(self.weights @ f**2)


def lowest(stiffness: Array, mass: Array, n: int) -> Array:
    """The n lowest modes of K, M; found as the largest of M in the metric of K, which is the well-conditioned one."""
    from scipy.linalg import eigh  # here: most robots do not need it

    scale = 1 / np.sqrt(np.diag(stiffness))
    K, M = stiffness * np.outer(scale, scale), mass * np.outer(scale, scale)
    size = len(K)
    _, X = eigh((M + M.T) / 2, (K + K.T) / 2, subset_by_index=[size - n, size - 1])
    return scale[:, None] * X[:, ::-1]


def _mass_matrices(W: Array) -> Array:
    """(k, 6, 6) of (velocity, angular velocity) from moments (k, 4, 4)."""
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


def _functions(profile: Profile, degree: int, direction: str, count: int, ends: Ends) -> Array:
    """Mixing (r, count) of one direction."""
    name, options = split_ends(ends)
    if name not in FAMILIES:
        choice = ", ".join(FAMILIES)
        raise LissomError(f"does not suit a link with shear or stations; choose from {choice}", ("ends",), name)
    size = len(_components(profile, direction)) * len(profile.pieces) * (degree + 1)
    if count == 0:
        return np.zeros((size, 0))
    if name == "legendre":
        return _polynomials(profile, degree, direction, count)
    ritz = _Ritz.of(profile, direction, degree)
    if name == "auto":
        return ritz.normalised(_auto(ritz, count))
    rows = len(MOTION[direction])
    held, free = (tuple(r for r in table.get(name, ()) if r < rows) for table in (HELD, FREE))
    at_tip = ("tip_inertia",) if direction == "torsion" else ("tip_mass", "tip_inertia")[:rows]
    load = np.array([options.get(option, 0.0) for option in at_tip]) if options else None
    return ritz.normalised(ritz.modes(count, held, free, load))


def _auto(ritz: _Ritz, count: int) -> Array:
    """Shapes under loads at the tip and natural shapes with the tip held, mixed to natural modes.

    Exact for any static load at the tip, whatever the link carries there. A single bending function is the deflection
    under a tip force.
    """
    loads = list(range(min(count, len(ritz.tip))))
    shapes = ritz.statics(loads)
    if count > len(loads):
        shapes = np.hstack([shapes, ritz.modes(count - len(loads), held=tuple(range(len(ritz.tip))))])
    return ritz.ordered(shapes)


def _polynomials(profile: Profile, degree: int, direction: str, count: int) -> Array:
    """Forces that are Legendre polynomials over the whole link: moment and shear force in turn, of rising degree."""
    components = _components(profile, direction)
    # the shear force is the derivative of the moment: it comes one degree later
    order = sorted((k + part, part, k) for part in range(len(components)) for k in range(count))[:count]
    edges = np.array(profile.edges)
    rule = Quadrature.cached((0.0, 1.0), degree + 1)
    scaled = legvander(2 * rule.nodes - 1, degree) * (2 * np.arange(degree + 1) + 1)
    out = np.zeros((len(components), len(profile.pieces), degree + 1, count))
    for j, (_, part, k) in enumerate(order):
        for piece, (a, b) in enumerate(itertools.pairwise(edges)):
            values = legvander(2 * (a + (b - a) * rule.nodes) - 1, k)[:, k]
            out[part, piece, :, j] = scaled.T @ (rule.weights * values)
    ritz = _Ritz.of(profile, direction, degree)
    return ritz.normalised(out.reshape(-1, count))


def _null_space(rows: Array) -> Array:
    """Orthonormal columns that the rows map to zero."""
    from scipy.linalg import null_space

    return null_space(rows)
