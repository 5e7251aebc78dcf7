"""The paper's construction, written as the paper has it: dual screws, projection matrices, M, C, K and tau.

Matrices act on stacked dual screws of 12 rows: real and dual angular velocity, real and dual velocity, (56). The
compiled modules compute the same model (`truncated`) many times faster; this one is for reading, for inspection, and as
a check of the others. Joints of several coordinates are taken as a chain of massless frames.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from lissom.beam import BeamLink
from lissom.kernel.data.arrays import JointMotion
from lissom.lie import quaternion, so3
from lissom.lie.dual import Dual, Rotation, Transform, g1, g2, reference_transformation, swap_parts
from lissom.model.description.joint_kinds import MOTIONS, joint_steps
from lissom.model.description.robot import Link
from lissom.model.model import BodyNames, Model
from lissom.theory.coverage import UNIFORM_BEAMS, Feature, check_coverage

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Projection:
    """Projection matrices of one point of the arm, each (12, nv), and where its frame is.

    Screws are about the point, in the axes of its link.
    """

    transform: Transform  # of the link's frame, in the world
    jacobian: Array  # Jacobian form, (92): elastic speeds are of first order, so their columns are dual
    projecting: Array  # projecting form, (93): wrenches do work on them to first order
    rate: Array  # time derivative of the Jacobian form, (76)-(79)
    spin: Array  # (6,) dual angular velocity of the link's frame

    def moved(self, T: Transform, columns: slice, screws: Array, v: Array) -> Projection:
        """In a frame at T (in this one) that moves with the constant `screws` (12, k) of its own at the speeds v.

        Equations: 000 (65)-(66), (73), (76)-(79), (88)-(89).
        """
        V = g2.Ad(T.inverse().matrix)  # the screw transformation, (66)
        relative = g2.ad(screws @ v[columns])
        jacobian, projecting, rate = V @ self.jacobian, V @ self.projecting, V @ self.rate
        rate = rate - relative @ jacobian
        jacobian[:, columns] = projecting[:, columns] = screws
        return Projection(self.transform @ T, jacobian, projecting, rate, (jacobian @ v)[:6])

    def deflected(self, p: Dual, theta: Array, columns: slice, screws: Array, v: Array) -> Projection:
        """In the frame j' of a section at p, turned by theta, that moves with the elastic `screws` (12, m), (67).

        Equations: 000 (67)-(68), (76)-(79).
        """
        here = reference_transformation(p) @ screws  # about this frame's origin
        elastic = swap_parts(here.T).T * _DUAL
        jacobian, projecting = self.jacobian.copy(), self.projecting.copy()
        jacobian[:, columns], projecting[:, columns] = elastic, here
        T = Transform.of(Rotation.small(theta), p)
        V = g2.Ad(T.inverse().matrix)
        jacobian, relative = V @ jacobian, g2.ad(V @ (elastic @ v[columns]))
        rate = V @ self.rate - relative @ jacobian
        return Projection(self.transform @ T, jacobian, V @ projecting, rate, (jacobian @ v)[:6])

    def about(self, p: Dual, p_rate: Array, columns: slice, screws: Array) -> Projection:
        """About the point i_e of the link at p, which moves at p_rate (first order) and with `screws` (12, m), (75).

        Equations: 000 (75)-(79).
        """
        U = reference_transformation(-p)
        shift = np.zeros((12, 12))
        shift[6:, :6] = g1.hat(np.concatenate([np.zeros(3), -p_rate]))
        jacobian, projecting = U @ self.jacobian, U @ self.projecting
        jacobian[:, columns], projecting[:, columns] = swap_parts(screws.T).T * _DUAL, screws
        return replace(self, jacobian=jacobian, projecting=projecting, rate=U @ self.rate + shift @ self.jacobian)


_DUAL = np.repeat([0.0, 1.0, 0.0, 1.0], 3)[:, None]  # first-order rows of a stacked screw


class Matrices(NamedTuple):
    """M du/dt + C u + K q = tau, (111), with K acting on the elastic coordinates and tau the gravity alone."""

    M: Array
    C: Array
    K: Array
    tau: Array


class Element(NamedTuple):
    """A piece of a link's mass: offset from the section at x, mass, inertia about its centre in section axes."""

    x: float
    offset: Array
    mass: float
    inertia: Array


def projections(model: Model, q: Array, v: Array, printed: bool = False) -> dict[str, Projection]:
    """Projection matrices of every link's frame, by link; `printed` leaves the elastic screws (71) constant.

    Equations: 000 (7), (90)-(96).
    """
    n = model.nv
    empty = np.zeros((12, n))
    world = Transform.of(Rotation.of(np.eye(3)), Dual.of(np.zeros(3)))
    frames = {"world": Projection(world, empty, empty, empty, np.zeros(6))}
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        frame = frames[link.parent]
        if link.parent in model.flexible:
            frame = _section_frame(model, frame, link, q, v, printed)
        frame = frame.moved(_rigid(so3.from_rpy(link.origin.rpy), link.origin.xyz), slice(0, 0), np.zeros((12, 0)), v)
        frames[link.name] = _joint_frame(frame, link, body, q, v)
    del frames["world"]
    return frames


def section_projection(
    model: Model, frame: Projection, link: str, x: float, q: Array, v: Array, offset: Array | None = None
) -> Projection:
    """Projection matrices of the section of a beam at x, or of a point fixed to it, (92), (93).

    Equations: 000 (92)-(95).
    """
    body, beam = model.link(link), model.flexible[link]
    d = np.zeros(3) if offset is None else offset
    at = beam.section_map(x)
    phi = at.phi + np.cross(at.psi, d, axisa=0, axisc=0)
    p = Dual(at.position + d, phi @ q[body.modes_q])
    return frame.about(p, phi @ v[body.modes_v], body.modes_v, _stack(at.psi, phi))


def matrices(model: Model, q: Array, v: Array) -> Matrices:
    """M, C, K and the generalised gravity, (109)-(112), of the paper's linear model, summed over sections.

    Links of finite elements have no sections: `DualScrew.equations` covers them by their inertia invariants.

    Equations: 000 (99), (101)-(103), (106)-(112), (123)-(124).
    """
    check_coverage(model, "the sum over sections", UNIFORM_BEAMS | {Feature.GROUP_JOINTS, Feature.ELASTIC_GEARS})
    frames, n = projections(model, q, v, printed=True), model.nv
    M, C, K, tau = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
    gravity = Dual.of(np.asarray(model.robot.gravity, float))
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        frame = frames[link.name]
        if link.name in model.flexible:
            K[body.modes_v, body.modes_v] = model.flexible[link.name].stiffness()
        for element in _elements(model, link):
            if link.name in model.flexible:
                at = section_projection(model, frame, link.name, element.x, q, v, element.offset)
            else:
                at = frame.about(Dual.of(element.offset), np.zeros(3), slice(0, 0), np.zeros((12, 0)))
            D = np.kron(np.eye(2), np.zeros((6, 6)))
            D[:6, :6], D[6:, 6:] = np.kron(_FOLD, element.inertia), element.mass * np.kron(_FOLD, np.eye(3))
            spin = (at.jacobian @ v)[:6]  # of the section, in the link's axes
            inner, outer = np.zeros((12, 12)), np.zeros((12, 12))
            inner[:6, :6] = inner[6:, 6:] = g1.hat(frame.spin)
            outer[:6, :6] = _folded_cross(spin)
            M += at.projecting.T @ D @ at.projecting
            C += at.projecting.T @ (D @ at.rate + D @ inner @ at.jacobian + outer @ D @ at.jacobian)
            weight = (frame.transform.rotation.inverse() @ gravity).stacked
            tau += at.projecting.T @ np.concatenate([np.zeros(6), element.mass * np.kron(_FOLD, np.eye(3)) @ weight])
    return Matrices(M, C, K, tau)


_FOLD = np.array([[1.0, 1.0], [1.0, 0.0]])  # I hat of (99): products with it add the orders up


def _folded_cross(omega: Array) -> Array:
    """[omega] of (100): the vector product on what `_FOLD` has folded.

    Equations: 000 (100).
    """
    real, dual = so3.hat(omega[:3]), so3.hat(omega[3:])
    return np.block([[real, dual], [np.zeros((3, 3)), real]])


def _elements(model: Model, link: Link) -> list[Element]:
    """Return the mass of a link in pieces: a rigid body as a whole, a beam by the sections of its quadrature."""
    if link.name not in model.flexible:
        assert link.body is not None
        body = link.body
        return [Element(0.0, np.asarray(body.com, float), body.mass, np.asarray(body.inertia, float))]
    beam = cast(BeamLink, model.flexible[link.name])
    s = beam.section
    sections = [
        Element(beam.length * xi, np.zeros(3), w * s.rhoA, w * np.diag([s.Jx, s.Jy, s.Jz]))
        for xi, w in zip(beam.basis.rule.nodes, beam.field.weights)
    ]
    return sections + [Element(m.x, np.asarray(m.com), m.mass, np.asarray(m.inertia)) for m in beam.masses]


def _section_frame(model: Model, frame: Projection, link: Link, q: Array, v: Array, printed: bool) -> Projection:
    """Return the frame j' of the section that carries a link."""
    body, beam = model.link(link.parent), model.flexible[link.parent]
    at, eta = beam.section_map(beam.length if link.at is None else link.at), q[body.modes_q]
    theta = at.psi @ eta
    screws = _stack(at.psi, at.phi)
    if not printed:
        bend = np.array([0.0, theta[1], theta[2]])
        across = np.vstack([np.zeros(beam.count), at.psi[1:]])
        turned = 0.5 * np.cross(bend, across, axisb=0, axisc=0)
        turned += np.outer(np.cross(bend, [1.0, 0.0, 0.0]), at.psi[0])
        turned[0] += at.twist @ eta
        screws[3:6], screws[9] = turned, -at.foreshortening @ eta
    return frame.deflected(Dual(at.position, at.phi @ eta), theta, body.modes_v, screws, v)


def _joint_frame(frame: Projection, link: Link, body: BodyNames, q: Array, v: Array) -> Projection:
    """Return the link's frame behind its joint, one elementary motion after the other."""
    at_q, at_v, none = body.joint_q.start, body.joint_v.start, np.zeros(3)
    for motion, screw in joint_steps(link.joint):
        count = len(MOTIONS[motion].velocities.units)
        columns = slice(at_v, at_v + count)
        if count == 1:
            T = _rigid(so3.exp(screw[:3] * q[at_q]), screw[3:] * q[at_q])
            screws = _stack(screw[:3, None], screw[3:, None])
        else:
            shift = q[at_q + 4 : at_q + 7] if motion is JointMotion.FLOAT else none
            T = _rigid(quaternion.to_matrix(q[at_q : at_q + 4]), shift)
            screws = _stack(np.eye(6)[:3, :count], np.eye(6)[3:, :count])
        frame = frame.moved(T, columns, screws, v)
        at_q, at_v = at_q + 1, at_v + count
    return frame


def _stack(angular: Array, linear: Array) -> Array:
    """Real screws (3, k), (3, k) as stacked dual ones, (12, k): a line, (58), or the basis (72) times (71).

    Equations: 000 (69), (71)-(72).
    """
    zero = np.zeros_like(angular)
    return np.concatenate([angular, zero, linear, zero])


def _rigid(R: Array, p: ArrayLike) -> Transform:
    return Transform.of(Rotation.of(R), Dual.of(np.asarray(p, float)))
