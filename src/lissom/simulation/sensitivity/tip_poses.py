"""Poses of a link's tip along a run, with their derivative by what changes the run: the complex step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.kernel.algorithms.complex_tangent import lay_tangent
from lissom.kernel.compile import kernel
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics, world_frames
from lissom.model.compilation.tip_frames import probe
from lissom.model.model import Model


class TipPoses(NamedTuple):
    """The tip of a link at N times, complex: the imaginary parts are STEP times the derivatives."""

    world: np.ndarray  # (N, 3) in the world
    moved: np.ndarray  # (N, 3) from where the undeformed link has it, link axes
    turned: np.ndarray  # (N, 3, 3) the tip's section on the link


def tip_poses(model: Model, link: str, q: np.ndarray, s: np.ndarray) -> TipPoses:
    """Return the tip of `link` at the configurations q (N, nq), which change by s (N, nv) as a parameter does."""
    point = probe(model, link, None, None)
    size = len(q)
    out = TipPoses(np.zeros((size, 3), complex), np.zeros((size, 3), complex), np.zeros((size, 3, 3), complex))
    q_c, u, v = np.zeros(model.nq, complex), np.zeros(model.nv, complex), np.zeros(model.nv, complex)
    at, change = np.array(q, float), np.ascontiguousarray(s)
    _follow(point.struct, point.workspace(np.complex128), at, change, q_c, u, v, *out)
    return out


@kernel
def _follow(model, work, q, s, q_c, u, v, world, moved, turned):
    """Compute poses of the last row, where configurations q (N, nq) change by s (N, nv); q_c, u, v are scratch."""
    last = model.tree.parent.shape[0] - 1
    for k in range(q.shape[0]):
        lay_tangent(model, q[k], s[k], u, q_c)
        forward_kinematics(model, work, q_c, v)
        world_frames(model, work)
        for c in range(3):
            world[k, c] = work.world_position[last, c]
            moved[k, c] = work.position[last, c] - model.sections.position[last, c]
            for d in range(3):
                turned[k, c, d] = work.rotation[last, c, d]
