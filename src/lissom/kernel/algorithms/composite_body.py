"""Mass matrix by composite bodies: what hangs on a body, modes and joints locked, is carried inward once."""

from __future__ import annotations

from numpy import sqrt

from lissom.kernel.algorithms.articulated_body import add_to_parent, copy_articulated_inertia, modal_force_of_wrench
from lissom.kernel.compile import inline, kernel
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.kernel.links.body_inertia import body_inertias
from lissom.kernel.maths.algebra import add, cross, matrix, rotate, store_vector, vector


@inline
def spread_inward(model, work, i, wrench, column, M):
    """Write a column of M: generalised forces on body i's joint and on all inward of it that balance `wrench` (6,).

    The wrench is at frame i in its axes and is carried inward in place.
    """
    while i > 0:
        # s^T f of the joint
        for k in range(model.joints.dofs[i]):
            row = model.tree.joint_v[i] + k
            force = work.zero
            for c in range(6):
                force += work.subspace[i, k, c] * wrench[c]
            M[row, column] = force
            M[column, row] = force
        # the wrench at the parent's frame
        R = matrix(work.rotation[i])
        torque = rotate(R, vector(wrench[0:3]))
        push = rotate(R, vector(wrench[3:6]))
        reach = work.reach[i]
        store_vector(wrench[0:3], add(torque, cross(vector(work.position[i]), push)))
        store_vector(wrench[3:6], push)
        i = model.tree.parent[i]
        # reach^T f of the parent's modes
        for j in range(model.tree.modes[i]):
            row = model.tree.modes_v[i] + j
            force = modal_force_of_wrench(reach, j, torque, push)
            M[row, column] = force
            M[column, row] = force


@kernel
def mass_matrix(model, work, q, v, M):
    """Compute the symmetric `M` (nv, nv) at configuration `q`; `v` only has to be finite.

    M_ij = s_i^T I^c s_j with the composite inertia I^c of all that hangs on body j (Featherstone 2008, section 6.2);
    modes count as further motions.
    """
    n = model.tree.parent.shape[0]
    nv = model.velocities.prescribed.shape[0]
    for row in range(nv):
        for column in range(nv):
            M[row, column] = work.zero
    forward_kinematics(model, work, q, v)
    body_inertias(model, work, q, v)
    I = work.articulated_inertia
    wrench = work.transformed_rows[0, 0:6]
    # inward: I^c of body i, then the columns of its modes and of its joint
    for back in range(1, n):
        i = n - back
        if model.tree.frame[i] == 1:
            continue
        m = model.tree.modes[i]
        A = work.inertia[i]
        copy_articulated_inertia(A, m, I)
        if model.tree.parent[i] > 0:
            add_to_parent(model, work, i)
        copy_articulated_inertia(A, m, I)
        for j in range(m):
            column = model.tree.modes_v[i] + j
            for k in range(j, m):
                M[column, model.tree.modes_v[i] + k] = A[j, k]
                M[model.tree.modes_v[i] + k, column] = A[j, k]
            for k in range(6):
                wrench[k] = A[j, m + k]
            spread_inward(model, work, i, wrench, column, M)
        for k in range(model.joints.dofs[i]):
            s = work.subspace[i, k]
            for row in range(6):
                force = work.zero
                for column in range(6):
                    force += I[row, column] * s[column]
                wrench[row] = force
            spread_inward(model, work, i, wrench, model.tree.joint_v[i] + k, M)
    for k in range(nv):
        M[k, k] += model.velocities.armature[k]
    inertias_apart(model, work, M)


@inline
def inertias_apart(model, work, M):
    """Write to the diagonal of `M` what no body carries: rotors behind elastic gears, states of actuators."""
    for k in range(model.gears.rotor_v.shape[0]):
        M[model.gears.rotor_v[k], model.gears.rotor_v[k]] = work.zero + model.gears.inertia[k]
    for k in range(model.actuators.state_v.shape[0]):
        M[model.actuators.state_v[k], model.actuators.state_v[k]] = work.zero + model.actuators.inertia[k]


@kernel
def factorise(M, fixed, n):
    """Factorise the free part of `M` = L L^T in its lower triangle; rows of `fixed` coordinates become unit rows."""
    for j in range(n):
        for k in range(j + 1):
            if fixed[j] == 1 or fixed[k] == 1:
                M[j, k] = 1.0 if j == k else 0.0
        for k in range(j):
            s = M[j, k]
            for c in range(k):
                s -= M[j, c] * M[k, c]
            M[j, k] = s / M[k, k]
        s = M[j, j]
        for c in range(j):
            s -= M[j, c] * M[j, c]
        M[j, j] = sqrt(s)


@kernel
def solve_factorised(L, B, n):
    """Overwrite the rows of `B` (k, n) with the solutions of L L^T x = b."""
    for row in range(B.shape[0]):
        b = B[row]
        for j in range(n):
            s = b[j]
            for c in range(j):
                s -= L[j, c] * b[c]
            b[j] = s / L[j, j]
        for back in range(n):
            j = n - 1 - back
            b[j] = b[j] / L[j, j]
            for c in range(j):
                b[c] -= L[j, c] * b[j]
