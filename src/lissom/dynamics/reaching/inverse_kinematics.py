"""Inverse kinematics: joint values that bring a point of any robot to a place or a pose, by the least motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.coordinates import Named, indices, velocity_indices
from lissom.dynamics.kinematic_loops.cylinder_pose import ClosedPose, closed_pose, cylinders, lengths_at, loop_lengths
from lissom.dynamics.kinematic_loops.loop_closing import links_around, move_rotors
from lissom.dynamics.reaching.tip_search import REACHED, Goal, TipSearch
from lissom.dynamics.state_checks import Vector, numbers
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

Limits = Mapping[str, tuple[ArrayLike, ArrayLike]]


def inverse_kinematics(
    robot: AnyRobot,
    target: ArrayLike,
    link: str | None = None,
    x: float | str | None = None,
    offset: ArrayLike | None = None,
    q: ArrayLike | Named | None = None,
    keep: Iterable[str] | None = None,
    limits: Limits | None = None,
    lengths: Mapping[str, float] | None = None,
) -> ClosedPose:
    """Find the pose nearest to `q` that brings a point of a link to its target; loops closed, limits kept.

    Nearest means the least sum of squares of what joints move by, in radians and in parts of the robot's size. Links
    do not bend for it: they stay as they are in `q`. Cylinders driven by length follow. Where the motion is long, the
    nearest of up to twenty poses is taken, found from further starts.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    target : array_like
        Where the point is to be in the world: (3,) metres, the orientation free, in which nan leaves a direction free
        too; or (4, 4), a pose as of `point_pose`.
    link : str, optional
        The link that carries the point; the last one unless given.
    x : float or str, optional
        Place along a beam in metres from its proximal end, or the name of an interface; the tip unless given.
    offset : array_like, optional
        From there to the point, shape (3,), metres, in the axes of the section; without `x` from the tip of the link.
    q : array_like or mapping, optional
        Where the motion begins: (nq,), or {joint: value}, in which cylinders driven by length may be named like
        joints; neutral unless given.
    keep : iterable of str, optional
        Joints that do not move; those that float, held by no loop (a satellite, a load on a rope), unless given.
    limits : mapping, optional
        {joint or cylinder: (lower, upper)}, beside the `limits` of the robot itself.
    lengths : mapping of str to float, optional
        Lengths in metres that cylinders are to keep.

    Returns
    -------
    ClosedPose
        `q`, shape (nq,), and `lengths` of the cylinders that differ from their own. An error says by how much a target
        is missed, and which limits are in the way.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> found = lissom.inverse_kinematics(model, [0.7, 0.5, 0], q={"elbow": 0.5})
    >>> lissom.tip_pose(model, found.q)[:3, 3]
    >>> crane = lissom.inverse_kinematics("luffing-crane", [12, np.nan, np.nan], "boom")
    >>> crane.lengths  # {"lift": ...}
    """
    model = as_model(robot)
    goal = _goal(target)
    start, _ = closed_pose(model, q, lengths)
    given = dict(lengths or {})
    kept = {k for name in keep for k in velocity_indices(model, name)} if keep is not None else _floating(model)
    joints, strokes = _split_limits(model, limits or {})
    lower, upper = _bounds(model, start, joints)
    point = (link or model.links[-1], x, offset)
    for _ in range(len(strokes) + 1):  # a cylinder at the end of its stroke is held there
        search = TipSearch(model, point, goal, start, kept, (lower, upper), given)
        found = search.nearest()
        now = loop_lengths(model, found, strokes)
        beyond = {name: float(np.clip(now[name], *strokes[name])) for name in strokes if name not in given}
        beyond = {name: end for name, end in beyond.items() if abs(end - now[name]) > REACHED * search.size}
        if not beyond:
            break
        worst = max(beyond, key=lambda name: abs(beyond[name] - now[name]))
        given[worst] = beyond[worst]
    found = move_rotors(model, start, found, kept)
    return ClosedPose(found, given | lengths_at(model, found, cylinders(model) - set(given)))


def _goal(target: ArrayLike) -> Goal:
    array = numbers(target, "target")
    place = array.shape == (3,) and np.isfinite(array).any() and not np.isinf(array).any()
    if not (place or (array.shape == (4, 4) and np.isfinite(array).all())) or np.iscomplexobj(array):
        text = "must be a place (x, y, z), in which nan leaves a direction free, or a pose (4, 4) of finite numbers"
        raise LissomError(text, ("target",), array.tolist() if array.size <= 3 else None)
    if place:
        return Goal(array, None)
    R = array[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise LissomError("its first three rows and columns are no rotation: R R' = 1 with det R = 1", ("target",))
    return Goal(array[:3, 3], R)


def _floating(model: Model) -> set[int]:
    """Return indices in v of joints that float and that no loop holds: satellites, loads on ropes."""
    held = {link for k in range(len(model.loops)) for link in links_around(model, k)}
    pairs = zip(model.robot.bodies, model.bodies, strict=True)
    loose = [body for link, body in pairs if link.joint.kind.floats and body.link not in held]
    return {k for body in loose for k in indices(body.joint_v)}


def _split_limits(model: Model, limits: Limits) -> tuple[dict[str, Any], dict[str, tuple[float, float]]]:
    """Return limits of joints, and limits of lengths by cylinder; unknown names and empty ranges are refused."""
    joints, strokes, names = {}, {}, cylinders(model)
    for name, pair in limits.items():
        try:
            lower, upper = (np.asarray(end, float) for end in pair)
        except (TypeError, ValueError):
            raise LissomError("must be (lower, upper), two numbers", ("limits", name), pair) from None
        if not np.all(lower <= upper):
            raise LissomError("must be (lower, upper) with lower below upper", ("limits", name), pair)
        if name in names:
            strokes[name] = float(lower), float(upper)
        else:
            velocity_indices(model, name)
            joints[name] = lower, upper
    return joints, strokes


def _bounds(model: Model, start: Vector, given: Mapping[str, Any]) -> tuple[Vector, Vector]:
    """Return how far coordinates (nv,) may move from `start` within limits; joints on a group have none."""
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        joint = link.joint
        if joint.kind.on_group:
            continue
        if joint.limits is not None:
            own = body.joint_v
            lower[own] = np.real(joint.each(joint.limits.lower)) - start[body.joint_q]
            upper[own] = np.real(joint.each(joint.limits.upper)) - start[body.joint_q]
    for name, (least, most) in given.items():
        at = velocity_indices(model, name)
        places = {k: place for body in model.bodies for k, place in _places(body)}
        if any(k not in places for k in at):
            raise LissomError("is no joint that turns or slides about fixed axes; it takes no limits", ("limits", name))
        now = start[[places[k] for k in at]]
        lower[at], upper[at] = np.maximum(lower[at], least - now), np.minimum(upper[at], most - now)
    if np.any(lower > upper):
        name = model.coordinates[int(np.argmax(lower - upper))]
        raise LissomError("leave no place that those of the robot allow as well", ("limits", name))
    return lower, upper


def _places(body: Any) -> list[tuple[int, int]]:
    """Return (index in v, index in q) of the coordinates of a joint, none where it is on a group."""
    v, q = indices(body.joint_v), indices(body.joint_q)
    return list(zip(v, q)) if len(v) == len(q) else []
