"""Whether joints behind elastic gears are where the motion that their motors follow is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.simulation.raw_run import Event

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

DOUBT = 0.01  # of the way that a motor goes


def check_gears(run: Trajectory) -> list[Event]:
    """Return an event for each joint that its gear lets away from a prescribed motion, which is that of its motor."""
    found = []
    for body in (run.model.joint(name) for name in run.model.prescribed):
        if body.rotor_q is None:
            continue
        motor, joint = run.q[:, body.rotor_q], run.q[:, body.joint_q.start]
        wound, way = np.abs(joint - motor), float(np.ptp(motor))
        most = int(np.argmax(wound))
        if way > 0 and wound[most] > DOUBT * way:
            text = (
                f"the motion given to {body.joint} is that of its motor: behind its elastic gear the joint is up to "
                f"{wound[most]:.3g} away; to move the joint itself so, leave out the stiffness of its gear"
            )
            found.append(Event(float(run.time[most]), body.joint, "gear", text, float(wound[most])))
    return found
