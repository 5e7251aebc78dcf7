"""The Lagrangian form (29) in closed form: inertia matrix, Christoffel symbols, Coriolis matrix, gravity, energies.

Everything rests on the body Jacobians B_l of the nodes, whose derivatives are Lie brackets of their own columns:
    d B_lj / d x_k = [B_lj, B_lk]   where j comes before k on the way to l, else 0.
That is Proposition 1, (53), with the common factor Ad_l^{k+1} drawn into the bracket; Proposition 2 is the same again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import se3
from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.kinematics import frames

Array = NDArray[Any]


def mass_matrix(arm: Arm, x: ArrayLike) -> Array:
    """M(x) = S^T G^T J G S, (51), as the sum over links of B^T J B: (..., n) -> (..., n, n); rotors included.

    Equations: 002 (29), (40).
    """
    _, B = frames(arm, x)
    Bt = np.swapaxes(B, -1, -2)
    return np.sum(Bt @ arm.J @ B, axis=-3) + np.diag(arm.armature)


def factors_space(arm: Arm, x: ArrayLike) -> tuple[Array, Array, Array]:
    """Return A (6n, n), L (..., 6N, 6n) and D (6N, 6N) of M = A^T L^T D L A, (41)-(46): constant but for L.

    A holds the screws and D the inertias, both in world axes at x = 0; block (l, j) of L is Ad_l^{j+1}.

    Equations: 002 (41), (43)-(46).
    """
    f, _ = frames(arm, x)
    T = f @ se3.inverse(arm.home)  # products of exponentials up to each node
    blocks = se3.Ad(se3.inverse(T)[..., :, None, :, :] @ T[..., None, arm.node, :, :])
    return _diagonal(arm.A[:, :, None]), _blocks(blocks, arm.path), _diagonal(arm.D)


def factors_body(arm: Arm, x: ArrayLike) -> tuple[Array, Array, Array]:
    """S (6n, n), G (..., 6N, 6n) and J (6N, 6N) of M = S^T G^T J G S, (47)-(51), in the frames of the nodes.

    Equations: 002 (47)-(51), (65).
    """
    f, _ = frames(arm, x)
    blocks = se3.Ad(se3.inverse(f)[..., :, None, :, :] @ f[..., None, arm.node, :, :])
    return _diagonal(arm.S[arm.node][:, :, None]), _blocks(blocks, arm.path), _diagonal(arm.J)


def jacobian_derivative(arm: Arm, B: Array) -> Array:
    """dB[..., l, :, j, k] = d B_lj / d x_k, (53): (..., N, 6, n) -> (..., N, 6, n, n).

    Equations: 002 (53).
    """
    ad = se3.ad(np.swapaxes(B, -1, -2))  # (..., N, j, 6, 6)
    return np.einsum("...ljab,...lbk,jk->...lajk", ad, B, arm.before, optimize=True)


def mass_matrix_derivative(arm: Arm, x: ArrayLike) -> Array:
    """dM[..., i, j, k] = d m_ij / d x_k: (..., n) -> (..., n, n, n)."""
    _, B = frames(arm, x)
    half = np.einsum("...laik,lab,...lbj->...ijk", jacobian_derivative(arm, B), arm.J, B, optimize=True)
    return half + np.swapaxes(half, -3, -2)


def christoffel(arm: Arm, x: ArrayLike) -> Array:
    """Christoffel symbols of the first kind, G[..., i, j, k] = Gamma_ijk of (52), (55)-(57): (..., n, n, n).

    Equations: 002 (29), (55)-(57).
    """
    return _christoffel(mass_matrix_derivative(arm, x))


def coriolis_matrix(arm: Arm, x: ArrayLike, xd: ArrayLike) -> Array:
    """C (..., n, n) with c_kj = sum_i Gamma_ijk xd_i: C xd are the Coriolis forces, and Mdot - 2C is skew."""
    return np.einsum("...ijk,...i->...kj", christoffel(arm, x), np.asarray(xd))


def gravity_forces(arm: Arm, x: ArrayLike) -> Array:
    """Return phi (..., n) of (59): joint forces that hold the arm against gravity.

    Equations: 002 (29), (59).
    """
    f, B = frames(arm, x)
    return -np.einsum("...lak,lab,...lb->...k", B, arm.J, body_gravity(arm, f), optimize=True)


def body_gravity(arm: Arm, f: Array) -> Array:
    """Gravity as an acceleration (0, g) in the frames f (..., N, 4, 4) of the nodes: (..., N, 6)."""
    g = np.einsum("...lji,j->...li", f[..., :3, :3], arm.gravity)
    return np.concatenate([np.zeros_like(g), g], axis=-1)


def kinetic_energy(arm: Arm, x: ArrayLike, xd: ArrayLike) -> Array:
    """1/2 xd^T M xd, (...); printed (32) lacks the half.

    Equations: 002 (32).
    """
    return 0.5 * np.einsum("...i,...ij,...j->...", np.asarray(xd), mass_matrix(arm, x), np.asarray(xd))


def gravity_energy(arm: Arm, x: ArrayLike) -> Array:
    """-sum m g . c (...), (58) with its sign for a vector g that points down.

    Equations: 002 (58).
    """
    f, _ = frames(arm, x)
    first = np.stack([arm.J[:, 2, 4], arm.J[:, 0, 5], arm.J[:, 1, 3]], axis=-1)  # m c in node axes
    weight = arm.J[:, 3, 3, None] * f[..., :3, 3] + np.einsum("...lij,lj->...li", f[..., :3, :3], first)
    return -np.einsum("...li,i->...", weight, arm.gravity)


def _christoffel(dM: Array) -> Array:
    """Gamma_ijk = 1/2 (d_i m_kj + d_j m_ki - d_k m_ij), (52).

    Equations: 002 (52).
    """
    by_i = np.einsum("...kji->...ijk", dM)
    return 0.5 * (by_i + np.einsum("...kij->...ijk", dM) - dM)


def _diagonal(blocks: Array) -> Array:
    """Block-diagonal matrix of blocks (m, r, c): (m r, m c)."""
    m, r, c = blocks.shape
    out = np.zeros((m, r, m, c), blocks.dtype)
    out[np.arange(m), :, np.arange(m), :] = blocks
    return out.reshape(m * r, m * c)


def _blocks(blocks: Array, where: Array) -> Array:
    """(..., N, n, 6, 6) as one matrix (..., 6N, 6n), zero off the paths."""
    kept = np.moveaxis(blocks * where[..., None, None], -2, -3)
    *batch, N, _, n, _ = kept.shape
    return kept.reshape(*batch, 6 * N, 6 * n)
