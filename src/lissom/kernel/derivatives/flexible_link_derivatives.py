"""How the forces of a link by itself, inertial and elastic, change with its own modes and their rates, (12) to (15).

The mass of the link has the acceleration gamma = a + alpha x s + omega x (omega x s + 2 s') + s''; the force on mode r
is the integral of d_r . gamma, d_r = d s/d eta_r. Foreshortening counts as one more function -psi_p per form A_p, along
its axis.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.derivatives.columns import BY_MOTION, BY_PLACE, BY_RATE, BY_SPIN
from lissom.kernel.derivatives.section_motion import spin_matrix
from lissom.kernel.links.body_inertia import body_inertia
from lissom.kernel.maths.algebra import add, compose, cross, dot, rotate, scale, subtract, transpose, vector
from lissom.kernel.maths.row_sums import add_rows
from lissom.kernel.maths.simd_rows import add_scaled, set_scaled


@inline
def cross_moment(B):
    """Return the sum of a x b of the moments B[i][j] of a_i b_j."""
    return (B[1][2] - B[2][1], B[2][0] - B[0][2], B[0][1] - B[1][0])


@inline
def couplings(row):
    """Return the first nine entries of a row as a matrix: moments of s_a, or its rates, with d_b."""
    return ((row[0], row[1], row[2]), (row[3], row[4], row[5]), (row[6], row[7], row[8]))


@inline
def add_link_derivatives(model, work, columns, i, q, v, qdd):
    """Add body i's own part to the columns of its modes: by place, rate and acceleration. Fills work.inertia[i]."""
    m = model.tree.modes[i]
    at = model.tree.modes_v[i]
    mode = columns.modes[i]
    w = vector(work.omega[i])
    a = vector(work.acceleration[i, 3:6])
    W = spin_matrix(w, vector(work.acceleration[i, 0:3]))
    body_inertia(model, work, i, q, v)
    A = work.inertia[i]
    one = work.zero + 1.0
    add_elastic_derivatives(model, columns, i, q, v, one)
    gyro = model.inertia.gyroscopic[i]
    for r in range(m):
        by = (-2.0 * w[0], -2.0 * w[1], -2.0 * w[2])
        add_scaled(columns.by_rate[mode + r, mode:], 0, m, by, (gyro[0, r], gyro[1, r], gyro[2, r]))
        for k in range(r, m):
            columns.by_acceleration[mode + r, mode + k] += A[r, k]
            if k > r:
                columns.by_acceleration[mode + k, mode + r] += A[r, k]
    flat = (W[0][0], W[0][1], W[0][2], W[1][0], W[1][1], W[1][2], W[2][0], W[2][1],
            W[2][2])  # fmt: skip
    # moments of s' and s'' with d_k, without foreshortening; d_r . (alpha~ + w~ w~) d_k
    rates = columns.rates
    drifts = columns.drifts
    for k in range(m):
        for c in range(12):
            rates[k, c] = work.zero
            drifts[k, c] = work.zero
    for term in range(model.inertia.coupled_start[i], model.inertia.coupled_start[i + 1]):
        r = model.inertia.coupled[term, 0]
        entry = model.inertia.coupled[term, 1]
        value = model.inertia.coupling_eta[i, r, entry]
        k = entry // 12
        pair = entry - 12 * k
        rates[k, pair] += value * v[at + r]
        drifts[k, pair] += value * qdd[at + r]
        if pair < 9:
            columns.by_place[mode + r, mode + k] += value * flat[pair]
    if model.tree.second_order[i] == 1:
        for p in range(model.foreshortening.start[i], model.foreshortening.start[i + 1]):
            add_foreshortening_derivatives(model, work, columns, i, p, q, v, qdd)
    half = columns.carried[columns.even[i]]
    for k in range(m):
        # c: moments of s with d_k; sums of d_k over the mass
        row = work.coupling_rows[k]
        c = couplings(row)
        sum_k = (row[9], row[10], row[11])
        e = couplings(rates[k])
        h = couplings(drifts[k])
        # N: moments of gamma with d_k
        turned = compose(W, c)
        swept = compose(tilde(w), e)
        N = (gamma_row(a[0], sum_k, turned[0], swept[0], h[0]),
             gamma_row(a[1], sum_k, turned[1], swept[1], h[1]),
             gamma_row(a[2], sum_k, turned[2], swept[2], h[2]))  # fmt: skip
        lever = cross_moment(compose(c, transpose(W)))
        torque = subtract(lever, cross_moment(N))
        force = rotate(W, sum_k)
        rate_torque = scale(2.0, cross_moment(compose(c, transpose(tilde(w)))))
        rate_force = scale(2.0, cross(w, sum_k))
        spin = scale(2.0, cross_moment(add_matrices(compose(tilde(w), c), e)))
        at_k = mode + k
        for x in range(3):
            half[BY_MOTION + x, at_k] += A[k, m + x]
            half[BY_MOTION + 3 + x, at_k] += A[k, m + 3 + x]
            half[BY_PLACE + x, at_k] += torque[x]
            half[BY_PLACE + 3 + x, at_k] += force[x]
            half[BY_RATE + x, at_k] += rate_torque[x]
            half[BY_RATE + 3 + x, at_k] += rate_force[x]
            half[BY_SPIN + x, at_k] += spin[x]


@inline
def gamma_row(a, total, turned, swept, drift):
    """Return a row of the moments of gamma with d_k."""
    return add(add(scale(a, total), turned), add(scale(2.0, swept), drift))


@inline
def tilde(w):
    """Return the matrix of w x."""
    zero = 0.0 * w[0]
    return ((zero, -w[2], w[1]), (w[2], zero, -w[0]), (-w[1], w[0], zero))


@inline
def add_matrices(A, B):
    """Return A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


@inline
def add_elastic_derivatives(model, columns, i, q, v, one):
    """Add stiffness and damping of a link, those of its cubic strain energy as well."""
    m = model.tree.modes[i]
    mode = columns.modes[i]
    eta = model.tree.modes_q[i]
    rate = model.tree.modes_v[i]
    for r in range(m):
        add_scaled(columns.by_place[mode + r, mode:], 0, m, (one,), (model.strain.stiffness[i, r],))
        if model.strain.damped[i] == 1:
            add_scaled(columns.by_rate[mode + r, mode:], 0, m, (one,), (model.strain.damping[i, r],))
    for term in range(model.strain.cubic_start[i], model.strain.cubic_start[i + 1]):
        stiffness = model.strain.cubic[term]
        damping = model.strain.cubic_damping[term]
        for turn in range(3):  # each pair of the three modes; the third one's amplitude is the factor
            a = model.strain.cubic_modes[term, turn]
            b = model.strain.cubic_modes[term, (turn + 1) % 3]
            c = model.strain.cubic_modes[term, (turn + 2) % 3]
            slope = stiffness * q[eta + c] + damping * v[rate + c]
            columns.by_place[mode + a, mode + b] += slope
            columns.by_place[mode + b, mode + a] += slope
            columns.by_rate[mode + a, mode + b] += damping * q[eta + c]
            columns.by_rate[mode + b, mode + a] += damping * q[eta + c]


@inline
def add_foreshortening_derivatives(model, work, columns, i, p, q, v, qdd):
    """Add what function p of the foreshortening brings, to the moments of s' and s'' with d_k as well.

    sigma = 1/2 eta A eta; pull, pull_rate, pull_drift are A eta, A eta', A eta''. Vectors are along a, b, c: the axis
    of p and the two that follow it.
    """
    m = model.tree.modes[i]
    reach = model.foreshortening.reach[p]
    at = model.tree.modes_v[i]
    eta = model.tree.modes_q[i]
    mode = columns.modes[i]
    zero = work.zero
    a = model.foreshortening.axis[p]
    b = (a + 1) % 3
    c = (a + 2) % 3
    acceleration = work.acceleration[i]
    w = (work.omega[i, a], work.omega[i, b], work.omega[i, c])
    W = spin_matrix(w, (acceleration[a], acceleration[b], acceleration[c]))
    form = model.foreshortening.form[p]
    phi = model.foreshortening.phi[p]
    weight = model.foreshortening.weight[p]
    pull = columns.beside[0]
    pull_rate = columns.beside[1]
    pull_drift = columns.beside[2]
    for row in range(3):
        set_scaled(columns.beside[row], 0, m, (zero,), (phi[0],))
    add_rows(pull, q, eta, form, reach, reach)
    add_rows(pull_rate, v, at, form, reach, reach)
    add_rows(pull_drift, qdd, at, form, reach, reach)
    sigma = zero
    sigma_rate = zero
    sigma_drift = zero
    s0 = model.foreshortening.s0[p]
    place = (s0[a] + zero, s0[b] + zero, s0[c] + zero)
    rate = (zero, zero, zero)
    drift = (zero, zero, zero)
    for j in range(m):
        x, dx, ddx = q[eta + j], v[at + j], qdd[at + j]
        sigma += 0.5 * pull[j] * x
        sigma_rate += pull[j] * dx
        sigma_drift += pull_rate[j] * dx + pull_drift[j] * x
        along = (phi[a, j], phi[b, j], phi[c, j])
        place = add(place, scale(x, along))
        rate = add(rate, scale(dx, along))
        drift = add(drift, scale(ddx, along))
    # moments of d_k with s' and s'', the foreshortening's share
    for k in range(m):
        drawn = pull[k]
        for row in range(3):
            columns.rates[k, 3 * a + row] -= sigma_rate * phi[row, k]
            columns.drifts[k, 3 * a + row] -= sigma_drift * phi[row, k]
        columns.rates[k, 4 * a] -= drawn * rate[0] - sigma_rate * drawn
        columns.rates[k, 3 * b + a] -= drawn * rate[1]
        columns.rates[k, 3 * c + a] -= drawn * rate[2]
        columns.drifts[k, 4 * a] -= drawn * drift[0] - sigma_drift * drawn
        columns.drifts[k, 3 * b + a] -= drawn * drift[1]
        columns.drifts[k, 3 * c + a] -= drawn * drift[2]
    place = subtract(place, (sigma, zero, zero))
    rate = subtract(rate, (sigma_rate, zero, zero))
    # acceleration of the mass along the axis, weighted with psi_p
    gamma = weight * acceleration[3 + a] + dot(W[0], place) + drift[0] - sigma_drift
    gamma += 2.0 * (w[1] * rate[2] - w[2] * rate[1])
    X = W[0]
    Y = (W[0][0], W[1][0], W[2][0])
    rows = (phi[a], phi[b], phi[c], pull, pull_rate, pull_drift)
    for r in range(m):
        drawn = pull[r]
        along = (phi[a, r], phi[b, r], phi[c, r])
        sway = w[2] * along[1] - w[1] * along[2]
        by = (
            -drawn * X[0], -drawn * X[1], -drawn * X[2],
            X[0] * drawn - dot(Y, along), -2.0 * sway, drawn - along[0],
        )  # fmt: skip
        add_scaled(columns.by_place[mode + r, mode:], 0, m, by, rows)
        if r < reach:
            add_scaled(columns.by_place[mode + r, mode:], 0, reach, (-gamma,), (form[r],))
        by_rate = (2.0 * drawn * w[2], -2.0 * drawn * w[1], -2.0 * sway, 2.0 * (drawn - along[0]))
        add_scaled(columns.by_rate[mode + r, mode:], 0, m, by_rate, (phi[b], phi[c], pull, pull_rate))
    # torque and force on the link
    half = columns.carried[columns.even[i]]
    across = (zero, w[2], -w[1])  # omega x e_a
    lever = cross(place, across)
    for k in range(reach):
        at_k = mode + k
        half[BY_PLACE + a, at_k] -= 2.0 * pull_rate[k] * lever[0]
        half[BY_PLACE + b, at_k] -= 2.0 * pull_rate[k] * lever[1] + pull_drift[k] * place[2]
        half[BY_PLACE + c, at_k] -= 2.0 * pull_rate[k] * lever[2] - pull_drift[k] * place[1]
        half[BY_PLACE + 3 + a, at_k] -= weight * pull_drift[k]
        half[BY_PLACE + 3 + b, at_k] -= 2.0 * weight * pull_rate[k] * across[1]
        half[BY_PLACE + 3 + c, at_k] -= 2.0 * weight * pull_rate[k] * across[2]
        half[BY_RATE + b, at_k] -= 2.0 * pull_rate[k] * place[2]
        half[BY_RATE + c, at_k] += 2.0 * pull_rate[k] * place[1]
        half[BY_RATE + 3 + a, at_k] -= 2.0 * weight * pull_rate[k]
