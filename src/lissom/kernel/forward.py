"""Forward dynamics: the articulated-body pass over flexible links, O(n).

Outward: frames and drifts. Inward: each body's symmetric system in (modes, twist) is reduced to its twist by
eliminating the modes, then to what the joint leaves free, and handed to the parent's section. Outward again:
accelerations.
"""

from __future__ import annotations

from lissom.kernel.algebra import compose, matrix, rotate, rotate_back, transpose, vector
from lissom.kernel.inertia import body_inertia
from lissom.kernel.jit import inline, kernel
from lissom.kernel.kinematics import outward
from lissom.kernel.passive import passive_forces
from lissom.kernel.rows import eliminate


@inline
def copy_articulated(A, m, I):
    """The 6 x 7 block left after the modes, both triangles filled."""
    for row in range(6):
        for column in range(row, 6):
            I[row, column] = A[m + row, m + column]
            I[column, row] = A[m + row, m + column]
        I[row, 6] = A[m + row, m + 6]


@inline
def eliminate_joint(model, work, i, qdd):
    """Take the joint's motions out of the articulated system, one coordinate at a time."""
    I = work.articulated
    for k in range(model.dofs[i]):
        s = work.subspace[i, k]
        at = model.joint_v[i] + k
        U = work.pull[i, k]
        pivot = work.zero + model.armature[at]
        force = work.force[at]
        for row in range(6):
            u = I[row, 0] * s[0]
            for column in range(1, 6):
                u += I[row, column] * s[column]
            U[row] = u
            pivot += s[row] * u
            force -= s[row] * I[row, 6]
        if model.prescribed[at] == 1:
            for row in range(6):
                I[row, 6] += U[row] * qdd[at]
        else:
            inverse = 1.0 / pivot
            work.pull_inverse[i, k] = inverse
            work.pull_force[i, k] = force
            for row in range(6):
                f = U[row] * inverse
                for column in range(6):
                    I[row, column] -= f * U[column]
                I[row, 6] += f * force


@inline
def rotated_block(I, row, column, R):
    """R B R^T of the 3 x 3 block B of I at (row, column)."""
    B = (
        (I[row, column], I[row, column + 1], I[row, column + 2]),
        (I[row + 1, column], I[row + 1, column + 1], I[row + 1, column + 2]),
        (I[row + 2, column], I[row + 2, column + 1], I[row + 2, column + 2]),
    )
    return compose(compose(R, B), transpose(R))


@inline
def hand_to_parent(model, work, i):
    """Add the articulated body i to its parent's system, through the motion of the joint's place on the parent."""
    up = model.parent[i]
    m = model.modes[up]
    I = work.articulated
    drift = work.drift[i]
    for row in range(6):
        bias = I[row, 6]
        for column in range(6):
            bias += I[row, column] * drift[column]
        I[row, 6] = bias

    R = matrix(work.rotation[i])
    AA = rotated_block(I, 0, 0, R)
    AL = rotated_block(I, 0, 3, R)
    LL = rotated_block(I, 3, 3, R)
    torque = rotate(R, (I[0, 6], I[1, 6], I[2, 6]))
    force = rotate(R, (I[3, 6], I[4, 6], I[5, 6]))

    reach = work.reach[i]
    carried = work.carried
    for row in range(3):
        a = AA[row]
        b = AL[row]
        c = (AL[0][row], AL[1][row], AL[2][row])
        d = LL[row]
        for k in range(m + 6):
            carried[row, k] = (
                a[0] * reach[0, k]
                + a[1] * reach[1, k]
                + a[2] * reach[2, k]
                + b[0] * reach[3, k]
                + b[1] * reach[4, k]
                + b[2] * reach[5, k]
            )
            carried[3 + row, k] = (
                c[0] * reach[0, k]
                + c[1] * reach[1, k]
                + c[2] * reach[2, k]
                + d[0] * reach[3, k]
                + d[1] * reach[4, k]
                + d[2] * reach[5, k]
            )
        carried[row, m + 6] = torque[row]
        carried[3 + row, m + 6] = force[row]

    A = work.inertia[up]
    for j in range(m + 6):
        h0 = reach[0, j]
        h1 = reach[1, j]
        h2 = reach[2, j]
        h3 = reach[3, j]
        h4 = reach[4, j]
        h5 = reach[5, j]
        for k in range(j, m + 7):
            A[j, k] += (
                h0 * carried[0, k]
                + h1 * carried[1, k]
                + h2 * carried[2, k]
                + h3 * carried[3, k]
                + h4 * carried[4, k]
                + h5 * carried[5, k]
            )


@inline
def accelerate(model, work, i, qdd):
    """Acceleration of frame i from its parent's, and the joint and modal accelerations of body i."""
    carry_acceleration(model, work, i, qdd)
    a = work.acceleration[i]
    for back in range(model.dofs[i]):
        k = model.dofs[i] - 1 - back
        at = model.joint_v[i] + k
        if model.prescribed[at] == 0:
            force = work.pull_force[i, k]
            for row in range(6):
                force -= work.pull[i, k, row] * a[row]
            qdd[at] = force * work.pull_inverse[i, k]
        for row in range(6):
            a[row] += work.subspace[i, k, row] * qdd[at]
    A = work.inertia[i]
    m = model.modes[i]
    at = model.modes_v[i]
    for back in range(m):
        j = m - 1 - back
        force = A[j, m + 6]
        for k in range(6):
            force += A[j, m + k] * a[k]
        for k in range(j + 1, m):
            force += A[j, k] * qdd[at + k]
        qdd[at + j] = -force * work.modal_inverse[i, j]


@inline
def carry_acceleration(model, work, i, qdd):
    """Acceleration of frame i by its parent's motion and its own drift, joint at rest."""
    up = model.parent[i]
    m = model.modes[up]
    at = model.modes_v[up]
    reach = work.reach[i]
    a = work.acceleration[i]
    for row in range(6):
        value = work.zero
        for j in range(m):
            value += reach[row, j] * qdd[at + j]
        for k in range(6):
            value += reach[row, m + k] * work.acceleration[up, k]
        a[row] = value
    R = matrix(work.rotation[i])
    angular = rotate_back(R, vector(a[0:3]))
    linear = rotate_back(R, vector(a[3:6]))
    for k in range(3):
        a[k] = angular[k] + work.drift[i, k]
        a[3 + k] = linear[k] + work.drift[i, 3 + k]


@inline
def clear_world(model, work):
    """The world accelerates upwards by gravity and takes what it is handed."""
    for k in range(3):
        work.acceleration[0, k] = work.zero
        work.acceleration[0, 3 + k] = work.zero - model.gravity[k]
    for row in range(6):
        for column in range(7):
            work.inertia[0, row, column] = work.zero


@kernel
def forward_dynamics(model, work, q, v, tau, wrench, qdd):
    """Accelerations `qdd` (nv,) under applied forces `tau` (nv,) and body wrenches `wrench` (n, 6).

    A wrench acts at the body's origin in body axes. Where a coordinate is prescribed, `qdd` is an input.
    """
    n = model.parent.shape[0]
    for k in range(tau.shape[0]):
        work.force[k] = tau[k]
    passive_forces(model, q, v, work.force)
    outward(model, work, q, v)
    clear_world(model, work)
    for i in range(1, n):
        body_inertia(model, work, i, q, v)
        m = model.modes[i]
        for k in range(6):
            work.inertia[i, m + k, m + 6] -= wrench[i, k]
        for j in range(m):
            work.inertia[i, j, m + 6] -= tau[model.modes_v[i] + j]
    for back in range(1, n):
        i = n - back
        m = model.modes[i]
        eliminate(work.inertia[i], work.modal_inverse[i], m, m + 6, m + 7)
        copy_articulated(work.inertia[i], m, work.articulated)
        eliminate_joint(model, work, i, qdd)
        hand_to_parent(model, work, i)
    for i in range(1, n):
        accelerate(model, work, i, qdd)
    for k in range(model.rotor_v.shape[0]):
        at = model.rotor_v[k]
        if model.prescribed[at] == 0:
            qdd[at] = work.force[at] / model.rotor_inertia[k]
