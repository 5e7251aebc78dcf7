"""Plane frames of slender bars by finite elements, where textbooks have charts in place of formulas."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.linalg import eigh


class Frame:
    """Bars with cubic deflection in 16 pieces each, joined at named points.

    A bar end `point` is rigidly joined, `~point` is pinned: it shares the place of `point` but not its turn.
    """

    def __init__(self, **points):
        self.points, self.columns, self.elements, self.lumps, self.held = points, {}, [], [], set()

    def _numbers(self, name):
        place = name.lstrip("~")
        own = (name, len(self.elements)) if name[0] == "~" else place
        keys = (place, "x"), (place, "z"), (own, "turn")
        return [self.columns.setdefault(key, len(self.columns)) for key in keys]

    def bar(self, start, end, EI, EA, rhoA, force=0.0, pieces=16):
        """A bar under the tension `force`."""
        p, q = (np.array(self.points[name.lstrip("~")], float) for name in (start, end))
        names = [start, *((start, end, len(self.elements), k) for k in range(1, pieces)), end]
        length = np.linalg.norm(q - p) / pieces
        c, s = (q - p) / (pieces * length)
        R = np.kron(np.eye(2), [[c, s, 0], [-s, c, 0], [0, 0, 1]])
        h, b = length, np.ix_([1, 2, 4, 5], [1, 2, 4, 5])
        K, M = np.zeros((6, 6)), np.zeros((6, 6))
        K[np.ix_([0, 3], [0, 3])] = EA / h * np.array([[1, -1], [-1, 1]])
        M[np.ix_([0, 3], [0, 3])] = rhoA * h / 6 * np.array([[2, 1], [1, 2]])
        K[b] = EI / h**3 * _pairs(12, 6 * h, 4 * h**2, 2 * h**2) + force / (30 * h) * _pairs(
            36, 3 * h, 4 * h**2, -(h**2)
        )
        M[b] = (rhoA * h / 420) * np.array(
            [
                [156, 22 * h, 54, -13 * h],
                [22 * h, 4 * h**2, 13 * h, -3 * h**2],
                [54, 13 * h, 156, -22 * h],
                [-13 * h, -3 * h**2, -22 * h, 4 * h**2],
            ]
        )
        ends = [self._numbers(n) if isinstance(n, str) else self._inner(n) for n in names]
        for left, right in itertools.pairwise(ends):
            self.elements.append((left + right, R.T @ K @ R, R.T @ M @ R))

    def _inner(self, name):
        return [self.columns.setdefault((name, d), len(self.columns)) for d in ("x", "z", "turn")]

    def hold(self, point, *directions):
        self.held |= {(point, d) for d in directions}

    def mass(self, point, mass, inertia=0.0):
        self.lumps.append((point, mass, inertia))

    def matrices(self):
        n = len(self.columns)
        K, M = np.zeros((n, n)), np.zeros((n, n))
        for columns, k, m in self.elements:
            K[np.ix_(columns, columns)] += k
            M[np.ix_(columns, columns)] += m
        for point, mass, inertia in self.lumps:
            for d, value in ("x", mass), ("z", mass), ("turn", inertia):
                if (point, d) in self.columns:
                    M[(self.columns[point, d],) * 2] += value
        free = [k for key, k in self.columns.items() if key not in self.held]
        return K[np.ix_(free, free)], M[np.ix_(free, free)]

    def frequencies(self, number):
        """The slowest frequencies in Hz."""
        values = eigh(*self.matrices(), eigvals_only=True, subset_by_index=(0, number - 1))
        return np.sqrt(np.maximum(values, 0)) / (2 * np.pi)


def _pairs(a, b, c, d):
    """The pattern of a beam's stiffness, by its entries."""
    return np.array([[a, b, -a, b], [b, c, -b, d], [-a, -b, a, -b], [b, d, -b, c]])
