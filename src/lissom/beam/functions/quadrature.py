"""Gauss-Legendre quadrature on [0, 1] in panels, and integrals from 0 to any point on the same nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, TypeVar

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from lissom.beam.constants import constant_property, freeze
from lissom.beam.number_types import Array

Found = TypeVar("Found", bound=Any)


def cache_by_place(method: Callable[[Any, Array], Found]) -> Callable[[Any, Array], Found]:
    """Keep what a method finds at places xi (k,), as read-only arrays: links are made again and again with the same."""

    @lru_cache(maxsize=256)
    def known(owner: Any, places: bytes, kind: Any) -> Found:
        return freeze(method(owner, np.frombuffer(places, kind)))

    @wraps(method)
    def ask(owner: Any, xi: Array) -> Found:
        xi = np.atleast_1d(xi)
        return known(owner, xi.tobytes(), xi.dtype)

    return ask


@dataclass(frozen=True, eq=False)
class Quadrature:
    """Composite Gauss rule: `points` nodes in each panel between neighbouring `edges` of [0, 1].

    Exact in each panel for polynomials of degree 2 points - 1, their running integral for points - 1.
    """

    edges: tuple[float, ...]
    points: int

    @classmethod
    def resolving(cls, degree: int, breaks: tuple[float, ...] = ()) -> Quadrature:
        """Return rule exact for running integrals of f g, and for integrals of f g h, of functions of `degree`."""
        return cls.cached((0.0, *breaks, 1.0), 2 * degree + 1)

    @classmethod
    def cached(cls, edges: tuple[float, ...], points: int) -> Quadrature:
        """Return the rule with these edges, in any order; made once."""
        return _cached_rule(tuple(sorted(set(edges))), points)

    @constant_property
    def _rule(self) -> tuple[Array, Array]:
        return leggauss(self.points)

    @constant_property
    def nodes(self) -> Array:
        """Nodes in [0, 1], shape (panels * points,)."""
        left, right = np.array(self.edges[:-1]), np.array(self.edges[1:])
        return ((left + right)[:, None] / 2 + (right - left)[:, None] / 2 * self._rule[0]).ravel()

    @constant_property
    def weights(self) -> Array:
        """Weights, shape (panels * points,): weights @ f(nodes) = int_0^1 f."""
        return (np.diff(self.edges)[:, None] / 2 * self._rule[1]).ravel()

    @cache_by_place
    def running(self, xi: Array) -> Array:
        """Return matrix of the running integral, shape (len(xi), nodes): running(xi) @ f(nodes) = int_0^xi f.

        Within a panel f is interpolated by Legendre polynomials, whose coefficients are Gauss sums and whose
        integrals are int_{-1}^u P_k = (P_{k+1}(u) - P_{k-1}(u))/(2 k + 1).
        """
        n = self.points
        left, right = np.array(self.edges[:-1]), np.array(self.edges[1:])
        panel = np.clip(np.searchsorted(self.edges, xi.real, side="right") - 1, 0, len(left) - 1)
        half = (right - left)[panel] / 2
        u = (xi - left[panel]) / half - 1
        P = legvander(u, n)
        integral_times_2k1 = np.concatenate([(u + 1)[:, None], P[:, 2:] - P[:, :-2]], axis=1)
        nodes, weights = self._rule
        within = half[:, None] / 2 * (integral_times_2k1 @ legvander(nodes, n - 1).T) * weights
        rows = np.zeros((len(xi), len(left), n), within.dtype)
        earlier = np.arange(len(left)) < panel[:, None]
        rows[earlier] = np.broadcast_to(self.weights.reshape(-1, n), rows.shape)[earlier]
        rows[np.arange(len(xi)), panel] = within
        return rows.reshape(len(xi), -1)


@lru_cache(maxsize=64)
def _cached_rule(edges: tuple[float, ...], points: int) -> Quadrature:
    return Quadrature(edges, points)
