"""Rigid motions: matrices T of shape (..., 4, 4) and twists xi = (omega, v) of shape (..., 6).

`T_ab = [[R_ab, p], [0, 1]]` maps coordinates of frame b to frame a; p is the origin of b in a. Twists move
with the adjoint, `V_a = Ad(T_ab) V_b`, and wrenches with its transpose, `W_b = Ad(T_ab)^T W_a`.

SE(3) is SO(3) over the dual numbers: the Jacobian of a twist (omega, v) consists of the Jacobian of omega and
its derivative in the direction v.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import affine, coefficients, so3

Array = NDArray[Any]


def from_parts(R: ArrayLike, p: ArrayLike) -> Array:
    """Return T = [[R, p], [0, 1]] from R (..., 3, 3) and p (..., 3)."""
    return affine.from_parts(R, p)


def parts(T: ArrayLike) -> tuple[Array, Array]:
    """Return R (..., 3, 3) and p (..., 3) of T, as views."""
    return affine.parts(T)


def hat(xi: ArrayLike) -> Array:
    """Return the matrix of a twist, [[hat(omega), v], [0, 0]]: (..., 6) -> (..., 4, 4)."""
    xi = coefficients.as_inexact(xi)
    X = np.zeros((*xi.shape[:-1], 4, 4), dtype=xi.dtype)
    X[..., :3, :3], X[..., :3, 3] = so3.hat(xi[..., :3]), xi[..., 3:]
    return X


def vee(X: ArrayLike) -> Array:
    """Return the twist of a matrix, the inverse of `hat`: (..., 4, 4) -> (..., 6)."""
    X = np.asarray(X)
    return np.concatenate([so3.vee(X[..., :3, :3]), X[..., :3, 3]], axis=-1)


def exp(xi: ArrayLike) -> Array:
    """Return the motion along a constant twist for unit time: (..., 6) -> (..., 4, 4).

    Equations: 002 (15)-(17).
    """
    xi = np.asarray(xi)
    w, v = xi[..., :3], xi[..., 3:]
    return from_parts(so3.exp(w), so3.act(so3.left_jacobian(w), v))


def log(T: ArrayLike) -> Array:
    """Return the twist of a motion, turning by pi at most: (..., 4, 4) -> (..., 6)."""
    R, p = parts(T)
    w = so3.log(R)
    return np.concatenate([w, so3.act(so3.left_jacobian_inverse(w), p)], axis=-1)


def inverse(T: ArrayLike) -> Array:
    """Return T_ba from T_ab, without a linear solve."""
    R, p = parts(T)
    R_inverse = so3.inverse(R)
    return from_parts(R_inverse, -so3.act(R_inverse, p))


def act(T: ArrayLike, x: ArrayLike) -> Array:
    """Return R x + p: coordinates in frame a of points x (..., 3) given in frame b."""
    R, p = parts(T)
    return so3.act(R, x) + p


def Ad(T: ArrayLike) -> Array:
    """Return the adjoint of the group, [[R, 0], [hat(p) R, R]]: (..., 4, 4) -> (..., 6, 6); V_a = Ad(T_ab) V_b.

    Equations: 003 (4); 002 (2)-(3).
    """
    R, p = parts(T)
    return _dual(R, so3.hat(p) @ R)


def ad(xi: ArrayLike) -> Array:
    """Return the Lie bracket as a matrix, [[hat(omega), 0], [hat(v), hat(omega)]]: (..., 6) -> (..., 6, 6).

    Equations: 003 (101); 002 (1), (5)-(7).
    """
    xi = np.asarray(xi)
    return _dual(so3.hat(xi[..., :3]), so3.hat(xi[..., 3:]))


def transform_twist(T_ab: ArrayLike, V_b: ArrayLike) -> Array:
    """Return a twist (omega, v) given in frame b as seen in frame a: V_a = Ad(T_ab) V_b.

    Equations: 002 (2)-(3).
    """
    R, p = parts(T_ab)
    V_b = np.asarray(V_b)
    omega = so3.act(R, V_b[..., :3])
    return np.concatenate([omega, so3.act(R, V_b[..., 3:]) + np.cross(p, omega)], axis=-1)


def transform_wrench(T_ab: ArrayLike, W_b: ArrayLike) -> Array:
    """Return a wrench (torque, force) given in frame b as seen in frame a: W_a = Ad(T_ab)^-T W_b.

    The force is turned; the torque is turned and gains the moment of the force about the origin of a.

    Equations: 002 (4), (9)-(11).
    """
    R, p = parts(T_ab)
    W_b = np.asarray(W_b)
    force = so3.act(R, W_b[..., 3:])
    return np.concatenate([so3.act(R, W_b[..., :3]) + np.cross(p, force), force], axis=-1)


def left_jacobian(xi: ArrayLike) -> Array:
    """Return J_l(xi) of shape (..., 6, 6): the twist in the outer frame is J_l(xi) dxi/dt."""
    xi = np.asarray(xi)
    return _dual(so3.left_jacobian(xi[..., :3]), _left_jacobian_slope(xi[..., :3], xi[..., 3:]))


def right_jacobian(xi: ArrayLike) -> Array:
    """Return J_r(xi) = J_l(-xi): the twist in the body frame is J_r(xi) dxi/dt."""
    return left_jacobian(-np.asarray(xi))


def left_jacobian_inverse(xi: ArrayLike) -> Array:
    """Return the inverse of `left_jacobian`, for turns below 2 pi."""
    xi = np.asarray(xi)
    w, v = xi[..., :3], xi[..., 3:]
    J_inverse = so3.left_jacobian_inverse(w)
    return _dual(J_inverse, -J_inverse @ _left_jacobian_slope(w, v) @ J_inverse)


def right_jacobian_inverse(xi: ArrayLike) -> Array:
    """Return the inverse of `right_jacobian`, for turns below 2 pi."""
    return left_jacobian_inverse(-np.asarray(xi))


def _left_jacobian_slope(w: Array, v: Array) -> Array:
    """Return the derivative of so3.left_jacobian at w in the direction v: (..., 3, 3)."""
    x = np.sum(w * w, axis=-1)[..., None, None]
    along = np.sum(w * v, axis=-1)[..., None, None]
    W, V = so3.hat(w), so3.hat(v)
    turned = coefficients.versine(x) * V + coefficients.sine_rest(x) * (W @ V + V @ W)
    return turned + along * (coefficients.versine_slope(x) * W + coefficients.sine_rest_slope(x) * (W @ W))


def _dual(real: Array, dual: Array) -> Array:
    """Return [[real, 0], [dual, real]]: (..., 3, 3) twice -> (..., 6, 6)."""
    batch = np.broadcast_shapes(real.shape, dual.shape)[:-2]
    M = np.zeros((*batch, 6, 6), dtype=np.result_type(real, dual))
    M[..., :3, :3], M[..., 3:, :3], M[..., 3:, 3:] = real, dual, real
    return M
