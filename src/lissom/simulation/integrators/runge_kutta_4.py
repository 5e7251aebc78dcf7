"""The classical Runge-Kutta method, order 4, fixed steps."""

import numpy as np

from lissom.simulation.integrators.explicit_runge_kutta import Tableau

TABLEAU = Tableau(
    name="rk4",
    reference="W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901) 435-453",
    order=4,
    A=np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]], float),
    b=np.array([1, 2, 2, 1]) / 6,
    c=np.array([0, 0.5, 0.5, 1]),
)
