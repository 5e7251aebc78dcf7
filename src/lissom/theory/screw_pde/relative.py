"""Motion of the second frame of a closure relative to the first, as the blocks that were evaluated last have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lissom.lie import se3
from lissom.model.description.frame import WORLD
from lissom.theory.screw_pde.closure import End

if TYPE_CHECKING:
    from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray
TREE = 1e-10  # smallest pivot, relative to the inertia there, with which the tree is eliminated
RANK = 1e-10  # of what a direction of a closure brings: less is held by others already


@dataclass(frozen=True, eq=False)
class Side:
    """A frame that moves: its twist is `map` (V, eta'), its derivative `map` (V', eta'') + `drift`, in its own axes."""

    owner: int  # its link, -1 in the world
    pose: Array  # (4, 4) in the world
    map: Array  # (6, 6 + m)
    twist: Array  # (6,)
    drift: Array  # (6,)


@dataclass(frozen=True, eq=False)
class Relative:
    """Two sides, seen from the second."""

    first: Side
    second: Side
    T: Array  # pose of the second in the first
    to_second: Array  # (6, 6) from twists in the axes of the first to those of the second
    twist: Array  # (6,) of the second relative to the first
    drift: Array  # (6,) its derivative without those of (V, eta')


def relative(f: ScrewPDE, k: int) -> Relative:
    """Of closure k, after `place` (poses and twists) or `evaluate` (drifts as well)."""
    before = sum(end.link != WORLD for closure in f.closures[:k] for end in closure.ends)
    sides = []
    for end in f.closures[k].ends:
        sides.append(_side(f, end, 2 * len(f.model.bodies) + before))
        before += end.link != WORLD
    first, second = sides
    T = se3.inverse(first.pose) @ second.pose
    to_second = se3.Ad(se3.inverse(T))
    carried = to_second @ first.twist
    twist = second.twist - carried
    drift = second.drift - to_second @ first.drift + se3.ad(twist) @ carried
    return Relative(first, second, T, to_second, twist, drift)


def gaps(f: ScrewPDE) -> Array:
    """How far closures gape, one after the other, after `place`."""
    return np.concatenate([closure.gap(relative(f, k).T) for k, closure in enumerate(f.closures)])


def rates(f: ScrewPDE) -> Array:
    """Speeds along the directions that closures hold, after `place`."""
    moved = ((closure, relative(f, k)) for k, closure in enumerate(f.closures))
    return np.concatenate([closure.directions(motion.T) @ motion.twist for closure, motion in moved])


def closure_rows(f: ScrewPDE) -> tuple[Array, Array]:
    """Return the rows of all closures on the accelerations (k, n, 6 + m) of the links, and what they are to be (k,)."""
    width = f.work.zdot.shape[1]
    rows, right = [], []
    for number, closure in enumerate(f.closures):
        motion = relative(f, number)
        P = closure.directions(motion.T)
        out = np.zeros((closure.size, len(f.work.zdot), width))
        for side, held in (
            (motion.second, P @ motion.second.map),
            (motion.first, -P @ motion.to_second @ motion.first.map),
        ):
            if side.owner >= 0:
                out[:, side.owner, : held.shape[1]] += held
        rows.append(out)
        right.append(-P @ motion.drift - closure.turning(motion.T, motion.twist) @ motion.twist)
    return np.concatenate(rows), np.concatenate(right)


def held_accelerations(f: ScrewPDE, driven: Array, wanted: Array) -> Array | None:
    """Return the accelerations (nv,) with closures, and with those of the coordinates `driven` as wanted.

    The wrenches of closures and the forces of drives are unknown: one O(n) elimination of the tree for each of them.
    None where the tree by itself has a motion without inertia, which the closures hold.
    """
    work = f.work
    rows, right = closure_rows(f) if f.closures else (np.zeros((0, *work.zdot.shape)), np.zeros(0))
    a = f.eliminate()
    if not work.pivot.min() > TREE or not np.all(np.isfinite(work.zdot)):
        return None
    alone = work.zdot.copy()
    k, flat = len(rows), rows.reshape(len(rows), alone.size)
    by_unknown, by_rows = np.empty((k + len(driven), len(a))), np.empty((k + len(driven), k))
    for n in range(k + len(driven)):
        target, change = (work.bias, -rows[n]) if n < k else (work.force, np.eye(len(a))[driven[n - k]])
        target[:] += change
        by_unknown[n] = f.eliminate() - a
        by_rows[n] = flat @ (work.zdot - alone).ravel()
        target[:] -= change
    matrix = np.concatenate([by_rows, by_unknown[:, driven]], axis=1).T
    unknown = least_solution(matrix, np.concatenate([right - flat @ alone.ravel(), wanted - a[driven]]))
    work.bias[:] -= np.tensordot(unknown[:k], rows, 1)
    work.force[driven] += unknown[k:]
    a = f.eliminate()
    a[driven] = wanted
    return a


def least_solution(A: Array, b: Array) -> Array:
    """Return the least x with A x = b, for A that is symmetric, of one sign, and may lack rank."""
    scale = np.sqrt(np.abs(np.diag(A)))
    scale[scale == 0] = 1.0
    values, vectors = np.linalg.eigh((A + A.T) / 2 / np.outer(scale, scale))
    counts = np.abs(values) > RANK
    kept, lost = vectors[:, counts], vectors[:, ~counts] / scale[:, None]
    x = kept @ (kept.T @ (b / scale) / values[counts]) / scale
    return x - lost @ np.linalg.lstsq(lost, x, rcond=None)[0]


def _side(f: ScrewPDE, end: End, row: int) -> Side:
    if end.link == WORLD:
        return Side(-1, end.offset, np.zeros((6, 0)), np.zeros(6), np.zeros(6))
    work, owner = f.work, f.row(end.link)
    m = f.table.modes[owner]
    section = se3.from_parts(work.R[row], work.p[row])
    moved = np.concatenate([se3.Ad(se3.inverse(section)), work.J[row, :m].T], axis=1)
    twist = moved[:, :6] @ work.V[owner] + work.U[row]
    drift = work.dU[row] + se3.ad(twist) @ work.U[row]
    shift = se3.Ad(se3.inverse(end.offset))
    pose = se3.from_parts(work.world_R[owner], work.world_p[owner]) @ section @ end.offset
    return Side(owner, pose, shift @ moved, shift @ twist, shift @ drift)
