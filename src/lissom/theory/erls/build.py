"""A chain of elastic links from a compiled robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.lie import se3, so3
from lissom.model.description.joint_kinds import joint_screws
from lissom.model.description.robot import Link
from lissom.model.model import Model
from lissom.theory.coverage import LINEAR_LINKS, Feature, check_coverage
from lissom.theory.erls.chain import Chain, Node
from lissom.theory.erls.link import ErlsLink

COVERS = LINEAR_LINKS | {Feature.ELASTIC_GEARS}
NOTHING = ErlsLink.rigid(0.0, np.zeros(3), np.zeros((3, 3)))


def chain(model: Model) -> tuple[Chain, dict[str, int]]:
    """Return the chain of a robot, and the node of each link.

    `Unsupported` where a joint is a ball or prescribed, or a link has the geometrically exact field.
    """
    check_coverage(model, "erls", COVERS)
    nodes: list[Node] = []
    at: dict[str, int] = {}
    for link in model.robot.bodies:
        parent, place, shapes = _carrier(model, link, at)
        origin = se3.from_parts(so3.from_rpy(link.origin.rpy), link.origin.xyz)
        steps: list[np.ndarray | None] = [*joint_screws(link.joint)] or [None]
        for screw in steps[:-1]:
            nodes.append(Node(NOTHING, parent, place, shapes, origin, screw))
            parent, place, shapes, origin = len(nodes) - 1, np.zeros(3), np.zeros((6, 0)), np.eye(4)
        nodes.append(Node(_link(model, link), parent, place, shapes, origin, steps[-1]))
        at[link.name] = len(nodes) - 1
    return Chain(tuple(nodes), np.asarray(model.robot.gravity, float)), at


def place_on(model: Model, link: Link, x: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return a place on a link: its position (3,) and its rotation and displacement (6, m) per elastic coordinate."""
    elastic = model.flexible.get(link.name)
    if elastic is None:
        return np.zeros(3), np.zeros((6, 0))
    section = elastic.section_map(elastic.length if x is None else x)
    return np.asarray(section.position), np.concatenate([section.psi, section.phi])


def _carrier(model: Model, link: Link, at: dict[str, int]) -> tuple[int, np.ndarray, np.ndarray]:
    """Node, place and shapes of what carries a link."""
    if link.parent == "world":
        return -1, np.zeros(3), np.zeros((6, 0))
    return at[link.parent], *place_on(model, model.robot.link(link.parent), link.at)


def _link(model: Model, link: Link) -> ErlsLink:
    elastic = model.flexible.get(link.name)
    if elastic is None:
        body = link.body
        assert body is not None
        return ErlsLink.rigid(float(body.mass), np.asarray(body.com, float), np.asarray(body.inertia, float))
    still = np.zeros((6, elastic.count))  # the link's frame rides on its base
    return ErlsLink.of(elastic.invariants(), elastic.stiffness(), elastic.damping_matrix(), still)
