"""Interfaces: sets of nodes tied to a frame that joints, loads and other links take hold of.

A `rigid` tie makes the nodes follow the frame (RBE2 of Nastran): it stiffens what it holds. An `averaging` tie makes
the frame follow the nodes (RBE3): its motion is the rigid motion that fits theirs best, weighted by the area of each
node, and a load on it is spread over them likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.fem.fe_structure import Array, Sparse, Structure, rigid_motions

TIES = ("rigid", "averaging")


@dataclass(frozen=True, eq=False)
class Interface:
    """Nodes of a structure tied to a frame with the axes of the mesh.

    Parameters
    ----------
    nodes : str or array of int
        Indices (k,) of the nodes, or the name of a group of the structure.
    tie : str
        "rigid" or "averaging".
    origin : sequence of float, optional
        Where the frame sits, (3,) in mesh coordinates; the middle of the nodes unless given.
    """

    name: str
    nodes: str | Array | Sequence[int]
    tie: str = "rigid"
    origin: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if self.tie not in TIES:
            raise LissomError(f"is unknown; choose {' or '.join(TIES)}", ("interfaces", self.name, "tie"), self.tie)


@dataclass(frozen=True, eq=False)
class Tied:
    """A structure whose unknowns are those of the free nodes, then six (rotation, translation) per interface."""

    map: Sparse  # (unknowns of the structure, free + 6 k)
    free: int  # how many are free
    free_rows: Array  # (free,) which unknowns of the structure they are
    points: Array  # (free, 3) where the free unknowns sit
    names: tuple[str, ...]
    origins: Array  # (k, 3)

    def rigid_motions(self, structure: Structure, origin: Array) -> Array:
        """Return all unknowns (free + 6 k, 6) under unit rotations and translations at `origin`."""
        nodal = structure.rigid_motions(origin)[self.free_rows]
        frames = rigid_motions(self.origins - origin, 6)[:, [3, 4, 5, 0, 1, 2]]
        return np.vstack([nodal, frames.reshape(-1, 6)])

    @property
    def all_points(self) -> Array:
        """Where all unknowns sit, (free + 6 k, 3)."""
        return np.vstack([self.points, np.repeat(self.origins, 6, axis=0)])

    def columns(self, name: str) -> Array:
        """Return the six unknowns of an interface."""
        start = self.free + 6 * self.names.index(name)
        return np.arange(start, start + 6)


class _Dependence(NamedTuple):
    """Unknowns that follow from a frame's six and from other unknowns."""

    rows: Array  # (r,)
    on_frame: Array  # (r, 6)
    on_others: Array  # (r, s)
    others: Array  # (s,)


def tie(structure: Structure, interfaces: Sequence[Interface]) -> Tied:
    """Tie the nodes of the interfaces to their frames."""
    from scipy.sparse import coo_array, csr_array

    names = tuple(interface.name for interface in interfaces)
    if len(set(names)) < len(names) or not names:
        raise LissomError(f"{', '.join(names) or 'none'}; give at least one, each with its own name", ("interfaces",))
    # every node belongs to one interface at the most
    held = [_nodes(structure, interface) for interface in interfaces]
    owner = np.full(len(structure.nodes), -1)
    for k, (interface, nodes) in enumerate(zip(interfaces, held)):
        shared = nodes[owner[nodes] >= 0]
        if len(shared):
            other = names[owner[shared[0]]]
            text = f"shares {len(shared)} nodes with {other}; move them apart"
            raise LissomError(text, ("interfaces", interface.name))
        owner[nodes] = k
    origins = np.array(
        [
            structure.nodes[nodes].mean(axis=0) if i.origin is None else np.asarray(i.origin, float)
            for i, nodes in zip(interfaces, held)
        ]
    )

    # unknowns of tied nodes follow from their frame: all of them (rigid), or three means of them (averaging)
    size = structure.size
    dependent = np.zeros(size, bool)
    links: list[_Dependence] = []
    for interface, nodes, origin in zip(interfaces, held, origins):
        rows = structure.unknowns(nodes)
        motion = rigid_motions(structure.nodes[nodes] - origin, structure.width)
        if interface.tie == "rigid" or len(nodes) == 1:
            on_frame, rows = motion.reshape(-1, 6), rows.ravel()
            _check_single(interface, structure, nodes)
            links.append(_Dependence(rows, on_frame, np.zeros((len(rows), 0)), np.zeros(0, int)))
        else:
            weights = np.repeat(_areas(structure, nodes), 3)
            links.append(_averaging(interface, rows[:, :3].ravel(), motion[:, :3].reshape(-1, 6), weights))
        dependent[links[-1].rows] = True

    # the map from what is left, free unknowns and six per frame, to all unknowns of the structure
    free = np.flatnonzero(~dependent)
    place = np.full(size, -1)
    place[free] = np.arange(len(free))
    entries = [(np.ones(len(free)), free, place[free])]
    for k, (rows, on_frame, on_others, others) in enumerate(links):
        columns = len(free) + 6 * k + np.arange(6)
        entries.append((on_frame.ravel(), np.repeat(rows, 6), np.tile(columns, len(rows))))
        if len(others):
            entries.append((on_others.ravel(), np.repeat(rows, len(others)), np.tile(place[others], len(rows))))
    data, row, column = (np.concatenate(part) for part in zip(*entries))
    whole = coo_array((data, (row, column)), shape=(size, len(free) + 6 * len(names)))
    return Tied(csr_array(whole), len(free), free, structure.nodes[free // structure.width], names, origins)


def _nodes(structure: Structure, interface: Interface) -> Array:
    if isinstance(interface.nodes, str):
        if interface.nodes not in structure.groups:
            known = ", ".join(structure.groups) or "none"
            text = f"the mesh has no group {interface.nodes!r}; its groups are {known}"
            raise LissomError(text, ("interfaces", interface.name))
        nodes = structure.groups[interface.nodes]
    else:
        nodes = np.asarray(interface.nodes, int)
    if len(nodes) == 0:
        text = "holds no node; check where it is, and the units of the mesh"
        raise LissomError(text, ("interfaces", interface.name))
    return np.unique(nodes)


def _check_single(interface: Interface, structure: Structure, nodes: Array) -> None:
    """Refuse nodes on one line: their three displacements leave a frame free to turn about it."""
    if structure.width == 6:
        return
    arms = structure.nodes[nodes] - structure.nodes[nodes].mean(axis=0)
    spread = np.linalg.svd(arms, compute_uv=False) if len(nodes) > 2 else np.zeros(3)
    if spread[1] < 1e-9 * max(spread[0], 1e-300) or len(nodes) < 3:
        text = f"its {len(nodes)} nodes lie on one line and hold no rotation about it; take a surface"
        raise LissomError(text, ("interfaces", interface.name))


def _areas(structure: Structure, nodes: Array) -> Array:
    """Return area of the surface around each node (k,), within the interface; equal ones where that has none."""
    held = np.isin(structure.faces, nodes).all(axis=1)
    faces = structure.faces[held]
    a, b, c = structure.nodes[faces].transpose(1, 0, 2)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    total = np.bincount(faces.ravel(), np.repeat(area, 3), len(structure.nodes))[nodes]
    return total if np.all(total > 0) else np.ones(len(nodes))


def _averaging(interface: Interface, unknowns: Array, motion: Array, weights: Array) -> _Dependence:
    """Return six of the unknowns as functions of the frame and the other unknowns, so that the frame fits the nodes."""
    from scipy.linalg import qr

    if np.linalg.matrix_rank(motion) < 6:
        text = "its nodes lie on one line and hold no rotation; use a surface"
        raise LissomError(text, ("interfaces", interface.name))
    root = np.sqrt(weights / weights.mean())
    fit = np.linalg.pinv(root[:, None] * motion) * root  # (6, 3 k): the frame's motion by those of the nodes
    _, _, order = qr(fit, pivoting=True, mode="economic")
    chosen, others = order[:6], order[6:]
    inverse = np.linalg.inv(fit[:, chosen])
    return _Dependence(unknowns[chosen], inverse, -inverse @ fit[:, others], unknowns[others])
