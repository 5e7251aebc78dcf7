"""Outward pass: frames, velocities, joint subspaces and drift accelerations of all bodies.

A child's frame is reached from its parent's by elementary steps: to the deformed section it sits on (shift, bend,
twist), to the joint's frame (constant), through the joint's motions. Every step updates the running frame: rotation `R`
and position `p` in the parent's frame; angular velocity `w`, velocity `v`, drift accelerations `dw`, `dv` in its own
axes. Accelerations are those of the frame's origin as seen from the world (classical, not spatial), so that the linear
velocity enters no force.
"""

from __future__ import annotations

from lissom.kernel.algebra import (
    add,
    compose,
    cross,
    dot,
    gibbs_matrix,
    identity,
    matrix,
    quaternion_matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    subtract,
    turn_matrix,
    vector,
)
from lissom.kernel.exact import bend_link, carry_arm, carry_section, integrate
from lissom.kernel.jit import inline, kernel
from lissom.kernel.rotation_vector import angle_functions, lever_of, lever_rate, rotation_of


@inline
def shift(w, v, dw, dv, r, rate, rate_drift):
    """Velocity and drift after a translation by `r` that changes at `rate`, itself at `rate_drift`."""
    whirl = cross(w, r)
    v = add(v, add(whirl, rate))
    dv = add(dv, add(cross(dw, r), add(cross(w, add(whirl, scale(2.0, rate))), rate_drift)))
    return v, dv


@inline
def turn(w, v, dw, dv, Q, rate, rate_drift):
    """Velocity and drift after a rotation by `Q` with relative angular velocity `rate`, in the new axes."""
    w = rotate_back(Q, w)
    dw = add(rotate_back(Q, dw), add(cross(w, rate), rate_drift))
    return add(w, rate), rotate_back(Q, v), dw, rotate_back(Q, dv)


@inline
def section_sums(weights, eta, start, count, zero):
    """sum_j weights[k, j] eta_j for k = 0, 1, 2."""
    x = zero
    y = zero
    z = zero
    for j in range(count):
        e = eta[start + j]
        x += weights[0, j] * e
        y += weights[1, j] * e
        z += weights[2, j] * e
    return (x, y, z)


@inline
def quadratic_sums(B, eta, rate, eta_start, rate_start, count, out, zero):
    """out = B eta; returns eta B eta, eta B rate, rate B rate for a symmetric B."""
    value = zero
    first = zero
    second = zero
    for j in range(count):
        by_eta = zero
        by_rate = zero
        for k in range(count):
            by_eta += B[j, k] * eta[eta_start + k]
            by_rate += B[j, k] * rate[rate_start + k]
        out[j] = by_eta
        value += by_eta * eta[eta_start + j]
        first += by_eta * rate[rate_start + j]
        second += by_rate * rate[rate_start + j]
    return value, first, second


@inline
def bend(a, da):
    """Bending by the slopes a = (0, -w', v'): Gibbs vector g = a/2 (1 + |a|^2/12), its rate and drift at zero dda."""
    z = dot(a, a)
    dz = 2.0 * dot(a, da)
    s = 0.5 + z / 24.0
    g = scale(s, a)
    dg = add(scale(s, da), scale(dz / 24.0, a))
    ddg = add(scale(dz / 12.0, da), scale(dot(da, da) / 12.0, a))
    return g, dg, ddg


@inline
def gibbs_rate(g, dg, ddg):
    """Angular velocity and its drift, in the turned axes, of a rotation with Gibbs vector `g`."""
    f = 2.0 / (1.0 + dot(g, g))
    rate = scale(f, subtract(dg, cross(g, dg)))
    drift = subtract(scale(f, subtract(ddg, cross(g, ddg))), scale(f * dot(g, dg), rate))
    return rate, drift


@inline
def turned_subspace(S, columns, Q):
    """Joint motions found so far, seen from a frame turned by `Q`."""
    for k in range(columns):
        store_vector(S[k, 0:3], rotate_back(Q, vector(S[k, 0:3])))
        store_vector(S[k, 3:6], rotate_back(Q, vector(S[k, 3:6])))


@inline
def shifted_subspace(S, columns, r):
    """Joint motions found so far, seen from a frame shifted by `r`."""
    for k in range(columns):
        moved = add(vector(S[k, 3:6]), cross(vector(S[k, 0:3]), r))
        store_vector(S[k, 3:6], moved)


@inline
def unit_motion(S, k, angular, linear, zero):
    """Row k of the subspace: the constant motion (angular, linear)."""
    for j in range(3):
        S[k, j] = zero + angular[j]
        S[k, 3 + j] = zero + linear[j]


@kernel
def outward(model, work, q, v):
    """Fill rotation, position, omega, velocity, drift, subspace and reach of every body."""
    zero = work.zero
    none = (zero, zero, zero)
    ex = (zero + 1.0, zero, zero)
    for i in range(1, model.parent.shape[0]):
        up = model.parent[i]
        m = model.modes[up]
        w = vector(work.omega[up])
        vel = vector(work.velocity[up])
        dw = none
        dv = none
        R = identity(zero)
        p = add(vector(model.section_position[i]), none)
        a = none
        tangent = none

        if model.nodes[up] > 0:
            integrate(model, work, up, model.section_running[i])
            place = work.place
            p = vector(place[3 * m : 3 * m + 3])
            rate_drift = vector(place[3 * m + 6 : 3 * m + 9])
            vel, dv = shift(w, vel, dw, dv, p, vector(place[3 * m + 3 : 3 * m + 6]), rate_drift)
            th = section_sums(model.section_psi[i], q, model.modes_q[up], m, zero)
            dth = section_sums(model.section_psi[i], v, model.modes_v[up], m, zero)
            angles = angle_functions(th)
            R = rotation_of(angles, th)
            H = lever_of(angles, th)
            w, vel, dw, dv = turn(w, vel, dw, dv, R, rotate(H, dth), lever_rate(angles, th, dth, dth))
            carry_section(model, work, i, up, m, R, H)
        elif m > 0:
            eta = model.modes_q[up]
            rate = model.modes_v[up]
            u = section_sums(model.section_phi[i], q, eta, m, zero)
            du = section_sums(model.section_phi[i], v, rate, m, zero)
            th = section_sums(model.section_psi[i], q, eta, m, zero)
            dth = section_sums(model.section_psi[i], v, rate, m, zero)
            short = (zero, zero, zero)
            twist = (zero, zero, zero)
            if model.second_order[up] == 1:
                short = quadratic_sums(model.section_shortening[i], q, v, eta, rate, m, work.section_modes[0], zero)
                twist = quadratic_sums(model.section_twist[i], q, v, eta, rate, m, work.section_modes[1], zero)
            p = add(p, (u[0] - 0.5 * short[0], u[1], u[2]))
            vel, dv = shift(w, vel, dw, dv, p, (du[0] - short[1], du[1], du[2]), (zero - short[2], zero, zero))
            a = (zero, th[1], th[2])
            g, dg, ddg = bend(a, (zero, dth[1], dth[2]))
            bend_rate, bend_drift = gibbs_rate(g, dg, ddg)
            R = gibbs_matrix(g)
            w, vel, dw, dv = turn(w, vel, dw, dv, R, bend_rate, bend_drift)
            Q = turn_matrix(ex, th[0] + 0.5 * twist[0])
            w, vel, dw, dv = turn(w, vel, dw, dv, Q, (dth[0] + twist[1], zero, zero), (twist[2], zero, zero))
            tangent = (R[0][0], R[1][0], R[2][0])
            R = compose(R, Q)
        else:
            vel, dv = shift(w, vel, dw, dv, p, none, none)
        section = p

        if model.has_origin[i] == 1:
            r = add(vector(model.origin_position[i]), none)
            p = add(p, rotate(R, r))
            vel, dv = shift(w, vel, dw, dv, r, none, none)
            R0 = matrix(model.origin_rotation[i])
            w, vel, dw, dv = turn(w, vel, dw, dv, R0, none, none)
            R = compose(R, R0)

        S = work.subspace[i]
        k = 0
        at_q = model.joint_q[i]
        at_v = model.joint_v[i]
        for step in range(model.steps[i]):
            motion = model.motion[i, step]
            axis = vector(model.axis[i, step])
            if motion == 0:
                Q = turn_matrix(axis, q[at_q])
                w, vel, dw, dv = turn(w, vel, dw, dv, Q, scale(v[at_v], axis), none)
                R = compose(R, Q)
                turned_subspace(S, k, Q)
                unit_motion(S, k, axis, none, zero)
                at_q += 1
                at_v += 1
                k += 1
            elif motion == 1:
                r = scale(q[at_q], axis)
                p = add(p, rotate(R, r))
                vel, dv = shift(w, vel, dw, dv, r, scale(v[at_v], axis), none)
                shifted_subspace(S, k, r)
                unit_motion(S, k, none, axis, zero)
                at_q += 1
                at_v += 1
                k += 1
            else:
                Q = quaternion_matrix(q[at_q], q[at_q + 1], q[at_q + 2], q[at_q + 3])
                spin = (v[at_v], v[at_v + 1], v[at_v + 2])
                if motion == 3:
                    r = (q[at_q + 4], q[at_q + 5], q[at_q + 6])
                    glide = (v[at_v + 3], v[at_v + 4], v[at_v + 5])
                    p = add(p, rotate(R, r))
                    vel, dv = shift(w, vel, dw, dv, r, rotate(Q, glide), rotate(Q, cross(spin, glide)))
                w, vel, dw, dv = turn(w, vel, dw, dv, Q, spin, none)
                R = compose(R, Q)
                for row in range(6):
                    for column in range(6):
                        S[row, column] = zero
                    S[row, row] = zero + 1.0

        store_matrix(work.rotation[i], R)
        store_vector(work.position[i], p)
        store_vector(work.omega[i], w)
        store_vector(work.velocity[i], vel)
        store_vector(work.drift[i, 0:3], dw)
        store_vector(work.drift[i, 3:6], dv)
        if model.nodes[up] > 0:
            carry_arm(work.reach[i], m, subtract(p, section))
        elif m > 0:
            carry_modes(model, work, i, m, a, tangent, section)
        carry_twist(work.reach[i], m, p)
        if model.nodes[i] > 0:
            bend_link(model, work, i, q, v)


@inline
def carry_modes(model, work, i, m, a, tangent, section):
    """Columns of `reach` for the parent's modes: motion of the child's origin per modal velocity, parent axes."""
    reach = work.reach[i]
    phi = model.section_phi[i]
    psi = model.section_psi[i]
    second_order = model.second_order[model.parent[i]] == 1
    z = dot(a, a)
    s = 0.5 + z / 24.0
    g = scale(s, a)
    f = 2.0 / (1.0 + dot(g, g))
    arm = subtract(vector(work.position[i]), section)
    for j in range(m):
        slope = psi[1, j] * a[1] + psi[2, j] * a[2]
        gj = (
            work.zero,
            s * psi[1, j] + slope / 12.0 * a[1],
            s * psi[2, j] + slope / 12.0 * a[2],
        )
        along = phi[0, j] + work.zero
        about = psi[0, j] + work.zero
        if second_order:
            along -= work.section_modes[0, j]
            about += work.section_modes[1, j]
        angular = add(scale(f, add(gj, cross(g, gj))), scale(about, tangent))
        linear = add((along, phi[1, j], phi[2, j]), cross(angular, arm))
        for k in range(3):
            reach[k, j] = angular[k]
            reach[3 + k, j] = linear[k]


@inline
def carry_twist(reach, m, p):
    """Columns of `reach` for the parent's twist: v + omega x p (the unit blocks never change)."""
    reach[3, m + 1] = p[2]
    reach[3, m + 2] = -p[1]
    reach[4, m] = -p[2]
    reach[4, m + 2] = p[0]
    reach[5, m] = p[1]
    reach[5, m + 1] = -p[0]
