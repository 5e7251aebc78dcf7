"""Solution with the factors of `coupled`: one inward and one outward pass over the vectors of three stages."""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.implicit.stage_coupled import STAGES, TWISTS
from lissom.kernel.implicit.stage_coupled_factorise import add_to_row
from lissom.kernel.maths.algebra import add, matrix, rotate, vector


@kernel
def solve_coupled(model, coupled):
    """Overwrite coupled.x (3, nv) with J^-1 x; entries of prescribed coordinates become zero."""
    n = model.tree.parent.shape[0]
    x = coupled.x
    # rotors hand their load to their joints
    for k in range(model.gears.rotor_v.shape[0]):
        by = coupled.gear[k]
        at = model.gears.rotor_v[k]
        force = rotate(matrix(by[1]), rotate(matrix(by[0]), (x[0, at], x[1, at], x[2, at])))
        for a in range(STAGES):
            x[a, model.gears.joint_v[k]] += force[a]
    # loads of the bodies, reduced inward
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
            add_stage_loads_to_parent(model, coupled, i)
    # outward: motions of frames, joints and modes
    for i in range(1, n):
        transform_stage_solution(model, coupled, i)
        solve_stage_body(model, coupled, i)
    # the rotors, by what their joints do
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
    """Reduce the load of body i to its twists: its modes, then its joint, are eliminated from it."""
    modes = STAGES * model.tree.modes[i]
    J = coupled.modes[i]
    b = coupled.load[i]
    w = b[modes:]
    for r in range(1, modes):
        b[r] = residual_of_row(b[r], J[r], b, r)
    for r in range(TWISTS):
        w[r] = residual_of_row(w[r], coupled.lower[i, r], b, modes)
    for k in range(model.joints.dofs[i]):
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 1:
            continue
        S = coupled.axis[i, k]
        U = coupled.U[i, k]
        force = coupled.u[i, k]
        for a in range(STAGES):
            f = coupled.x[a, at]
            for c in range(6):
                f -= S[a, c] * w[6 * a + c]
            force[a] = f
        f = rotate(matrix(coupled.D_inverse[i, k]), vector(force))
        for r in range(TWISTS):
            w[r] += U[0, r] * f[0] + U[1, r] * f[1] + U[2, r] * f[2]


@inline
def residual_of_row(value, row, b, count):
    """Return a value less the product of the first `count` entries of a row and of b."""
    for j in range(count):
        value -= row[j] * b[j]
    return value


@inline
def add_stage_loads_to_parent(model, coupled, i):
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
def transform_stage_solution(model, coupled, i):
    """Compute the motion of frame i by its parent's in all stages, its joint at rest."""
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
def solve_stage_body(model, coupled, i):
    """Compute the solution for the joint and the modes of body i."""
    x = coupled.x
    m = model.tree.modes[i]
    modes = STAGES * m
    y = coupled.motion[i]
    w = y[modes:]
    # the joint: D^-1 (u - W w), added to the motion of the frame
    for back in range(model.joints.dofs[i]):
        k = model.joints.dofs[i] - 1 - back
        at = model.tree.joint_v[i] + k
        if model.velocities.prescribed[at] == 1:
            for a in range(STAGES):
                x[a, at] = 0.0
            continue
        W = coupled.push[i, k]
        f = vector(coupled.u[i, k])
        for r in range(TWISTS):
            f = (f[0] - W[0, r] * w[r], f[1] - W[1, r] * w[r], f[2] - W[2, r] * w[r])
        moved = rotate(matrix(coupled.D_inverse[i, k]), f)
        for a in range(STAGES):
            x[a, at] = moved[a]
            for r in range(6):
                w[6 * a + r] += coupled.axis[i, k, a, r] * moved[a]
    # the modes, by back substitution
    J = coupled.modes[i]
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
