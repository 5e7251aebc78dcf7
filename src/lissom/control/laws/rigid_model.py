"""The rigid twin of a robot: what a controller that knows nothing of flexibility computes with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.beam import FlexibleLink
from lissom.model.any_robot import AnyRobot, as_robot
from lissom.model.description.body import Body
from lissom.model.description.joint import Joint
from lissom.model.description.origin import Origin
from lissom.model.description.robot import Link, Robot
from lissom.model.schema.vector_fields import Matrix3

if TYPE_CHECKING:
    from lissom.model.description.force_elements import Element
    from lissom.model.description.kinematic_loop import Loop


def rigid_twin(robot: AnyRobot, rotors: bool = False, friction: bool = False) -> Robot:
    """Return the robot with rigid links, stiff gears and clean joints.

    A beam becomes a rigid body with the mass, centre and inertia of the undeformed beam and the masses on it;
    what is joined to it keeps its place. Elements between links stay, contacts and actuators go. Elastic
    transmissions go, and so do damping, friction and limits;
    springs and the reflected inertia of rigid gears stay. Names and order of links and joints are kept.

    Parameters
    ----------
    rotors : bool
        Keep the rotors of elastic transmissions as reflected inertia of rigid gears.
    friction : bool
        Keep damping and friction of the joints.
    """
    robot = as_robot(robot)
    flexible = robot.flexible_links()
    links = tuple(_rigid_link(link, flexible, rotors, friction) for link in robot.links)
    elements, loops = (
        tuple(_on_rigid_links(part, flexible) for part in parts) for parts in (robot.elements, robot.loops)
    )
    changed = {"links": links, "elements": elements, "loops": loops}
    return robot.model_copy(update={**changed, "materials": {}, "contacts": (), "sensors": (), "actuators": ()})


def _on_rigid_links(part: Element | Loop, flexible: dict[str, FlexibleLink]) -> Element | Loop:
    """Return the element or loop between the places where its ends are while no link is bent."""
    between = tuple(
        frame.model_copy(update=_place_on_rigid_link(frame.at, frame.origin, flexible[frame.link]))
        if frame.link in flexible
        else frame
        for frame in part.between
    )
    return part.model_copy(update={"between": between})


def _place_on_rigid_link(at: float | str | None, origin: Origin, beam: FlexibleLink) -> dict[str, Any]:
    """Place and origin on a rigid link of what sits `at` a place of the beam that it was."""
    x, y, z = origin.xyz
    a, b, c = np.real(beam.position(beam.length if at is None else at)).tolist()
    return {"at": None, "origin": Origin(xyz=(x + a, y + b, z + c), rpy=origin.rpy)}


def _rigid_link(link: Link, flexible: dict[str, FlexibleLink], rotors: bool, friction: bool) -> Link:
    changes: dict[str, Any] = {"joint": _clean_joint(link.joint, rotors, friction)}
    if link.name in flexible:
        changes |= {"beam": None, "finite_elements": None, "body": _body(flexible[link.name])}
    if link.parent in flexible:
        changes |= _place_on_rigid_link(link.at, link.origin, flexible[link.parent])
    return link.model_copy(update=changes)


def _clean_joint(joint: Joint, rotors: bool, friction: bool) -> Joint:
    gear = joint.transmission
    if gear is not None and joint.elastic:
        gear = gear.rigid() if rotors else None
    lossless = {} if friction else {"damping": 0.0, "friction": None}
    return joint.model_copy(update={**lossless, "limits": None, "transmission": gear})


def _body(beam: FlexibleLink) -> Body:
    inv = beam.invariants()
    centre = inv.mc0 / inv.mass
    second = inv.G0 - inv.mass * np.outer(centre, centre)  # second moments about the centre of mass
    inertia = np.trace(second) * np.eye(3) - second
    return Body(
        mass=float(inv.mass),
        com=tuple(centre.tolist()),
        inertia=_rows((inertia + inertia.T) / 2),
        tip=tuple(beam.position(float(np.real(beam.length))).tolist()),
    )


def _rows(matrix: np.ndarray) -> Matrix3:
    a, b, c = (tuple(row) for row in matrix.tolist())
    return a, b, c
