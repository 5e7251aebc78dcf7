"""G2, the group of dual homogeneous transformations: matrices Y = [[X, v], [0, 1]] of shape (..., 7, 7), (14).

X is a dual rotation (6, 6) of G1 and v = (r, d) a dual vector: r the rigid displacement, d what deflection adds.
Tangent vectors, dual twists, are (..., 12) = (omega, v) = (real omega, dual omega, real v, dual v), (56).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import affine, so3
from lissom.lie.dual import g1
from lissom.lie.dual.number import Dual

Array = NDArray[Any]


def from_parts(X: ArrayLike, v: ArrayLike) -> Array:
    """Return Y = (X, v) from X (..., 6, 6) and v (..., 6).

    Equations: 000 (14).
    """
    return affine.from_parts(X, v)


def parts(Y: ArrayLike) -> tuple[Array, Array]:
    """Return X (..., 6, 6) and v (..., 6) of Y, as views."""
    return affine.parts(Y)


def hat(t: ArrayLike) -> Array:
    """Return [t]^ = [[[omega]^, v], [0, 0]], (55): (..., 12) -> (..., 7, 7).

    Equations: 000 (15)-(17), (53)-(56).
    """
    t = np.asarray(t)
    T = from_parts(g1.hat(t[..., :6]), t[..., 6:])
    T[..., 6, 6] = 0.0
    return T


def vee(T: ArrayLike) -> Array:
    """Return the dual twist of a matrix, the inverse of `hat`: (..., 7, 7) -> (..., 12)."""
    X, v = parts(T)
    return np.concatenate([g1.vee(X), v], axis=-1)


def inverse(Y: ArrayLike) -> Array:
    """Return Y^-1 = (X^-1, -X^-1 v), (51).

    Equations: 000 (51).
    """
    X, v = parts(Y)
    X_inverse = g1.inverse(X)
    return from_parts(X_inverse, -so3.act(X_inverse, v))


def act(Y: ArrayLike, a: ArrayLike) -> Array:
    """Return the dual positions X a + v, with Y (..., 7, 7) and a (..., 6)."""
    X, v = parts(Y)
    return so3.act(X, a) + v


def Ad(Y: ArrayLike) -> Array:
    """Return the adjoint of the group, [[X, 0], [[v]^ X, X]], (19): (..., 7, 7) -> (..., 12, 12).

    Equations: 000 (18)-(21).
    """
    X, v = parts(Y)
    return Dual(X, g1.hat(v) @ X).block


def ad(t: ArrayLike) -> Array:
    """Return the Lie bracket as a matrix, [[[omega]^, 0], [[v]^, [omega]^]]: (..., 12) -> (..., 12, 12)."""
    t = np.asarray(t)
    return Dual(g1.hat(t[..., :6]), g1.hat(t[..., 6:])).block


def exp(t: ArrayLike) -> Array:
    """Return the exponential of [t]^ in closed form, (141): (..., 12) -> (..., 7, 7).

    Equations: 000 (141).
    """
    t = np.asarray(t)
    omega, v = t[..., :6], t[..., 6:]
    return from_parts(g1.exp(omega), so3.act(g1.left_jacobian(omega), v))


def log(Y: ArrayLike) -> Array:
    """Return the logarithm in closed form, (145), with a rigid rotation of at most pi: (..., 7, 7) -> (..., 12).

    Equations: 000 (145).
    """
    X, v = parts(Y)
    omega = g1.log(X)
    return np.concatenate([omega, so3.act(g1.left_jacobian_inverse(omega), v)], axis=-1)
