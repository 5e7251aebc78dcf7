"""Motions of least energy: J = int xd^T M(x) xd dt between two poses, with its gradient in closed form.

The minimum over all paths is a geodesic of the inertia matrix: the motion the arm would make by itself, without
gravity, from one pose to the other; its kinetic energy is constant. The path is a straight line in joint space plus
functions that vanish at both ends (integrated Legendre polynomials).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.theory.lie_group.arm import Arm
from lissom.theory.lie_group.lagrange import mass_matrix, mass_matrix_derivative

Array = NDArray[Any]


@dataclass(frozen=True)
class Path:
    """Joint paths x(t) = start + (end - start) t/T + sum_k c_k phi_k(t/T), coefficients c (count, n)."""

    start: Array  # (n,)
    end: Array  # (n,)
    duration: float
    count: int = 4  # functions per joint

    def at(self, c: ArrayLike, t: ArrayLike) -> tuple[Array, Array]:
        """Return x and xd (..., n) at the times t (...)."""
        s = np.asarray(t) / self.duration
        phi, slope = _bubbles(s, self.count)
        c, way = np.reshape(c, (self.count, -1)), np.subtract(self.end, self.start)
        return self.start + s[..., None] * way + phi @ c, (way + slope @ c) / self.duration


@dataclass(frozen=True)
class MinimumEnergy:
    """The objective and its gradient by the coefficients of a `Path`, as scipy.optimize takes them (`jac=True`)."""

    arm: Arm
    path: Path
    points: int = 24  # of Gauss-Legendre quadrature

    @cached_property
    def _quadrature(self) -> tuple[Array, Array]:
        node, weight = np.polynomial.legendre.leggauss(self.points)
        return self.path.duration * (node + 1) / 2, self.path.duration * weight / 2

    def value(self, c: ArrayLike) -> float:
        """J alone."""
        t, weight = self._quadrature
        x, xd = self.path.at(c, t)
        return float(np.einsum("t,ti,tij,tj->", weight, xd, mass_matrix(self.arm, x), xd, optimize=True))

    def __call__(self, c: ArrayLike) -> tuple[float, Array]:
        """J and dJ/dc (count n,): dJ = int (xd^T dM/dx_k xd dx_k + 2 xd^T M dxd) dt."""
        t, weight = self._quadrature
        x, xd = self.path.at(c, t)
        phi, slope = _bubbles(t / self.path.duration, self.path.count)
        momentum = np.einsum("tij,tj->ti", mass_matrix(self.arm, x), xd)
        pull = np.einsum("tijk,ti,tj->tk", mass_matrix_derivative(self.arm, x), xd, xd, optimize=True)
        gradient = np.einsum("t,tc,tk->ck", weight, phi, pull, optimize=True)
        gradient += 2 / self.path.duration * np.einsum("t,tc,tk->ck", weight, slope, momentum, optimize=True)
        return float(weight @ np.sum(momentum * xd, axis=-1)), gradient.ravel()


def _bubbles(s: Array, count: int) -> tuple[Array, Array]:
    """phi_k(s) = int_0^s P_k(2u - 1) du, k = 1..count, and their slopes P_k, (..., count)."""
    P = np.polynomial.legendre.legvander(2 * np.asarray(s) - 1, count + 1)
    k = np.arange(1, count + 1)
    return (P[..., 2:] - P[..., :-2]) / (2 * (2 * k + 1)), P[..., 1:-1]
