"""Poses of a link's stations in the link frame, with their derivatives by the modal amplitudes and by time.

With slopes v', w', curvatures v'', w'', twist t and stretch a', each a sum over modes, and u = v'^2 + w'^2, the centre
line and the section's rotation are

    r' = (1, 0, 0) + (a', v', w') + ((1 + e)(c - 1), e v', e w')
    R  = bend(g) roll(phi),  g = b (0, -w', v') (Gibbs vector),  phi' = t' + k (v' w'' - w' v'')

    order   e    c                b              k
    zero    0    1                1/2 + u/24     0
    first   0    1 - u/2          1/2 + u/24     1/2
    high    a'   sqrt(1 - u)      1/(1 + c)      1/(1 + c)

At high order r' = (1 + a')(c, v', w') has length 1 + a' and R carries e_x along it: nothing is cut. At zero and first
order only sections that carry other links turn by R; the mass turns by identity plus skew of (t, -w', v').
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import inline, kernel

ZERO, FIRST, HIGH = 0, 1, 2


@inline
def cosine(order, u):
    """Return c and its first two derivatives by u."""
    if order == HIGH:
        c = np.sqrt(1.0 - u)
        return c, -0.5 / c, -0.25 / (c * c * c)
    if order == FIRST:
        return 1.0 - 0.5 * u, -0.5 + 0.0 * u, 0.0 * u
    return 1.0 + 0.0 * u, 0.0 * u, 0.0 * u


@inline
def half_secant(u):
    """1/(1 + c) with c = sqrt(1 - u), and its first two derivatives by u."""
    c = np.sqrt(1.0 - u)
    b = 1.0 / (1.0 + c)
    return b, 0.5 * b * b / c, 0.25 * b * b / (c * c) * (1.0 / c + 2.0 * b)


@inline
def gibbs(order, u):
    """Return b and its first two derivatives by u."""
    if order == HIGH:
        return half_secant(u)
    return 0.5 + u / 24.0, 1.0 / 24.0 + 0.0 * u, 0.0 * u


@inline
def roll_factor(order, u):
    """Return k and its first two derivatives by u."""
    if order == HIGH:
        return half_secant(u)
    return 0.5 + 0.0 * u, 0.0 * u, 0.0 * u


@inline
def rates(row, q, v, a, at_q, at_v, m):
    """Return a sum over modes, and its first and second time derivative."""
    x = row[0] * q[at_q]
    xd = row[0] * v[at_v]
    xdd = row[0] * a[at_v]
    for j in range(1, m):
        x += row[j] * q[at_q + j]
        xd += row[j] * v[at_v + j]
        xdd += row[j] * a[at_v + j]
    return x, xd, xdd


@kernel
def nonlinear_terms(tables, work, i, q, v, a):
    """Compute what r' and phi' have beyond their linear parts, at every node of link i.

    work.term (k, 3, 4): value, first and second rate of the four terms; work.term_modes (k, 4, m): derivatives.

    Equations: 004 (17), (21)-(23).
    """
    order, m, at_q, at_v = tables.order[i], tables.modes[i], tables.modes_q[i], tables.modes_v[i]
    for k in range(tables.first_node[i], tables.first_node[i + 1]):
        slope, strain = tables.slope[k], tables.strain[k]
        s, sd, sdd = rates(slope[0], q, v, a, at_q, at_v, m)
        w, wd, wdd = rates(slope[1], q, v, a, at_q, at_v, m)
        s1, s1d, s1dd = rates(strain[3], q, v, a, at_q, at_v, m)
        w1, w1d, w1dd = rates(strain[2], q, v, a, at_q, at_v, m)  # -w''
        u, ud = s * s + w * w, 2.0 * (s * sd + w * wd)
        udd = 2.0 * (sd * sd + wd * wd + s * sdd + w * wdd)
        c, c1, c2 = cosine(order, u)
        cd, cdd = c1 * ud, c2 * ud * ud + c1 * udd
        r, r1, r2 = roll_factor(order, u)
        rd, rdd = r1 * ud, r2 * ud * ud + r1 * udd
        p = -s * w1 - w * s1
        pd = -sd * w1 - s * w1d - wd * s1 - w * s1d
        pdd = -sdd * w1 - 2.0 * sd * w1d - s * w1dd - wdd * s1 - 2.0 * wd * s1d - w * s1dd
        e, ed, edd = 0.0 * u, 0.0 * u, 0.0 * u
        if order == HIGH:
            e, ed, edd = rates(strain[0], q, v, a, at_q, at_v, m)
        term = work.term[k]
        term[0, 0] = (1.0 + e) * (c - 1.0)
        term[1, 0] = ed * (c - 1.0) + (1.0 + e) * cd
        term[2, 0] = edd * (c - 1.0) + 2.0 * ed * cd + (1.0 + e) * cdd
        term[0, 1], term[1, 1], term[2, 1] = e * s, ed * s + e * sd, edd * s + 2.0 * ed * sd + e * sdd
        term[0, 2], term[1, 2], term[2, 2] = e * w, ed * w + e * wd, edd * w + 2.0 * ed * wd + e * wdd
        term[0, 3], term[1, 3], term[2, 3] = r * p, rd * p + r * pd, rdd * p + 2.0 * rd * pd + r * pdd
        by_mode = work.term_modes[k]
        for j in range(m):
            u_j = 2.0 * (s * slope[0, j] + w * slope[1, j])
            e_j = strain[0, j] if order == HIGH else 0.0 * strain[0, j]
            p_j = -slope[0, j] * w1 - s * strain[2, j] - slope[1, j] * s1 - w * strain[3, j]
            by_mode[0, j] = e_j * (c - 1.0) + (1.0 + e) * c1 * u_j
            by_mode[1, j] = e_j * s + e * slope[0, j]
            by_mode[2, j] = e_j * w + e * slope[1, j]
            by_mode[3, j] = r1 * u_j * p + r * p_j


@kernel
def station_poses(tables, work, i, q, v, a):
    """Poses S of the stations of body i, their rates Sd, Sdd and derivatives dS by the modes.

    work.S, Sd, Sdd (s, 4, 4); work.dS (s, 12, m): entry 4 row + column, the last row being zero.

    Equations: 004 (5)-(6), (10).
    """
    m = tables.modes[i]
    if m == 0:
        return  # a rigid link's station is the identity for ever
    order, at_q, at_v = tables.order[i], tables.modes_q[i], tables.modes_v[i]
    if order != ZERO:
        nonlinear_terms(tables, work, i, q, v, a)
    first = tables.first_node[i]
    value, by_mode = work.value, work.value_modes
    for s in range(tables.first_station[i], tables.first_station[i + 1]):
        # centre line r and roll angle phi: values with two rates, and derivatives
        for k in range(3):
            value[0, k], value[1, k], value[2, k] = rates(tables.phi[s, k], q, v, a, at_q, at_v, m)
        value[0, 3], value[1, 3], value[2, 3] = rates(tables.psi[s, 0], q, v, a, at_q, at_v, m)
        value[0, 0] += tables.reach[s]
        for j in range(m):
            for k in range(3):
                by_mode[k, j] = tables.phi[s, k, j]
            by_mode[3, j] = tables.psi[s, 0, j]
        if order != ZERO:
            for n in range(tables.first_node[i + 1] - first):
                weight = tables.running[s, n]
                for k in range(4):
                    if order == FIRST and (k == 1 or k == 2):
                        continue
                    for d in range(3):
                        value[d, k] += weight * work.term[first + n, d, k]
                    for j in range(m):
                        by_mode[k, j] += weight * work.term_modes[first + n, k, j]
        work.roll[s, 0], work.roll[s, 1] = value[0, 3], value[1, 3]
        for j in range(m):
            work.roll_modes[s, j] = by_mode[3, j]
        for k in range(3):
            work.S[s, k, 3], work.Sd[s, k, 3], work.Sdd[s, k, 3] = value[0, k], value[1, k], value[2, k]
            for j in range(m):
                work.dS[s, 4 * k + 3, j] = by_mode[k, j]
        if tables.turns[s] == 1:
            proper_rotation(tables, work, s, order, q, v, a, at_q, at_v, m)
        else:
            linear_rotation(tables, work, s, q, v, a, at_q, at_v, m)


@inline
def store_skew(x, y, z, unit, out):
    """Rotation block of `out`: unit times the identity plus the skew matrix of (x, y, z)."""
    out[0, 0], out[0, 1], out[0, 2] = unit + 0.0 * x, -z, y
    out[1, 0], out[1, 1], out[1, 2] = z, unit + 0.0 * x, -x
    out[2, 0], out[2, 1], out[2, 2] = -y, x, unit + 0.0 * x


@inline
def linear_rotation(tables, work, s, q, v, a, at_q, at_v, m):
    """Identity plus skew of (t, -w', v').

    Equations: 004 (4).
    """
    psi, dS = tables.psi[s], work.dS[s]
    x, xd, xdd = rates(psi[0], q, v, a, at_q, at_v, m)
    y, yd, ydd = rates(psi[1], q, v, a, at_q, at_v, m)
    z, zd, zdd = rates(psi[2], q, v, a, at_q, at_v, m)
    store_skew(x, y, z, 1.0, work.S[s])
    store_skew(xd, yd, zd, 0.0, work.Sd[s])
    store_skew(xdd, ydd, zdd, 0.0, work.Sdd[s])
    for j in range(m):
        dS[1, j], dS[2, j], dS[6, j] = -psi[2, j], psi[1, j], -psi[0, j]
        dS[4, j], dS[8, j], dS[9, j] = psi[2, j], -psi[1, j], psi[0, j]


@inline
def proper_rotation(tables, work, s, order, q, v, a, at_q, at_v, m):
    """R = bend(g) roll(phi) with R' = R w~ for every derivative, w the angular velocity in the section's axes."""
    psi, dS, R = tables.psi[s], work.dS[s], work.S[s]
    y, yd, ydd = rates(psi[1], q, v, a, at_q, at_v, m)
    z, zd, zdd = rates(psi[2], q, v, a, at_q, at_v, m)
    u, ud, udd = y * y + z * z, 2.0 * (y * yd + z * zd), 2.0 * (yd * yd + zd * zd + y * ydd + z * zdd)
    b, b1, b2 = gibbs(order, u)
    bd, bdd = b1 * ud, b2 * ud * ud + b1 * udd
    gy, gyd, gydd = b * y, bd * y + b * yd, bdd * y + 2.0 * bd * yd + b * ydd
    gz, gzd, gzdd = b * z, bd * z + b * zd, bdd * z + 2.0 * bd * zd + b * zdd
    phi, phid, phidd = work.value[0, 3], work.value[1, 3], work.value[2, 3]
    cos, sin = np.cos(phi), np.sin(phi)
    f = 2.0 / (1.0 + gy * gy + gz * gz)
    fd = -f * f * (gy * gyd + gz * gzd)
    xy, yy, yz = f * gz, 1.0 - f * gz * gz, f * gy * gz  # columns of bend(g)
    zz = 1.0 - f * gy * gy
    R[0, 0] = 1.0 - f * (gy * gy + gz * gz)
    R[1, 0], R[2, 0] = xy, -f * gy
    R[0, 1], R[0, 2] = -xy * cos + f * gy * sin, xy * sin + f * gy * cos
    R[1, 1], R[1, 2] = yy * cos + yz * sin, -yy * sin + yz * cos
    R[2, 1], R[2, 2] = yz * cos + zz * sin, -yz * sin + zz * cos
    # angular velocity of bend: f (g' - g x g'); roll turns it and adds its own
    bx, by, bz = -f * (gy * gzd - gz * gyd), f * gyd, f * gzd
    ax = -fd * (gy * gzd - gz * gyd) - f * (gy * gzdd - gz * gydd)
    ay, az = fd * gyd + f * gydd, fd * gzd + f * gzdd
    wx, wy, wz = bx + phid, cos * by + sin * bz, -sin * by + cos * bz
    ex, ey, ez = ax + phidd, cos * ay + sin * az + phid * wz, -sin * ay + cos * az - phid * wy
    store_turned(R, wx, wy, wz, work.Sd[s])
    # second rate: R (e~ + w~ w~), w~ w~ = w w^T - |w|^2
    Sdd = work.Sdd[s]
    store_turned(R, ex, ey, ez, Sdd)
    square = wx * wx + wy * wy + wz * wz
    for k in range(3):
        along = R[k, 0] * wx + R[k, 1] * wy + R[k, 2] * wz
        Sdd[k, 0] += along * wx - square * R[k, 0]
        Sdd[k, 1] += along * wy - square * R[k, 1]
        Sdd[k, 2] += along * wz - square * R[k, 2]
    for j in range(m):
        u_j = 2.0 * (y * psi[1, j] + z * psi[2, j])
        gy_j, gz_j = b1 * u_j * y + b * psi[1, j], b1 * u_j * z + b * psi[2, j]
        wx = work.value_modes[3, j] - f * (gy * gz_j - gz * gy_j)
        wy, wz = f * (cos * gy_j + sin * gz_j), f * (cos * gz_j - sin * gy_j)
        for k in range(3):
            dS[4 * k, j] = R[k, 1] * wz - R[k, 2] * wy
            dS[4 * k + 1, j] = R[k, 2] * wx - R[k, 0] * wz
            dS[4 * k + 2, j] = R[k, 0] * wy - R[k, 1] * wx


@inline
def store_turned(R, x, y, z, out):
    """Rotation block of `out` = R w~, w = (x, y, z)."""
    for k in range(3):
        out[k, 0] = R[k, 1] * z - R[k, 2] * y
        out[k, 1] = R[k, 2] * x - R[k, 0] * z
        out[k, 2] = R[k, 0] * y - R[k, 1] * x
