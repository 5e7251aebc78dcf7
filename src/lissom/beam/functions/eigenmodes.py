"""Natural modes of a pair of mass and stiffness matrices."""

from __future__ import annotations

import numpy as np

from lissom.beam.number_types import Array
from lissom.errors import LissomError


def eigenmodes(mass: Array, stiffness: Array) -> tuple[Array, Array]:
    """Return (omega, X): K X = M X omega^2 and X^T M X = 1, omega (..., m) rising, for real positive definite M, K.

    Scaled by the stiffness, not the mass: rounding then falls on the highest modes and spares the lowest.
    """
    try:
        root = np.swapaxes(np.linalg.inv(np.linalg.cholesky(stiffness)), -1, -2)
    except np.linalg.LinAlgError:
        raise LissomError(
            "is unstable while it is straight: its stiffness has a negative part, so that it has no natural modes and "
            "no modal damping; lower its prestress, or stiffen it",
            ("beam",),
        ) from None
    flexibility, Y = np.linalg.eigh(np.swapaxes(root, -1, -2) @ mass @ root)
    flexibility = np.maximum(flexibility, np.finfo(float).tiny)[..., ::-1]
    omega = 1 / np.sqrt(flexibility)
    return omega, root @ Y[..., ::-1] * omega[..., None, :]
