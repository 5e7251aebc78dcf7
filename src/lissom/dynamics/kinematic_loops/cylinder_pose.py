"""A pose by name on a machine with cylinders, and which lengths cylinders, ropes and rods have there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.coordinates import Named, configuration, indices, velocity_indices
from lissom.dynamics.kinematic_loops.loop_closing import CLOSED, NEAR, closed_configuration
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_jacobian, row_places
from lissom.dynamics.state_checks import Vector, integrate
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

NEARBY = 0.1  # rad or m: joints are moved so far at random, so that no special pose decides who follows
DEPENDENT = 1e-6  # of a row, what others leave of it


class ClosedPose(NamedTuple):
    """A configuration at which all loops are closed, and lengths of cylinders that are not their own."""

    q: Vector  # (nq,)
    lengths: dict[str, float]  # m, by cylinder or loop


def lengths(robot: AnyRobot, q: ArrayLike | Named | None = None) -> dict[str, float]:
    """Return how long every cylinder, spring, rope and rod is at a pose, in metres by name.

    The way back, from lengths to joint values, is `closed_pose(robot, {"lift": 3.8})`.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like or mapping, optional
        A configuration (nq,), measured as it is; or {joint: value}, in which cylinders driven by length may be named
        like joints: all loops are closed first, as by `closed_pose`. Neutral unless given.

    Returns
    -------
    dict of str to float
        Distance between the ends of every element between two frames, and of every loop that holds a distance.

    Examples
    --------
    >>> lissom.lengths("luffing-crane", {"pin": 0.4})
    """
    model = as_model(robot)
    given = q is not None and not isinstance(q, Mapping)
    pose = configuration(model, q) if given else closed_pose(model, q).q
    place, elements, loops = row_places(model, pose), model.arrays.elements, model.arrays.loops
    spans = {part.name: (elements.first[k], elements.second[k]) for k, part in enumerate(model.robot.elements)}
    spans |= {
        loop.name: (loops.first[k], loops.second[k]) for k, loop in enumerate(model.loops) if loop.distance is not None
    }
    return {name: float(np.linalg.norm(place[b] - place[a])) for name, (a, b) in spans.items()}


def closed_pose(
    robot: AnyRobot, q: ArrayLike | Named | None = None, lengths: Mapping[str, float] | None = None
) -> ClosedPose:
    """Find the pose that is meant by joint values and cylinder lengths, all loops closed without bending a link.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like or mapping, optional
        {joint: value}, where a cylinder driven by length, or a loop that holds a distance, may be named like a
        joint ({"c1": 2.8}); named joints are kept, and cylinders that would contradict them take the length that
        follows from the pose. Or an array (nq,): cylinders have the lengths that they have there.
    lengths : mapping of str to float, optional
        Distance in metres of loops that hold one, where it is neither their own nor to follow.

    Returns
    -------
    ClosedPose
        The configuration `q`, shape (nq,), and `lengths` of the cylinders that differ from their own.

    Examples
    --------
    >>> lissom.closed_pose("luffing-crane", {"pin": 0.4}).lengths
    >>> lissom.closed_pose("luffing-crane", {"lift": 3.8}).q
    """
    model = as_model(robot)
    named, given = split_lengths(model, q, lengths)
    if not model.loops:
        return ClosedPose(configuration(model, named), given)
    if not isinstance(named, Mapping):
        pose = configuration(model, named)
        follow, kept = (cylinders(model) - set(given) if named is not None else set()), set()
    else:
        exact = [name for name in named if not name.endswith(NEAR)]
        pose = configuration(model, {name.removesuffix(NEAR): value for name, value in named.items()})
        kept = {k for name in exact for k in velocity_indices(model, name)}
        follow = _following(model, pose, kept, cylinders(model) - set(given)) if kept else set()
    closed = closed_configuration(model, pose, kept, given, leave=follow)
    return ClosedPose(closed, given | lengths_at(model, closed, follow))


def split_lengths(model: Model, q: Any, lengths: Mapping[str, float] | None) -> tuple[Any, dict[str, float]]:
    """Return what `q` says of joints, and lengths by loop: those given, and those that `q` names like joints."""
    out = {name: float(value) for name, value in (lengths or {}).items()}
    held = {loop.name for loop in model.loops if loop.distance is not None}
    for name in out:
        if name not in held:
            known = f"those that do are {', '.join(sorted(held))}" if held else "this robot has none"
            raise LissomError(f"no cylinder or loop of that name holds a length; {known}", ("lengths", name))
    if not isinstance(q, Mapping):
        return q, out
    for name in set(q) & held:
        value = np.squeeze(np.asarray(q[name], object)).item()
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < np.inf:
            raise LissomError("is a length: it takes one number of metres above zero", ("q", name), q[name])
        out[name] = float(value)
    return {name: value for name, value in q.items() if name not in held}, out


def cylinders(model: Model) -> set[str]:
    """Return names of the cylinders that are driven by their length."""
    return {model.robot.elements[k].name for k in model.held_elements}


def lengths_at(model: Model, q: Vector, names: Iterable[str]) -> dict[str, float]:
    """Return the distance between the ends of loops that hold one, at q; only where it is not their own."""
    own = {loop.name: loop.distance for loop in model.loops if loop.distance is not None}
    found = loop_lengths(model, q, names)
    return {name: length for name, length in found.items() if abs(length - own[name]) > CLOSED * max(1.0, length)}


def loop_lengths(model: Model, q: Vector, names: Iterable[str]) -> dict[str, float]:
    """Return the distance between the ends of the named loops, which hold one, at q."""
    table, rows = model.arrays.loops, {loop.name: k for k, loop in enumerate(model.loops)}
    place = row_places(model, q)
    ends = {name: (table.second[rows[name]], table.first[rows[name]]) for name in names}
    return {name: float(np.linalg.norm(place[b] - place[a])) for name, (b, a) in ends.items()}


def _following(model: Model, q: Vector, kept: set[int], names: set[str]) -> set[str]:
    """Return cylinders whose lengths the kept joints decide: free joints cannot change them beside the other rows."""
    joints = {k for body in model.bodies for k in indices(body.joint_v)}
    fixed = kept | set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
    step = np.zeros(model.nv)
    step[sorted(joints)] = np.random.default_rng(0).uniform(-NEARBY, NEARBY, len(joints))
    G = loop_jacobian(model, integrate(model, q, step))
    free, table = sorted(joints - fixed), model.arrays.loops
    order = sorted(range(len(model.loops)), key=lambda k: model.loops[k].name in names)
    basis, follow = np.zeros((0, len(free))), set()
    for k in order:
        for row in range(*table.rows[k]):
            left = G[row, free] - basis.T @ (basis @ G[row, free])
            left = left - basis.T @ (basis @ left)
            size = np.linalg.norm(left)
            if size > DEPENDENT * max(np.linalg.norm(G[row]), np.finfo(float).tiny):
                basis = np.vstack([basis, left / size])
            elif model.loops[k].name in names:
                follow.add(model.loops[k].name)
    return follow
