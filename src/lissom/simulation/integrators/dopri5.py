"""Dormand and Prince's Runge-Kutta pair 5(4): adaptive, for arms that are not stiff."""

from scipy.integrate import RK45

from lissom.simulation.integrators.explicit_runge_kutta import Tableau

TABLEAU = Tableau(
    name="dopri5",
    reference="J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26",
    order=5,
    A=RK45.A,
    b=RK45.B,
    c=RK45.C,
    error=RK45.E,
    error_order=5,
)
