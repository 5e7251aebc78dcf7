"""What the Exudyn models of the race share: settings that make it fast, set-points, and the result of a run.

The settings: its generalised-alpha method with fixed steps, modified Newton, no files, sensors kept in memory, the
library's fast build (without range checks), one thread. Mesh, step, spectral radius, Newton tolerance and linear solver
are those of `Theirs`, chosen for every problem.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]  # chooses the build without range checks, if set before the import
import exudyn as exu  # noqa: E402
from exudyn import itemInterface as items  # noqa: E402
from exudyn.rigidBodyUtilities import RotationMatrix2EulerParameters as euler_parameters  # noqa: E402

exu.config.printToConsole = False
OUTPUT = exu.OutputVariableType
__all__ = [
    "OUTPUT",
    "Drive",
    "Result",
    "Theirs",
    "clocked",
    "euler_parameters",
    "exu",
    "items",
    "quintic",
    "settings",
    "steps",
]


@dataclass(frozen=True)
class Theirs:
    """Settings of Exudyn: elements of each beam, fixed step, spectral radius, Newton tolerance, linear solver."""

    elements: int
    step: float
    radius: float = 0.9
    tolerance: float = 1e-6
    dense: bool = False
    mass: str = "lumped"  # of beams in space: "lumped" to rigid bodies at the nodes, or the elements' "own"

    def __str__(self) -> str:
        solver = ", dense" if self.dense else ""
        own = ", own mass" if self.mass == "own" else ""
        numbers = f"step {1e3 * self.step:g} ms, radius {self.radius:g}, Newton {self.tolerance:g}"
        return f"{self.elements} elements{own}, {numbers}{solver}"


class Result(NamedTuple):
    """Samples of a run and the time that its time loop took."""

    time: np.ndarray  # (N,)
    tip: np.ndarray  # (N, 3)
    q: np.ndarray  # (N, joints)
    ends: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]  # beams: base (N, 3), its axes (N, 3, 3), tip (N, 3)
    seconds: float  # of processor time


class Drive(NamedTuple):
    """PD control of the joints: gains, and set-points of time."""

    kp: Sequence[float]
    kd: Sequence[float]
    setpoint: Callable[[float], Sequence[tuple[float, float]] | None]  # angle and rate of each joint; None: as before


def quintic(start: Sequence[float], to: Sequence[float], duration: float) -> Callable[[float], Any]:
    """Set-points from rest to rest; written out, as a function in Python is called in every step."""
    pairs = [(a, b - a) for a, b in zip(start, to, strict=True)]
    arrived = False

    def setpoint(t: float) -> list[tuple[float, float]] | None:
        nonlocal arrived
        if arrived:
            return None
        z = t / duration
        if z >= 1.0:
            z, arrived = 1.0, True
        f, rate = z * z * z * (10.0 + z * (6.0 * z - 15.0)), 30.0 * z * z * (1.0 + z * (z - 2.0)) / duration
        return [(a + d * f, d * rate) for a, d in pairs]

    return setpoint


def steps(points: Sequence[tuple[float, Sequence[float]]]) -> Callable[[float], Any]:
    """Set-points that jump; a step that ends where they do sees the mean of both sides, which keeps the order."""
    now: list[float] = []

    def setpoint(t: float) -> list[tuple[float, float]] | None:
        nonlocal now
        k = 0
        while k + 1 < len(points) and points[k + 1][0] <= t + 1e-9:
            k += 1
        values = points[k][1]
        if k > 0 and t - points[k][0] < 1e-9:
            values = [(a + b) / 2 for a, b in zip(values, points[k - 1][1], strict=True)]
        if values is now:
            return None
        now = values
        return [(value, 0.0) for value in values]

    return setpoint


def settings(duration: float, rate: float, theirs: Theirs) -> Any:
    """Simulation settings of a run that stores `rate` samples per second."""
    chosen = exu.SimulationSettings()
    time_integration = chosen.timeIntegration
    time_integration.endTime = duration
    time_integration.numberOfSteps = round(duration / theirs.step)
    time_integration.generalizedAlpha.spectralRadius = theirs.radius
    time_integration.newton.useModifiedNewton = True
    time_integration.newton.relativeTolerance = theirs.tolerance
    time_integration.newton.absoluteTolerance = theirs.tolerance
    time_integration.newton.numericalDifferentiation.forODE2 = False
    time_integration.adaptiveStep = False
    time_integration.verboseMode = 0
    chosen.solutionSettings.writeSolutionToFile = False
    chosen.solutionSettings.sensorsWritePeriod = 1.0 / rate
    solver = exu.LinearSolverType
    chosen.linearSolverType = solver.EXUdense if theirs.dense else solver.EigenSparse
    chosen.parallel.numberOfThreads = 1
    return chosen


def clocked(work: Callable[[], Any]) -> tuple[Any, float]:
    """What `work` returns, and the processor time it took, of all threads: that clock stands still while others run."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began
