"""Dormand and Prince's Runge-Kutta method of order 8: adaptive, for high accuracy on arms that are not stiff."""

from scipy.integrate import DOP853

from lissom.simulation.integrators.explicit_runge_kutta import Tableau

TABLEAU = Tableau(
    name="dop853",
    reference="E. Hairer, S. P. Norsett and G. Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993, II.5",
    order=8,
    A=DOP853.A[:12, :12],
    b=DOP853.B,
    c=DOP853.C[:12],
    error=DOP853.E5,
    error_order=6,
)
