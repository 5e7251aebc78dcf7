"""How the modes of a link move a section of it: displacement, and what that does to spin and acceleration, (7) to (9).

Everything in the axes of the link, about its origin. Quantities that change in time are jets (x, x', x'').
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.derivatives.columns import ACCEL, ACCEL_BY_RATE, CARRIED, MOTION, SHIFT, SPIN
from lissom.kernel.maths.algebra import add, cross, dot, subtract, vector
from lissom.kernel.maths.row_sums import add_rows, section_sums
from lissom.kernel.maths.simd_rows import add_scaled, set_scaled

# rows of columns.section beyond the motion: rotation about x and displacement along x per mode, with their two rates;
# first and second rates of the motion
ABOUT, ALONG, CHANGE = MOTION, MOTION + 3, MOTION + 6


@inline
def jet_sum(x, y):
    """Return x + y of two jets."""
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


@inline
def jet_scale(s, x):
    """Return s x of a plain number and a jet."""
    return (s * x[0], s * x[1], s * x[2])


@inline
def jet_product(x, y):
    """Return x y of two jets."""
    return (x[0] * y[0], x[1] * y[0] + x[0] * y[1], x[2] * y[0] + 2.0 * x[1] * y[1] + x[0] * y[2])


@inline
def section_levers(y, z):
    """Return f, P1 y, P1 z, P2 y, P2 z and P3 y y, P3 y z, P3 z z, P1 of (8) as jets, of slopes about y and z."""
    square = jet_sum(jet_product(y, y), jet_product(z, z))
    s = (0.5 + square[0] / 24.0, square[1] / 24.0, square[2] / 24.0)
    below = jet_product(jet_product(s, s), square)
    # f = 2/(1 + s^2 square): f below' = -f^2/2 ...
    f0 = 2.0 / (1.0 + below[0])
    f1 = -0.5 * f0 * f0 * below[1]
    f = (f0, f1, -0.5 * f0 * (2.0 * f1 * below[1] + f0 * below[2]))
    first = jet_product(f, s)
    second = jet_product(first, s)
    third = jet_scale(1.0 / 12.0, f)
    return (
        f,
        jet_product(first, y),
        jet_product(first, z),
        jet_product(second, y),
        jet_product(second, z),
        jet_sum(first, jet_product(third, jet_product(y, y))),
        jet_product(third, jet_product(y, z)),
        jet_sum(first, jet_product(third, jet_product(z, z))),
    )


@inline
def lever_columns(levers, order, one):
    """Return the derivatives of that order of the axes along which twist and both slopes turn a section: (8)."""
    f, y1, z1, y2, z2, yy, yz, zz = levers
    return (
        (f[order] - one, z1[order], -y1[order]),
        (-z2[order], yy[order], yz[order]),
        (y2[order], yz[order], zz[order]),
    )


@inline
def section_motion(model, work, columns, i, q, v, qdd):
    """Fill the first MOTION rows of columns.section for the section that carries body i.

    Returns its place, the axes of `lever_columns`, and their derivatives by the slopes about y and z.
    """
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    at_q = model.tree.modes_q[up]
    at = model.tree.modes_v[up]
    zero = work.zero
    one = zero + 1.0
    S = columns.section
    phi = model.sections.phi[i]
    psi = model.sections.psi[i]
    # place of the section and its slopes, with their rates
    place = add(vector(model.sections.position[i]), section_sums(phi, q, at_q, m, zero))
    place_rate = section_sums(phi, v, at, m, zero)
    place_drift = section_sums(phi, qdd, at, m, zero)
    slope = section_sums(psi, q, at_q, m, zero)
    slope_rate = section_sums(psi, v, at, m, zero)
    slope_drift = section_sums(psi, qdd, at, m, zero)
    for c in range(3):
        set_scaled(S[ABOUT + c], 0, m, (one if c == 0 else zero,), (psi[0],))
        set_scaled(S[ALONG + c], 0, m, (one if c == 0 else zero,), (phi[0],))
    if model.tree.second_order[up] == 1:
        B = model.sections.shortening[i]
        D = model.sections.twist[i]
        add_rows(S[ABOUT], q, at_q, D, m, m)
        add_rows(S[ABOUT + 1], v, at, D, m, m)
        add_rows(S[ABOUT + 2], qdd, at, D, m, m)
        for c in range(3):
            set_scaled(columns.beside[c], 0, m, (zero,), (phi[0],))
        add_rows(columns.beside[0], q, at_q, B, m, m)
        add_rows(columns.beside[1], v, at, B, m, m)
        add_rows(columns.beside[2], qdd, at, B, m, m)
        short = zero
        short_rate = zero
        short_drift = zero
        for j in range(m):
            short += 0.5 * columns.beside[0, j] * q[at_q + j]
            short_rate += columns.beside[0, j] * v[at + j]
            short_drift += columns.beside[1, j] * v[at + j] + columns.beside[2, j] * q[at_q + j]
        for c in range(3):
            add_scaled(S[ALONG + c], 0, m, (-one,), (columns.beside[c],))
        place = subtract(place, (short, zero, zero))
        place_rate = subtract(place_rate, (short_rate, zero, zero))
        place_drift = subtract(place_drift, (short_drift, zero, zero))
    y = (slope[1], slope_rate[1], slope_drift[1])
    z = (slope[2], slope_rate[2], slope_drift[2])
    levers = section_levers(y, z)
    axes = lever_columns(levers, 0, one)
    turn_axes = lever_columns(levers, 1, zero)
    drift_axes = lever_columns(levers, 2, zero)

    # rotation theta of the section per mode, with its rates in CHANGE; displacement u - theta x place
    rows = (S[ABOUT], S[ABOUT + 1], S[ABOUT + 2], psi[1], psi[2])
    for c in range(3):
        x, by_y, by_z = axes[0][c], axes[1][c], axes[2][c]
        dx, dy, dz = turn_axes[0][c], turn_axes[1][c], turn_axes[2][c]
        set_scaled(S[SHIFT + c], 0, m, (x, by_y, by_z), (rows[0], rows[3], rows[4]))
        set_scaled(S[CHANGE + c], 0, m, (dx, x, dy, dz), (rows[0], rows[1], rows[3], rows[4]))
        set_scaled(S[CHANGE + 3 + c], 0, m, (drift_axes[0][c], 2.0 * dx, x, drift_axes[1][c], drift_axes[2][c]), rows)
    own = (S[SHIFT], S[SHIFT + 1], S[SHIFT + 2])
    rate = (S[CHANGE], S[CHANGE + 1], S[CHANGE + 2])
    drift = (S[CHANGE + 3], S[CHANGE + 4], S[CHANGE + 5])
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        along = one if c == 0 else zero
        across = zero if c == 0 else one
        set_scaled(S[SHIFT + 3 + c], 0, m, (along, across, -place[b], place[a]), (S[ALONG], phi[c], own[a], own[b]))
        # first and second rates of that, in ACCEL and ACCEL_BY_RATE for the time being
        set_scaled(
            S[ACCEL + 3 + c], 0, m,
            (along, -place[b], place[a], -place_rate[b], place_rate[a]),
            (S[ALONG + 1], rate[a], rate[b], own[a], own[b]),
        )  # fmt: skip
        set_scaled(
            S[ACCEL_BY_RATE + 3 + c], 0, m,
            (along, -place[b], place[a], -2.0 * place_rate[b], 2.0 * place_rate[a], -place_drift[b], place_drift[a]),
            (S[ALONG + 2], drift[a], drift[b], rate[a], rate[b], own[a], own[b]),
        )  # fmt: skip
    # rates as seen from the world, (9)
    w = vector(work.omega[up])
    alpha = vector(work.acceleration[up, 0:3])
    pulled = vector(work.acceleration[up, 3:6])
    shifted = (S[SHIFT + 3], S[SHIFT + 4], S[SHIFT + 5])
    shift_rate = (S[ACCEL + 3], S[ACCEL + 4], S[ACCEL + 5])
    W = spin_matrix(w, alpha)
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        X = W[c]
        set_scaled(S[SPIN + c], 0, m, (one, -w[b], w[a]), (rate[c], own[a], own[b]))
        set_scaled(
            S[ACCEL + c], 0, m,
            (one, -2.0 * w[b], 2.0 * w[a], X[0], X[1], X[2]), (drift[c], rate[a], rate[b], own[0], own[1], own[2]),
        )  # fmt: skip
        set_scaled(S[ACCEL_BY_RATE + c], 0, m, (2.0 * one,), (S[SPIN + c],))
        # by a fresh name each: what is read must not have been written yet
        set_scaled(
            columns.beside[c], 0, m,
            (one, -2.0 * w[b], 2.0 * w[a], X[0], X[1], X[2], -pulled[b], pulled[a]),
            (
                S[ACCEL_BY_RATE + 3 + c],
                shift_rate[a], shift_rate[b], shifted[0], shifted[1], shifted[2], own[a], own[b],
            ),
        )  # fmt: skip
        set_scaled(
            columns.beside[3 + c], 0, m, (2.0 * one, -2.0 * w[b], 2.0 * w[a]), (shift_rate[c], shifted[a], shifted[b])
        )
    for c in range(3):
        set_scaled(S[ACCEL + 3 + c], 0, m, (one,), (columns.beside[c],))
        set_scaled(S[ACCEL_BY_RATE + 3 + c], 0, m, (one,), (columns.beside[3 + c],))
    steps = section_levers((y[0], one, zero), (z[0], zero, zero))
    by_y_slope = lever_columns(steps, 1, zero)
    steps = section_levers((y[0], zero, zero), (z[0], one, zero))
    by_z_slope = lever_columns(steps, 1, zero)
    return place, axes, by_y_slope, by_z_slope


@inline
def spin_matrix(w, alpha):
    """Return alpha~ + w~ w~: what acceleration a turning body adds per displacement."""
    square = dot(w, w)
    return (
        (w[0] * w[0] - square, w[0] * w[1] - alpha[2], w[0] * w[2] + alpha[1]),
        (w[1] * w[0] + alpha[2], w[1] * w[1] - square, w[1] * w[2] - alpha[0]),
        (w[2] * w[0] - alpha[1], w[2] * w[1] + alpha[0], w[2] * w[2] - square),
    )


@inline
def add_section_forces(model, work, columns, i, carried, wrench, section):
    """Add what the modes of a link do to the forces of all that its section carries as body i, (10), (11).

    carried: what hangs on the section, as `wrench_columns` takes it; wrench: on it, link axes, about the link's origin;
    section: what `section_motion` returned.
    """
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    mode = columns.modes[up]
    S = columns.section
    G = columns.pulled
    wrench_columns(G, S, m, carried, wrench)
    half = columns.carried[columns.even[up]]
    one = work.zero + 1.0
    for row in range(CARRIED):
        add_scaled(half[row, mode:], 0, m, (one,), (G[row],))
    # virtual work of the wrench on how the section's motion changes with the modes
    phi = model.sections.phi[i]
    psi = model.sections.psi[i]
    place, axes, by_y, by_z = section
    torque, push = wrench
    own = subtract(torque, cross(place, push))
    twisting = dot(axes[0], own)
    y_share = (dot(by_y[0], own), dot(by_y[1], own), dot(by_y[2], own))
    z_share = (dot(by_z[0], own), dot(by_z[1], own), dot(by_z[2], own))
    for r in range(m):
        force = (S[0, r], S[1, r], S[2, r], S[3, r], S[4, r], S[5, r])
        row = columns.by_place[mode + r, mode:]
        add_scaled(row, 0, m, force, (G[6], G[7], G[8], G[9], G[10], G[11]))
        add_scaled(columns.by_rate[mode + r, mode:], 0, m, force, (G[12], G[13], G[14], G[15], G[16], G[17]))
        add_scaled(columns.by_acceleration[mode + r, mode:], 0, m, force, (G[0], G[1], G[2], G[3], G[4], G[5]))
        share = (S[ABOUT, r], psi[1, r], psi[2, r])
        swung = cross(push, force)
        by = (dot(y_share, share), dot(z_share, share), -swung[0], -swung[1], -swung[2])
        add_scaled(row, 0, m, by, (psi[1], psi[2], S[ALONG], phi[1], phi[2]))
        if model.tree.second_order[up] == 1:
            add_scaled(row, 0, m, (twisting, -push[0]), (model.sections.twist[i, r], model.sections.shortening[i, r]))


@inline
def wrench_columns(G, S, m, carried, wrench):
    """Set G (CARRIED, m) to what the motions S (MOTION, m) do to the wrench of what is `carried`, (5), (6).

    carried: (mass, first moment, J, momentum, swirl) about the point of the motions.
    """
    mass, moment, J, P, Q = carried
    torque, push = wrench
    spread = Q[0][0] + Q[1][1] + Q[2][2]
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        by_turn = (J[c][0], J[c][1], J[c][2], moment[a], -moment[b])
        by_shift = (mass, moment[b], -moment[a])
        swirl = (-2.0 * Q[0][c], -2.0 * Q[1][c], -2.0 * Q[2][c], 2.0 * spread)
        back = (-2.0 * Q[c][0], -2.0 * Q[c][1], -2.0 * Q[c][2], 2.0 * spread, 2.0 * P[a], -2.0 * P[b])
        u, y, z = S[SHIFT:], S[ACCEL:], S[ACCEL_BY_RATE:]
        set_scaled(G[c], 0, m, by_turn, (u[0], u[1], u[2], u[3 + b], u[3 + a]))
        set_scaled(G[3 + c], 0, m, by_shift, (u[3 + c], u[a], u[b]))
        set_scaled(G[6 + c], 0, m, by_turn, (y[0], y[1], y[2], y[3 + b], y[3 + a]))
        set_scaled(G[9 + c], 0, m, by_shift, (y[3 + c], y[a], y[b]))
        set_scaled(G[12 + c], 0, m, by_turn, (z[0], z[1], z[2], z[3 + b], z[3 + a]))
        set_scaled(G[15 + c], 0, m, by_shift, (z[3 + c], z[a], z[b]))
        set_scaled(G[18 + c], 0, m, back, (u[0], u[1], u[2], u[c], u[3 + b], u[3 + a]))
        x = S[SPIN:]
        add_scaled(
            G[6 + c], 0, m,
            (swirl[0], swirl[1], swirl[2], swirl[3], torque[b], -torque[a], push[b], -push[a]),
            (x[0], x[1], x[2], x[c], u[a], u[b], u[3 + a], u[3 + b]),
        )  # fmt: skip
        add_scaled(G[9 + c], 0, m, (2.0 * P[b], -2.0 * P[a], push[b], -push[a]), (x[a], x[b], u[a], u[b]))
        add_scaled(G[12 + c], 0, m, swirl, (u[0], u[1], u[2], u[c]))
        add_scaled(G[15 + c], 0, m, (2.0 * P[b], -2.0 * P[a]), (u[a], u[b]))
