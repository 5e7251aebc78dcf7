"""Newton matrix of three stages at once, each at its own configuration, by one articulated pass, O(n).

    J_ab = M(q_a) delta_ab + C_ab D_a + E_ab K_a,    a, b = 1, 2, 3

M, D, K as in `articulated`; C = h A, E = h^2 A^2 of a Runge-Kutta method with the matrix A. Stages meet only where
D and K are, in the modes of a body and in a joint; the twists of a body in the three stages are 18 unknowns. Where an
arm moves much within a step, a matrix of one configuration for all stages is none: the mass matrix of a spatial chain
changes by more than itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.kernel.algebra import add, compose, matrix, rotate, store_matrix, subtract, vector
from lissom.kernel.arrays import LANES, Arrays, padded
from lissom.kernel.lanes import add_lanes, set_lanes
from lissom.kernel.machine import inline, kernel

STAGES = 3
TWISTS = 18  # of a body in all stages


class Coupled(NamedTuple):
    """Factors of J. Unknowns of a body: the modes of stage 1, 2, 3, then the twists of stage 1, 2, 3."""

    by_damping: np.ndarray  # (3, 3) C
    by_stiffness: np.ndarray  # (3, 3) E
    block: np.ndarray  # (n, 3 m + 18, 3 m + 18) L and U of a body, padded; unit L
    modal_inverse: np.ndarray  # (n, 3 m) pivots of U, inverted
    articulated: np.ndarray  # (18, 18) scratch, padded
    lever: np.ndarray  # (n, 3, 6, m) motion of a body's frame per mode of its parent, own axes
    shift: np.ndarray  # (n, 3, 6, 6) and per twist of its parent, padded
    carried: np.ndarray  # (18, m) scratch: articulated inertia times lever
    carried_twist: np.ndarray  # (18, 6) scratch, padded: times shift
    axis: np.ndarray  # (n, 6, 3, 6) joint axis k in each stage
    pull: np.ndarray  # (n, 6, 3, 18) articulated inertia times axis, by stage
    push: np.ndarray  # (n, 6, 3, 18) axis times articulated inertia, padded
    pull_inverse: np.ndarray  # (n, 6, 3, 3) its pivot, inverted
    pull_force: np.ndarray  # (n, 6, 3) its right-hand side
    gear: np.ndarray  # (nr, 3, 3, 3) inverse of the rotor's pivot; force on the joint per rotor, on the rotor per joint
    load: np.ndarray  # (n, 3 m + 18) right-hand side of a body, padded
    motion: np.ndarray  # (n, 3 m + 18) solution
    x: np.ndarray  # (3, nv) right-hand side and solution


def make_coupled(model: Arrays) -> Coupled:
    n, m, nv, gears = (
        len(model.tree.parent),
        model.inertia.modal_mass.shape[1],
        len(model.velocities.prescribed),
        len(model.gears.rotor_v),
    )
    size = STAGES * m + TWISTS

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    return Coupled(
        by_damping=zeros(3, 3),
        by_stiffness=zeros(3, 3),
        block=zeros(n, size, padded(size + LANES)),
        modal_inverse=zeros(n, STAGES * m),
        articulated=zeros(TWISTS, padded(TWISTS)),
        lever=zeros(n, 3, 6, m),
        shift=zeros(n, 3, 6, 8),
        carried=zeros(TWISTS, m),
        carried_twist=zeros(TWISTS, 8),
        axis=zeros(n, 6, 3, 6),
        pull=zeros(n, 6, 3, TWISTS),
        push=zeros(n, 6, 3, padded(TWISTS)),
        pull_inverse=zeros(n, 6, 3, 3),
        pull_force=zeros(n, 6, 3),
        gear=zeros(gears, 3, 3, 3),
        load=zeros(n, padded(size + LANES)),
        motion=zeros(n, size),
        x=zeros(3, nv),
    )


@inline
def inverse(A):
    """Of a 3 x 3 matrix."""
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
    """Row of stage a of a scalar coordinate's 3 x 3 block: inertia on the diagonal, damping and stiffness coupled."""
    C = coupled.by_damping[a]
    E = coupled.by_stiffness[a]
    return (
        C[0] * damping + E[0] * stiffness + (inertia if a == 0 else 0.0),
        C[1] * damping + E[1] * stiffness + (inertia if a == 1 else 0.0),
        C[2] * damping + E[2] * stiffness + (inertia if a == 2 else 0.0),
    )


@inline
def joint_block(coupled, first, second, third, at, inertia):
    """3 x 3 block of joint or rotor coordinate `at` by itself."""
    return (
        stage_row(coupled, 0, first.damping[at], first.stiffness[at], inertia),
        stage_row(coupled, 1, second.damping[at], second.stiffness[at], inertia),
        stage_row(coupled, 2, third.damping[at], third.stiffness[at], inertia),
    )


@kernel
def assemble_stage(model, local, coupled, a):
    """Rows of stage a of every body's block, with its joint axes and the motion by its parent."""
    for i in range(1, model.tree.parent.shape[0]):
        own_rows(model, local, coupled, i, a)
        for k in range(model.joints.dofs[i]):
            for r in range(6):
                coupled.axis[i, k, a, r] = local.subspace[i, k, r]
        motion_by_parent(model, local, coupled, i, a)


@inline
def own_rows(model, local, coupled, i, a):
    """Rows of stage a of body i's block: modes, then twist."""
    m = model.tree.modes[i]
    J = coupled.block[i]
    A = local.work.inertia[i]
    D = local.work.link_damping[i]
    K = local.work.link_stiffness[i]
    twists = STAGES * m
    own = twists + 6 * a
    for j in range(m):
        row = J[a * m + j]
        for b in range(STAGES):  # in order: lanes run over into the block of the next stage
            by = (coupled.by_damping[a, b], coupled.by_stiffness[a, b])
            for k in range(0, m, LANES):
                set_lanes(row[b * m :], k, by, (D[j], K[j]))
        for k in range(TWISTS):
            row[twists + k] = 0.0
        for k in range(j):
            row[a * m + k] += A[k, j]
        for k in range(j, m):
            row[a * m + k] += A[j, k]
        for k in range(6):
            row[own + k] = A[j, m + k]
    for r in range(6):
        row = J[own + r]
        for k in range(twists + TWISTS):
            row[k] = 0.0
        for j in range(m):
            row[a * m + j] = A[j, m + r]
        for k in range(r):
            row[own + k] = A[m + k, m + r]
        for k in range(r, 6):
            row[own + k] = A[m + r, m + k]


@inline
def motion_by_parent(model, local, coupled, i, a):
    """`lever` and `shift` of body i in stage a: R^T reach, and R^T (omega, v + omega x p)."""
    m = model.tree.modes[model.tree.parent[i]]
    R = matrix(local.rotation[i])
    p = vector(local.position[i])
    reach = local.reach[i]
    lever = coupled.lever[i, a]
    shift = coupled.shift[i, a]
    for r in range(3):
        column = (R[0][r], R[1][r], R[2][r])
        for j in range(0, m, LANES):
            set_lanes(lever[r], j, column, (reach[0], reach[1], reach[2]))
            set_lanes(lever[3 + r], j, column, (reach[3], reach[4], reach[5]))
        for j in range(m, padded_modes(m)):
            lever[r, j] = 0.0
            lever[3 + r, j] = 0.0
        for k in range(3):
            shift[r, k] = column[k]
            shift[3 + r, 3 + k] = column[k]
        shift[3 + r, 0] = column[2] * p[1] - column[1] * p[2]
        shift[3 + r, 1] = column[0] * p[2] - column[2] * p[0]
        shift[3 + r, 2] = column[1] * p[0] - column[0] * p[1]


@inline
def padded_modes(m):
    return m + (LANES - m % LANES) % LANES


@kernel
def factorise_coupled(model, coupled, first, second, third):
    """Eliminate J, whose rows `assemble_stage` has laid down; first, second, third: the stages' Local."""
    n = model.tree.parent.shape[0]
    for k in range(model.gears.rotor_v.shape[0]):
        eliminate_rotor(model, coupled, k, first, second, third)
    for back in range(1, n):
        i = n - back
        eliminate_modes(coupled.block[i], coupled.modal_inverse[i], STAGES * model.tree.modes[i])
        copy_twist_block(coupled.block[i], STAGES * model.tree.modes[i], coupled.articulated)
        eliminate_joint(model, coupled, i, first, second, third)
        if model.tree.parent[i] > 0:
            hand_to_parent(model, coupled, i)


@inline
def eliminate_rotor(model, coupled, k, first, second, third):
    """Rotor k of all stages, which nothing but its gear holds to the rest. One that is prescribed does not move."""
    at = model.gears.rotor_v[k]
    K = model.gears.stiffness[k]
    D = model.gears.damping[k]
    gear = (stage_row(coupled, 0, D, K, 0.0), stage_row(coupled, 1, D, K, 0.0), stage_row(coupled, 2, D, K, 0.0))
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
def eliminate_modes(J, pivots, count):
    """L and U of the first `count` unknowns, row by row, four pivots at a time."""
    size = count + TWISTS
    for r in range(size):
        row = J[r]
        last = min(r, count)
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
            for k in range(j + 4, size, LANES):
                add_lanes(row, k, (-f0, -f1, -f2, -f3), (J[j], J[j + 1], J[j + 2], J[j + 3]))
        for j in range(whole, last):
            f = row[j] * pivots[j]
            row[j] = f
            for k in range(j + 1, size, LANES):
                add_lanes(row, k, (-f,), (J[j],))
        if r < count:
            pivots[r] = 1.0 / row[r]


@inline
def copy_twist_block(J, first, I):
    """What the modes leave."""
    for r in range(TWISTS):
        for k in range(TWISTS):
            I[r, k] = J[first + r, first + k]


@inline
def eliminate_joint(model, coupled, i, first, second, third):
    """Take the joint's motions out of the articulated body, one coordinate in all stages at a time."""
    I = coupled.articulated
    for k in range(model.joints.dofs[i]):
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 1:
            continue
        S = coupled.axis[i, k]
        U = coupled.pull[i, k]
        W = coupled.push[i, k]
        for b in range(STAGES):
            s = (S[b, 0], S[b, 1], S[b, 2], S[b, 3], S[b, 4], S[b, 5])
            at_b = 6 * b
            rows = (I[at_b], I[at_b + 1], I[at_b + 2], I[at_b + 3], I[at_b + 4], I[at_b + 5])
            for c in range(0, TWISTS, LANES):
                set_lanes(W[b], c, s, rows)
            for r in range(TWISTS):
                u = I[r, at_b] * s[0]
                for c in range(1, 6):
                    u += I[r, at_b + c] * s[c]
                U[b, r] = u
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
        G = inverse(pivot)
        store_matrix(coupled.pull_inverse[i, k], G)
        for r in range(TWISTS):
            f = times_columns((U[0, r], U[1, r], U[2, r]), G)
            for c in range(0, TWISTS, LANES):
                add_lanes(I[r], c, (-f[0], -f[1], -f[2]), (W[0], W[1], W[2]))


@inline
def along_axis(s, U, at):
    """Component along the axis `s` of what the axis of each stage pulls at rows `at` to `at + 5`."""
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
    """a^T G."""
    return (
        a[0] * G[0][0] + a[1] * G[1][0] + a[2] * G[2][0],
        a[0] * G[0][1] + a[1] * G[1][1] + a[2] * G[2][1],
        a[0] * G[0][2] + a[1] * G[1][2] + a[2] * G[2][2],
    )


@inline
def subtract_matrix(A, B):
    return (subtract(A[0], B[0]), subtract(A[1], B[1]), subtract(A[2], B[2]))


@inline
def hand_to_parent(model, coupled, i):
    """Add the articulated body i to its parent's block."""
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    I = coupled.articulated
    J = coupled.block[up]
    Y = coupled.carried
    Z = coupled.carried_twist
    twists = STAGES * m
    for b in range(STAGES):
        lever = coupled.lever[i, b]
        shift = coupled.shift[i, b]
        levers = (lever[0], lever[1], lever[2], lever[3], lever[4], lever[5])
        shifts = (shift[0], shift[1], shift[2], shift[3], shift[4], shift[5])
        for r in range(TWISTS):
            s = I[r, 6 * b : 6 * b + 6]
            by = (s[0], s[1], s[2], s[3], s[4], s[5])
            for k in range(0, m, LANES):
                set_lanes(Y[r], k, by, levers)
            set_lanes(Z[r], 0, by, shifts)
            set_lanes(Z[r], 4, by, shifts)
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
                add_to_row(J[twists + 6 * a + c], b, m, by, modal, twist)


@inline
def add_to_row(row, b, m, by, modal, twist):
    """Add sum_i by[i] (modal[i], twist[i]) to the modes and the twist of stage b. What lanes run over by is zero."""
    to = row[b * m :]
    for k in range(0, m, LANES):
        add_lanes(to, k, by, modal)
    to = row[STAGES * m + 6 * b :]
    add_lanes(to, 0, by, twist)
    add_lanes(to, 4, by, twist)


@kernel
def solve_coupled(model, coupled):
    """Overwrite coupled.x (3, nv) with J^-1 x; entries of prescribed coordinates become zero."""
    n = model.tree.parent.shape[0]
    x = coupled.x
    for k in range(model.gears.rotor_v.shape[0]):
        by = coupled.gear[k]
        at = model.gears.rotor_v[k]
        force = rotate(matrix(by[1]), rotate(matrix(by[0]), (x[0, at], x[1, at], x[2, at])))
        for a in range(STAGES):
            x[a, model.gears.joint_v[k]] += force[a]
    for i in range(1, n):
        m = model.tree.modes[i]
        for a in range(STAGES):
            for j in range(m):
                coupled.load[i, a * m + j] = -x[a, model.tree.modes_v[i] + j]
        for k in range(TWISTS):
            coupled.load[i, STAGES * m + k] = 0.0
    for back in range(1, n):
        i = n - back
        reduce_load(model, coupled, i)
        if model.tree.parent[i] > 0:
            hand_load_to_parent(model, coupled, i)
    for i in range(1, n):
        carry_motion(model, coupled, i)
        accelerate(model, coupled, i)
    for k in range(model.gears.rotor_v.shape[0]):
        by = coupled.gear[k]
        at = model.gears.rotor_v[k]
        j = model.gears.joint_v[k]
        force = add((x[0, at], x[1, at], x[2, at]), rotate(matrix(by[2]), (x[0, j], x[1, j], x[2, j])))
        moved = rotate(matrix(by[0]), force)
        for a in range(STAGES):
            x[a, at] = moved[a]


@inline
def reduce_load(model, coupled, i):
    """What the load of body i leaves on its twists, after its modes and its joint have given way."""
    modes = STAGES * model.tree.modes[i]
    J = coupled.block[i]
    b = coupled.load[i]
    for r in range(1, modes + TWISTS):
        row = J[r]
        left = b[r]
        for j in range(min(r, modes)):
            left -= row[j] * b[j]
        b[r] = left
    w = b[modes:]
    for k in range(model.joints.dofs[i]):
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 1:
            continue
        S = coupled.axis[i, k]
        U = coupled.pull[i, k]
        force = coupled.pull_force[i, k]
        for a in range(STAGES):
            f = coupled.x[a, at]
            for c in range(6):
                f -= S[a, c] * w[6 * a + c]
            force[a] = f
        f = rotate(matrix(coupled.pull_inverse[i, k]), vector(force))
        for r in range(TWISTS):
            w[r] += U[0, r] * f[0] + U[1, r] * f[1] + U[2, r] * f[2]


@inline
def hand_load_to_parent(model, coupled, i):
    """Add what is left of body i's load to its parent's."""
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    w = coupled.load[i, STAGES * model.tree.modes[i] :]
    to = coupled.load[up]
    for a in range(STAGES):
        by = (w[6 * a], w[6 * a + 1], w[6 * a + 2], w[6 * a + 3], w[6 * a + 4], w[6 * a + 5])
        lever = coupled.lever[i, a]
        shift = coupled.shift[i, a]
        modal = (lever[0], lever[1], lever[2], lever[3], lever[4], lever[5])
        twist = (shift[0], shift[1], shift[2], shift[3], shift[4], shift[5])
        add_to_row(to, a, m, by, modal, twist)


@inline
def carry_motion(model, coupled, i):
    """Motion of frame i by its parent's, joint at rest."""
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    parent = coupled.motion[up]
    w = coupled.motion[i, STAGES * model.tree.modes[i] :]
    for a in range(STAGES):
        for r in range(6):
            moved = 0.0
            lever = coupled.lever[i, a, r]
            shift = coupled.shift[i, a, r]
            for j in range(m):
                moved += lever[j] * parent[a * m + j]
            for c in range(6):
                moved += shift[c] * parent[STAGES * m + 6 * a + c]
            w[6 * a + r] = moved


@inline
def accelerate(model, coupled, i):
    """Solution for the joint and the modes of body i."""
    x = coupled.x
    m = model.tree.modes[i]
    modes = STAGES * m
    y = coupled.motion[i]
    w = y[modes:]
    for back in range(model.joints.dofs[i]):
        k = model.joints.dofs[i] - 1 - back
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 1:
            for a in range(STAGES):
                x[a, at] = 0.0
            continue
        W = coupled.push[i, k]
        f = vector(coupled.pull_force[i, k])
        for r in range(TWISTS):
            f = (f[0] - W[0, r] * w[r], f[1] - W[1, r] * w[r], f[2] - W[2, r] * w[r])
        moved = rotate(matrix(coupled.pull_inverse[i, k]), f)
        for a in range(STAGES):
            x[a, at] = moved[a]
            for r in range(6):
                w[6 * a + r] += coupled.axis[i, k, a, r] * moved[a]
    J = coupled.block[i]
    for back in range(modes):
        j = modes - 1 - back
        left = coupled.load[i, j]
        row = J[j]
        for k in range(j + 1, modes + TWISTS):
            left += row[k] * y[k]
        y[j] = -left * coupled.modal_inverse[i, j]
    for a in range(STAGES):
        for j in range(m):
            x[a, model.tree.modes_v[i] + j] = y[a * m + j]
