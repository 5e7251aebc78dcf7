"""Loops: what a joint between two frames of the tree holds, its rates, and how the rows move with the coordinates.

A row is one direction that the joint of a loop holds of the pose (R, p) of its second frame in the axes of its first:

    PLACE      a . p                          the second origin does not move along a
    SQUARE     a . R b - level                the angle between an axis of each stays
    THREAD     sin(turn - pace slide)         turn and slide along a thread belong together
    DISTANCE   |p| - level                    the origins stay so far apart

or of the coordinates of two joints, without a wrench between the frames:

    RATIO      q2 - pace q1 - level           the second joint follows the first

The rate of the others is t . omega + f . p' with the relative angular velocity omega. So (t, f) is the wrench on the
second frame, at its origin, per unit of the row's multiplier. Everything is analytic: the complex step derives it.
"""

from __future__ import annotations

from numpy import cos, sin, sqrt

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import LoopRow
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    dot,
    identity,
    matrix,
    rotate,
    rotate_back,
    scale,
    subtract,
    transpose,
    vector,
)


@inline
def pose_above(model, work, i, top):
    """Return rotation and position of frame i in the axes of body `top`, one of its ancestors or itself."""
    zero = work.zero
    R = identity(zero)
    p = (zero, zero, zero)
    while i != top:
        out = matrix(work.rotation[i])
        p = add(vector(work.position[i]), rotate(out, p))
        R = compose(out, R)
        i = model.tree.parent[i]
    return R, p


@inline
def relative_pose(model, work, loop):
    """Return the pose (R, p) of the second frame in the axes of the first."""
    top = model.loops.common[loop]
    R1, p1 = pose_above(model, work, model.loops.first[loop], top)
    R2, p2 = pose_above(model, work, model.loops.second[loop], top)
    back = transpose(R1)
    return compose(back, R2), rotate(back, subtract(p2, p1))


@inline
def row_value(loops, row, R, p):
    """Return the value of a row."""
    a = vector(loops.a[row])
    hold = loops.hold[row]
    value = dot(a, p)
    if hold == LoopRow.SQUARE:
        value = dot(a, rotate(R, vector(loops.b[row]))) - loops.level[row]
    elif hold == LoopRow.THREAD:
        axis = vector(loops.axis[row])
        turned = rotate(R, vector(loops.b[row]))
        phase = loops.pace[row] * dot(axis, p)
        value = dot(cross(axis, a), turned) * cos(phase) - dot(a, turned) * sin(phase)
    elif hold == LoopRow.DISTANCE:
        value = sqrt(dot(p, p)) - loops.level[row]
    return value


@inline
def row_wrench(loops, row, R, p, zero):
    """Return torque and force (t, f) on the second frame per unit of the row's multiplier, axes of the first."""
    none = (zero, zero, zero)
    a = add(vector(loops.a[row]), none)
    hold = loops.hold[row]
    torque = none
    force = a
    if hold == LoopRow.SQUARE:
        torque = cross(rotate(R, vector(loops.b[row])), a)
        force = none
    elif hold == LoopRow.THREAD:
        axis = vector(loops.axis[row])
        turned = rotate(R, vector(loops.b[row]))
        side = cross(axis, a)
        phase = loops.pace[row] * dot(axis, p)
        c = cos(phase)
        s = sin(phase)
        torque = cross(turned, subtract(scale(c, side), scale(s, a)))
        force = scale(-loops.pace[row] * (dot(a, turned) * c + dot(side, turned) * s), axis)
    elif hold == LoopRow.DISTANCE:
        force = scale(1.0 / sqrt(dot(p, p)), p)
    return torque, force


@inline
def row_bend(loops, row, R, p, w, u, zero):
    """Return what the velocities alone add to the second derivative of a row.

    w: relative angular velocity, u = p'; the rest of it is t . w' + f . u'.
    """
    hold = loops.hold[row]
    bend = zero
    if hold == LoopRow.SQUARE:
        turned = rotate(R, vector(loops.b[row]))
        bend = dot(cross(cross(w, turned), vector(loops.a[row])), w)
    elif hold == LoopRow.THREAD:
        a = vector(loops.a[row])
        axis = vector(loops.axis[row])
        turned = rotate(R, vector(loops.b[row]))
        swept = cross(w, turned)
        side = cross(axis, a)
        phase = loops.pace[row] * dot(axis, p)
        rate = loops.pace[row] * dot(axis, u)
        c = cos(phase)
        s = sin(phase)
        value = dot(side, turned) * c - dot(a, turned) * s
        bend = dot(cross(swept, subtract(scale(c, side), scale(s, a))), w)
        bend -= 2.0 * rate * (s * dot(side, swept) + c * dot(a, swept)) + value * rate * rate
    elif hold == LoopRow.DISTANCE:
        along = dot(p, u)
        square = dot(p, p)
        bend = (dot(u, u) - along * along / square) / sqrt(square)
    return bend


@inline
def add_generalised_force(model, work, i, top, torque, force, out):
    """Add to `out` (nv,) the generalised forces of a wrench on frame i, its own axes, up to its ancestor `top`."""
    while i != top:
        for k in range(model.joints.dofs[i]):
            s = work.subspace[i, k]
            out[model.tree.joint_v[i] + k] += dot(vector(s[0:3]), torque) + dot(vector(s[3:6]), force)
        R = matrix(work.rotation[i])
        torque = rotate(R, torque)
        force = rotate(R, force)
        reach = work.reach[i]
        up = model.tree.parent[i]
        at = model.tree.modes_v[up]
        for j in range(model.tree.modes[up]):
            out[at + j] += dot((reach[0, j], reach[1, j], reach[2, j]), torque) + dot(
                (reach[3, j], reach[4, j], reach[5, j]), force
            )
        torque = add(torque, cross(vector(work.position[i]), force))
        i = up


@inline
def ratio_sum(model, row, at, values):
    """Return what a row of RATIO makes of values of coordinates: x2 - pace x1; `at` (n,) has their places."""
    joints = model.loops.joints
    return values[at[joints[row, 1]]] - model.loops.pace[row] * values[at[joints[row, 0]]]


@kernel
def loop_values(model, work, q, given, out):
    """Compute all rows less those `given` (rows, 3), after the outward pass; zero where the loops are closed."""
    for loop in range(model.loops.first.shape[0]):
        R, p = relative_pose(model, work, loop)
        for row in range(model.loops.rows[loop, 0], model.loops.rows[loop, 1]):
            if model.loops.hold[row] == LoopRow.RATIO:
                out[row] = ratio_sum(model, row, model.tree.joint_q, q) - model.loops.level[row] - given[row, 0]
            else:
                out[row] = row_value(model.loops, row, R, p) - given[row, 0]


@kernel
def loop_rows(model, work, G):
    """Compute G (rows, nv): rates of all rows per unit of every velocity, after the outward pass."""
    zero = work.zero
    for row in range(G.shape[0]):
        for k in range(G.shape[1]):
            G[row, k] = zero
    for loop in range(model.loops.first.shape[0]):
        R, p = relative_pose(model, work, loop)
        first = model.loops.first[loop]
        second = model.loops.second[loop]
        top = model.loops.common[loop]
        for row in range(model.loops.rows[loop, 0], model.loops.rows[loop, 1]):
            # the power of the row's wrench: G v = t . w + f . p'
            torque, force = row_wrench(model.loops, row, R, p, zero)
            add_generalised_force(model, work, second, top, rotate_back(R, torque), rotate_back(R, force), G[row])
            moment = add(torque, cross(p, force))
            add_generalised_force(model, work, first, top, scale(-1.0, moment), scale(-1.0, force), G[row])
            if model.loops.hold[row] == LoopRow.RATIO:
                G[row, model.tree.joint_v[model.loops.joints[row, 1]]] += 1.0
                G[row, model.tree.joint_v[model.loops.joints[row, 0]]] -= model.loops.pace[row]


@kernel
def loop_rates(G, given, v, out):
    """Compute the rates of all rows less those given: zero where the velocities keep the loops closed."""
    for row in range(G.shape[0]):
        rate = -given[row, 1]
        for k in range(G.shape[1]):
            rate += G[row, k] * v[k]
        out[row] = rate


@kernel
def loop_accelerations(model, work, qdd, given, out):
    """Compute the second derivatives of all rows less those given, of accelerations `qdd` that `work` holds too."""
    for loop in range(model.loops.first.shape[0]):
        R, p = relative_pose(model, work, loop)
        first = model.loops.first[loop]
        second = model.loops.second[loop]
        # relative angular velocity w and velocity u = p', axes of the first frame
        w1 = vector(work.omega[first])
        w2 = rotate(R, vector(work.omega[second]))
        w = subtract(w2, w1)
        u = subtract(rotate(R, vector(work.velocity[second])), add(vector(work.velocity[first]), cross(w1, p)))
        # and their derivatives
        a1 = work.acceleration[first]
        a2 = work.acceleration[second]
        dw = subtract(subtract(rotate(R, vector(a2[0:3])), vector(a1[0:3])), cross(w1, w2))
        swirl = add(cross(w1, add(cross(w1, p), scale(2.0, u))), cross(vector(a1[0:3]), p))
        du = subtract(subtract(rotate(R, vector(a2[3:6])), vector(a1[3:6])), swirl)
        for row in range(model.loops.rows[loop, 0], model.loops.rows[loop, 1]):
            torque, force = row_wrench(model.loops, row, R, p, work.zero)
            bend = row_bend(model.loops, row, R, p, w, u, work.zero)
            out[row] = dot(torque, dw) + dot(force, du) + bend - given[row, 2]
            if model.loops.hold[row] == LoopRow.RATIO:
                out[row] += ratio_sum(model, row, model.tree.joint_v, qdd)


@kernel
def loop_wrenches(model, work, lam, on, wrench):
    """Compute the wrenches of the multipliers `lam` (rows,) of all loops, after the outward pass.

    on (loops, 6): torque and force of the first frame on the second, at the second's origin in its axes; the same
    wrenches are added to the rows of `wrench` (n, 6) of the frames they act on. Of a ratio it is what drives the second
    joint, in the axes of its link: it acts within that joint, so on no frame.
    """
    zero = work.zero
    for loop in range(model.loops.first.shape[0]):
        R, p = relative_pose(model, work, loop)
        first = model.loops.first[loop]
        second = model.loops.second[loop]
        torque = (zero, zero, zero)
        force = (zero, zero, zero)
        for row in range(model.loops.rows[loop, 0], model.loops.rows[loop, 1]):
            t, f = row_wrench(model.loops, row, R, p, zero)
            torque = add(torque, scale(lam[row], t))
            force = add(force, scale(lam[row], f))
        # the reaction on the first frame, about its own origin
        moment = add(torque, cross(p, force))
        own_torque = rotate_back(R, torque)
        own_force = rotate_back(R, force)
        for k in range(3):
            on[loop, k] = own_torque[k]
            on[loop, 3 + k] = own_force[k]
            wrench[second, k] += own_torque[k]
            wrench[second, 3 + k] += own_force[k]
            wrench[first, k] -= moment[k]
            wrench[first, 3 + k] -= force[k]
        for row in range(model.loops.rows[loop, 0], model.loops.rows[loop, 1]):
            if model.loops.hold[row] == LoopRow.RATIO:
                for k in range(6):
                    on[loop, k] = lam[row] * work.subspace[model.loops.joints[row, 1], 0, k]
