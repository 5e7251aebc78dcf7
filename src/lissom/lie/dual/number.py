"""Dual numbers, vectors and matrices: real + eps dual with eps^2 = 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Dual:
    """real + eps dual, both of one shape: a number (...), vectors (..., n) or matrices (..., m, n).

    Sums, products, quotients and matrix products follow eps^2 = 0; plain numbers and arrays count as real.
    A function f is carried over by f(a + eps b) = f(a) + eps f'(a) b.
    """

    real: Array
    dual: Array

    __array_ufunc__ = None  # numpy arrays leave the operators to this class

    @staticmethod
    def of(value: ArrayLike | Dual) -> Dual:
        """Return the value itself if it is dual, else value + eps 0."""
        if isinstance(value, Dual):
            return value
        value = np.asarray(value)
        return Dual(value, np.zeros_like(value))

    @staticmethod
    def vector(stacked: ArrayLike) -> Dual:
        """Return the dual vector (..., 3) whose parts are stacked in one real vector (..., 6), as in (37).

        Equations: 000 (37).
        """
        stacked = np.asarray(stacked)
        half = stacked.shape[-1] // 2
        return Dual(stacked[..., :half], stacked[..., half:])

    @property
    def stacked(self) -> Array:
        """The real vector (real, dual) of a dual vector: (..., n) -> (..., 2n)."""
        return np.concatenate(np.broadcast_arrays(self.real, self.dual), axis=-1)

    @property
    def block(self) -> Array:
        """The real matrix [[real, 0], [dual, real]] of a dual matrix; products of blocks are blocks of products."""
        real, dual = np.broadcast_arrays(self.real, self.dual)
        top = np.concatenate([real, np.zeros_like(real)], axis=-1)
        return np.concatenate([top, np.concatenate([dual, real], axis=-1)], axis=-2)

    @property
    def T(self) -> Dual:
        """Transpose of a dual matrix."""
        return Dual(np.swapaxes(self.real, -1, -2), np.swapaxes(self.dual, -1, -2))

    def value(self, eps: float = 1.0) -> Array:
        """Return real + eps dual for a real number eps: the first-order quantity itself at eps = 1."""
        return self.real + eps * self.dual

    def __add__(self, other: ArrayLike | Dual) -> Dual:
        other = Dual.of(other)
        return Dual(self.real + other.real, self.dual + other.dual)

    def __sub__(self, other: ArrayLike | Dual) -> Dual:
        return self + -Dual.of(other)

    def __mul__(self, other: ArrayLike | Dual) -> Dual:
        other = Dual.of(other)
        return Dual(self.real * other.real, self.real * other.dual + self.dual * other.real)

    def __truediv__(self, other: ArrayLike | Dual) -> Dual:
        other = Dual.of(other)
        quotient = self.real / other.real
        return Dual(quotient, (self.dual - quotient * other.dual) / other.real)

    def __matmul__(self, other: ArrayLike | Dual) -> Dual:
        other = Dual.of(other)
        return Dual(self.real @ other.real, self.real @ other.dual + self.dual @ other.real)

    def __radd__(self, other: ArrayLike) -> Dual:
        return self + other

    def __rsub__(self, other: ArrayLike) -> Dual:
        return Dual.of(other) - self

    def __rmul__(self, other: ArrayLike) -> Dual:
        return self * other

    def __rtruediv__(self, other: ArrayLike) -> Dual:
        return Dual.of(other) / self

    def __rmatmul__(self, other: ArrayLike) -> Dual:
        return Dual.of(other) @ self

    def __neg__(self) -> Dual:
        return Dual(-self.real, -self.dual)

    def __getitem__(self, index: Any) -> Dual:
        return Dual(self.real[index], self.dual[index])

    def apply(self, function: Callable[[Array], Array], slope: Callable[[Array], Array]) -> Dual:
        """Return f(real) + eps f'(real) dual, for an elementwise function and its derivative."""
        return Dual(function(self.real), slope(self.real) * self.dual)

    def sin(self) -> Dual:
        """Return the sine, element by element."""
        return self.apply(np.sin, np.cos)

    def cos(self) -> Dual:
        """Return the cosine, element by element."""
        return self.apply(np.cos, lambda x: -np.sin(x))

    def exp(self) -> Dual:
        """Return the exponential, element by element."""
        return self.apply(np.exp, np.exp)

    def sqrt(self) -> Dual:
        """Return the square root, element by element."""
        return self.apply(np.sqrt, lambda x: 0.5 / np.sqrt(x))

    def dot(self, other: Dual) -> Dual:
        """Return the dual scalar product of two dual vectors."""
        product = self * other
        return Dual(np.sum(product.real, axis=-1), np.sum(product.dual, axis=-1))

    def cross(self, other: Dual) -> Dual:
        """Return the dual vector product of two dual vectors (..., 3), (13)."""
        turned = np.cross(self.real, other.dual) + np.cross(self.dual, other.real)
        return Dual(np.cross(self.real, other.real), turned)
