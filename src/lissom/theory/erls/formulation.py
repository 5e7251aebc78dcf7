"""The equivalent rigid-link system in the coordinates of a Model.

The coordinates of the theory are theta, the joints of the rigid frames, and q_d. A Model's joint coordinate is the
displacement of the joint itself, theta plus the slip that deflection causes there; elastic coordinates are the same.
"""

from __future__ import annotations

import numpy as np

from lissom.dynamics import Energy
from lissom.lie import se3, so3
from lissom.model.any_robot import AnyRobot, as_model
from lissom.theory.erls.build import chain, place_on
from lissom.theory.erls.system import State, System, link_inertia
from lissom.theory.formulation import register
from lissom.theory.joint_forces import joint_energy, joint_forces

SETTLED = 1e-13  # change of theta, rad or m, at which its search ends


@register(
    "erls",
    "equivalent rigid-link system with component modes",
    "Vidoni, Gallina, Boscariol, Gasparetto, Giovagnoni 2017, Modeling the vibration of spatial flexible mechanisms "
    "through an equivalent rigid-link system/component mode synthesis approach",
)
class Erls:
    """Linear elastic links on an equivalent rigid-link system; large rigid motion, small deflection."""

    def __init__(self, robot: AnyRobot) -> None:
        model = self.model = as_model(robot)
        self.chain, self.node = chain(model)
        self.system = System(self.chain)
        bodies = model.bodies
        self._joint_q = np.concatenate([np.r_[b.joint_q] for b in bodies]).astype(int)
        self._joint_v = np.concatenate([np.r_[b.joint_v] for b in bodies]).astype(int)
        self._modes_q = np.concatenate([np.r_[b.modes_q] for b in bodies]).astype(int)
        self._modes_v = np.concatenate([np.r_[b.modes_v] for b in bodies]).astype(int)
        self._armature = np.asarray(model.arrays.velocities.armature, float)[self._joint_v]

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) by (75)."""
        state = self.state(q, v)
        force = tau + joint_forces(self.model, q, v)
        found = self.system.accelerations(state, force[self._joint_v], force[self._modes_v], self._armature)
        return self._from_theory(state, found, force)

    def state(self, q: np.ndarray, v: np.ndarray) -> State:
        """The chain at a state of the Model: theta is sought so that theta + slip is the joint coordinate."""
        joint, q_d = q[self._joint_q], q[self._modes_q]
        theta, still, n = joint, np.zeros_like(joint), len(joint)
        compatibility = self.system.compatibility
        for _ in range(20):
            placed = compatibility.place(self.chain.frames(theta, still), q_d)
            slope = np.eye(n) + placed.slip_N[:, :n]
            step = np.linalg.solve(slope, joint - theta - placed.slip)
            if np.abs(step).max(initial=0.0) < SETTLED:
                break
            theta = theta + step
        rate = np.linalg.solve(slope, v[self._joint_v] - placed.slip_N[:, n:] @ v[self._modes_v])
        motion = compatibility.move(placed, rate, v[self._modes_v])
        return self.system.assemble(self.chain.frames(theta, rate), motion)

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) on joints and elastic coordinates that produce the accelerations a."""
        state, n = self.state(q, v), self.chain.joints
        needed = state.mass @ self._to_theory(state, a) - state.force
        joint = np.linalg.solve(state.joint_N[:, :n].T, needed[:n])
        data, out = self.model.arrays, np.zeros(self.model.nv)
        out[self._joint_v] = joint + self._armature * a[self._joint_v]
        out[self._modes_v] = needed[n:] - state.joint_N[:, n:].T @ joint
        out[data.gears.rotor_v] = data.gears.inertia * a[data.gears.rotor_v]
        return out - joint_forces(self.model, q, v)

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on each link at its joint, link axes: (links, 6), from the balance of every link."""
        state = self.state(q, v)
        motion, frames, acceleration = state.motion, state.frames, self._to_theory(state, a)
        carried = np.zeros((len(self.chain.nodes), 6))  # about the rigid frame's origin, in its axes
        for i in range(len(self.chain.nodes) - 1, -1, -1):
            node = self.chain.nodes[i]
            projection, bias = self.system.projection(frames, motion, i)
            L = link_inertia(node.link, self.system.part(motion.q, i))
            needed = L @ (projection @ acceleration + bias) - self.system.works(frames, motion, i)
            carried[i] += needed[:6]
            if node.parent >= 0:
                relative = se3.inverse(frames.pose[node.parent]) @ frames.pose[i]
                carried[node.parent] += se3.transform_wrench(relative, carried[i])
        return np.array([self._at_joint(state, i, carried[i]) for i in self.node.values()])

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the last link's tip: rigid frame and small displacement on it."""
        state = self.state(q, np.zeros(self.model.nv))
        link = self.model.robot.bodies[-1]
        place, shapes = place_on(self.model, link)
        if link.body is not None:
            place = np.asarray(link.body.tip or (0.0, 0.0, 0.0))
        return self.point(state, self.node[link.name], place, shapes)

    def point(self, state: State, i: int, place: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of a place of node i: (3,), moved by shapes (6, m)."""
        q = self.system.part(state.motion.q, i)
        turn = q[:3] + shapes[:3] @ q[6:]
        shift = q[3:6] + np.cross(q[:3], place) + shapes[3:] @ q[6:]
        return state.frames.pose[i] @ se3.from_parts(so3.exp(turn), place + shift)

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        state = self.state(q, v)
        motion, frames = state.motion, state.frames
        kinetic = 0.5 * float(self._armature @ v[self._joint_v] ** 2)
        data = self.model.arrays
        kinetic += 0.5 * float(data.gears.inertia @ v[data.gears.rotor_v] ** 2)
        gravity = strain = 0.0
        for i, node in enumerate(self.chain.nodes):
            modal = self.system.part(motion.q, i)
            speed = np.concatenate([frames.V[i], self.system.part(motion.rate, i)])
            kinetic += 0.5 * speed @ link_inertia(node.link, modal) @ speed
            field = frames.pose[i, :3, :3].T @ self.chain.gravity
            moment = node.link.mass * (frames.pose[i, :3, :3].T @ frames.pose[i, :3, 3]) + node.link.centre
            gravity -= field @ (moment + node.link.Q[3].T @ modal)
            strain += 0.5 * modal[6:] @ node.link.stiffness @ modal[6:]
        return Energy(float(kinetic), float(gravity), float(strain), float(joint_energy(self.model, q)))

    def _at_joint(self, state: State, i: int, wrench: np.ndarray) -> np.ndarray:
        """A wrench about the rigid frame's origin, seen in the link's own, displaced frame."""
        node = self.chain.nodes[i]
        q = self.system.part(state.motion.q, i)
        small = q[:6] + node.link.proximal @ q[6:]
        return se3.transform_wrench(se3.inverse(se3.from_parts(so3.exp(small[:3]), small[3:])), wrench)

    def _to_theory(self, state: State, a: np.ndarray) -> np.ndarray:
        """(thetaddot, q_d ddot) from accelerations of the Model."""
        n, elastic = self.chain.joints, a[self._modes_v]
        joint = a[self._joint_v] - state.motion.slip_bias - state.joint_N[:, n:] @ elastic
        return np.concatenate([np.linalg.solve(state.joint_N[:, :n], joint), elastic])

    def _from_theory(self, state: State, found: np.ndarray, force: np.ndarray) -> np.ndarray:
        out = np.zeros(self.model.nv)
        out[self._joint_v] = state.joint_N @ found + state.motion.slip_bias
        out[self._modes_v] = found[self.chain.joints :]
        data = self.model.arrays
        out[data.gears.rotor_v] = force[data.gears.rotor_v] / data.gears.inertia
        return out
