"""Derivatives of the inverse dynamics by place, rate and acceleration of every coordinate, in one inward pass.

A coordinate that moves all outward of it by theta about, and u of, a point changes spin and acceleration of every
mass there by (1). So what it does to the wrench on all of that mass follows from sums over it, (5) and (6): mass, its
first and second moments, its momentum. The wrench is carried inward once, with that of all other coordinates beside it
in vector registers, and meets every coordinate on its way: derivatives of their forces by this coordinate, and of its
force by theirs.
"""

from __future__ import annotations

from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import JointMotion
from lissom.kernel.derivatives.columns import ACCEL, ACCEL_BY_RATE, BY_MOTION, BY_PLACE, BY_RATE, BY_SPIN, SPIN, clear
from lissom.kernel.derivatives.flexible_link_derivatives import add_link_derivatives
from lissom.kernel.derivatives.joint_motion import guided_force, joint_motions
from lissom.kernel.derivatives.mass_columns import (
    accelerating_wrench,
    carry_wrenches,
    inertia_of_link,
    shifted_inertia,
    store_column,
)
from lissom.kernel.derivatives.passive_joint_derivatives import add_passive_joint_derivatives
from lissom.kernel.derivatives.section_motion import add_section_forces, section_motion
from lissom.kernel.links.body_inertia import inertia_from_second_moment
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    matrix,
    rotate,
    rotate_back,
    scale,
    store_vector,
    subtract,
    transpose,
    vector,
)
from lissom.kernel.maths.simd_rows import set_scaled


@kernel
def fill_derivative_columns(model, work, columns, q, v, qdd, wrench, tau):
    """Compute `tau` (nv,) of `inverse_dynamics` and its derivatives by place, rate and acceleration, in `columns`."""
    inverse_dynamics(model, work, q, v, qdd, wrench, tau)
    clear(columns)
    n = model.tree.parent.shape[0]
    for back in range(1, n):
        i = n - back
        up = model.tree.parent[i]
        if model.tree.frame[i] == 0:
            m = model.tree.modes[i]
            if m > 0:
                add_link_derivatives(model, work, columns, i, q, v, qdd)
            add_own_mass(model, work, columns, i, m)
            joint_motions(model, work, columns, i, q, v, qdd)
            set_joint_columns(model, work, columns, i)
            spread_joint(model, work, columns, i, q)
        if up > 0 and (model.tree.frame[i] == 0 or model.tree.modes[up] > 0):
            carry_inward(model, work, columns, i, q, v, qdd)
    spread_outward(columns)
    add_passive_joint_derivatives(model, columns, q, v)


@inline
def add_own_mass(model, work, columns, i, m):
    """Add the mass of body i itself to what it carries."""
    w = vector(work.omega[i])
    zero = work.zero
    columns.mass[i] += model.inertia.mass[i]
    if m == 0:
        moment = add(vector(model.inertia.moment[i]), (zero, zero, zero))
        G = matrix(model.inertia.second_moment[i])
        J = inertia_from_second_moment(G)
        P = cross(w, moment)
        Q = (cross(w, G[0]), cross(w, G[1]), cross(w, G[2]))
    else:
        A = work.inertia[i]
        d = work.rate
        moment, J = inertia_of_link(A, m)
        half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
        G = (
            (half - J[0][0], -J[0][1], -J[0][2]),
            (-J[1][0], half - J[1][1], -J[1][2]),
            (-J[2][0], -J[2][1], half - J[2][2]),
        )
        P = add(cross(w, moment), (d[9], d[10], d[11]))
        Q = (
            add(cross(w, G[0]), (d[0], d[1], d[2])),
            add(cross(w, G[1]), (d[3], d[4], d[5])),
            add(cross(w, G[2]), (d[6], d[7], d[8])),
        )
    add_mass(columns, i, moment, J, P, Q)


@inline
def add_mass(columns, i, moment, J, P, Q):
    """Add first and second moments of mass, momentum and swirl to what body i carries."""
    store_vector(columns.moment[i], add(vector(columns.moment[i]), moment))
    store_vector(columns.momentum[i], add(vector(columns.momentum[i]), P))
    for a in range(3):
        store_vector(columns.inertia[i, a], add(vector(columns.inertia[i, a]), J[a]))
        store_vector(columns.swirl[i, a], add(vector(columns.swirl[i, a]), Q[a]))


@inline
def set_joint_columns(model, work, columns, i):
    """Set the columns of the joint of body i: what each coordinate does to the wrench on all that it carries, (5)."""
    half = columns.carried[columns.even[i]]
    mass = columns.mass[i]
    moment = vector(columns.moment[i])
    J = matrix(columns.inertia[i])
    P = vector(columns.momentum[i])
    Q = matrix(columns.swirl[i])
    spread = Q[0][0] + Q[1][1] + Q[2][2]
    torque = vector(work.wrench[i, 0:3])
    push = vector(work.wrench[i, 3:6])
    for k in range(model.joints.dofs[i]):
        motion = columns.motion[k]
        at = columns.begin[i] + k
        turn = vector(motion)
        shift = vector(motion[3:])
        spin = vector(motion[SPIN:])
        by_motion = accelerating_wrench(mass, moment, J, turn, shift)
        by_place = accelerating_wrench(mass, moment, J, vector(motion[ACCEL:]), vector(motion[ACCEL + 3 :]))
        by_rate = accelerating_wrench(
            mass, moment, J, vector(motion[ACCEL_BY_RATE:]), vector(motion[ACCEL_BY_RATE + 3 :])
        )
        by_spin = subtract(scale(spread, spin), rotate_back(Q, spin))
        by_turn = subtract(scale(spread, turn), rotate_back(Q, turn))
        moved = add(cross(turn, torque), cross(shift, push))
        back = add(subtract(scale(spread, turn), rotate(Q, turn)), cross(P, shift))
        store_column(half, BY_MOTION, at, by_motion[0], by_motion[1])
        first = add(add(by_place[0], scale(2.0, by_spin)), moved)
        second = add(add(by_place[1], scale(2.0, cross(spin, P))), cross(turn, push))
        store_column(half, BY_PLACE, at, first, second)
        second = add(by_rate[1], scale(2.0, cross(turn, P)))
        store_column(half, BY_RATE, at, add(by_rate[0], scale(2.0, by_turn)), second)
        for c in range(3):
            half[BY_SPIN + c, at] = 2.0 * back[c]


@inline
def spread_joint(model, work, columns, i, q):
    """Write what the coordinates of joint i and all outward of them do to each other's forces."""
    half = columns.carried[columns.even[i]]
    end = columns.end[i]
    axis = model.joints.axis[i]
    for k in range(model.joints.dofs[i]):
        at = columns.begin[i] + k
        motion = columns.motion[k]
        if axis < 3:  # a turn about an axis of the frame: no other entry of the motion counts
            one = work.zero + 1.0
            set_scaled(columns.by_acceleration[at], at, end, (one,), (half[BY_MOTION + axis],))
            set_scaled(columns.by_place[at], at, end, (one,), (half[BY_PLACE + axis],))
            set_scaled(columns.by_rate[at], at, end, (one,), (half[BY_RATE + axis],))
            y = (motion[ACCEL_BY_RATE], motion[ACCEL_BY_RATE + 1], motion[ACCEL_BY_RATE + 2], one)
            rows = (half[BY_MOTION], half[BY_MOTION + 1], half[BY_MOTION + 2], half[BY_SPIN + axis])
            set_scaled(columns.rate_outward[at], at, end, y, rows)
            spread_place_outward(columns, half, motion, at, at, end)
        else:
            spread_motion(columns, half, motion, at, at, end)
            spread_place_outward(columns, half, motion, at, at, end)
    kind = model.joints.motion[i, 0]
    if model.joints.steps[i] > 0 and kind == JointMotion.GUIDED:
        at = columns.begin[i]
        columns.place_outward[at, at] += guided_force(model, work, i, q, work.wrench[i], work.zero)
    if model.joints.dofs[i] > 1 and (kind == JointMotion.BALL or kind == JointMotion.FLOAT):
        # motions of a group keep to the body's axes, whichever of its coordinates changes
        for k in range(model.joints.dofs[i]):
            at = columns.begin[i] + k
            motion = columns.motion[k]
            for r in range(k):
                to = columns.begin[i] + r
                place = work.zero
                rate = work.zero
                for c in range(6):
                    place += motion[ACCEL + c] * half[BY_MOTION + c, to]
                    rate += motion[ACCEL_BY_RATE + c] * half[BY_MOTION + c, to]
                for c in range(3):
                    place += motion[SPIN + c] * half[BY_SPIN + c, to]
                    rate += motion[c] * half[BY_SPIN + c, to]
                columns.by_place[to, at] = place
                columns.by_rate[to, at] = rate


@inline
def spread_motion(columns, half, motion, row, first, end):
    """Write the work of the wrenches of columns `first` to `end` on a motion, to its row; their spins' to the other."""
    s = (motion[0], motion[1], motion[2], motion[3], motion[4], motion[5])
    a = (half[0], half[1], half[2], half[3], half[4], half[5])
    set_scaled(columns.by_acceleration[row], first, end, s, a)
    b = (half[BY_PLACE], half[BY_PLACE + 1], half[BY_PLACE + 2], half[BY_PLACE + 3], half[BY_PLACE + 4],
         half[BY_PLACE + 5])  # fmt: skip
    set_scaled(columns.by_place[row], first, end, s, b)
    c = (half[BY_RATE], half[BY_RATE + 1], half[BY_RATE + 2], half[BY_RATE + 3], half[BY_RATE + 4], half[BY_RATE + 5])
    set_scaled(columns.by_rate[row], first, end, s, c)
    z = (motion[ACCEL_BY_RATE], motion[ACCEL_BY_RATE + 1], motion[ACCEL_BY_RATE + 2], motion[ACCEL_BY_RATE + 3],
         motion[ACCEL_BY_RATE + 4], motion[ACCEL_BY_RATE + 5], motion[0], motion[1], motion[2])  # fmt: skip
    rows = (half[0], half[1], half[2], half[3], half[4], half[5], half[BY_SPIN], half[BY_SPIN + 1], half[BY_SPIN + 2])
    set_scaled(columns.rate_outward[row], first, end, z, rows)


@inline
def spread_place_outward(columns, half, motion, row, first, end):
    """Write what a coordinate does, by place, to the forces on columns `first` to `end`."""
    y = (motion[ACCEL], motion[ACCEL + 1], motion[ACCEL + 2], motion[ACCEL + 3], motion[ACCEL + 4], motion[ACCEL + 5],
         motion[SPIN], motion[SPIN + 1], motion[SPIN + 2])  # fmt: skip
    rows = (half[0], half[1], half[2], half[3], half[4], half[5], half[BY_SPIN], half[BY_SPIN + 1], half[BY_SPIN + 2])
    set_scaled(columns.place_outward[row], first, end, y, rows)


@inline
def carry_inward(model, work, columns, i, q, v, qdd):
    """Carry columns and mass of body i to its parent; write what the parent's modes and they do to each other."""
    up = model.tree.parent[i]
    R = matrix(work.rotation[i])
    p = vector(work.position[i])
    # velocity of the origin of frame i relative to that of its parent, parent axes
    rate = subtract(rotate(R, vector(work.velocity[i])), vector(work.velocity[up]))
    turned = rotate(R, vector(columns.moment[i]))
    mass = columns.mass[i]
    moment = add(turned, scale(mass, p))
    P = add(rotate(R, vector(columns.momentum[i])), scale(mass, rate))
    J = compose(compose(R, matrix(columns.inertia[i])), transpose(R))
    Q = compose(compose(R, matrix(columns.swirl[i])), transpose(R))
    J = shifted_inertia(J, turned, moment, p)
    Q = (
        add(Q[0], add(scale(turned[0], rate), scale(p[0], P))),
        add(Q[1], add(scale(turned[1], rate), scale(p[1], P))),
        add(Q[2], add(scale(turned[2], rate), scale(p[2], P))),
    )
    if model.tree.frame[i] == 0:
        add_mass(columns, up, moment, J, P, Q)
        columns.mass[up] += mass
        carry_columns(columns, columns.even[i], columns.even[up], columns.begin[i], columns.end[i], R, p, rate)
    if model.tree.modes[up] > 0:
        push = rotate(R, vector(work.wrench[i, 3:6]))
        torque = add(rotate(R, vector(work.wrench[i, 0:3])), cross(p, push))
        section = section_motion(model, work, columns, i, q, v, qdd)
        add_section_forces(model, work, columns, i, (mass, moment, J, P, Q), (torque, push), section)
        if model.tree.frame[i] == 0:
            half = columns.carried[columns.even[up]]
            for r in range(model.tree.modes[up]):
                motion = columns.motion[0]
                for c in range(ACCEL + 12):
                    motion[c] = columns.section[c, r]
                row = columns.modes[up] + r
                spread_motion(columns, half, motion, row, columns.begin[i], columns.end[i])
                spread_place_outward(columns, half, motion, row, columns.begin[i], columns.end[i])


@inline
def carry_columns(columns, own, other, first, end, R, p, rate):
    """Write columns `first` to `end` in the axes of the parent, about its origin, to the other half of `carried`."""
    a = columns.carried[own]
    b = columns.carried[other]
    for wrench in range(3):
        carry_wrenches(a[6 * wrench :], b[6 * wrench :], first, end, R, p)
    for c in range(3):
        k, j = (c + 1) % 3, (c + 2) % 3
        by = (R[c][0], R[c][1], R[c][2], 2.0 * rate[k], -2.0 * rate[j])
        set_scaled(b[BY_SPIN + c], first, end, by, (a[18], a[19], a[20], b[3 + j], b[3 + k]))


@inline
def spread_outward(columns):
    """Bring the derivatives of forces outward into rows of forces, and complete the symmetric mass matrix."""
    for k in range(columns.last.shape[0]):
        for r in range(columns.outward[k], columns.last[k]):
            columns.by_place[r, k] = columns.place_outward[k, r]
            columns.by_rate[r, k] = columns.rate_outward[k, r]
            columns.by_acceleration[r, k] = columns.by_acceleration[k, r]
