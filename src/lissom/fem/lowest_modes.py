"""Lowest natural modes of large mass and stiffness matrices, of held bodies and of free ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lissom.fem.fe_structure import Array, Sparse
from lissom.fem.sparse_solve import Factor

DENSE = 400  # unknowns up to which all modes are found at once
TOLERANCE = 1e-9  # of Lanczos: its frequencies are then right to rounding, its shapes to 1e-9


def lowest(mass: Sparse, stiffness: Sparse, count: int, solve: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Return (omega (count,), X (n, count)): K X = M X omega^2, X^T M X = 1, rising, for positive definite K.

    `solve` applies K^-1 (Lanczos with shift and inversion about zero).
    """
    n = stiffness.shape[0]
    count = min(count, n)
    if n <= DENSE or count > n // 3:
        return _dense(mass, stiffness, 0, count)
    return _lanczos(mass, stiffness, count, solve, np.sin(1.0 + np.arange(n)))


class FreeBody:
    """A body without supports: its rigid motions, its flexibility under inertia relief, its elastic modes.

    Parameters
    ----------
    rigid : array
        (n, 6) its rigid motions.
    points : array
        (n, 3) where the unknowns sit.
    """

    def __init__(self, mass: Sparse, stiffness: Sparse, rigid: Array, points: Array) -> None:
        from scipy.linalg import eigh, qr

        self.mass, self.stiffness = mass, stiffness
        # Sought in the space they span: rounding in the high modes of the mesh does not spoil them.
        squares, X = eigh(rigid.T @ (stiffness @ rigid), rigid.T @ (mass @ rigid))
        self.rigid_omega, self.rigid = np.sqrt(np.abs(squares)), rigid @ X
        self._mass_rigid = mass @ self.rigid
        # Held by six unknowns far apart; loads balanced by the body's inertia leave them without reaction.
        _, _, order = qr((rigid / np.linalg.norm(rigid, axis=0)).T, pivoting=True, mode="economic")
        self._kept = np.sort(order[6:])
        self._factor = Factor(stiffness[self._kept][:, self._kept], points[self._kept])

    def across(self, shapes: Array) -> Array:
        """Return shapes (n, ...) without their rigid part."""
        return shapes - self.rigid @ (self._mass_rigid.T @ shapes)

    def flexibility(self, load: Array) -> Array:
        """Return elastic answer (n, ...) to loads balanced by inertia, free of rigid motion."""
        balanced = load - self._mass_rigid @ (self.rigid.T @ load)
        answer = np.zeros(np.shape(load))
        answer[self._kept] = self._factor.solve(balanced[self._kept])
        return self.across(answer)

    def modes(self, count: int) -> tuple[Array, Array]:
        """Return the lowest elastic modes: omega (count,), mass-normalised shapes (n, count)."""
        n = self.stiffness.shape[0]
        count = max(0, min(count, n - 6))
        if n <= DENSE or count > n // 3:
            return _dense(self.mass, self.stiffness, 6, count)
        start = self.across(np.sin(1.0 + np.arange(n)))
        return _lanczos(self.mass, self.stiffness, count, self.flexibility, start)


def _dense(mass: Sparse, stiffness: Sparse, first: int, count: int) -> tuple[Array, Array]:
    from scipy.linalg import eigh

    if count == 0:
        return np.zeros(0), np.zeros((stiffness.shape[0], 0))
    squares, X = eigh(stiffness.toarray(), mass.toarray(), subset_by_index=(first, first + count - 1))
    return np.sqrt(np.maximum(squares, 0)), X


def _lanczos(
    mass: Sparse, stiffness: Sparse, count: int, solve: Callable[[Array], Array], start: Array
) -> tuple[Array, Array]:
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = stiffness.shape[0]
    if count == 0:
        return np.zeros(0), np.zeros((n, 0))
    inverse = LinearOperator((n, n), matvec=solve, dtype=float)
    vectors = min(n, max(2 * count + 1, 20))
    squares, X = eigsh(stiffness, count, M=mass, sigma=0.0, OPinv=inverse, v0=start, ncv=vectors, tol=TOLERANCE)
    order = np.argsort(squares)
    return np.sqrt(np.maximum(squares[order], 0)), X[:, order]
