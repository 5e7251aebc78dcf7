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
from typing import Any

import casadi as ca
import numpy as np
from casadi import MX
from independent_beam import Beam, BeamField, Lump, Pose, point_masses, rotation, second_moments
from independent_general import GeneralBeam, GeneralBeamField
from scipy.interpolate import PchipInterpolator

POSITIONS = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "helical": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "spherical": 4,
    "free": 7,
}
VELOCITIES = POSITIONS | {"spherical": 3, "free": 6}


@dataclass(frozen=True)
class Joint:
    """A joint; the passive parameters hold one value per velocity coordinate."""

    type: str = "fixed"
    axes: tuple[np.ndarray, ...] = ()
    pitch: float = 0.0  # m per turn
    damping: Sequence[float] = ()
    friction: Sequence[tuple[float, ...]] = ()  # coulomb, smoothing speed, viscous; stick, Stribeck speed
    spring: Sequence[tuple[float, float]] = ()  # stiffness, rest
    curve: Any = None  # of the spring: a polynomial or play
    gear_curve: Any = None  # of the transmission
    limits: Sequence[tuple[float, float, float, float, float]] = ()  # lower, upper, stiffness, damping, width
    # stiffness (None: rigid gear), rotor inertia, gear, damping; hysteresis and its smoothing velocity, if any
    transmission: tuple[float | None, ...] | None = None


@dataclass(frozen=True)
class Body:
    """One link of the tree: `parent` is an index, -1 for the world; `at` the station on a beam parent."""

    parent: int
    link: Lump | Beam | GeneralBeam
    joint: Joint = field(default_factory=Joint)
    origin: tuple[np.ndarray, np.ndarray] = (np.eye(3), np.zeros(3))
    at: float | None = None


def quaternion_matrix(quat: Any) -> Any:
    """Rotation matrix of a unit quaternion (w, x, y, z): (w^2 - u.u) I + 2 u u^T + 2 w u~."""
    w, u = quat[0], quat[1:4]
    return (w * w - ca.dot(u, u)) * ca.DM.eye(3) + 2 * u @ u.T + 2 * w * ca.skew(u)


def motion(delta: MX) -> Pose:
    """exp of the twist (omega, v) near zero, to fourth order: exact in every derivative used at zero."""
    generator = ca.vertcat(ca.horzcat(ca.skew(delta[0:3]), delta[3:6]), MX.zeros(1, 4))
    power = total = MX.eye(4)
    for k in range(1, 5):
        power = power @ generator / k
        total = total + power
    return total[0:3, 0:3], total[0:3, 3]


def compose(a: Pose, b: Pose) -> Pose:
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def curve_energy(curve: Any, stiffness: float, x: Any) -> Any:
    """Energy of a spring's curve beside that of its stiffness: a table, a polynomial, or play with soft contact."""
    if curve is None:
        return 0.0
    if curve.table:
        return table_energy(curve.table, x)
    if np.any(curve.polynomial):
        return sum(c * x ** (k + 2) / (k + 2) for k, c in enumerate(np.atleast_1d(curve.polynomial).tolist()))
    b, w = curve.backlash / 2, (curve.width or curve.backlash / 10) / 2
    y = ca.fabs(x)
    touching = (y - b + w) ** 3 / (12 * w)
    beyond = (y - b) ** 2 / 2 + w**2 / 6
    energy = ca.if_else(y < b - w, 0.0, ca.if_else(y < b + w, touching, beyond))
    return stiffness * (energy - x**2 / 2)


def table_energy(table: Any, x: Any) -> Any:
    """Energy below a table of forces, monotone cubics between its rows and straight on beyond them."""
    force = PchipInterpolator(*np.array(table, float).T)
    energy = force.antiderivative()
    out = line_energy(force, energy, force.x[-1], x)
    for lower, upper, c in reversed([*zip(force.x, force.x[1:], energy.c.T)]):
        out = ca.if_else(x < upper, sum(a * (x - lower) ** k for k, a in enumerate(c[::-1])), out)
    return ca.if_else(x < force.x[0], line_energy(force, energy, force.x[0], x), out) - float(energy(0.0))


def line_energy(force: Any, energy: Any, at: float, x: Any) -> Any:
    """Energy beyond the end `at` of a table."""
    y = x - at
    return float(energy(at)) + float(force(at)) * y + float(force(at, 1)) * y**2 / 2


def joint_pose(joint: Joint, q: MX, z: MX) -> Pose:
    """Pose of the child in the joint's frame at the configuration q (+) z."""
    still, origin = MX.eye(3), MX.zeros(3)
    axes = [ca.DM(a / np.linalg.norm(a)) for a in joint.axes]
    kind = joint.type
    if kind == "fixed":
        return still, origin
    if kind == "spherical":
        return compose((quaternion_matrix(q), origin), motion(ca.vertcat(z, MX.zeros(3))))
    if kind == "free":
        return compose((quaternion_matrix(q[0:4]), q[4:7]), motion(z))
    x = q + z
    if kind == "revolute":
        return rotation(joint.axes[0], x), origin
    if kind == "prismatic":
        return still, axes[0] * x
    if kind == "helical":
        return rotation(joint.axes[0], x), axes[0] * x * joint.pitch / (2 * np.pi)
    if kind == "cylindrical":
        return rotation(joint.axes[0], x[0]), axes[0] * x[1]
    if kind == "universal":
        return rotation(joint.axes[0], x[0]) @ rotation(joint.axes[1], x[1]), origin
    if kind == "planar":
        return rotation(np.cross(*joint.axes), x[2]), axes[0] * x[0] + axes[1] * x[1]
    raise ValueError(f"unknown joint type {kind!r}")


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
            joint=_joint(link.joint),
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


def _joint(joint: Any) -> Joint:
    count = VELOCITIES[joint.type]

    def rows(block: Any, *names: str) -> list[tuple[float, ...]]:
        """One tuple of the named values per velocity coordinate; a single value stands for all."""
        if block is None:
            return []
        return list(zip(*(np.broadcast_to(getattr(block, name), count).tolist() for name in names)))

    gear = joint.transmission
    return Joint(
        type=joint.type,
        axes=tuple(np.array(axis) for axis in joint.axes),
        pitch=joint.pitch,
        damping=np.broadcast_to(joint.damping, count).tolist(),
        friction=rows(joint.friction, "coulomb", "velocity", "viscous", "stick", "stribeck"),
        spring=rows(joint.spring, "stiffness", "rest"),
        curve=joint.spring and joint.spring.curve,
        gear_curve=gear and gear.curve,
        limits=rows(joint.limits, "lower", "upper", "stiffness", "damping", "width"),
        transmission=gear
        and (gear.stiffness, gear.rotor_inertia, gear.gear, gear.damping, gear.hysteresis, gear.hysteresis_velocity),
    )


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

        def at_q(expression: MX) -> MX:
            return ca.substitute([expression], [chart], [MX.zeros(n)])[0]

        self._momentum = ca.Function("momentum", [q, u], [at_q(momentum)])
        self._columns = self._momentum.map(max(nv, 1))
        self._force = ca.Function("force", [q, u, a], [at_q(force)])
        self._passive = ca.Function("passive", [q, u], [at_q(passive)])
        self._external = ca.Function("external", [q, u, wrench], [at_q(ca.gradient(power, u))])
        self._energy = ca.Function("energy", [q, u], [at_q(kinetic), at_q(potential)])
        self._pose = ca.Function("pose", [q], [at_q(flat)])
        points = ca.horzcat(*[here for _, here in world])
        speed = ca.jtimes(points, chart, u)
        acceleration = ca.jtimes(speed, chart, u) + ca.jtimes(points, chart, a)
        self._points = ca.Function("points", [q, u, a], [at_q(points), at_q(acceleration)])
        self._masses = [m for m, _ in world]

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
