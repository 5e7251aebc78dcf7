"""Affine maps x -> A x + b of n numbers as matrices (n + 1, n + 1): rigid motions (n = 3), dual ones (n = 6)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def from_parts(A: ArrayLike, b: ArrayLike) -> Array:
    """Return [[A, b], [0, 1]] from A (..., n, n) and b (..., n)."""
    A, b = np.asarray(A), np.asarray(b)
    n = b.shape[-1]
    batch = np.broadcast_shapes(A.shape[:-2], b.shape[:-1])
    M = np.zeros((*batch, n + 1, n + 1), dtype=np.result_type(A, b, float))
    M[..., :n, :n], M[..., :n, n], M[..., n, n] = A, b, 1.0
    return M


def parts(M: ArrayLike) -> tuple[Array, Array]:
    """Return A (..., n, n) and b (..., n) of M, as views."""
    M = np.asarray(M)
    return M[..., :-1, :-1], M[..., :-1, -1]
