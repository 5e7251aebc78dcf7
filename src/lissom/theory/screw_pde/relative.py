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
