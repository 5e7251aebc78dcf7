"""Pose, velocity and Jacobian of any point of any link; forces at points.

Points are placed as frames are (`lissom.model.description.frame.Frame`): on a beam at the section `x`, on finite
elements at the interface `x`, the tip of either unless given, shifted by `offset` in the axes there. On a rigid link
`offset` is counted from the link's own frame; without it, the point is the link's `tip`, if it has one.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import Vector, finite, number_type, numbers, vector, wrench_vector
from lissom.errors import LissomError, check_choice
from lissom.kernel.kinematics import forward_kinematics, frame_jacobian
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compilation.tip_frames import Probe, probe
from lissom.model.model import Model

Frame = Literal["world", "local"]


def tip_pose(robot: AnyRobot, q: ArrayLike, link: str | None = None) -> np.ndarray:
    """Return the pose of the tip of `link` (the last link unless given) in the world, shape (4, 4)."""
    model = as_model(robot)
    return point_pose(model, q, link or model.links[-1])


def point_pose(
    robot: AnyRobot, q: ArrayLike, link: str, x: float | str | None = None, offset: ArrayLike | None = None
) -> np.ndarray:
    """Return the pose T_world_point of a point of `link`, shape (4, 4)."""
    model = as_model(robot)
    work, _ = _frames(model, q, np.zeros(model.nv), link, x, offset)
    T = np.zeros((4, 4), work.world_position.dtype)
    T[:3, :3], T[:3, 3], T[3, 3] = work.world_rotation[-1], work.world_position[-1], 1.0
    return T


def point_velocity(
    robot: AnyRobot,
    q: ArrayLike,
    v: ArrayLike,
    link: str,
    x: float | str | None = None,
    offset: ArrayLike | None = None,
    frame: Frame = "world",
) -> Vector:
    """Return the twist (omega, v) of a point of `link`, (6,), in world axes or its own; v is the point's velocity."""
    model = as_model(robot)
    work, _ = _frames(model, q, v, link, x, offset)
    return _rotated(work, np.concatenate([work.omega[-1], work.velocity[-1]]), frame)


def jacobian(
    robot: AnyRobot,
    q: ArrayLike,
    link: str,
    x: float | str | None = None,
    offset: ArrayLike | None = None,
    frame: Frame = "world",
) -> np.ndarray:
    """Return the Jacobian of `point_velocity` with respect to `v`, shape (6, model.nv)."""
    model = as_model(robot)
    work, point = _frames(model, q, np.zeros(model.nv), link, x, offset)
    J = np.empty((6, model.nv), work.omega.dtype)
    frame_jacobian.frame_jacobian(point.struct, point.workspace(J.dtype.type), len(work.omega) - 1, J)
    return _rotated(work, J, frame)


def point_force(
    robot: AnyRobot,
    q: ArrayLike,
    wrench: ArrayLike,
    link: str,
    x: float | str | None = None,
    offset: ArrayLike | None = None,
    frame: Frame = "world",
) -> Vector:
    """Return generalised forces (model.nv,) of a wrench (torque, force) at a point of `link`: add them to `tau`."""
    model = as_model(robot)
    return jacobian(model, q, link, x, offset, frame).T @ wrench_vector(wrench, "wrench")


def _frames(
    model: Model, q: ArrayLike, v: ArrayLike, link: str, x: float | str | None, offset: ArrayLike | None
) -> tuple[Any, Probe]:
    """Return outward pass with the point as a last, massless frame."""
    q, v = vector(model, q, "q", model.nq), vector(model, v, "v", model.nv)
    number = number_type(model, q, v)
    shift = None if offset is None else numbers(offset, "offset")
    if shift is not None and shift.shape != (3,):
        raise LissomError(f"must be (x, y, z), 3 numbers, not of shape {shift.shape}", ("offset",))
    place: Any = x
    named = isinstance(x, str) and link in model.flexible and model.flexible[link].interfaces
    if x is not None and not named:
        number_or_list = numbers(x, "x")
        if number_or_list.shape != ():
            raise LissomError(f"must be one number, metres along the beam, not of shape {number_or_list.shape}", ("x",))
        place = number_or_list.item()
    point = probe(model, link, place, None if shift is None else tuple(shift.tolist()))
    packed = point.workspace(number)
    forward_kinematics.forward_kinematics(
        point.struct, packed, q.astype(number, copy=False), v.astype(number, copy=False)
    )
    forward_kinematics.world_frames(point.struct, packed)
    work = point.scratch(number)
    finite(model, f"the point on {link}", np.concatenate([work.world_position[-1], work.velocity[-1]]), q=q, v=v)
    return work, point


def _rotated(work: Any, rows: np.ndarray, frame: Frame) -> np.ndarray:
    check_choice("frame", frame, ("world", "local"))
    if frame == "local":
        return rows
    R = work.world_rotation[-1]
    return np.concatenate([R @ rows[:3], R @ rows[3:]])
