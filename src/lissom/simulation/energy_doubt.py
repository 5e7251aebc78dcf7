"""Whether the energy of a run adds up: the plainest sign of steps that are too coarse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.analysis.energy_audit import audit_energy
from lissom.simulation.ending import Ending
from lissom.simulation.raw import Event

if TYPE_CHECKING:
    from lissom.simulation.trajectory import Trajectory

DOUBT = 0.01  # energy that is missing or too much, over all that was exchanged, beyond which a run is in doubt
GLANCE = 24  # samples that are looked at first: energy once lost stays lost
ROUNDING = 1e-9  # of the energies themselves: below it the balance is but rounding


def energy_doubts(run: Trajectory) -> list[Event]:
    """An event where more energy appeared or was lost than the steps may leave over."""
    if not run.audited or run.info.status is Ending.DIVERGED:  # the run says why by itself
        return []
    few = np.arange(0, len(run.time), 1 + (len(run.time) - 1) // GLANCE)
    few[-1] = len(run.time) - 1
    stored = run.energies_at(few)
    if not np.all(np.isfinite(stored)):
        return []
    glance = audit_energy(run.time[few], stored, run.work[few], run.dissipated[few], run.load_work[few])
    if glance.relative <= DOUBT / 4 or not np.all(np.isfinite(run.energies)):
        return []
    audit = run.energy_audit()
    missing = float(np.abs(audit.residual).max())
    settings = run.info.settings
    step = None if settings is None else settings.step
    # A body that coasts has energy and exchanges none: errors are then small against what is there.
    allowed = ROUNDING if settings is None or step is not None else max(ROUNDING, settings.rtol)
    if audit.relative <= DOUBT or missing <= allowed * float(np.abs(run.energies).max()):
        return []
    remedy = "take a smaller rtol and atol" if step is None else f"take a smaller step than {step:.3g} s, or none"
    when = float(run.time[np.argmax(np.abs(audit.residual) > DOUBT * audit.scale)])
    text = (
        f"the energy does not add up: from t = {when:.4g} s on it is wrong by up to {missing:.3g} J, "
        f"{audit.relative:.0%} of what was exchanged, and the motion with it; {remedy}"
    )
    return [Event(when, run.model.robot.name, "energy", text, audit.relative)]
