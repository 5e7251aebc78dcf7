"""Motion of frames on a rigid arm, by its body Jacobians and the outward half of the recursion (22)-(25)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Struct, kernel
from lissom.theory.connections.frame_kernel import FrameKernel
from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.dynamics import make_own


class LieGroupFrames(NamedTuple):
    """An arm, and the node of each link."""

    arm: Any  # Struct of LieGroupMemory
    node: np.ndarray  # (links + 1,) by row of the link
    unaccelerated: np.ndarray  # (6,) the world, without gravity


def frame_kernel(arm: Arm) -> FrameKernel:
    """Return the kinematics of frames on an arm."""
    return FrameKernel(fill, Struct(LieGroupFrames(make_own(arm), np.array([-1, *arm.links]), np.zeros(6))))


@kernel
def fill(own, q, v, motion):
    """Compute pose, twist, drift and body Jacobian of every node that carries a frame.

    Equations: 002 (18)-(20).
    """
    arm = own.arm
    for k in range(q.shape[0]):
        arm.x[0, k] = q[k]
        arm.xd[0, k] = v[k]
        arm.xdd[0, k] = 0.0
    for i in range(arm.parent.shape[0]):
        for r in range(6):
            arm.F[0, i, r] = 0.0
    arm.outward(arm.parent, arm.M, arm.S, arm.column, arm.x, arm.f, arm.B)
    arm.newton_euler(
        arm.parent,
        arm.M,
        arm.S,
        arm.column,
        arm.J,
        own.unaccelerated,
        arm.x,
        arm.xd,
        arm.xdd,
        arm.V,
        arm.Vdot,
        arm.F,
        arm.tau,
    )
    for k in range(1, motion.owner.shape[0]):
        if motion.owner[k] > 0:
            i = own.node[motion.owner[k]]
            for r in range(3):
                motion.p[k, r] = arm.f[0, i, r, 3]
                for c in range(3):
                    motion.R[k, r, c] = arm.f[0, i, r, c]
            for r in range(6):
                motion.V[k, r] = arm.V[0, i, r]
                motion.drift[k, r] = arm.Vdot[0, i, r]
                for j in range(q.shape[0]):
                    motion.J[k, r, j] = arm.B[0, i, r, j]
