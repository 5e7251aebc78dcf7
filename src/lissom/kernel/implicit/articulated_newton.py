"""Newton matrix of implicit steps, J = M + c D + d K, factorised and solved by an articulated pass, O(n).

M is the mass matrix of a configuration, D and K damping and stiffness of bodies and joints by themselves (`local`).
Eliminated inward like the forward dynamics, with c D + d K added to the modes of every body and to the pivots of the
joints. Factors are kept: every solve is one inward and one outward pass over vectors. c and d are real or complex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.articulated_body import (
    add_articulated_inertia,
    copy_twist_block,
    modal_residual_force,
    project_on_joint,
    reduce_articulated_inertia,
    solve_joint_acceleration,
    transform_motion,
)
from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import ROW_WIDTH, Arrays, padded
from lissom.kernel.implicit.actuator_stiffness import eliminate_states, make_state_factors, reduce_states, solve_states
from lissom.kernel.maths.algebra import add, cross, matrix, rotate, store_vector, vector
from lissom.kernel.maths.row_sums import eliminate
from lissom.kernel.maths.simd_rows import add_lanes, set_lanes


class Factors(NamedTuple):
    """Factors of J in one number type."""

    zero: Any
    block: np.ndarray  # (n, m + 6, m + 6) of a body in (modes, twist), eliminated; padded
    modal_inverse: np.ndarray  # (n, m) pivots of the modes, inverted
    articulated_inertia: np.ndarray  # (6, 6) scratch
    transformed_rows: np.ndarray  # (6, m + 7) scratch, padded
    U: np.ndarray  # (n, 6, 6) row k: articulated inertia times joint axis k
    D_inverse: np.ndarray  # (n, 6) its pivot, inverted
    u: np.ndarray  # (n, 6) its right-hand side
    gear: np.ndarray  # (nr, 3) inverse of the rotor's pivot; force on the joint per rotor, on the rotor per joint
    state_inverse: np.ndarray  # (a, 3, 3) Z^-1 of each actuator, see `actuator_stiffness`
    state_row: np.ndarray  # (a, 3) Z^-1 r
    state_column: np.ndarray  # (a, 3) k Z^-1
    state_pivot: np.ndarray  # (nv,) what eliminating states adds to pivots of coordinates
    load: np.ndarray  # (n, m + 6) right-hand side of a body, padded
    motion: np.ndarray  # (n, 6) acceleration of its frame
    x: np.ndarray  # (nv,) right-hand side and solution


def make_factors(model: Arrays, number: type) -> Factors:
    """Make the memory for the factors of J of a model in one number type."""
    n, m, nv, gears = (
        len(model.tree.parent),
        model.inertia.modal_mass.shape[1],
        len(model.velocities.prescribed),
        len(model.gears.rotor_v),
    )

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    return Factors(
        zero=number(0),
        block=zeros(n, m + 6, padded(m + 6 + ROW_WIDTH)),
        modal_inverse=zeros(n, m),
        articulated_inertia=zeros(6, 6),
        transformed_rows=zeros(6, padded(m + 7 + ROW_WIDTH)),
        U=zeros(n, 6, 6),
        D_inverse=zeros(n, 6),
        u=zeros(n, 6),
        gear=zeros(gears, 3),
        **make_state_factors(model, number),
        load=zeros(n, padded(m + 6 + ROW_WIDTH)),
        motion=zeros(n, 6),
        x=zeros(nv),
    )


@kernel
def factorise(model, local, factors, by_damping, by_stiffness):
    """Eliminate J = M + by_damping D + by_stiffness K, bodies inward as in `forward_dynamics`."""
    n = model.tree.parent.shape[0]
    if model.actuators.kind.shape[0] > 0:
        c, d = factors.zero + by_damping, factors.zero + by_stiffness
        eliminate_states(model, local, factors, c, d)
    for k in range(model.gears.rotor_v.shape[0]):
        eliminate_rotor(model, local, factors, k, by_damping, by_stiffness)
    for i in range(1, n):
        if model.tree.frame[i] == 0:
            assemble(model, local, factors, i, by_damping, by_stiffness)
    # inward: eliminate modes and joint, add the rest to the parent
    for back in range(1, n):
        i = n - back
        if model.tree.frame[i] == 1:
            continue
        m = model.tree.modes[i]
        eliminate(factors.block[i], factors.modal_inverse[i], m, m + 6, m + 6)
        copy_twist_block(factors.block[i], m, factors.articulated_inertia)
        eliminate_joint(model, local, factors, i, by_damping, by_stiffness)
        if model.tree.parent[i] > 0:
            add_factors_to_parent(model, local, factors, i)


@inline
def eliminate_rotor(model, local, factors, k, c, d):
    """Eliminate rotor k, which nothing but its gear holds to the rest. One that is prescribed does not move."""
    at = model.gears.rotor_v[k]
    gear = c * local.slipping[k] + d * local.winding[k]
    law = c * local.gear_damping[k] + d * local.gear_stiffness[k]
    pivot = model.gears.inertia[k] + c * local.damping[at] + d * local.stiffness[at] + gear
    pivot += factors.state_pivot[at]
    factors.gear[k, 0] = factors.zero if model.velocities.prescribed[at] == 1 else 1.0 / pivot
    factors.gear[k, 1] = gear
    factors.gear[k, 2] = gear - law


@inline
def assemble(model, local, factors, i, c, d):
    """Write the body's own part of J, upper triangle: A + c D + d K, and d times its stiffness against turns."""
    m = model.tree.modes[i]
    A = local.work.inertia[i]
    K = local.work.link_stiffness[i]
    D = local.work.link_damping[i]
    J = factors.block[i]
    one = factors.zero + 1.0
    for j in range(m):
        for k in range(j - j % ROW_WIDTH, m, ROW_WIDTH):
            set_lanes(J[j], k, (one, c, d), (A[j], D[j], K[j]))
        for k in range(m, m + 6, ROW_WIDTH):
            set_lanes(J[j], k, (one,), (A[j],))
    for row in range(m, m + 6):
        for column in range(row, m + 6):
            J[row, column] = factors.zero + A[row, column]
    T = local.work.turn_stiffness[i]
    for row in range(m + 3):
        for axis in range(max(0, row - m), 3):
            J[row, m + axis] += d * T[row, axis]


@inline
def eliminate_joint(model, local, factors, i, c, d):
    """Eliminate the joint from the articulated body, one coordinate at a time; pivots carry c D + d K and the gear."""
    I = factors.articulated_inertia
    for k in range(model.joints.dofs[i]):
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 1:
            continue
        U = factors.U[i, k]
        pivot = factors.zero + model.velocities.armature[at] + c * local.damping[at] + d * local.stiffness[at]
        pivot += factors.state_pivot[at]
        gear = local.gear_of[at]
        if gear >= 0:
            by = factors.gear[gear]
            pivot += by[1] - by[1] * by[0] * by[2]
        pivot += project_on_joint(I, local.subspace[i, k], U, factors.zero)
        inverse = 1.0 / pivot
        factors.D_inverse[i, k] = inverse
        reduce_articulated_inertia(I, U, inverse)


@inline
def add_factors_to_parent(model, local, factors, i):
    """Add the articulated body i to its parent's block."""
    up = model.tree.parent[i]
    m = model.tree.modes[up]
    none = (factors.zero, factors.zero, factors.zero)
    R = matrix(local.rotation[i])
    p = vector(local.position[i])
    add_articulated_inertia(
        factors.block[up],
        m,
        m + 6,
        factors.articulated_inertia,
        R,
        p,
        local.reach[i],
        none,
        none,
        factors.transformed_rows,
    )


@kernel
def solve(model, local, factors):
    """Overwrite factors.x with J^-1 x; entries of prescribed coordinates become zero."""
    n = model.tree.parent.shape[0]
    x = factors.x
    # states of actuators hand their load to the coordinates they work on, rotors theirs to their joints
    reduce_states(model, factors, x)
    for k in range(model.gears.rotor_v.shape[0]):
        by = factors.gear[k]
        x[model.gears.joint_v[k]] += by[1] * by[0] * x[model.gears.rotor_v[k]]
    # loads of the bodies, reduced inward
    for i in range(1, n):
        m = model.tree.modes[i]
        for j in range(m):
            factors.load[i, j] = -x[model.tree.modes_v[i] + j]
        for k in range(6):
            factors.load[i, m + k] = factors.zero
    for back in range(1, n):
        i = n - back
        if model.tree.frame[i] == 1:
            continue
        reduce_load(model, local, factors, i)
        if model.tree.parent[i] > 0:
            add_load_to_parent(model, local, factors, i)
    # outward: motions of frames, joints and modes
    for i in range(1, n):
        if model.tree.frame[i] == 0:
            transform_solution(model, local, factors, i)
            solve_body(model, local, factors, i)
    # the rotors, by what their joints do
    for k in range(model.gears.rotor_v.shape[0]):
        by = factors.gear[k]
        at = model.gears.rotor_v[k]
        x[at] = by[0] * (x[at] + by[2] * x[model.gears.joint_v[k]])
    solve_states(model, factors, x)


@inline
def reduce_load(model, local, factors, i):
    """Reduce the load of body i to its twist: its modes, then its joint, are eliminated from it."""
    m = model.tree.modes[i]
    b = factors.load[i]
    for j in range(m):
        f = -b[j] * factors.modal_inverse[i, j]
        for k in range(j + 1, m + 6, ROW_WIDTH):
            add_lanes(b, k, (f,), (factors.block[i, j],))
    for k in range(model.joints.dofs[i]):
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 0:
            force = factors.x[at]
            for row in range(6):
                force -= local.subspace[i, k, row] * b[m + row]
            factors.u[i, k] = force
            f = force * factors.D_inverse[i, k]
            for row in range(6):
                b[m + row] += factors.U[i, k, row] * f


@inline
def add_load_to_parent(model, local, factors, i):
    """Add what is left of body i's load to its parent's."""
    m = model.tree.modes[i]
    up = model.tree.parent[i]
    mu = model.tree.modes[up]
    b = factors.load[i]
    R = matrix(local.rotation[i])
    turn = rotate(R, (b[m], b[m + 1], b[m + 2]))
    push = rotate(R, (b[m + 3], b[m + 4], b[m + 5]))
    reach = local.reach[i]
    to = factors.load[up]
    angular = add(vector(to[mu : mu + 3]), add(turn, cross(vector(local.position[i]), push)))
    linear = add(vector(to[mu + 3 : mu + 6]), push)
    by = (turn[0], turn[1], turn[2], push[0], push[1], push[2])
    for j in range(0, mu, ROW_WIDTH):
        add_lanes(to, j, by, (reach[0], reach[1], reach[2], reach[3], reach[4], reach[5]))
    store_vector(to[mu : mu + 3], angular)  # after the lanes, which ran over into them
    store_vector(to[mu + 3 : mu + 6], linear)


@inline
def transform_solution(model, local, factors, i):
    """Compute the motion of frame i by its parent's, its joint at rest."""
    p, R = vector(local.position[i]), matrix(local.rotation[i])
    angular, linear = transform_motion(model, i, factors.motion, factors.x, local.reach[i], p, R)
    store_vector(factors.motion[i, 0:3], angular)
    store_vector(factors.motion[i, 3:6], linear)


@inline
def solve_body(model, local, factors, i):
    """Compute the solution for the joint and the modes of body i."""
    x = factors.x
    a = factors.motion[i]
    for k in range(model.joints.dofs[i]):
        if model.velocities.prescribed[model.tree.joint_v[i] + k] == 1:
            x[model.tree.joint_v[i] + k] = factors.zero
    solve_joint_acceleration(model, i, local.subspace[i], factors.U[i], factors.u[i], factors.D_inverse[i], a, x)
    J = factors.block[i]
    m = model.tree.modes[i]
    at = model.tree.modes_v[i]
    for back in range(m):
        j = m - 1 - back
        x[at + j] = -modal_residual_force(J[j], m, factors.load[i, j], a, x, at, back) * factors.modal_inverse[i, j]
