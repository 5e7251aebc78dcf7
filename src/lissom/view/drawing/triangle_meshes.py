"""Triangle meshes of simple solids, for drawings. A hard edge has its points twice, with two normals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.beam.sections.polygon import triangulate

SHARP = np.cos(np.radians(40))  # edges of an outline that turn by more than 40 degrees stay hard


class Mesh(NamedTuple):
    """Triangles between points that are fixed to frames, each point to one of them."""

    points: np.ndarray  # (n, 3) in the axes of the point's frame
    normals: np.ndarray  # (n, 3) outward, likewise
    triangles: np.ndarray  # (m, 3) indices of points, counter-clockwise seen from outside
    frame: np.ndarray  # (n,) index of the frame that each point is fixed to

    def on(self, frame: int) -> Mesh:
        """Return this mesh fixed to another frame."""
        return self._replace(frame=np.full(len(self.points), frame))

    def moved(self, rotation: ArrayLike | None = None, shift: ArrayLike = (0.0, 0.0, 0.0)) -> Mesh:
        """Return the mesh turned, then shifted, within its frame."""
        R = np.eye(3) if rotation is None else np.asarray(rotation, float)
        return self._replace(points=self.points @ R.T + np.asarray(shift, float), normals=self.normals @ R.T)


def merged(meshes: list[Mesh]) -> Mesh:
    """Return several meshes as one."""
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    return Mesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts)]),
        np.concatenate([mesh.frame for mesh in meshes]),
    )


def round_outline(outline: ArrayLike, keep: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return points and normals around a closed outline (k, 2), one point per pair: corners keep two normals.

    Normals point outward; with `keep` to the right of the outline as it runs, into a hole that runs clockwise.

    Returns
    -------
        points (2k, 2) and normals (2k, 2): side i runs from row 2 i to row 2 i + 1.
    """
    corners = np.asarray(outline, float)
    if not keep and _area(corners) < 0:
        corners = corners[::-1]
    sides = np.roll(corners, -1, axis=0) - corners
    sides /= np.maximum(np.linalg.norm(sides, axis=1, keepdims=True), 1e-300)
    flat = np.stack([sides[:, 1], -sides[:, 0]], axis=1)  # of each side, outward
    before = np.roll(flat, 1, axis=0)
    smooth = np.sum(flat * before, axis=1, keepdims=True) > SHARP
    at_corner = flat + before
    at_corner /= np.maximum(np.linalg.norm(at_corner, axis=1, keepdims=True), 1e-12)
    first, last = np.where(smooth, at_corner, flat), np.where(smooth, at_corner, before)
    points = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1).reshape(-1, 2)
    normals = np.stack([first, np.roll(last, -1, axis=0)], axis=1).reshape(-1, 2)
    return points, normals


def sweep(outline: ArrayLike, frames: ArrayLike, holes: Sequence[Sequence[ArrayLike]] = ()) -> Mesh:
    """Return an outline (k, 2) of (y, z) swept through several frames along their x, closed by flat ends.

    Parameters
    ----------
    outline : float or array-like
        One for all frames, or (frames, k, 2) one for each.
    holes : sequence, optional
        Of each frame, as many and of as many corners in each.
    """
    at = np.asarray(frames)
    outlines = np.broadcast_to(np.asarray(outline, float), (len(at), *np.shape(outline)[-2:]))
    inner = [np.stack(hole) for hole in zip(*holes)] if len(holes) else []
    if _area(outlines[0]) < 0:
        outlines = outlines[:, ::-1]
    inner = [hole[:, ::-1] if _area(hole[0]) > 0 else hole for hole in inner]
    made = [_wall(ring, at) for ring in (outlines, *inner)]
    for sign, end in ((-1, 0), (1, -1)):
        points, triangles = triangulate(outlines[end], [hole[end] for hole in inner])
        normal = np.tile([sign, 0.0, 0.0], (len(points), 1))
        made.append(Mesh(_yz(points), normal, triangles[:, ::sign], np.full(len(points), at[end])))
    return merged(made)


def _wall(rings: np.ndarray, at: np.ndarray) -> Mesh:
    """Return the wall through closed outlines (frames, k, 2), seen from their left."""
    parts = [round_outline(ring, keep=True) for ring in rings]
    points, normals = (np.concatenate(part) for part in zip(*parts))
    ring = 2 * rings.shape[1]
    walls = _walls(np.arange(0, ring, 2), np.arange(1, ring, 2), ring, len(at))
    return Mesh(_yz(points), _yz(normals), walls, np.repeat(at, ring))


def rod(start: ArrayLike, end: ArrayLike, radius: float, tip_radius: float | None = None, corners: int = 20) -> Mesh:
    """Return a round rod from one point to another, tapered if it ends with another radius."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    body = sweep(_circle(1.0, corners), [0, 1])
    x = np.where(body.frame == 0, 0.0, length)
    size = np.where(body.frame == 0, radius, radius if tip_radius is None else tip_radius)
    points = np.stack([x, size * body.points[:, 1], size * body.points[:, 2]], axis=1)
    turned = Mesh(points, body.normals, body.triangles, np.zeros(len(points), int))
    return turned.moved(rotation_along(b - a), a)


def ball(radius: float, rows: int = 14, columns: int = 22) -> Mesh:
    """Return a ball around the origin."""
    latitude, longitude = np.linspace(0, np.pi, rows), 2 * np.pi * np.arange(columns + 1) / columns
    x = np.cos(latitude)[:, None] * np.ones_like(longitude)
    normals = np.stack(
        [x, np.outer(np.sin(latitude), np.cos(longitude)), np.outer(np.sin(latitude), np.sin(longitude))]
    )
    flat = normals.reshape(3, -1).T
    ring = columns + 1
    walls = _walls(np.arange(columns), np.arange(1, ring), ring, rows)[:, ::-1]
    return Mesh(radius * flat, flat, walls, np.zeros(len(flat), int))


def box(size: ArrayLike) -> Mesh:
    """Return a cuboid around the origin."""
    x, y, z = np.asarray(size, float) / 2
    body = sweep([[y, z], [-y, z], [-y, -z], [y, -z]], [0, 1])
    points = np.concatenate([np.where(body.frame == 0, -x, x)[:, None], body.points[:, 1:]], axis=1)
    return Mesh(points, body.normals, body.triangles, np.zeros(len(points), int))


def rotation_along(direction: ArrayLike) -> np.ndarray:
    """Return a rotation (3, 3) whose x axis points along `direction`."""
    x = np.asarray(direction, float)
    x = x / max(float(np.linalg.norm(x)), 1e-300)
    y = np.cross(np.eye(3)[int(np.argmin(np.abs(x)))], x)
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _walls(left: np.ndarray, right: np.ndarray, ring: int, rings: int) -> np.ndarray:
    """Return two triangles per side between each ring of points and the next."""
    one = np.concatenate([
        np.stack([left, right, right + ring], axis=1),
        np.stack([left, right + ring, left + ring], axis=1),
    ])  # fmt: skip
    return (one[None] + ring * np.arange(rings - 1)[:, None, None]).reshape(-1, 3)


def _circle(radius: float, corners: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(corners) / corners
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _area(corners: np.ndarray) -> float:
    y, z = corners.T
    return float(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1))) / 2


def _yz(values: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros((len(values), 1)), values], axis=1)


def decimate(points: np.ndarray, triangles: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which points of a mesh to keep, and triangles between them; fewer where there are too many.

    A mesh with too many triangles is laid on a grid, and the points of each cell become one.
    """
    used, inverse = np.unique(triangles, return_inverse=True)
    faces = inverse.reshape(-1, 3)
    cells = 48
    kept, thin = used, faces
    while len(thin) > most:
        low, high = points[used].min(axis=0), points[used].max(axis=0)
        grid = np.rint((points[used] - low) / max(float((high - low).max()), 1e-300) * cells).astype(int)
        _, first, cell = np.unique(grid, axis=0, return_index=True, return_inverse=True)
        merged = cell.ravel()[faces]
        real = (merged[:, 0] != merged[:, 1]) & (merged[:, 1] != merged[:, 2]) & (merged[:, 2] != merged[:, 0])
        kept, thin = used[first], np.unique(merged[real], axis=0)
        cells = cells * 3 // 4
    return kept, thin


def cut(mesh: Mesh, places: np.ndarray) -> Mesh:
    """Return the mesh with its triangles cut at ascending places along x, so that it can bend there."""
    x = mesh.points[:, 0]
    near = 1e-9 * float(np.ptp(x))
    spans = np.sort(x[mesh.triangles], axis=1)
    first, last = np.searchsorted(places, spans[:, 0] + near), np.searchsorted(places, spans[:, 2] - near)
    made: dict[tuple[int, int, int], int] = {}  # number of the point where an edge passes a place

    def passing(i: int, j: int, k: int) -> int:
        return made.setdefault((min(i, j), max(i, j), k), len(x) + len(made))

    parts: list[list[int]] = []
    for corners, k0, k1 in zip(mesh.triangles[last > first], first[last > first], last[last > first]):
        low, mid, high = corners[np.argsort(x[corners])].tolist()
        turned = [low, mid, high] not in [np.roll(corners, k).tolist() for k in range(3)]
        until_mid = range(k0, max(k0, min(k1, int(np.searchsorted(places, x[mid])))))
        long = [low, *(passing(low, high, k) for k in range(k0, k1)), high]
        short = [low, *(passing(low, mid, k) for k in until_mid), mid]
        short += [*(passing(mid, high, k) for k in range(k0 + len(until_mid), k1)), high]
        for j in range(len(long) - 1):  # the strip between two places; the middle corner stands in one of them
            a, b = (i + (i > len(until_mid)) for i in (j, j + 1))
            outline = list(dict.fromkeys([long[j], *short[a : b + 1], long[j + 1]]))
            parts += [[outline[0], *outline[i : i + 2][:: -1 if turned else 1]] for i in range(1, len(outline) - 1)]
    if not parts:
        return mesh
    i, j, k = np.array(list(made)).T
    part = ((places[k] - x[i]) / (x[j] - x[i]))[:, None]
    points, normals = (np.concatenate([v, (1 - part) * v[i] + part * v[j]]) for v in (mesh.points, mesh.normals))
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    triangles = np.concatenate([mesh.triangles[last <= first], parts])
    return Mesh(points, normals, triangles, np.zeros(len(points), int))


def crease_edges(points: np.ndarray, triangles: np.ndarray, frame: int = 0) -> tuple[Mesh, np.ndarray]:
    """Return a mesh whose edges stay hard where faces meet at a sharp angle, and which point each of its points was.

    Around a point, a triangle takes the mean normal, by area, of those triangles that face almost its way; a point
    whose triangles disagree becomes several.
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    unit = face / np.maximum(np.linalg.norm(face, axis=1, keepdims=True), 1e-300)
    corner = triangles.ravel()
    order = np.argsort(corner, kind="stable")
    normal = np.empty((len(corner), 3))
    for at in np.split(order, np.flatnonzero(np.diff(corner[order])) + 1):
        around = at // 3
        alike = unit[around] @ unit[around].T > SHARP
        normal[at] = alike @ face[around]
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    keys = np.column_stack([corner, np.rint(1e3 * normal).astype(int)])
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    source = corner[first]
    mesh = Mesh(points[source], normal[first], number.reshape(-1, 3), np.full(len(source), frame))
    return mesh, source
