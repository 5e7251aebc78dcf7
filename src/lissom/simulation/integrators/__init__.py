"""Integrators: the registry, what all share, Runge-Kutta methods, generalised-alpha, CVODE, and which one suits.

`Integrator` is the record of one, `register` adds it. Steps and errors are in `integrator_state` and `error_scales`.
"""

from lissom.simulation.integrators.registry import Integrator, Method, Setup, integrators, register

__all__ = ["Integrator", "Method", "Setup", "integrators", "register"]
