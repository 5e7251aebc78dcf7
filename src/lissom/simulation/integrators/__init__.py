"""Integrators: the registry, what all share, Runge-Kutta methods, generalised-alpha, CVODE, and which one suits.

`registry` is the door: it names and chooses them. Steps and errors are in `integrator_state` and `error_scales`.
"""
