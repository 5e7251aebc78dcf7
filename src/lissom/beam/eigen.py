"""Natural modes of a pair of mass and stiffness matrices."""

from __future__ import annotations

import numpy as np

from lissom.beam.number import Array


def eigenmodes(mass: Array, stiffness: Array) -> tuple[Array, Array]:
    """(omega, X): K X = M X omega^2 and X^T M X = 1, omega (m,) rising, for real positive definite M, K.

    Scaled by the stiffness, not the mass: rounding then falls on the highest modes and spares the lowest.
    """
    root = np.linalg.inv(np.linalg.cholesky(stiffness)).T
    flexibility, Y = np.linalg.eigh(root.T @ mass @ root)
    flexibility = np.maximum(flexibility, np.finfo(float).tiny)[::-1]
    omega = 1 / np.sqrt(flexibility)
    return omega, root @ Y[:, ::-1] * omega
