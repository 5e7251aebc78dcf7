"""Joints: pose and motion of a child's base on its parent's section, and the forces that act in the joint itself."""

from __future__ import annotations

from lissom.kernel.algebra import (
    add,
    compose,
    matrix,
    quaternion_matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    turn_matrix,
    vector,
)
from lissom.kernel.arrays import Motion
from lissom.kernel.elementary import tanh
from lissom.kernel.machine import inline, kernel
from lissom.theory.screw_pairs import bracket, load_pair, store_pair, twist_at


@kernel
def joint_motion(table, work, i, q, v):
    """Fill joint_R, joint_p, S, P, joint_U, joint_dU of joint i.

    Step by step, with the pose h of a step and its motion s: the twist found so far becomes Ad(h^-1) U + s q', its rate
    without accelerations Ad(h^-1) dU + ad(U) s q'.
    """
    zero = (0.0, 0.0, 0.0)
    R = matrix(table.origin_R[i])
    p = vector(table.origin_p[i])
    w, u, dw, du = zero, zero, zero, zero
    at_q = table.joint_q[i]
    at_v = table.joint_v[i]
    S = work.S[i]
    k = 0
    last = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    for step in range(table.steps[i]):
        motion = table.motion[i, step]
        axis = vector(table.axis[i, step])
        if motion == Motion.TURN or motion == Motion.SLIDE:
            if motion == Motion.TURN:
                Q = turn_matrix(axis, q[at_q])
                d = zero
                angular, linear = axis, zero
            else:
                Q = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
                d = scale(q[at_q], axis)
                angular, linear = zero, axis
            for c in range(k):
                a, b = load_pair(S[c])
                a, b = twist_at(Q, d, a, b)
                store_pair(S[c], a, b)
            store_pair(S[k], angular, linear)
            w, u = twist_at(Q, d, w, u)
            dw, du = twist_at(Q, d, dw, du)
            angular, linear = scale(v[at_v], angular), scale(v[at_v], linear)
            w, u = add(w, angular), add(u, linear)
            bw, bu = bracket(w, u, angular, linear)
            dw, du = add(dw, bw), add(du, bu)
            k += 1
            at_q += 1
            at_v += 1
        else:
            Q = quaternion_matrix(q[at_q], q[at_q + 1], q[at_q + 2], q[at_q + 3])
            d = zero
            w = (v[at_v], v[at_v + 1], v[at_v + 2])
            if motion == Motion.FLOAT:
                d = (q[at_q + 4], q[at_q + 5], q[at_q + 6])
                u = (v[at_v + 3], v[at_v + 4], v[at_v + 5])
            for c in range(6):
                for j in range(6):
                    S[c, j] = 1.0 if c == j else 0.0
        p = add(p, rotate(R, d))
        R = compose(R, Q)
        last = Q
    store_matrix(work.joint_R[i], R)
    store_vector(work.joint_p[i], p)
    store_pair(work.joint_U[i], w, u)
    store_pair(work.joint_dU[i], dw, du)
    for c in range(6 - table.dofs[i]):
        a, b = load_pair(table.locked[i, c])
        if table.turned[i] == 1:
            a, b = rotate_back(last, a), rotate_back(last, b)
        store_pair(work.P[i, c], a, b)


@inline
def touching(depth, width):
    """Smooth step from 0 to 1 where a stop is reached."""
    return 0.5 * (1.0 + tanh(depth / width))


@inline
def stop_push(depth, stiffness, width):
    """Force of a stop whose potential is stiffness/2 (depth touching)^2."""
    on = touching(depth, width)
    return stiffness * depth * on * (on + 2.0 * depth / width * on * (1.0 - on))


@kernel
def joint_forces(table, work, q, v, tau):
    """work.force = tau plus what joints and gears do by themselves; for modes, tau alone."""
    force = work.force
    for k in range(tau.shape[0]):
        force[k] = tau[k]
        if table.passive[k] == 0:
            continue
        rate = v[k]
        force[k] -= table.viscous[k] * rate + table.coulomb[k] * tanh(rate / table.coulomb_speed[k])
        at = table.passive_q[k]
        if at < 0:
            continue
        force[k] -= table.spring[k] * (q[at] - table.rest[k])
        if table.stop[k] == 1:
            above = q[at] - table.upper[k]
            below = table.lower[k] - q[at]
            width = table.stop_width[k]
            force[k] += stop_push(below, table.stop_stiffness[k], width)
            force[k] -= stop_push(above, table.stop_stiffness[k], width)
            force[k] -= table.stop_damping[k] * rate * (touching(above, width) + touching(below, width))
    for r in range(table.rotor_v.shape[0]):
        stretch = q[table.rotor_q[r]] - q[table.geared_q[r]]
        rate = v[table.rotor_v[r]] - v[table.geared_v[r]]
        torque = table.gear_stiffness[r] * stretch + table.gear_damping[r] * rate
        force[table.geared_v[r]] += torque
        force[table.rotor_v[r]] -= torque


@kernel
def joint_energy(table, q):
    """Energy in springs, stops and gears."""
    energy = 0.0
    for k in range(table.passive.shape[0]):
        at = table.passive_q[k]
        if table.passive[k] == 1 and at >= 0:
            energy += 0.5 * table.spring[k] * (q[at] - table.rest[k]) ** 2
            if table.stop[k] == 1:
                above = q[at] - table.upper[k]
                below = table.lower[k] - q[at]
                width = table.stop_width[k]
                energy += 0.5 * table.stop_stiffness[k] * (above * touching(above, width)) ** 2
                energy += 0.5 * table.stop_stiffness[k] * (below * touching(below, width)) ** 2
    for r in range(table.rotor_v.shape[0]):
        stretch = q[table.rotor_q[r]] - q[table.geared_q[r]]
        energy += 0.5 * table.gear_stiffness[r] * stretch * stretch
    return energy
