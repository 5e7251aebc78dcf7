"""Sections of any plane shape and one material: torsion and shear by solving the section's own problem.

Saint-Venant's warping and the two shear functions solve Laplace and Poisson equations over the section; their energies
give the torsion constant, the shear stiffnesses and the shear centre. The method and its letters are those of
W. D. Pilkey, Analysis and Design of Elastic Beams (2002), chapters 5 and 6, with the axes (y, z) for his (x, y).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import splu
from scipy.spatial import Delaunay, cKDTree

from lissom.beam.number_types import Array, Number
from lissom.beam.sections import polygon
from lissom.beam.sections.cross_section import Material
from lissom.beam.sections.general_section import GeneralSection
from lissom.errors import LissomError

ACROSS = 4.0  # elements across a wall
LEAST, MOST = 1000, 6000  # elements of a section, about
MOST_EDGE = 20_000  # elements around it: a wall may be ten thousand times as long as thick
# Gauss points of a triangle that are exact to degree 4: corners' weights and the weight of each point
_A, _B = 0.445948490915965, 0.091576213509771
POINTS = np.array([
    [_A, _A, 1 - 2 * _A], [_A, 1 - 2 * _A, _A], [1 - 2 * _A, _A, _A],
    [_B, _B, 1 - 2 * _B], [_B, 1 - 2 * _B, _B], [1 - 2 * _B, _B, _B],
])  # fmt: skip
WEIGHTS = np.repeat([0.223381589678011, 0.109951743655322], 3)


class Functions(NamedTuple):
    """Warping and the two shear functions of a section, on quadratic triangles; all from its centroid."""

    points: Array  # (n, 2) corners of the triangles
    nodes: Array  # (m, 6) of each triangle: its corners, then the middles of the sides that begin there
    values: Array  # (nodes, 3) warping, shear function of Qy, of Qz
    second: Array  # (2, 2) int (y, z)(y, z)^T
    nu: Number

    @property
    def whole(self) -> Number:
        """What (slope - particular part) of a shear function is divided by to be a stress per force."""
        (Iz, Iyz), (_, Iy) = self.second
        return 2 * (1 + self.nu) * (Iy * Iz - Iyz**2)


def particular(second: Array, nu: Number, y: Array, z: Array) -> tuple[Array, Array]:
    """Return particular parts (..., 2) of the stresses of Qy and Qz, Pilkey (6.20): what Poisson's ratio adds."""
    (Iz, Iyz), (_, Iy) = second
    r, q = y**2 - z**2, 2 * y * z
    d = np.stack([Iy * r - Iyz * q, Iyz * r + Iy * q], axis=-1) * nu / 2
    h = np.stack([-Iyz * r + Iz * q, -Iz * r - Iyz * q], axis=-1) * nu / 2
    return d, h


class PlaneShape(NamedTuple):
    """A section's geometry, from its centroid."""

    area: Number
    centroid: Array  # (2,) in the axes of the outline
    second: Array  # (2, 2) int (y, z)(y, z)^T
    torsion: Number  # constant J
    shear: Array  # (2, 2) deformation per force of the shear forces (Qy, Qz), times G
    shear_centre: Array  # (2,)
    functions: Functions | None  # None where the numbers are interpolated

    def section(self, material: Material, outline: Array, holes: Sequence[Array]) -> GeneralSection:
        """Return the section of a material with its centroid on the axis."""
        E, G, rho = material.E, material.G, material.rho
        (yy, yz), (_, zz) = self.second
        own = np.zeros((6, 6), np.result_type(self.second, self.shear, E, G))
        own[0, 0] = 1 / (E * self.area)
        own[1:3, 1:3] = self.shear / G
        own[3, 3] = 1 / (G * self.torsion)
        own[4:, 4:] = np.linalg.inv(E * np.array([[zz, -yz], [-yz, yy]]))
        at = np.eye(6, dtype=np.result_type(self.shear_centre, float))
        at[3, 1], at[3, 2] = self.shear_centre[1], -self.shear_centre[0]
        moments = np.zeros((4, 4), np.result_type(self.second, rho))
        moments[0, 0], moments[2:, 2:] = rho * self.area, rho * self.second
        rings = [np.asarray(ring) - self.centroid for ring in (outline, *holes)]
        return GeneralSection(at.T @ own @ at, moments, rings[0], tuple(rings[1:]))


def solve(outline: Array, holes: Sequence[Array] = (), nu: Number = 0.0) -> PlaneShape:
    """Return geometry of a polygon with holes, for Poisson's ratio `nu`; analytic in the corners."""
    area, centroid, second = geometry(outline, holes)
    points, triangles = mesh(outline - centroid, [hole - centroid for hole in holes])
    return _solve(points, triangles, area, centroid, second, nu)


def geometry(outline: Array, holes: Sequence[Array] = ()) -> tuple[Number, Array, Array]:
    """Return area, centroid (2,) and moments (2, 2) int (y, z)(y, z)^T about it."""
    whole = polygon.moments(outline, holes)
    centroid = whole.first / whole.area
    return whole.area, centroid, polygon.moments(outline - centroid, [hole - centroid for hole in holes]).second


def mesh(outline: Array, holes: Sequence[Array] = ()) -> tuple[Array, Array]:
    """Return corners (n, 2) and triangles (m, 3) of a mesh whose size follows the walls."""
    rings = [np.asarray(outline), *map(np.asarray, holes)]
    around = sum(np.linalg.norm(np.real(r - np.roll(r, -1, axis=0)), axis=1).sum() for r in rings)
    area = float(np.real(polygon.moments(outline, holes).area))
    size = np.clip(2 * area / around / ACROSS, np.sqrt(2 * area / MOST), np.sqrt(2 * area / LEAST))
    if around > MOST_EDGE * size:
        text = "is too thin for its torsion and shear to be computed; give the section by its stiffnesses"
        raise LissomError(text, ("section",))
    for _ in range(5):
        points, triangles = _delaunay(rings, size)
        a, b, c = (np.real(points[triangles[:, k]]) for k in range(3))
        covered = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum() / 2
        if abs(covered / area - 1) < 1e-9:
            return points, triangles
        size *= 0.7
    text = "cannot be meshed; check that it does not cross itself and that its holes lie inside"
    raise LissomError(text, ("section",))


def _delaunay(rings: list[Array], size: float) -> tuple[Array, Array]:
    boundary = []
    for ring in rings:
        for a, b in zip(ring, np.roll(ring, -1, axis=0)):
            count = max(1, int(np.ceil(np.linalg.norm(np.real(b - a)) / size)))
            boundary.append(a + (b - a) * (np.arange(count) / count)[:, None])
    edge = np.concatenate(boundary)
    low, high = np.real(edge).min(axis=0), np.real(edge).max(axis=0)
    rows = np.arange(low[1] + size / 2, high[1], size * np.sqrt(3) / 2)
    inner = np.concatenate([
        np.stack([y, np.full(len(y), z)], axis=1)
        for k, (z, parts) in enumerate(zip(rows, polygon.rows_inside(rows, rings[0], rings[1:])))
        for start, end in (parts - low[0]) / size - (0.5 + k % 2 / 2)
        for y in [low[0] + size * (0.5 + k % 2 / 2 + np.arange(np.ceil(start), end))]
    ] or [np.zeros((0, 2))])  # fmt: skip
    inner = inner[cKDTree(np.real(edge)).query(inner)[0] > 0.6 * size] if len(inner) else inner
    points = np.concatenate([edge, inner])
    triangles = Delaunay(np.real(points)).simplices
    middle = np.real(points)[triangles].mean(axis=1)
    triangles = triangles[polygon.inside(middle, rings[0], rings[1:])]
    a, b, c = (np.real(points[triangles[:, k]]) for k in range(3))
    twice = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    flat = np.abs(twice) < 1e-12 * size**2
    triangles = np.where((twice < 0)[:, None], triangles[:, ::-1], triangles)
    return points, triangles[~flat]


def _solve(points: Array, triangles: Array, area: Number, centroid: Array, second: Array, nu: Number) -> PlaneShape:
    """Return quadratic elements: see Pilkey (5.49) ff. for torsion, (6.58) ff. for shear."""
    corners = points[triangles]
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    _, middle = np.unique(edges, axis=0, return_inverse=True)
    nodes = np.concatenate([triangles, len(points) + middle.reshape(-1, 3)], axis=1)
    count = int(nodes.max()) + 1

    # gradients of the barycentric coordinates, (m, 3, 2), and twice the area
    side = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    twice = side[:, 0, 0] * side[:, 1, 1] - side[:, 0, 1] * side[:, 1, 0]
    slope = np.stack([-side[..., 1], side[..., 0]], axis=-1) / twice[:, None, None]

    L = POINTS  # (g, 3)
    N = np.concatenate([L * (2 * L - 1), 4 * L * np.roll(L, -1, axis=1)], axis=1)  # (g, 6)
    at_corner = (4 * L - 1)[None, :, :, None] * slope[:, None]
    L2, slope2 = np.roll(L, -1, axis=1), np.roll(slope, -1, axis=1)
    at_middle = 4 * (L[None, :, :, None] * slope2[:, None] + L2[None, :, :, None] * slope[:, None])
    B = np.concatenate([at_corner, at_middle], axis=2)  # (m, g, 6, 2)
    w = WEIGHTS[None] * twice[:, None] / 2
    place = np.einsum("gc,mcd->mgd", L, corners)
    y, z = place[..., 0], place[..., 1]

    K = np.einsum("mg,mgid,mgjd->mij", w, B, B, optimize=True)
    rows, columns = np.repeat(nodes, 6, axis=1).ravel(), np.tile(nodes, (1, 6)).ravel()
    stiffness = coo_matrix((K.ravel(), (rows, columns)), shape=(count, count)).tocsc()

    def load(by_slope: Array, by_value: Array | None = None) -> Array:
        part = np.einsum("mg,mgid,mgd->mi", w, B, by_slope, optimize=True)
        if by_value is not None:
            part = part + np.einsum("mg,mg,gi->mi", w, by_value, N, optimize=True)
        out = np.zeros(count, part.dtype)
        np.add.at(out, nodes.ravel(), part.ravel())
        return out

    (Iz, Iyz), (_, Iy) = second  # int y^2, int y z, int z^2
    d, h = particular(second, nu, y, z)
    turning = load(np.stack([z, -y], axis=-1))
    loads = np.stack(
        [turning, load(d, 2 * (1 + nu) * (Iy * y - Iyz * z)), load(h, 2 * (1 + nu) * (Iz * z - Iyz * y))], axis=1
    )
    solved = np.zeros_like(loads)
    factors, right = splu(stiffness[1:, 1:]), loads[1:]  # one node held: only slopes count
    if np.iscomplexobj(right) and not np.iscomplexobj(K):  # derived by Poisson's ratio alone
        solved[1:] = factors.solve(right.real) + 1j * factors.solve(np.ascontiguousarray(right.imag))
    else:
        solved[1:] = factors.solve(right)
    warping, psi, phi = solved.T

    polar = w * (y**2 + z**2)
    functions = Functions(points, nodes, solved, second, nu)
    whole = functions.whole
    centre = np.array([
        (nu / 2 * (polar * (Iz * y + Iyz * z)).sum() - turning @ phi) / whole,
        (nu / 2 * (polar * (Iy * z + Iyz * y)).sum() + turning @ psi) / whole,
    ])  # fmt: skip
    stresses = [
        np.einsum("mgid,mi->mgd", B, function[nodes], optimize=True) - particular
        for function, particular in ((psi, d), (phi, h))
    ]
    shear = np.array([[np.einsum("mg,mgd,mgd->", w, a, b) for b in stresses] for a in stresses]) / whole**2
    return PlaneShape(area, centroid, second, polar.sum() - turning @ warping, shear, centre, functions)
