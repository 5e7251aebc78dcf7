"""Pressures of hydraulic cylinders at the start: what carries the machine where nobody has said."""

from __future__ import annotations

import numpy as np

from lissom.dynamics.kinematic_loops.loop_kinematics import loop_jacobian
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.data.arrays import Drive
from lissom.kernel.forces.hydraulic_law import BORE, RING, START_A, TANK
from lissom.model.model import Model

PROBE = 1e5  # Pa: by which a pressure is raised to see what it moves; thrusts are linear in it


def carrying_pressures(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return velocities (nv,) in which cylinders without given pressures carry the weight in the configuration q.

    Thrusts are those of least squares by which the joints stay at rest; the side that they do not press keeps its
    pressure.
    """
    acts = model.arrays.actuators
    asked = {row.name: row for row in model.robot.drives}
    free = [
        a
        for a in np.flatnonzero(acts.kind == Drive.HYDRAULIC)
        if getattr(asked[model.states[a].actuator], "pressure_a", None) is None
        and getattr(asked[model.states[a].actuator], "pressure_b", None) is None
        and not np.any(v[model.states[a].first + 1 : model.states[a].first + 3])
    ]
    if not free or np.iscomplexobj(acts.numbers):
        return v
    joints = [k for body in model.bodies for k in range(body.joint_v.start, body.joint_v.stop)]
    still, none, out = np.zeros(model.nv), np.zeros((model.rows, 6)), np.zeros(model.nv)
    still[model.moving :] = v[model.moving :]

    def needed(rest: np.ndarray) -> np.ndarray:
        inverse_dynamics(model.struct, model.workspace(), q, rest, np.zeros(model.nv), none, out)
        return out[joints].copy()

    lacking, columns = needed(still), []
    for a in free:
        raised = still.copy()
        raised[model.states[a].first + 1] += PROBE
        columns.append(needed(raised) - lacking)
    held = [-row for row in loop_jacobian(model, q)[:, joints]] if model.loops else []  # reactions of loops carry, too
    rise = PROBE * np.linalg.lstsq(np.stack([*columns, *held], axis=1), -lacking, rcond=None)[0]
    v = v.copy()
    for a, more in zip(free, rise):
        p, first = acts.numbers[a], model.states[a].first
        low = p[TANK] - p[START_A]
        if more >= low:
            v[first + 1] = more
        else:  # the ring side presses instead
            v[first + 1], v[first + 2] = low, (low - more) * p[BORE] / p[RING]
    return v
