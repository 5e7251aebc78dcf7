"""Whether links of the second-order field spin so fast during a run that the propeller moment matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.analysis.propeller_moment import (
    STIFFNESS,
    doubt,
    largest_share,
    second_order_links,
    spin_of,
    turning_shares,
)
from lissom.beam import BeamLink
from lissom.simulation.raw_run import Event, RawRun

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

LOOKS = 50  # samples at which the spin of a link is computed


def check_rotary_inertia(run: Trajectory | RawRun) -> list[Event]:
    """Return an event for every link whose spin changes its stiffness, which its second-order field leaves out."""
    events = []
    fastest = _fastest(run)
    for link, beam in second_order_links(run.model):
        if fastest**2 * np.abs(turning_shares(beam)).sum() < STIFFNESS:  # no spin of its own could matter
            continue
        at = np.unique(np.linspace(0, len(run.time) - 1, LOOKS).astype(int))
        spins = np.array([spin_of(run.model, run.q[k], run.v[k], link) for k in at])
        shares = [largest_share(beam, spin) for spin in spins]
        beyond = np.flatnonzero(np.array(shares) > STIFFNESS)
        if beyond.size:
            when, worst = float(run.time[at[beyond[0]]]), float(max(shares))
            text = doubt(link, float(np.linalg.norm(spins, axis=1).max()), worst)
            events.append(Event(when, link, "propeller moment", text, worst))
    return events


def _fastest(run: Trajectory | RawRun) -> float:
    """Return a bound of the angular velocity of any link, rad/s: the sum over all joints, and sections that bend."""
    turning = np.zeros(len(run.time))
    for body in run.model.bodies:
        turning += np.abs(run.v[:, body.joint_v]).sum(axis=1)
        if isinstance(beam := run.model.flexible.get(body.link), BeamLink):
            turning += np.abs(run.v[:, body.modes_v]) @ np.abs(np.real(beam.section_map(beam.length).psi)).sum(axis=0)
    return float(turning.max())
