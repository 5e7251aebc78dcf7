"""Inverse dynamics, bias forces and joint wrenches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.coordinates import motor_indices
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_jacobian, loop_rows, openings, reactions
from lissom.dynamics.plain_call import inverse_plainly
from lissom.dynamics.state_checks import Vector, Wrenches, body_wrenches, finite, number_type, vector
from lissom.errors import LissomError, check_choice
from lissom.kernel.algorithms import newton_euler
from lissom.kernel.kinematics import forward_kinematics
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

OPENING = 1e-6  # acceleration of a loop's rows, relative to the largest given
UNMET = 1e-9  # force that actuators may leave undone, relative


def inverse_dynamics(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Wrenches | None = None,
    actuators: Iterable[str] | None = None,
) -> Vector:
    """Compute the generalised forces that produce `a` (recursive Newton-Euler, O(n)).

    Outward pass: twists and accelerations of every link frame; inward pass: wrenches, (22)-(27) of Park et
    al. 1995, extended by the modal rows of each flexible link. Passive joint forces and gravity are accounted
    for: the result is what actuators and modal loads have to supply.

    Parameters
    ----------
    q : array_like
        Configuration, shape (model.nq,).
    v, a : array_like
        Velocity, acceleration, shape (model.nv,), in the order of `model.coordinates`.
    wrenches : mapping of str to array_like, optional
        External wrenches by link name, (torque, force) at the link's origin in the link's axes.
    actuators : iterable of str, optional
        Joints or coordinates that forces act on, for a robot with loops: theirs are found together with the
        reactions of the loops, the least of all that will do. Without it the forces are those of the tree, no
        reaction of a loop among them.

    Returns
    -------
    array
        Generalised forces, shape (model.nv,): N m, N, or modal units.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> q, v = model.neutral(), np.zeros(model.nv)
    >>> tau = lissom.inverse_dynamics(model, q, v, np.zeros(model.nv))  # what holds the arm
    """
    model = as_model(robot)
    if wrenches is None and actuators is None and (found := inverse_plainly(model, q, v, a)) is not None:
        return found
    tree = _newton_euler(model, q, v, a, wrenches)
    if actuators is None:
        return tree
    _refuse_opening(model, openings(model, np.asarray(a, tree.dtype)), np.abs(a).max(initial=1.0))
    return _by_actuators(model, q, tree, actuators)


def _refuse_opening(model: Model, rows: Vector, size: float) -> None:
    """Refuse accelerations that would open a loop."""
    if np.abs(rows).max(initial=0.0) > OPENING * size:
        row = int(np.argmax(np.abs(rows)))
        raise LissomError(
            f"these accelerations would open {loop_rows(model)[row].partition(':')[0]} by {abs(rows[row]):.3g} m/s2 or "
            "rad/s2; take some that keep the loops closed, as forward_dynamics gives them"
        )


def _by_actuators(model: Model, q: ArrayLike, needed: Vector, actuators: Iterable[str]) -> Vector:
    """Return forces on the actuators that do what `needed` (nv,) does, with the help of the loops' reactions."""
    names = (actuators,) if isinstance(actuators, str) else tuple(actuators)
    driven = [k for name in names for k in motor_indices(model, name)]
    G = loop_jacobian(model, q)
    both = np.concatenate([np.eye(model.nv)[:, driven], G.T], axis=1)
    found = np.linalg.lstsq(both, needed, rcond=1e-11)[0]
    left = np.abs(needed - both @ found)
    if left.max() > UNMET * max(np.abs(needed).max(), 1.0):
        worst = model.coordinates[int(np.argmax(left))]
        raise LissomError(
            f"forces on {', '.join(names)} cannot produce these accelerations: {worst} needs {left.max():.3g} more; "
            "name more actuators, or let the modes move as they will"
        )
    tau = np.zeros(model.nv, found.dtype)
    tau[driven] = found[: len(driven)]
    return tau


def bias(robot: AnyRobot, q: ArrayLike, v: ArrayLike, wrenches: Wrenches | None = None) -> Vector:
    """Return the forces at zero acceleration: M a + bias = tau.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    v : array_like
        Velocities, shape (nv,), in the order of `model.coordinates`.
    wrenches : mapping of str to array_like, optional
        External wrenches by link name, (torque, force) at the link's origin in its axes.

    Returns
    -------
    ndarray
        Generalised forces, shape (nv,): N m, N, or modal units.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> q, v = model.neutral(), np.zeros(model.nv)
    >>> holding = lissom.bias(model, q, v)  # what holds the arm against its weight
    """
    model = as_model(robot)
    return _newton_euler(model, q, v, np.zeros(model.nv), wrenches)


def joint_wrenches(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Wrenches | None = None,
    frame: Literal["local", "parent", "world"] = "local",
    multipliers: ArrayLike | None = None,
) -> np.ndarray:
    """Return the wrench (torque, force) that the parent exerts on the child in every joint, about the joint's point.

    The torque about a joint's axis, motor included, is part of it. The point is the child frame's origin.

    Parameters
    ----------
    frame : {"local", "parent", "world"}
        Axes of the components: "local" (those of the child), "parent" or "world".
    multipliers : array_like, optional
        Of the loops, (rows,), from `closed_loops`; a robot with loops needs them.

    Returns
    -------
    array
        One row per link in the order of `model.joints`, shape (joints, 6).

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> q, v = model.neutral(), np.zeros(model.nv)
    >>> wrenches = lissom.joint_wrenches(model, q, v, np.zeros(model.nv))
    >>> torque, force = wrenches[model.joints.index("elbow")].reshape(2, 3)
    """
    model = as_model(robot)
    check_choice("frame", frame, ("local", "parent", "world"))
    if model.loops and multipliers is None:
        raise LissomError(
            f"{model.robot.name} has loops, whose reactions act on its joints; give "
            "multipliers=closed_loops(robot, q, v, tau).multipliers"
        )
    tau = _newton_euler(model, q, v, a, wrenches, multipliers)
    number = tau.dtype.type
    work = model.scratch(number)
    links = slice(1, len(model.links) + 1)
    rows = work.wrench[links].copy()
    if frame == "local":
        return rows
    if frame == "world":
        forward_kinematics.world_frames(model.struct, model.workspace(number))
    axes = (work.rotation if frame == "parent" else work.world_rotation)[links]
    return np.concatenate([np.einsum("nij,nj->ni", axes, part) for part in (rows[:, :3], rows[:, 3:])], axis=1)


def _newton_euler(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Wrenches | None,
    multipliers: ArrayLike | None = None,
) -> Vector:
    q, v, a = (
        vector(model, q, "q", model.nq),
        vector(model, v, "v", model.nv),
        vector(model, a, "a", model.nv),
    )
    number = number_type(model, q, v, a, wrenches=wrenches)
    tau = np.empty(model.nv, number)
    loads = body_wrenches(model, wrenches, number)
    if multipliers is not None:
        loads += reactions(model, q, np.asarray(multipliers, number))
    newton_euler.inverse_dynamics(
        model.struct,
        model.workspace(number),
        q.astype(number, copy=False),
        v.astype(number, copy=False),
        a.astype(number, copy=False),
        loads,
        tau,
    )
    return finite(model, "inverse_dynamics", tau, q=q, v=v, a=a)
