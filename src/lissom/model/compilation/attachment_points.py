"""Where things act on a beam inside its span: what its functions should know besides its ends.

Child joints, loops, elements, contacts, masses, and the `attachments` of the beam itself: places where loads will act
that the robot does not show, such as those of a scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.kernel.data.arrays import Element

if TYPE_CHECKING:
    from lissom.beam import Place
    from lissom.model.description.frame import Frame
    from lissom.model.description.kinematic_loop import Loop
    from lissom.model.description.robot import Link, Robot


def acting_places(robot: Robot, link: Link) -> tuple[Place, ...]:
    """Return the places inside the span of a beam at which something acts, in metres; none on other links."""
    if link.beam is None:
        return ()
    found = [*_of_beam(link), *_of_frames(robot, link.name)]
    found += [(other.at, True) for other in robot.links if other.parent == link.name and _is_place(other.at)]
    return _inside(found, link)


def way(robot: Robot, loop: Loop) -> set[str]:
    """Return the links between the two frames of a loop, those of the frames included."""
    parents = {link.name: link.parent for link in robot.links}
    ways: list[list[str]] = []
    for frame in loop.between:
        way = [frame.link]
        while way[-1] in parents:
            way.append(parents[way[-1]])
        ways.append(way)
    return set(ways[0]) ^ set(ways[1]) | {frame.link for frame in loop.between}


def attachments(robot: Robot) -> list[tuple[str, float]]:
    """Return places (link, x) where beams are told that loads will act."""
    return [(link.name, x) for link in robot.links if link.beam is not None for x in link.beam.attachments]


def with_attachments(robot: Robot, acted: Iterable[tuple[str, Any]]) -> Robot:
    """Return the robot whose beams know of loads at places (link, x), where `modes: auto` chooses their functions."""
    more: dict[str, list[float]] = {}
    for name, at in acted:
        more.setdefault(name, []).append(at)
    changed = {}
    for link in robot.links:
        if link.beam is None or link.name not in more or not link.beam.chooses_functions:
            continue
        known = {place for place in acting_places(robot, link) if place.couple}
        new = [place.x for place in _inside([(at, True) for at in more[link.name] if _is_place(at)], link)]
        new = [x for x in new if {*_inside([(x, True), *(place[:2] for place in known)], link)} != known]
        if new:
            beam = link.beam.model_copy(update={"attachments": (*link.beam.attachments, *new)})
            changed[link.name] = link.model_copy(update={"beam": beam})
    if not changed:
        return robot
    return robot.model_copy(update={"links": tuple(changed.get(link.name, link) for link in robot.links)})


def _inside(found: list[tuple[Any, bool]], link: Link) -> tuple[Place, ...]:
    """Return pairs (x, whether couples act there) as places between the ends of a beam."""
    assert link.beam is not None
    if not found:
        return ()
    from lissom.beam.functions.attachment_functions import Place, inside  # here: most robots have none

    return inside([Place(*pair) for pair in found], float(np.real(link.beam.length)))


def _is_place(at: Any) -> bool:
    return at is not None and not isinstance(at, str)


def _of_beam(link: Link) -> Iterator[tuple[Any, bool]]:
    assert link.beam is not None
    for mass in link.beam.masses:
        if mass.at is not None:
            yield mass.at, bool(np.any(mass.com) or np.any(mass.inertia))
    yield from ((x, True) for x in link.beam.attachments)


def _of_frames(robot: Robot, name: str) -> Iterator[tuple[Any, bool]]:
    """Yield the places of loops, elements and contacts; what holds or pushes a point on the axis brings no couple."""
    for loop in robot.loops:
        yield from _on(name, loop.between, not _points(loop))
    for element in robot.elements:
        yield from _on(name, element.between, element.kind is Element.BUSHING)
    for actuator in robot.drives:
        yield from _on(name, actuator.points_of_force(robot), False)
    for contact in robot.contacts:
        yield from _on(name, (contact.sphere, contact.surface), True)


def _on(name: str, frames: Iterable[Frame], couple: bool) -> Iterator[tuple[Any, bool]]:
    for frame in frames:
        if frame.link == name and _is_place(frame.at):
            yield frame.at, couple or bool(np.any(frame.origin.xyz))


def _points(loop: Loop) -> bool:
    """Return whether a loop holds points alone, however its frames turn."""
    return loop.joint is None or loop.joint.kind.on_group
