"""Inverse dynamics, bias forces and joint wrenches."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state import Vector, Wrenches, body_wrenches, finite, number_type, vector
from lissom.errors import LissomError
from lissom.kernel import energy as kernel_energy
from lissom.kernel import inverse
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compiled import Model


def inverse_dynamics(
    robot: AnyRobot, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Wrenches | None = None
) -> Vector:
    """Generalised forces that produce `a` (recursive Newton-Euler, O(n)).

    Outward pass: twists and accelerations of every link frame; inward pass: wrenches, (22)-(27) of Park et
    al. 1995, extended by the modal rows of each flexible link. Passive joint forces and gravity are accounted
    for: the result is what actuators and modal loads have to supply.

    Args:
        q: configuration, shape (model.nq,).
        v, a: velocity, acceleration, shape (model.nv,), in the order of `model.coordinates`.
        wrenches: external wrenches by link name, (torque, force) at the link's origin in the link's axes.
    Returns:
        Generalised forces, shape (model.nv,): N m, N, or modal units.
    """
    model = as_model(robot)
    return _newton_euler(model, q, v, a, wrenches)


def bias(robot: AnyRobot, q: ArrayLike, v: ArrayLike, wrenches: Wrenches | None = None) -> Vector:
    """Forces at zero acceleration, shape (model.nv,): M a + bias = tau."""
    model = as_model(robot)
    return _newton_euler(model, q, v, np.zeros(model.nv), wrenches)


def joint_wrenches(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Wrenches | None = None,
    frame: Literal["local", "parent", "world"] = "local",
) -> np.ndarray:
    """Wrench (torque, force) that the parent exerts on the child in every joint, about the joint's point.

    The torque about a joint's axis, motor included, is part of it. The point is the child frame's origin.

    Args:
        frame: axes of the components: "local" (those of the child), "parent" or "world".
    Returns:
        One row per link in the order of `model.joints`, shape (joints, 6).
    """
    model = as_model(robot)
    if frame not in ("local", "parent", "world"):
        raise LissomError(f"frame must be 'local', 'parent' or 'world', got {frame!r}")
    tau = _newton_euler(model, q, v, a, wrenches)
    number = tau.dtype.type
    work = model.scratch(number)
    rows = work.wrench[1:].copy()
    if frame == "local":
        return rows
    if frame == "world":
        kernel_energy.world_frames(model.struct, model.workspace(number))
    axes = (work.rotation if frame == "parent" else work.world_rotation)[1:]
    return np.concatenate([np.einsum("nij,nj->ni", axes, part) for part in (rows[:, :3], rows[:, 3:])], axis=1)


def _newton_euler(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Wrenches | None) -> Vector:
    q, v, a = (
        vector(model, q, "q", model.nq),
        vector(model, v, "v", model.nv),
        vector(model, a, "a", model.nv),
    )
    number = number_type(model, q, v, a, wrenches=wrenches)
    tau = np.empty(model.nv, number)
    inverse.inverse_dynamics(
        model.struct,
        model.workspace(number),
        q.astype(number, copy=False),
        v.astype(number, copy=False),
        a.astype(number, copy=False),
        body_wrenches(model, wrenches, number),
        tau,
    )
    return finite(model, "inverse_dynamics", tau, q=q, v=v, a=a)
