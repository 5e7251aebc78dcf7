"""A rigid arm as screws: what Park, Bobrow and Ploen (1995) need to know of it, as constant arrays.

A node is one joint coordinate with the frame behind it, f_{i-1,i} = M_i exp(S_i x_i), (23). A joint of two or three
coordinates (cylindrical, universal, planar) is two or three nodes, the mass at the last; a fixed link is a node
without a coordinate. Chains and trees alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lissom.lie import se3, so3
from lissom.model.description.joint_kinds import joint_screws
from lissom.model.description.robot import Link
from lissom.model.model import Model
from lissom.theory.coverage import check_coverage


@dataclass(frozen=True, eq=False)
class Arm:
    """N nodes, n coordinates. Poses are (4, 4), screws (omega, v), inertias (6, 6), angular part first."""

    parent: np.ndarray  # (N,) node that carries the node, -1: the world
    M: np.ndarray  # (N, 4, 4) frame of the node on its parent at x = 0
    S: np.ndarray  # (N, 6) screw of the joint in the node's own frame; zero where the link is fixed
    column: np.ndarray  # (N,) coordinate that moves the node, -1 where it is fixed
    J: np.ndarray  # (N, 6, 6) inertia about the node's frame, (21)
    armature: np.ndarray  # (n,) rotor inertia reflected through rigid gears
    gravity: np.ndarray  # (3,)
    tip: np.ndarray  # (4, 4) tool frame on the last node
    links: tuple[int, ...]  # node of each link
    names: tuple[str, ...]  # of the links

    @cached_property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.armature)

    @cached_property
    def node(self) -> np.ndarray:
        """(n,) node that each coordinate moves."""
        return np.array([np.flatnonzero(self.column == k)[0] for k in range(self.n)], np.int64)

    @cached_property
    def home(self) -> np.ndarray:
        """(N, 4, 4) frames of the nodes in the world at x = 0."""
        home = np.empty_like(self.M)
        for i, parent in enumerate(self.parent):
            home[i] = self.M[i] if parent < 0 else home[parent] @ self.M[i]
        return home

    @cached_property
    def A(self) -> np.ndarray:
        """(n, 6) screws of the joints in world axes at x = 0, those of (13): A = Ad(home) S."""
        return se3.transform_twist(self.home[self.node], self.S[self.node])

    @cached_property
    def D(self) -> np.ndarray:
        """(N, 6, 6) inertias about the world's origin at x = 0, (44): constant, ten parameters each.

        Equations: 002 (36), (44)-(45).
        """
        to_node = se3.Ad(se3.inverse(self.home))
        return np.swapaxes(to_node, -1, -2) @ self.J @ to_node

    @cached_property
    def path(self) -> np.ndarray:
        """(N, n) whether a coordinate moves a node."""
        path = np.zeros((len(self.parent), self.n), bool)
        for i, parent in enumerate(self.parent):
            path[i] = parent >= 0 and path[parent]
            if self.column[i] >= 0:
                path[i, self.column[i]] = True
        return path

    @cached_property
    def before(self) -> np.ndarray:
        """(n, n) whether coordinate j precedes coordinate k on the way to it."""
        return self.path[self.node].T & ~np.eye(self.n, dtype=bool)

    @cached_property
    def parameters(self) -> np.ndarray:
        """(10 L,) inertial parameters link by link: m, m c, then Ixx Ixy Iyy Ixz Iyz Izz about the link's frame."""
        rows = []
        for J in self.J[list(self.links)]:
            inertia = J[:3, :3]
            first = so3.vee(J[:3, 3:])
            second = [inertia[0, 0], inertia[0, 1], inertia[1, 1], inertia[0, 2], inertia[1, 2], inertia[2, 2]]
            rows += [J[5, 5], *first, *second]
        return np.array(rows)


def arm(model: Model) -> Arm:
    """Return the screws of a rigid robot.

    `Unsupported` where a link bends, a gear is elastic, or a joint is a ball or prescribed.
    """
    check_coverage(model, "lie_group", frozenset())
    robot = model.robot
    parent, M, S, column, J, links, at = [], [], [], [], [], [], {"world": -1}
    for link, names in zip(robot.bodies, model.bodies, strict=True):
        frame = se3.from_parts(so3.from_rpy(link.origin.rpy), link.origin.xyz)
        steps = [*enumerate(joint_screws(link.joint), start=names.joint_v.start)]
        carrier = at[link.parent]
        for coordinate, screw in steps or [(-1, np.zeros(6))]:
            parent.append(carrier)
            M.append(frame)
            S.append(screw)
            column.append(coordinate)
            J.append(np.zeros((6, 6)))
            carrier, frame = len(parent) - 1, np.eye(4)
        J[-1] = _inertia(link)
        at[link.name] = carrier
        links.append(carrier)
    last = robot.bodies[-1].body
    tip = se3.from_parts(np.eye(3), (last and last.tip) or (0.0, 0.0, 0.0))
    return Arm(
        parent=np.array(parent, np.int64),
        M=np.array(M),
        S=np.array(S),
        column=np.array(column, np.int64),
        J=np.array(J),
        armature=np.array(model.arrays.velocities.armature),
        gravity=np.array(robot.gravity),
        tip=tip,
        links=tuple(links),
        names=tuple(link.name for link in robot.bodies),
    )


def _inertia(link: Link) -> np.ndarray:
    """J of (21), (6, 6).

    Equations: 002 (21).
    """
    body = link.body
    assert body is not None
    r = so3.hat(np.asarray(body.com))
    m = body.mass
    return np.block([[np.asarray(body.inertia) - m * r @ r, m * r], [-m * r, m * np.eye(3)]])
