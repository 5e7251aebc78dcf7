"""Coefficients of Radau IIA with three stages: nodes, matrix, its eigenvalues, and the embedded rule.

Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, section IV.8.
"""

from __future__ import annotations

import numpy as np

ROOT6 = np.sqrt(6.0)
NODES = np.array([(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1.0])
TABLEAU = np.array(
    [
        [(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225],
        [(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225],
        [(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9],
    ]
)
SQUARE = TABLEAU @ TABLEAU


def _eigen_parts() -> tuple[float, complex, np.ndarray, np.ndarray]:
    """Return real and upper complex eigenvalue of the tableau, eigenvectors T and their inverse, in that order."""
    values, vectors = np.linalg.eig(TABLEAU.astype(complex))
    order = [int(np.argmin(abs(values.imag))), int(np.argmax(values.imag)), int(np.argmin(values.imag))]
    T = vectors[:, order]
    return float(values[order[0]].real), complex(values[order[1]]), T, np.linalg.inv(T)


GAMMA, LAMBDA, TRANSFORM, INVERSE = _eigen_parts()


def _error_weights() -> np.ndarray:
    """Return the difference to the embedded rule of order 3 that uses the step's start with weight GAMMA."""
    moments = np.vander(NODES, 3, increasing=True).T
    embedded = np.linalg.solve(moments, np.array([1 - GAMMA, 1 / 2, 1 / 3]))
    return embedded - TABLEAU[2]


ERROR = _error_weights()
