"""Closed loops: their gaps, how these change with the velocities, and the wrench in the joint that closes each.

A row is one direction that the joint of a loop holds. `loop_rows` names them; every array over rows has that order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import Vector, Wrenches, driven, finite, number_type, vector
from lissom.kernel.constraints import loop_constraints
from lissom.kernel.constraints.constrained_dynamics import closed_dynamics, make_closure
from lissom.kernel.kinematics import forward_kinematics
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model


class Closed(NamedTuple):
    """What keeps loops closed at one state."""

    a: Vector  # (nv,) accelerations
    multipliers: Vector  # (rows,) of the directions held, N or N m; of redundant ones the least
    wrenches: np.ndarray  # (loops, 6) torque, force of the first frame on the second, at its origin in its axes
    rank: int  # number of independent rows
    redundant: tuple[str, ...]  # rows that the others hold already, as `loop_rows` names them


def loop_rows(robot: AnyRobot) -> tuple[str, ...]:
    """Return the directions that the loops hold, by the reaction in each: "rod-eye: force along x"."""
    model = as_model(robot)
    return tuple(f"{loop.name}: {row.label}" for loop in model.loops for row in loop.held)


def loop_gaps(robot: AnyRobot, q: ArrayLike) -> Vector:
    """Return how far each row is from being closed, shape (rows,): metres, or the cosine by which an angle is off."""
    model = as_model(robot)
    work = _place_frames(model, q)
    closure = closure_of(model, work.fields.omega.dtype.type).fields
    out = np.empty(len(closure.lam), closure.lam.dtype)
    loop_constraints.loop_values(model.struct, work, np.ascontiguousarray(q, out.dtype), closure.given, out)
    return out


def loop_jacobian(robot: AnyRobot, q: ArrayLike) -> np.ndarray:
    """Return rates of the rows per unit of every velocity, shape (rows, model.nv)."""
    model = as_model(robot)
    work = _place_frames(model, q)
    out = np.empty((len(model.arrays.loops.hold), model.nv), work.fields.omega.dtype)
    loop_constraints.loop_rows(model.struct, work, out)
    return out


def loop_poses(robot: AnyRobot, q: ArrayLike) -> np.ndarray:
    """Return the pose (R, p) of each loop's second frame in the axes of its first, shape (loops, 3, 4)."""
    model = as_model(robot)
    work = _place_frames(model, q)
    forward_kinematics.world_frames(model.struct, work)
    table, R, p = model.arrays.loops, work.fields.world_rotation, work.fields.world_position
    back = np.swapaxes(R[table.first], 1, 2)
    apart = back @ (p[table.second] - p[table.first])[:, :, None]
    return np.concatenate([back @ R[table.second], apart], axis=2)


def row_places(robot: AnyRobot, q: ArrayLike) -> np.ndarray:
    """Return places of the world, the links and the frames on them in the world, shape (model.rows, 3)."""
    model = as_model(robot)
    work = _place_frames(model, q)
    forward_kinematics.world_frames(model.struct, work)
    return work.fields.world_position[: model.rows].copy()


def closed_loops(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
    a: ArrayLike | None = None,
) -> Closed:
    """Return accelerations, and the wrenches in the joints that close the loops.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    v : array_like
        Velocities, shape (nv,), in the order of `model.coordinates`.
    tau : array_like, optional
        Applied forces, shape (nv,); zero unless given.
    wrenches : mapping of str to array_like, optional
        External wrenches by link name, (torque, force) at the link's origin in its axes.
    a : array_like, optional
        Accelerations of prescribed joints, shape (nv,); entries of other coordinates are ignored.

    Returns
    -------
    Closed
        Accelerations, shape (nv,); `wrenches` in the loops, shape (loops, 6); `multipliers`, shape (rows,), which
        `joint_wrenches` and `sense` take.

    Examples
    --------
    >>> model = lissom.load("five-bar").compile()
    >>> q, v = lissom.close_loops(model), np.zeros(model.nv)
    >>> found = lissom.closed_loops(model, q, v)
    >>> found.wrenches, found.multipliers
    """
    model = as_model(robot)
    given = driven(model, q, v, tau, wrenches, a)
    out, number = given.a.copy(), given.a.dtype.type
    closure, work = closure_of(model, number), model.workspace(number)
    closed_dynamics(model.struct, work, closure, *given[:4], out)
    finite(model, "forward_dynamics", out, q=given.q, v=given.v, tau=given.tau, a=given.a)
    lam, schur = closure.fields.lam.copy(), closure.fields.schur.fields
    rank, names = int(schur.rank[0]), loop_rows(model)
    on = np.zeros((len(model.loops), 6), number)
    loop_constraints.loop_wrenches(model.struct, work, lam, on, np.zeros((model.rows, 6), number))
    return Closed(out, lam, on, rank, tuple(names[row] for row in sorted(schur.order[rank:])))


def openings(model: Model, a: Vector) -> Vector:
    """Return second derivatives (rows,) of the rows at the accelerations that dynamics left in the workspace."""
    number = a.dtype.type
    closure = closure_of(model, number).fields
    out = np.zeros_like(closure.lam)
    loop_constraints.loop_accelerations(model.struct, model.workspace(number), a, closure.given, out)
    return out


def reactions(model: Model, q: ArrayLike, multipliers: Vector) -> np.ndarray:
    """Return wrenches of the loops on the rows of their frames, shape (model.rows, 6)."""
    return _reactions(model, q, multipliers)[1]


def loop_reactions(model: Model, q: ArrayLike, multipliers: Vector) -> np.ndarray:
    """Return wrenches in the loops, shape (loops, 6), as in `Closed`."""
    return _reactions(model, q, multipliers)[0]


def _reactions(model: Model, q: ArrayLike, multipliers: Vector) -> tuple[np.ndarray, np.ndarray]:
    work = _place_frames(model, np.asarray(q, np.result_type(q, multipliers)))
    number = work.fields.omega.dtype.type
    on, rows = np.zeros((len(model.loops), 6), number), np.zeros((model.rows, 6), number)
    loop_constraints.loop_wrenches(model.struct, work, multipliers.astype(number), on, rows)
    return on, rows


def closure_of(model: Model, number: type) -> Any:
    """Return memory of this thread for the loops of a model, as kernels take it."""
    return model.cached(("closure", number), lambda: make_closure(model, number))


def _place_frames(model: Model, q: ArrayLike) -> Any:
    """Return the workspace after the outward pass at `q`."""
    q = vector(model, q, "q", model.nq)
    number = number_type(model, q)
    work = model.workspace(number)
    forward_kinematics.forward_kinematics(model.struct, work, q.astype(number, copy=False), np.zeros(model.nv, number))
    return work
