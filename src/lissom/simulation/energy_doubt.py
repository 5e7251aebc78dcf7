"""Whether the energy of a run adds up: the plainest sign of steps that are too coarse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.simulation.raw import Event

if TYPE_CHECKING:
    from lissom.simulation.trajectory import Trajectory

DOUBT = 0.01  # energy that is missing or too much, over all that was exchanged, beyond which a run is in doubt
ROUNDING = 1e-9  # of the energies themselves: below it the balance is but rounding


def energy_doubts(run: Trajectory) -> list[Event]:
    """An event where more energy appeared or was lost than the steps may leave over."""
    if not run.audited or not np.all(np.isfinite(run.energies)):
        return []
    audit = run.energy_audit()
    missing = float(np.abs(audit.residual).max())
    if audit.relative <= DOUBT or missing <= ROUNDING * float(np.abs(run.energies).max()):
        return []
    settings = run.info.settings
    step = None if settings is None else settings.step
    remedy = "take a smaller rtol and atol" if step is None else f"take a smaller step than {step:.3g} s, or none"
    when = float(run.time[np.argmax(np.abs(audit.residual) > DOUBT * audit.scale)])
    text = (
        f"the energy does not add up: from t = {when:.4g} s on it is wrong by up to {missing:.3g} J, "
        f"{audit.relative:.0%} of what was exchanged, and the motion with it; {remedy}"
    )
    return [Event(when, run.model.robot.name, "energy", text, audit.relative)]
