"""A finite-element model of one link: nodes, mass and stiffness matrices, and what its mass integrals are.

Unknowns stand node by node: the displacement of each node, and its rotation where nodes have one (`width` 6), along
and about the axes of the mesh. Six numbers of a rigid motion are (rotation, translation), angular part first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from lissom.beam import Invariants
from lissom.errors import LissomError, within

Array: TypeAlias = np.ndarray
Sparse: TypeAlias = Any  # scipy.sparse.csr_array

FAR = 50.0  # m: a link larger than this is more likely given in millimetres
SYMMETRIC = 1e-8  # relative asymmetry that a matrix may have
GROUNDED = 1e-6  # strain energy of a rigid motion, relative to that of unrelated displacements of the same size


class Inertia(Protocol):
    """What the mass of a structure integrates to."""

    def invariants(self, shapes: Array, origin: Array) -> Invariants:
        """Return integrals for the field that `shapes` (unknowns, m) span, in mesh axes at `origin` (3,)."""
        ...


@dataclass(frozen=True, eq=False)
class Structure:
    """A free (unsupported) elastic body, discretised."""

    nodes: Array  # (n, 3) m
    width: int  # unknowns per node: 3, displacement; 6, displacement and rotation
    mass: Sparse  # (unknowns, unknowns)
    stiffness: Sparse  # (unknowns, unknowns)
    inertia: Inertia
    groups: Mapping[str, Array] = field(default_factory=dict)  # named sets of nodes
    faces: Array = field(default_factory=lambda: np.zeros((0, 3), int))  # (f, 3) triangles of its surface, or
    lines: Array = field(default_factory=lambda: np.zeros((0, 2), int))  # (l, 2) its members, to draw it
    numbers: Array | None = None  # (n,) what its source calls the nodes, if not 0, 1, 2, ...
    stress: Any = None  # shapes (unknowns, m) -> (n, 6, m) stress at the nodes: xx, yy, zz, yz, zx, xy

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.width * len(self.nodes)

    def unknowns(self, nodes: Array) -> Array:
        """Return indices (k, width) of the unknowns of some nodes."""
        return self.width * np.asarray(nodes)[:, None] + np.arange(self.width)

    def rigid_motions(self, origin: Array) -> Array:
        """Return displacements (unknowns, 6) of unit rotations about and translations along the axes at `origin`."""
        return rigid_motions(self.nodes - origin, self.width).reshape(self.size, 6)

    def total_mass(self) -> float:
        """Return mass in kg: twice the kinetic energy of unit velocity along x."""
        along = self.rigid_motions(np.zeros(3))[:, 3]
        return float(along @ (self.mass @ along))

    def scaled(self, stiffness: float = 1.0, mass: float = 1.0) -> Structure:
        """Return the same body with other stiffness or mass: both matrices scaled, not the inertia integrals."""
        return replace(self, stiffness=stiffness * self.stiffness, mass=mass * self.mass)

    def modes(self, count: int) -> tuple[Array, Array]:
        """Return natural modes of the free body, the six rigid ones first: Hz (count,), shapes (unknowns, count)."""
        from lissom.fem.lowest_modes import FreeBody

        points = np.repeat(self.nodes, self.width, axis=0)
        free = FreeBody(self.mass, self.stiffness, self.rigid_motions(self.nodes.mean(axis=0)), points)
        omega, X = free.modes(count - 6)
        frequencies = np.concatenate([free.rigid_omega, omega]) / (2 * np.pi)
        return frequencies[:count], np.hstack([free.rigid, X])[:, :count]


def rigid_motions(arms: Array, width: int) -> Array:
    """Return motion (n, width, 6) of points at `arms` (n, 3) from a frame that turns and moves by units."""
    out = np.zeros((len(arms), width, 6))
    x, y, z = arms.T
    out[:, 0, 1], out[:, 0, 2] = z, -y  # e_a x r
    out[:, 1, 0], out[:, 1, 2] = -z, x
    out[:, 2, 0], out[:, 2, 1] = y, -x
    out[:, [0, 1, 2], [3, 4, 5]] = 1
    if width == 6:
        out[:, [3, 4, 5], [0, 1, 2]] = 1
    return out


def check(structure: Structure, what: str = "structure") -> Structure:
    """Return the structure itself; an error that names the first thing wrong with its matrices.

    It must be free of supports, in one piece, symmetric, with mass.
    """
    for name, matrix in (("mass", structure.mass), ("stiffness", structure.stiffness)):
        with within(what):
            _check_matrix(matrix, structure.size, f"{name} matrix")
    if not structure.total_mass() > 0:
        text = f"its mass is {structure.total_mass():g} kg; check the density or the mass matrix"
        raise LissomError(text, (what,))
    check_connected(structure.stiffness, structure.width, what)
    rigid = structure.rigid_motions(structure.nodes.mean(axis=0))
    strain = np.einsum("ij,ij->j", rigid, structure.stiffness @ rigid)
    shaken = structure.stiffness.diagonal() @ rigid**2  # the same sizes, without regard to neighbours
    worst = int(np.argmax(np.abs(strain) / shaken))
    if np.abs(strain[worst]) > GROUNDED * shaken[worst]:
        motion = ("turning about x", "turning about y", "turning about z", "moving along x", "moving along y")
        name = (*motion, "moving along z")[worst]
        raise LissomError(
            f"{name} as a rigid body costs strain energy; a link's stiffness matrix must be that of the free body: "
            "remove its supports, and check that nodes and matrix rows are in the same order",
            (what,),
        )
    return structure


def _check_matrix(matrix: Sparse, size: int, what: str) -> None:
    if matrix.shape != (size, size):
        rows, columns = matrix.shape
        text = f"is {rows} x {columns}, but the nodes have {size} unknowns; give one row for each"
        raise LissomError(text, (what,))
    if not np.all(np.isfinite(matrix.data)):
        raise LissomError("has entries that are not finite numbers; export it again", (what,))
    scale = np.abs(matrix.data).max(initial=0.0)
    if scale == 0:
        raise LissomError("is empty; give a matrix with entries", (what,))
    difference = (matrix - matrix.T).tocoo()
    k = int(np.argmax(np.abs(difference.data))) if difference.nnz else 0
    if difference.nnz and abs(difference.data[k]) > SYMMETRIC * scale:
        i, j = int(difference.coords[0][k]), int(difference.coords[1][k])
        raise LissomError(
            f"is not symmetric: entries ({i}, {j}) and ({j}, {i}) are {matrix[i, j]:.6g}, {matrix[j, i]:.6g}; "
            "export the full matrix, or name it as symmetric if only one triangle is stored",
            (what,),
        )


def check_connected(stiffness: Sparse, width: int, what: str) -> None:
    """Refuse a body of several parts."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = stiffness.nonzero()
    n = stiffness.shape[0] // width
    graph = coo_array((np.ones(len(rows), np.int8), (rows // width, columns // width)), shape=(n, n))
    parts, member = connected_components(graph, directed=False)
    if parts > 1:
        sizes = sorted(np.bincount(member), reverse=True)
        shown = ", ".join(map(str, sizes[:5])) + (", ..." if parts > 5 else "")
        raise LissomError(
            f"consists of {parts} disconnected parts ({shown} nodes); join them with shared nodes, or make each a link "
            "of its own",
            (what,),
        )


def check_size(nodes: Array, what: str, remedy: str) -> None:
    """Refuse a body whose size can hardly be in metres."""
    extent = float(np.ptp(nodes, axis=0).max())
    if not np.isfinite(extent) or extent == 0:
        raise LissomError(f"its nodes span {extent:g} m; give finite coordinates of more than one node", (what,))
    if extent > FAR:
        text = f"it is {extent:g} m long, which looks like millimetres ({extent / 1000:g} m would fit); {remedy}"
        raise LissomError(text, (what,))
