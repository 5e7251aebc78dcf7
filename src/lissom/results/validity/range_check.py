"""Whether joints stay within their limits where no stop holds them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.simulation.raw_run import Event

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

ROUNDING = 1e-6  # of the range


def check_ranges(run: Trajectory) -> list[Event]:
    """Return an event for each joint that leaves its limits, which are a range and no stop."""
    found = []
    for link in run.model.robot.links:
        joint = link.joint
        if joint.limits is None or joint.stops is not None:
            continue
        lower, upper = (np.real(joint.each(end)) for end in (joint.limits.lower, joint.limits.upper))
        q = run.q[:, run.model.joint(joint.name).joint_q]
        beyond = np.maximum(lower - q, q - upper)
        s, k = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
        if beyond[s, k] > ROUNDING * (upper[k] - lower[k]):
            text = (
                f"{joint.name} is at {q[s, k]:.4g}, outside its limits of {lower[k]:.4g} to {upper[k]:.4g}: nothing "
                "stops it there; give the stiffness of its stops, under limits, or another motion"
            )
            found.append(Event(float(run.time[s]), joint.name, "range", text, float(beyond[s, k])))
    return found
