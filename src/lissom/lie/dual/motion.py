"""Dual rotations and dual homogeneous transformations as objects: elements of G1 and G2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie import so3
from lissom.lie.dual import g1, g2
from lissom.lie.dual.number import Dual

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rotation:
    """A + eps hat(theta) A, (30): `matrix` is the element (..., 6, 6) of G1. R_ab maps coordinates of b to a.

    Equations: 000 (30)-(31).
    """

    matrix: Array

    @staticmethod
    def of(A: ArrayLike, theta: ArrayLike = (0.0, 0.0, 0.0)) -> Rotation:
        """Make it from a rigid rotation A (..., 3, 3) and a small rotation vector theta (..., 3) on its left."""
        return Rotation(g1.from_parts(A, theta))

    @staticmethod
    def small(theta: ArrayLike) -> Rotation:
        """Return 1 + eps hat(theta), (24): deflection alone.

        Equations: 000 (24).
        """
        return Rotation.of(np.eye(3), theta)

    @staticmethod
    def exp(omega: Dual) -> Rotation:
        """Return the rotation by a dual rotation vector."""
        return Rotation(g1.exp(omega.stacked))

    def log(self) -> Dual:
        """Return the dual rotation vector of the rotation."""
        return Dual.vector(g1.log(self.matrix))

    @property
    def rigid(self) -> Array:
        """The rigid rotation A (..., 3, 3)."""
        return g1.parts(self.matrix)[0]

    @property
    def deflection(self) -> Array:
        """The small rotation vector theta (..., 3)."""
        return g1.parts(self.matrix)[1]

    @property
    def dual(self) -> Dual:
        """The dual matrix (..., 3, 3)."""
        return Dual(self.matrix[..., :3, :3], self.matrix[..., 3:, :3])

    def inverse(self) -> Rotation:
        """Return R_ba from R_ab.

        Equations: 000 (25).
        """
        return Rotation(g1.inverse(self.matrix))

    @overload
    def __matmul__(self, other: Rotation) -> Rotation: ...
    @overload
    def __matmul__(self, other: Dual) -> Dual: ...
    def __matmul__(self, other: Rotation | Dual) -> Rotation | Dual:
        """Composition with a rotation, or the coordinates (39) of a dual vector after it."""
        if isinstance(other, Rotation):
            return Rotation(self.matrix @ other.matrix)
        return Dual.vector(so3.act(self.matrix, other.stacked))


@dataclass(frozen=True, eq=False)
class Transform:
    """Rigid pose and first-order deflection of a frame, (43): `matrix` is the element (..., 7, 7) of G2.

    Equations: 000 (44).
    """

    matrix: Array

    @staticmethod
    def of(rotation: Rotation, position: Dual) -> Transform:
        """Return frame b at the dual position r + eps d, turned by R_ab, (49)-(50).

        Equations: 000 (48)-(50).
        """
        return Transform(g2.from_parts(rotation.matrix, position.stacked))

    @staticmethod
    def deflected(T: ArrayLike, delta: ArrayLike) -> Transform:
        """Return (1 + eps [delta]^) T, (43): pose T (..., 4, 4), deflection delta = (theta, d) (..., 6) on its left.

        Equations: 000 (42)-(43).
        """
        T, delta = np.asarray(T), np.asarray(delta)
        theta, r = delta[..., :3], T[..., :3, 3]
        return Transform.of(Rotation.of(T[..., :3, :3], theta), Dual(r, np.cross(theta, r) + delta[..., 3:]))

    @staticmethod
    def exp(twist: ArrayLike) -> Transform:
        """Return the motion along a constant dual twist (..., 12) for unit time."""
        return Transform(g2.exp(twist))

    def log(self) -> Array:
        """Return the dual twist (..., 12) of the motion."""
        return g2.log(self.matrix)

    @property
    def rotation(self) -> Rotation:
        """The dual rotation R_ab."""
        return Rotation(self.matrix[..., :6, :6])

    @property
    def position(self) -> Dual:
        """The dual position of b in a."""
        return Dual.vector(self.matrix[..., :6, 6])

    def inverse(self) -> Transform:
        """Return T_ba from T_ab."""
        return Transform(g2.inverse(self.matrix))

    @overload
    def __matmul__(self, other: Transform) -> Transform: ...
    @overload
    def __matmul__(self, other: Dual) -> Dual: ...
    def __matmul__(self, other: Transform | Dual) -> Transform | Dual:
        """Composition with a transformation, or the position in a of a point given in b."""
        if isinstance(other, Transform):
            return Transform(self.matrix @ other.matrix)
        return Dual.vector(g2.act(self.matrix, other.stacked))
