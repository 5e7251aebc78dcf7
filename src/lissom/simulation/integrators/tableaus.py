"""Tableaus of explicit Runge-Kutta methods, each with its reference."""

from __future__ import annotations

import numpy as np
from scipy.integrate import DOP853, RK45

from lissom.simulation.integrators import explicit_runge_kutta
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
        A=RK45.A,
        b=RK45.B,
        c=RK45.C,
        error=RK45.E,
        error_order=5,
    ),
    "dop853": Tableau(
        reference="E. Hairer, S. P. Norsett and G. Wanner, Solving Ordinary Differential Equations I, 1993, II.5",
        order=8,
        A=DOP853.A[:12, :12],
        b=DOP853.B,
        c=DOP853.C[:12],
        error=DOP853.E5,
        error_order=6,
    ),
}


def prepare(setup: Setup) -> Method:
    """Make the method ready whose tableau has its name."""
    return explicit_runge_kutta.prepare(setup, TABLEAUS[setup.integrator.name])
