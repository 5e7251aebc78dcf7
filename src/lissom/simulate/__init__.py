"""Integrators, the time loop and its results."""
