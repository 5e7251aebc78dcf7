"""A body's own inertia and bias in the coordinates (modal accelerations, angular, linear acceleration).

Kinetic energy T = 1/2 int |v + omega x s + sdot|^2 dm of the field s = s0 + Phi eta, foreshortened where the link asks
for it. With c_ab,j = int s_a d_j s_b (a = x, y, z, and s_a = 1 for the fourth row) all of it follows from constants:

    J        = tr(G) 1 - G,     G = int s s^T
    coupling = omega . eps c,   v . c_1
    bias     : omega x J omega + 2 (tr D - D^T) omega,  D = c etadot;   omega x (omega x mc + 2 c_1 etadot);
               -(omega^2 1 - omega omega^T) : c_j + 2 omega . int Phi_l x Phi_j etadot_l
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.links.chord_terms import chord_forces
from lissom.kernel.links.exact_link import exact_inertia
from lissom.kernel.links.foreshortening import foreshorten
from lissom.kernel.maths.algebra import add, cross, matrix, rotate, rotate_back, scale, subtract, vector
from lissom.kernel.maths.elementary_functions import of_several
from lissom.kernel.maths.row_sums import add_rows
from lissom.kernel.maths.simd_rows import add_scaled, set_scaled


@inline
def modal_forces(model, work, i, m, q, v, w, force):
    """Set `force` (m,) to the gyroscopic, elastic and damping forces of link i."""
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    about = work.gyration
    one = work.zero + 1.0
    # preload + K eta + D etadot + 2 omega . int Phi_l x Phi_j etadot_l
    set_scaled(force, 0, m, (one,), (model.strain.preload[i],))
    for axis in range(3):
        set_scaled(about[axis], 0, m, (work.zero,), (force,))
        add_rows(about[axis], v, rate, model.inertia.gyroscopic[i, axis], m, m)
    add_rows(force, q, eta, model.strain.stiffness[i], m, m)
    if model.strain.damped[i] == 1:
        add_rows(force, v, rate, model.strain.damping[i], m, m)
    add_scaled(force, 0, m, (2.0 * w[0], 2.0 * w[1], 2.0 * w[2]), (about[0], about[1], about[2]))
    chord_forces(model, work, i, force)
    # gradient of the cubic strain energy
    for term in range(model.strain.cubic_start[i], model.strain.cubic_start[i + 1]):
        a = model.strain.cubic_modes[term, 0]
        b = model.strain.cubic_modes[term, 1]
        c = model.strain.cubic_modes[term, 2]
        k = model.strain.cubic[term]
        d = model.strain.cubic_damping[term]
        qa = q[eta + a]
        qb = q[eta + b]
        qc = q[eta + c]
        va = v[rate + a]
        vb = v[rate + b]
        vc = v[rate + c]
        force[a] += k * qb * qc + d * (vb * qc + qb * vc)
        force[b] += k * qa * qc + d * (va * qc + qa * vc)
        force[c] += k * qa * qb + d * (va * qb + qa * vb)


@inline
def add_deformation_coupling(model, i, m, q, c, zero):
    """Add what the deformation of link i changes to its couplings c (12 m,)."""
    eta = model.tree.modes_q[i]
    by_eta = model.inertia.coupling_eta[i]
    if of_several(zero):  # most entries of a beam are zero, and the others seldom neighbours
        for term in range(model.inertia.coupled_start[i], model.inertia.coupled_start[i + 1]):
            mode = model.inertia.coupled[term, 0]
            at = model.inertia.coupled[term, 1]
            c[at] += by_eta[mode, at] * q[eta + mode]
    else:
        add_rows(c, q, eta, by_eta, m, 12 * m)


@inline
def rigid_block(A, m, mass, J, mc, zero):
    """Write the upper triangle of the 6 x 6 inertia (angular first) into rows m to m + 5."""
    for a in range(3):
        for b in range(a, 3):
            A[m + a, m + b] = J[a][b]
            A[m + 3 + a, m + 3 + b] = zero
        A[m + 3 + a, m + 3 + a] = zero + mass
        A[m + a, m + 3 + a] = zero
    A[m, m + 4] = -mc[2]
    A[m, m + 5] = mc[1]
    A[m + 1, m + 3] = mc[2]
    A[m + 1, m + 5] = -mc[0]
    A[m + 2, m + 3] = -mc[1]
    A[m + 2, m + 4] = mc[0]


@inline
def inertia_from_second_moment(G):
    """Return tr(G) 1 - G for a symmetric G."""
    return (
        (G[1][1] + G[2][2], -G[0][1], -G[0][2]),
        (-G[1][0], G[0][0] + G[2][2], -G[1][2]),
        (-G[2][0], -G[2][1], G[0][0] + G[1][1]),
    )


@inline
def spin_squared(w):
    """Return entries xx, yy, zz, xy, xz, yz of -(omega^2 1 - omega omega^T)."""
    x, y, z = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    return -(y + z), -(x + z), -(x + y), w[0] * w[1], w[0] * w[2], w[1] * w[2]


@inline
def centrifugal_force(spin, c):
    """Return spin : c of a matrix c (9,), row by row: the centrifugal force along a mode, with its sign changed."""
    outwards = spin[0] * c[0] + spin[1] * c[4] + spin[2] * c[8]
    return outwards + spin[3] * (c[1] + c[3]) + spin[4] * (c[2] + c[6]) + spin[5] * (c[5] + c[7])


@kernel
def body_inertias(model, work, q, v):
    """Fill work.inertia of all bodies: upper triangle and bias column, external wrench not included."""
    for i in range(1, model.tree.parent.shape[0]):
        if model.tree.frame[i] == 0:
            body_inertia(model, work, i, q, v)


@inline
def body_inertia(model, work, i, q, v):
    """Fill work.inertia[i]: upper triangle and bias column, external wrench not included."""
    if model.tree.nodes[i] > 0:
        exact_inertia(model, work, i, q, v)
        return
    zero = work.zero
    m = model.tree.modes[i]
    A = work.inertia[i]
    w = vector(work.omega[i])
    bias = m + 6
    mc = add(vector(model.inertia.moment[i]), (zero, zero, zero))
    G0 = model.inertia.second_moment[i]
    # a rigid body: Euler's equations about its origin
    if m == 0:
        J = inertia_from_second_moment(matrix(G0))
        rigid_block(A, m, model.inertia.mass[i], J, mc, zero)
        torque = cross(w, rotate(J, w))
        force = cross(w, cross(w, mc))
        for k in range(3):
            A[k, bias] = torque[k]
            A[3 + k, bias] = force[k]
        return

    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    c0 = model.inertia.coupling[i]
    c = work.coupling
    rows = work.coupling_rows
    one = zero + 1.0
    # g: half of what the deformation adds to the first and second moments
    g = work.half_moment_change
    set_scaled(c, 0, 12 * m, (one,), (c0,))
    for ab in range(12):
        g[ab] = zero
    add_rows(g, q, eta, rows, m, 12)
    add_deformation_coupling(model, i, m, q, c, zero)
    add_rows(g, q, eta, rows, m, 12)
    for ab in range(12):
        g[ab] *= 0.5

    # modal mass and modal forces; foreshortening changes couplings, mass and bias
    modal = work.modal_force
    mass = model.inertia.modal_mass[i]
    for j in range(m):
        set_scaled(A[j], j, m, (one,), (mass[j],))
    modal_forces(model, work, i, m, q, v, w, modal)
    if model.tree.second_order[i] == 1:
        foreshorten(model, work, i, m, q, v)

    # d: rates of the moments
    d = work.rate
    for ab in range(12):
        d[ab] = zero
    add_rows(d, v, rate, rows, m, 12)
    # first and second moments of the deformed link
    mc = add(mc, (g[9], g[10], g[11]))
    G = (
        (G0[0, 0] + 2.0 * g[0], G0[0, 1] + g[1] + g[3], G0[0, 2] + g[2] + g[6]),
        (G0[1, 0] + g[1] + g[3], G0[1, 1] + 2.0 * g[4], G0[1, 2] + g[5] + g[7]),
        (G0[2, 0] + g[2] + g[6], G0[2, 1] + g[5] + g[7], G0[2, 2] + 2.0 * g[8]),
    )
    J = inertia_from_second_moment(G)
    rigid_block(A, m, model.inertia.mass[i], J, mc, zero)

    # bias of the rigid rows: gyroscopic torque, Coriolis terms of the modal rates
    D = ((d[0], d[1], d[2]), (d[3], d[4], d[5]), (d[6], d[7], d[8]))
    stretch = 2.0 * (d[0] + d[4] + d[8])
    torque = add(cross(w, rotate(J, w)), subtract(scale(stretch, w), scale(2.0, rotate_back(D, w))))
    force = cross(w, add(cross(w, mc), scale(2.0, (d[9], d[10], d[11]))))
    if model.tree.second_order[i] == 1:
        swing = work.foreshortening_force
        torque = add(torque, (swing[0], swing[1], swing[2]))
        force = add(force, (swing[3], swing[4], swing[5]))
    for k in range(3):
        A[m + k, bias] = torque[k]
        A[m + 3 + k, bias] = force[k]

    # modal rows: coupling to the twist, centrifugal forces -(omega^2 1 - omega omega^T) : c_j
    spin = spin_squared(w)
    for j in range(m):
        row = A[j]
        b = rows[j]
        row[m] = b[5] - b[7]
        row[m + 1] = b[6] - b[2]
        row[m + 2] = b[1] - b[3]
        row[m + 3] = b[9]
        row[m + 4] = b[10]
        row[m + 5] = b[11]
        row[bias] = modal[j] + centrifugal_force(spin, b)
