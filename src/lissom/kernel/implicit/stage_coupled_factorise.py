"""Elimination of `coupled`: the Newton matrix of three stages by one articulated pass."""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import ROW_WIDTH
from lissom.kernel.implicit.stage_coupled import STAGES, TWISTS, assemble
from lissom.kernel.maths.algebra import add, compose, matrix, store_matrix, subtract
from lissom.kernel.maths.simd_rows import add_lanes, set_lanes


@inline
def inverse(A):
    """Return the inverse of a 3 x 3 matrix, by its cofactors."""
    c0 = A[1][1] * A[2][2] - A[1][2] * A[2][1]
    c1 = A[1][2] * A[2][0] - A[1][0] * A[2][2]
    c2 = A[1][0] * A[2][1] - A[1][1] * A[2][0]
    f = 1.0 / (A[0][0] * c0 + A[0][1] * c1 + A[0][2] * c2)
    return (
        (c0 * f, (A[0][2] * A[2][1] - A[0][1] * A[2][2]) * f, (A[0][1] * A[1][2] - A[0][2] * A[1][1]) * f),
        (c1 * f, (A[0][0] * A[2][2] - A[0][2] * A[2][0]) * f, (A[0][2] * A[1][0] - A[0][0] * A[1][2]) * f),
        (c2 * f, (A[0][1] * A[2][0] - A[0][0] * A[2][1]) * f, (A[0][0] * A[1][1] - A[0][1] * A[1][0]) * f),
    )


@inline
def stage_row(coupled, a, damping, stiffness, inertia):
    """Return the row of stage a of a scalar coordinate's 3 x 3 block.

    Inertia stands on the diagonal; damping and stiffness couple the stages by C and E.
    """
    C = coupled.by_damping[a]
    E = coupled.by_stiffness[a]
    return (
        C[0] * damping + E[0] * stiffness + (inertia if a == 0 else 0.0),
        C[1] * damping + E[1] * stiffness + (inertia if a == 1 else 0.0),
        C[2] * damping + E[2] * stiffness + (inertia if a == 2 else 0.0),
    )


@inline
def joint_block(coupled, first, second, third, at, inertia):
    """Return the 3 x 3 block of joint or rotor coordinate `at` by itself."""
    return (
        stage_row(coupled, 0, first.damping[at], first.stiffness[at], inertia),
        stage_row(coupled, 1, second.damping[at], second.stiffness[at], inertia),
        stage_row(coupled, 2, third.damping[at], third.stiffness[at], inertia),
    )


@kernel
def factorise_coupled(model, coupled, first, second, third):
    """Eliminate J; first, second, third: the stages' Local.

    Rows are many: those of a body are laid down when first needed, and eliminated while they are still in the cache.
    """
    n = model.tree.parent.shape[0]
    for i in range(n):
        coupled.laid[i] = 0
    for k in range(model.gears.rotor_v.shape[0]):
        eliminate_rotor(model, coupled, k, first, second, third)
    for back in range(1, n):
        i = n - back
        up = model.tree.parent[i]
        if coupled.laid[i] == 0:
            assemble(model, coupled, i, first, second, third)
        eliminate_modes(model, coupled, i)
        keep_lower(model, coupled, i)
        eliminate_joint(model, coupled, i, first, second, third)
        if up > 0:
            if coupled.laid[up] == 0:
                assemble(model, coupled, up, first, second, third)
            add_stages_to_parent(model, coupled, i)


@inline
def eliminate_rotor(model, coupled, k, first, second, third):
    """Eliminate rotor k of all stages, which nothing but its gear holds to the rest; a prescribed one does not move."""
    at = model.gears.rotor_v[k]
    gear = (
        stage_row(coupled, 0, first.slipping[k], first.winding[k], 0.0),
        stage_row(coupled, 1, second.slipping[k], second.winding[k], 0.0),
        stage_row(coupled, 2, third.slipping[k], third.winding[k], 0.0),
    )
    law = (
        stage_row(coupled, 0, first.gear_damping[k], first.gear_stiffness[k], 0.0),
        stage_row(coupled, 1, second.gear_damping[k], second.gear_stiffness[k], 0.0),
        stage_row(coupled, 2, third.gear_damping[k], third.gear_stiffness[k], 0.0),
    )
    own = joint_block(coupled, first, second, third, at, model.gears.inertia[k])
    pivot = (add(own[0], gear[0]), add(own[1], gear[1]), add(own[2], gear[2]))
    if model.velocities.prescribed[at] == 0:
        store_matrix(coupled.gear[k, 0], inverse(pivot))
    store_matrix(coupled.gear[k, 1], gear)
    store_matrix(coupled.gear[k, 2], (subtract(gear[0], law[0]), subtract(gear[1], law[1]), subtract(gear[2], law[2])))


@inline
def eliminate_modes(model, coupled, i):
    """Factorise the modes of body i: L and U in all its rows."""
    count = STAGES * model.tree.modes[i]
    J = coupled.modes[i]
    W = coupled.twists[coupled.room[i]]
    pivots = coupled.modal_inverse[i]
    for r in range(count):
        eliminate_row(J[r], r, J, pivots, count + TWISTS)
        pivots[r] = 1.0 / J[r, r]
    for r in range(TWISTS):
        eliminate_row(W[r], count, J, pivots, count + TWISTS)


@inline
def eliminate_row(row, last, J, pivots, size):
    """Eliminate the first `last` unknowns, whose rows are in J, from another row, four at a time."""
    whole = last - last % 4
    for j in range(0, whole, 4):
        f0 = row[j] * pivots[j]
        f1 = (row[j + 1] - f0 * J[j, j + 1]) * pivots[j + 1]
        f2 = (row[j + 2] - f0 * J[j, j + 2] - f1 * J[j + 1, j + 2]) * pivots[j + 2]
        f3 = row[j + 3] - f0 * J[j, j + 3] - f1 * J[j + 1, j + 3] - f2 * J[j + 2, j + 3]
        f3 *= pivots[j + 3]
        row[j] = f0
        row[j + 1] = f1
        row[j + 2] = f2
        row[j + 3] = f3
        for k in range(j + 4, size, ROW_WIDTH):
            add_lanes(row, k, (-f0, -f1, -f2, -f3), (J[j], J[j + 1], J[j + 2], J[j + 3]))
    for j in range(whole, last):
        f = row[j] * pivots[j]
        row[j] = f
        for k in range(j + 1, size, ROW_WIDTH):
            add_lanes(row, k, (-f,), (J[j],))


@inline
def keep_lower(model, coupled, i):
    """Keep L of body i's twists, whose room another one needs, and what its modes leave, to go on with."""
    count = STAGES * model.tree.modes[i]
    W = coupled.twists[coupled.room[i]]
    for r in range(TWISTS):
        for j in range(0, count, ROW_WIDTH):
            set_lanes(coupled.lower[i, r], j, (1.0,), (W[r],))
        for k in range(TWISTS):
            coupled.articulated_inertia[r, k] = W[r, count + k]


@inline
def eliminate_joint(model, coupled, i, first, second, third):
    """Eliminate the joint from the articulated body, one coordinate in all stages at a time."""
    I = coupled.articulated_inertia
    for k in range(model.joints.dofs[i]):
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 1:
            continue
        S = coupled.axis[i, k]
        U = coupled.U[i, k]
        W = coupled.push[i, k]
        # U = I s by stage, and the rows s^T I, as I is not symmetric
        for b in range(STAGES):
            s = (S[b, 0], S[b, 1], S[b, 2], S[b, 3], S[b, 4], S[b, 5])
            at_b = 6 * b
            rows = (I[at_b], I[at_b + 1], I[at_b + 2], I[at_b + 3], I[at_b + 4], I[at_b + 5])
            for c in range(0, TWISTS, ROW_WIDTH):
                set_lanes(W[b], c, s, rows)
            for r in range(TWISTS):
                u = I[r, at_b] * s[0]
                for c in range(1, 6):
                    u += I[r, at_b + c] * s[c]
                U[b, r] = u
        # the 3 x 3 pivot of the stages: the joint by itself, its gear, s^T I s
        pivot = joint_block(coupled, first, second, third, at, model.velocities.armature[at])
        gear = first.gear_of[at]
        if gear >= 0:
            by = coupled.gear[gear]
            back = compose(compose(matrix(by[1]), matrix(by[0])), matrix(by[2]))
            held = subtract_matrix(matrix(by[1]), back)
            pivot = (add(pivot[0], held[0]), add(pivot[1], held[1]), add(pivot[2], held[2]))
        pivot = (
            add(pivot[0], along_axis(S[0], U, 0)),
            add(pivot[1], along_axis(S[1], U, 6)),
            add(pivot[2], along_axis(S[2], U, 12)),
        )
        # I -= U D^-1 W
        G = inverse(pivot)
        store_matrix(coupled.D_inverse[i, k], G)
        for r in range(TWISTS):
            f = times_columns((U[0, r], U[1, r], U[2, r]), G)
            for c in range(0, TWISTS, ROW_WIDTH):
                add_lanes(I[r], c, (-f[0], -f[1], -f[2]), (W[0], W[1], W[2]))


@inline
def along_axis(s, U, at):
    """Return the component along the axis `s` of what the axis of each stage pulls at rows `at` to `at + 5`."""
    x = 0.0
    y = 0.0
    z = 0.0
    for c in range(6):
        x += s[c] * U[0, at + c]
        y += s[c] * U[1, at + c]
        z += s[c] * U[2, at + c]
    return (x, y, z)


@inline
def times_columns(a, G):
    """Return a^T G."""
    return (
        a[0] * G[0][0] + a[1] * G[1][0] + a[2] * G[2][0],
        a[0] * G[0][1] + a[1] * G[1][1] + a[2] * G[2][1],
        a[0] * G[0][2] + a[1] * G[1][2] + a[2] * G[2][2],
    )


@inline
def subtract_matrix(A, B):
    """Return A - B of two 3 x 3 matrices."""
    return (subtract(A[0], B[0]), subtract(A[1], B[1]), subtract(A[2], B[2]))


@inline
def add_stages_to_parent(model, coupled, i):
    """Add the articulated body i to its parent's rows."""
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    I = coupled.articulated_inertia
    J = coupled.modes[up]
    W = coupled.twists[coupled.room[up]]
    Y = coupled.transformed_rows
    Z = coupled.carried_twist
    for b in range(STAGES):
        lever = coupled.lever[i, b]
        shift = coupled.shift[i, b]
        levers = (lever[0], lever[1], lever[2], lever[3], lever[4], lever[5])
        shifts = (shift[0], shift[1], shift[2], shift[3], shift[4], shift[5])
        # I X of stage b, X = (lever, shift)
        for r in range(TWISTS):
            s = I[r, 6 * b : 6 * b + 6]
            by = (s[0], s[1], s[2], s[3], s[4], s[5])
            for k in range(0, m, ROW_WIDTH):
                set_lanes(Y[r], k, by, levers)
            set_lanes(Z[r], 0, by, shifts)
            set_lanes(Z[r], 4, by, shifts)
        # X^T (I X), modes then twist of stage a
        for a in range(STAGES):
            y = Y[6 * a : 6 * a + 6]
            z = Z[6 * a : 6 * a + 6]
            modal = (y[0], y[1], y[2], y[3], y[4], y[5])
            twist = (z[0], z[1], z[2], z[3], z[4], z[5])
            lever = coupled.lever[i, a]
            shift = coupled.shift[i, a]
            for j in range(m):
                by = (lever[0, j], lever[1, j], lever[2, j], lever[3, j], lever[4, j], lever[5, j])
                add_to_row(J[a * m + j], b, m, by, modal, twist)
            for c in range(6):
                by = (shift[0, c], shift[1, c], shift[2, c], shift[3, c], shift[4, c], shift[5, c])
                add_to_row(W[6 * a + c], b, m, by, modal, twist)


@inline
def add_to_row(row, b, m, by, modal, twist):
    """Add sum_i by[i] (modal[i], twist[i]) to the modes and the twist of stage b. What lanes run over by is zero."""
    to = row[b * m :]
    for k in range(0, m, ROW_WIDTH):
        add_lanes(to, k, by, modal)
    to = row[STAGES * m + 6 * b :]
    add_lanes(to, 0, by, twist)
    add_lanes(to, 4, by, twist)
