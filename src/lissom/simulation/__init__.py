"""Simulation: integrators, the time loop, and its result, the Trajectory."""

from lissom.simulation.main import SimulationWarning, simulate
from lissom.simulation.trajectory import Trajectory

__all__ = ["SimulationWarning", "Trajectory", "simulate"]
