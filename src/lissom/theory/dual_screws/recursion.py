"""Kane's equations of a tree of rigid and elastic links, by projection matrices, compiled.

The motion of every link frame is a linear map of the speeds, t_i = P_i u; its columns are the screws of the joints and
of the elastic motion between the world and link i, referred to its origin in its own axes, (91)-(95). Inertia and
applied wrenches of the links, projected on the same columns, are the equations of motion, (109)-(112):

    sum_i P_i^T (D_i (P_i du/dt + dP_i/dt u) + b_i) = tau

The source runs on two kinds of numbers. On real ones it is the nonlinear model. On dual numbers, where elastic
coordinates and speeds are dual, every product drops its terms of second order, and it is the linear model. The dual
unit is stood in for by eps = 2^-70 i: eps^2 is lost in rounding, as in a derivative by the complex step.

Accelerations are those of the link's origin as seen from the world, so that its velocity enters no force.
"""

from __future__ import annotations

from numpy import cos, sin

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
from lissom.kernel.jit import inline, kernel

EPS = 2.0**-70  # size of the dual unit
LINEAR, PRINTED, NONLINEAR = 0, 1, 2  # PRINTED: elastic screws as the paper has them, see `section_screws`


@inline
def weighted(A, x, start, count, zero):
    """sum_j A[k, j] x[start + j] for k = 0, 1, 2."""
    s = (zero, zero, zero)
    for j in range(count):
        e = x[start + j]
        s = (s[0] + A[0, j] * e, s[1] + A[1, j] * e, s[2] + A[2, j] * e)
    return s


@inline
def bilinear(B, x, x_start, y, y_start, count, zero):
    """x^T B y."""
    total = zero
    for j in range(count):
        row = zero
        for k in range(count):
            row += B[j, k] * y[y_start + k]
        total += row * x[x_start + j]
    return total


@kernel
def section_screws(model, i, q, form, S, zero):
    """Screws S (6, m) of the section that carries body i, per mode of its parent, at the section in the parent's axes.

    Returns the section's position, rotation, slopes a = (0, -w', v') and tangent. To first order a screw is
    (psi_j, phi_j), as (68), (71) have it. What a deflection adds to it, the turn of the screw's axis and the
    foreshortening, does first-order work on loads of order zero; the paper leaves it out.
    """
    up = model.parent[i]
    m = model.modes[up]
    eta = model.modes_q[up]
    phi = model.section_phi[i]
    psi = model.section_psi[i]
    u = weighted(phi, q, eta, m, zero)
    th = weighted(psi, q, eta, m, zero)
    a = (zero, th[1], th[2])
    slope = 0.5 + dot(a, a) / 24.0
    g = scale(slope, a)
    f = 2.0 / (1.0 + dot(g, g))
    bend = gibbs_matrix(g)
    tangent = (bend[0][0], bend[1][0], bend[2][0])
    short = zero
    twist = zero
    curved = model.second_order[up] == 1 and form != PRINTED
    for j in range(m):
        along = phi[0, j] + zero
        about = psi[0, j] + zero
        if curved:
            for k in range(m):
                along -= model.section_shortening[i, j, k] * q[eta + k]
                about += model.section_twist[i, j, k] * q[eta + k]
            short += 0.5 * (phi[0, j] - along) * q[eta + j]
            twist += 0.5 * (about - psi[0, j]) * q[eta + j]
        if form == PRINTED:
            angular = (about, psi[1, j] + zero, psi[2, j] + zero)
        else:
            lift = (psi[1, j] * a[1] + psi[2, j] * a[2]) / 12.0
            gj = (zero, slope * psi[1, j] + lift * a[1], slope * psi[2, j] + lift * a[2])
            angular = add(scale(f, add(gj, cross(g, gj))), scale(about, tangent))
        store_vector(S[0:3, j], angular)
        store_vector(S[3:6, j], (along, phi[1, j] + zero, phi[2, j] + zero))
    angle = th[0] + twist
    c = cos(angle)
    s = sin(angle)
    one = zero + 1.0
    roll = ((one, zero, zero), (zero, c, -s), (zero, s, c))
    p = add(vector(model.section_position[i]), (u[0] - short, u[1], u[2]))
    return p, compose(bend, roll), a, tangent


@inline
def section_drift(model, i, q, v, a, tangent, zero):
    """Angular and linear acceleration of the section at zero modal acceleration, seen from the parent: second order."""
    up = model.parent[i]
    m = model.modes[up]
    rate = model.modes_v[up]
    th = weighted(model.section_psi[i], v, rate, m, zero)
    da = (zero, th[1], th[2])
    slope = 0.5 + dot(a, a) / 24.0
    slope_rate = dot(a, da) / 12.0
    g = scale(slope, a)
    dg = add(scale(slope, da), scale(slope_rate, a))
    ddg = add(scale(2.0 * slope_rate, da), scale(dot(da, da) / 12.0, a))
    f = 2.0 / (1.0 + dot(g, g))
    bend_rate = scale(f, add(dg, cross(g, dg)))
    turn = subtract(scale(f, add(ddg, cross(g, ddg))), scale(f * dot(g, dg), bend_rate))
    roll_rate = th[0]
    roll_drift = zero
    short = zero
    if model.second_order[up] == 1:
        eta = model.modes_q[up]
        short = bilinear(model.section_shortening[i], v, rate, v, rate, m, zero)
        roll_drift = bilinear(model.section_twist[i], v, rate, v, rate, m, zero)
        roll_rate += bilinear(model.section_twist[i], v, rate, q, eta, m, zero)
    turn = add(turn, add(scale(roll_rate, cross(bend_rate, tangent)), scale(roll_drift, tangent)))
    return turn, (-short, zero, zero)


@inline
def shifted(w, dw, dv, r, rate, drift):
    """Acceleration after a shift by r that changes at `rate`, itself at `drift`."""
    return add(dv, add(cross(dw, r), add(cross(w, add(cross(w, r), scale(2.0, rate))), drift)))


@inline
def turned(w, dw, dv, Q, rate):
    """Angular velocity and accelerations in axes turned by Q, which spin at `rate` about a fixed axis of theirs."""
    w = rotate_back(Q, w)
    dw = add(rotate_back(Q, dw), cross(w, rate))
    return add(w, rate), dw, rotate_back(Q, dv)


@kernel
def project(model, q, v, form, R, p, omega, gamma, P, S):
    """Pose (R, p) of every body in its parent, its angular velocity omega, P_i, and gamma_i = dP_i/dt u - gravity.

    Shapes (n, 3, 3), (n, 3), (n, 3), (n, 6, nv), (n, 6); S (6, m) is scratch. P and gamma start from zero.
    """
    zero = omega[0, 0] * 0.0
    none = (zero, zero, zero)
    for k in range(3):
        gamma[0, 3 + k] = -model.gravity[k]
    for i in range(1, model.parent.shape[0]):
        up = model.parent[i]
        m = model.modes[up]
        modes = model.modes_v[up]
        w = vector(omega[up])
        dw = vector(gamma[up, 0:3])
        dv = vector(gamma[up, 3:6])
        at = add(vector(model.section_position[i]), none)
        Q = identity(zero)
        if m > 0:
            at, Q, a, tangent = section_screws(model, i, q, form, S, zero)
            spin = weighted(S[0:3], v, modes, m, zero)
            rate = weighted(S[3:6], v, modes, m, zero)
            turn_drift = none
            drift = none
            if form == NONLINEAR:
                turn_drift, drift = section_drift(model, i, q, v, a, tangent, zero)
            dv = rotate_back(Q, shifted(w, dw, dv, at, rate, drift))
            dw = rotate_back(Q, add(dw, add(cross(w, spin), turn_drift)))
            w = rotate_back(Q, add(w, spin))
        else:
            dv = shifted(w, dw, dv, at, none, none)
        here = at

        if model.has_origin[i] == 1:
            r = add(vector(model.origin_position[i]), none)
            here = add(here, rotate(Q, r))
            dv = shifted(w, dw, dv, r, none, none)
            Q0 = matrix(model.origin_rotation[i])
            w, dw, dv = turned(w, dw, dv, Q0, none)
            Q = compose(Q, Q0)

        # the joint: its coordinates are of order zero
        k = 0
        first = model.joint_v[i]
        at_q = model.joint_q[i]
        screw = P[i, :, first : first + model.dofs[i]]
        for step in range(model.steps[i]):
            motion = model.motion[i, step]
            axis = add(vector(model.axis[i, step]), none)
            if motion == 0:
                turn = turn_matrix(vector(model.axis[i, step]), q[at_q].real)
                w, dw, dv = turned(w, dw, dv, turn, scale(v[first + k], axis))
                Q = compose(Q, turn)
                for j in range(k):
                    store_vector(screw[0:3, j], rotate_back(turn, vector(screw[0:3, j])))
                    store_vector(screw[3:6, j], rotate_back(turn, vector(screw[3:6, j])))
                store_vector(screw[0:3, k], axis)
                at_q += 1
                k += 1
            elif motion == 1:
                r = scale(q[at_q], axis)
                here = add(here, rotate(Q, r))
                dv = shifted(w, dw, dv, r, scale(v[first + k], axis), none)
                for j in range(k):
                    store_vector(screw[3:6, j], add(vector(screw[3:6, j]), cross(vector(screw[0:3, j]), r)))
                store_vector(screw[3:6, k], axis)
                at_q += 1
                k += 1
            else:
                turn = quaternion_matrix(q[at_q].real, q[at_q + 1].real, q[at_q + 2].real, q[at_q + 3].real)
                spin = (v[first], v[first + 1], v[first + 2])
                if motion == 3:
                    r = (q[at_q + 4], q[at_q + 5], q[at_q + 6])
                    glide = (v[first + 3], v[first + 4], v[first + 5])
                    here = add(here, rotate(Q, r))
                    dv = shifted(w, dw, dv, r, rotate(turn, glide), rotate(turn, cross(spin, glide)))
                w, dw, dv = turned(w, dw, dv, turn, spin)
                Q = compose(Q, turn)
                for j in range(model.dofs[i]):
                    screw[j, j] = zero + 1.0

        # the screws of everything before the joint, carried to this frame
        for column in range(modes + m):
            if modes <= column < modes + m:
                angular = vector(S[0:3, column - modes])
                linear = add(vector(S[3:6, column - modes]), cross(angular, subtract(here, at)))
            else:
                angular = vector(P[up, 0:3, column])
                linear = add(vector(P[up, 3:6, column]), cross(angular, here))
            store_vector(P[i, 0:3, column], rotate_back(Q, angular))
            store_vector(P[i, 3:6, column], rotate_back(Q, linear))
        store_matrix(R[i], Q)
        store_vector(p[i], here)
        store_vector(omega[i], w)
        store_vector(gamma[i, 0:3], dw)
        store_vector(gamma[i, 3:6], dv)


@inline
def centrifugal(w, c, at):
    """-(omega^2 1 - omega omega^T) : c_j of the couplings c[at], ..., c[at + 8]."""
    return (
        -(w[1] * w[1] + w[2] * w[2]) * c[at]
        - (w[0] * w[0] + w[2] * w[2]) * c[at + 4]
        - (w[0] * w[0] + w[1] * w[1]) * c[at + 8]
        + w[0] * w[1] * (c[at + 1] + c[at + 3])
        + w[0] * w[2] * (c[at + 2] + c[at + 6])
        + w[1] * w[2] * (c[at + 5] + c[at + 7])
    )


@kernel
def link_inertia(model, i, q, v, w, form, D, bias, c, pulls, moments):
    """Inertia D (m + 6, m + 6) of body i in (modal, angular, linear) accelerations, and its bias (m + 6,).

    Integrals over the link of the paper's section inertias (102), (107), done once: with c_ab,j = int s_a d_j s_b,
    a = x, y, z, 1, every entry follows from constants of the link, whatever it is made of. Foreshortening by
    sigma_p = 1/2 eta A_p eta acts as P more extensions with the speeds (A_p eta) . etadot.

    Scratch: c (m + P, 12), pulls (m,) and moments (2, 12).
    """
    zero = w[0] * 0.0
    m = model.modes[i]
    eta = model.modes_q[i]
    rate = model.modes_v[i]
    for row in range(m + 6):
        bias[row] = zero
        for column in range(m + 6):
            D[row, column] = zero
    gain = moments[0]  # what the deformation adds to first and second moments, halved where it is symmetric
    flow = moments[1]  # rates of the moments
    for ab in range(12):
        gain[ab] = zero
        flow[ab] = zero
    first = model.short_start[i]
    P = 0 if form == PRINTED else model.short_start[i + 1] - first
    for j in range(m):
        base = 12 * j
        for ab in range(12):
            value = zero + model.coupling[i, base + ab]
            for k in range(m):
                value += q[eta + k] * model.coupling_eta[i, k, base + ab]
            c[j, ab] = value
    for x in range(P):
        p = first + x
        sigma = 0.5 * bilinear(model.short_form[p], q, eta, q, eta, m, zero)
        mean = weighted(model.short_phi[p], q, eta, m, zero)
        for ab in range(12):
            c[m + x, ab] = zero
        c[m + x, 0] = -(model.short_s0[p, 0] + mean[0] - sigma)
        c[m + x, 3] = -(model.short_s0[p, 1] + mean[1])
        c[m + x, 6] = -(model.short_s0[p, 2] + mean[2])
        c[m + x, 9] = zero - model.short_weight[p]
        for j in range(m):
            for b in range(3):
                c[j, b] -= sigma * model.short_phi[p, b, j]
        speed = bilinear(model.short_form[p], q, eta, v, rate, m, zero)
        for a in range(4):
            start = -(model.short_s0[p, a] if a < 3 else model.short_weight[p])
            gain[3 * a] += 0.5 * sigma * (start + c[m + x, 3 * a])
            flow[3 * a] += speed * c[m + x, 3 * a]
    for j in range(m):
        half = 0.5 * q[eta + j]
        speed = v[rate + j]
        for ab in range(12):
            gain[ab] += half * (model.coupling[i, 12 * j + ab] + c[j, ab])
            flow[ab] += speed * c[j, ab]

    G0 = model.second_moment[i]
    mc = add(vector(model.moment[i]), (gain[9], gain[10], gain[11]))
    xx = G0[0, 0] + 2.0 * gain[0]
    yy = G0[1, 1] + 2.0 * gain[4]
    zz = G0[2, 2] + 2.0 * gain[8]
    xy = G0[0, 1] + gain[1] + gain[3]
    xz = G0[0, 2] + gain[2] + gain[6]
    yz = G0[1, 2] + gain[5] + gain[7]
    J = ((yy + zz, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy))
    for a in range(3):
        for b in range(3):
            D[m + a, m + b] = J[a][b]
        D[m + 3 + a, m + 3 + a] = zero + model.mass[i]
    lever = ((zero, -mc[2], mc[1]), (mc[2], zero, -mc[0]), (-mc[1], mc[0], zero))
    for a in range(3):
        for b in range(3):
            D[m + a, m + 3 + b] = lever[a][b]
            D[m + 3 + b, m + a] = lever[a][b]

    # omega x J omega + 2 (tr F - F^T) omega, and omega x (omega x mc + 2 f), with the rates F, f of the moments
    F = ((flow[0], flow[1], flow[2]), (flow[3], flow[4], flow[5]), (flow[6], flow[7], flow[8]))
    stretch = 2.0 * (flow[0] + flow[4] + flow[8])
    torque = add(cross(w, rotate(J, w)), subtract(scale(stretch, w), scale(2.0, rotate_back(F, w))))
    force = cross(w, add(cross(w, mc), scale(2.0, (flow[9], flow[10], flow[11]))))
    store_vector(bias[m : m + 3], torque)
    store_vector(bias[m + 3 : m + 6], force)
    if m == 0:
        return

    for j in range(m):
        add_mode(D, bias, j, m, 1.0 + zero, c[j], centrifugal(w, c[j], 0))
        for k in range(m):
            D[j, k] += model.modal_mass[i, j, k]
            spin = 2.0 * v[rate + k]
            for a in range(3):
                bias[j] += spin * w[a] * model.gyroscopic[i, a, k, j]
            bias[j] += model.stiffness[i, j, k] * q[eta + k] + model.damping[i, j, k] * v[rate + k]
    for x in range(P):
        slave(model, i, m, first + x, q, v, w, D, bias, c[m + x], pulls)
    if form == NONLINEAR:
        cubic_forces(model, i, q, v, bias)


@inline
def add_mode(D, bias, j, m, weight, c, pull):
    """Couple mode j to the twist by `weight` times the couplings c (12,), and add the centrifugal `pull`."""
    columns = (c[5] - c[7], c[6] - c[2], c[1] - c[3], c[9], c[10], c[11])
    for k in range(6):
        D[j, m + k] += weight * columns[k]
        D[m + k, j] += weight * columns[k]
    bias[j] += weight * pull


@kernel
def slave(model, i, m, p, q, v, w, D, bias, c, pulls):
    """Let extension p follow the bending: its inertia and forces act on the modes through b = A_p eta."""
    zero = w[0] * 0.0
    eta = model.modes_q[i]
    rate = model.modes_v[i]
    form = model.short_form[p]
    phi = model.short_phi[p]
    speed = bilinear(form, q, eta, v, rate, m, zero)
    drift = bilinear(form, v, rate, v, rate, m, zero)
    flow = weighted(phi, v, rate, m, zero)
    pull = centrifugal(w, c, 0) + 2.0 * (w[2] * flow[1] - w[1] * flow[2]) + drift
    columns = (c[5] - c[7], c[6] - c[2], c[1] - c[3], c[9], c[10], c[11])
    for k in range(6):
        bias[m + k] += columns[k] * drift
    for j in range(m):
        b = zero
        for k in range(m):
            b += form[j, k] * q[eta + k]
        pulls[j] = b
    for j in range(m):
        b = pulls[j]
        add_mode(D, bias, j, m, b, c, pull)
        # the others' forces by this extension: its drift, and its Coriolis forces
        bias[j] -= phi[0, j] * drift + 2.0 * speed * (w[2] * phi[1, j] - w[1] * phi[2, j])
        for k in range(m):
            D[j, k] += b * pulls[k] - b * phi[0, k] - phi[0, j] * pulls[k]


@inline
def cubic_forces(model, i, q, v, force):
    """Forces of the strain energy's cubic terms: of second order."""
    eta = model.modes_q[i]
    rate = model.modes_v[i]
    for term in range(model.cubic_start[i], model.cubic_start[i + 1]):
        for turn in range(3):
            a = model.cubic_modes[term, turn]
            b = model.cubic_modes[term, (turn + 1) % 3]
            c = model.cubic_modes[term, (turn + 2) % 3]
            stretch = q[eta + b] * q[eta + c]
            speed = v[rate + b] * q[eta + c] + q[eta + b] * v[rate + c]
            force[a] += model.cubic[term] * stretch + model.cubic_damping[term] * speed
