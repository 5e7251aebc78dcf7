"""Rotations: matrices R of shape (..., 3, 3) and rotation vectors w of shape (..., 3).

`R_ab = exp(w)` maps coordinates of frame b to frame a. The left Jacobian relates a change of w to a rotation
on the left, exp(w + dw) = exp(J_l dw) exp(w) to first order, the right one to a rotation on the right,
exp(w + dw) = exp(w) exp(J_r dw).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import coefficients, quaternion

Array = NDArray[Any]


def hat(w: ArrayLike) -> Array:
    """Return the skew matrix of a vector, hat(w) x = w × x: (..., 3) -> (..., 3, 3)."""
    w = coefficients.as_inexact(w)
    W = np.zeros((*w.shape, 3), dtype=w.dtype)
    W[..., 2, 1], W[..., 0, 2], W[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    W[..., 1, 2], W[..., 2, 0], W[..., 0, 1] = -w[..., 0], -w[..., 1], -w[..., 2]
    return W


def vee(W: ArrayLike) -> Array:
    """Return the vector of a skew matrix: (..., 3, 3) -> (..., 3). A symmetric part is ignored."""
    W = np.asarray(W)
    pairs = [
        W[..., 2, 1] - W[..., 1, 2],
        W[..., 0, 2] - W[..., 2, 0],
        W[..., 1, 0] - W[..., 0, 1],
    ]
    return 0.5 * np.stack(pairs, axis=-1)


def exp(w: ArrayLike) -> Array:
    """Return the rotation matrix of a rotation vector (Rodrigues): (..., 3) -> (..., 3, 3).

    Equations: 000 (22).
    """
    x, W = _square_and_hat(w)
    return np.eye(3) + coefficients.sine(x) * W + coefficients.versine(x) * (W @ W)


def log(R: ArrayLike) -> Array:
    """Return the rotation vector of a rotation matrix, of length at most pi: (..., 3, 3) -> (..., 3).

    It passes through the unit quaternion, which keeps every digit near 0 and near pi alike. At pi exactly w
    and -w are both right, and one of them is returned.
    """
    return quaternion.log(quaternion.from_matrix(R))


def inverse(R: ArrayLike) -> Array:
    """Return R_ba from R_ab, the transpose."""
    return np.swapaxes(np.asarray(R), -1, -2)


def act(R: ArrayLike, x: ArrayLike) -> Array:
    """Return the rotated vectors R x, with R (..., 3, 3) and x (..., 3)."""
    return np.einsum("...ij,...j->...i", np.asarray(R), np.asarray(x))


def Ad(R: ArrayLike) -> Array:
    """Return the adjoint of the group, R hat(w) R^T = hat(Ad(R) w). For rotations it is R itself."""
    return np.asarray(R)


def ad(w: ArrayLike) -> Array:
    """Return the adjoint of the algebra, ad(w) u = w × u. For rotations it is `hat`."""
    return hat(w)


def left_jacobian(w: ArrayLike) -> Array:
    """Return J_l(w) of shape (..., 3, 3): angular velocity in the outer frame is J_l(w) dw/dt."""
    x, W = _square_and_hat(w)
    return np.eye(3) + coefficients.versine(x) * W + coefficients.sine_rest(x) * (W @ W)


def right_jacobian(w: ArrayLike) -> Array:
    """Return J_r(w) = J_l(-w): angular velocity in the body frame is J_r(w) dw/dt."""
    return left_jacobian(-np.asarray(w))


def left_jacobian_inverse(w: ArrayLike) -> Array:
    """Return the inverse of `left_jacobian`, for turns below 2 pi."""
    x, W = _square_and_hat(w)
    return np.eye(3) - 0.5 * W + coefficients.cotangent_rest(x) * (W @ W)


def right_jacobian_inverse(w: ArrayLike) -> Array:
    """Return the inverse of `right_jacobian`, for turns below 2 pi.

    Equations: 003 (74).
    """
    return left_jacobian_inverse(-np.asarray(w))


def from_rpy(rpy: ArrayLike) -> Array:
    """Return the rotation by roll about x, then pitch about y, then yaw about z, all fixed axes, as in URDF.

    R = Rz(yaw) Ry(pitch) Rx(roll): (..., 3) -> (..., 3, 3).
    """
    roll, pitch, yaw = np.moveaxis(exp(np.asarray(rpy)[..., None] * np.eye(3)), -3, 0)
    return yaw @ pitch @ roll


def to_rpy(R: ArrayLike) -> Array:
    """Return roll, pitch, yaw of a rotation matrix, pitch within [-pi/2, pi/2]: (..., 3, 3) -> (..., 3).

    At pitch = ±pi/2 only a sum of roll and yaw is defined; the angles returned still reproduce R.
    """
    R = np.asarray(R)
    upright = np.hypot(R[..., 1, 0], R[..., 0, 0]) < 1e-15  # what is left is rounding: roll alone takes up the turn
    yaw = np.where(upright, 0.0, np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-R[..., 2, 0], c * R[..., 0, 0] + s * R[..., 1, 0])
    # Roll from Rz(-yaw) R: it fits whatever yaw was chosen, so the two agree even where pitch is ±pi/2.
    roll = np.arctan2(s * R[..., 0, 2] - c * R[..., 1, 2], c * R[..., 1, 1] - s * R[..., 0, 1])
    return np.stack([roll, pitch, yaw], axis=-1)


def _square_and_hat(w: ArrayLike) -> tuple[Array, Array]:
    """Return theta^2 with two axes appended, and hat(w). No conjugate, so that complex steps pass through."""
    w = coefficients.as_inexact(w)
    return np.sum(w * w, axis=-1)[..., None, None], hat(w)
