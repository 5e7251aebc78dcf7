"""How stiff and how damped elements and contacts are, as the masses that they move feel it.

What acts between two frames is K J x for the velocities x, with the twist J x of the second against the first. The
eigenvalues of M^-1 J^T K J that are not zero are those of the small matrix (J M^-1 J^T) K.

A contact is judged as it will be: as deep as it is now, as the weight alone presses, or as the fall to it drives it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lissom.kernel.data.arrays import Element
from lissom.kernel.forces.contact_forces import GAP, GAP_RATE
from lissom.kernel.forces.element_forces import LENGTH
from lissom.kernel.forces.passive_joint_forces import curve_force
from lissom.kernel.kinematics.frame_jacobian import frame_jacobian
from lissom.model.model import Model
from lissom.simulation.integrators.integrator_state import State
from lissom.simulation.stepping.contact_events import contact_state

NUDGE = 1e-6  # m: for the slope of a spring's curve

Solve = Callable[[np.ndarray], np.ndarray]  # M^-1 x


def external_stiffness(model: Model, state: State, solve: Solve) -> tuple[float, float]:
    """Return largest eigenvalues of M^-1 K (1/s2) and M^-1 D (1/s) of elements and contacts at the present state."""
    if not (model.robot.elements or model.robot.contacts):
        return 0.0, 0.0
    contact_state(model.struct, model.workspace(), state.q, state.v)
    found = [_element(model, e, solve) for e in range(len(model.robot.elements))]
    found += [_contact(model, c, solve) for c in range(len(model.robot.contacts))]
    squared, decay = zip(*found, strict=True)
    return max(squared), max(decay)


def _mobility(model: Model, first: int, second: int, solve: Solve) -> np.ndarray:
    """Return J M^-1 J^T (6, 6) of the twist between two frames, at the second's origin, in the first's axes."""
    work = model.scratch()
    R1, R2 = work.world_rotation[first], work.world_rotation[second]
    arm = work.world_position[second] - work.world_position[first]
    J1, J2 = np.zeros((6, model.nv)), np.zeros((6, model.nv))
    for row, J in ((first, J1), (second, J2)):
        frame_jacobian(model.struct, model.workspace(), row, J)
    J = np.concatenate([R1.T @ R2 @ J2[:3] - J1[:3], R1.T @ R2 @ J2[3:] - J1[3:]])
    J[3:] -= np.cross(J1[:3].T, R1.T @ arm).T
    return J @ np.array([solve(row) for row in J]).T


def _element(model: Model, e: int, solve: Solve) -> tuple[float, float]:
    table = model.arrays.elements
    moves = _mobility(model, int(table.first[e]), int(table.second[e]), solve)
    if table.kind[e] == Element.BUSHING:
        return _largest(moves @ np.real(table.springs[e])), _largest(moves @ np.real(table.dampers[e]))
    work, length = model.scratch(), model.scratch().element[e, LENGTH]
    way = work.world_position[table.second[e]] - work.world_position[table.first[e]]
    line = work.world_rotation[table.first[e]].T @ way / length
    x = length - table.length[e]
    curve = [curve_force(model.arrays.passive, table.pieces[e], x + step) for step in (-NUDGE, NUDGE)]
    slope = abs(table.stiffness[e] + (curve[1] - curve[0]) / (2 * NUDGE))
    along = float(line @ moves[3:, 3:] @ line)
    return float(np.real(slope)) * along, float(np.real(table.damping[e])) * along


def _contact(model: Model, c: int, solve: Solve) -> tuple[float, float]:
    table, touch = model.arrays.contacts, model.scratch().touch[c]
    moves = _mobility(model, int(table.surface[c]), int(table.sphere[c]), solve)
    push = _largest(moves[3:, 3:])
    if push == 0.0:
        return 0.0, 0.0
    k, n = float(np.real(table.stiffness[c])), 1.0 + 0.5 * table.roots[c]
    weight = float(np.linalg.norm(np.real(model.arrays.gravity)))
    fall = touch[GAP_RATE] ** 2 + 2 * weight * max(touch[GAP], 0.0)
    depth = max(-touch[GAP], (weight / push / k) ** (1 / n), (0.5 * (n + 1) * fall / push / k) ** (1 / (n + 1)))
    press = k * depth**n
    slide = push + float(np.real(table.radius[c])) ** 2 * _largest(moves[:3, :3])
    grip = float(np.real(table.friction[c] / table.friction_speed[c]))
    return n * k * depth ** (n - 1) * push, press * max(float(np.real(table.damping[c])) * push, grip * slide)


def _largest(A: np.ndarray) -> float:
    return float(np.abs(np.linalg.eigvals(A)).max())
