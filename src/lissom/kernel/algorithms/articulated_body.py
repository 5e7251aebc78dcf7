"""Forward dynamics: the articulated-body algorithm over flexible links, O(n).

Featherstone (2008), chapter 7, with modes beside the twist. Outward: frames and velocity products c. Inward: the
symmetric system of a body in (modes, twist) is reduced to its articulated inertia I^A and bias p^A by eliminating the
modes; the joint with motion subspace s takes its share,

    U = I^A s,    D = s^T U + armature,    u = tau - s^T p^A,
    I^a = I^A - U D^-1 U^T,    p^a = p^A + I^a c + U D^-1 u,

and what is left is added to the parent's system, where the section's motion per mode (`reach`) stands beside the
parent's twist. Outward again: a = a_parent + c, then qdd = D^-1 (u - U^T a), and the modes by back substitution.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import SEVERAL
from lissom.kernel.forces.external_forces import sum_external_forces
from lissom.kernel.forces.passive_joint_forces import passive_forces
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.kernel.links.body_inertia import body_inertias
from lissom.kernel.maths.algebra import add, compose, cross, matrix, rotate, rotate_back, scale, transpose, vector
from lissom.kernel.maths.row_sums import eliminate
from lissom.kernel.maths.simd_rows import add_scaled, set_scaled


@inline
def copy_twist_block(A, m, I):
    """Copy the 6 x 6 block that the eliminated modes leave of the system A to I, both triangles."""
    for row in range(6):
        for column in range(row, 6):
            I[row, column] = A[m + row, m + column]
            I[column, row] = A[m + row, m + column]


@inline
def copy_articulated_inertia(A, m, I):
    """Copy I^A and its bias p^A from the system A of m modes: 6 x 7."""
    copy_twist_block(A, m, I)
    for row in range(6):
        I[row, 6] = A[m + row, m + 6]


@inline
def project_on_joint(I, s, U, zero):
    """Set U = I^A s for a joint's motion s and return s . U."""
    along = zero
    for row in range(6):
        u = I[row, 0] * s[0]
        for column in range(1, 6):
            u += I[row, column] * s[column]
        U[row] = u
        along += s[row] * u
    return along


@inline
def reduce_articulated_inertia(I, U, inverse):
    """Set I^a = I^A - U D^-1 U^T; `inverse` is D^-1."""
    for row in range(6):
        f = U[row] * inverse
        for column in range(6):
            I[row, column] -= f * U[column]


@inline
def eliminate_joint(model, work, i, qdd):
    """Eliminate the joint of body i from I^A and p^A, one coordinate at a time."""
    I = work.articulated_inertia
    for k in range(model.joints.dofs[i]):
        s = work.subspace[i, k]
        at = model.tree.joint_v[i] + k
        U = work.U[i, k]
        force = work.force[at]
        axis = model.joints.axis[i]
        # U = I^A s and s . U: a column of I^A where the joint moves along one axis of its frame
        if axis < SEVERAL:
            for row in range(6):
                U[row] = I[axis, row]
            along = I[axis, axis]
            force -= I[axis, 6]
        else:
            along = project_on_joint(I, s, U, work.zero)
            for row in range(6):
                force -= s[row] * I[row, 6]
        # a prescribed acceleration is a known load: p^A += U qdd
        if model.velocities.prescribed[at] == 1:
            for row in range(6):
                I[row, 6] += U[row] * qdd[at]
        else:
            inverse = 1.0 / (model.velocities.armature[at] + along)
            work.D_inverse[i, k] = inverse
            work.u[i, k] = force
            # [I^A | p^A] -= U D^-1 [U^T | -u]
            U_and_u = work.transformed_rows[0]
            for row in range(6):
                U_and_u[row] = U[row]
            U_and_u[6] = -force
            for row in range(6):
                add_scaled(I[row], 0, 7, (-inverse * U[row],), (U_and_u,))


@inline
def rotate_block(I, row, column, R):
    """Return R B R^T of the 3 x 3 block B of I at (row, column)."""
    B = (
        (I[row, column], I[row, column + 1], I[row, column + 2]),
        (I[row + 1, column], I[row + 1, column + 1], I[row + 1, column + 2]),
        (I[row + 2, column], I[row + 2, column + 1], I[row + 2, column + 2]),
    )
    return compose(compose(R, B), transpose(R))


@inline
def add_to_parent(model, work, i):
    """Add the articulated body i to its parent's system, through the motion of the joint's place on the parent."""
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    I = work.articulated_inertia
    drift = work.velocity_product[i]
    # p^a += I^a c
    for row in range(6):
        bias = I[row, 6]
        for column in range(6):
            bias += I[row, column] * drift[column]
        I[row, 6] = bias
    # bias in the parent's axes
    R = matrix(work.rotation[i])
    p = vector(work.position[i])
    torque = rotate(R, (I[0, 6], I[1, 6], I[2, 6]))
    force = rotate(R, (I[3, 6], I[4, 6], I[5, 6]))
    add_articulated_inertia(work.inertia[up], m, m + 7, I, R, p, work.reach[i], torque, force, work.transformed_rows)


@inline
def add_articulated_inertia(A, m, width, I, R, p, reach, torque, force, carried):
    """Add an articulated body I to the upper triangle of its parent's system A of m modes and a twist.

    R, p, reach: where the body is on its parent and how the parent's modes move it; torque, force: its bias, parent
    axes, for column m + 6 where `width` reaches that far; carried: scratch.
    """
    # I^a in the parent's axes, blocks angular and linear
    AA = rotate_block(I, 0, 0, R)
    AL = rotate_block(I, 0, 3, R)
    LL = rotate_block(I, 3, 3, R)
    LA = transpose(AL)
    # rows I^a X of the motion X = [reach, (1, -p~; 0, 1)] of the joint's place by parent modes and twist
    for row in range(3):
        transform_row(carried[row], AA[row], AL[row], torque[row], reach, p, m)
        transform_row(carried[3 + row], LA[row], LL[row], force[row], reach, p, m)
    rows = (carried[0], carried[1], carried[2], carried[3], carried[4], carried[5])
    # A += X^T (I^a X), mode by mode, then angular and linear part of the twist
    for j in range(m):
        by = (reach[0, j], reach[1, j], reach[2, j], reach[3, j], reach[4, j], reach[5, j])
        add_scaled(A[j], j, width, by, rows)
    add_scaled(A[m], m, width, (1.0, p[1], -p[2]), (rows[0], rows[5], rows[4]))
    add_scaled(A[m + 1], m, width, (1.0, p[2], -p[0]), (rows[1], rows[3], rows[5]))
    add_scaled(A[m + 2], m, width, (1.0, p[0], -p[1]), (rows[2], rows[4], rows[3]))
    for k in range(3):
        add_scaled(A[m + 3 + k], m, width, (1.0,), (carried[3 + k],))


@inline
def modal_force_of_wrench(reach, j, torque, push):
    """Return the force on mode j of the parent by a wrench at the joint, parent axes."""
    turned = reach[0, j] * torque[0] + reach[1, j] * torque[1] + reach[2, j] * torque[2]
    return turned + reach[3, j] * push[0] + reach[4, j] * push[1] + reach[5, j] * push[2]


@inline
def clear_bias_force(A, zero):
    """Clear the bias column of a frame, which has neither mass nor modes."""
    for row in range(6):
        A[row, 6] = zero


@inline
def subtract_external_forces(model, work, i, tau):
    """Subtract the external wrench and the modal forces of body i from its bias."""
    m = model.tree.modes[i]
    A = work.inertia[i]
    load = work.load[i]
    at = model.tree.modes_v[i]
    for k in range(6):
        A[m + k, m + 6] -= load[k]
    for j in range(m):
        A[j, m + 6] -= tau[at + j]


@inline
def add_bias_force_to_parent(model, work, i):
    """Add the bias of frame i, all that it has, to the system of the link on which it is fixed."""
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    R = matrix(work.rotation[i])
    own = work.inertia[i]
    A = work.inertia[up]
    reach = work.reach[i]
    torque = rotate(R, (own[0, 6], own[1, 6], own[2, 6]))
    push = rotate(R, (own[3, 6], own[4, 6], own[5, 6]))
    for j in range(m):
        A[j, m + 6] += modal_force_of_wrench(reach, j, torque, push)
    torque = add(torque, cross(vector(work.position[i]), push))
    for k in range(3):
        A[m + k, m + 6] += torque[k]
        A[m + 3 + k, m + 6] += push[k]


@inline
def transform_row(out, by_angular, by_linear, bias, reach, p, m):
    """Set `out` to a row of the articulated inertia times the motion X of the joint's place, and its bias.

    X has the parent's modes, its angular velocity and its linear velocity as columns.
    """
    by = (by_angular[0], by_angular[1], by_angular[2], by_linear[0], by_linear[1], by_linear[2])
    set_scaled(out, 0, m, by, (reach[0], reach[1], reach[2], reach[3], reach[4], reach[5]))
    turned = add(by_angular, cross(p, by_linear))
    for k in range(3):
        out[m + k] = turned[k]
        out[m + 3 + k] = by_linear[k]
    out[m + 6] = bias


@inline
def solve_accelerations(model, work, i, qdd):
    """Compute the acceleration of frame i from its parent's, then those of the joint and the modes of body i."""
    transform_acceleration(model, work, i, qdd)
    a = work.acceleration[i]
    solve_joint_acceleration(model, i, work.subspace[i], work.U[i], work.u[i], work.D_inverse[i], a, qdd)
    A = work.inertia[i]
    m = model.tree.modes[i]
    at = model.tree.modes_v[i]
    twist = (a[0], a[1], a[2], a[3], a[4], a[5])
    inverse = work.modal_inverse[i]
    # back substitution through the eliminated rows; two modes at a time hide each other's waiting
    for j in range(m - m % 2, m):
        qdd[at + j] = -inverse[j] * modal_residual_force(A[j], m, A[j, m + 6], twist, qdd, at, 0)
    for back in range(m % 2, m, 2):
        j = m - 2 - back
        upper = A[j, m + 6]
        lower = A[j + 1, m + 6]
        for k in range(6):
            upper += A[j, m + k] * twist[k]
            lower += A[j + 1, m + k] * twist[k]
        for k in range(j + 2, m):
            upper += A[j, k] * qdd[at + k]
            lower += A[j + 1, k] * qdd[at + k]
        latest = -inverse[j + 1] * lower
        qdd[at + j + 1] = latest
        qdd[at + j] = -inverse[j] * (upper + A[j, j + 1] * latest)


@inline
def solve_joint_acceleration(model, i, subspace, U, force, inverse, a, x):
    """Compute qdd = D^-1 (u - U^T a) of the joint of body i, last coordinate first, and add s qdd to `a`.

    `a` is the acceleration of the joint's frame: with the joint at rest on entry, with its motion on return.
    force, inverse: u, D^-1.
    """
    for back in range(model.joints.dofs[i]):
        k = model.joints.dofs[i] - 1 - back
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 0:
            left = force[k]
            for row in range(6):
                left -= U[k, row] * a[row]
            x[at] = left * inverse[k]
        if model.joints.axis[i] < SEVERAL:
            a[model.joints.axis[i]] += x[at]
        else:
            for row in range(6):
                a[row] += subspace[k, row] * x[at]


@inline
def modal_residual_force(row, m, force, a, x, at, known):
    """Return `force` on a mode and what the twist `a` and the last `known` modes of its body push on it."""
    for k in range(6):
        force += row[m + k] * a[k]
    for later in range(known):  # the latest last: the others need not wait for it
        k = m - 1 - later
        force += row[k] * x[at + k]
    return force


@inline
def transform_motion(model, i, motion, x, reach, p, R):
    """Return angular and linear part of the motion of frame i by its parent's (6,) and the parent's modes x, own axes.

    R, p, reach: where frame i is on its parent, and how the modes move it.
    """
    up = model.tree.parent[i]
    at = model.tree.modes_v[up]
    angular = vector(motion[up, 0:3])
    linear = add(vector(motion[up, 3:6]), cross(angular, p))
    for j in range(model.tree.modes[up]):
        angular = add(angular, scale(x[at + j], (reach[0, j], reach[1, j], reach[2, j])))
        linear = add(linear, scale(x[at + j], (reach[3, j], reach[4, j], reach[5, j])))
    return rotate_back(R, angular), rotate_back(R, linear)


@inline
def transform_acceleration(model, work, i, qdd):
    """Compute the acceleration X a_parent + c of frame i, its joint at rest."""
    a = work.acceleration[i]
    angular, linear = transform_motion(
        model, i, work.acceleration, qdd, work.reach[i], vector(work.position[i]), matrix(work.rotation[i])
    )
    for k in range(3):
        a[k] = angular[k] + work.velocity_product[i, k]
        a[3 + k] = linear[k] + work.velocity_product[i, 3 + k]


@inline
def set_base_acceleration(model, work):
    """Accelerate the world upwards by gravity, so that weights need no force of their own."""
    for k in range(3):
        work.acceleration[0, k] = work.zero
        work.acceleration[0, 3 + k] = work.zero - model.gravity[k]


@kernel
def forward_dynamics(model, work, q, v, tau, wrench, qdd):
    """Compute the accelerations `qdd` (nv,) under applied forces `tau` (nv,) and body wrenches `wrench` (n, 6).

    A wrench acts at the body's origin in body axes. Where a coordinate is prescribed, `qdd` is an input.
    """
    n = model.tree.parent.shape[0]
    # forces of joints, frames, loads, inertias and their biases
    for k in range(tau.shape[0]):
        work.force[k] = tau[k]
    passive_forces(model, q, v, work.force)
    forward_kinematics(model, work, q, v)
    sum_external_forces(model, work, q, v, wrench)
    set_base_acceleration(model, work)
    body_inertias(model, work, q, v)
    for i in range(1, n):
        if model.tree.frame[i] == 1:
            clear_bias_force(work.inertia[i], work.zero)
        subtract_external_forces(model, work, i, tau)
    # inward: eliminate modes and joint, add the rest to the parent
    for back in range(1, n):
        i = n - back
        if model.tree.frame[i] == 1:
            if model.tree.parent[i] > 0:
                add_bias_force_to_parent(model, work, i)
            continue
        m = model.tree.modes[i]
        eliminate(work.inertia[i], work.modal_inverse[i], m, m + 6, m + 7)
        copy_articulated_inertia(work.inertia[i], m, work.articulated_inertia)
        eliminate_joint(model, work, i, qdd)
        if model.tree.parent[i] > 0:
            add_to_parent(model, work, i)
    # outward again: accelerations
    for i in range(1, n):
        solve_accelerations(model, work, i, qdd)
    # rotors behind elastic gears turn by themselves
    for k in range(model.gears.rotor_v.shape[0]):
        at = model.gears.rotor_v[k]
        if model.velocities.prescribed[at] == 0:
            qdd[at] = work.force[at] / model.gears.inertia[k]
    # states of actuators
    for k in range(model.actuators.state_v.shape[0]):
        at = model.actuators.state_v[k]
        qdd[at] = work.force[at] / model.actuators.inertia[k]
