"""What loops leave free: displacements that keep them closed, and the stiffness of their reactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lissom.dynamics.coordinates import along_coordinates, indices
from lissom.dynamics.kinematic_loops.loop_closing import closed_configuration
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_jacobian
from lissom.dynamics.state_checks import Vector
from lissom.model.model import Model

SINGULAR = 1e-7  # of the rows' Jacobian, relative to its largest


class LoopFreedoms(NamedTuple):
    """Displacements of the free coordinates that keep loops closed."""

    basis: np.ndarray  # (free, k) columns that span them
    G: np.ndarray  # (rows, free)
    back: np.ndarray  # (free, rows) least displacement that closes a gap, up to sign


def free_displacements(model: Model, q: Vector, free: np.ndarray) -> LoopFreedoms:
    """Return those combinations of the velocity coordinates `free` that no loop holds; all without loops."""
    n = len(free)
    if not model.loops:
        return LoopFreedoms(np.eye(n), np.zeros((0, n)), np.zeros((n, 0)))
    G = loop_jacobian(model, q)[:, free]
    U, sizes, V = np.linalg.svd(G)
    rank = int(np.sum(sizes > SINGULAR * sizes.max(initial=0.0)))
    back = V[:rank].T @ (U[:, :rank] / sizes[:rank]).T
    return LoopFreedoms(V[rank:].T, G, back)


def multipliers(open_: LoopFreedoms, force: Vector) -> Vector:
    """Return the least multipliers whose reactions balance `force` (free,) best."""
    return open_.back.T @ force


def reaction_stiffness(model: Model, q: Vector, lam: Vector, free: np.ndarray) -> np.ndarray:
    """Return the derivative of G^T lam along the `free` velocity coordinates, shape (nv, free)."""
    if not model.loops:
        return np.zeros((model.nv, len(free)))
    return along_coordinates(model, q, lambda z: loop_jacobian(model, z).T @ lam, free)


def independent(model: Model, q: Vector, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return coordinates that may be chosen freely, and all displacements as functions of theirs.

    Returns
    -------
    tuple[np.ndarray, np.ndarray]
        Indices in v of the independent coordinates (k,), and a matrix (nv, k) that is the identity on their rows.
        Joints depend before modes do, those far from the ground before those near it, later before earlier ones.
    """
    if not model.loops:
        return free, np.eye(model.nv)[:, free]
    G = loop_jacobian(model, q)
    depth = _joint_depths(model)
    rank = int(np.linalg.matrix_rank(G[:, free], tol=SINGULAR * np.linalg.norm(G[:, free], 2)))
    order = sorted(free.tolist(), key=lambda k: (-depth.get(k, 0), -k))
    dependent: list[int] = []
    for least in (0.05, 1e-3, SINGULAR):  # of a column that is left beside those taken before
        for k in order:
            if (
                len(dependent) < rank
                and k not in dependent
                and _remove_projection(G, dependent, k) > least * np.linalg.norm(G[:, k])
            ):
                dependent.append(k)
    rest = np.array([k for k in free if k not in dependent], np.int64)
    out = np.zeros((model.nv, len(rest)))
    out[rest] = np.eye(len(rest))
    out[dependent] = -np.linalg.lstsq(G[:, dependent], G[:, rest], rcond=None)[0]
    return rest, out


def leading_joints(model: Model, q: Vector, lengths: Mapping[str, float] | None = None) -> list[int]:
    """Return the indices in v of the joints that may be chosen near q, without those that loops make follow.

    Prescribed joints are chosen already. Without loops all joints lead.
    """
    joints = np.array([k for body in model.bodies for k in indices(body.joint_v)], np.int64)
    if not model.loops:
        return joints.tolist()
    chosen = model.arrays.velocities.prescribed[joints] == 1
    closed = closed_configuration(model, q, set(), lengths)
    return [*joints[chosen].tolist(), *independent(model, closed, joints[~chosen])[0].tolist()]


def _joint_depths(model: Model) -> dict[int, int]:
    """Return how many links from the ground the link of each joint coordinate is, by index in v."""
    parent, depth = model.arrays.tree.parent, [0]
    for row in range(1, len(model.bodies) + 1):
        depth.append(depth[parent[row]] + 1)
    return {k: depth[row] for row, body in enumerate(model.bodies, 1) for k in indices(body.joint_v)}


def _remove_projection(G: np.ndarray, taken: list[int], k: int) -> float:
    """Return what the columns `taken` leave of column k."""
    if not taken:
        return float(np.linalg.norm(G[:, k]))
    Q = np.linalg.qr(G[:, taken])[0]
    return float(np.linalg.norm(G[:, k] - Q @ (Q.T @ G[:, k])))
