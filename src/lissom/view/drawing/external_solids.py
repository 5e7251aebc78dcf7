"""Elements, contacts and loops as solids: ropes, coils, cylinders between two frames; spheres, what they touch; pins.

What is between two frames is drawn along the line that joins them: a point has a share of the way from the first to
the second, and a place in the axes of the line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lissom.lie import so3
from lissom.model.description.frame import Frame
from lissom.view.drawing import triangle_meshes
from lissom.view.drawing.link_solids import JOINT, PAYLOAD, DrawnSolid, Ends, joint_sign
from lissom.view.drawing.triangle_meshes import Mesh

if TYPE_CHECKING:
    from lissom.model.description.contact import Surface
    from lissom.view.drawing.arm_drawing import Drawing

STEEL, ROPE, SPRING, RUBBER, GROUND = "#7A8794", "#4A4A4A", "#0072B2", "#2F3B46", "#C9CFD6"
TURNS, AROUND, CORNERS = 9, 12, 6  # of a coil: turns, points per turn, corners of its wire
DENSITY, LEAST, MOST = 700.0, 0.02, 0.15  # of payloads: kg/m3, and their edge as shares of the reach
BARREL = 0.55  # of its length at rest


def outside_pieces(arm: Drawing) -> list[DrawnSolid]:
    """Return everything there is to draw of elements, contacts and the joints that close loops."""
    robot, made = arm.model.robot, []
    thin = 0.006 * arm.reach
    # loops: a rod for a fixed distance, else the sign of the joint that closes it
    for loop in robot.loops:
        joined = [frame.link for frame in loop.between if frame.link in arm.specs]
        if loop.ratio is not None:
            continue  # a gear or belt inside the arm
        if loop.joint is None:
            ends = (_end(arm, loop.between[0]), _end(arm, loop.between[1]))
            made.append(_piece(loop.name, STEEL, *_line(0.8 * thin), ends))
        elif (sign := joint_sign(arm, loop.joint, joined)) is not None:
            frame, offset = _end(arm, loop.between[1])
            turn = so3.from_rpy(np.real(loop.between[1].origin.rpy))
            made.append(DrawnSolid(loop.name, "joint", JOINT, sign.moved(turn, offset).on(frame)))
    # elements between two frames, each kind with a look of its own
    for element in robot.elements:
        ends = (_end(arm, element.between[0]), _end(arm, element.between[1]))
        if element.drawn == "cylinder":
            held = element.held()
            length = _length(arm, ends) if held is None else float(np.real(held.distance or 0.0))
            barrel = triangle_meshes.rod([0, 0, 0], [BARREL * length, 0, 0], 2.2 * thin)
            made.append(_piece(element.name, STEEL, barrel, np.zeros(len(barrel.points)), ends))
        colour, looks = LOOKS[element.drawn]
        made.append(_piece(element.name, colour, *looks(thin), ends))
    # contacts: the sphere and the surface, each on its own link
    for contact in robot.contacts:
        frame, offset = _end(arm, contact.sphere)
        sphere = triangle_meshes.ball(float(np.real(contact.sphere.radius))).moved(shift=offset).on(frame)
        made.append(DrawnSolid(contact.name, "mass", RUBBER, sphere))
        frame, offset = _end(arm, contact.surface)
        solid = _surface(contact.surface, arm.reach).moved(so3.from_rpy(np.real(contact.surface.origin.rpy)), offset)
        made.append(DrawnSolid(contact.name, "link", GROUND, solid.on(frame)))
    return made


def carried_pieces(arm: Drawing) -> list[DrawnSolid]:
    """Return payloads that links pick up and drop, as cubes by their mass, there while they are carried."""
    made = []
    for payload in arm.carried:
        frame, offset = _end(arm, Frame(link=payload.link, at=payload.at, origin=payload.origin))
        turn = so3.from_rpy(np.array(payload.origin.rpy))
        edge = float(np.clip(np.cbrt(payload.mass / DENSITY), LEAST * arm.reach, MOST * arm.reach))
        cube = triangle_meshes.box([edge, edge, edge]).moved(turn, offset + turn @ np.array(payload.com)).on(frame)
        until = np.inf if payload.drop is None else payload.drop
        made.append(DrawnSolid(payload.called, "payload", PAYLOAD, cube, shown=(payload.pick or 0.0, until)))
    return made


LOOKS: dict[str, tuple[str, Callable[[float], tuple[Mesh, np.ndarray]]]] = {
    "coil": (SPRING, lambda thin: _coil(2.5 * thin, 0.5 * thin)),
    "rope": (ROPE, lambda thin: _line(0.45 * thin)),
    "rod": (STEEL, lambda thin: _line(1.4 * thin)),
    "block": (RUBBER, lambda thin: _line(2.0 * thin)),
    "cylinder": (GROUND, lambda thin: _line(1.1 * thin)),  # the piston; its barrel is another solid
}


def line_axes(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, float]:
    """Return axes (3, 3) whose x points from one place to another, and how far that is."""
    way = end - start
    return triangle_meshes.rotation_along(way), float(np.linalg.norm(way))


def _end(arm: Drawing, frame: Frame) -> tuple[int, np.ndarray]:
    """Return the frame of the drawing that carries a frame of the robot, and the place of its origin there."""
    origin = arm.model.robot.placed(frame).origin
    offset = np.real(np.array(origin.xyz, complex)).astype(float)
    return (arm.world if frame.link == "world" else arm.frame_at(frame.link, frame.at)), offset


def _length(arm: Drawing, ends: Ends) -> float:
    """Return the distance of the two ends in the neutral configuration."""
    frames = arm.frames(arm.motion(arm.model.neutral()))
    first, second = (frames.origin[frame] + frames.axes[frame] @ offset for frame, offset in ends)
    return max(float(np.linalg.norm(second - first)), 0.01 * arm.reach)


def _piece(name: str, colour: str, mesh: Mesh, part: np.ndarray, ends: Ends) -> DrawnSolid:
    return DrawnSolid(name, "link", colour, mesh, None, part, ends)


def _line(radius: float) -> tuple[Mesh, np.ndarray]:
    """Return a rod from one end to the other."""
    rod = triangle_meshes.rod([0, 0, 0], [1, 0, 0], radius, corners=12)
    part = rod.points[:, 0].copy()
    rod.points[:, 0] = 0.0
    return rod, part


def _coil(radius: float, wire: float) -> tuple[Mesh, np.ndarray]:
    """Return a wire wound around the line, straight at both ends."""
    count = TURNS * AROUND + 1
    along = np.linspace(0.06, 0.94, count)
    angle = 2 * np.pi * TURNS * (along - along[0]) / (along[-1] - along[0])
    out = np.stack([np.zeros(count), np.cos(angle), np.sin(angle)], axis=1)
    across = 2 * np.pi * np.arange(CORNERS) / CORNERS
    normals = np.cos(across)[None, :, None] * out[:, None] + np.sin(across)[None, :, None] * np.array([1.0, 0, 0])
    points = radius * out[:, None] + wire * normals
    ring, rows = CORNERS, []
    for k in range(count - 1):
        for c in range(ring):
            a, b = k * ring + c, k * ring + (c + 1) % ring
            rows += [[a, b, b + ring], [a, b + ring, a + ring]]
    flat = points.reshape(-1, 3)
    coil = Mesh(flat, normals.reshape(-1, 3), np.array(rows), np.zeros(len(flat), int))
    part = np.repeat(along, ring)
    legs = []
    for end, place in ((0.0, along[0]), (1.0, along[-1])):
        leg = triangle_meshes.rod([0, 0, 0], [1, 0, 0], wire, corners=CORNERS)
        legs.append((leg, end + leg.points[:, 0] * (place - end)))
        leg.points[:, 0] = 0.0
    return triangle_meshes.merged([coil, *(leg for leg, _ in legs)]), np.concatenate([part, *(p for _, p in legs)])


def _surface(surface: Surface, reach: float) -> Mesh:
    if surface.shape == "box":
        return triangle_meshes.box(np.real(np.array(surface.size)))
    if surface.shape == "ball":
        return triangle_meshes.ball(float(np.real(surface.radius or 0.0)))
    if surface.shape == "cylinder":
        half = 0.5 * float(np.real(surface.length or 0.0))
        return triangle_meshes.rod([0, 0, -half], [0, 0, half], float(np.real(surface.radius or 0.0)), corners=40)
    thick = 0.004 * reach
    return triangle_meshes.box([0.8 * reach, 0.8 * reach, thick]).moved(shift=(0, 0, -0.5 * thick))
