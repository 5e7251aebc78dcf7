"""Equations of motion of any robot from the Lagrangian of its material points, by automatic differentiation.

A second derivation, for tests: it shares no dynamics code with the library. There is no recursion over
velocities, accelerations or inertias, and there are no inertia invariants: a body is a set of point masses,
their positions follow from products of poses, energies are sums over the points, and CasADi forms the
equations of Lagrange. Of a link it takes only what a user gives or chooses: the functions of the basis, the
section's constants, the data.

The chart. Around the present configuration q, `q (+) z` means q + z for ordinary coordinates and q exp(z) for
the rotation of a spherical joint and the pose of a free one. At z = 0 the rate of z is the velocity (in body
components) and its second derivative is the plain time derivative of those components, so the equations in z,
taken at z = 0, are the equations of motion in the library's velocities.

Joint wrenches come from virtual displacements: every body has six more coordinates that displace it (and all
it carries) in its own frame, after its joint. They never move; what holds them is the joint's wrench.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from casadi import MX
from independent_beam import Beam, BeamField, Lump, Pose, point_masses, rotation, second_moments
from independent_general import GeneralBeam, GeneralBeamField
from independent_joints import (
    POSITIONS,
    VELOCITIES,
    Joint,
    compose,
    curve_energy,
    describe_joint,
    joint_pose,
    motion,
    quaternion_matrix,
)


@dataclass(frozen=True)
class Body:
    """One link of the tree: `parent` is an index, -1 for the world; `at` the station on a beam parent."""

    parent: int
    link: Lump | Beam | GeneralBeam
    joint: Joint = field(default_factory=Joint)
    origin: tuple[np.ndarray, np.ndarray] = (np.eye(3), np.zeros(3))
    at: float | None = None


def describe(robot: Any) -> tuple[list[Body], Sequence[float]]:
    """The user's data of a `lissom.model.Robot` as bodies (parents first), and its gravity."""
    index = {link.name: i for i, link in enumerate(robot.bodies)} | {"world": -1}
    bodies = []
    for link in robot.bodies:
        angles = zip(np.eye(3), link.origin.rpy)
        roll, pitch, yaw = (ca.evalf(rotation(axis, MX(angle))).full() for axis, angle in angles)
        bodies.append(Body(
            parent=index[link.parent],
            link=_flexible(link.beam, robot) if link.beam is not None else _lump(link.body),
            joint=describe_joint(link.joint),
            origin=(yaw @ pitch @ roll, np.array(link.origin.xyz)),
            at=link.at,
        ))  # fmt: skip
    return bodies, robot.gravity


def _lump(part: Any, x: float = 0.0) -> Lump:
    return Lump(part.mass, np.array(part.com), np.array(part.inertia), x)


def _plain_forces(link: Any) -> Any:
    """Internal forces of a plain link: its stiffnesses times the strains of its functions."""
    s = link.section
    rigidity = np.array([s.EA, 0.0, 0.0, s.GJ, s.EIy, s.EIz])[:, None]
    return lambda xi: rigidity * link.field.sections(np.asarray(xi)).strain


def _flexible(beam: Any, robot: Any) -> Beam | GeneralBeam:
    link = beam.build(robot.materials)
    damping, basis = beam.damping, link.basis
    if hasattr(damping, "stiffness"):
        damping = {"stiffness": damping.stiffness, "mass": damping.mass}
    masses = tuple(_lump(m, beam.length if m.at is None else m.at) for m in beam.masses)
    if not link.plain or link.prestress:
        forces = basis.forces if not link.plain else _plain_forces(link)
        tendons = tuple((t.tension, t.y, t.z) for t in link.prestress.tendons)
        return GeneralBeam(
            beam.length,
            link.profile,
            forces,
            link.count,
            beam.stiffening,
            damping,
            masses,
            link.prestress.strain,
            tendons,
        )
    shapes = (basis.y, basis.z, basis.torsion, basis.axial)
    return Beam(beam.length, link.section, shapes, beam.stiffening, damping, masses)


class Independent:
    """Lagrange's equations of a robot.

    Args:
        robot: a `lissom.model.Robot`, or a list of `Body`.
        gravity: acceleration of gravity in the world's frame; the robot's own by default.
        order: Gauss points per panel of a beam (and of every inner integral along it).
        field: the displacement field of the beams.
    Configurations q (nq,) and velocities v (nv,) are in the library's order: for each body its joint then its
    modes (y, z, torsion, axial); then the rotors of elastic transmissions.
    """

    def __init__(
        self,
        robot: Any,
        gravity: Sequence[float] | None = None,
        order: int = 6,
        field: type[BeamField] = BeamField,
    ) -> None:
        if isinstance(robot, (list, tuple)):
            self.bodies, weight = list(robot), (0.0, 0.0, -9.81)
        else:
            self.bodies, weight = describe(robot)
        self.gravity = np.array(weight if gravity is None else gravity, float)
        kinds = {Beam: field, GeneralBeam: GeneralBeamField}
        self.flexible = [kinds[type(b.link)](b.link, order) if type(b.link) in kinds else None for b in self.bodies]
        self._lay_out()
        self._derive()

    def _lay_out(self) -> None:
        self.joint_q, self.joint_v, self.mode_q, self.mode_v = [], [], [], []
        nq = nv = 0
        for body, beam in zip(self.bodies, self.flexible, strict=True):
            a, b, m = POSITIONS[body.joint.type], VELOCITIES[body.joint.type], beam.count if beam else 0
            self.joint_q.append(slice(nq, nq + a))
            self.joint_v.append(slice(nv, nv + b))
            self.mode_q.append(slice(nq + a, nq + a + m))
            self.mode_v.append(slice(nv + b, nv + b + m))
            nq, nv = nq + a + m, nv + b + m
        self.rotors = {}
        for i, body in enumerate(self.bodies):
            if body.joint.transmission and body.joint.transmission[0] is not None:
                self.rotors[i] = (nq, nv)
                nq, nv = nq + 1, nv + 1
        self.nq, self.nv = nq, nv

    def _poses(self, q: MX, z: MX, held: MX) -> list[Pose]:
        """World poses of all link frames; `held` are the virtual displacements, six per body."""
        poses: list[Pose] = []
        for i, body in enumerate(self.bodies):
            pose: Pose = MX.eye(3), MX.zeros(3)
            if body.parent >= 0:
                pose, beam = poses[body.parent], self.flexible[body.parent]
                if beam:
                    at = beam.beam.length if body.at is None else body.at
                    pose = compose(pose, beam.section(at, self._modes(body.parent, q, z)))
            pose = compose(pose, (ca.DM(body.origin[0]), ca.DM(body.origin[1])))
            pose = compose(pose, joint_pose(body.joint, q[self.joint_q[i]], z[self.joint_v[i]]))
            poses.append(compose(pose, motion(held[6 * i : 6 * i + 6])))
        return poses

    def _modes(self, i: int, q: MX, z: MX) -> MX:
        return q[self.mode_q[i]] + z[self.mode_v[i]]

    def _derive(self) -> None:
        nb, nv = len(self.bodies), self.nv
        n = nv + 6 * nb
        q, u, a = MX.sym("q", self.nq), MX.sym("u", n), MX.sym("a", n)
        chart = MX.sym("z", n)
        z, v = chart[:nv], u[:nv]
        poses = self._poses(q, z, chart[nv:])
        flat = ca.horzcat(*[ca.horzcat(*pose) for pose in poses])
        flat_dot = ca.jtimes(flat, chart, u)
        kinetic = potential = MX(0)
        twists, world = [], []
        for i, (body, beam) in enumerate(zip(self.bodies, self.flexible, strict=True)):
            R, p = poses[i]
            spin = R.T @ flat_dot[:, 4 * i : 4 * i + 3]
            twist = ca.vertcat(ca.inv_skew(spin), R.T @ flat_dot[:, 4 * i + 3])
            twists.append(twist)
            if beam:
                eta = self._modes(i, q, z)
                kinetic += beam.kinetic.call([twist, eta, v[self.mode_v[i]]], True, False)[0]
                potential += beam.strain(eta)
                s, masses = ca.horzcat(*beam.points(eta)).T, beam.masses
            else:
                lump = body.link
                masses, s = point_masses(lump.mass, lump.com, second_moments(lump.inertia))
                s = ca.DM(s).T
                speed = ca.repmat(twist[3:6], 1, len(masses)) + ca.skew(twist[0:3]) @ s
                kinetic += ca.dot(ca.DM(masses), ca.sum1(speed**2).T) / 2
            here = R @ s + ca.repmat(p, 1, len(masses))
            world.append((masses, here))
            potential -= ca.dot(ca.DM(self.gravity), here @ ca.DM(masses))
        joint_kinetic, joint_potential, passive = self._joint_terms(q, z, v)
        kinetic += joint_kinetic
        potential += joint_potential

        momentum = ca.gradient(kinetic, u)
        force = (
            ca.jtimes(momentum, chart, u)
            + ca.jtimes(momentum, u, a)
            - ca.gradient(kinetic, chart)
            + ca.gradient(potential, chart)
        )
        wrench = MX.sym("W", 6, nb)
        power = sum((ca.dot(wrench[:, i], twists[i]) for i in range(nb)), start=MX(0))

        moving = [momentum, force, passive, ca.gradient(power, u), kinetic, potential, flat]
        momentum, force, passive, external, kinetic, potential, flat = self._at_q(moving, chart)
        self._momentum = ca.Function("momentum", [q, u], [momentum])
        self._columns = self._momentum.map(max(nv, 1))
        self._force = ca.Function("force", [q, u, a], [force])
        self._passive = ca.Function("passive", [q, u], [passive])
        self._external = ca.Function("external", [q, u, wrench], [external])
        self._energy = ca.Function("energy", [q, u], [kinetic, potential])
        self._pose = ca.Function("pose", [q], [flat])
        self._world, self._symbols = world, (q, u, a, chart)
        self._masses = [m for m, _ in world]

    @staticmethod
    def _at_q(expressions: list[MX], chart: MX) -> list[MX]:
        return ca.substitute(expressions, [chart], [MX.zeros(chart.shape[0])])

    @cached_property
    def _points(self) -> ca.Function:
        """Positions and accelerations of all material points."""
        q, u, a, chart = self._symbols
        points = ca.horzcat(*[here for _, here in self._world])
        speed = ca.jtimes(points, chart, u)
        acceleration = ca.jtimes(speed, chart, u) + ca.jtimes(points, chart, a)
        return ca.Function("points", [q, u, a], self._at_q([points, acceleration], chart))

    def _joint_terms(self, q: MX, z: MX, v: MX) -> tuple[MX, MX, MX]:
        """Energies of transmissions, springs and soft limits; passive forces of joints and links (nv,)."""
        kinetic = potential = MX(0)
        passive = [MX(0)] * self.nv
        for i, (body, beam) in enumerate(zip(self.bodies, self.flexible, strict=True)):
            joint, first = body.joint, self.joint_v[i].start
            start_q = self.joint_q[i].start
            rates = [v[first + k] for k in range(VELOCITIES[joint.type])]
            for k, c in enumerate(joint.damping):
                passive[first + k] -= c * rates[k]
            for k, row in enumerate(joint.friction):
                coulomb, smoothing, viscous, stick, stribeck = (*row, 0.0, 1.0)[:5]
                dry = coulomb + stick / (1 + (rates[k] / stribeck) ** 2)
                passive[first + k] -= dry * ca.tanh(rates[k] / smoothing) + viscous * rates[k]
            for k, (stiffness, rest) in enumerate(joint.spring):
                stretch = q[start_q + k] + z[first + k] - rest
                potential += stiffness * stretch**2 / 2 + curve_energy(joint.curve, stiffness, stretch)
            for k, (lower, upper, stiffness, c, width) in enumerate(joint.limits):
                x = q[start_q + k] + z[first + k]
                for beyond in (x - upper, lower - x):
                    share = (1 + ca.tanh(beyond / width)) / 2
                    potential += stiffness * (beyond * share) ** 2 / 2
                    passive[first + k] -= c * rates[k] * share
            if joint.transmission:
                stiffness, inertia, gear, c, loop, speed = (*joint.transmission, 0.0, 1.0)[:6]
                if stiffness is None:
                    kinetic += inertia * gear**2 * rates[0] ** 2 / 2
                else:
                    rotor_q, rotor = self.rotors[i]
                    twist = q[rotor_q] + z[rotor] - q[start_q] - z[first]
                    kinetic += inertia * gear**2 * v[rotor] ** 2 / 2
                    potential += stiffness * twist**2 / 2 + curve_energy(joint.gear_curve, stiffness, twist)
                    slip = v[rotor] - rates[0]
                    passive[rotor] -= c * slip + loop * ca.tanh(slip / speed)
                    passive[first] += c * slip + loop * ca.tanh(slip / speed)
            if beam and beam.count:
                loss = beam.damping_force.call([self._modes(i, q, z), v[self.mode_v[i]]], True, False)[0]
                for k in range(beam.count):
                    passive[self.mode_v[i].start + k] += loss[k]
        return kinetic, potential, ca.vertcat(*passive) if passive else MX.zeros(0)

    def _extended(self, v: Any) -> np.ndarray:
        return np.concatenate([np.zeros(self.nv) if v is None else v, np.zeros(6 * len(self.bodies))])

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M(q), (nv, nv): the momentum of unit velocities, column by column."""
        units = np.eye(self.nv + 6 * len(self.bodies))[:, : self.nv]
        return self._columns(np.tile(np.asarray(q)[:, None], self.nv), units).full()[: self.nv]

    def inertia_force(self, q: np.ndarray, v: np.ndarray, a: np.ndarray | None = None) -> np.ndarray:
        """d/dt dL/dv - dL/dq at acceleration a (default zero); last, the six held coordinates per body."""
        return self._force(q, self._extended(v), self._extended(a)).full().ravel()

    def applied_force(self, q: np.ndarray, v: np.ndarray, wrenches: np.ndarray | None = None) -> np.ndarray:
        """Passive and external generalised forces (nv,); `wrenches` (bodies, 6) in the bodies' frames."""
        passive = self._passive(q, self._extended(v)).full().ravel()
        return passive + self._external_force(q, wrenches)[: self.nv]

    def _external_force(self, q: np.ndarray, wrenches: np.ndarray | None) -> np.ndarray:
        if wrenches is None:
            return self._extended(None)
        return self._external(q, self._extended(None), np.asarray(wrenches).T).full().ravel()

    def forward(
        self, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None = None, wrenches: np.ndarray | None = None
    ) -> np.ndarray:
        """Accelerations (nv,) under the generalised forces tau (nv,)."""
        total = self.applied_force(q, v, wrenches) - self.inertia_force(q, v)[: self.nv]
        return np.linalg.solve(self.mass_matrix(q), total if tau is None else total + tau)

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrenches: np.ndarray | None = None) -> np.ndarray:
        """Generalised forces (nv,) that produce the accelerations a (nv,)."""
        return self.inertia_force(q, v, a)[: self.nv] - self.applied_force(q, v, wrenches)

    def joint_wrenches(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrenches: np.ndarray | None = None
    ) -> np.ndarray:
        """Wrench of each parent on its child (bodies, 6), in the child's frame and at its origin."""
        held = self.inertia_force(q, v, a) - self._external_force(q, wrenches)
        return held[self.nv :].reshape(-1, 6)

    def balance_wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The same (no external wrenches) from Newton's law: m (a - g) and its moment, outboard points."""
        points, acceleration = (e.full().T for e in self._points(q, self._extended(v), self._extended(a)))
        masses = np.concatenate(self._masses)
        owner = np.repeat(np.arange(len(self.bodies)), [len(m) for m in self._masses])
        force = masses[:, None] * (acceleration - self.gravity)
        out = []
        for i, (R, p) in enumerate(self.poses(q)):
            outboard = [self._carries(i, j) for j in range(len(self.bodies))]
            pick = np.array(outboard)[owner]
            torque = np.cross(points[pick] - p, force[pick]).sum(0)
            out.append(np.concatenate([R.T @ torque, R.T @ force[pick].sum(0)]))
        return np.array(out)

    def _carries(self, i: int, j: int) -> bool:
        while j > i:
            j = self.bodies[j].parent
        return i == j

    def poses(self, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """World pose (R, p) of each link's frame."""
        flat = self._pose(q).full()
        return [(flat[:, 4 * i : 4 * i + 3], flat[:, 4 * i + 3]) for i in range(len(self.bodies))]

    def energy(self, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Kinetic and potential energy, rotors, springs and soft limits included."""
        kinetic, potential = self._energy(q, self._extended(v))
        return float(kinetic), float(potential)

    def rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """dq/dt (nq,) of the velocity v: quaternions follow qdot = q (0, omega) / 2."""
        out = np.zeros(self.nq)
        for i, body in enumerate(self.bodies):
            here, qj, vj = self.joint_q[i], q[self.joint_q[i]], v[self.joint_v[i]]
            if body.joint.type in ("spherical", "free"):
                w, x, y, z = qj[:4]
                lift = np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])
                out[here.start : here.start + 4] = lift @ vj[:3] / 2
                if body.joint.type == "free":
                    out[here.start + 4 : here.stop] = ca.DM(quaternion_matrix(ca.DM(qj[:4]))).full() @ vj[3:]
            else:
                out[here] = vj
            out[self.mode_q[i]] = v[self.mode_v[i]]
        for rotor_q, rotor_v in self.rotors.values():
            out[rotor_q] = v[rotor_v]
        return out
