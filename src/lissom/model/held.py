"""What holds a link at its ends, as far as its shape functions should know.

A link that turns freely at both ends about the axis it bends about (the coupler of a four-bar) bows between its ends.
The functions of `auto` are made for links that carry something at a free tip; for such links polynomials fit better.
Where the field is of low order the frame of a plain link (uniform, without shear) is put on the chord: seen from there
slopes are half as large, and the field `first` has terms of fourth order (`lissom.beam.bow`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.kernel.arrays import Motion
from lissom.model.joint_kinds import joint_steps

if TYPE_CHECKING:
    from lissom.model.joint import Joint
    from lissom.model.robot import Link, Robot

BENDS_ABOUT = {"y": np.array([0.0, 0.0, 1.0]), "z": np.array([0.0, 1.0, 0.0])}


def fitting_ends(robot: Robot, link: Link) -> dict[str, str]:
    """Functions by direction for a beam with `ends: auto` that turns freely at both ends; none for others."""
    if link.beam is None or link.beam.ends != "auto" or not robot.loops:
        return {}
    tips = [
        (loop.joint, frame.origin.rotation())
        for loop in robot.loops
        for frame in loop.between
        if loop.joint is not None and frame.link == link.name and _at_tip(link, frame.at)
    ]
    carried = [other.joint for other in robot.links if other.parent == link.name and _at_tip(link, other.at)]
    own = link.joint
    idle = not (np.any(own.damping) or own.friction or own.spring or own.limits or own.transmission)
    name = "chord" if idle and link.beam.stiffening != "exact" and link.beam.plain else "legendre"
    return {
        direction: name
        for direction, axis in BENDS_ABOUT.items()
        if _turns(own, axis)
        and any(_turns(joint, np.real(R).T @ axis) for joint, R in tips)
        and not any(joint.nv == 0 for joint in carried)  # a boom that goes on behind its lug
    }


def _at_tip(link: Link, at: float | str | None) -> bool:
    assert link.beam is not None
    return at is None or at == link.beam.length


def _turns(joint: Joint, axis: np.ndarray) -> bool:
    """Whether a joint turns freely about the axis."""
    steps = joint_steps(joint)
    if any(step.motion in (Motion.BALL, Motion.FLOAT) for step in steps):
        return True
    turns = [np.real(step.screw[:3]) for step in steps if step.motion is Motion.TURN]
    return any(abs(turn @ axis) > 0.99 for turn in turns)
