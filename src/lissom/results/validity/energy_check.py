"""Whether the energy of a run adds up: the plainest sign of steps that are too coarse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.analysis.energy_balance import EnergyAudit, balance
from lissom.dynamics.coordinates import indices
from lissom.simulation.raw_run import Event
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory
    from lissom.simulation.settings import RunSettings

DOUBT = 0.01  # energy that is missing or too much, over all that was exchanged, beyond which a run is in doubt
GLANCE = 24  # samples that are looked at first: energy once lost stays lost
COASTING = 1e-4  # of the kinetic energy: what steps may lose of it at most, however many they are
PER_STEP = 1e-6  # relative error of a step that is given, not chosen
GRAVITY = 9.81  # m/s^2
STILL = 100.0  # times the absolute tolerance: what moves no farther rests
PARTS = 4  # of a run, in each of which the energy of vibrations is looked at
LITTLE = 0.02  # of the largest deflection of a run: smaller vibrations matter to nobody
LOST = 0.02  # of the energy of vibrations: 1 % of their size
BLURRED = 0.003  # of the largest strain energy: deflections are off by three times as much, measured on 40 moved arms


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
    if glance.relative <= DOUBT / 4:
        return _check_vibrations(run, few, stored) or _check_deflections(run, stored, glance)
    if not np.all(np.isfinite(run.energies)):
        return []
    audit = run.energy_audit()
    missing = float(np.abs(audit.residual).max())
    if audit.relative <= DOUBT or missing <= _tolerated_energy(run):
        return []
    settings = run.info.settings
    remedy = "take " + ("a smaller rtol" if settings is None else _finer(settings))
    when = float(run.time[np.argmax(np.abs(audit.residual) > DOUBT * audit.scale)])
    text = (
        f"the energy does not add up: from t = {when:.4g} s on it is wrong by up to {missing:.3g} J, "
        f"{audit.relative:.0%} of what was exchanged, and the motion with it; {remedy}"
    )
    return [Event(when, run.model.robot.name, "energy", text, audit.relative)]


def _check_vibrations(run: Trajectory, few: np.ndarray, stored: np.ndarray) -> list[Event]:
    """Return an event where steps damp what still vibrates once a motion has ended: its energy is little beside that.

    few (k,): samples with `stored` energies (k, 5).
    """
    elastic = [k for body in run.model.bodies for k in indices(body.modes_q)]
    settings = run.info.settings
    if not elastic or settings is None or len(few) < 4 * PARTS:
        return []
    swing = float(np.ptp(run.q[:, elastic], axis=0).max())
    for part in np.array_split(np.arange(len(few)), PARTS):
        own = few[part]
        sway = float(np.ptp(run.q[own[0] : own[-1] + 1, elastic], axis=0).max())
        if sway <= max(STILL * settings.absolute_error, LITTLE * swing):
            continue
        audit = balance(run.time[own], stored[part], run.work[own], run.dissipated[own], run.load_work[own])
        if audit.relative > LOST and np.abs(audit.residual).max() > _coasting(run, float(stored[part, 0].max())):
            share = min(audit.relative, 1.0)
            text = (
                f"vibrations that are left at t = {run.time[own[0]]:.4g} s gain or lose {share:.0%} of their energy by "
                f"the steps alone until {run.time[own[-1]]:.4g} s, as they are hardly larger than the errors allowed; "
                f"where their size matters, take {_finer(settings)}"
            )
            return [Event(float(run.time[own[0]]), run.model.robot.name, "energy", text, audit.relative)]
    return []


def _check_deflections(run: Trajectory, stored: np.ndarray, glance: EnergyAudit) -> list[Event]:
    """Return an event where links of an arm whose joints are all moved err by more than their deflections bear.

    What such a motion exchanges may be many times what the links store: beside it their errors do not show.
    """
    model, settings = run.model, run.info.settings
    elastic = [k for body in model.bodies for k in indices(body.modes_q)]
    given = int(model.arrays.velocities.prescribed.sum())
    if not elastic or not given or settings is None or model.nv > len(elastic) + given:
        return []
    swing = float(np.ptp(run.q[:, elastic], axis=0).max())
    missing, strain = np.abs(glance.residual), float(stored[:, 2].max())
    if swing <= STILL * settings.absolute_error or missing.max() <= BLURRED * strain:
        return []
    share = float(missing.max() / strain)
    when = float(glance.time[int(np.argmax(missing > BLURRED * strain))])
    text = (
        f"deflections are hardly larger than the errors allowed: what the steps leave over is {share:.1%} of the "
        f"energy that links store, so they are off by some {3 * share:.0%} of the largest from t = {when:.4g} s on; "
        f"where that matters, take {_finer(settings)}"
    )
    return [Event(when, model.robot.name, "energy", text, share)]


def _finer(settings: RunSettings) -> str:
    """Return the remedy against coarse steps in words."""
    return "a smaller rtol" if settings.step is None else f"a smaller step than {settings.step:.3g} s, or none"


def _coasting(run: Trajectory, kinetic: float) -> float:
    """Return energy, in joule, that steps may lose of a kinetic energy that nothing changes."""
    settings = run.info.settings
    per_step = settings.rtol if settings is not None and settings.step is None else PER_STEP
    return min(2 * per_step * run.info.steps, COASTING) * kinetic


def _tolerated_energy(run: Trajectory) -> float:
    """Return energy, in joule, that errors within the tolerances take or bring, whatever was exchanged.

    A body that coasts exchanges none of its energy: every step may err by its share of that. One that rests has none:
    then it is the work of lifting the robot's mass by the absolute tolerance. What moves farther does not rest, however
    small its energy: vibrations of some micrometres may be damped away by steps that see them as errors allowed.
    """
    settings, mass = run.info.settings, float(run.model.arrays.inertia.mass.sum())
    kinetic = float(run.energies[:, 0].max())
    if settings is None:
        return PER_STEP * kinetic
    coasting = _coasting(run, kinetic)
    rests = np.ptp(run.q, axis=0).max(initial=0.0) <= STILL * settings.absolute_error
    return max(coasting, mass * GRAVITY * settings.absolute_error) if rests else coasting
