"""Tableaus of explicit Runge-Kutta methods, each with its reference."""

from __future__ import annotations

import numpy as np

from lissom.simulation.integrators import dop853_coefficients, explicit_runge_kutta
from lissom.simulation.integrators.explicit_runge_kutta import Tableau
from lissom.simulation.integrators.registry import Method, Setup

TABLEAUS = {
    "euler": Tableau(
        reference="L. Euler, Institutionum calculi integralis, vol. 1, 1768, section 650",
        order=1,
        A=np.zeros((1, 1)),
        b=np.ones(1),
        c=np.zeros(1),
    ),
    "rk4": Tableau(
        reference="W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901) 435-453",
        order=4,
        A=np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]], float),
        b=np.array([1, 2, 2, 1]) / 6,
        c=np.array([0, 0.5, 0.5, 1]),
    ),
    "dopri5": Tableau(
        reference="J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26",
        order=5,
        A=np.array(
            [
                [0, 0, 0, 0, 0, 0],
                [1 / 5, 0, 0, 0, 0, 0],
                [3 / 40, 9 / 40, 0, 0, 0, 0],
                [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
                [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
                [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
            ]
        ),
        b=np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]),
        c=np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1]),
        error=np.array([-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40]),
        error_order=5,
    ),
    "dop853": Tableau(
        reference="E. Hairer, S. P. Norsett and G. Wanner, Solving Ordinary Differential Equations I, 1993, II.5",
        order=8,
        A=dop853_coefficients.A,
        b=dop853_coefficients.b,
        c=dop853_coefficients.c,
        error=dop853_coefficients.error,
        error_order=6,
    ),
}


def prepare(setup: Setup) -> Method:
    """Make the method ready whose tableau has its name."""
    return explicit_runge_kutta.prepare(setup, TABLEAUS[setup.integrator.name])
