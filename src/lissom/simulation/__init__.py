"""Simulation: integrators, the time loop, its result, the Trajectory, and the derivatives of a motion."""

from lissom.simulation.main import SimulationWarning, simulate
from lissom.simulation.sensitivity import Sensitivity, sensitivity
from lissom.simulation.trajectory import Trajectory

__all__ = ["Sensitivity", "SimulationWarning", "Trajectory", "sensitivity", "simulate"]
