"""Riemannian curvature of the inertia matrix, (66): zero where coordinates exist in which the arm is a free point."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.derivatives import christoffel_derivative
from lissom.theory.lie_group.lagrange import christoffel, mass_matrix

Array = NDArray[Any]


def curvature(arm: Arm, x: ArrayLike) -> Array:
    """R[..., i, j, k, l] of (66), all indices down: (..., n) -> (..., n, n, n, n).

    Equations: 002 (66).
    """
    first = christoffel(arm, x)
    change = christoffel_derivative(arm, x)  # [j, l, i, k]
    raised = np.linalg.solve(mass_matrix(arm, x)[..., None, :, :], np.swapaxes(first, -1, -2))  # [j, r, k]
    product = np.einsum("...ilr,...jrk->...ijkl", first, raised, optimize=True)
    half = np.einsum("...jlik->...ijkl", change) + product
    return half - np.swapaxes(half, -1, -2)


def sectional_curvature(arm: Arm, x: ArrayLike, u: ArrayLike, w: ArrayLike) -> Array:
    """Curvature (...) of the plane of two joint-space directions u, w (..., n), in 1/(kg m^2) for revolute arms."""
    u, w = np.asarray(u), np.asarray(w)
    M = mass_matrix(arm, x)
    uu, ww, uw = (np.einsum("...i,...ij,...j->...", a, M, b) for a, b in ((u, u), (w, w), (u, w)))
    top = np.einsum("...ijkl,...i,...j,...k,...l->...", curvature(arm, x), u, w, u, w, optimize=True)
    return top / (uu * ww - uw**2)


def scalar_curvature(arm: Arm, x: ArrayLike) -> Array:
    """Return the full contraction (...) of the curvature tensor."""
    inverse = np.linalg.inv(mass_matrix(arm, x))
    return np.einsum("...ijkl,...ik,...jl->...", curvature(arm, x), inverse, inverse, optimize=True)
