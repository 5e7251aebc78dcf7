"""Closed-form derivatives: of the inertia matrix, first and second, of the Christoffel symbols, of joint forces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import se3
from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.kinematics import frames
from lissom.theory.lie_group.lagrange import (
    _christoffel,
    body_gravity,
    jacobian_derivative,
    mass_matrix,
    mass_matrix_derivative,
)

Array = NDArray[Any]


class ForceDerivatives(NamedTuple):
    """Derivatives (..., n, n) of the joint forces of inverse dynamics."""

    x: Array
    xd: Array
    xdd: Array  # the inertia matrix


class Linear(NamedTuple):
    """d/dt (dx, dxd) = A (dx, dxd) + B dtau about a motion; A (..., 2n, 2n), B (..., 2n, n)."""

    A: Array
    B: Array


def mass_matrix_second_derivative(arm: Arm, x: ArrayLike) -> Array:
    """ddM[..., i, j, k, m] = d^2 m_ij / d x_k d x_m, by (53) and (54): (..., n, n, n, n)."""
    _, B = frames(arm, x)
    dB = jacobian_derivative(arm, B)
    ad_B, ad_dB = se3.ad(np.swapaxes(B, -1, -2)), se3.ad(np.moveaxis(dB, -3, -1))
    # d/dx_m [B_j, B_k] = [dB_j/dx_m, B_k] + [B_j, dB_k/dx_m], where j is before k
    ddB = np.einsum("...ljmab,...lbk,jk->...lajkm", ad_dB, B, arm.before, optimize=True)
    ddB += np.einsum("...ljab,...lbkm,jk->...lajkm", ad_B, dB, arm.before, optimize=True)
    half = np.einsum("...laikm,lab,...lbj->...ijkm", ddB, arm.J, B, optimize=True)
    half += np.einsum("...laik,lab,...lbjm->...ijkm", dB, arm.J, dB, optimize=True)
    return half + np.swapaxes(half, -4, -3)


def christoffel_derivative(arm: Arm, x: ArrayLike) -> Array:
    """dG[..., i, j, k, m] = d Gamma_ijk / d x_m: (..., n, n, n, n)."""
    ddM = np.moveaxis(mass_matrix_second_derivative(arm, x), -1, 0)
    return np.moveaxis(_christoffel(ddM), 0, -1)


def gravity_derivative(arm: Arm, x: ArrayLike) -> Array:
    """Return d phi_k / d x_m (..., n, n), symmetric: the stiffness of gravity."""
    f, B = frames(arm, x)
    g = body_gravity(arm, f)
    dg = np.einsum("...lab,...lbm->...lam", se3.ad(g), B)  # a field fixed in space, seen in a frame that moves
    dB = jacobian_derivative(arm, B)
    turned = np.einsum("...lakm,lab,...lb->...km", dB, arm.J, g, optimize=True)
    return -turned - np.einsum("...lak,lab,...lbm->...km", B, arm.J, dg, optimize=True)


def inverse_dynamics_derivatives(arm: Arm, x: ArrayLike, xd: ArrayLike, xdd: ArrayLike) -> ForceDerivatives:
    """Return derivatives of tau = M xdd + Gamma xd xd + phi by x, xd and xdd (..., n)."""
    xd, xdd = np.asarray(xd), np.asarray(xdd)
    dM = mass_matrix_derivative(arm, x)
    by_x = np.einsum("...kjm,...j->...km", dM, xdd) + gravity_derivative(arm, x)
    by_x = by_x + np.einsum("...ijkm,...i,...j->...km", christoffel_derivative(arm, x), xd, xd, optimize=True)
    by_xd = 2 * np.einsum("...ijk,...i->...kj", _christoffel(dM), xd)
    return ForceDerivatives(by_x, by_xd, mass_matrix(arm, x))


def linearise(arm: Arm, x: ArrayLike, xd: ArrayLike, xdd: ArrayLike) -> Linear:
    """Return the arm linearised about a motion x(t), xd(t), xdd(t), all samples at once; arrays (..., n).

    Forces of springs, friction and stops are those of the robot, not of the arm: `LieGroup.linearise` has them too.
    """
    return linear_model(inverse_dynamics_derivatives(arm, x, xd, xdd))


def linear_model(forces: ForceDerivatives) -> Linear:
    """State-space matrices of M dxdd + (dtau/dxd) dxd + (dtau/dx) dx = dtau."""
    n = forces.xdd.shape[-1]
    stacked = np.concatenate(np.broadcast_arrays(-forces.x, -forces.xd, np.eye(n)), axis=-1)
    solved = np.linalg.solve(forces.xdd, stacked)
    A = np.zeros((*solved.shape[:-2], 2 * n, 2 * n))
    B = np.zeros((*solved.shape[:-2], 2 * n, n))
    A[..., :n, n:], A[..., n:, :], B[..., n:, :] = np.eye(n), solved[..., : 2 * n], solved[..., 2 * n :]
    return Linear(A, B)
