"""The equivalent rigid-link system: rigid frames that turn and slide with the joint coordinates theta.

A node is one link with the joint that carries it, on the attachment frame of an earlier node or on the world. Joints
have one coordinate (revolute, prismatic) or none (fixed); what has more is a sequence of nodes, links without mass
between them. Twists and small displacements have the angular part first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from lissom.theory.erls.link import ErlsLink


@dataclass(frozen=True, eq=False)
class Node:
    """A link, the place of its joint on the link before, and how the joint moves."""

    link: ErlsLink
    parent: int  # node, -1: the world
    place: np.ndarray  # (3,) of the joint on the undeformed parent, in its frame
    shapes: np.ndarray  # (6, m) rotation and displacement of that place per elastic coordinate of the parent
    origin: np.ndarray  # (4, 4) joint frame on the parent's axes at that place
    screw: np.ndarray | None  # (6,) of the joint in its own frame; None: fixed


@dataclass(frozen=True, eq=False)
class Chain:
    """The nodes, parents first, and the gravity they live in."""

    nodes: tuple[Node, ...]
    gravity: np.ndarray  # (3,)

    @cached_property
    def coordinate(self) -> tuple[int, ...]:
        """Joint coordinate of each node, -1 where it is fixed."""
        count, out = 0, []
        for node in self.nodes:
            out.append(-1 if node.screw is None else count)
            count += node.screw is not None
        return tuple(out)

    @cached_property
    def joints(self) -> int:
        """Number n of joint coordinates."""
        return sum(node.screw is not None for node in self.nodes)

    @cached_property
    def elastic(self) -> tuple[slice, ...]:
        """Where each node's elastic coordinates stand in q_d."""
        ends = np.cumsum([0, *(node.link.count for node in self.nodes)])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    @cached_property
    def modes(self) -> int:
        """Number of elastic coordinates of all links."""
        return self.elastic[-1].stop
