"""Inverse dynamics, bias forces and joint wrenches."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state import Vector, Wrenches, body_wrenches, finite, number_type, vector
from lissom.errors import LissomError
from lissom.kernel import energy as kernel_energy
from lissom.kernel import inverse
from lissom.model.compiled import Model


def inverse_dynamics(
    model: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrenches: Wrenches | None = None
) -> Vector:
    """Generalised forces that produce `qdd` (recursive Newton-Euler, O(n)).

    Outward pass: twists and accelerations of every link frame; inward pass: wrenches, (22)-(27) of Park et
    al. 1995, extended by the modal rows of each flexible link. Passive joint forces and gravity are accounted
    for: the result is what actuators and modal loads have to supply.

    Args:
        q: configuration, shape (model.nq,).
        qd, qdd: velocity, acceleration, shape (model.nv,), in the order of `model.coordinates`.
        wrenches: external wrenches by link name, (torque, force) at the link's origin in the link's axes.
    Returns:
        Generalised forces, shape (model.nv,): N m, N, or modal units.
    """
    return _newton_euler(model, q, qd, qdd, wrenches)


def bias(model: Model, q: ArrayLike, qd: ArrayLike, wrenches: Wrenches | None = None) -> Vector:
    """Forces at zero acceleration, shape (model.nv,): M qdd + bias = tau."""
    return _newton_euler(model, q, qd, np.zeros(model.nv), wrenches)


def joint_wrenches(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    wrenches: Wrenches | None = None,
    frame: Literal["child", "parent", "world"] = "child",
) -> np.ndarray:
    """Wrench (torque, force) that the parent exerts on the child in every joint, about the joint's point.

    The torque about a joint's axis, motor included, is part of it. The point is the child frame's origin.

    Args:
        frame: axes of the components: those of the child (default), of the parent link, or of the world.
    Returns:
        One row per link in the order of `model.joints`, shape (joints, 6).
    """
    if frame not in ("child", "parent", "world"):
        raise LissomError(f"frame must be 'child', 'parent' or 'world', got {frame!r}")
    tau = _newton_euler(model, q, qd, qdd, wrenches)
    number = tau.dtype.type
    work = model.scratch(number)
    rows = work.wrench[1:].copy()
    if frame == "child":
        return rows
    if frame == "world":
        kernel_energy.world_frames(model.struct, model.workspace(number))
    axes = (work.rotation if frame == "parent" else work.world_rotation)[1:]
    return np.concatenate([np.einsum("nij,nj->ni", axes, part) for part in (rows[:, :3], rows[:, 3:])], axis=1)


def _newton_euler(model: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrenches: Wrenches | None) -> Vector:
    q, qd, qdd = (
        vector(model, q, "q", model.nq),
        vector(model, qd, "qd", model.nv),
        vector(model, qdd, "qdd", model.nv),
    )
    number = number_type(model, q, qd, qdd, wrenches=wrenches)
    tau = np.empty(model.nv, number)
    inverse.inverse_dynamics(
        model.struct,
        model.workspace(number),
        q.astype(number, copy=False),
        qd.astype(number, copy=False),
        qdd.astype(number, copy=False),
        body_wrenches(model, wrenches, number),
        tau,
    )
    return finite(model, "inverse_dynamics", tau, q=q, qd=qd, qdd=qdd)
