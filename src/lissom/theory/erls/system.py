"""The equations of motion (75) of a chain in its own coordinates y = (theta, q_d)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.kernel.compile import Struct
from lissom.lie import se3, so3
from lissom.theory.erls.chain import Chain
from lissom.theory.erls.compiled.compatibility import joint_slopes, move, place
from lissom.theory.erls.compiled.equations import assemble, solve
from lissom.theory.erls.compiled.frames import relate
from lissom.theory.erls.tables import memory, tables


@dataclass(frozen=True, eq=False)
class State:
    """A chain of N nodes at one state; k = 6 + m modal coordinates (rotation, translation, elastic) of each node.

    A joint's displacement is theta + slip.
    """

    pose: np.ndarray  # (N, 4, 4) rigid frames in the world
    V: np.ndarray  # (N, 6) their twists
    J: np.ndarray  # (N, 6, n) twist = J thetadot
    A: np.ndarray  # (N, 6) angular acceleration and that of the origin, at thetaddot = 0
    q: np.ndarray  # (N, k)
    rate: np.ndarray  # (N, k)
    N: np.ndarray  # (N, 6, y) [G D] of (69): rigid coordinates by y
    bias: np.ndarray  # (N, 6) n of (23)
    slip: np.ndarray  # (n,)
    slip_bias: np.ndarray  # (n,)
    joint_N: np.ndarray  # (n, y) joint displacements by y
    mass: np.ndarray  # (y, y) N^T L N
    force: np.ndarray  # (y,) what is left of (75) besides the inertia and the forces applied


class System:
    """Equations of motion of a chain of elastic links by the equivalent rigid-link system."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.table = tables(chain)
        self.work = memory(self.table, chain.joints, chain.modes)
        self.structs = Struct(self.table), Struct(self.work)
        places = [(i, 6 + j) for i, node in enumerate(chain.nodes) for j in range(node.link.count)]
        rows, columns = np.array(places, int).reshape(-1, 2).T
        self.elastic = rows, columns  # where elastic coordinates stand in q (N, k)

    def at(self, theta: np.ndarray, rate: np.ndarray, q_d: np.ndarray, q_d_rate: np.ndarray) -> State:
        """Mass matrix and forces at a state: theta and its rate (n,), q_d and its rate (modes,)."""
        work = self.work
        work.theta[:], work.theta_rate[:] = theta, rate
        work.q[self.elastic], work.q_rate[self.elastic] = q_d, q_d_rate
        for step in (relate, place, joint_slopes, move, assemble):
            step(*self.structs)
        copied = {name: getattr(work, name).copy() for name in COPIED}
        return State(
            pose=se3.from_parts(work.world_R, work.world_p),
            rate=work.q_rate.copy(),
            mass=work.inertia.copy(),
            **copied,
        )

    def accelerations(self, state: State, joint: np.ndarray, modal: np.ndarray, armature: np.ndarray) -> np.ndarray:
        """(thetaddot, q_d ddot) under forces (n,) on joint displacements and (modes,) on elastic coordinates.

        `armature` (n,) is inertia that moves with the joint displacement.
        """
        work = self.work
        work.inertia[:], work.force[:] = state.mass, state.force
        work.joint_N[:], work.slip_bias[:] = state.joint_N, state.slip_bias
        work.joint[:], work.modal[:], work.armature[:] = joint, modal, armature
        solve(*self.structs)
        return work.found.copy()

    def point(
        self, state: State, i: int, place: np.ndarray, shapes: np.ndarray, acceleration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Position and acceleration (3,) in the world of a place (3,) of node i that elastic shapes (6, m) move, (43).

        `acceleration` (n + modes,) is that of (theta, q_d).

        Equations: 001 (1), (25)-(28), (42)-(43).
        """
        n, modes = self.chain.joints, 6 + self.chain.nodes[i].link.count
        frame = state.J[i] @ acceleration[:n] + state.A[i]
        rigid = state.N[i] @ acceleration + state.bias[i]
        second = np.concatenate([rigid, acceleration[n:][self.chain.elastic[i]]])
        R, omega, alpha = state.pose[i, :3, :3], state.V[i, :3], frame[:3]
        field = np.concatenate([-so3.hat(place), np.eye(3), shapes[3:]], axis=1)  # U at the place
        u, rate = field @ state.q[i, :modes], field @ state.rate[i, :modes]
        local = field[:, :6] @ frame + field @ second + 2 * np.cross(omega, rate) + np.cross(alpha, u)
        local = local + np.cross(omega, np.cross(omega, place + u))
        return state.pose[i, :3, 3] + R @ (place + u), R @ local


COPIED = ("V", "J", "A", "q", "N", "bias", "slip", "slip_bias", "joint_N", "force")


def compatibility_matrix(chain: Chain, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """C_r (rows, 6 N) and C_d (rows, modes) of (8) at theta, for a look at what the equations solve without them.

    Equations: 001 (3)-(8), (10).
    """
    table, rows = tables(chain), []
    for i, node in enumerate(chain.nodes):
        k, up = chain.coordinate[i], node.parent
        turn = np.eye(4) if k < 0 else se3.exp(table.screw[i] * theta[k])
        T = se3.Ad(se3.inverse(node.origin @ turn))
        own, carried = np.zeros((2, 6, 6 * len(chain.nodes) + chain.modes))
        bent = 6 * len(chain.nodes)
        own[:, 6 * i : 6 * i + 6] = np.eye(6)
        own[:, bent:][:, chain.elastic[i]] = node.link.proximal
        if up >= 0:
            carried[:, 6 * up : 6 * up + 6] = se3.Ad(se3.from_parts(np.eye(3), -node.place))
            carried[:, bent:][:, chain.elastic[up]] = node.shapes
        rows.append((table.basis[i] @ (own - T @ carried))[: table.held[i]])
    C = np.concatenate(rows)
    return C[:, : 6 * len(chain.nodes)], C[:, 6 * len(chain.nodes) :]
