"""Derivatives of the joint forces by the joints' screws A_i of (13), in closed form: the recursion, derived.

With A_k + e dA the frames from joint k outwards move by the twist Z = x_k J_r(S_k x_k) dS in the axes of node k, and
the screw of the node itself becomes S_k + e dS, dS = Ad(home_k^-1) dA: twists and accelerations that arrive at the node
are seen from there, which is a bracket, and wrenches that leave it are handed on from there, which is its dual.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import se3
from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.kinematics import frames
from lissom.theory.lie_group.recursion import newton_euler

Array = NDArray[Any]


def inverse_dynamics_by_screws(arm: Arm, x: ArrayLike, xd: ArrayLike, xdd: ArrayLike) -> Array:
    """Return D[..., k, :, a], the derivatives of the joint forces k by the screws: (..., n, n, 6).

    D[..., k, j, :] @ dA is the change of force k as the screw A_j of joint j, in world axes at x = 0, changes by dA;
    the frames of the links at x = 0 stay. A dA that keeps an axis of unit length turns the axis (dA = (d, p x d) for an
    axis through p) or shifts it.

    Parameters
    ----------
    x, xd, xdd : array_like
        Coordinates, rates and accelerations (..., n).
    """
    x, xd, xdd = np.broadcast_arrays(*(np.asarray(a, float) for a in (x, xd, xdd)))
    found, (f, _) = newton_euler(arm, x, xd, xdd), frames(arm, x)
    D = np.zeros((*x.shape[:-1], arm.n, arm.n, 6))
    for j, node in enumerate(arm.node):
        to_node = se3.Ad(se3.inverse(arm.home[node]))
        for a in range(6):
            D[..., j, a] = _along(arm, found, f, x, xd, xdd, j, to_node[:, a])
    return D


def _along(arm: Arm, found: Any, f: Array, x: Array, xd: Array, xdd: Array, j: int, dS: Array) -> Array:
    """Return the derivative (..., n) of the joint forces as the screw of joint j changes by dS (6,) in its node."""
    shape, nodes, base = x.shape[:-1], len(arm.parent), int(arm.node[j])
    Z = x[..., j, None] * np.einsum("...ab,b->...a", se3.right_jacobian(arm.S[base] * x[..., j, None]), dS)
    dV, da, dF = (np.zeros((*shape, nodes, 6)) for _ in range(3))
    gravity = np.concatenate([np.zeros(3), -arm.gravity])
    for i in range(nodes):
        parent, k = arm.parent[i], arm.column[i]
        down = se3.Ad(se3.inverse(f[..., i, :, :]) @ (f[..., parent, :, :] if parent >= 0 else np.eye(4)))
        V_in = _apply(down, found.V[..., parent, :]) if parent >= 0 else np.zeros((*shape, 6))
        a_in = _apply(down, found.Vdot[..., parent, :] if parent >= 0 else np.broadcast_to(gravity, (*shape, 6)))
        dV_in = _apply(down, dV[..., parent, :]) if parent >= 0 else np.zeros((*shape, 6))
        da_in = _apply(down, da[..., parent, :]) if parent >= 0 else np.zeros((*shape, 6))
        rate = arm.S[i] * xd[..., k, None] if k >= 0 else np.zeros((*shape, 6))
        drate, dsecond = np.zeros((*shape, 6)), np.zeros((*shape, 6))
        if i == base:  # seen from a frame that has moved by Z
            dV_in, da_in = dV_in + _bracket(V_in, Z), da_in + _bracket(a_in, Z)
            drate, dsecond = dS * xd[..., j, None], dS * xdd[..., j, None]
        dV[..., i, :] = dV_in + drate
        da[..., i, :] = da_in + dsecond + _bracket(dV_in, rate) + _bracket(V_in, drate)
    tau = np.zeros(x.shape)
    for i in range(nodes - 1, -1, -1):
        parent, k = arm.parent[i], arm.column[i]
        momentum = np.einsum("ab,...b->...a", arm.J[i], found.V[..., i, :])
        dmomentum = np.einsum("ab,...b->...a", arm.J[i], dV[..., i, :])
        dF[..., i, :] += np.einsum("ab,...b->...a", arm.J[i], da[..., i, :])
        dF[..., i, :] -= _dual_bracket(dV[..., i, :], momentum) + _dual_bracket(found.V[..., i, :], dmomentum)
        if k >= 0:
            tau[..., k] += np.einsum("a,...a->...", arm.S[i], dF[..., i, :])
        if i == base:
            tau[..., j] += np.einsum("a,...a->...", dS, found.F[..., i, :])
        if parent >= 0:
            handed = dF[..., i, :] - (_dual_bracket(Z, found.F[..., i, :]) if i == base else 0.0)
            down = se3.Ad(se3.inverse(f[..., i, :, :]) @ f[..., parent, :, :])
            dF[..., parent, :] += np.einsum("...ba,...b->...a", down, handed)
    return tau


def _apply(map: Array, twist: Array) -> Array:
    return np.einsum("...ab,...b->...a", map, twist)


def _bracket(a: Array, b: Array) -> Array:
    """Lie bracket of twists, (5)."""
    return _apply(se3.ad(a), b)


def _dual_bracket(a: Array, wrench: Array) -> Array:
    """Return ad_a^T of a wrench, (7)."""
    return np.einsum("...ba,...b->...a", se3.ad(a), wrench)
