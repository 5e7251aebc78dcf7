"""A motion that the stacked system was integrated to, and the tableau of its steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

# Dormand and Prince 1980, order 5, without its error estimate
STAGES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
)
WEIGHTS = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)


@dataclass(frozen=True, eq=False)
class IntegratedMotion:
    """A simulated motion of N samples, n links and their joints."""

    time: Array  # (N,)
    q: Array  # (N, nq) model coordinates, measured from the frames
    v: Array  # (N, nv)
    tau: Array  # (N, nv) applied
    poses: Array  # (N, n, 4, 4) of the body frames
    twists: Array  # (N, n, 6) in body axes
    accelerations: Array  # (N, nv)
    wrenches: Array  # (N, n, 6) of the joints, child axes
    energy: Array  # (N,) kinetic and potential, J
    kinetic: Array  # (N,) kinetic alone
    position_drift: Array  # (N,) largest violation of a joint at the sample, m or rad
    velocity_drift: Array  # (N,) m/s or rad/s
    step_drift: float  # largest position violation within one step, before any projection
    method: str
    steps: int
    evaluations: int
    wall: float
    closures: Array | None = None  # (N, closures, 6) wrench of the first frame on the second, axes of the second

    @property
    def energy_drift(self) -> float:
        """Largest change of energy, relative to the largest kinetic energy."""
        return float(np.abs(self.energy - self.energy[0]).max() / self.kinetic.max())
