"""A lissom robot as a Pinocchio model, for tests; beams count as rigid bodies of their undeformed mass.

Pinocchio puts linear parts first and orders quaternions (x, y, z, w); `q`, `v` and `motion` translate.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin


def rotation(rpy):
    return pin.rpy.rpyToMatrix(np.array(rpy))


class PinocchioArm:
    """Joints are added depth first, as Pinocchio wants them; a fixed link joins the body that carries it."""

    def __init__(self, robot):
        self.robot, self.model = robot, pin.Model()
        self.model.gravity.linear = np.array(robot.gravity)
        self.place = {"world": (0, pin.SE3.Identity())}  # of each link: its joint and its frame on it
        self.flexible = {link.name: link.beam.build(robot.materials) for link in robot.links if link.beam}
        self._add_children("world")
        armature, damping = np.zeros(self.model.nv), np.zeros(self.model.nv)
        for link in robot.bodies:
            if link.joint.nv:
                at = self._columns(link)
                damping[at] = link.joint.each(link.joint.damping)
                if link.joint.transmission:
                    armature[at] = link.joint.transmission.rotor_inertia * link.joint.transmission.gear**2
        self.model.armature = armature
        self.damping = damping
        self.data = self.model.createData()

    def _add_children(self, parent):
        for link in self.robot.links:
            if link.parent == parent:
                self._add(link)
                self._add_children(link.name)

    def _add(self, link):
        joint, frame = self.place[link.parent]
        at = np.zeros(3)
        if link.parent in self.flexible:
            at[0] = self.flexible[link.parent].length if link.at is None else link.at
        frame = frame * pin.SE3(np.eye(3), at) * pin.SE3(rotation(link.origin.rpy), np.array(link.origin.xyz))
        if link.joint.nv:
            joint = self.model.addJoint(joint, joint_model(link.joint), frame, link.joint.name)
            frame = pin.SE3.Identity()
        self.place[link.name] = joint, frame
        self.model.appendBodyToJoint(joint, self._inertia(link), frame)

    def _inertia(self, link):
        if link.name not in self.flexible:
            body = link.body
            return pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        beam = self.flexible[link.name]
        section, length = beam.section, beam.length
        mass = section.rhoA * length
        about_com = length * np.diag([section.Jx, section.Jy, section.Jz])
        about_com += mass * length**2 / 12 * np.diag([0, 1, 1])
        total = pin.Inertia(mass, np.array([length / 2, 0, 0]), about_com)
        for lump in link.beam.masses:
            x = length if lump.at is None else lump.at
            total += pin.Inertia(lump.mass, np.add(lump.com, (x, 0, 0)), np.array(lump.inertia))
        return total

    def _columns(self, link):
        joint = self.model.joints[self.place[link.name][0]]
        return np.arange(joint.idx_v, joint.idx_v + joint.nv)

    def index(self):
        """Pinocchio's index of each joint velocity of the robot, in the robot's order."""
        columns = []
        for link in self.robot.bodies:
            if link.joint.nv:
                at = self._columns(link)
                columns.append(np.roll(at, 3) if link.joint.type == "free" else at)
        return np.concatenate(columns)

    def q(self, q):
        """Configuration in Pinocchio's order, from the robot's joint coordinates."""
        out, start = np.zeros(self.model.nq), 0
        for link in self.robot.bodies:
            kind, value = link.joint.type, q[start : start + link.joint.nq]
            start += link.joint.nq
            if kind in ("spherical", "free"):
                value = np.concatenate([value[4:], np.roll(value[:4], -1)])
            if link.joint.nq:
                at = self.model.joints[self.place[link.name][0]].idx_q
                out[at : at + link.joint.nq] = value
        return out

    def v(self, v):
        """Velocities (or accelerations, forces) in Pinocchio's order."""
        out = np.zeros(self.model.nv)
        out[self.index()] = v
        return out

    def back(self, v):
        """The other way: velocities or forces in the robot's order."""
        return v[self.index()]

    def external(self, wrenches):
        """Wrenches (torque, force) on links by name, as Pinocchio's list of forces on joints."""
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for name, wrench in wrenches.items():
            joint, frame = self.place[name]
            forces[joint] += frame.act(pin.Force(np.asarray(wrench)[3:], np.asarray(wrench)[:3]))
        return forces

    def inverse(self, q, v, a, wrenches):
        tau = pin.rnea(self.model, self.data, self.q(q), self.v(v), self.v(a), self.external(wrenches))
        return self.back(tau + self.damping * self.v(v))

    def forward(self, q, v, tau, wrenches):
        force = self.v(tau) - self.damping * self.v(v)
        return self.back(pin.aba(self.model, self.data, self.q(q), self.v(v), force, self.external(wrenches)))

    def mass_matrix(self, q):
        mass = pin.crba(self.model, self.data, self.q(q))
        mass = np.triu(mass) + np.triu(mass, 1).T
        return mass[np.ix_(self.index(), self.index())]

    def bias(self, q, v):
        force = pin.nonLinearEffects(self.model, self.data, self.q(q), self.v(v))
        return self.back(force + self.damping * self.v(v))

    def joint_wrench(self, link):
        """Wrench (torque, force) in the joint of a link that moves, after `inverse`."""
        force = self.data.f[self.place[link][0]]
        return np.concatenate([force.angular, force.linear])

    def pose(self, q, link, point):
        """Pose of a frame shifted by `point` on the link, (4, 4), and its Jacobian (6, nv) in world axes."""
        joint, frame = self.place[link]
        frame = frame * pin.SE3(np.eye(3), np.asarray(point, float))
        pin.computeJointJacobians(self.model, self.data, self.q(q))
        pose = self.data.oMi[joint] * frame
        jacobian = pin.getJointJacobian(self.model, self.data, joint, pin.ReferenceFrame.LOCAL)
        jacobian = pin.SE3(pose.rotation, np.zeros(3)).toActionMatrix() @ frame.inverse().toActionMatrix() @ jacobian
        return pose.homogeneous, np.roll(jacobian[:, self.index()], 3, axis=0)


def joint_model(joint):
    axes = [np.array(axis) for axis in joint.axes]
    turn, slide = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    match joint.type:
        case "revolute":
            return turn(axes[0])
        case "prismatic":
            return slide(axes[0])
        case "helical":
            return pin.JointModelHelicalUnaligned(axes[0], joint.pitch / (2 * np.pi))
        case "spherical":
            return pin.JointModelSpherical()
        case "free":
            return pin.JointModelFreeFlyer()
        case "cylindrical":
            steps = [turn(axes[0]), slide(axes[0])]
        case "universal":
            steps = [turn(axes[0]), turn(axes[1])]
        case "planar":
            steps = [slide(axes[0]), slide(axes[1]), turn(np.cross(*axes))]
    composite = pin.JointModelComposite(steps[0])
    for step in steps[1:]:
        composite.addJoint(step)
    return composite
