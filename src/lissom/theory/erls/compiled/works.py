"""Virtual works of one link with the constant matrices of appendices D and E; forces on (rotation, translation, q)."""

from __future__ import annotations

from lissom.kernel.compile import kernel
from lissom.kernel.maths.algebra import dot, matrix, rotate_back, vector


@kernel
def link_products(table, work, i):
    """Products of the constant matrices of link i with q: X q, Y q, Z q and W q (views of Mq); X with 2 q' + omega.

    Equations: 001 (85), (93).
    """
    n, q, rate = 6 + table.modes[i], work.q[i], work.q_rate[i]
    for b in range(n):
        work.moved[b] = 2.0 * rate[b]
    for b in range(3):
        work.moved[b] += work.V[i, b]  # B (omega, 0): the rigid motion itself
    for s in range(work.Mq.shape[0]):
        for a in range(n):
            row, total = table.constants[i, s, a], 0.0
            for b in range(n):
                total += row[b] * q[b]
            work.Mq[s, a] = total
    for k in range(3):
        for a in range(n):
            row, total = table.constants[i, k, a], 0.0
            for b in range(n):
                total += row[b] * work.moved[b]
            work.X_moved[k, a] = total


@kernel
def link_inertia(table, work, i):
    """L_i of (71), for accelerations (alpha, a_0, q ddot) of link i.

    Equations: 001 (50), (71)-(73), (86).
    """
    n, q = 6 + table.modes[i], work.q[i]
    L, mass, Xq, Zq = work.L, table.modal_mass[i], work.Xq, work.Zq
    for a in range(n):
        for b in range(n):
            L[6 + a, 6 + b] = mass[a, b]
        for r in range(6):
            L[r, 6 + a] = mass[r, a]
        for r in range(3):
            L[r, 6 + a] += Xq[r, a]
        for r in range(6):
            L[6 + a, r] = L[r, 6 + a]
    for r in range(6):
        for c in range(6):
            L[r, c] = mass[r, c]
    for r in range(3):
        for c in range(6):
            L[r, c] += Xq[r, c]
            L[c, r] += Xq[r, c]
        for d in range(3):
            for b in range(n):
                L[r, d] += Zq[r, d, b] * q[b]


@kernel
def link_works(table, work, i, out):
    """(51) and (59): out (6 + k,) = forces of velocities, gravity, stiffness and damping on link i.

    Equations: 001 (51)-(54), (59)-(63), (71)-(73).
    """
    n, q, rate, Xm = 6 + table.modes[i], work.q[i], work.q_rate[i], work.X_moved
    x, y, z = vector(work.V[i])
    omega = (x, y, z)
    s = (y * y + z * z, x * x + z * z, x * x + y * y, x * y, x * z, y * z)  # s_t of (88)
    gravity = rotate_back(matrix(work.world_R[i]), vector(table.gravity))
    for a in range(n):
        total = dot(table.Q[i, 3, a], gravity) - (x * Xm[0, a] + y * Xm[1, a] + z * Xm[2, a])
        for t in range(6):
            total += s[t] * work.Yq[t, a]
        out[6 + a] = total
    for r in range(6):  # the rigid modes are the motions of the frame itself
        out[r] = out[6 + r]
    for r in range(3):
        total = 0.0
        for a in range(n):
            part = dot(table.Q[i, r, a], gravity)
            for t in range(6):
                part += s[t] * work.Wq[r, t, a]
            total += q[a] * part
            for d in range(3):  # q^T Z_rd = (Z_dr q)^T
                total -= omega[d] * work.Zq[d, r, a] * work.moved[a]
        out[r] += total
    for a in range(table.modes[i]):
        for b in range(table.modes[i]):
            out[12 + a] -= table.stiffness[i, a, b] * q[6 + b] + table.damping[i, a, b] * rate[6 + b]


@kernel
def link_forces(table, work, i, out):
    """Compute out (6 + k,): what must act on (rotation, translation, q) of link i for the accelerations in `work`.

    Equations: 001 (74).
    """
    n, L = 6 + table.modes[i], work.L
    link_products(table, work, i)
    link_inertia(table, work, i)
    link_works(table, work, i, out)
    for r in range(6 + n):
        total = -out[r]
        for c in range(6):
            total += L[r, c] * work.A[i, c]
        for c in range(n):
            total += L[r, 6 + c] * work.q_second[i, c]
        out[r] = total


@kernel
def energies(table, work):
    """(kinetic, gravity, strain) energy of all links for the frames and rates in `work`."""
    kinetic, gravity, strain = 0.0, 0.0, 0.0
    for i in range(table.parent.shape[0]):
        n, q = 6 + table.modes[i], work.q[i]
        link_products(table, work, i)
        link_inertia(table, work, i)
        for r in range(6 + n):
            row, total = work.L[r], 0.0
            for c in range(6):
                total += row[c] * work.V[i, c]
            for c in range(n):
                total += row[6 + c] * work.q_rate[i, c]
            kinetic += 0.5 * total * (work.V[i, r] if r < 6 else work.q_rate[i, r - 6])
        R = matrix(work.world_R[i])
        field, origin = rotate_back(R, vector(table.gravity)), rotate_back(R, vector(work.world_p[i]))
        for c in range(3):
            moment = table.mass[i] * origin[c] + table.centre[i, c]
            for a in range(n):
                moment += table.Q[i, 3, a, c] * q[a]
            gravity -= field[c] * moment
        for a in range(table.modes[i]):
            for b in range(table.modes[i]):
                strain += 0.5 * q[6 + a] * table.stiffness[i, a, b] * q[6 + b]
    return kinetic, gravity, strain
