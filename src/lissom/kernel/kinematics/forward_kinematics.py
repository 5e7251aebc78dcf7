"""Outward pass: frames, velocities, joint subspaces and drift accelerations of all bodies.

A child's frame is reached from its parent's by elementary steps: to the deformed section it sits on (shift, bend,
twist), to the joint's frame (constant), through the joint's motions. Every step updates the running frame: rotation `R`
and position `p` in the parent's frame; angular velocity `w`, velocity `v`, drift accelerations `dw`, `dv` in its own
axes. Accelerations are those of the frame's origin as seen from the world (classical, not spatial), so that the linear
velocity enters no force.
"""

from __future__ import annotations

from numpy import cos, sin

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import POWERS, ROW_WIDTH, JointMotion
from lissom.kernel.links.chord_terms import chord_node_terms, chord_shortening
from lissom.kernel.links.exact_link import bend_link, exact_section
from lissom.kernel.maths.algebra import (
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
from lissom.kernel.maths.row_sums import section_sums
from lissom.kernel.maths.simd_rows import add_scaled, set_lanes


@inline
def translate_motion(w, v, dw, dv, r, rate, rate_drift):
    """Return v + w x r + r' and its drift after a translation by `r` that changes at `rate`, itself at `rate_drift`.

    The drift is dv + dw x r + w x (w x r + 2 r') + r''.
    """
    w_cross_r = cross(w, r)
    v = add(v, add(w_cross_r, rate))
    dv = add(dv, add(cross(dw, r), add(cross(w, add(w_cross_r, scale(2.0, rate))), rate_drift)))
    return v, dv


@inline
def rotate_motion(w, v, dw, dv, Q, rate, rate_drift):
    """Return velocity and drift in axes turned by Q that turn on at the relative rate `rate`, in the new axes."""
    w = rotate_back(Q, w)
    dw = add(rotate_back(Q, dw), add(cross(w, rate), rate_drift))
    return add(w, rate), rotate_back(Q, v), dw, rotate_back(Q, dv)


@inline
def rotate_about_x(a, c, s):
    """Return the vector a in axes that are turned about x, by an angle with cosine c and sine s."""
    return (a[0], c * a[1] + s * a[2], c * a[2] - s * a[1])


@inline
def rotate_motion_about_x(w, v, dw, dv, c, s, rate, rate_drift):
    """Return what `rotate_motion` does for a turn about x, at `rate` which itself changes at `rate_drift`."""
    w = rotate_about_x(w, c, s)
    dw = rotate_about_x(dw, c, s)
    dw = (dw[0] + rate_drift, dw[1] + w[2] * rate, dw[2] - w[1] * rate)
    return (w[0] + rate, w[1], w[2]), rotate_about_x(v, c, s), dw, rotate_about_x(dv, c, s)


@inline
def quadratic_sums(B, eta, rate, eta_start, rate_start, count, out, zero):
    """Set out = B eta and return eta B eta, eta B rate, rate B rate for a symmetric B."""
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
def cubic_of_slopes(model, i):
    """Return the factor of |a|^2 in the Gibbs vector a (1/2 + factor |a|^2) of the slopes `a` of link i.

    Slopes are angles, whose half has this tangent; on links with terms of fourth order they are sines.
    """
    return 1.0 / 8.0 if model.bow.start[i + 1] > model.bow.start[i] else 1.0 / 24.0


@inline
def bend(a, da, cubic):
    """Return the Gibbs vector of the bending by slopes a = (0, -w', v'), its rate and its drift at zero dda.

    It turns the x-axis along the tangent to third order of the slopes. cubic: see `cubic_of_slopes`.
    """
    z = dot(a, a)
    dz = 2.0 * dot(a, da)
    s = 0.5 + cubic * z
    g = scale(s, a)
    dg = add(scale(s, da), scale(cubic * dz, a))
    ddg = add(scale(2.0 * cubic * dz, da), scale(2.0 * cubic * dot(da, da), a))
    return g, dg, ddg


@inline
def bend_slopes(a, cubic):
    """Return the Gibbs vector of `bend` and its derivatives by the slopes about y and z."""
    s = 0.5 + cubic * dot(a, a)
    twice = 2.0 * cubic
    mixed = twice * a[1] * a[2]
    return scale(s, a), (a[0], s + twice * a[1] * a[1], mixed), (a[0], mixed, s + twice * a[2] * a[2])


@inline
def gibbs_rate(g, dg, ddg):
    """Return angular velocity and its drift, in the turned axes, of a rotation with Gibbs vector `g`."""
    f = 2.0 / (1.0 + dot(g, g))
    rate = scale(f, subtract(dg, cross(g, dg)))
    drift = subtract(scale(f, subtract(ddg, cross(g, ddg))), scale(f * dot(g, dg), rate))
    return rate, drift


@inline
def rotate_subspace(S, columns, Q):
    """Write the joint motions found so far in axes turned by `Q`."""
    for k in range(columns):
        store_vector(S[k, 0:3], rotate_back(Q, vector(S[k, 0:3])))
        store_vector(S[k, 3:6], rotate_back(Q, vector(S[k, 3:6])))


@inline
def translate_subspace(S, columns, r):
    """Write the joint motions found so far at a point shifted by `r`."""
    for k in range(columns):
        moved = add(vector(S[k, 3:6]), cross(vector(S[k, 0:3]), r))
        store_vector(S[k, 3:6], moved)


@inline
def unit_motion(S, k, angular, linear, zero):
    """Set row k of the subspace to the constant motion (angular, linear)."""
    for j in range(3):
        S[k, j] = zero + angular[j]
        S[k, 3 + j] = zero + linear[j]


@kernel
def forward_kinematics(model, work, q, v):
    """Fill rotation, position, omega, velocity, velocity product, subspace and reach of every body."""
    outward_pass(model, work, q, v, True)


@kernel
def body_places(model, work, q, v):
    """Fill rotation, position, subspace and reach of every body; `v` only has to be finite."""
    outward_pass(model, work, q, v, False)


@inline
def outward_pass(model, work, q, v, moving):
    """Fill what the outward pass finds, velocities and drifts if `moving`: what nobody keeps is not computed.

    R, p: the running frame in the parent's; w, vel, dw, dv: its velocities and drifts in its own axes.
    """
    zero = work.zero
    none = (zero, zero, zero)
    chord_node_terms(model, work, q, v)
    for i in range(1, model.tree.parent.shape[0]):
        up = model.tree.parent[i]
        m = model.tree.modes[up]
        # begin at the parent's frame; drifts count from the parent's acceleration
        w = vector(work.omega[up])
        vel = vector(work.velocity[up])
        dw = none
        dv = none
        R = identity(zero)
        p = add(vector(model.sections.position[i]), none)

        # step 1: to the section of a bent parent, by the exact field
        if model.tree.nodes[up] > 0:
            exact_section(model, work, i, q, v)
            place = work.section
            R = matrix(place[0:3])
            p = vector(place[3])
            vel, dv = translate_motion(w, vel, dw, dv, p, vector(place[4]), vector(place[5]))
            w, vel, dw, dv = rotate_motion(w, vel, dw, dv, R, vector(place[6]), vector(place[7]))
        elif m > 0:
            # step 1 by the field of second order: shift u = Phi eta less the foreshortening,
            # then bend by the slopes, then twist
            eta = model.tree.modes_q[up]
            rate = model.tree.modes_v[up]
            u = section_sums(model.sections.phi[i], q, eta, m, zero)
            du = section_sums(model.sections.phi[i], v, rate, m, zero)
            th = section_sums(model.sections.psi[i], q, eta, m, zero)
            dth = section_sums(model.sections.psi[i], v, rate, m, zero)
            short = (zero, zero, zero)
            twist = (zero, zero, zero)
            if model.tree.second_order[up] == 1:
                short = quadratic_sums(model.sections.shortening[i], q, v, eta, rate, m, work.section_modes[0], zero)
                more = chord_shortening(model, work, up, model.sections.bow[i], work.section_modes[0], zero)
                short = (short[0] + 2.0 * more[0], short[1] + more[1], short[2] + more[2])
                twist = quadratic_sums(model.sections.twist[i], q, v, eta, rate, m, work.section_modes[1], zero)
            p = add(p, (u[0] - 0.5 * short[0], u[1], u[2]))
            vel, dv = translate_motion(
                w, vel, dw, dv, p, (du[0] - short[1], du[1], du[2]), (zero - short[2], zero, zero)
            )
            # bending about y and z, as a Gibbs vector
            a = (zero, th[1], th[2])
            g, dg, ddg = bend(a, (zero, dth[1], dth[2]), cubic_of_slopes(model, up))
            bend_rate, bend_drift = gibbs_rate(g, dg, ddg)
            R = gibbs_matrix(g)
            w, vel, dw, dv = rotate_motion(w, vel, dw, dv, R, bend_rate, bend_drift)
            modal_motion_of_section(model, work, i, m, a, (R[0][0], R[1][0], R[2][0]))
            # twist about the bent axis
            angle = th[0] + 0.5 * twist[0]
            c = cos(angle)
            s = sin(angle)
            w, vel, dw, dv = rotate_motion_about_x(w, vel, dw, dv, c, s, dth[0] + twist[1], twist[2])
            R = (rotate_about_x(R[0], c, s), rotate_about_x(R[1], c, s), rotate_about_x(R[2], c, s))
        else:
            vel, dv = translate_motion(w, vel, dw, dv, p, none, none)
        section = p

        # step 2: to the joint's frame, constant on the section
        if model.joints.has_origin[i] == 1:
            r = add(vector(model.joints.origin_position[i]), none)
            p = add(p, rotate(R, r))
            vel, dv = translate_motion(w, vel, dw, dv, r, none, none)
            R0 = matrix(model.joints.origin_rotation[i])
            w, vel, dw, dv = rotate_motion(w, vel, dw, dv, R0, none, none)
            R = compose(R, R0)

        # step 3: through the joint's motions; S collects each one, seen from the frame that follows it
        S = work.subspace[i]
        k = 0
        at_q = model.tree.joint_q[i]
        at_v = model.tree.joint_v[i]
        for step in range(model.joints.steps[i]):
            motion = model.joints.motion[i, step]
            if motion != JointMotion.BALL and motion != JointMotion.FLOAT:
                screw = model.joints.screw[i, step]
                angular = vector(screw[0:3])
                linear = vector(screw[3:6])
                if motion != JointMotion.SLIDE:
                    Q = turn_matrix(angular, q[at_q])
                    w, vel, dw, dv = rotate_motion(w, vel, dw, dv, Q, scale(v[at_v], angular), none)
                    R = compose(R, Q)
                    rotate_subspace(S, k, Q)
                if motion == JointMotion.GUIDED:  # r(q) in axes that have turned: rate r' q', drift r'' q'^2
                    r, dr, ddr = point_on_path(model.joints.path[i], q[at_q], zero)
                    p = add(p, rotate(R, r))
                    drift = scale(v[at_v] * v[at_v], ddr)
                    vel, dv = translate_motion(w, vel, dw, dv, r, scale(v[at_v], dr), drift)
                    translate_subspace(S, k, r)
                    unit_motion(S, k, angular, add(cross(angular, r), dr), zero)
                else:
                    if motion != JointMotion.TURN:
                        r = scale(q[at_q], linear)
                        p = add(p, rotate(R, r))
                        vel, dv = translate_motion(w, vel, dw, dv, r, scale(v[at_v], linear), none)
                        translate_subspace(S, k, r)
                    unit_motion(S, k, angular, linear, zero)
                at_q += 1
                at_v += 1
                k += 1
            else:
                # a quaternion, its angular velocity in the new axes; a floating body moves along these
                Q = quaternion_matrix(q[at_q], q[at_q + 1], q[at_q + 2], q[at_q + 3])
                spin = (v[at_v], v[at_v + 1], v[at_v + 2])
                if motion == JointMotion.FLOAT:
                    r = (q[at_q + 4], q[at_q + 5], q[at_q + 6])
                    v_body = (v[at_v + 3], v[at_v + 4], v[at_v + 5])
                    p = add(p, rotate(R, r))
                    vel, dv = translate_motion(w, vel, dw, dv, r, rotate(Q, v_body), rotate(Q, cross(spin, v_body)))
                w, vel, dw, dv = rotate_motion(w, vel, dw, dv, Q, spin, none)
                R = compose(R, Q)
                for row in range(6):
                    for column in range(6):
                        S[row, column] = zero
                    S[row, row] = zero + 1.0

        # keep the frame; reach moves on from the section to the joint's place
        store_matrix(work.rotation[i], R)
        store_vector(work.position[i], p)
        if moving:
            store_vector(work.omega[i], w)
            store_vector(work.velocity[i], vel)
            store_vector(work.velocity_product[i, 0:3], dw)
            store_vector(work.velocity_product[i, 3:6], dv)
        shift_reach(work.reach[i], m, subtract(p, section))
        if model.tree.nodes[i] > 0:
            bend_link(model, work, i, q, v)


@inline
def point_on_path(path, q, zero):
    """Return r = sum_j path[j] q^(j+1) and its derivatives r' and r'' by q, by Horner's scheme."""
    r = (zero, zero, zero)
    dr = (zero, zero, zero)
    ddr = (zero, zero, zero)
    for k in range(POWERS):
        ddr = add(scale(q, ddr), scale(2.0, dr))
        dr = add(scale(q, dr), r)
        r = add(scale(q, r), vector(path[POWERS - 1 - k]))
    # one power of q is missing: r(q) = q sum_j path[j] q^j
    return scale(q, r), add(scale(q, dr), r), add(scale(q, ddr), scale(2.0, dr))


@inline
def modal_motion_of_section(model, work, i, m, a, tangent):
    """Set the rows of `reach`: motion of the section that carries body i per modal velocity of its parent, parent axes.

    a: slopes of the section; tangent: its x-axis.
    """
    reach = work.reach[i]
    phi = model.sections.phi[i]
    psi = model.sections.psi[i]
    along = work.section_modes[0]
    about = work.section_modes[1]
    one = work.zero + 1.0
    g, by_y, by_z = bend_slopes(a, cubic_of_slopes(model, model.tree.parent[i]))
    f = 2.0 / (1.0 + dot(g, g))
    # angular velocity per slope, from the derivative of the Gibbs vector
    by_y = scale(f, add(by_y, cross(g, by_y)))
    by_z = scale(f, add(by_z, cross(g, by_z)))
    second_order = model.tree.second_order[model.tree.parent[i]] == 1
    # along: Phi_x - B eta; about: Psi_x + C eta, terms of second order
    for j in range(0, m, ROW_WIDTH):
        if second_order:
            set_lanes(along, j, (one, -one), (phi[0], along))
            set_lanes(about, j, (one, one), (psi[0], about))
        else:
            set_lanes(along, j, (one,), (phi[0],))
            set_lanes(about, j, (one,), (psi[0],))
        for k in range(3):
            set_lanes(reach[k], j, (tangent[k], by_y[k], by_z[k]), (about, psi[1], psi[2]))
        set_lanes(reach[3], j, (one,), (along,))
        set_lanes(reach[4], j, (one,), (phi[1],))
        set_lanes(reach[5], j, (one,), (phi[2],))


@inline
def shift_reach(reach, m, arm):
    """Move rows of motion from the section to a point at `arm` from it: v + omega x arm."""
    add_scaled(reach[3], 0, m, (arm[2], -arm[1]), (reach[1], reach[2]))
    add_scaled(reach[4], 0, m, (arm[0], -arm[2]), (reach[2], reach[0]))
    add_scaled(reach[5], 0, m, (arm[1], -arm[0]), (reach[0], reach[1]))


@kernel
def world_frames(model, work):
    """Compute the frames of all bodies in the world, after the outward pass."""
    for i in range(1, model.tree.parent.shape[0]):
        up = model.tree.parent[i]
        R = matrix(work.world_rotation[up])
        store_matrix(work.world_rotation[i], compose(R, matrix(work.rotation[i])))
        p = add(vector(work.world_position[up]), rotate(R, vector(work.position[i])))
        store_vector(work.world_position[i], p)
