"""Propositions 1 and 2 of Park, Bobrow and Ploen (1995), as printed: derivatives of the maps Ad_j^i.

Screws A (n, 6) and coordinates x (..., n) of one chain; indices count from 1, as in the paper. The rest of this package
uses the shorter form that follows from them (see `lagrange`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import se3

Array = NDArray[Any]


def adjoint_map(A: ArrayLike, x: ArrayLike, i: int, j: int) -> Array:
    """Ad_j^i (..., 6, 6) of (37), (42): Ad of exp(-A_j x_j) ... exp(-A_i x_i); the identity where i > j.

    Equations: 002 (37), (42).
    """
    A, x = np.asarray(A), np.asarray(x)
    pose = np.broadcast_to(np.eye(4), (*x.shape[:-1], 4, 4))
    for k in range(i, j + 1):
        pose = se3.exp(-A[k - 1] * x[..., k - 1, None]) @ pose
    return se3.Ad(pose)


def adjoint_derivative(A: ArrayLike, x: ArrayLike, i: int, j: int, k: int, B: ArrayLike) -> Array:
    """Return d Ad_j^i(B) / d x_k, (53): (..., 6).

    Equations: 002 (53).
    """
    if not i <= k <= j:
        return np.zeros_like(_apply(adjoint_map(A, x, 1, 1), B))
    inner = _apply(adjoint_map(A, x, i, k - 1), B)
    return _apply(adjoint_map(A, x, k, j), _bracket(inner, np.asarray(A)[k - 1]))


def adjoint_second_derivative(A: ArrayLike, x: ArrayLike, i: int, j: int, k: int, m: int, B: ArrayLike) -> Array:
    """d^2 Ad_j^i(B) / d x_k d x_m, (54): (..., 6).

    Equations: 002 (54).
    """
    low, high = min(k, m), max(k, m)
    if not i <= low <= high <= j:
        return np.zeros_like(_apply(adjoint_map(A, x, 1, 1), B))
    inner = _bracket(_apply(adjoint_map(A, x, i, low - 1), B), np.asarray(A)[low - 1])
    inner = _bracket(_apply(adjoint_map(A, x, low, high - 1), inner), np.asarray(A)[high - 1])
    return _apply(adjoint_map(A, x, high, j), inner)


def _apply(map: Array, B: ArrayLike) -> Array:
    return np.einsum("...ij,...j->...i", map, np.asarray(B))


def _bracket(a: ArrayLike, b: ArrayLike) -> Array:
    """Lie bracket of twists, (5)."""
    return _apply(se3.ad(a), b)
