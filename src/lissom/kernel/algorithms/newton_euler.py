"""Inverse dynamics: recursive Newton-Euler over flexible links, O(n), with the wrench in every joint.

Outward: frames and accelerations. Inward: wrenches, (22)-(27) of Park, Bobrow and Ploen 1995, extended by the modal
rows of each flexible link.
"""

from __future__ import annotations

from lissom.kernel.algorithms.articulated_body import (
    modal_force_of_wrench,
    set_base_acceleration,
    transform_acceleration,
)
from lissom.kernel.compile import kernel
from lissom.kernel.forces.external_forces import sum_external_forces
from lissom.kernel.forces.passive_joint_forces import passive_forces
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics
from lissom.kernel.links.body_inertia import body_inertias
from lissom.kernel.maths.algebra import add, cross, matrix, rotate, vector


@kernel
def inverse_dynamics(model, work, q, v, qdd, wrench, tau):
    """Compute the applied forces `tau` (nv,) that produce `qdd` (nv,); joint wrenches stay in work.wrench.

    `wrench` (n, 6): external wrenches at the body origins in body axes. Featherstone (2008), section 5.3: outward
    a = X a_parent + s qdd + c, f = I a + p; inward tau = s^T f, f_parent += X^T f.
    """
    # passive forces, frames, loads, inertias and their biases
    n = model.tree.parent.shape[0]
    for k in range(tau.shape[0]):
        work.force[k] = work.zero
        tau[k] = work.zero
    passive_forces(model, q, v, work.force)
    forward_kinematics(model, work, q, v)
    sum_external_forces(model, work, q, v, wrench)
    set_base_acceleration(model, work)
    body_inertias(model, work, q, v)
    # outward: accelerations, then the force A z + bias on each body in (modes, twist)
    for i in range(1, n):
        transform_acceleration(model, work, i, qdd)
        a = work.acceleration[i]
        for k in range(model.joints.dofs[i]):
            for row in range(6):
                a[row] += work.subspace[i, k, row] * qdd[model.tree.joint_v[i] + k]
        # a frame has no mass: it hands on what acts on it
        if model.tree.frame[i] == 1:
            for row in range(6):
                work.wrench[i, row] = -work.load[i, row]
            continue
        m = model.tree.modes[i]
        modes = model.tree.modes_v[i]
        A = work.inertia[i]
        z = work.transformed_rows[0]
        product = work.transformed_rows[1]
        for j in range(m):
            z[j] = qdd[modes + j]
            product[j] = A[j, m + 6]
        for k in range(6):
            z[m + k] = a[k]
            product[m + k] = A[m + k, m + 6]
        # symmetric product with the upper triangle, spread to both sides
        for row in range(m + 6):
            own = A[row, row] * z[row]
            for column in range(row + 1, m + 6):
                own += A[row, column] * z[column]
                product[column] += A[row, column] * z[row]
            product[row] += own
        for j in range(m):
            tau[modes + j] = product[j]
        for k in range(6):
            work.wrench[i, k] = product[m + k] - work.load[i, k]
    # inward: the joint's share of the wrench, then the wrench on the parent and its modes
    for back in range(1, n):
        i = n - back
        for k in range(model.joints.dofs[i]):
            at = model.tree.joint_v[i] + k
            force = model.velocities.armature[at] * qdd[at] - work.force[at]
            for row in range(6):
                force += work.subspace[i, k, row] * work.wrench[i, row]
            tau[at] = force
        up = model.tree.parent[i]
        m = model.tree.modes[up]
        R = matrix(work.rotation[i])
        torque = rotate(R, vector(work.wrench[i, 0:3]))
        push = rotate(R, vector(work.wrench[i, 3:6]))
        for j in range(m):
            tau[model.tree.modes_v[up] + j] += modal_force_of_wrench(work.reach[i], j, torque, push)
        torque = add(torque, cross(vector(work.position[i]), push))
        for k in range(3):
            work.wrench[up, k] += torque[k]
            work.wrench[up, 3 + k] += push[k]
    # rotors behind elastic gears
    for k in range(model.gears.rotor_v.shape[0]):
        at = model.gears.rotor_v[k]
        tau[at] = model.gears.inertia[k] * qdd[at] - work.force[at]
    # states of actuators
    for k in range(model.actuators.state_v.shape[0]):
        at = model.actuators.state_v[k]
        tau[at] = model.actuators.inertia[k] * qdd[at] - work.force[at]
