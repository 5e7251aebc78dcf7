"""Whether the energy of a run adds up: the plainest sign of steps that are too coarse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.analysis.energy_balance import balance
from lissom.simulation.raw_run import Event
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

DOUBT = 0.01  # energy that is missing or too much, over all that was exchanged, beyond which a run is in doubt
GLANCE = 24  # samples that are looked at first: energy once lost stays lost
COASTING = 1e-4  # of the kinetic energy: what steps may lose of it at most, however many they are
PER_STEP = 1e-6  # relative error of a step that is given, not chosen
GRAVITY = 9.81  # m/s^2


def check_energy(run: Trajectory) -> list[Event]:
    """Return an event where more energy appeared or was lost than the steps may leave over."""
    if not run.audited or run.info.status is Ending.DIVERGED:  # the run says why by itself
        return []
    few = np.arange(0, len(run.time), 1 + (len(run.time) - 1) // GLANCE)
    few[-1] = len(run.time) - 1
    stored = run.energies_at(few)
    if not np.all(np.isfinite(stored)):
        return []
    glance = balance(run.time[few], stored, run.work[few], run.dissipated[few], run.load_work[few])
    if glance.relative <= DOUBT / 4 or not np.all(np.isfinite(run.energies)):
        return []
    audit = run.energy_audit()
    missing = float(np.abs(audit.residual).max())
    settings = run.info.settings
    step = None if settings is None else settings.step
    if audit.relative <= DOUBT or missing <= _tolerated_energy(run):
        return []
    remedy = "take a smaller rtol" if step is None else f"take a smaller step than {step:.3g} s, or none"
    when = float(run.time[np.argmax(np.abs(audit.residual) > DOUBT * audit.scale)])
    text = (
        f"the energy does not add up: from t = {when:.4g} s on it is wrong by up to {missing:.3g} J, "
        f"{audit.relative:.0%} of what was exchanged, and the motion with it; {remedy}"
    )
    return [Event(when, run.model.robot.name, "energy", text, audit.relative)]


def _tolerated_energy(run: Trajectory) -> float:
    """Return energy, in joule, that errors within the tolerances take or bring, whatever was exchanged.

    A body that coasts exchanges none of its energy: every step may err by its share of that. One that rests has none:
    then it is the work of lifting the robot's mass by the absolute tolerance.
    """
    settings, mass = run.info.settings, float(run.model.arrays.inertia.mass.sum())
    kinetic = float(run.energies[:, 0].max())
    if settings is None:
        return PER_STEP * kinetic
    per_step = settings.rtol if settings.step is None else PER_STEP
    return max(min(2 * per_step * run.info.steps, COASTING) * kinetic, mass * GRAVITY * settings.absolute_error)
