"""Plane polygons with holes: area and moments, which points lie inside, and triangles that fill them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.beam.number_types import Array, Number

LEVEL = 1e-12  # sine of the angle by which a point may lie beside a line that it is on


class Moments(NamedTuple):
    """Of a plane area about the origin; analytic in the corners."""

    area: Number
    first: Array  # (2,) int (y, z)
    second: Array  # (2, 2) int (y, z)(y, z)^T


def area(corners: Array) -> Number:
    """Return enclosed area, positive where the outline (k, 2) runs counter-clockwise."""
    y, z = np.asarray(corners).T
    return (y * np.roll(z, -1) - z * np.roll(y, -1)).sum() / 2


def moments(outline: Array, holes: Sequence[Array] = ()) -> Moments:
    """Return area and moments of a polygon less those of its holes, whichever way they run."""
    total, first, second = _ring_moments(outline)
    for hole in holes:
        part = _ring_moments(hole)
        total, first, second = total - part.area, first - part.first, second - part.second
    return Moments(total, first, second)


def _ring_moments(corners: Array) -> Moments:
    p = np.asarray(corners)
    q = np.roll(p, -1, axis=0)
    cross = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]  # twice the triangle with the origin
    cross = cross * np.sign(np.real(cross.sum()))
    s = p + q
    second = np.einsum("k,ka,kb->ab", cross, s, s) + np.einsum("k,ka,kb->ab", cross, p, p)
    second = (second + np.einsum("k,ka,kb->ab", cross, q, q)) / 24
    return Moments(cross.sum() / 2, (cross[:, None] * s).sum(axis=0) / 6, second)


def inside(points: Array, outline: Array, holes: Sequence[Array] = ()) -> Array:
    """Return which of the points (n, 2) lie within the outline and outside the holes."""
    within = np.zeros(len(points), bool)
    for ring in (outline, *holes):  # a ray towards +y crosses an odd number of edges
        a, b = np.real(ring), np.roll(np.real(ring), -1, axis=0)
        up = (a[:, 1] <= points[:, None, 1]) != (b[:, 1] <= points[:, None, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = a[:, 0] + (points[:, None, 1] - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
        within ^= (np.sum(up & (points[:, None, 0] < at), axis=1) % 2).astype(bool)
    return within


def crosses_itself(corners: Array) -> tuple[int, int] | None:
    """Return the first two sides of a closed outline (k, 2) that cross, touch or lie on each other, None where none do.

    Neighbours meet where they should, at their common corner, unless one runs back on the other.
    """
    p = np.real(np.asarray(corners))
    n = len(p)
    met = _meeting(p, p)
    i = np.arange(n)
    met[i, i] = met[i, (i + 1) % n] = met[(i + 1) % n, i] = False
    side = np.roll(p, -1, axis=0) - p
    after = np.roll(side, -1, axis=0)
    turned = side[:, 0] * after[:, 1] - side[:, 1] * after[:, 0]
    sizes = np.linalg.norm(side, axis=1) * np.linalg.norm(after, axis=1)
    back = (np.abs(turned) <= LEVEL * sizes) & ((side * after).sum(axis=1) < 0)
    met[i[back], (i[back] + 1) % n] = True
    found = np.argwhere(met | met.T)
    return None if not len(found) else (int(found[0].min()), int(found[0].max()))


def meet(one: Array, other: Array) -> bool:
    """Return whether a side of one closed outline crosses or touches a side of another."""
    return bool(_meeting(np.real(np.asarray(one)), np.real(np.asarray(other))).any())


def _meeting(one: Array, other: Array) -> Array:
    """Return which sides of one closed outline (n, 2) share a point with which of another (m, 2), (n, m)."""
    a, b = one[:, None], np.roll(one, -1, axis=0)[:, None]
    c, d = other[None], np.roll(other, -1, axis=0)[None]

    def side(u: Array, v: Array, w: Array) -> Array:
        """Return on which side of the line from u to v the point w lies: -1, 0, 1."""
        along, to = v - u, w - u
        cross = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
        size = np.linalg.norm(along, axis=-1) * np.maximum(np.linalg.norm(to, axis=-1), np.linalg.norm(w - v, axis=-1))
        return np.where(np.abs(cross) <= LEVEL * size, 0.0, np.sign(cross))

    def between(u: Array, v: Array, w: Array) -> Array:
        """Return whether a point w of the line through u and v lies between them."""
        return np.all((np.minimum(u, v) <= w) & (w <= np.maximum(u, v)), axis=-1)

    sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)]
    met = (sides[0] * sides[1] < 0) & (sides[2] * sides[3] < 0)
    for which, (u, v, w) in zip(sides, ((a, b, c), (a, b, d), (c, d, a), (c, d, b))):
        met |= (which == 0) & between(u, v, w)
    return met


def _cross(a: Array, b: Array, c: Array, d: Array) -> bool:
    return bool(_side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0)


def _side(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def rows_inside(heights: Array, outline: Array, holes: Sequence[Array] = ()) -> list[Array]:
    """Return where rows at heights z (n,) run within the outline and outside the holes: (k, 2) from y to y each."""
    rings = [np.real(ring) for ring in (outline, *holes)]
    a, b = np.concatenate(rings), np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    found = []
    for z in heights:
        cut = (a[:, 1] <= z) != (b[:, 1] <= z)
        (y0, z0), (y1, z1) = a[cut].T, b[cut].T
        found.append(np.sort(y0 + (z - z0) * (y1 - y0) / (z1 - z0)).reshape(-1, 2))
    return found


def triangulate(outline: Array, holes: Sequence[Array] = ()) -> tuple[Array, Array]:
    """Return points (n, 2) and triangles (m, 3), counter-clockwise, of a polygon with holes, by clipping ears."""
    ring = np.real(outline) if np.real(area(outline)) > 0 else np.real(outline)[::-1]
    points = [ring]
    way = list(range(len(ring)))
    inner = [np.real(h) if np.real(area(h)) < 0 else np.real(h)[::-1] for h in holes]
    for hole in sorted(inner, key=lambda h: -h[:, 0].max()):  # from the right: bridges to the outline do not cross
        start = sum(len(p) for p in points)
        points.append(hole)
        way = _bridge_to_hole(np.concatenate(points), way, list(range(start, start + len(hole))))
    corners = np.concatenate(points)
    return corners, np.array(_ears(corners, way), int).reshape(-1, 3)


def _bridge_to_hole(p: Array, way: list[int], hole: list[int]) -> list[int]:
    """Return the outline with a cut to the hole's rightmost corner and around it."""
    k = max(range(len(hole)), key=lambda j: p[hole[j], 0])
    at = p[hole[k]]
    loops = [*zip(way, way[1:] + way[:1]), *zip(hole, hole[1:] + hole[:1])]
    order = sorted(range(len(way)), key=lambda j: float(np.hypot(*(p[way[j]] - at))))
    for j in order:
        target = p[way[j]]
        if not any(_cross(at, target, p[a], p[b]) for a, b in loops) and _opens(p, way, j, at):
            break
    around = hole[k:] + hole[:k]
    return way[: j + 1] + around + around[:1] + way[j:]


def _opens(p: Array, way: list[int], j: int, at: Array) -> bool:
    """Return whether `at` lies in the interior angle of corner j."""
    a, b, c = p[way[j - 1]], p[way[j]], p[way[(j + 1) % len(way)]]
    if _side(a, b, c) >= 0:
        return _side(a, b, at) >= 0 and _side(b, c, at) >= 0
    return _side(a, b, at) >= 0 or _side(b, c, at) >= 0


def _ears(p: Array, way: list[int]) -> list[tuple[int, int, int]]:
    way, found = list(way), []
    flat = 1e-14 * np.abs(p).max() ** 2
    while len(way) > 3:
        corners = [(way[j - 1], way[j], way[(j + 1) % len(way)]) for j in range(len(way))]
        sizes = [_side(p[a], p[b], p[c]) for a, b, c in corners]
        ears = (j for j, size in enumerate(sizes) if size > flat and not _is_blocked(p, way, corners[j]))
        # without an ear (rounding), a corner that is all but flat goes
        j = next(ears, int(np.argmin(np.abs(sizes))))
        found.append(corners[j])
        del way[j]
    return [*found, (way[0], way[1], way[2])]


def _is_blocked(p: Array, way: list[int], corner: tuple[int, int, int]) -> bool:
    others = p[[q for q in way if q not in corner]]
    return bool(_within(others, *(p[k] for k in corner)).any())


def _within(points: Array, a: Array, b: Array, c: Array) -> Array:
    """Return which points lie strictly inside a triangle, or on its new side from a to c."""

    def side(u: Array, v: Array) -> Array:
        return (v[0] - u[0]) * (points[:, 1] - u[1]) - (v[1] - u[1]) * (points[:, 0] - u[0])

    same = np.all(points == a, axis=1) | np.all(points == b, axis=1) | np.all(points == c, axis=1)
    return (side(a, b) >= 0) & (side(b, c) >= 0) & (side(c, a) >= 0) & ~same
