"""A link's own equations: the twist equation and the weak form of its deformation equation.

Every particle s of the link has the acceleration, in the axes of the body frame,

    c (v' + omega x v - g) + omega' x s + omega x (omega x s) + 2 omega x s' + s'',      s'' = (ds/deta) eta'' + ...

which is (97) of Yaqubi et al. 2026. Its sum gives the force row of the twist equation (9), its moment the torque row,
and its projection on ds/deta, with the elastic forces, the deformation equation (17) in weak form (60): all in

    mass z' + bias = wrenches at the ends + loads,      z = (omega, v, eta').
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.kinematics.forward_kinematics import quadratic_sums
from lissom.kernel.maths.algebra import add, cross, matrix, rotate_back, scale, subtract, vector
from lissom.theory.screw_pairs import load_pair, store_pair


@inline
def product(a, b, count):
    """sum_k a_k b_k."""
    total = 0.0
    for k in range(count):
        total += a[k] * b[k]
    return total


@kernel
def place_particles(table, work, i, q, v):
    """Positions s, velocities ds, drift of velocities acc and Jacobian jac of link i's particles, in the base frame.

    Equations: 003 (7)-(8).
    """
    first = table.start[i]
    count = table.start[i + 1] - first
    m = table.modes[i]
    at_q = table.modes_q[i]
    at_v = table.modes_v[i]
    # linear: s = place + sum_j shape_j eta_j, axis by axis
    for a in range(3):
        s = work.s[a]
        ds = work.ds[a]
        acc = work.acc[a]
        for k in range(count):
            s[k] = table.place[a, first + k]
            ds[k] = 0.0
            acc[k] = 0.0
        for j in range(m):
            shape = table.shape[j, a]
            jac = work.jac[j, a]
            eta = q[at_q + j]
            rate = v[at_v + j]
            for k in range(count):
                f = shape[first + k]
                jac[k] = f
                s[k] += f * eta
                ds[k] += f * rate
    # foreshortening draws particles back by 1/2 eta^T B eta, along x
    bending = table.bending[i]
    for k in range(table.foreshortened[i]):
        by_eta = work.eta_B[0]
        value, speed, drift = quadratic_sums(table.forms[first + k], q, v, at_q, at_v, bending, by_eta, 0.0)
        for j in range(bending):
            work.jac[j, 0, k] -= by_eta[j]
        work.s[0, k] -= 0.5 * value
        work.ds[0, k] -= speed
        work.acc[0, k] -= drift


@kernel
def move_particles(table, work, i, n):
    """Move the particles as the body frame sees them, which rides on the section in row n + i."""
    first = table.start[i]
    count = table.start[i + 1] - first
    m = table.modes[i]
    f = n + i
    R = matrix(work.R[f])
    p = vector(work.p[f])
    w, u = load_pair(work.U[f])
    dw, du = load_pair(work.dU[f])
    du = add(du, cross(w, u))  # acceleration of the section's origin, in its axes
    for k in range(count):
        c = table.carried[first + k]
        s = subtract((work.s[0, k], work.s[1, k], work.s[2, k]), scale(c, p))
        s = rotate_back(R, s)
        ds = rotate_back(R, (work.ds[0, k], work.ds[1, k], work.ds[2, k]))
        ds = subtract(subtract(ds, scale(c, u)), cross(w, s))
        acc = rotate_back(R, (work.acc[0, k], work.acc[1, k], work.acc[2, k]))
        acc = subtract(acc, scale(c, du))
        acc = subtract(acc, add(cross(dw, s), add(cross(w, cross(w, s)), scale(2.0, cross(w, ds)))))
        for a in range(3):
            work.s[a, k] = s[a]
            work.ds[a, k] = ds[a]
            work.acc[a, k] = acc[a]
        for j in range(m):
            jw, ju = load_pair(work.J[f, j])
            d = rotate_back(R, (work.jac[j, 0, k], work.jac[j, 1, k], work.jac[j, 2, k]))
            d = subtract(subtract(d, scale(c, ju)), cross(jw, s))
            for a in range(3):
                work.jac[j, a, k] = d[a]


@kernel
def accelerate_particles(table, work, i, w, carry):
    """acc: acceleration of every particle without z', times its sign; `carry` is that of the frame's origin.

    Equations: 003 (96)-(97).
    """
    first = table.start[i]
    count = table.start[i + 1] - first
    wx, wy, wz = w
    xx, yy, zz = -wy * wy - wz * wz, -wx * wx - wz * wz, -wx * wx - wy * wy
    s0, s1, s2 = work.s[0], work.s[1], work.s[2]
    d0, d1, d2 = work.ds[0], work.ds[1], work.ds[2]
    a0, a1, a2 = work.acc[0], work.acc[1], work.acc[2]
    for k in range(count):
        sign = table.sign[first + k]
        c = table.carried[first + k]
        x, y, z = s0[k], s1[k], s2[k]
        whirl_x = xx * x + wx * wy * y + wx * wz * z
        whirl_y = wx * wy * x + yy * y + wy * wz * z
        whirl_z = wx * wz * x + wy * wz * y + zz * z
        a0[k] = sign * (a0[k] + c * carry[0] + whirl_x + 2.0 * (wy * d2[k] - wz * d1[k]))
        a1[k] = sign * (a1[k] + c * carry[1] + whirl_y + 2.0 * (wz * d0[k] - wx * d2[k]))
        a2[k] = sign * (a2[k] + c * carry[2] + whirl_z + 2.0 * (wx * d1[k] - wy * d0[k]))


@kernel
def link_equations(table, work, i, n, q, v):
    """Fill mass (lower triangle) and bias of link i, without loads and applied modal forces."""
    place_particles(table, work, i, q, v)
    if table.moved[i] == 1:
        move_particles(table, work, i, n)
    w, u = load_pair(work.V[i])
    weight = rotate_back(matrix(work.world_R[i]), vector(table.gravity))
    accelerate_particles(table, work, i, w, subtract(cross(w, u), weight))
    twist_rows(table, work, i)
    deformation_rows(table, work, i)
    elastic_forces(table, i, table.modes[i], q, v, work.bias[i])


@inline
def twist_rows(table, work, i):
    """Inertia of link i about its body frame, first moment, mass, and the bias wrench.

    Equations: 003 (9)-(12), (14).
    """
    first = table.start[i]
    s0, s1, s2 = work.s[0], work.s[1], work.s[2]
    a0, a1, a2 = work.acc[0], work.acc[1], work.acc[2]
    sign, carried = table.sign, table.carried
    M = work.mass[i]
    mass = 0.0
    cx, cy, cz = 0.0, 0.0, 0.0
    gxx, gyy, gzz, gxy, gxz, gyz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    # sums over the particles: mass, first and second moments, force and torque of their accelerations
    for k in range(table.start[i + 1] - first):
        e = sign[first + k]
        c = carried[first + k]
        x, y, z = s0[k], s1[k], s2[k]
        mass += e * c * c
        cx += e * c * x
        cy += e * c * y
        cz += e * c * z
        gxx += e * x * x
        gyy += e * y * y
        gzz += e * z * z
        gxy += e * x * y
        gxz += e * x * z
        gyz += e * y * z
        ax, ay, az = a0[k], a1[k], a2[k]
        fx += c * ax
        fy += c * ay
        fz += c * az
        tx += y * az - z * ay
        ty += z * ax - x * az
        tz += x * ay - y * ax
    # the 6 x 6 inertia, angular first, and the bias wrench
    M[0, 0] = gyy + gzz
    M[1, 0] = -gxy
    M[1, 1] = gxx + gzz
    M[2, 0] = -gxz
    M[2, 1] = -gyz
    M[2, 2] = gxx + gyy
    for a in range(3):
        for b in range(3):
            M[3 + a, b] = 0.0
            M[3 + a, 3 + b] = 0.0
        M[3 + a, 3 + a] = mass
    M[3, 1] = cz
    M[3, 2] = -cy
    M[4, 0] = -cz
    M[4, 2] = cx
    M[5, 0] = cy
    M[5, 1] = -cx
    store_pair(work.bias[i], (tx, ty, tz), (fx, fy, fz))


@inline
def deformation_rows(table, work, i):
    """Compute the particles' accelerations along ds/deta_j: coupling with the twist, modal mass, bias.

    Equations: 003 (60)-(61), (64)-(65).
    """
    first = table.start[i]
    count = table.start[i + 1] - first
    s0, s1, s2 = work.s[0], work.s[1], work.s[2]
    a0, a1, a2 = work.acc[0], work.acc[1], work.acc[2]
    sign, carried = table.sign, table.carried
    for j in range(table.modes[i]):
        row = work.mass[i, 6 + j]
        j0, j1, j2 = work.jac[j, 0], work.jac[j, 1], work.jac[j, 2]
        e0, e1, e2 = work.signed[j, 0], work.signed[j, 1], work.signed[j, 2]
        # signed column of the Jacobian, once for all products below
        for k in range(count):
            e = sign[first + k]
            e0[k] = e * j0[k]
            e1[k] = e * j1[k]
            e2[k] = e * j2[k]
        # coupling with the twist, sum s x j and sum c j; bias, sum j . acc
        rx, ry, rz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        force = 0.0
        for k in range(count):
            x, y, z = e0[k], e1[k], e2[k]
            c = carried[first + k]
            rx += s1[k] * z - s2[k] * y
            ry += s2[k] * x - s0[k] * z
            rz += s0[k] * y - s1[k] * x
            lx += c * x
            ly += c * y
            lz += c * z
            force += j0[k] * a0[k] + j1[k] * a1[k] + j2[k] * a2[k]
        store_pair(row, (rx, ry, rz), (lx, ly, lz))
        work.bias[i, 6 + j] = force
        # modal mass, lower triangle
        for c in range(j + 1):
            other = work.jac[c]
            row[6 + c] = product(e0, other[0], count) + product(e1, other[1], count) + product(e2, other[2], count)


@inline
def elastic_forces(table, i, m, q, v, bias):
    """Add stiffness and damping of link i, with the cubic terms of twist and bending both ways, to its bias.

    Equations: 003 (15)-(16), (66).
    """
    at_q = table.modes_q[i]
    at_v = table.modes_v[i]
    for j in range(m):
        force = table.preload[i, j]
        for k in range(m):
            force += table.stiffness[i, j, k] * q[at_q + k] + table.damping[i, j, k] * v[at_v + k]
        bias[6 + j] += force
    for term in range(table.cubic_start[i], table.cubic_start[i + 1]):
        for turn in range(3):
            a = table.cubic_modes[term, turn]
            b = table.cubic_modes[term, (turn + 1) % 3]
            c = table.cubic_modes[term, (turn + 2) % 3]
            elastic = q[at_q + b] * q[at_q + c]
            rate = v[at_v + b] * q[at_q + c] + q[at_q + b] * v[at_v + c]
            bias[6 + a] += table.cubic[term] * elastic + table.cubic_damping[term] * rate
