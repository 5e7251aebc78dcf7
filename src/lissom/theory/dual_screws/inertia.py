"""Inertia and bias forces of one link, rigid or elastic, from its inertia invariants."""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import add, cross, rotate, rotate_back, scale, store_vector, subtract, vector
from lissom.theory.dual_screws.sections import bilinear, weighted


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
def link_inertia(model, i, q, v, w, printed, turning, D, bias, c, pulls, moments):
    """Inertia D (m + 6, m + 6) of body i in (modal, angular, linear) accelerations, and its bias (m + 6,).

    Integrals over the link of the paper's section inertias (102), (107), done once: with c_ab,j = int s_a d_j s_b,
    a = x, y, z, 1, every entry follows from constants of the link, whatever it is made of. Foreshortening by
    sigma_p = 1/2 eta A_p eta acts as P more extensions with the speeds (A_p eta) . etadot. What `turning` (n, 12 m)
    holds of the couplings leaves second moments as they are (see `printed_inertia`).

    Scratch: c (m + P, 12), pulls (m,) and moments (2, 12).
    """
    zero = w[0] * 0.0
    m = model.tree.modes[i]
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    for row in range(m + 6):
        bias[row] = zero
        for column in range(m + 6):
            D[row, column] = zero
    gain = moments[0]  # what the deformation adds to first and second moments, halved where it is symmetric
    flow = moments[1]  # rates of the moments
    for ab in range(12):
        gain[ab] = zero
        flow[ab] = zero
    first = model.foreshortening.start[i]
    P = 0 if printed else model.foreshortening.start[i + 1] - first
    # couplings c_ab,j at the present deformation, (107)
    for j in range(m):
        base = 12 * j
        for ab in range(12):
            value = zero + model.inertia.coupling[i, base + ab]
            for k in range(m):
                value += q[eta + k] * model.inertia.coupling_eta[i, k, base + ab]
            c[j, ab] = value
    # foreshortening: couplings and moments of sigma_p, an extension slaved to the bending
    for x in range(P):
        p = first + x
        sigma = 0.5 * bilinear(model.foreshortening.form[p], q, eta, q, eta, m, zero)
        mean = weighted(model.foreshortening.phi[p], q, eta, m, zero)
        for ab in range(12):
            c[m + x, ab] = zero
        c[m + x, 0] = -(model.foreshortening.s0[p, 0] + mean[0] - sigma)
        c[m + x, 3] = -(model.foreshortening.s0[p, 1] + mean[1])
        c[m + x, 6] = -(model.foreshortening.s0[p, 2] + mean[2])
        c[m + x, 9] = zero - model.foreshortening.weight[p]
        for j in range(m):
            for b in range(3):
                c[j, b] -= sigma * model.foreshortening.phi[p, b, j]
        speed = bilinear(model.foreshortening.form[p], q, eta, v, rate, m, zero)
        for a in range(4):
            start = -(model.foreshortening.s0[p, a] if a < 3 else model.foreshortening.weight[p])
            gain[3 * a] += 0.5 * sigma * (start + c[m + x, 3 * a])
            flow[3 * a] += speed * c[m + x, 3 * a]
    for j in range(m):
        half = 0.5 * q[eta + j]
        speed = v[rate + j]
        for ab in range(12):
            gain[ab] += half * (model.inertia.coupling[i, 12 * j + ab] + c[j, ab] - 2.0 * turning[i, 12 * j + ab])
            flow[ab] += speed * c[j, ab]

    # the rigid block: first and second moments of the deformed link
    G0 = model.inertia.second_moment[i]
    mc = add(vector(model.inertia.moment[i]), (gain[9], gain[10], gain[11]))
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
        D[m + 3 + a, m + 3 + a] = zero + model.inertia.mass[i]
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
    # modal rows: couplings, modal mass, gyroscopic and elastic forces; then what sigma_p passes on to them
    if m == 0:
        return

    for j in range(m):
        add_mode(D, bias, j, m, 1.0 + zero, c[j], centrifugal(w, c[j], 0))
        for k in range(m):
            D[j, k] += model.inertia.modal_mass[i, j, k]
            spin = 2.0 * v[rate + k]
            for a in range(3):
                bias[j] += spin * w[a] * model.inertia.gyroscopic[i, a, k, j]
            bias[j] += model.strain.stiffness[i, j, k] * q[eta + k] + model.strain.damping[i, j, k] * v[rate + k]
    for x in range(P):
        slave(model, i, m, first + x, q, v, w, D, bias, c[m + x], pulls)
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
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    form = model.foreshortening.form[p]
    phi = model.foreshortening.phi[p]
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
    """Add forces of the strain energy's cubic terms, and of their damping."""
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    for term in range(model.strain.cubic_start[i], model.strain.cubic_start[i + 1]):
        for turn in range(3):
            a = model.strain.cubic_modes[term, turn]
            b = model.strain.cubic_modes[term, (turn + 1) % 3]
            c = model.strain.cubic_modes[term, (turn + 2) % 3]
            stretch = q[eta + b] * q[eta + c]
            speed = v[rate + b] * q[eta + c] + q[eta + b] * v[rate + c]
            force[a] += model.strain.cubic[term] * stretch + model.strain.cubic_damping[term] * speed
