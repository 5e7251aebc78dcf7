"""Where an arm is and how its frames move: the product of exponentials in its three forms, body and space Jacobians."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import se3
from lissom.theory.lie_group import passes
from lissom.theory.lie_group.arm import Arm

Array = NDArray[Any]


def frames(arm: Arm, x: ArrayLike) -> tuple[Array, Array]:
    """Return frames and Jacobians of all nodes at x (..., n).

    Returns
    -------
    f : array, shape (..., N, 4, 4)
        Node frames in the world.
    B : array, shape (..., N, 6, n)
        Body Jacobians: B[l, :, k] is the screw of joint k seen in node l, Ad(f_l^-1 f_k) S_k, zero where k does not
        move l.

    Equations: 002 (30)-(31), (33).
    """
    states, batch = flat(arm, x)
    nodes = len(arm.parent)
    f = np.zeros((len(states), nodes, 4, 4), states.dtype)
    B = np.zeros((len(states), nodes, 6, arm.n), states.dtype)
    passes.outward(arm.parent, arm.M, arm.S, arm.column, states, f, B)
    return f.reshape(*batch, nodes, 4, 4), B.reshape(*batch, nodes, 6, arm.n)


def flat(arm: Arm, *vectors: ArrayLike) -> tuple[Any, ...]:
    """Vectors (..., n) broadcast and flattened to (b, n) of one number type, and their batch shape."""
    arrays = np.broadcast_arrays(*(np.asarray(v) for v in vectors))
    number = np.complex128 if any(map(np.iscomplexobj, arrays)) else np.float64
    rows = [np.ascontiguousarray(a.reshape(-1, arm.n), number) for a in arrays]
    return (*rows, arrays[0].shape[:-1])


def product_of_exponentials(arm: Arm, x: ArrayLike, form: Literal["joint", "space", "body"] = "space") -> Array:
    """Pose (..., 4, 4) of the tip, by (12), (13) or (14) with the screws of `screws(arm, form)`.

    joint: exp(P1 x1) M1 exp(P2 x2) M2 ...; space: exp(A1 x1) exp(A2 x2) ... M; body: M exp(B1 x1) exp(B2 x2) ...

    Equations: 002 (12)-(14), (30)-(31).
    """
    x = np.asarray(x)
    way, M = _way(arm), _home(arm)
    twists = screws(arm, form)
    pose = M if form == "body" else np.eye(4)
    for step, i in enumerate(way):
        k = arm.column[i]
        if k >= 0:
            pose = pose @ se3.exp(twists[step] * x[..., k, None])
        if form == "joint":
            pose = pose @ arm.M[i]
    if form == "joint":
        return pose @ arm.tip
    return pose @ M if form == "space" else pose


def screws(arm: Arm, form: Literal["joint", "space", "body"]) -> Array:
    """Screws (m, 6) on the way to the tip: P of (12), A of (13) or B of (14); zero at fixed links.

    Equations: 002 (12)-(14).
    """
    way = _way(arm)
    S = arm.S[way]
    if form == "joint":
        return se3.transform_twist(arm.M[way], S)
    A = se3.transform_twist(arm.home[way], S)
    return A if form == "space" else se3.transform_twist(se3.inverse(_home(arm)), A)


def body_jacobian(arm: Arm, x: ArrayLike) -> Array:
    """Jacobian (..., 6, n) of the tip in its own axes, (18): f^-1 fdot = J xdot.

    Equations: 002 (18)-(20).
    """
    _, B = frames(arm, x)
    return se3.Ad(se3.inverse(arm.tip)) @ B[..., -1, :, :]


def space_jacobian(arm: Arm, x: ArrayLike) -> Array:
    """Jacobian (..., 6, n) of the tip as a spatial twist, fdot f^-1 = J xdot."""
    f, B = frames(arm, x)
    return se3.Ad(f[..., -1, :, :]) @ B[..., -1, :, :]


def tip_pose(arm: Arm, x: ArrayLike) -> Array:
    """Pose (..., 4, 4) of the tip."""
    return frames(arm, x)[0][..., -1, :, :] @ arm.tip


def _way(arm: Arm) -> list[int]:
    """Nodes from the base to the last one."""
    way, i = [], len(arm.parent) - 1
    while i >= 0:
        way.append(i)
        i = int(arm.parent[i])
    return way[::-1]


def _home(arm: Arm) -> Array:
    return arm.home[-1] @ arm.tip
