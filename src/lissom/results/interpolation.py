"""States between samples: cubic Hermite polynomials in time, on the group where there are quaternions."""

from __future__ import annotations

import numpy as np

from lissom.lie import quaternion, so3
from lissom.model.model import BodyNames, Model


def interpolate(
    model: Model, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return states at the times `at` (k,) within t (N,) of a sampled motion q (N, nq), v, a (N, nv).

    Returns
    -------
        q (k, nq) by positions and velocities, v (k, nv) by velocities and accelerations, of fourth order.
    """
    if len(t) == 1:
        return np.repeat(q, len(at), axis=0), np.repeat(v, len(at), axis=0)
    i = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
    h = (t[i + 1] - t[i])[:, None]
    s = (at[:, None] - t[i][:, None]) / h
    rates, ends = np.zeros((len(at), model.nq)), np.zeros((len(at), model.nq))
    out = np.empty((len(at), model.nq))
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if not link.joint.kind.on_group:
            rates[:, body.joint_q], ends[:, body.joint_q] = v[i, body.joint_v], v[i + 1, body.joint_v]
        elif link.joint.kind.floats:
            place = slice(body.joint_q.start + 4, body.joint_q.stop)
            rates[:, place], ends[:, place] = _origin_velocity(body, q, v, i), _origin_velocity(body, q, v, i + 1)
        rates[:, body.modes_q], ends[:, body.modes_q] = v[i, body.modes_v], v[i + 1, body.modes_v]
        if body.rotor_q is not None:
            rates[:, body.rotor_q], ends[:, body.rotor_q] = v[i, body.rotor_v], v[i + 1, body.rotor_v]
    out[:] = _hermite(s, h, q[i], rates, q[i + 1], ends)
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if link.joint.kind.on_group:
            turn, spin = (slice(part.start, part.start + n) for part, n in ((body.joint_q, 4), (body.joint_v, 3)))
            out[:, turn] = _interpolate_quaternion(s, h, q[i, turn], v[i, spin], q[i + 1, turn], v[i + 1, spin])
    return out, _hermite(s, h, v[i], a[i], v[i + 1], a[i + 1])


def _origin_velocity(body: BodyNames, q: np.ndarray, v: np.ndarray, i: np.ndarray) -> np.ndarray:
    """Return the velocity of a free body's origin in the joint's frame; v has it in body axes."""
    start = body.joint_q.start
    linear = v[i, body.joint_v.start + 3 : body.joint_v.stop]
    return so3.act(quaternion.to_matrix(q[i, start : start + 4]), linear)


def _interpolate_quaternion(
    s: np.ndarray, h: np.ndarray, p0: np.ndarray, w0: np.ndarray, p1: np.ndarray, w1: np.ndarray
) -> np.ndarray:
    """Return quaternion between p0 and p1, by the rotation vector from p0 on; w0, w1 are body angular velocities."""
    end = quaternion.log(quaternion.product(quaternion.conjugate(p0), p1))
    rate = so3.act(so3.right_jacobian_inverse(end), w1)
    return quaternion.product(p0, quaternion.exp(_hermite(s, h, 0 * end, w0, end, rate)))


def _hermite(
    s: np.ndarray, h: np.ndarray, x0: np.ndarray, v0: np.ndarray, x1: np.ndarray, v1: np.ndarray
) -> np.ndarray:
    """Return cubic through x0, x1 with slopes v0, v1, at the fraction s of the interval h."""
    r = 1 - s
    return r * r * (1 + 2 * s) * x0 + s * s * (3 - 2 * s) * x1 + h * s * r * (r * v0 - s * v1)
