"""Solid meshes: read from files of other programs, made for simple shapes, checked.

A mesh has one kind of element: tetrahedra of 4 or 10 nodes, hexahedra of 8, 20 or 27 nodes, in the order of VTK.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.fem.fe_structure import Array, check_size
from lissom.files import check_file

KINDS = {"tetra": 4, "tetra10": 10, "hexahedron": 8, "hexahedron20": 20, "hexahedron27": 27}
FORMATS = "gmsh (.msh), Abaqus (.inp), VTK (.vtk, .vtu), Nastran (.bdf, .nas)"
MERGED = "write scale: 0.001 for a mesh in millimetres, or scale: 1 if it really is that large"
TET_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
HEX_EDGES = ((0, 1), (1, 2), (2, 3), (0, 3), (4, 5), (5, 6), (6, 7), (4, 7), (0, 4), (1, 5), (2, 6), (3, 7))
TET_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))  # seen from outside
HEX_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))  # x-, x+, y-, ...
FACE_KINDS = {3: "triangle", 6: "triangle6", 4: "quad", 8: "quad8"}


@dataclass(frozen=True, eq=False)
class SolidMesh:
    """Nodes and elements of a solid, in metres."""

    nodes: Array  # (n, 3)
    cells: Array  # (e, k) nodes of each element
    kind: str  # "tetra", "tetra10", "hexahedron", "hexahedron20" or "hexahedron27"
    groups: Mapping[str, Array] = field(default_factory=dict)  # named sets of nodes
    name: str = "mesh"

    @property
    def order(self) -> int:
        """1 for linear elements, 2 for quadratic ones."""
        return 1 if self.kind in ("tetra", "hexahedron") else 2

    @property
    def corners(self) -> int:
        """Number of corner nodes of an element."""
        return 4 if self.kind.startswith("tetra") else 8

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of corners that an edge joins."""
        return TET_EDGES if self.corners == 4 else HEX_EDGES

    def with_order(self, order: int) -> SolidMesh:
        """Return the same elements, linear or quadratic; new nodes sit in the middle of straight edges."""
        if order == self.order:
            return self
        kind = "tetra" if self.corners == 4 else "hexahedron"
        corners = self.cells[:, : self.corners]
        if order == 1:
            return _compact(self.nodes, corners, kind, self.groups, self.name)
        pairs = np.sort(corners[:, np.array(self.edges)], axis=2).reshape(-1, 2)
        edges, at = np.unique(pairs, axis=0, return_inverse=True)
        middles = self.nodes[edges].mean(axis=1)
        cells = np.hstack([corners, len(self.nodes) + at.reshape(len(corners), -1)])
        groups = {}
        for name, nodes in self.groups.items():
            member = np.zeros(len(self.nodes), bool)
            member[nodes] = True
            between = np.flatnonzero(member[edges].all(axis=1))
            groups[name] = np.concatenate([nodes, len(self.nodes) + between])
        quadratic = {"tetra": "tetra10", "hexahedron": "hexahedron20"}[kind]
        return SolidMesh(np.vstack([self.nodes, middles]), cells, quadratic, groups, self.name)

    def boundary(self) -> Array:
        """Return faces (f, k) of one element alone, seen from outside: corners, then nodes amid their edges."""
        faces = np.array(TET_FACES if self.corners == 4 else HEX_FACES)
        sides = self.cells[:, faces].reshape(-1, faces.shape[1])
        _, index, count = np.unique(np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True)
        outside = index[count == 1]
        if self.order == 1:
            return sides[outside]
        cell, side = np.divmod(outside, len(faces))
        edge = {frozenset(pair): self.corners + k for k, pair in enumerate(self.edges)}
        rings = np.array([[edge[frozenset(pair)] for pair in pairwise((*f, f[0]))] for f in faces.tolist()])
        return np.hstack([sides[outside], self.cells[cell[:, None], rings[side]]])

    def write(self, path: Any) -> None:
        """Write it in a format that meshio knows by the ending.

        Groups go along as node sets (Abaqus) or as physical surfaces (gmsh, .msh); other formats have none.
        """
        meshio = _meshio()
        if str(path).endswith(".msh"):
            data, form = self._with_surfaces(meshio), "gmsh22"
        else:
            groups = {name: np.asarray(nodes) for name, nodes in self.groups.items()}
            data, form = meshio.Mesh(self.nodes, [(self.kind, self.cells)], point_sets=groups), None
        with _quiet():
            data.write(path, file_format=form)

    def _with_surfaces(self, meshio: Any) -> Any:
        """Return the faces of each group as a physical surface, tags 2, 3, ...; the solid has tag 1."""
        faces = self.boundary()
        cells, tags = [(self.kind, self.cells)], [np.ones(len(self.cells), int)]
        for tag, nodes in enumerate(self.groups.values(), start=2):
            held = faces[np.isin(faces, nodes).all(axis=1)]
            if len(held):
                cells.append((FACE_KINDS[faces.shape[1]], held))
                tags.append(np.full(len(held), tag))
        names = {name: np.array([tag, 2]) for tag, name in enumerate(self.groups, start=2)}
        about = {"gmsh:physical": tags, "gmsh:geometrical": tags}
        return meshio.Mesh(self.nodes, cells, cell_data=about, field_data=names)


def read_mesh(path: Any, scale: float | None = None) -> SolidMesh:
    """Return a mesh from a file: gmsh, Abaqus, VTK, Nastran and whatever else meshio reads.

    Parameters
    ----------
    scale : float, optional
        Unit of length of the file in m (0.001 for mm); without it, a mesh beyond 50 m is refused.
    """
    meshio = _meshio()
    check_file(path, "mesh file")
    try:
        with _quiet():
            data = meshio.read(path)
    except (Exception, SystemExit) as error:
        reason = str(error).strip().splitlines()[-1:] or [""]
        detail = f" ({reason[0]})" if reason[0] and not isinstance(error, SystemExit) else ""
        raise LissomError(f"cannot be read as a mesh{detail}; meshes come as {FORMATS}", source=str(path)) from None
    return from_meshio(data, str(path), scale)


def from_meshio(data: Any, name: str = "mesh", scale: float | None = None) -> SolidMesh:
    """Return the solid part of a mesh that meshio has read, with its named groups."""
    found = {block.type for block in data.cells if block.type in KINDS}
    if not found:
        there = ", ".join(sorted({block.type for block in data.cells})) or "no elements"
        text = f"has no solid elements (it has {there}); mesh the volume with tetrahedra or hexahedra, 3D"
        raise LissomError(text, source=name)
    if len(found) > 1:
        raise LissomError(f"mixes {' and '.join(sorted(found))}; mesh the link with one kind of element", source=name)
    other = {block.type for block in data.cells if block.type.startswith(("wedge", "pyramid"))}
    if other:
        text = f"has {', '.join(sorted(other))} elements; mesh it with tetrahedra or hexahedra alone"
        raise LissomError(text, source=name)
    kind = found.pop()
    cells = np.vstack([block.data for block in data.cells if block.type == kind]).astype(int)
    points = np.asarray(data.points, float)
    if points.shape[1] != 3 or not np.all(np.isfinite(points)):
        raise LissomError("nodes must have three finite coordinates; export the mesh in 3D", source=name)
    if cells.min() < 0 or cells.max() >= len(points):
        text = f"an element names node {cells.max()}, but there are {len(points)}; export it again"
        raise LissomError(text, source=name)
    if scale is None:
        check_size(points[np.unique(cells)], name, MERGED)
    mesh = _compact((1.0 if scale is None else scale) * points, cells, kind, _groups(data), name)
    return mesh


def box_mesh(size: Sequence[float], cells: Sequence[int], order: int = 2) -> SolidMesh:
    """Return hexahedra of a box from the origin along x, centred in y and z; groups "base" (x = 0) and "tip".

    Parameters
    ----------
    size : sequence of float
        Length, width (y) and height (z), m.
    cells : sequence of int
        How many elements along each.
    """
    nx, ny, nz = cells
    grid = np.stack(np.meshgrid(*(np.linspace(0, 1, n + 1) for n in cells), indexing="ij"), axis=-1)
    nodes = ((grid - [0, 0.5, 0.5]) * np.asarray(size, float)).reshape(-1, 3)
    number = np.arange(len(nodes)).reshape(nx + 1, ny + 1, nz + 1)
    return _bricks(nodes, number, order, "box")


def tube_mesh(length: float, outer: float, inner: float, cells: Sequence[int], order: int = 2) -> SolidMesh:
    """Return hexahedra of a round tube along x, by its diameters; groups "base" and "tip".

    Parameters
    ----------
    cells : sequence of int
        How many elements along it, around it and through its wall.
    """
    if not 0 < inner < outer:
        raise LissomError(f"the tube's outer diameter is {outer:g}; give 0 < inner < outer", ("inner",), inner)
    along, around, through = cells
    x, angle = np.linspace(0, length, along + 1), 2 * np.pi * np.arange(around) / around
    radius = np.linspace(inner, outer, through + 1) / 2
    X, A, R = np.meshgrid(x, angle, radius, indexing="ij")
    nodes = np.stack([X, R * np.cos(A), R * np.sin(A)], axis=-1).reshape(-1, 3)
    number = np.arange(len(nodes)).reshape(along + 1, around, through + 1)
    number = np.concatenate([number, number[:, :1]], axis=1)  # closed around; its third axis is outward
    mesh = _bricks(nodes, number[:, ::-1], order, "tube")
    radii = np.hypot(mesh.nodes[:, 1], mesh.nodes[:, 2])
    chord = np.cos(np.pi / around)  # nodes amid straight edges go out to the circle
    for r in radius:
        inside = np.abs(radii - r * chord) < 1e-9 * outer
        mesh.nodes[inside, 1:] *= 1 / chord
    if order == 2:
        for r in (radius[1:] + radius[:-1]) / 2:
            inside = np.abs(radii - r * chord) < 1e-9 * outer
            mesh.nodes[inside, 1:] *= 1 / chord
    return mesh


def _bricks(nodes: Array, number: Array, order: int, name: str) -> SolidMesh:
    """Return hexahedra between the nodes of a grid, numbered (i, j, k)."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    n = np.array(number.shape) - 1
    cells = [number[i : n[0] + i, j : n[1] + j, k : n[2] + k].ravel() for i, j, k in corners]
    groups = {"base": np.unique(number[0]), "tip": np.unique(number[-1])}
    return SolidMesh(nodes, np.stack(cells, axis=1), "hexahedron", groups, name).with_order(order)


def _compact(nodes: Array, cells: Array, kind: str, groups: Mapping[str, Array], name: str) -> SolidMesh:
    """Return a mesh without the nodes that no element uses."""
    used = np.unique(cells)
    place = np.full(len(nodes), -1)
    place[used] = np.arange(len(used))
    kept = {group: place[members][place[members] >= 0] for group, members in groups.items()}
    return SolidMesh(nodes[used], place[cells], kind, {g: m for g, m in kept.items() if len(m)}, name)


def _groups(data: Any) -> dict[str, Array]:
    """Return named sets of nodes: node sets, and the nodes of named sets of elements or physical groups."""
    groups: dict[str, list[Array]] = {}
    for name, nodes in (data.point_sets or {}).items():
        groups.setdefault(name, []).append(np.asarray(nodes, int))
    for name, blocks in (data.cell_sets or {}).items():
        for block, chosen in zip(data.cells, blocks):
            if chosen is not None and len(chosen) and not name.startswith("gmsh:"):
                groups.setdefault(name, []).append(block.data[np.asarray(chosen, int)].ravel())
    tags = data.cell_data.get("gmsh:physical")
    for name, (tag, dimension) in (data.field_data or {}).items():
        for block, of in zip(data.cells, tags or ()):
            if block.dim == dimension and np.any(of == tag):
                groups.setdefault(name, []).append(block.data[np.asarray(of) == tag].ravel())
    return {name: np.unique(np.concatenate(parts)) for name, parts in groups.items()}


def _meshio() -> Any:
    try:
        import meshio
    except ImportError:
        raise LissomError("meshes are read with meshio, which is not installed; pip install 'lissom[fem]'") from None
    return meshio


@contextlib.contextmanager
def _quiet() -> Any:
    """Keep readers from printing; errors are reported in another way."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
