"""Finite elements of a beam in one plane, independent of the library: Timoshenko's, exact under nodal loads.

Two nodes per element with a deflection and a slope each; stiffness with the shear parameter 12 EI/(kGA l^2)
(Przemieniecki, "Theory of Matrix Structural Analysis", 1968), consistent mass of translation and rotation.
"""

import itertools

import numpy as np
from scipy.linalg import eigh

STIFFNESS = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], float)
SHEARED = np.array([[0, 0, 0, 0], [0, 1, 0, -1], [0, 0, 0, 0], [0, -1, 0, 1]], float)
MASS = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]], float) / 420
ROTARY = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]], float) / 30


class PlaneBeam:
    """A beam clamped at x = 0; `numbers(x)` gives (EI, kGA or infinity, rhoA, rhoI)."""

    def __init__(self, length, numbers, places=(), elements=80):
        edges = sorted({0.0, length, *(float(x) for x in places)})
        counts = [max(2, round(elements * (b - a) / length)) for a, b in itertools.pairwise(edges)]
        parts = [np.linspace(a, b, n + 1)[:-1] for (a, b), n in zip(itertools.pairwise(edges), counts)]
        self.x = np.append(np.concatenate(parts), length)
        size = 2 * len(self.x)
        self.K, self.M = np.zeros((size, size)), np.zeros((size, size))
        for k, (a, b) in enumerate(itertools.pairwise(self.x)):
            l, (EI, kGA, rhoA, rhoI) = b - a, numbers((a + b) / 2)
            phi, turn = 12 * EI / (kGA * l**2), np.array([1, l, 1, l])
            rows = np.ix_(range(2 * k, 2 * k + 4), range(2 * k, 2 * k + 4))
            self.K[rows] += EI / l**3 / (1 + phi) * (STIFFNESS + phi * SHEARED) * np.outer(turn, turn)
            self.M[rows] += (rhoA * l * MASS + rhoI / l * ROTARY) * np.outer(turn, turn)

    def node(self, x):
        """Index of the deflection at a place; the slope follows."""
        return 2 * int(np.argmin(abs(self.x - x)))

    def compliance(self, x):
        """(2, 2) deflection and slope at a place under a unit force and a unit couple there."""
        at = [self.node(x), self.node(x) + 1]
        unit = np.zeros((len(self.K), 2))
        unit[at, [0, 1]] = 1
        return np.linalg.solve(self.K[2:, 2:], unit[2:])[[k - 2 for k in at]]

    def add_mass(self, x, mass, inertia=0.0):
        """A lump at a place."""
        at = self.node(x)
        self.M[at, at] += mass
        self.M[at + 1, at + 1] += inertia

    def add_spring(self, x, stiffness):
        """A spring against deflection at a place."""
        self.K[self.node(x), self.node(x)] += stiffness

    def frequencies(self, held=()):
        """Hz, in rising order; `held`: further degrees of freedom that do not move."""
        free = [k for k in range(2, len(self.K)) if k not in held]
        square = eigh(self.K[np.ix_(free, free)], self.M[np.ix_(free, free)], eigvals_only=True, subset_by_index=[0, 9])
        return np.sqrt(square) / (2 * np.pi)
