"""Checks of the robot as a whole: names, the tree, places on beams, materials, masses that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom.messages import did_you_mean
from lissom.model.compilation.mass_regularisation import mass_problems
from lissom.model.description.kinematic_loop import loop_problems
from lissom.model.description.location import place_problem
from lissom.model.schema.number_fields import degrees_text, looks_like_degrees

if TYPE_CHECKING:
    from lissom.model.description.robot import Link, Robot

Problem = tuple[tuple[str | int, ...], Any, str]
WORLD = "world"
HINTS = 20  # unknown names that are compared with the known ones; each takes a while
SHOWN = 12  # links of a cycle that a message names
SLENDER = 5.0  # length over thickness below which a beam is no beam


def sort_links(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Return links with every parent before its children, else as given; what hangs on a cycle is left out."""
    known = {WORLD}
    for link in links:
        if link.parent not in known or link.name in known:
            break
        known.add(link.name)
    else:
        return links  # as most are
    place = {link.name: k for k, link in enumerate(links)}
    rounds: dict[str, int] = {WORLD: 0}  # how often the list is gone through until a link's turn comes
    lost: set[str] = set()  # what does not reach the world
    for link in links:
        chain: list[Link] = []
        name = link.name
        while name in place and name not in rounds and name not in lost:
            lost.add(name)
            chain.append(links[place[name]])
            name = chain[-1].parent
        for below in reversed(chain):
            if below.parent not in rounds:
                break
            lost.discard(below.name)
            later = below.parent != WORLD and place[below.parent] > place[below.name]
            rounds[below.name] = rounds[below.parent] + later
    reached = [link for k, link in enumerate(links) if link.name in rounds and place[link.name] == k]
    return tuple(sorted(reached, key=lambda link: rounds[link.name]))


def problems(robot: Robot) -> list[Problem]:
    """Return everything that keeps the robot from being a model: (path, value, what to do)."""
    found = _duplicates(robot) + _materials(robot)
    tree = _parents(robot)
    if found or tree:
        return found + tree
    outside = _elements(robot) + _actuators(robot) + loop_problems(robot)
    return _attachments(robot) + outside + _sensors(robot) + mass_problems(robot)


def doubts(robot: Robot) -> list[str]:
    """Return warnings: what is allowed, but seldom meant."""
    return [*_thick_beams(robot), *_degrees(robot)]


def _thick_beams(robot: Robot) -> list[str]:
    """Return beams too thick for beam theory; thicker than long, their sections were likely meant in millimetres."""
    found = []
    for link in robot.links:
        if link.beam is None or link.beam.slenderness >= SLENDER:
            continue
        at, length = f"links.{link.name}.beam", link.beam.length
        large = [
            f"{at}.{path}.{name} = {value:g}: is more than the beam's length of {length:g}, as lengths are in metres; "
            f"for millimetres write {value:g} mm"
            for path, section in link.beam.described_sections()
            for name, value in section.lengths()
            if value > length
        ]
        text = (
            f"{at}.length = {length:g}: only {link.beam.slenderness:.1f} times the thickness of its section; "
            "beam theory is inaccurate there, consider a rigid body"
        )
        found += large or [text]
    return found


def _degrees(robot: Robot) -> list[str]:
    """Return angles of joints and origins that look like degrees."""
    found = []
    for link in robot.links:
        at, joint = f"links.{link.name}", link.joint
        turned = () if joint.kind.coupled else joint.kind.velocity_units
        blocks = [("spring", "rest", joint.spring), *(("limits", end, joint.limits) for end in ("lower", "upper"))]
        values = [
            (f"{at}.joint.{block}.{name}", value)
            for block, name, part in blocks
            if part is not None
            for value, unit in zip(joint.each(getattr(part, name)), turned)
            if unit == "rad"
        ]
        values += [(f"{at}.origin.rpy", value) for value in link.origin.rpy]
        found += [f"{path} = {value:g}: {degrees_text(value)}" for path, value in values if looks_like_degrees(value)]
    return found


def _duplicates(robot: Robot) -> list[Problem]:
    found: list[Problem] = []
    links: dict[str, int] = {}
    joints: dict[str, str] = {}
    for i, link in enumerate(robot.links):
        if link.name in links:
            found.append((("links", i, "name"), link.name, "is the name of an earlier link too; give each its own"))
        elif link.joint.name in joints:
            other = joints[link.joint.name]
            text = f"is the name of the joint of link {other!r} too; give each joint its own"
            found.append((("links", i, "joint", "name"), link.joint.name, text))
        links.setdefault(link.name, i)
        joints.setdefault(link.joint.name, link.name)
    for i, link in enumerate(robot.links):
        carried = link.carried()
        if carried is not None and (carried.name in links or carried.name in joints):
            text = f"makes a body {carried.name!r}, and a link or joint has that name; rename it"
            found.append((("links", i, "payload"), carried.name, text))
    return found


def _materials(robot: Robot) -> list[Problem]:
    found: list[Problem] = []
    known = list(robot.materials)
    for i, link in enumerate(robot.links):
        kind = "beam" if link.beam is not None else "finite_elements"
        made = link.beam or link.finite_elements
        names: list[tuple[tuple[str | int, ...], str | None]] = []
        if made is not None:
            names.append((("material",), made.material))
        if link.beam is not None:
            stations = {s.material: k for k, s in reversed([*enumerate(link.beam.stations)])}
            names += [(("stations", k, "material"), name) for name, k in stations.items()]
        for field, name in names:
            if name is None or name in robot.materials:
                continue
            remedy = (
                f"the materials are {', '.join(known)}" if known else f"add materials: {{{name}: {{E: ..., rho: ...}}}}"
            )
            text = f"is not among the robot's materials{did_you_mean(name, known)}; {remedy}"
            found.append((("links", i, kind, *field), name, text))
    return found


def _parents(robot: Robot) -> list[Problem]:
    names = [link.name for link in robot.links]
    known = {*names, WORLD}
    found: list[Problem] = []
    for i, link in enumerate(robot.links):
        if link.parent not in known:
            hint = did_you_mean(link.parent, names) if len(found) < HINTS else ""
            found.append((("links", i, "parent"), link.parent, f"is not a link{hint}; name another link, or world"))
    if found or len(known) <= len(names):  # two of one name: which is meant where cannot be said
        return found
    reached = {link.name for link in sort_links(robot.links)}
    place = {link.name: i for i, link in enumerate(robot.links)}
    lost = next((link for link in robot.links if link.name not in reached), None)
    if lost is None:
        return []
    way: dict[str, None] = {}  # up from a link that does not reach the world: sooner or later in a circle
    while lost.name not in way:
        way[lost.name] = None
        lost = robot.links[place[lost.parent]]
    circle = list(way)[list(way).index(lost.name) :]
    first = circle.index(min(circle, key=place.__getitem__))
    circle = circle[first:] + circle[: first + 1]
    shown = circle if len(circle) <= SHOWN else [*circle[: SHOWN - 2], "...", circle[-1]]
    text = f"makes a cycle: {' -> '.join(shown)}; join one of them to world or to another link"
    link = robot.links[place[circle[0]]]
    return [(("links", place[link.name], "parent"), link.parent, text)]


def _elements(robot: Robot) -> list[Problem]:
    if not robot.elements and not robot.contacts:
        return []
    from lissom.model.description.force_elements import element_problems

    return element_problems(robot)


def _actuators(robot: Robot) -> list[Problem]:
    found: list[Problem] = []
    others = {part.name: "elements" for part in robot.elements} | {loop.name: "loops" for loop in robot.loops}
    others |= {link.joint.name: "joints" for link in robot.bodies} | {link.name: "links" for link in robot.bodies}
    for k, actuator in enumerate(robot.actuators):
        if actuator.name in others:
            text = f"is the name of one of the {others[actuator.name]} too; give each its own"
            found.append((("actuators", k, "name"), actuator.name, text))
        others[actuator.name] = "actuators"
        found += actuator.problems(robot, ("actuators", k))
    return found


def _sensors(robot: Robot) -> list[Problem]:
    if not robot.sensors:
        return []
    from lissom.model.description.sensor import sensor_problems

    return sensor_problems(robot, robot.sensors)


def _attachments(robot: Robot) -> list[Problem]:
    found: list[Problem] = []
    by_name = {link.name: link for link in robot.links}
    for i, link in enumerate(robot.links):
        text = place_problem(by_name.get(link.parent), link.at, "parent")
        if text:
            found.append((("links", i, "at"), link.at, text))
    return found
