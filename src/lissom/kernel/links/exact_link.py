"""Links with the geometrically exact field: sums over sections in place of invariants.

Rotation vector theta = Psi eta and strain gamma of the axis (stretch, shears) of every section are linear in the modes;
the axis follows from r' = R (e_x + gamma) by a running Gauss rule. A station is a node of that rule or a lumped mass.
Its motion J (6, m + 6) per mode and per twist of the link, velocity in the link's axes and angular velocity in its
own, gives

    T = 1/2 z^T (sum J^T diag(mass, I) J) z,    V = 1/2 sum e^T S e,   e = (gamma, curvature),   S with its weight.
"""

from __future__ import annotations

from typing import Any

from lissom.kernel.compile import address, indirect, inline, kernel, shared
from lissom.kernel.data.arrays import ROW_WIDTH
from lissom.kernel.maths.algebra import (
    add,
    cross,
    dot,
    matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    vector,
)
from lissom.kernel.maths.rotation_vector import angle_functions, lever_of, lever_rate, lever_slope, rotation_of
from lissom.kernel.maths.row_sums import add_rows, section_sums
from lissom.kernel.maths.simd_rows import add_lanes, set_lanes


@inline
def rotation_vector_of_modes(psi, x, at, m, zero):
    """Return rotation vector and strain of the axis of a section: psi (6, m) times the modes that begin at x[at]."""
    return section_sums(psi, x, at, m, zero), section_sums(psi[3:6], x, at, m, zero)


@indirect(0)
def bend_link(model, work, i, q, v):
    """Turn the sections at all stations of link i, and tabulate the derivative of the motion of its axis."""
    zero = work.zero
    m = model.tree.modes[i]
    first = model.exact.start[i]
    for p in range(first, model.exact.start[i + 1]):
        psi = model.exact.psi[p]
        th, strain = rotation_vector_of_modes(psi, q, model.tree.modes_q[i], m, zero)
        dth, dstrain = rotation_vector_of_modes(psi, v, model.tree.modes_v[i], m, zero)
        k = angle_functions(th)
        R = rotation_of(k, th)
        H = lever_of(k, th)
        spin = rotate(H, dth)
        drift = lever_rate(k, th, dth, dth)
        store_matrix(work.station_turn[p], R)
        store_matrix(work.station_lever[p], H)
        store_vector(work.station_spin[p], spin)
        store_vector(work.station_spin_drift[p], drift)
        bend = work.station_bend[p]
        for c in range(6):
            bend[c] = k[c]
        store_vector(bend[6:9], th)
        store_vector(bend[9:12], dth)
        store_vector(bend[12:15], strain)
        store_vector(bend[15:18], dstrain)
        if p - first < model.tree.nodes[i]:
            g = (1.0 + strain[0], strain[1], strain[2])  # the tangent in section axes
            along = rotate(R, g)
            # R (a x g) of the lever's columns, the spin and what turns the tangent without acceleration
            by_x = rotate(R, cross((H[0][0], H[1][0], H[2][0]), g))
            by_y = rotate(R, cross((H[0][1], H[1][1], H[2][1]), g))
            by_z = rotate(R, cross((H[0][2], H[1][2], H[2][2]), g))
            turning = cross(spin, g)
            rate = rotate(R, add(turning, dstrain))
            tangent_drift = rotate(R, add(cross(drift, g), cross(spin, add(turning, scale(2.0, dstrain)))))
            for c in range(3):
                row = work.tangent[c, p]
                by = (by_x[c], by_y[c], by_z[c], R[c][0], R[c][1], R[c][2])
                for j in range(0, m, ROW_WIDTH):
                    set_lanes(row, j, by, (psi[0], psi[1], psi[2], psi[3], psi[4], psi[5]))
                row[m] = along[c]
                row[m + 1] = rate[c]
                row[m + 2] = tangent_drift[c]


@shared
def integrate(model, work, i, running):
    """Return place, rate and drift of a section of link i, in its axes: the sums of r' = R (e_x + gamma) by `running`.

    Per mode they go to rows 0 to 2 of work.motion.
    """
    m = model.tree.modes[i]
    first = model.exact.start[i]
    for c in range(3):
        row = work.motion[c]
        for k in range(m + 3):
            row[k] = work.zero
        add_rows(row, running, 0, work.tangent[c, first:], model.tree.nodes[i], m + 3)
    return station_velocity(work.motion, m), station_velocity(work.motion, m + 1), station_velocity(work.motion, m + 2)


@inline
def station_velocity(motion, k):
    """Return the velocity of a station per unit of coordinate k."""
    return (motion[0, k], motion[1, k], motion[2, k])


@inline
def station_angular_velocity(motion, k):
    """Return the angular velocity of a station per unit of coordinate k."""
    return (motion[3, k], motion[4, k], motion[5, k])


@shared
def turn_modes(motion, m, H, psi):
    """Set rows 3 to 5 of the motion: angular velocity H psi of a section per mode, in its own axes."""
    for c in range(3):
        for j in range(0, m, ROW_WIDTH):
            set_lanes(motion[3 + c], j, (H[c][0], H[c][1], H[c][2]), (psi[0], psi[1], psi[2]))


@shared
def shift_modes(motion, m, R, d):
    """Move the motion from the section's origin to a point at `d` in its axes: velocity R (Omega x d)."""
    for c in range(3):
        by = cross(d, R[c])
        for j in range(0, m, ROW_WIDTH):
            add_lanes(motion[c], j, by, (motion[3], motion[4], motion[5]))


@inline
def add_twist(motion, m, r, R, swing, spin_up):
    """Set the columns of the motion after the modes: twist of the link; accelerations at rest of all coordinates."""
    zero = 0.0 * r[0]
    one = zero + 1.0
    for c in range(3):
        store_vector(motion[3 + c, m : m + 3], (R[0][c], R[1][c], R[2][c]))
        store_vector(motion[3 + c, m + 3 : m + 6], (zero, zero, zero))
        motion[c, m + 6] = swing[c]
        motion[3 + c, m + 6] = spin_up[c]
    store_vector(motion[0, m : m + 3], (zero, r[2], -r[1]))
    store_vector(motion[1, m : m + 3], (-r[2], zero, r[0]))
    store_vector(motion[2, m : m + 3], (r[1], -r[0], zero))
    store_vector(motion[0, m + 3 : m + 6], (one, zero, zero))
    store_vector(motion[1, m + 3 : m + 6], (zero, one, zero))
    store_vector(motion[2, m + 3 : m + 6], (zero, zero, one))


@indirect(1)
def exact_inertia(model, work, i, q, v):
    """Fill work.inertia[i] of a link with the exact field: upper triangle and bias, as `body_inertia` does."""
    m = model.tree.modes[i]
    first = model.exact.start[i]
    A = work.inertia[i]
    w = vector(work.omega[i])
    motion = work.motion
    rows = (motion[0], motion[1], motion[2], motion[3], motion[4], motion[5])
    # A = sum of J^T diag(mass, I) J over the stations, with the bias in column m + 6
    for row in range(m + 6):
        for column in range(row, m + 7):
            A[row, column] = work.zero
    for p in range(first, model.exact.start[i + 1]):
        R = matrix(work.station_turn[p])
        H = matrix(work.station_lever[p])
        spin = vector(work.station_spin[p])
        drift = vector(work.station_spin_drift[p])
        # motion of the station: its section, then a lumped mass off the axis
        r, dr, ddr = integrate(model, work, i, model.exact.running[p])
        turn_modes(motion, m, H, model.exact.psi[p])
        if model.exact.shifted[p] == 1:
            d = vector(model.exact.offset[p])
            shift_modes(motion, m, R, d)
            r = add(r, rotate(R, d))
            dr = add(dr, rotate(R, cross(spin, d)))
            ddr = add(ddr, rotate(R, add(cross(drift, d), cross(spin, cross(spin, d)))))
        mass = model.exact.mass[p]
        I = matrix(model.exact.inertia[p])
        ws = rotate_back(R, w)
        whole = add(ws, spin)
        # accelerations at rest of all coordinates, and the gyroscopic torque
        swing = add(cross(w, add(cross(w, r), scale(2.0, dr))), ddr)
        add_twist(motion, m, r, R, swing, add(cross(ws, spin), drift))
        gyroscopic = cross(whole, rotate(I, whole))
        for row in range(m + 6):
            f = scale(mass, station_velocity(motion, row))
            t = station_angular_velocity(motion, row)
            h = rotate(I, t)
            for k in range(row, m + 7, ROW_WIDTH):
                add_lanes(A[row], k, (f[0], f[1], f[2], h[0], h[1], h[2]), rows)
            A[row, m + 6] += dot(t, gyroscopic)
    exact_forces(model, work, i, q, v)


@shared
def strains(model, i, p, q, v, zero):
    """Return strain of the axis, its rate, curvature and its rate at station p of link i."""
    m = model.tree.modes[i]
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    th, strain = rotation_vector_of_modes(model.exact.psi[p], q, eta, m, zero)
    dth, dstrain = rotation_vector_of_modes(model.exact.psi[p], v, rate, m, zero)
    th_x = section_sums(model.exact.psi_x[p], q, eta, m, zero)
    dth_x = section_sums(model.exact.psi_x[p], v, rate, m, zero)
    k = angle_functions(th)
    H = lever_of(k, th)
    curvature, curvature_rate = curvatures(k, th, dth, H, th_x, dth_x)
    return strain, dstrain, curvature, curvature_rate


@inline
def stress(row, strain, curvature):
    """Return one component of `stresses`."""
    by_strain = row[0] * strain[0] + row[1] * strain[1] + row[2] * strain[2]
    return by_strain + row[3] * curvature[0] + row[4] * curvature[1] + row[5] * curvature[2]


@inline
def stresses(S, strain, curvature):
    """Return force and moment S e of a section with stiffness S (6, 6), e = (strain of the axis, curvature)."""
    a, c = strain, curvature
    force = (stress(S[0], a, c), stress(S[1], a, c), stress(S[2], a, c))
    return force, (stress(S[3], a, c), stress(S[4], a, c), stress(S[5], a, c))


@inline
def turn_at(work, p):
    """Return turn theta of station p, the functions of its angle, and H, as `bend_link` left them: (k, theta, H)."""
    bend = work.station_bend[p]
    k = (bend[0], bend[1], bend[2], bend[3], bend[4], bend[5])
    return k, vector(bend[6:9]), matrix(work.station_lever[p])


@inline
def curvatures(k, th, dth, H, th_x, dth_x):
    """Return the curvature H theta' and its rate."""
    return rotate(H, th_x), add(rotate(H, dth_x), lever_rate(k, th, dth, th_x))


@inline
def exact_forces(model, work, i, q, v):
    """Add the elastic and damping forces of link i to the bias of its modal rows."""
    zero = work.zero
    m = model.tree.modes[i]
    eta = model.tree.modes_q[i]
    etadot = model.tree.modes_v[i]
    first = model.exact.start[i]
    beta = model.exact.retardation[i]
    modal = work.modal_force
    for j in range(m):
        modal[j] = zero
    for p in range(first, first + model.tree.nodes[i]):
        psi = model.exact.psi[p]
        psi_x = model.exact.psi_x[p]
        bend = work.station_bend[p]
        k, th, H = turn_at(work, p)
        th_x = section_sums(psi_x, q, eta, m, zero)
        dth_x = section_sums(psi_x, v, etadot, m, zero)
        curvature, rate = curvatures(k, th, vector(bend[9:12]), H, th_x, dth_x)
        strain = add(vector(bend[12:15]), scale(beta, vector(bend[15:18])))
        force, moment = stresses(model.exact.stiffness[p], strain, add(curvature, scale(beta, rate)))
        force = add(force, vector(model.exact.prestress[p, 0:3]))
        moment = add(moment, vector(model.exact.prestress[p, 3:6]))
        a = lever_slope(k, th, th_x, moment)
        b = rotate_back(H, moment)
        for j in range(0, m, ROW_WIDTH):
            by = (a[0], a[1], a[2], force[0], force[1], force[2], b[0], b[1], b[2])
            rows = (psi[0], psi[1], psi[2], psi[3], psi[4], psi[5], psi_x[0], psi_x[1], psi_x[2])
            add_lanes(modal, j, by, rows)
    add_rows(modal, v, etadot, model.strain.damping[i], m, m)
    for j in range(m):
        work.inertia[i, j, m + 6] += modal[j]


@inline
def station_strain_energy(model, p, strain, curvature):
    """Twice the strain energy of station p."""
    force, moment = stresses(model.exact.stiffness[p], strain, curvature)
    return dot(force, strain) + dot(moment, curvature)


@kernel
def exact_strain_energy(model, i, q, v, zero):
    """Elastic energy of link i."""
    energy = zero
    first = model.exact.start[i]
    for p in range(first, first + model.tree.nodes[i]):
        strain, _, curvature, _ = strains(model, i, p, q, v, zero)
        energy += 0.5 * station_strain_energy(model, p, strain, curvature)
        before = model.exact.prestress[p]
        energy += dot(vector(before[0:3]), strain) + dot(vector(before[3:6]), curvature)
    return energy


@kernel
def exact_dissipation(model, i, q, v, zero):
    """Return the power lost by strain rates in link i."""
    power = zero
    first = model.exact.start[i]
    for p in range(first, first + model.tree.nodes[i]):
        _, strain, _, curvature = strains(model, i, p, q, v, zero)
        power += model.exact.retardation[i] * station_strain_energy(model, p, strain, curvature)
    return power


@indirect(2)
def exact_section(model, work, i, q, v):
    """Compute the motion of the section that carries body i on its exact parent.

    It goes to work.section, the motion of the section per mode to `reach`.
    """
    zero = work.zero
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    psi = model.sections.psi[i]
    th = section_sums(psi, q, model.tree.modes_q[up], m, zero)
    dth = section_sums(psi, v, model.tree.modes_v[up], m, zero)
    k = angle_functions(th)
    R = rotation_of(k, th)
    H = lever_of(k, th)
    motion = work.motion
    r, dr, ddr = integrate(model, work, up, model.sections.running[i])
    turn_modes(motion, m, H, psi)
    store_matrix(work.section[0:3], R)
    store_vector(work.section[3], r)
    store_vector(work.section[4], dr)
    store_vector(work.section[5], ddr)
    store_vector(work.section[6], rotate(H, dth))
    store_vector(work.section[7], lever_rate(k, th, dth, dth))
    reach = work.reach[i]
    one = zero + 1.0
    for c in range(3):
        for j in range(0, m, ROW_WIDTH):
            set_lanes(reach[c], j, (R[c][0], R[c][1], R[c][2]), (motion[3], motion[4], motion[5]))
            set_lanes(reach[3 + c], j, (one,), (motion[c],))


def compile_exact(model: Any, work: Any, indirect: Any, number: type) -> None:
    """Compile what exact links need for a packed model and workspace; the addresses go to `indirect`."""
    for slot, by_address in enumerate((bend_link, exact_inertia, exact_section)):
        indirect[slot] = address(by_address, model, work, number)
