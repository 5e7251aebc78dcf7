"""Unit quaternions q = (w, x, y, z) of shape (..., 4), scalar part first.

q and -q are the same rotation. `product(q_ab, q_bc)` is q_ac, as for rotation matrices. Angular velocities
are in the body frame: the rate of q_ab is 1/2 q_ab (0, omega) with omega in frame b.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import coefficients

Array = NDArray[Any]


def identity() -> Array:
    """Return the quaternion of no rotation, (1, 0, 0, 0)."""
    return np.array([1.0, 0.0, 0.0, 0.0])


def product(p: ArrayLike, q: ArrayLike) -> Array:
    """Return the Hamilton product of (..., 4) and (..., 4)."""
    p, q = np.asarray(p), np.asarray(q)
    a, b = p[..., :1], q[..., :1]
    u, v = p[..., 1:], q[..., 1:]
    scalar = a * b - np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([scalar, a * v + b * u + np.cross(u, v)], axis=-1)


def conjugate(q: ArrayLike) -> Array:
    """Return the inverse rotation, (w, -x, -y, -z)."""
    return np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0])


def normalise(q: ArrayLike) -> Array:
    """Return q scaled to unit length."""
    q = np.asarray(q)
    return q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))


def exp(w: ArrayLike) -> Array:
    """Return the quaternion of a rotation vector: (..., 3) -> (..., 4)."""
    w = np.asarray(w)
    quarter = np.sum(w * w, axis=-1, keepdims=True) / 4
    scalar = 1 - quarter * coefficients.versine(quarter)  # cos(theta/2), analytic in theta^2
    return np.concatenate([scalar, 0.5 * coefficients.sine(quarter) * w], axis=-1)


def log(q: ArrayLike) -> Array:
    """Return the rotation vector of length at most pi: (..., 4) -> (..., 3). The length of q plays no part."""
    q = coefficients.as_inexact(q)
    q = np.where(q[..., :1] < 0, -q, q)
    scalar, vector = q[..., :1], q[..., 1:]
    length = np.sqrt(np.sum(vector * vector, axis=-1, keepdims=True))
    turning = length > 0
    angle = 2 * np.arctan2(length, scalar)
    ratio = angle / np.where(turning, length, 1.0)
    at_rest = 2 / np.where(turning, 1.0, scalar)
    return np.where(turning, ratio, at_rest) * vector


def from_matrix(R: ArrayLike) -> Array:
    """Return the unit quaternion of a rotation matrix, w >= 0: (..., 3, 3) -> (..., 4).

    The symmetric matrix 4 q q^T is linear in R; its row with the largest diagonal entry, scaled, is q without
    loss of digits for any rotation (Shepperd 1978).
    """
    R = np.asarray(R)
    (a, b, c), (d, e, f), (g, h, i) = ([R[..., j, k] for k in range(3)] for j in range(3))
    rows = [
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    ]
    outer = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.real(np.diagonal(outer, axis1=-2, axis2=-1)), axis=-1)
    q = normalise(np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :])
    return np.where(np.real(q[..., :1]) < 0, -q, q)


def to_matrix(q: ArrayLike) -> Array:
    """Return the rotation matrix: (..., 4) -> (..., 3, 3). A proper rotation for q of any length but zero."""
    q = np.asarray(q)
    w, x, y, z = (q[..., k] for k in range(4))
    s = 2 / np.sum(q * q, axis=-1)
    rows = [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rate(q: ArrayLike, omega: ArrayLike) -> Array:
    """Return dq/dt = 1/2 q (0, omega) for a body angular velocity omega (..., 3)."""
    omega = np.asarray(omega)
    return 0.5 * product(q, np.concatenate([np.zeros_like(omega[..., :1]), omega], axis=-1))


def integrate(q: ArrayLike, omega: ArrayLike, dt: float = 1.0) -> Array:
    """Return q after turning for dt with a constant body angular velocity omega (..., 3): exact, of unit length."""
    return normalise(product(q, exp(np.asarray(omega) * dt)))
