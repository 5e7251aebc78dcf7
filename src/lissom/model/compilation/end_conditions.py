"""What holds a beam at its ends, as far as its functions, its field and its frame should know.

A link on a closed loop is held at both ends and may bow by several hundredths of its length in between, while whatever
hangs on it follows its foreshortening: the second-order field gets terms of fourth order
(`beam.displacement_fields.chord_field`). One that turns freely at both ends about the axis it bends about (the coupler
of a four-bar) gets polynomials: the functions of `auto` are made for links that carry something at a free tip. One
whose joint lets its base turn or slide as it bends gets a function more.

With `frame: chord` the link's frame goes through both ends. Its slopes are half as large then, and what the fields of
low order leave out is smaller by far. The joint's angle is that of the chord, so that nothing may act in the joint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lissom.errors import RobotError
from lissom.model.compilation.attachment_points import way
from lissom.model.description.joint_kinds import MotionStep, joint_steps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lissom.model.description.joint import Joint
    from lissom.model.description.robot import Link, Robot

BENDS_ABOUT = {"y": np.array([0.0, 0.0, 1.0]), "z": np.array([0.0, 1.0, 0.0])}
ALONG = {"y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
OBLIQUE = 0.1  # part of a joint's axis across a link, from which on it matters to its bending
ON_CHORD = "the frame of {0} lies on its chord, so that nothing may drive its joint; use frame: base"


class EndConditions(NamedTuple):
    """What follows for a beam from how it is held."""

    ends: tuple[tuple[str, str], ...] = ()  # functions by direction that take the place of `auto`
    chord: tuple[str, ...] = ()  # directions in which its frame lies on its chord
    fourth_order: bool = False
    in_loop: bool = False
    loose: tuple[str, ...] = ()  # directions in which the joint lets the base move


NOT_HELD = EndConditions()


def links_on_loops(robot: Robot) -> frozenset[str]:
    """Return the links whose tip a loop, or a cylinder of given length, holds as well as their base."""
    return frozenset().union(*(way(robot, loop) for loop in robot.closures if loop.ratio is None))


def end_conditions(robot: Robot, link: Link, on_loops: Collection[str]) -> EndConditions:
    """Return how a link of a robot is held; `on_loops`: see `links_on_loops`."""
    beam = link.beam
    if beam is None:
        return NOT_HELD
    loose = tuple(direction for direction in BENDS_ABOUT if _moves(link.joint, direction))
    at_tip = list(_tip_joints(robot, link, on_loops)) if link.name in on_loops else []
    base = tuple(direction for direction, axis in BENDS_ABOUT.items() if _turns_last(link.joint, axis))
    turning = tuple(
        direction for direction in base if any(_turns(joint, R.T @ BENDS_ABOUT[direction]) for joint, R in at_tip)
    )
    if turning and _goes_on(robot, link):
        turning = ()
    ends = {direction: "legendre" for direction in turning} if beam.ends == "auto" else {}
    chord = base if beam.frame == "chord" else ()
    if beam.frame == "chord" and (not base or _acts(link.joint)):
        text = "needs a joint that turns freely about the axis the link bends about, with nothing that acts in it"
        raise RobotError(f"{text}; leave frame out", ("links", link.name, "beam", "frame"), "chord")
    return EndConditions(tuple(ends.items()), chord, bool(at_tip or chord), link.name in on_loops, loose)


def _acts(joint: Joint) -> bool:
    """Return whether a joint acts by itself: its forces turn the section at the base, not the chord."""
    return bool(np.any(joint.damping) or joint.friction or joint.spring or joint.stops or joint.transmission)


def _tip_joints(robot: Robot, link: Link, on_loops: Collection[str]) -> Iterator[tuple[Joint | None, np.ndarray]]:
    """Return what holds the tip of a link on a loop: joints, None for a rod, and how their frames stand there."""
    for loop in (loop for loop in robot.loops if loop.ratio is None):
        for frame in loop.between:
            if frame.link == link.name and _at_tip(link, frame.at):
                yield loop.joint, np.real(frame.origin.rotation())
    for other in robot.links:
        if other.parent == link.name and other.name in on_loops and _at_tip(link, other.at):
            yield other.joint, np.real(other.origin.rotation())


def _goes_on(robot: Robot, link: Link) -> bool:
    """Return whether another link is fixed to the tip of a link: a boom that goes on behind its lug."""
    return any(part.parent == link.name and part.joint.nv == 0 and _at_tip(link, part.at) for part in robot.links)


def _at_tip(link: Link, at: float | str | None) -> bool:
    assert link.beam is not None
    return at is None or at == link.beam.length


def _turns(joint: Joint | None, axis: np.ndarray) -> bool:
    """Return whether a joint turns freely about the axis; a rod does about any."""
    return joint is None or any(_turns_about(step, axis) for step in joint_steps(joint))


def _turns_last(joint: Joint, axis: np.ndarray) -> bool:
    """Return whether a joint turns freely about an axis that is fixed in the link, however the joint stands."""
    steps = joint_steps(joint)
    return bool(steps) and _turns_about(steps[-1], axis)


def _moves(joint: Joint, direction: str) -> bool:
    """Return whether a joint lets a link turn about the axis it bends about, or slide along the direction."""
    twist = np.concatenate([BENDS_ABOUT[direction], ALONG[direction]])
    return any(
        step.row.on_group or bool(np.any(abs(np.real(step.screw) * twist) > OBLIQUE)) for step in joint_steps(joint)
    )


def _turns_about(step: MotionStep, axis: np.ndarray) -> bool:
    if step.row.on_group:
        return True
    freely = step.row.turns and not step.row.coupled
    return freely and bool(abs(np.real(step.screw[:3]) @ axis) > 0.99)
