"""G1, the group of dual rotations: matrices X = [[A, 0], [hat(theta) A, A]] of shape (..., 6, 6), (8).

A is the rotation of the rigid motion and theta the small rotation vector that deflection adds on its left. Tangent
vectors are (..., 6) = (real, dual). As matrices these are the adjoints of SE(3), with an angle in place of a distance,
so that `se3` holds the closed forms; here they act on dual vectors.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import se3, so3

Array = NDArray[Any]


def from_parts(A: ArrayLike, theta: ArrayLike) -> Array:
    """X = (A, hat(theta) A) from A (..., 3, 3) and theta (..., 3).

    Equations: 000 (8).
    """
    return se3.Ad(se3.from_parts(A, theta))


def parts(X: ArrayLike) -> tuple[Array, Array]:
    """Return A (..., 3, 3) and theta (..., 3) of X."""
    X = np.asarray(X)
    A = X[..., :3, :3]
    return A, so3.vee(X[..., 3:, :3] @ so3.inverse(A))


def hat(omega: ArrayLike) -> Array:
    """Return [omega]^ = [[hat(real), 0], [hat(dual), hat(real)]], (38): (..., 6) -> (..., 6, 6).

    Equations: 000 (9)-(11), (34)-(36), (38).
    """
    return se3.ad(omega)


def vee(W: ArrayLike) -> Array:
    """Return the dual vector of a matrix, the inverse of `hat`: (..., 6, 6) -> (..., 6)."""
    W = np.asarray(W)
    return np.concatenate([so3.vee(W[..., :3, :3]), so3.vee(W[..., 3:, :3])], axis=-1)


def inverse(X: ArrayLike) -> Array:
    """Return X^-1 = (A^T, -A^T hat(theta)), (32): both diagonal blocks and the dual block transposed.

    Equations: 000 (32), (40).
    """
    X = np.asarray(X)
    Y = np.zeros_like(X)
    Y[..., :3, :3] = Y[..., 3:, 3:] = so3.inverse(X[..., :3, :3])
    Y[..., 3:, :3] = so3.inverse(X[..., 3:, :3])
    return Y


def act(X: ArrayLike, a: ArrayLike) -> Array:
    """Return the dual vectors X a, (39), with X (..., 6, 6) and a (..., 6).

    Equations: 000 (39).
    """
    return so3.act(X, a)


def Ad(X: ArrayLike) -> Array:
    """Return the adjoint of the group, [Ad(X) omega]^ = X [omega]^ X^-1, (12): it is X itself.

    Equations: 000 (12), (41).
    """
    return np.asarray(X)


def ad(omega: ArrayLike) -> Array:
    """Return the adjoint of the algebra, the dual vector product (13): it is `hat`.

    Equations: 000 (13).
    """
    return hat(omega)


def exp(omega: ArrayLike) -> Array:
    """Return the exponential of [omega]^ in closed form, (136): (..., 6) -> (..., 6, 6).

    Equations: 000 (136).
    """
    omega = np.asarray(omega)
    u, w = omega[..., :3], omega[..., 3:]
    return from_parts(so3.exp(u), so3.act(so3.left_jacobian(u), w))


def log(X: ArrayLike) -> Array:
    """Return the logarithm in closed form, (137), with |real| at most pi: (..., 6, 6) -> (..., 6).

    Equations: 000 (137).
    """
    A, theta = parts(X)
    phi = so3.log(A)
    return np.concatenate([phi, so3.act(so3.left_jacobian_inverse(phi), theta)], axis=-1)


def left_jacobian(omega: ArrayLike) -> Array:
    """Psi_l of G1 in closed form, (142)-(144): (..., 6) -> (..., 6, 6).

    Its lower left block Q is the derivative of the rotation's Jacobian along the dual part. That is (144), but with
    coefficients that keep their digits at small angles.

    Equations: 000 (142)-(144).
    """
    return se3.left_jacobian(omega)


def left_jacobian_inverse(omega: ArrayLike) -> Array:
    """Return the inverse of `left_jacobian`, for |real| < 2 pi."""
    return se3.left_jacobian_inverse(omega)
