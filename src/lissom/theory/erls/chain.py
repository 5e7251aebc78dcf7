"""The equivalent rigid-link system: rigid frames that turn and slide with the joint coordinates theta.

A node is one link with the joint that carries it, on the attachment frame of an earlier node or on the world. Joints
have one coordinate (revolute, prismatic) or none (fixed); what has more is a sequence of nodes, links without mass
between them. Twists and small displacements have the angular part first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lissom.kernel.machine import inline, kernel
from lissom.theory.erls.link import ErlsLink
from lissom.theory.screw_algebra import bracket, relative_pose, to_child


@dataclass(frozen=True, eq=False)
class Node:
    """A link, the place of its joint on the link before, and how the joint moves."""

    link: ErlsLink
    parent: int  # node, -1: the world
    place: np.ndarray  # (3,) of the joint on the undeformed parent, in its frame
    shapes: np.ndarray  # (6, m) rotation and displacement of that place per elastic coordinate of the parent
    origin: np.ndarray  # (4, 4) joint frame on the parent's axes at that place
    screw: np.ndarray | None  # (6,) of the joint in its own frame; None: fixed


class Frames(NamedTuple):
    """Rigid frames of the nodes; body axes, angular part first."""

    pose: np.ndarray  # (N, 4, 4)
    J: np.ndarray  # (N, 6, n) twist = J thetadot
    V: np.ndarray  # (N, 6) twists
    bias: np.ndarray  # (N, 6) angular and true linear acceleration of the origin at thetaddot = 0
    T: np.ndarray  # (N, 6, 6) displacements of the attachment, seen at the joint in the child's axes


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

    @cached_property
    def _constants(self) -> tuple[np.ndarray, ...]:
        """Parents, joint poses with and without the place on the parent, screws and coordinates, for the pass."""
        fixed = np.zeros(6)
        return (
            np.array([node.parent for node in self.nodes]),
            np.array([node.origin for node in self.nodes]),
            np.array([node.place for node in self.nodes]),
            np.array([fixed if node.screw is None else node.screw for node in self.nodes]),
            np.array(self.coordinate),
        )

    def frames(self, theta: np.ndarray, rate: np.ndarray) -> Frames:
        """Where the rigid frames are and how they move, at theta and thetadot (n,)."""
        count = len(self.nodes)
        out = Frames(
            np.zeros((count, 4, 4)),
            np.zeros((count, 6, self.joints)),
            np.zeros((count, 6)),
            np.zeros((count, 6)),
            np.zeros((count, 6, 6)),
        )
        outward(*self._constants, theta, rate, *out)
        return out


@kernel
def outward(parent, origin, place, screw, coordinate, theta, rate, pose, J, V, bias, T):
    """Fill the arrays of `Frames`, node by node from the base."""
    R, p, moved, still = np.empty((3, 3)), np.empty(3), np.empty(6), np.zeros(6)
    for i in range(parent.shape[0]):
        k, up = coordinate[i], parent[i]
        relative_pose(origin[i], screw[i], theta[k] if k >= 0 else 0.0, R, p)
        for c in range(6):
            moved[:] = 0.0
            moved[c] = 1.0
            to_child(R, p, moved, T[i, :, c])
        for r in range(3):
            p[r] += place[i, r]
        for r in range(3):
            pose[i, r, 3] = p[r]
            for c in range(3):
                pose[i, r, c] = R[r, c]
        pose[i, 3, 3] = 1.0
        to_child(R, p, V[up] if up >= 0 else still, V[i])
        if up >= 0:
            pose[i] = product(pose[up], R, p)
            for c in range(J.shape[2]):
                to_child(R, p, J[up, :, c], J[i, :, c])
            # the acceleration of a twist is that of the point less omega x v
            moved[:] = bias[up]
            swirl(V[up], moved, -1.0)
            to_child(R, p, moved, bias[i])
        if k >= 0:
            for r in range(6):
                moved[r] = screw[i, r] * rate[k]
                J[i, r, k] = screw[i, r]
            bracket(V[i], moved, bias[i])
            for r in range(6):
                V[i, r] += moved[r]
        swirl(V[i], bias[i], 1.0)


@inline
def swirl(V, out, sign):
    """out += sign (0, omega x v)."""
    for r in range(3):
        a, b = (r + 1) % 3, (r + 2) % 3
        out[3 + r] += sign * (V[a] * V[3 + b] - V[b] * V[3 + a])


@inline
def product(G, R, p):
    """The pose G (4, 4) times (R, p)."""
    out = np.zeros((4, 4))
    for r in range(3):
        out[r, 3] = G[r, 3] + G[r, 0] * p[0] + G[r, 1] * p[1] + G[r, 2] * p[2]
        for c in range(3):
            out[r, c] = G[r, 0] * R[0, c] + G[r, 1] * R[1, c] + G[r, 2] * R[2, c]
    out[3, 3] = 1.0
    return out
