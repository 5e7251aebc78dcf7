"""Solution of the stacked system by block elimination, from the tips to the base and back: O(n).

The unknowns of link i are z_i' = (V_i', eta_i'') and the wrench W_i of its joint. Its rows

    mass z' + bias = B^T W_i - sum_c X_c^T W_c,    P^T (B z' + base drift - X_i z_up' - gamma_i) = 0,    S^T W_i = force

are eliminated in this order, pivot by pivot: eta'' by its own rows; W_i by the twist rows; V' by the constraint rows,
which leave the joint's motion; that by the actuator rows. The parent is left with W_i = hinge y + hold, y = X_i z_up',
hence with X^T hinge X in its mass and X^T hold in its bias: no other row is touched.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.theory.screw_pde.compiled.section import from_base


@inline
def to_base(work, i, m):
    """Congruence of A, b to the coordinates (V_base', eta''): V' = B_V^-1 (V_base' - B_eta eta'' - drift).

    Full storage in, lower triangle used and filled.
    """
    s = 6 + m
    A = work.A[i]
    b = work.b[i]
    for r in range(s):
        for c in range(r):
            A[c, r] = A[r, c]
    N = work.X  # B_V^-1 [1, -B_eta, -drift]: rows of V'
    R = work.base_R[i]
    p = work.base_p[i]
    for c in range(s + 1):
        if c < 6:
            w0, w1, w2 = 1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2)
            u0, u1, u2 = 1.0 * (c == 3), 1.0 * (c == 4), 1.0 * (c == 5)
        elif c < s:
            g = work.base_J[i, c - 6]
            w0, w1, w2, u0, u1, u2 = -g[0], -g[1], -g[2], -g[3], -g[4], -g[5]
        else:
            g = work.base_gamma[i]
            w0, w1, w2, u0, u1, u2 = -g[0], -g[1], -g[2], -g[3], -g[4], -g[5]
        # Ad(g) of the base's pose
        x = R[0, 0] * w0 + R[0, 1] * w1 + R[0, 2] * w2
        y = R[1, 0] * w0 + R[1, 1] * w1 + R[1, 2] * w2
        z = R[2, 0] * w0 + R[2, 1] * w1 + R[2, 2] * w2
        l = R[0, 0] * u0 + R[0, 1] * u1 + R[0, 2] * u2 + p[1] * z - p[2] * y
        k = R[1, 0] * u0 + R[1, 1] * u1 + R[1, 2] * u2 + p[2] * x - p[0] * z
        h = R[2, 0] * u0 + R[2, 1] * u1 + R[2, 2] * u2 + p[0] * y - p[1] * x
        if c < s:
            N[0, c], N[1, c], N[2, c], N[3, c], N[4, c], N[5, c] = x, y, z, l, k, h
        else:
            drift = (x, y, z, l, k, h)
            for r in range(s):
                for d in range(6):
                    b[r] += A[r, d] * drift[d]
    # columns, then rows: A N
    for r in range(s):
        row = A[r]
        a0, a1, a2, a3, a4, a5 = row[0], row[1], row[2], row[3], row[4], row[5]
        for c in range(s):
            total = a0 * N[0, c] + a1 * N[1, c] + a2 * N[2, c] + a3 * N[3, c] + a4 * N[4, c] + a5 * N[5, c]
            row[c] = total + (row[c] if c >= 6 else 0.0)
    for c in range(s):
        a0, a1, a2, a3, a4, a5 = A[0, c], A[1, c], A[2, c], A[3, c], A[4, c], A[5, c]
        for r in range(s):
            total = a0 * N[0, r] + a1 * N[1, r] + a2 * N[2, r] + a3 * N[3, r] + a4 * N[4, r] + a5 * N[5, r]
            A[r, c] = total + (A[r, c] if r >= 6 else 0.0)
    b0, b1, b2, b3, b4, b5 = b[0], b[1], b[2], b[3], b[4], b[5]
    for r in range(s):
        total = b0 * N[0, r] + b1 * N[1, r] + b2 * N[2, r] + b3 * N[3, r] + b4 * N[4, r] + b5 * N[5, r]
        b[r] = total + (b[r] if r >= 6 else 0.0)


@inline
def eliminate_modes(A, b, own, m):
    """Eliminate unknowns 6 + m - 1 down to 6; rows keep what the way back needs. Smallest pivot per own inertia."""
    smallest = 1.0
    for back in range(m):
        k = 5 + m - back
        pivot = A[k]
        inverse = 1.0 / pivot[k]
        for r in range(k):
            factor = pivot[r] * inverse
            row = A[r]
            for c in range(r + 1):
                row[c] -= factor * pivot[c]
            b[r] -= factor * b[k]
        smallest = min(smallest, pivot[k] / own[k, k])
    return smallest


@inline
def eliminate_joint(table, work, i):
    """hinge, hold, AS and the factor D of joint i; A's leading block becomes a full symmetric matrix."""
    A = work.A[i]
    b = work.b[i]
    S = work.S[i]
    AS = work.AS[i]
    D = work.D[i]
    gamma = work.gamma[i]
    hinge = work.hinge[i]
    hold = work.hold[i]
    dofs = table.dofs[i]
    at = table.joint_v[i]
    # hinge = A and hold = b + A gamma before the joint gives way
    for r in range(6):
        for c in range(r):
            A[c, r] = A[r, c]
    for r in range(6):
        row = A[r]
        total = b[r]
        for c in range(6):
            hinge[r, c] = row[c]
            total += row[c] * gamma[c]
        hold[r] = total
    smallest = 1.0
    # one joint coordinate after the other: a rank-one step each
    for k in range(dofs):
        motion = S[k]
        pivot = table.armature[at + k]
        load = work.force[at + k]
        # AS = hinge s, D = armature + s . AS, force left on the joint = tau - s . hold
        before = pivot
        for r in range(6):
            total = 0.0
            for c in range(6):
                total += hinge[r, c] * motion[c]
            AS[k, r] = total
            pivot += motion[r] * total
            before += motion[r] * A[r, r] * motion[r]
            load -= motion[r] * hold[r]
        # a pivot that is small beside what it was made of tells that the joint's motion is not resisted
        inverse = 1.0 / pivot
        smallest = min(smallest, pivot / before if before > 0.0 else 0.0)
        D[k, 0] = inverse
        D[k, 1] = load
        # hinge - AS D^-1 AS^T, and hold + AS D^-1 (force left)
        for r in range(6):
            factor = AS[k, r] * inverse
            hold[r] += factor * load
            for c in range(6):
                hinge[r, c] -= factor * AS[k, c]
    return smallest


@inline
def hand_over(table, work, i, up):
    """Add X^T hinge X and X^T hold to the parent's rows."""
    s = 6 + table.modes[up]
    X = work.reach[i]
    Y = work.X
    hinge = work.hinge[i]
    for r in range(6):
        h = hinge[r]
        row = Y[r]
        x0, x1, x2, x3, x4, x5 = X[0], X[1], X[2], X[3], X[4], X[5]
        h0, h1, h2, h3, h4, h5 = h[0], h[1], h[2], h[3], h[4], h[5]
        for c in range(s):
            row[c] = h0 * x0[c] + h1 * x1[c] + h2 * x2[c] + h3 * x3[c] + h4 * x4[c] + h5 * x5[c]
    A = work.A[up]
    b = work.b[up]
    hold = work.hold[i]
    y0, y1, y2, y3, y4, y5 = Y[0], Y[1], Y[2], Y[3], Y[4], Y[5]
    for r in range(s):
        a0, a1, a2, a3, a4, a5 = X[0, r], X[1, r], X[2, r], X[3, r], X[4, r], X[5, r]
        row = A[r]
        for c in range(r + 1):
            row[c] += a0 * y0[c] + a1 * y1[c] + a2 * y2[c] + a3 * y3[c] + a4 * y4[c] + a5 * y5[c]
        b[r] += a0 * hold[0] + a1 * hold[1] + a2 * hold[2] + a3 * hold[3] + a4 * hold[4] + a5 * hold[5]


@inline
def back_substitute(table, work, i, qdd):
    """Compute z' and W of link i from the parent's z'."""
    up = table.parent[i]
    m = table.modes[i]
    y = work.wrench[i]  # first y, then W
    x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if up >= 0:
        X = work.reach[i]
        zdot = work.zdot[up]
        for c in range(6 + table.modes[up]):
            z = zdot[c]
            x0 += X[0, c] * z
            x1 += X[1, c] * z
            x2 += X[2, c] * z
            x3 += X[3, c] * z
            x4 += X[4, c] * z
            x5 += X[5, c] * z
    acceleration = work.zdot[i]
    gamma = work.gamma[i]
    at = table.joint_v[i]
    own = (x0, x1, x2, x3, x4, x5)
    for r in range(6):
        acceleration[r] = own[r]
    # joint accelerations, last first: each was found with the later ones still free
    for back in range(table.dofs[i]):
        k = table.dofs[i] - 1 - back
        total = work.D[i, k, 1]
        for r in range(6):
            total -= work.AS[i, k, r] * acceleration[r]
        qdd[at + k] = total * work.D[i, k, 0]
        for r in range(6):
            acceleration[r] += work.S[i, k, r] * qdd[at + k]
    hinge = work.hinge[i]
    for r in range(6):
        h = hinge[r]
        y[r] = work.hold[i, r] + h[0] * x0 + h[1] * x1 + h[2] * x2 + h[3] * x3 + h[4] * x4 + h[5] * x5
        acceleration[r] += gamma[r]
    A = work.A[i]
    modes = table.modes_v[i]
    for j in range(m):
        k = 6 + j
        row = A[k]
        total = -work.b[i, k]
        for c in range(k):
            total -= row[c] * acceleration[c]
        acceleration[k] = total / row[k]
        qdd[modes + j] = acceleration[k]


@kernel
def eliminate(table, work, qdd):
    """Solve for zdot, wrench and the accelerations qdd (nv,) of the model's coordinates.

    Equations: 003 (79).
    """
    n = table.parent.shape[0]
    for i in range(n):
        s = 6 + table.modes[i]
        for r in range(s):
            for c in range(r + 1):
                work.A[i, r, c] = work.mass[i, r, c]
            work.b[i, r] = work.bias[i, r]
    for back in range(n):
        i = n - 1 - back
        m = table.modes[i]
        if table.moved[i] == 1:
            to_base(work, i, m)
        modal = eliminate_modes(work.A[i], work.b[i], work.mass[i], m)
        work.pivot[i] = min(modal, eliminate_joint(table, work, i))
        if table.parent[i] >= 0:
            hand_over(table, work, i, table.parent[i])
    for i in range(n):
        back_substitute(table, work, i, qdd)
        if table.moved[i] == 1:
            from_base(work, i, table.modes[i])
    for r in range(table.gears.rotor_v.shape[0]):
        at = table.gears.rotor_v[r]
        qdd[at] = work.force[at] / table.gears.inertia[r]
