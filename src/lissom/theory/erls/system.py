"""The equations of motion (75): virtual works of all links, projected on (theta, q_d)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lissom.lie import so3
from lissom.theory.erls.chain import Chain, Frames
from lissom.theory.erls.compatibility import Compatibility, Motion
from lissom.theory.erls.link import ErlsLink, squares


@dataclass(frozen=True, eq=False)
class State:
    """A chain at one state: y = (theta, q_d); joint displacement is theta + slip."""

    chain: Chain
    frames: Frames
    motion: Motion
    mass: np.ndarray  # (n + modes, n + modes): N^T L N
    force: np.ndarray  # (n + modes,): what is left of (75) besides the inertia and the forces applied

    @cached_property
    def joint_N(self) -> np.ndarray:
        """(n, n + modes): rates of the joint displacements from (thetadot, q_d dot)."""
        out = self.motion.slip_N.copy()
        n = self.chain.joints
        out[:, :n] += np.eye(n)
        return out


class System:
    """Equations of motion of a chain of elastic links by the equivalent rigid-link system."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.compatibility = Compatibility(chain)

    def at(self, theta: np.ndarray, rate: np.ndarray, q_d: np.ndarray, q_d_rate: np.ndarray) -> State:
        """Mass matrix and forces at a state."""
        frames = self.chain.frames(theta, rate)
        return self.assemble(frames, self.compatibility.move(self.compatibility.place(frames, q_d), rate, q_d_rate))

    def assemble(self, frames: Frames, motion: Motion) -> State:
        """Sum over the links, (75)."""
        size = self.chain.joints + self.chain.modes
        mass, force = np.zeros((size, size)), np.zeros(size)
        for i, node in enumerate(self.chain.nodes):
            L = link_inertia(node.link, self.part(motion.q, i))
            projection, bias = self.projection(frames, motion, i)
            mass += projection.T @ L @ projection
            works = self.works(frames, motion, i) - L @ bias
            works[12:] -= node.link.stiffness @ motion.q[self._elastic(i)]
            works[12:] -= node.link.damping @ motion.rate[self._elastic(i)]
            force += projection.T @ works
        return State(self.chain, frames, motion, mass, force)

    def accelerations(self, state: State, joint: np.ndarray, modal: np.ndarray, armature: np.ndarray) -> np.ndarray:
        """(thetaddot, q_d ddot) under forces (n,) on joint displacements and (modes,) on elastic coordinates.

        `armature` (n,) is inertia that moves with the joint displacement.
        """
        N = state.joint_N
        mass = state.mass + N.T @ (armature[:, None] * N)
        force = state.force + N.T @ (joint - armature * state.motion.slip_bias)
        force[self.chain.joints :] += modal
        return np.linalg.solve(mass, force)

    def point(
        self, state: State, i: int, place: np.ndarray, shapes: np.ndarray, acceleration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Position and acceleration (3,) in the world of a place (3,) of node i that elastic shapes (6, m) move, (43).

        `acceleration` (n + modes,) is that of (theta, q_d).
        """
        projection, bias = self.projection(state.frames, state.motion, i)
        whole = projection @ acceleration + bias
        R, V = state.frames.pose[i, :3, :3], state.frames.V[i]
        field = np.concatenate([-so3.hat(place), np.eye(3), shapes[3:]], axis=1)  # U at the place
        u, rate = field @ self.part(state.motion.q, i), field @ self.part(state.motion.rate, i)
        omega, alpha = V[:3], whole[:3]
        local = field[:, :6] @ whole[:6] + field @ whole[6:] + 2 * np.cross(omega, rate) + np.cross(alpha, u)
        local = local + np.cross(omega, np.cross(omega, place + u))
        return state.frames.pose[i, :3, 3] + R @ (place + u), R @ local

    def part(self, q: np.ndarray, i: int) -> np.ndarray:
        """Modal coordinates (6 + m,) of link i among all of them."""
        return np.concatenate([q[6 * i : 6 * i + 6], q[self._elastic(i)]])

    def works(self, frames: Frames, motion: Motion, i: int) -> np.ndarray:
        """Generalised forces (6 + 6 + m,) of velocities and gravity on (rotation, translation, q) of link i."""
        gravity = frames.pose[i, :3, :3].T @ self.chain.gravity
        q, rate = self.part(motion.q, i), self.part(motion.rate, i)
        return link_works(self.chain.nodes[i].link, q, rate, frames.V[i, :3], gravity)

    def _elastic(self, i: int) -> slice:
        start = 6 * len(self.chain.nodes)
        at = self.chain.elastic[i]
        return slice(start + at.start, start + at.stop)

    def projection(self, frames: Frames, motion: Motion, i: int) -> tuple[np.ndarray, np.ndarray]:
        """V_i N of (69), (12 + m, n + modes), and the acceleration terms beside it, (70)."""
        n, own = self.chain.joints, self._elastic(i)
        link = self.chain.nodes[i].link
        out = np.zeros((12 + link.count, n + self.chain.modes))
        out[:6, :n] = frames.J[i]
        out[6:12], out[12:] = motion.N[6 * i : 6 * i + 6], motion.N[own]
        return out, np.concatenate([frames.bias[i], motion.bias[6 * i : 6 * i + 6], motion.bias[own]])


def link_inertia(link: ErlsLink, q: np.ndarray) -> np.ndarray:
    """L_i of (71), (6 + n, 6 + n), for accelerations (alpha, a_0, q ddot) of a link."""
    n = len(q)
    Xq = link.X @ q  # (3, n): A_k U q against the modes
    L = np.empty((6 + n, 6 + n))
    L[6:, 6:] = link.modal_mass
    L[:6, 6:] = link.modal_mass[:6]
    L[:3, 6:] += Xq
    L[6:, :6] = L[:6, 6:].T
    L[:6, :6] = link.modal_mass[:6, :6]
    L[:3, :6] += Xq[:, :6]
    L[:6, :3] += Xq[:, :6].T
    L[:3, :3] += (link.Z @ q) @ q
    return L


def link_works(link: ErlsLink, q: np.ndarray, rate: np.ndarray, omega: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """(51) and (59): forces (6 + n,) of velocity terms and gravity (3,), in the frame of the link."""
    s, spin = squares(omega), np.zeros(len(q))
    spin[:3] = omega  # B (omega, 0): the rigid motion itself
    moved = spin + 2 * rate
    on_q = s @ (link.Y @ q) - omega @ (link.X @ moved) + link.Q[3] @ gravity
    turned = ((link.W @ q) @ q) @ s - ((link.Z @ moved) @ q) @ omega + (link.Q[:3] @ gravity) @ q
    out = np.concatenate([on_q[:6], on_q])
    out[:3] += turned
    return out
