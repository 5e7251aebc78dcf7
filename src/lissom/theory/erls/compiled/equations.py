"""The equations of motion (75) in y = (theta, q_d): virtual works of all links, projected by N of (69).

The inverse problem needs no matrix N: N^T f follows from the projection `close` that gives the rigid coordinates, since
it is symmetric. Forward dynamics assembles N^T L N.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import matrix, scale, subtract, vector
from lissom.simulation.equations.dense_lu import factorise
from lissom.simulation.equations.dense_lu import solve as back_substitute
from lissom.theory.erls.compiled.compatibility import accelerate, clear, close, dot6, slip_of, to_parent, turn_column
from lissom.theory.erls.compiled.coordinates import set_second
from lissom.theory.erls.compiled.frames import jacobians, outward
from lissom.theory.erls.compiled.works import link_forces
from lissom.theory.linear import solve_positive
from lissom.theory.screw_pairs import add_pair, load_pair, store_pair, twist_at, work_pair, wrench_from


@kernel
def needed_forces(table, work):
    """Compute forces on every frame and modal coordinate for the joints' accelerations, summed towards the base.

    Equations: 001 (75).
    """
    set_second(table, work)
    accelerate(table, work)
    outward(table, work)
    for i in range(table.parent.shape[0]):
        link_forces(table, work, i, work.needed[i])
        for r in range(6):
            work.wrench[i, r] = work.needed[i, r]
            work.rigid[i, r] = work.needed[i, 6 + r]
    for back in range(table.parent.shape[0]):
        i = table.parent.shape[0] - 1 - back
        if table.parent[i] >= 0:
            t, f = load_pair(work.wrench[i])
            t, f = to_parent(work, i, t, f)
            add_pair(work.wrench[table.parent[i]], t, f)


@kernel
def project(table, work):
    """Compute joint (n,) and modal (modes,): forces on the joint displacements and on q_d that go with what is needed.

    A joint's force works on theta + slip, so that it loads the rigid coordinates as well.
    """
    # force on each joint displacement: that of the joint's screw and of the slips that close the gaps
    N, joint, modal = table.parent.shape[0], work.joint, work.modal
    clear(work.gap)
    close(table, work, work.rigid, work.gap, work.strain, work.shift)
    for i in range(N):
        k, up = table.coordinate[i], table.parent[i]
        if k >= 0:
            total = dot6(table.screw[i], work.wrench[i]) + dot6(work.swing[i], work.strain[i])
            if up >= 0:
                total += dot6(work.turned[i], work.shift[up])
            joint[k] = total
    # on the coordinates theta: solve slope^T x = joint
    for k in range(joint.shape[0]):
        for j in range(joint.shape[0]):
            work.lu[k, j] = work.slope[j, k]
    factorise(work.lu, work.pivots)
    back_substitute(work.lu, work.pivots, joint)
    for i in range(N):
        k = table.coordinate[i]
        if k >= 0:
            # what the joints take is no load on the rigid coordinates
            t, f = load_pair(table.basis[i, 5])
            t, f = scale(joint[k], t), scale(joint[k], f)
            add_pair(work.rigid[i], scale(-1.0, t), scale(-1.0, f))
            if table.parent[i] >= 0:
                t, f = to_parent(work, i, t, f)
                add_pair(work.rigid[table.parent[i]], t, f)
    close(table, work, work.rigid, work.gap, work.strain, work.shift)
    # modal: what the link itself needs, and what its ends pass on, base end first
    for i in range(N):
        for j in range(table.modes[i]):
            modal[table.first[i] + j] = work.needed[i, 12 + j]
    for i in range(N):
        k, up = table.coordinate[i], table.parent[i]
        t, f = load_pair(work.strain[i])
        if k >= 0:
            a, b = load_pair(table.basis[i, 5])
            t, f = subtract(t, scale(joint[k], a)), subtract(f, scale(joint[k], b))
        for j in range(table.modes[i]):
            modal[table.first[i] + j] += work_pair(table.proximal[i, j], t, f)
        if up >= 0:
            t, f = wrench_from(matrix(work.R[i]), vector(work.p[i]), t, f)
            for j in range(table.modes[up]):
                modal[table.first[up] + j] -= work_pair(table.shapes[i, j], t, f)


@kernel
def projections(table, work):
    """N = d q_r / d y of (69), and joint_N, the same of the joint displacements theta + slip.

    Equations: 001 (15), (69).
    """
    n = work.theta.shape[0]
    for i in range(table.parent.shape[0]):
        k = table.coordinate[i]
        if k >= 0:
            turn_column(table, work, i, work.column)
            write_column(table, work, k)
            work.joint_N[k, k] += 1.0
        for j in range(table.modes[i]):
            mode_column(table, work, i, j)
            write_column(table, work, n + table.first[i] + j)


@inline
def mode_column(table, work, i, j):
    """D of (11): d q_r / d q_d of elastic coordinate j of node i, to work.column."""
    clear(work.gap)
    clear(work.column)
    a, b = load_pair(table.proximal[i, j])
    store_pair(work.gap[i], a, b)
    for c in range(table.parent.shape[0]):
        if table.parent[c] == i:
            a, b = load_pair(table.shapes[c, j])
            a, b = twist_at(matrix(work.R[c]), vector(work.p[c]), a, b)
            add_pair(work.gap[c], scale(-1.0, a), scale(-1.0, b))
    close(table, work, work.column, work.gap, work.strain, work.column)


@inline
def write_column(table, work, y):
    """Write column y of N, and of the joints' share in it, from the displacements in work.column."""
    for i in range(table.parent.shape[0]):
        for r in range(6):
            work.N[i, r, y] = work.column[i, r]
        if table.coordinate[i] >= 0:
            work.joint_N[table.coordinate[i], y] = slip_of(table, work, i, work.column, work.gap)


@kernel
def assemble(table, work):
    """Compute inertia = N^T L N and force: what is left of (75) beside it and the forces applied, at work's rates.

    Equations: 001 (75).
    """
    n, P, LP = work.theta.shape[0], work.projection, work.product
    # kinematics without accelerations of coordinates: what is left is the bias
    clear(work.q_second)
    for k in range(n):
        work.theta_second[k] = 0.0
    for i in range(table.parent.shape[0]):
        a, b = load_pair(work.bias[i])
        store_pair(work.q_second[i], a, b)
    outward(table, work)
    jacobians(table, work)
    projections(table, work)
    clear(work.inertia)
    size = work.force.shape[0]
    for y in range(size):
        work.force[y] = 0.0
    for i in range(table.parent.shape[0]):
        # P: d (joint, rigid and modal motion of the link) / d y
        link_forces(table, work, i, work.needed[i])
        rows = 12 + table.modes[i]
        for y in range(size):
            for r in range(6):
                P[r, y] = work.J[i, r, y] if y < n else 0.0
                P[6 + r, y] = work.N[i, r, y]
            for r in range(12, rows):
                P[r, y] = 0.0
        for j in range(table.modes[i]):
            P[12 + j, n + table.first[i] + j] = 1.0
        # L P, then P^T L P and - P^T needed
        for r in range(rows):
            LP[r] = 0.0
            for s in range(rows):
                for y in range(size):
                    LP[r, y] += work.L[r, s] * P[s, y]
        for r in range(rows):
            for y in range(size):
                work.force[y] -= P[r, y] * work.needed[i, r]
                for z in range(size):
                    work.inertia[y, z] += P[r, y] * LP[r, z]


@kernel
def solve(table, work):
    """Compute found = (thetaddot, q_d ddot) under the forces joint (n,) and modal (modes,), after `assemble`.

    `armature` (n,) is inertia that moves with the joint displacements.

    Equations: 001 (75).
    """
    n, M, N, armature = work.joint.shape[0], work.inertia, work.joint_N, work.armature
    for k in range(n):
        for y in range(M.shape[0]):
            work.force[y] += N[k, y] * (work.joint[k] - armature[k] * work.slip_bias[k])
            for z in range(M.shape[0]):
                M[y, z] += N[k, y] * armature[k] * N[k, z]
    for k in range(work.modal.shape[0]):
        work.force[n + k] += work.modal[k]
    solve_positive(M, work.force, work.found)


@kernel
def accelerations(table, work):
    """found, and joint_second (n,) of the joint displacements, under the forces joint and modal."""
    assemble(table, work)
    solve(table, work)
    for k in range(work.joint.shape[0]):
        total = work.slip_bias[k]
        for y in range(work.found.shape[0]):
            total += work.joint_N[k, y] * work.found[y]
        work.joint_second[k] = total
