"""Bodies without mass: where they are refused, and where a loop that holds them lends them a trace of inertia.

The piece that a loop ends on, such as a guide or a lug, may have no mass of its own: what the loop joins it to moves
it. The recursion over the tree does not see that, so its coordinates get a trace of the robot's mass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.model.description.joint_kinds import joint_screws

if TYPE_CHECKING:
    from lissom.model.description.joint import Joint
    from lissom.model.description.robot import Link, Robot

Problem = tuple[tuple[str | int, ...], Any, str]
TRACE = 1e-7  # of the robot's mass


def regularising_inertias(robot: Robot) -> list[str]:
    """Return links that move no mass by themselves, but are held by a loop."""
    held = _loop_links(robot)
    if not held:
        return []
    welded = _welded_inertias(robot, _children(robot))
    return [
        link.name
        for link in robot.links
        if link.name in held and (own := welded[link.name]) is not None and _moves_nothing(link.joint, own)
    ]


def _loop_links(robot: Robot) -> set[str]:
    """Return links on which a joint closes a loop, and those to which they are fixed."""
    held = {frame.link for loop in robot.loops if loop.joint is not None for frame in loop.between}
    for link in reversed(robot.bodies):
        if link.name in held and link.joint.nv == 0:
            held.add(link.parent)
    return held


def _children(robot: Robot) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = {}
    for link in robot.bodies:
        found.setdefault(link.parent, []).append(link)
    return found


def mass_problems(robot: Robot) -> list[Problem]:
    """Return bodies without mass at the end of a branch, and joints that move nothing, unless a loop holds them."""
    found: list[Problem] = []
    children, held = _children(robot), _loop_links(robot)
    welded = _welded_inertias(robot, children)
    for i, link in enumerate(robot.links):
        if link.body is None or link.name in held:
            continue
        if link.body.mass == 0 and not np.any(link.body.inertia) and link.name not in children:
            text = "a massless body must carry another link; give its mass in kg, or use tip for a tool point"
            found.append((("links", i, "body", "mass"), 0.0, text))
            continue
        inertia = welded[link.name]
        if inertia is not None and _moves_nothing(link.joint, inertia):
            if inertia[5, 5] == 0:
                text = f"the {link.joint.type} joint {link.joint.name!r} moves no mass; give the mass in kg"
                found.append((("links", i, "body", "mass"), 0.0, text))
            else:
                joint = f"the {link.joint.type} joint {link.joint.name!r}"
                text = f"{joint} turns a mass without inertia; give the inertia in kg m2, or fix the joint"
                found.append((("links", i, "body", "inertia"), np.diag(link.body.inertia).tolist(), text))
    return found


def _welded_inertias(robot: Robot, children: dict[str, list[Link]]) -> dict[str, np.ndarray | None]:
    """Return spatial inertia (6, 6), in its frame, of each link and what is fixed to it; None if a part can move."""
    found: dict[str, np.ndarray | None] = {}
    for link in reversed(robot.bodies):
        found[link.name] = None
        hung = children.get(link.name, [])
        inner = [found[child.name] if child.joint.nv == 0 else None for child in hung]
        if link.body is None or any(part is None for part in inner):
            continue
        total = _spatial_inertia(link.body.mass, np.array(link.body.com), np.array(link.body.inertia))
        for child, part in zip(hung, inner, strict=True):
            rotation, shift = child.origin.rotation().T, np.array(child.origin.xyz)
            to_child = np.block([[rotation, np.zeros((3, 3))], [-rotation @ _hat(shift), rotation]])
            total += to_child.T @ part @ to_child
        found[link.name] = total
    return found


def _moves_nothing(joint: Joint, inertia: np.ndarray) -> bool:
    """Return whether the inertia seen by the joint's velocities is singular."""
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
