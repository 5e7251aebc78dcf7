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

    Imaginary parts of a model of complex numbers and of q and v are small and become derivatives.
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
    if not free:
        return v
    number = np.complex128 if np.iscomplexobj(acts.numbers) else np.float64
    q, v = q.astype(number), v.astype(number)
    joints = [k for body in model.bodies for k in range(body.joint_v.start, body.joint_v.stop)]
    still, none, out = np.zeros(model.nv, number), np.zeros((model.rows, 6), number), np.zeros(model.nv, number)
    workspace, rest_a = model.workspace(number), np.zeros(model.nv, number)
    still[model.moving :] = v[model.moving :]

    def needed(rest: np.ndarray) -> np.ndarray:
        inverse_dynamics(model.struct, workspace, q, rest, rest_a, none, out)
        return out[joints].copy()

    lacking, columns = needed(still), []
    for a in free:
        raised = still.copy()
        raised[model.states[a].first + 1] += PROBE
        columns.append(needed(raised) - lacking)
    held = [-row for row in loop_jacobian(model, q)[:, joints]] if model.loops else []  # reactions of loops carry, too
    rise = PROBE * least_squares(np.stack([*columns, *held], axis=1), -lacking)
    for a, more in zip(free, rise):
        p, first = acts.numbers[a], model.states[a].first
        low = p[TANK] - p[START_A]
        if np.real(more) >= np.real(low):
            v[first + 1] = more
        else:  # the ring side presses instead
            v[first + 1], v[first + 2] = low, (low - more) * p[BORE] / p[RING]
    return v


def least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the shortest x of least squares of A x - b; imaginary parts are small, and become its derivatives.

    The derivative of a pseudo-inverse of constant rank is that of Golub and Pereyra (1973).
    """
    inverse = np.linalg.pinv(A.real)
    x = inverse @ b.real
    if not (np.iscomplexobj(A) or np.iscomplexobj(b)):
        return x
    left = b.real - A.real @ x
    change = inverse @ (b.imag - A.imag @ x) + inverse @ inverse.T @ (A.imag.T @ left)
    change += (np.eye(len(x)) - inverse @ A.real) @ (A.imag.T @ (inverse.T @ x))
    return x + 1j * change
