"""Measured natural frequencies, beside histories or alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from lissom.analysis.modes.natural_modes import natural_modes
from lissom.dynamics import inverse_dynamics
from lissom.errors import IdentifyError
from lissom.identify.fit_parameters import FitPart
from lissom.kernel.algorithms.complex_step import STEP
from lissom.model.description.robot import Robot
from lissom.model.schema.number_fields import Count, Number

TURN = 1e-4  # step along a mode, in units of its amplitude, over which the stiffness is differenced
SHARE = 0.01  # of a frequency: its deviation unless given


class MeasuredFrequency(FitPart):
    """A natural frequency of the arm at rest at a pose; modes count from 1, the slowest."""

    what: ClassVar[str] = "frequency"

    frequency: Annotated[float, Number("the measured frequency", "Hz", above=0)]
    mode: Annotated[int, Count("the number of the mode, 1 for the slowest", 1000)] = 1
    deviation: Annotated[float | None, Number("the standard deviation of the measurement", "Hz", above=0)] = None
    pose: dict[str, float] = Field(default={}, description="joint values by name")
    locked: Any = Field(default=True, description="true, false, motors or a list of joints, as for natural modes")

    @property
    def sigma(self) -> float:
        """Hz."""
        return SHARE * self.frequency if self.deviation is None else self.deviation


def frequency(
    robot: Robot, given: MeasuredFrequency, fields: Sequence[Sequence[tuple[str, float]]]
) -> tuple[float, np.ndarray]:
    """Return the frequency in Hz, and its derivatives (p,) by parameters, each some fields of the robot with factors.

    With the shape x of unit modal mass, d(omega^2) = x . (dK - omega^2 dM) x. The change dK x of the elastic forces is
    that of inverse dynamics by the parameter, which is exact, between two poses along x.
    """
    model = robot.compile()
    found = natural_modes(model, given.pose or None, locked=given.locked)
    moving = np.flatnonzero(found.oscillating)
    if given.mode < 1 or given.mode > len(moving):
        raise IdentifyError(f"the arm has modes 1 to {len(moving)} at this pose", ("mode",), given.mode)
    k = int(moving[given.mode - 1])
    omega, x = 2 * np.pi * found.frequencies[k], found.shapes[:, k]
    still = np.zeros(model.nv)
    step = TURN / np.abs(x).max()
    places = [_move(model, found.q, sign * step * x) for sign in (1.0, -1.0)]
    slopes = np.zeros(len(fields))
    for j, each in enumerate(fields):
        changed = robot
        for path, factor in each:
            changed = changed.with_value(path, float(robot.value(path)) + 1j * STEP * factor)
        stepped = changed.compile(prescribed=model.prescribed)
        ahead, behind = (inverse_dynamics(stepped, q, still, still).imag / STEP for q in places)
        stiffness = x @ (ahead - behind) / (2 * step)
        weight = inverse_dynamics(stepped, found.q, still, still).imag / STEP
        mass = x @ (inverse_dynamics(stepped, found.q, still, x).imag / STEP - weight)
        slopes[j] = (stiffness - omega**2 * mass) / (2 * omega) / (2 * np.pi)
    return float(found.frequencies[k]), slopes


def _move(model: Any, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the configuration q moved by u (nv,), on the group where a coordinate is a quaternion."""
    from lissom.kernel.maths.chart import move

    out = np.zeros(model.nq)
    move(model.struct, np.array(q, float), u, out)
    return out
