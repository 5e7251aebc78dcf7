"""Derivatives of what joints and transmissions do by themselves, and rotor inertias."""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.forces.passive_joint_forces import contact
from lissom.kernel.implicit.link_stiffness import joint_stiffness


@inline
def add_passive_joint_derivatives(model, columns, q, v):
    """Add springs, dampers, friction, stops, elastic transmissions and rotors to the derivatives of forces."""
    stiffness = columns.joint[0]
    damping = columns.joint[1]
    winding = columns.joint[2, 0 : model.gears.rotor_v.shape[0]]
    slipping = columns.joint[3, 0 : model.gears.rotor_v.shape[0]]
    joint_stiffness(model, q, v, stiffness, damping, winding, slipping)
    for k in range(v.shape[0]):
        at = columns.column[k]
        columns.by_place[at, at] += stiffness[k]
        columns.by_rate[at, at] += damping[k]
        columns.by_acceleration[at, at] += model.velocities.armature[k]
    # a stop's damper takes hold over the width of the stop
    passive = model.passive
    for k in range(passive.v.shape[0]):
        at_q = passive.q[k]
        if at_q >= 0 and passive.has_stop[k] == 1:
            width = passive.stop_width[k]
            above = contact(q[at_q] - passive.upper[k], width)
            below = contact(passive.lower[k] - q[at_q], width)
            rise = 2.0 * (above * (1.0 - above) - below * (1.0 - below)) / width
            at = columns.column[passive.v[k]]
            columns.by_place[at, at] += passive.stop_damping[k] * rise * v[passive.v[k]]
    for k in range(winding.shape[0]):
        rotor = columns.column[model.gears.rotor_v[k]]
        joint = columns.column[model.gears.joint_v[k]]
        columns.by_acceleration[rotor, rotor] += model.gears.inertia[k]
        couple(columns.by_place, rotor, joint, winding[k])
        couple(columns.by_rate, rotor, joint, slipping[k])


@inline
def couple(matrix, a, b, slope):
    """Add a spring or damper between two coordinates to a matrix."""
    matrix[a, a] += slope
    matrix[b, b] += slope
    matrix[a, b] -= slope
    matrix[b, a] -= slope
