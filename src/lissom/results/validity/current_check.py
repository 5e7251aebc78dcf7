"""Whether motors get warmer than they stand: the rms current of a run beside the continuous current."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.model.actuators.electric_motor import ElectricMotor
from lissom.simulation.raw_run import Event

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory


def check_currents(run: Trajectory) -> list[Event]:
    """Return an event for each motor whose rms current over the run is above its continuous current."""
    found = []
    for own, motor in zip(run.model.states, run.model.robot.drives):
        if not isinstance(motor, ElectricMotor) or motor.continuous_current is None or len(run.time) < 2:
            continue
        heat = np.asarray(run.v[:, own.first]) ** 2
        rms = float(np.sqrt(np.trapezoid(heat, run.time) / (run.time[-1] - run.time[0])))
        lasting = float(np.real(motor.continuous_current))
        if rms > lasting:
            text = (
                f"{motor.name} takes {rms:.4g} A rms over the run, more than its continuous current of "
                f"{lasting:.4g} A: repeated like that it gets too hot; let it rest, "
                "move slower, or choose a larger motor or gear"
            )
            found.append(Event(float(run.time[-1]), motor.name, "current", text, rms / lasting))
    return found
