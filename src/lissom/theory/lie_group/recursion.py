"""Inverse dynamics by the Newton-Euler recursion on SE(3), O(n): (22)-(27) of Park, Bobrow and Ploen (1995).

Printed, (24) and (25) lack the inverse of f_{i-1,i} and (26) takes the dual of the wrong map; see the errata.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.theory.lie_group import passes
from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.kinematics import flat

Array = NDArray[Any]


class Recursion(NamedTuple):
    """What the recursion finds on its way; node frames, angular part first."""

    V: Array  # (..., N, 6) twists
    Vdot: Array  # (..., N, 6) their rates, the world accelerating against gravity
    F: Array  # (..., N, 6) wrench of the parent on the node
    tau: Array  # (..., n) joint forces


def newton_euler(arm: Arm, x: ArrayLike, xd: ArrayLike, xdd: ArrayLike, gravity: bool = True) -> Recursion:
    """Twists, accelerations, wrenches and joint forces at x, xd, xdd (..., n); rotors of rigid gears included."""
    *rows, batch = flat(arm, x, xd, xdd)
    number, nodes = rows[0].dtype, len(arm.parent)
    V, Vdot, F = (np.zeros((len(rows[0]), nodes, 6), number) for _ in range(3))
    tau = rows[2] * arm.armature
    base = np.concatenate([np.zeros(3), -arm.gravity * gravity]).astype(number)
    passes.newton_euler(arm.parent, arm.M, arm.S, arm.column, arm.J, base, *rows, V, Vdot, F, tau)
    V, Vdot, F = (a.reshape(*batch, nodes, 6) for a in (V, Vdot, F))
    return Recursion(V, Vdot, F, tau.reshape(*batch, arm.n))


def inverse_dynamics(arm: Arm, x: ArrayLike, xd: ArrayLike, xdd: ArrayLike) -> Array:
    """Joint forces (..., n) that produce xdd, without those the joints produce by themselves."""
    return newton_euler(arm, x, xd, xdd).tau
