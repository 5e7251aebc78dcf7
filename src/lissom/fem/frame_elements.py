"""Frame finite elements: beams in space, straight, tapered or bent, as one structure.

Two nodes per element with six unknowns each. Deflections follow the cubic, slopes the quadratic, that solve a uniform
element exactly under end loads, with shear (Timoshenko; phi = 12 EI/(kGA l^2)) or without (Euler-Bernoulli, phi = 0);
twist and extension are linear. Stiffness and consistent mass are integrals of these fields over Gauss points, so a
section that varies along a member is taken where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from lissom.beam import Invariants, Section
from lissom.beam.displacement_fields.displacement_field import Sections
from lissom.beam.displacement_fields.inertia_invariants import integrate
from lissom.errors import LissomError
from lissom.fem.fe_structure import Array, Sparse, Structure

AnySection: TypeAlias = Section | tuple[Section, Section] | Callable[[float], Section]
GAUSS = 4  # exact for the mass of a uniform element


@dataclass(frozen=True, eq=False)
class Member:
    """A straight member between two named points.

    Parameters
    ----------
    section : AnySection
        One Section; two, at the start and the end (every property varies linearly); or a function from the
        place s in [0, 1] along the member.
    elements : int
        How many it is divided into.
    shear : tuple of float, optional
        Shear stiffnesses (kGAy, kGAz) in N of a Timoshenko member; see `shear_stiffness`. None: Euler-Bernoulli.
    up : sequence of float, optional
        Direction of the section's z axis (its part across the member); world z unless given, or y for a member
        along z.
    """

    start: str
    end: str
    section: AnySection
    elements: int = 4
    shear: tuple[float, float] | Callable[[float], tuple[float, float]] | None = None
    up: Sequence[float] | None = None

    def section_at(self, s: float) -> Section:
        """Return the section at the fraction s of the member."""
        if isinstance(self.section, Section):
            return self.section
        if callable(self.section):
            return self.section(s)
        first, last = self.section
        names = [f.name for f in fields(Section) if f.compare and getattr(first, f.name) is not None]
        return Section(**{name: (1 - s) * getattr(first, name) + s * getattr(last, name) for name in names})

    def shear_at(self, s: float) -> tuple[float, float]:
        """Return (kGAy, kGAz) at the fraction s of the member; infinite without shear."""
        if self.shear is None:
            return np.inf, np.inf
        return self.shear(s) if callable(self.shear) else self.shear


def shear_stiffness(section: Section, nu: float, factor: float = 5 / 6) -> tuple[float, float]:
    """Return shear stiffnesses kGA of a section of one material, with the shear factor k (5/6 for a rectangle)."""
    kGA = factor * section.EA / 2 / (1 + nu)
    return kGA, kGA


def frame(points: Mapping[str, Sequence[float]], members: Sequence[Member], mass: str = "consistent") -> Structure:
    """Return the structure of some members; its groups are the named points.

    Parameters
    ----------
    points : mapping
        Name to position (3,), m.
    mass : str
        "consistent", or "lumped" at the nodes (half of each element's mass and rotary inertia).
    """
    if mass not in ("consistent", "lumped"):
        raise LissomError("is unknown; choose 'consistent' or 'lumped'", ("mass",), mass)
    return _Builder(points, members).structure(mass == "lumped")


def chain(
    points: Array,
    section: AnySection,
    elements: int = 1,
    shear: tuple[float, float] | None = None,
    up: Sequence[float] | None = None,
    mass: str = "consistent",
) -> Structure:
    """Return a bent or curved member as a chain of straight ones through `points` (k, 3); groups "base" and "tip".

    A section that varies does so from the first point to the last, by length.
    """
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
        raise LissomError(f"of shape {points.shape}; give at least two points (x, y, z)", ("points",))
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
    whole = Member("", "", section)
    names = ["base", *(f"point{k}" for k in range(1, len(points) - 1)), "tip"]
    members = [
        Member(
            names[k],
            names[k + 1],
            section if isinstance(section, Section) else _part_of(whole, at[k], at[k + 1]),
            elements,
            shear,
            up,
        )
        for k in range(len(points) - 1)
    ]
    return frame(dict(zip(names, points)), members, mass)


def _part_of(member: Member, first: float, last: float) -> Callable[[float], Section]:
    return lambda s: member.section_at(first + s * (last - first))


@dataclass(frozen=True, eq=False)
class SectionInertia:
    """Mass that sits at k sections, each moving as a rigid body with the unknowns."""

    places: Array  # (k, 3)
    moments: Array  # (k, 4, 4) int (1, d)(1, d)^T dm in mesh axes
    displacement: Sparse  # (3 k, unknowns)
    rotation: Sparse  # (3 k, unknowns)

    def invariants(self, shapes: Array, origin: Array) -> Invariants:
        """Return the integrals over the mass."""
        k, m = len(self.places), shapes.shape[1]
        phi, psi = (np.asarray(map_ @ shapes).reshape(k, 3, m) for map_ in (self.displacement, self.rotation))
        return integrate(self.places - origin, self.moments, Sections(phi, psi, psi, psi))

    def mass_matrix(self) -> Sparse:
        """Return m |u|^2 + theta . J theta over the sections, (unknowns, unknowns); offsets have no first moment."""
        from scipy.sparse import block_diag, csr_array, diags_array

        m, E = self.moments[:, 0, 0], self.moments[:, 1:, 1:]
        J = np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3) - E
        D, R = self.displacement, self.rotation
        return csr_array(D.T @ diags_array(np.repeat(m, 3)) @ D + R.T @ block_diag(J, format="csr") @ R)


class _Builder:
    """Divides members into elements and gathers the maps from unknowns to fields."""

    def __init__(self, points: Mapping[str, Sequence[float]], members: Sequence[Member]) -> None:
        self.nodes = [np.asarray(p, float) for p in points.values()]
        self.names = {name: k for k, name in enumerate(points)}
        self.elements: list[tuple[int, int, Member, float, float]] = []
        if not members:
            raise LissomError("there are none; give at least one", ("members",))
        for member in members:
            self._divide(member)
        self.width = 6 * len(self.nodes)

    def _divide(self, member: Member) -> None:
        for name in (member.start, member.end):
            if name not in self.names:
                known = ", ".join(self.names)
                raise LissomError(
                    f"a member ends at {name!r}, which is not among the points; they are {known}", ("members",)
                )
        if member.elements < 1:
            raise LissomError("give a member at least one", ("members", "elements"), member.elements)
        first, last = self.names[member.start], self.names[member.end]
        a, b = self.nodes[first], self.nodes[last]
        if np.linalg.norm(b - a) == 0:
            text = f"the member from {member.start!r} to {member.end!r} has no length; move a point"
            raise LissomError(text, ("members",))
        chain = [first]
        for k in range(1, member.elements):
            chain.append(len(self.nodes))
            self.nodes.append(a + k / member.elements * (b - a))
        chain.append(last)
        n = member.elements
        self.elements += [(i, j, member, k / n, (k + 1) / n) for k, (i, j) in enumerate(pairwise(chain))]

    def structure(self, lumped: bool) -> Structure:
        from scipy.sparse import csr_array, diags_array

        nodes = np.array(self.nodes)
        parts = [self._element(*element) for element in self.elements]
        columns = np.array([np.r_[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] for i, j, *_ in self.elements])
        strain = _sparse(np.array([p.strain for p in parts]), columns, self.width)
        K = csr_array(strain.T @ diags_array(np.concatenate([p.resists.ravel() for p in parts])) @ strain)
        inertia = self._lump(nodes, parts) if lumped else self._consistent(parts, columns)
        return Structure(
            nodes=nodes,
            width=6,
            mass=inertia.mass_matrix(),
            stiffness=K,
            inertia=inertia,
            groups={name: np.array([k]) for name, k in self.names.items()},
            lines=np.array([(i, j) for i, j, *_ in self.elements]),
        )

    def _consistent(self, parts: list[_Element], columns: Array) -> SectionInertia:
        return SectionInertia(
            places=np.concatenate([p.places for p in parts]),
            moments=np.concatenate([p.moments for p in parts]),
            displacement=_sparse(np.array([p.displacement for p in parts]), columns, self.width),
            rotation=_sparse(np.array([p.rotation for p in parts]), columns, self.width),
        )

    def _lump(self, nodes: Array, parts: list[_Element]) -> SectionInertia:
        from scipy.sparse import eye_array

        moments = np.zeros((len(nodes), 4, 4))
        for (i, j, *_), part in zip(self.elements, parts):
            half = part.moments.sum(axis=0) / 2
            moments[i] += half
            moments[j] += half
        unknowns = eye_array(self.width, format="csr")
        at = np.arange(self.width).reshape(-1, 6)
        return SectionInertia(nodes, moments, unknowns[at[:, :3].ravel()], unknowns[at[:, 3:].ravel()])

    def _element(self, i: int, j: int, member: Member, s0: float, s1: float) -> _Element:
        a, b = self.nodes[i], self.nodes[j]
        length = float(np.linalg.norm(b - a))
        R = _axes((b - a) / length, member.up)
        x, w = np.polynomial.legendre.leggauss(GAUSS)
        xi, weight = (x + 1) / 2, w / 2 * length
        middle, (kGAy, kGAz) = member.section_at((s0 + s1) / 2), member.shear_at((s0 + s1) / 2)
        phi_y, phi_z = 12 * middle.EIz / kGAy / length**2, 12 * middle.EIy / kGAz / length**2
        u, th, strain = _fields(xi, length, float(phi_y), float(phi_z))
        turn = np.kron(np.eye(4), R.T)  # from mesh axes to the element's
        sections = [member.section_at(s0 + t * (s1 - s0)) for t in xi]
        shears = [member.shear_at(s0 + t * (s1 - s0)) for t in xi]
        finite = [[k if np.isfinite(k) else 0.0 for k in pair] for pair in shears]  # rigid in shear: no strain either
        resists = np.array([[s.EA, s.GJ, s.EIy, s.EIz, *pair] for s, pair in zip(sections, finite)])
        moments = np.zeros((GAUSS, 4, 4))
        moments[:, 0, 0] = [s.rhoA for s in sections]
        moments[:, 1:, 1:] = R @ np.array([s.second_moments for s in sections]) @ R.T
        return _Element(
            places=a + xi[:, None] * (b - a),
            moments=weight[:, None, None] * moments,
            displacement=R @ u @ turn,
            rotation=R @ th @ turn,
            strain=strain @ turn,
            resists=weight[:, None] * resists,
        )


@dataclass(frozen=True, eq=False)
class _Element:
    """One element at its Gauss points, in mesh axes; its 12 unknowns are those of its two nodes."""

    places: Array  # (g, 3)
    moments: Array  # (g, 4, 4)
    displacement: Array  # (g, 3, 12)
    rotation: Array  # (g, 3, 12)
    strain: Array  # (g, 6, 12) a', t', thy', thz', shear y, shear z
    resists: Array  # (g, 6) weight times EA, GJ, EIy, EIz, kGAy, kGAz


def _fields(xi: Array, length: float, phi_y: float, phi_z: float) -> tuple[Array, Array, Array]:
    """Return displacement (g, 3, 12), rotation (g, 3, 12) and strain (g, 6, 12) at fractions xi, element axes."""
    g = len(xi)
    u, th, strain = np.zeros((g, 3, 12)), np.zeros((g, 3, 12)), np.zeros((g, 6, 12))
    linear, slope = np.stack([1 - xi, xi], axis=1), np.array([-1, 1]) / length
    u[:, 0, [0, 6]], strain[:, 0, [0, 6]] = linear, slope
    th[:, 0, [3, 9]], strain[:, 1, [3, 9]] = linear, slope
    v, turn, curvature, shear = _bending(xi, length, phi_y)
    in_xy = [1, 5, 7, 11]  # v and theta_z of both nodes
    u[:, 1, in_xy], th[:, 2, in_xy], strain[:, 3, in_xy], strain[:, 4, in_xy] = v, turn, curvature, shear
    w, turn, curvature, shear = _bending(xi, length, phi_z)
    in_xz, sign = [2, 4, 8, 10], np.array([1, -1, 1, -1])  # w and theta_y, which is minus the slope
    u[:, 2, in_xz], th[:, 1, in_xz] = sign * w, -sign * turn
    strain[:, 2, in_xz], strain[:, 5, in_xz] = -sign * curvature, sign * shear
    return u, th, strain


def _bending(xi: Array, l: float, phi: float) -> tuple[Array, Array, Array, Array]:
    """Return deflection, slope of the section, curvature and shear strain per (v1, th1, v2, th2): (g, 4) each."""
    x, x2, x3, one = xi, xi**2, xi**3, np.ones_like(xi)
    c = 1 / (1 + phi)
    v = np.stack([
        2 * x3 - 3 * x2 - phi * x + 1 + phi,
        l * (x3 - (2 + phi / 2) * x2 + (1 + phi / 2) * x),
        -2 * x3 + 3 * x2 + phi * x,
        l * (x3 - (1 - phi / 2) * x2 - phi / 2 * x),
    ], axis=1)  # fmt: skip
    turn = np.stack([
        6 / l * (x2 - x), 3 * x2 - (4 + phi) * x + 1 + phi, 6 / l * (x - x2), 3 * x2 - (2 - phi) * x
    ], axis=1)  # fmt: skip
    curvature = np.stack([6 / l * (2 * x - 1), 6 * x - 4 - phi, 6 / l * (1 - 2 * x), 6 * x - 2 + phi], axis=1) / l
    shear = phi * np.stack([-one / l, -one / 2, one / l, -one / 2], axis=1)  # v' - theta, constant
    return c * v, c * turn, c * curvature, c * shear


def _axes(along: Array, up: Sequence[float] | None) -> Array:
    """Return element axes as columns (3, 3): x along the member, z as near to `up` as can be."""
    if up is None:
        up = (0.0, 1.0, 0.0) if abs(along[2]) > 1 - 1e-9 else (0.0, 0.0, 1.0)
    across = np.cross(np.asarray(up, float), along)
    if np.linalg.norm(across) < 1e-9 * np.linalg.norm(up):
        raise LissomError("runs along the member; give a direction across it", ("members", "up"), list(up))
    y = across / np.linalg.norm(across)
    return np.stack([along, y, np.cross(along, y)], axis=1)


def _sparse(blocks: Array, columns: Array, width: int) -> Sparse:
    """Return the sparse matrix of dense blocks (e, g, r, c), one below the other, on columns[e] (c,) of element e."""
    from scipy.sparse import csr_array

    e, g, r, c = blocks.shape
    rows = np.arange(e * g * r).reshape(e, g * r, 1)
    at = np.broadcast_to(columns[:, None, :], (e, g * r, c))
    rows = np.broadcast_to(rows, at.shape)
    return csr_array((blocks.reshape(-1), (rows.ravel(), at.ravel())), shape=(e * g * r, width))
