"""Links with the geometrically exact field: sums over sections in place of invariants.

Rotation vector theta = Psi eta and stretch a' of every section are linear in the modes; the axis follows from
r' = (1 + a') R e_x by a running Gauss rule. A station is a node of that rule or a lumped mass. With the velocity
u = v + omega x r + J etadot of a section and its angular velocity Omega = R^T omega + H Psi etadot (section axes),

    T = 1/2 sum (mass u.u + Omega.I Omega),    V = 1/2 sum weight (GJ k_x^2 + EIy k_y^2 + EIz k_z^2 + EA a'^2).
"""

from __future__ import annotations

from lissom.kernel.algebra import (
    add,
    compose,
    cross,
    dot,
    matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    transpose,
    vector,
)
from lissom.kernel.jit import inline, kernel, shared
from lissom.kernel.late import address, late
from lissom.kernel.rotation_vector import angle_functions, lever_of, lever_rate, lever_slope, rotation_of
from lissom.kernel.rows import add_rows, section_sums


@shared
def mode_sums(table, start, x, at, zero):
    """Sums of table[j] x[at + j] over the modes of each kind: about x, y, z (twist, bending in z, in y), along x."""
    y = zero
    for j in range(start[0], start[1]):
        y += table[j] * x[at + j]
    z = zero
    for j in range(start[1], start[2]):
        z += table[j] * x[at + j]
    t = zero
    for j in range(start[2], start[3]):
        t += table[j] * x[at + j]
    a = zero
    for j in range(start[3], start[4]):
        a += table[j] * x[at + j]
    return (t, z, y), a


@shared
def add_modes(out, first, table, start, turn, along):
    """out[first + j] += table[j] times the part of `turn` (3,) or `along` that belongs to mode j."""
    for j in range(start[0], start[1]):
        out[first + j] += table[j] * turn[2]
    for j in range(start[1], start[2]):
        out[first + j] += table[j] * turn[1]
    for j in range(start[2], start[3]):
        out[first + j] += table[j] * turn[0]
    for j in range(start[3], start[4]):
        out[first + j] += table[j] * along


@late(0)
def bend_link(model, work, i, q, v):
    """Turn the sections at all stations of link i, and tabulate the derivative of the motion of its axis."""
    zero = work.zero
    m = model.modes[i]
    start = model.mode_start[i]
    first = model.station_start[i]
    for p in range(first, model.station_start[i + 1]):
        table = model.station_angle[p]
        th, stretch = mode_sums(table, start, q, model.modes_q[i], zero)
        dth, dstretch = mode_sums(table, start, v, model.modes_v[i], zero)
        k = angle_functions(th)
        R = rotation_of(k, th)
        H = lever_of(k, th)
        spin = rotate(H, dth)
        drift = lever_rate(k, th, dth, dth)
        store_matrix(work.station_turn[p], R)
        store_matrix(work.station_lever[p], H)
        store_vector(work.station_spin[p], spin)
        store_vector(work.station_spin_drift[p], drift)
        if p - first < model.nodes[i]:
            axis = (R[0][0], R[1][0], R[2][0])
            along = 1.0 + stretch
            # R (a x e_x) of the lever's columns, the spin and what turns the tangent without acceleration
            by_mode = (
                tip_over(R, (H[0][0], H[1][0], H[2][0])),
                tip_over(R, (H[0][1], H[1][1], H[2][1])),
                tip_over(R, (H[0][2], H[1][2], H[2][2])),
            )
            over = tip_over(R, spin)
            bow = add(tip_over(R, drift), rotate(R, cross(spin, (zero, spin[2], -spin[1]))))
            row = work.tangent[p]
            for c in range(3 * m):
                row[c] = zero
            for c in range(3):
                turn = (along * by_mode[0][c], along * by_mode[1][c], along * by_mode[2][c])
                add_modes(row, c * m, table, start, turn, axis[c])
                row[3 * m + c] = along * axis[c]
                row[3 * m + 3 + c] = along * over[c] + dstretch * axis[c]
                row[3 * m + 6 + c] = along * bow[c] + 2.0 * dstretch * over[c]


@inline
def tip_over(R, a):
    """R (a x e_x): how the tangent moves when its section turns by `a`."""
    return rotate(R, (0.0 * a[0], a[2], -a[1]))


@shared
def integrate(model, work, i, running):
    """Motion of a section of link i into work.place: per mode (x, y, z), place, rate and drift in the link's axes."""
    width = 3 * model.modes[i] + 9
    place = work.place
    for c in range(width):
        place[c] = work.zero
    add_rows(place, running, 0, work.tangent[model.station_start[i] :], model.nodes[i], width)


@shared
def shift_place(place, m, table, start, R, H, spin, drift, d):
    """Motion of a point at `d` in section axes in place of the section's origin."""
    arm = rotate(R, d)
    for axis in range(3):
        turn = rotate(R, (H[0][axis], H[1][axis], H[2][axis]))
        by_mode = cross(turn, arm)
        # modes in the order y, z, twist turn about z, y, x
        for j in range(start[2 - axis], start[3 - axis]):
            for c in range(3):
                place[c * m + j] += table[j] * by_mode[c]
    rate = rotate(R, cross(spin, d))
    bow = rotate(R, add(cross(drift, d), cross(spin, cross(spin, d))))
    for c in range(3):
        place[3 * m + c] += arm[c]
        place[3 * m + 3 + c] += rate[c]
        place[3 * m + 6 + c] += bow[c]


@late(1)
def exact_inertia(model, work, i, q, v):
    """Fill work.inertia[i] of a link with the exact field: upper triangle and bias, as `body_inertia` does."""
    zero = work.zero
    m = model.modes[i]
    start = model.mode_start[i]
    first = model.station_start[i]
    A = work.inertia[i]
    w = vector(work.omega[i])
    place = work.place
    heavy = work.weighted
    for row in range(m + 6):
        for column in range(row, m + 7):
            A[row, column] = zero
    for p in range(first, model.station_start[i + 1]):
        table = model.station_angle[p]
        R = matrix(work.station_turn[p])
        H = matrix(work.station_lever[p])
        spin = vector(work.station_spin[p])
        drift = vector(work.station_spin_drift[p])
        integrate(model, work, i, model.station_running[p])
        if p - first >= model.nodes[i]:
            shift_place(place, m, table, start, R, H, spin, drift, vector(model.station_offset[p]))
        r = vector(place[3 * m : 3 * m + 3])
        dr = vector(place[3 * m + 3 : 3 * m + 6])
        mass = model.station_mass[p]
        I = matrix(model.station_inertia[p])

        # bias: force at the centre of mass in the link's axes, moment in section axes
        swing = add(cross(w, add(cross(w, r), scale(2.0, dr))), vector(place[3 * m + 6 : 3 * m + 9]))
        force = scale(mass, swing)
        ws = rotate_back(R, w)
        whole = add(ws, spin)
        moment = add(rotate(I, add(cross(ws, spin), drift)), cross(whole, rotate(I, whole)))
        torque = add(cross(r, force), rotate(R, moment))
        for k in range(3):
            A[m + k, m + 6] += torque[k]
            A[m + 3 + k, m + 6] += force[k]

        # twist of the link: tr(mass r r^T) - mass r r^T + R I R^T
        turned = compose(R, I)
        about = compose(turned, transpose(R))
        mr = scale(mass, r)
        square = dot(mr, r)
        for a in range(3):
            A[m + a, m + a] += square
            for b in range(a, 3):
                A[m + a, m + b] += about[a][b] - mr[a] * r[b]
            A[m + 3 + a, m + 3 + a] += mass
        A[m, m + 4] -= mr[2]
        A[m, m + 5] += mr[1]
        A[m + 1, m + 3] += mr[2]
        A[m + 1, m + 5] -= mr[0]
        A[m + 2, m + 3] -= mr[1]
        A[m + 2, m + 4] += mr[0]

        # modes: momentum per modal velocity, its coupling to the twist, and the bias in their direction
        IH = compose(I, H)
        by_turn = rotate_back(H, moment)
        add_modes(A[:, m + 6], 0, table, start, by_turn, zero)
        carried = compose(turned, H)
        for c in range(3):
            add_modes(A[:, m + c], 0, table, start, carried[c], zero)
            for j in range(m):
                heavy[c, j] = mass * place[c * m + j]
        for j in range(m):
            x = heavy[0, j]
            y = heavy[1, j]
            z = heavy[2, j]
            row = A[j]
            row[m] += r[1] * z - r[2] * y
            row[m + 1] += r[2] * x - r[0] * z
            row[m + 2] += r[0] * y - r[1] * x
            row[m + 3] += x
            row[m + 4] += y
            row[m + 5] += z
            row[m + 6] += x * swing[0] + y * swing[1] + z * swing[2]
            for k in range(j, m):
                row[k] += x * place[k] + y * place[m + k] + z * place[2 * m + k]
        add_turning_mass(A, m, table, start, compose(transpose(H), IH))
    exact_forces(model, work, i, q, v)


@shared
def add_turning_mass(A, m, table, start, S):
    """A[j, k] += table[j] S table[k], S (3, 3) the section's inertia about the modes' axes."""
    for kind in range(3):
        for j in range(start[kind], start[kind + 1]):
            row = A[j]
            side = S[2 - kind]
            for other in range(kind, 3):
                part = table[j] * side[2 - other]
                for k in range(max(j, start[other]), start[other + 1]):
                    row[k] += part * table[k]


@shared
def strains(model, p, start, x, at, v, rate, zero):
    """Angles, their x-derivatives, curvature and stretch at station p, and the rates of the last two."""
    th, stretch = mode_sums(model.station_angle[p], start, x, at, zero)
    dth, dstretch = mode_sums(model.station_angle[p], start, v, rate, zero)
    th_x, _ = mode_sums(model.station_angle_x[p], start, x, at, zero)
    dth_x, _ = mode_sums(model.station_angle_x[p], start, v, rate, zero)
    k = angle_functions(th)
    H = lever_of(k, th)
    curvature = rotate(H, th_x)
    curvature_rate = add(rotate(H, dth_x), lever_rate(k, th, dth, th_x))
    return k, th, th_x, H, curvature, curvature_rate, stretch, dstretch


@inline
def exact_forces(model, work, i, q, v):
    """Add the elastic and damping forces of link i to the bias of its modal rows."""
    m = model.modes[i]
    start = model.mode_start[i]
    first = model.station_start[i]
    stiff = model.rigidity[i]
    beta = model.retardation[i]
    force = work.modal_force
    for j in range(m):
        force[j] = work.zero
    for p in range(first, first + model.nodes[i]):
        k, th, th_x, H, bent, rate, stretch, dstretch = strains(
            model, p, start, q, model.modes_q[i], v, model.modes_v[i], work.zero
        )
        weight = model.station_weight[p]
        moment = (
            weight * stiff[0] * (bent[0] + beta * rate[0]),
            weight * stiff[1] * (bent[1] + beta * rate[1]),
            weight * stiff[2] * (bent[2] + beta * rate[2]),
        )
        tension = weight * stiff[3] * (stretch + beta * dstretch)
        add_modes(force, 0, model.station_angle[p], start, lever_slope(k, th, th_x, moment), tension)
        add_modes(force, 0, model.station_angle_x[p], start, rotate_back(H, moment), work.zero)
    add_rows(force, v, model.modes_v[i], model.damping[i], m, m)
    for j in range(m):
        A = work.inertia[i]
        A[j, m + 6] += force[j]


@kernel
def exact_strain_energy(model, i, q, v, zero):
    """Elastic energy of link i."""
    stiff = model.rigidity[i]
    energy = zero
    first = model.station_start[i]
    for p in range(first, first + model.nodes[i]):
        _, _, _, _, k, _, a, _ = strains(model, p, model.mode_start[i], q, model.modes_q[i], v, model.modes_v[i], zero)
        density = stiff[0] * k[0] * k[0] + stiff[1] * k[1] * k[1] + stiff[2] * k[2] * k[2] + stiff[3] * a * a
        energy += 0.5 * model.station_weight[p] * density
    return energy


@kernel
def exact_dissipation(model, i, q, v, zero):
    """Power lost by strain rates in link i."""
    stiff = model.rigidity[i]
    power = zero
    first = model.station_start[i]
    for p in range(first, first + model.nodes[i]):
        _, _, _, _, _, k, _, a = strains(model, p, model.mode_start[i], q, model.modes_q[i], v, model.modes_v[i], zero)
        density = stiff[0] * k[0] * k[0] + stiff[1] * k[1] * k[1] + stiff[2] * k[2] * k[2] + stiff[3] * a * a
        power += model.retardation[i] * model.station_weight[p] * density
    return power


@late(2)
def exact_section(model, work, i, q, v):
    """Motion of the section that carries body i on its exact parent: work.section, and `reach` of the section."""
    zero = work.zero
    up = model.parent[i]
    m = model.modes[up]
    psi = model.section_psi[i]
    integrate(model, work, up, model.section_running[i])
    th = section_sums(psi, q, model.modes_q[up], m, zero)
    dth = section_sums(psi, v, model.modes_v[up], m, zero)
    k = angle_functions(th)
    H = lever_of(k, th)
    R = rotation_of(k, th)
    place = work.place
    section = work.section
    store_matrix(section[0:3], R)
    for row in range(3):  # place, rate, drift
        store_vector(section[3 + row], vector(place[3 * (m + row) : 3 * (m + row) + 3]))
    store_vector(section[6], rotate(H, dth))
    store_vector(section[7], lever_rate(k, th, dth, dth))
    reach = work.reach[i]
    for j in range(m):
        turn = rotate(R, rotate(H, (psi[0, j], psi[1, j], psi[2, j])))
        for c in range(3):
            reach[c, j] = turn[c]
            reach[3 + c, j] = place[c * m + j]


def compile_exact(model, work, late, number):
    """Compile what exact links need for a packed model and workspace; the addresses go to `late`."""
    for slot, by_address in enumerate((bend_link, exact_inertia, exact_section)):
        late[slot] = address(by_address, model, work, number)
