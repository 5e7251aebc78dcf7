"""Stresses in a section of one material, from the forces in it: bending and tension, torsion and shear.

Normal stress is linear over the section. The shear stresses of Saint-Venant's torsion and of the two shear forces are
the slopes of the functions that `plane_shape` solves for. On the edge they follow it, so that the differences of the
functions along the sides are all that is needed there; at the tip of a sharp inner corner they have no limit (a fillet
would decide), so that places close to one are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.beam.number_types import Array
from lissom.beam.sections import polygon
from lissom.beam.sections.cross_section import Material
from lissom.beam.sections.general_section import (
    BEND_Y,
    BEND_Z,
    SHEAR_Y,
    SHEAR_Z,
    STRETCH,
    TWIST,
    GeneralSection,
    to_own_axes,
)
from lissom.beam.sections.plane_shape import Functions, particular

SHARP = np.deg2rad(30.0)  # turn of the edge that makes an inner corner a sharp one
MARGIN = 2.5  # sides of triangles around a sharp inner corner that are left out
AT_ONCE = 64  # samples that are computed without leaving out places first
COMPONENTS = ("highest", "lowest", "shear", "von_mises")


class SectionStress(NamedTuple):
    """Stresses (xx, xy, xz) at places (y, z) of a section per force (N, Qy, Qz, Mx, My, Mz) at its origin."""

    places: Array  # (p, 2)
    per_force: Array  # (p, 3, 6) Pa per N or N m

    def placed(self, turn: float, offset: tuple[float, float]) -> SectionStress:
        """Return the stresses of the section turned by `turn` rad about x, then shifted by `offset` (y, z)."""
        R, to_own = (np.real(part) for part in to_own_axes(turn, offset))
        return SectionStress(self.places @ R[1:, 1:].T + np.real(offset), R @ self.per_force @ to_own)

    def at(self, forces: Array) -> Array:
        """Return stresses (xx, xy, xz) at every place: forces (..., 6) -> (..., p, 3) Pa."""
        return np.einsum("pak,...k->...pa", self.per_force, forces)

    def peaks(self, forces: Array) -> Array:
        """Return peaks over the section, forces (N, 6) -> (N, 4) Pa: highest and lowest normal, shear, von Mises."""
        if not len(forces):
            return np.zeros((0, len(COMPONENTS)))
        return _peaks(_Places.of(self.per_force), forces) * (1, -1, 1, 1)

    def largest(self, forces: Array, beyond: float = 0.0) -> Largest | None:
        """Return the largest von Mises stress under any of the forces (N, 6); None where none is beyond a limit.

        Branch and bound: the forces are halved, and halves are left out whose bound, as in `_peaks`, is below the
        largest stress found so far.
        """
        places, best = _Places.of(self.per_force), None
        waiting = [(np.inf, np.arange(len(forces)))]
        while waiting:
            bound, some = waiting.pop(max(range(len(waiting)), key=lambda k: waiting[k][0]))
            if bound <= beyond or not len(some):
                continue
            least, most = forces[some].min(axis=0), forces[some].max(axis=0)
            half, middle = (most - least) / 2, (least + most) / 2
            nearest = int(some[np.argmin(np.abs(forces[some] - middle) @ places.columns[3].max(axis=0))])
            sizes = places.measures(forces[nearest][None])[3, :, 0]
            k = int(np.argmax(sizes))
            if sizes[k] > beyond:
                beyond, best = float(sizes[k]), Largest(float(sizes[k]), nearest, (*self.places[k].tolist(),))
            if len(some) > 1:
                bound = float((places.measures(middle[None])[3, :, 0] + places.columns[3] @ half).max())
                order = some[np.argsort(forces[some, np.argmax(places.columns[3].max(axis=0) * half)])]
                waiting += [(bound, part) for part in (order[: len(some) // 2], order[len(some) // 2 :])]
        return best


class Largest(NamedTuple):
    """A largest stress, in which sample, and where in the section."""

    stress: float  # Pa
    sample: int
    place: tuple[float, float]  # m, (y, z)


class _Places(NamedTuple):
    """Some places of a section, with all that measures of stress there need: the normal one is linear, squares are not.

    shear^2 and von Mises^2 are sums over products of two forces, f_i f_j with i <= j: a row of each per place, so that
    one product of matrices gives them at many places under many forces.
    """

    normal: Array  # (p, 6)
    squares: Array  # (2, p, 21) of shear, of von Mises
    columns: Array  # (4, p, 6) by how much a measure changes at most per force

    @classmethod
    def of(cls, per_force: Array) -> _Places:
        normal, *shear = per_force.transpose(1, 0, 2)
        square = sum(_products(each, each) for each in shear)
        sizes = [np.abs(normal), np.abs(normal), np.hypot(*shear)]
        sizes.append(np.sqrt(normal**2 + 3 * sizes[2] ** 2))
        return cls(normal, np.stack([square, _products(normal, normal) + 3 * square]), np.stack(sizes))

    def some(self, which: Array) -> _Places:
        return _Places(self.normal[which], self.squares[:, which], self.columns[:, which])

    def measures(self, forces: Array) -> Array:
        """Return the normal stress, its negative, shear and von Mises stress (4, p, N) under forces (N, 6)."""
        normal, products = self.normal @ forces.T, _products(forces, forces, twice=True).T
        return np.stack([normal, -normal, *np.sqrt(np.maximum(self.squares @ products, 0.0))])

    def peaks(self, forces: Array) -> Array:
        """Return the largest of each measure under forces (N, 6), shape (N, 4)."""
        normal, products = self.normal @ forces.T, _products(forces, forces, twice=True).T
        squares = [(each @ products).max(axis=0) for each in self.squares]
        return np.stack([normal.max(axis=0), -normal.min(axis=0), *np.sqrt(np.maximum(squares, 0.0))], axis=1)


def _products(a: Array, b: Array, twice: bool = False) -> Array:
    """Return a_i b_j for i <= j, shape (n, 21); those of i < j twice over, where a sum over all i, j is meant."""
    i, j = np.triu_indices(a.shape[1])
    made = a[:, i] * b[:, j]
    return made * np.where(i < j, 2.0, 1.0) if twice else made


def _peaks(places: _Places, forces: Array) -> Array:
    """Return the largest of every measure among the places under each of the forces (N, 6), shape (N, 4).

    With forces within middle +- half, every measure of a place is within reach of that under the middle:
    |m(f) - m(middle)| <= sum_j |column j| half_j. A place whose most is below another one's least never peaks: it is
    left out before the forces are halved, along the one that changes the stresses most.
    """
    if len(forces) <= AT_ONCE:
        return places.peaks(forces)
    least, most = forces.min(axis=0), forces.max(axis=0)
    values = places.measures((least[None] + most) / 2)[:, :, 0]
    half = (most - least) / 2
    reach = places.columns @ half
    may = np.any(values + reach >= (values - reach).max(axis=1, keepdims=True) * (1 - 1e-12), axis=0)
    kept, middle = places.some(may), len(forces) // 2
    along = np.argmax(places.columns[3].max(axis=0) * half)
    order, out = np.argsort(forces[:, along]), np.empty((len(forces), len(COMPONENTS)))
    for part in (order[:middle], order[middle:]):
        out[part] = _peaks(kept, forces[part])
    return out


def section_stress(
    section: GeneralSection, material: Material, functions: Functions, rings: Sequence[Array]
) -> SectionStress:
    """Return stresses per force of a section of one material.

    Parameters
    ----------
    section : GeneralSection
        With its centroid at its origin.
    functions : Functions
        Of the shape, as a mesh has it; where the section's numbers are exact, its own count.
    rings : sequence of array
        Its outline and its holes, as they were meshed, from the centroid.
    """
    places, slopes = _edge_slopes(functions, _sharp_corners(rings))
    inner_places, inner_slopes = _inner_slopes(functions, _sharp_corners(rings))
    places, slopes = np.concatenate([places, inner_places]), np.concatenate([slopes, inner_slopes])
    y, z = places.T
    C = np.real(section.compliance)
    per_force = np.zeros((len(places), 3, 6))
    strain = C[STRETCH] + np.multiply.outer(z, C[BEND_Y]) - np.multiply.outer(y, C[BEND_Z])
    per_force[:, 0] = np.real(material.E) * strain
    per_force[:, 1:] = np.real(material.G) * slopes[:, 0, :, None] * C[TWIST]
    per_force[:, 1:, SHEAR_Y] += slopes[:, 1]
    per_force[:, 1:, SHEAR_Z] += slopes[:, 2]
    return SectionStress(places, per_force)


def _stress_parts(functions: Functions, places: Array, slopes: Array) -> Array:
    """Return stresses per G and twist rate, per Qy, per Qz, from slopes (k, 3, 2) of the functions at (k, 2)."""
    y, z = places.T
    d, h = particular(functions.second, functions.nu, y, z)
    turned = slopes[:, 0] + np.stack([-z, y], axis=1)
    return np.stack([turned, (slopes[:, 1] - d) / functions.whole, (slopes[:, 2] - h) / functions.whole], axis=1)


def _edge_slopes(functions: Functions, sharp: Array) -> tuple[Array, Array]:
    """Return places on the edge, ends and middles of the sides there, and the stresses (k, 3, 2) along it."""
    corners = functions.nodes[:, :3]
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)
    _, which, count = np.unique(np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True)
    a, b = sides[which[count == 1]].T
    start, end = functions.points[a], functions.points[b]
    length = np.linalg.norm(end - start, axis=1)[:, None]
    along, middle = (end - start) / length, (start + end) / 2
    rise = (functions.values[b] - functions.values[a]) / length  # exact at the middle of a quadratic
    parts = _stress_parts(functions, middle, rise[:, :, None] * along[:, None])
    parts = np.einsum("kfa,ka,kb->kfb", parts, along, along)  # nothing crosses the edge
    parts[_near(middle, length[:, 0], sharp)] = 0.0
    ends = np.unique(np.concatenate([a, b]))
    mean = np.zeros((len(functions.points), 3, 2))
    for each in (a, b):
        np.add.at(mean, each, parts / 2)
    return np.concatenate([middle, functions.points[ends]]), np.concatenate([parts, mean[ends]])


def _inner_slopes(functions: Functions, sharp: Array) -> tuple[Array, Array]:
    """Return middles of the triangles, and the stresses (k, 3, 2) there."""
    corners = functions.points[functions.nodes[:, :3]]
    side = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    twice = side[:, 0, 0] * side[:, 1, 1] - side[:, 0, 1] * side[:, 1, 0]
    slope = np.stack([-side[..., 1], side[..., 0]], axis=-1) / twice[:, None, None]
    B = np.concatenate([slope, 4 * (slope + np.roll(slope, -1, axis=1))], axis=1) / 3
    middle = corners.mean(axis=1)
    parts = _stress_parts(functions, middle, np.einsum("mid,mif->mfd", B, functions.values[functions.nodes]))
    kept = ~_near(middle, np.linalg.norm(side, axis=-1).max(axis=1), sharp)
    return middle[kept], parts[kept]


def _sharp_corners(rings: Sequence[Array]) -> Array:
    """Return inner corners (k, 2) at which the edge turns by more than SHARP."""
    found = [np.zeros((0, 2))]
    for k, ring in enumerate(rings):
        way = np.asarray(ring) if (polygon.area(ring) > 0) == (k == 0) else np.asarray(ring)[::-1]  # material: left
        before, after = way - np.roll(way, 1, axis=0), np.roll(way, -1, axis=0) - way
        cross = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        found.append(way[np.arctan2(cross, (before * after).sum(axis=1)) < -SHARP])
    return np.concatenate(found)


def _near(places: Array, size: Array, sharp: Array) -> Array:
    """Return which places (k, 2) lie within MARGIN sizes (k,) of a sharp corner."""
    if not len(sharp):
        return np.zeros(len(places), bool)
    return np.linalg.norm(places[:, None] - sharp, axis=-1).min(axis=1) < MARGIN * size
