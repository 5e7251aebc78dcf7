"""Forces of elements, contacts and loads from virtual work, for tests: lengths, gaps and energies are functions of the
configuration, and CasADi derives them. No wrench is ever formed."""

import casadi as ca
import numpy as np
from casadi import MX
from independent_joints import compose

from lissom.lie import so3


def frame_pose(derivation, robot, poses, q, z, frame):
    """World pose of a frame on a link."""
    origin = (ca.DM(so3.from_rpy(frame.origin.rpy)), ca.DM(frame.origin.xyz))
    if frame.link == "world":
        return origin
    i = [link.name for link in robot.bodies].index(frame.link)
    pose, beam = poses[i], derivation.flexible[i]
    if beam:
        at = beam.beam.length if frame.at is None else frame.at
        pose = compose(pose, beam.section(at, derivation._modes(i, q, z)))
    return compose(pose, origin)


def outside_forces(derivation, robot, q, v, loads=()):
    """Generalised forces (nv,) of elements and contacts at (q, v), and of `loads` (frame, wrench, in world axes)."""
    nv = derivation.nv
    z, V = MX.sym("z", nv), ca.DM(v)
    poses = derivation._poses(ca.DM(q), z, MX.zeros(6 * len(robot.links)))

    def pose(frame):
        return frame_pose(derivation, robot, poses, ca.DM(q), z, frame)

    def rate(x):
        return ca.jtimes(x, z, V)

    force = MX.zeros(nv)
    for element in robot.elements:
        (R1, p1), (R2, p2) = map(pose, element.between)
        if element.type == "bushing":
            R, p = R1.T @ R2, R1.T @ (p2 - p1)
            w = ca.sqrt(1 + ca.trace(R)) / 2
            turn = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / (2 * w)
            x = ca.vertcat(turn, p)
            push = ca.DM(np.array(element.stiffness)) @ x + ca.DM(np.array(element.damping)) @ rate(x)
            force -= ca.jacobian(x, z).T @ push
            continue
        length = ca.norm_2(p2 - p1)
        c, speed = getattr(element, "damping", 0.0), rate(length)
        if element.type == "rope":
            width = 1e-5 * element.length
            stretch = length - element.length + width / 2
            taut = ca.fmin(ca.fmax(stretch, 0), width)
            pull = element.stiffness * (taut**2 / (2 * width) + ca.fmax(stretch - width, 0))
            tension = ca.fmax(pull + c * speed * taut / width, 0)
        elif element.type == "cylinder":
            tension = c * speed - element.force
        else:
            tension = getattr(element, "stiffness", 0.0) * (length - getattr(element, "length", 0.0)) + c * speed
            if getattr(element, "curve", None) is not None:
                x = length - element.length
                tension += sum(k * x ** (n + 1) for n, k in enumerate(element.curve.polynomial))
        force -= ca.jacobian(length, z).T @ tension
    for contact in robot.contacts:
        (Rs, centre), (R, p) = pose(contact.sphere), pose(contact.surface)
        gap = _distance(contact.surface, R.T @ (centre - p)) - contact.sphere.radius
        press = contact.stiffness * ca.fmax(-gap, 0) ** contact.exponent * ca.fmax(1 - contact.damping * rate(gap), 0)
        force += ca.jacobian(gap, z).T @ press
        # friction on the two material points that touch, each fixed in its own frame
        x = MX.sym("x", 3)
        normal_of = ca.Function("n", [x], [ca.gradient(_distance(contact.surface, x), x)])
        normal = R @ normal_of(R.T @ (centre - p))
        there = centre - contact.sphere.radius * normal
        now = ca.Function("now", [z], [Rs.T @ (there - centre), R.T @ (there - p), normal])
        own, other, n = now(np.zeros(nv))
        slip = (centre + Rs @ own) - (p + R @ other)
        slide = rate(slip)
        slide = slide - n * ca.dot(n, slide)
        speed = ca.sqrt(ca.sumsqr(slide) + 1e-30)
        grip = contact.friction * press * ca.tanh(speed / contact.friction_speed)
        force -= ca.jacobian(slip, z).T @ (grip * slide / speed)
    for frame, wrench, in_world in loads:
        R, p = pose(frame)
        now = ca.Function("R", [z], [R])(np.zeros(nv))
        torque, push = ca.DM(wrench[:3]), ca.DM(wrench[3:])
        if not in_world:
            torque, push = now @ torque, now @ push
        spin = ca.horzcat(*[ca.inv_skew(ca.reshape(column, 3, 3) @ now.T) for column in _columns(R, z)])
        force += ca.jacobian(p, z).T @ push + spin.T @ torque
    return np.array(ca.Function("force", [z], [force])(np.zeros(nv))).ravel()


def _columns(R, z):
    derivative = ca.jacobian(ca.reshape(R, 9, 1), z)
    return [derivative[:, k] for k in range(z.numel())]


def _distance(surface, x):
    """Signed distance of a point from a surface, in its frame; outside it where that has corners."""
    if surface.shape == "plane":
        return x[2]
    if surface.shape == "ball":
        return ca.norm_2(x) - surface.radius
    if surface.shape == "box":
        over = ca.fabs(x) - ca.DM(surface.size) / 2
        return ca.sqrt(ca.sumsqr(ca.fmax(over, 0)) + 1e-30) + ca.fmin(ca.mmax(over), 0)
    over = ca.vertcat(ca.norm_2(x[:2]) - surface.radius, ca.fabs(x[2]) - surface.length / 2)
    return ca.sqrt(ca.sumsqr(ca.fmax(over, 0)) + 1e-30) + ca.fmin(ca.mmax(over), 0)
