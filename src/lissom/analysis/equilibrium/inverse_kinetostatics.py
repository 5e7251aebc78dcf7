"""Inverse kinematics of links that sag: joint values with which a tip, bent by weight and loads, is at its target."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.equilibrium.held_coordinates import Hold
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.analysis.equilibrium.tangent_matrices import Loads
from lissom.dynamics.coordinates import Named
from lissom.dynamics.kinematic_loops.cylinder_pose import ClosedPose
from lissom.dynamics.kinematics import point_pose
from lissom.dynamics.reaching.inverse_kinematics import Limits, inverse_kinematics
from lissom.dynamics.state_checks import Wrenches
from lissom.errors import LissomError
from lissom.lie import so3
from lissom.model.any_robot import AnyRobot, as_model

CLOSE = 1e-8  # of the distance from the origin to the target, and radians
ROUNDS = 50


def inverse_kinetostatics(
    robot: AnyRobot,
    target: ArrayLike,
    link: str | None = None,
    x: float | str | None = None,
    offset: ArrayLike | None = None,
    q: ArrayLike | Named | None = None,
    keep: Iterable[str] | None = None,
    limits: Limits | None = None,
    hold: Hold = "joints",
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
) -> ClosedPose:
    """Find the pose at rest in which a point of a link is at its target, with all links bent by weight and loads.

    The pose of `inverse_kinematics` for links as they are bent, and the rest in that pose, are computed in turn until
    the point stays where it is to be: sag changes little by small motions, so that each round adds some digits.

    Parameters
    ----------
    robot, target, link, x, offset, q, keep, limits
        As of `inverse_kinematics`.
    hold : str or sequence of str, optional
        What does not give way at rest, as of `static_equilibrium`: "joints", or "motors" where gears do. A load that
        is to hang from a rope is not among the names held: ("slew",) of a crane whose cylinders keep their lengths.
    wrenches, loads : mapping, optional
        What acts beside weight, as of `static_equilibrium`.

    Returns
    -------
    ClosedPose
        `q`, shape (nq,), with the links bent, and `lengths` of the cylinders that differ from their own.

    Raises
    ------
    LissomError
        If the target is out of reach, or sag changes so much with the pose that no rest is found there.

    Examples
    --------
    >>> found = lissom.inverse_kinetostatics("ella", [0.7, 0.5, 0], q={"elbow": 0.5})
    >>> lissom.tip_pose("ella", found.q)[:3, 3]
    """
    model = as_model(robot)
    goal = np.asarray(target, float)
    name = link or model.links[-1]
    kept = None if keep is None else tuple(keep)
    begin: ArrayLike | Named | None = q
    aim, missed = goal.copy(), np.inf
    for _ in range(ROUNDS):
        pose = inverse_kinematics(model, aim, name, x, offset, q=begin, keep=kept, limits=limits)
        rest = static_equilibrium(
            model, pose.q, hold=hold, wrenches=wrenches, loads=loads, lengths=pose.lengths or None
        )
        there = point_pose(model, rest.q, name, x, offset)
        aim, off = _corrected(goal, aim, there)
        size = max(1.0, float(np.linalg.norm(there[:3, 3])))
        if off <= CLOSE * size:
            return ClosedPose(rest.q, pose.lengths)
        if not off < 10 * missed:
            break
        missed, begin = min(off, missed), pose.q
    text = (
        f"no rest is found with {name} there: it stays {missed:.3g} m away, as its sag changes too much with the pose"
    )
    raise LissomError(f"{text}; begin nearer, or take another target", ("target",), goal.tolist())


def _corrected(goal: np.ndarray, aim: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, float]:
    """Return where links that do not bend are to aim next, and by how much the goal is missed, m or rad."""
    if goal.shape == (3,):
        miss = np.nan_to_num(goal - there[:3, 3])
        return aim + miss, float(np.linalg.norm(miss))
    miss = goal[:3, 3] - there[:3, 3]
    turn = goal[:3, :3] @ there[:3, :3].T
    made = aim.copy()
    made[:3, 3] += miss
    made[:3, :3] = turn @ aim[:3, :3]
    return made, max(float(np.linalg.norm(miss)), float(np.linalg.norm(so3.log(turn))))
