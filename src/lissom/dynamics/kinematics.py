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
    """Return the pose of the tip of a link in the world.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    link : str, optional
        The last link unless given.

    Returns
    -------
    ndarray
        Shape (4, 4): coordinates of the tip's frame to those of the world.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> lissom.tip_pose(model, model.neutral())[:3, 3]  # where it is, m
    """
    model = as_model(robot)
    return point_pose(model, q, link or model.links[-1])


def point_pose(
    robot: AnyRobot, q: ArrayLike, link: str, x: float | str | None = None, offset: ArrayLike | None = None
) -> np.ndarray:
    """Return the pose of a point of a link in the world.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    link : str
        The link that carries the point.
    x : float or str, optional
        Place along a beam in metres from its proximal end, or the name of an interface; the tip unless given.
    offset : array_like, optional
        From there to the point, shape (3,), metres, in the axes of the section; without `x` from the tip of the link.

    Returns
    -------
    ndarray
        Shape (4, 4): coordinates of the point's frame to those of the world.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> middle = lissom.point_pose(model, model.neutral(), "upper", x=0.3)
    """
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
    """Return the twist of a point of a link.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    v : array_like
        Velocities, shape (nv,), in the order of `model.coordinates`.
    link : str
        The link that carries the point.
    x : float or str, optional
        Place along a beam in metres from its proximal end, or the name of an interface; the tip unless given.
    offset : array_like, optional
        From there to the point, shape (3,), metres, in the axes of the section; without `x` from the tip of the link.
    frame : {"world", "local"}
        Axes of the components.

    Returns
    -------
    ndarray
        (omega, v), shape (6,), in rad/s and m/s; v is the velocity of the point itself.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> q, v = model.neutral(), np.zeros(model.nv)
    >>> lissom.point_velocity(model, q, v, "upper", x=0.3)
    """
    model = as_model(robot)
    work, _ = _frames(model, q, v, link, x, offset)
    return _rotate(work, np.concatenate([work.omega[-1], work.velocity[-1]]), frame)


def jacobian(
    robot: AnyRobot,
    q: ArrayLike,
    link: str,
    x: float | str | None = None,
    offset: ArrayLike | None = None,
    frame: Frame = "world",
) -> np.ndarray:
    """Return the Jacobian of `point_velocity` with respect to `v`.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    link : str
        The link that carries the point.
    x : float or str, optional
        Place along a beam in metres from its proximal end, or the name of an interface; the tip unless given.
    offset : array_like, optional
        From there to the point, shape (3,), metres, in the axes of the section; without `x` from the tip of the link.
    frame : {"world", "local"}
        Axes of the components.

    Returns
    -------
    ndarray
        Shape (6, nv).

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> J = lissom.jacobian(model, model.neutral(), "forearm")
    """
    model = as_model(robot)
    work, point = _frames(model, q, np.zeros(model.nv), link, x, offset)
    J = np.empty((6, model.nv), work.omega.dtype)
    frame_jacobian.frame_jacobian(point.struct, point.workspace(J.dtype.type), len(work.omega) - 1, J)
    return _rotate(work, J, frame)


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


def _rotate(work: Any, rows: np.ndarray, frame: Frame) -> np.ndarray:
    check_choice("frame", frame, ("world", "local"))
    if frame == "local":
        return rows
    R = work.world_rotation[-1]
    return np.concatenate([R @ rows[:3], R @ rows[3:]])
