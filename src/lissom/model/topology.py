"""Checks of the robot as a whole: names, the tree, places on beams, materials, masses that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.messages import did_you_mean, listed
from lissom.model.joint_kinds import joint_screws

if TYPE_CHECKING:
    from lissom.model.joint import Joint
    from lissom.model.robot import Link, Robot

Problem = tuple[tuple[str | int, ...], Any, str]
WORLD = "world"
SLENDER = 5.0  # length over thickness below which a beam is no beam


def ordered(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Links with every parent before its children, else as given; what hangs on a cycle is left out."""
    order: list[Link] = []
    placed = {WORLD}
    waiting = list(links)
    while waiting:
        before = len(order)
        for link in waiting:
            if link.parent in placed:
                order.append(link)
                placed.add(link.name)
        if len(order) == before:
            break
        waiting = [link for link in waiting if link.name not in placed]
    return tuple(order)


def problems(robot: Robot) -> list[Problem]:
    """Everything that keeps the robot from being a model: (path, value, what to do)."""
    found = _duplicates(robot) + _materials(robot)
    tree = _parents(robot)
    if found or tree:
        return found + tree
    return _attachments(robot) + _masses(robot)


def doubts(robot: Robot) -> list[str]:
    """Warnings: what is allowed, but seldom meant."""
    return [
        f"links.{link.name}.beam.length = {link.beam.length:g}: only {link.beam.slenderness:.1f} times the "
        "thickness of its section; beam theory is inaccurate there, consider a rigid body"
        for link in robot.links
        if link.beam is not None and link.beam.slenderness < SLENDER
    ]


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
    return found


def _materials(robot: Robot) -> list[Problem]:
    found: list[Problem] = []
    known = list(robot.materials)
    for i, link in enumerate(robot.links):
        kind = "beam" if link.beam is not None else "finite_elements"
        made = link.beam or link.finite_elements
        name = made.material if made is not None else None
        if name is not None and name not in robot.materials:
            remedy = (
                f"the materials are {', '.join(known)}" if known else f"add materials: {{{name}: {{E: ..., rho: ...}}}}"
            )
            text = f"is not among the robot's materials{did_you_mean(name, known)}; {remedy}"
            found.append((("links", i, kind, "material"), name, text))
    return found


def _parents(robot: Robot) -> list[Problem]:
    names = [link.name for link in robot.links]
    found: list[Problem] = []
    for i, link in enumerate(robot.links):
        if link.parent not in (*names, WORLD):
            text = f"is not a link{did_you_mean(link.parent, names)}; name another link, or world"
            found.append((("links", i, "parent"), link.parent, text))
    if found:
        return found
    reached = {link.name for link in ordered(robot.links)}
    parent = {link.name: link.parent for link in robot.links}
    for i, link in enumerate(robot.links):
        chain = [link.name]
        while chain[-1] not in reached and parent[chain[-1]] not in chain:
            chain.append(parent[chain[-1]])
        if link.name not in reached and parent[chain[-1]] == link.name:
            cycle = " -> ".join([*chain, link.name])
            text = f"makes a cycle: {cycle}; join one of them to world or to another link"
            return [(("links", i, "parent"), link.parent, text)]
    return []


def _attachments(robot: Robot) -> list[Problem]:
    found: list[Problem] = []
    by_name = {link.name: link for link in robot.links}
    for i, link in enumerate(robot.links):
        if link.at is None:
            continue
        parent = by_name.get(link.parent)
        if parent is not None and parent.finite_elements is not None:
            names = parent.finite_elements.interface_names
            if not isinstance(link.at, str) or (names and link.at not in names):
                known = f"choose {listed(names)}" if names else "give its name"
                text = f"is not an interface of {parent.name!r}{did_you_mean(link.at, names)}; {known}"
                found.append((("links", i, "at"), link.at, text))
        elif isinstance(link.at, str):
            text = "names an interface, which only a parent of finite elements has; give a place in metres, or leave it"
            found.append((("links", i, "at"), link.at, text))
        elif parent is None or parent.beam is None:
            what = "the world" if parent is None else f"the rigid link {parent.name!r}"
            text = f"is a place along a beam, but the parent is {what}; use origin: {{xyz: [x, y, z]}} instead"
            found.append((("links", i, "at"), link.at, text))
        elif link.at > parent.beam.length:
            end = f"the end of {parent.name!r} (length {parent.beam.length:g})"
            text = f"lies beyond {end}; give a place along it in metres"
            found.append((("links", i, "at"), link.at, text))
    return found


def _masses(robot: Robot) -> list[Problem]:
    """Bodies without mass at the end of a branch, and joints that move nothing."""
    found: list[Problem] = []
    children: dict[str, list[Link]] = {}
    for link in robot.links:
        children.setdefault(link.parent, []).append(link)
    for i, link in enumerate(robot.links):
        if link.body is None:
            continue
        if link.body.mass == 0 and not np.any(link.body.inertia) and link.name not in children:
            text = "a massless body must carry another link; give its mass in kg, or use tip for a tool point"
            found.append((("links", i, "body", "mass"), 0.0, text))
            continue
        inertia = _welded_inertia(link, children)
        if inertia is not None and _moves_nothing(link.joint, inertia):
            if inertia[5, 5] == 0:
                text = f"the {link.joint.type} joint {link.joint.name!r} moves no mass; give the mass in kg"
                found.append((("links", i, "body", "mass"), 0.0, text))
            else:
                joint = f"the {link.joint.type} joint {link.joint.name!r}"
                text = f"{joint} turns a mass without inertia; give the inertia in kg m2, or fix the joint"
                found.append((("links", i, "body", "inertia"), np.diag(link.body.inertia).tolist(), text))
    return found


def _welded_inertia(link: Link, children: dict[str, list[Link]]) -> np.ndarray | None:
    """Spatial inertia (6, 6), in its frame, of a link and what is fixed to it; None if a part can move."""
    if link.body is None:
        return None
    total = _spatial_inertia(link.body.mass, np.array(link.body.com), np.array(link.body.inertia))
    for child in children.get(link.name, []):
        inner = _welded_inertia(child, children) if child.joint.nv == 0 else None
        if inner is None:
            return None
        rotation, shift = child.origin.rotation().T, np.array(child.origin.xyz)
        to_child = np.block([[rotation, np.zeros((3, 3))], [-rotation @ _hat(shift), rotation]])
        total += to_child.T @ inner @ to_child
    return total


def _moves_nothing(joint: Joint, inertia: np.ndarray) -> bool:
    """Whether the inertia seen by the joint's velocities is singular."""
    directions = joint_screws(joint)
    if not len(directions):
        return False
    seen = directions @ inertia @ directions.T
    if joint.transmission is not None and not joint.elastic:
        seen += joint.transmission.gear**2 * joint.transmission.rotor_inertia
    diagonal = np.diag(seen)
    if np.any(diagonal <= 0):
        return True
    scale = 1 / np.sqrt(diagonal)
    return bool(np.linalg.eigvalsh(scale[:, None] * seen * scale)[0] < 1e-12)


def _spatial_inertia(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    c = _hat(com)
    return np.block([[inertia - mass * c @ c, mass * c], [-mass * c, mass * np.eye(3)]])


def _hat(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
