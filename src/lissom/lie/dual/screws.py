"""Dual screws: lines, twists and wrenches whose real part is rigid and whose dual part is first order in deflection.

A dual screw is a pair of dual vectors, stacked as a real vector (..., 12) = (direction, moment) =
(real direction, dual direction, real moment, dual moment). All screws change their reference point and their
coordinates alike, (59)-(66). The wrench of the paper is a screw with the **force** first, (80); `from_wrench` and
`wrench` convert from and to lissom's (torque, force).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.lie.dual import g1
from lissom.lie.dual.motion import Rotation, Transform
from lissom.lie.dual.number import Dual

Array = NDArray[Any]


def reference_transformation(p: Dual) -> Array:
    """Return U of (60), (..., 12, 12): moves the reference point from s to r, with p the dual vector from r to s.

    Equations: 000 (60).
    """
    one = np.broadcast_to(np.eye(6), (*p.stacked.shape[:-1], 6, 6))
    return Dual(one, g1.hat(p.stacked)).block


def coordinate_transformation(R: Rotation) -> Array:
    """Return R bar of (63), (..., 12, 12): coordinates of frame b become those of a.

    Equations: 000 (63).
    """
    return Dual(R.matrix, np.zeros_like(R.matrix)).block


def swap_parts(screw: Array) -> Array:
    """Return N screw, (70): real and dual parts change places, (..., 12).

    An elastic motion so becomes first order.

    Equations: 000 (70).
    """
    a, b, c, d = np.split(np.asarray(screw), 4, axis=-1)
    return np.concatenate([b, a, d, c], axis=-1)


@dataclass(frozen=True, eq=False)
class Screw:
    """A dual screw: a dual direction and its dual moment about a reference point, in the coordinates of a frame."""

    direction: Dual
    moment: Dual

    @classmethod
    def of(cls, stacked: ArrayLike) -> Self:
        """Make it from the stacked vector (..., 12)."""
        stacked = np.asarray(stacked)
        return cls(Dual.vector(stacked[..., :6]), Dual.vector(stacked[..., 6:]))

    @property
    def stacked(self) -> Array:
        """The real vector (..., 12)."""
        return np.concatenate([self.direction.stacked, self.moment.stacked], axis=-1)

    def referenced(self, p: Dual) -> Self:
        """Return it about a point r; p is the dual vector from r to the present reference point, (59).

        Equations: 000 (59).
        """
        return type(self)(self.direction, self.moment + p.cross(self.direction))

    def expressed(self, R: Rotation) -> Self:
        """Return it in the coordinates of frame a, R = R_ab, (62).

        Equations: 000 (62).
        """
        return type(self)(R @ self.direction, R @ self.moment)

    def transformed(self, T: Transform) -> Self:
        """Return it as seen in frame a and about its origin, T = T_ab: coordinates, then reference; Ad of G2, (19).

        Equations: 000 (2)-(4), (84)-(85).
        """
        return self.expressed(T.rotation).referenced(T.position)

    def __add__(self, other: Self) -> Self:
        """Sum of screws about the same point in the same coordinates, (5).

        Equations: 000 (5).
        """
        return type(self)(self.direction + other.direction, self.moment + other.moment)

    def __mul__(self, amount: ArrayLike | Dual) -> Self:
        amount = Dual.of(amount)[..., None] if np.ndim(Dual.of(amount).real) else Dual.of(amount)
        return type(self)(self.direction * amount, self.moment * amount)

    def product(self, other: Screw) -> Dual:
        """Return the reciprocal product: the dual power of a wrench on a twist."""
        return self.direction.dot(other.moment) + self.moment.dot(other.direction)


class Line(Screw):
    """A dual line: a screw without pitch; the axis of a joint, (58).

    Equations: 000 (58).
    """

    @classmethod
    def through(cls, axis: ArrayLike | Dual, point: ArrayLike | Dual = (0.0, 0.0, 0.0)) -> Self:
        """Return the line along an axis through a point, about the frame's origin."""
        axis, point = Dual.of(axis), Dual.of(point)
        return cls(axis, point.cross(axis))

    def twist(self, rate: ArrayLike | Dual) -> Twist:
        """Return the dual twist of a rotation about the line at the given rate, (57).

        Equations: 000 (57).
        """
        return Twist.of((self * rate).stacked)

    def wrench(self, magnitude: ArrayLike | Dual) -> Wrench:
        """Return the dual wrench of a force of the given magnitude along the line, (81).

        Equations: 000 (81).
        """
        return Wrench.of((self * magnitude).stacked)


class Twist(Screw):
    """A dual twist, (56): angular velocity and velocity of the reference point.

    Equations: 000 (1).
    """

    @property
    def omega(self) -> Dual:
        """Dual angular velocity."""
        return self.direction

    @property
    def v(self) -> Dual:
        """Dual velocity of the reference point."""
        return self.moment

    @classmethod
    def elastic(cls, twist: ArrayLike) -> Self:
        """Return a twist (omega, v) (..., 6) due to deflection: of first order, so the dual part holds it, (67)."""
        twist = np.asarray(twist)
        zero = np.zeros_like(twist[..., :3])
        return cls(Dual(zero, twist[..., :3]), Dual(zero, twist[..., 3:]))


class Wrench(Screw):
    """A dual wrench, (80): force and torque about the reference point.

    Equations: 000 (6), (80).
    """

    @property
    def force(self) -> Dual:
        """Dual force."""
        return self.direction

    @property
    def torque(self) -> Dual:
        """Dual torque about the reference point."""
        return self.moment

    @classmethod
    def from_wrench(cls, W: ArrayLike) -> Self:
        """Return the dual wrench of a real one in lissom's order (torque, force), (..., 6)."""
        W = np.asarray(W)
        return cls(Dual.of(W[..., 3:]), Dual.of(W[..., :3]))

    def wrench(self, eps: float = 1.0) -> Array:
        """Return (torque, force) with the first order included, (..., 6)."""
        return np.concatenate([self.torque.value(eps), self.force.value(eps)], axis=-1)
