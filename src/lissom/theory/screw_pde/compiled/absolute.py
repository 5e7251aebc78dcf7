"""Body frames as states of their own: joint coordinates measured from poses, constraint residuals, steps on SE(3).

A state holds the poses (R, p) of all body frames and a vector x = (V of all links, eta, eta', theta, theta') with rotor
angles theta. Increments hold six further entries per link first: the exponential coordinates of the pose's change.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import JointMotion
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    dot,
    matrix,
    quaternion_of,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    subtract,
    transpose,
    turn_matrix,
    vector,
)
from lissom.theory.screw_pairs import bracket, load_pair, store_pair
from lissom.theory.screw_pde.compiled.eliminate import eliminate
from lissom.theory.screw_pde.compiled.evaluate import (
    base_relative_velocity,
    constraint_rows,
    fill_blocks,
    parent_frame,
    relative_motions,
)
from lissom.theory.screw_pde.compiled.joint import joint_motion


@inline
def angle_about(axis, a, b):
    """Angle about `axis` from a to b, both seen across it."""
    a = subtract(a, scale(dot(axis, a), axis))
    return atan2(dot(axis, cross(a, b)), dot(a, b))


@inline
def rotation_about(axis, R):
    """Angle of R about `axis`, the nearest there is where R turns about another axis as well."""
    across = cross(axis, (1.0, 0.0, 0.0)) if abs(axis[0]) < 0.7 else cross(axis, (0.0, 1.0, 0.0))
    other = cross(axis, across)
    s = dot(other, rotate(R, across)) - dot(across, rotate(R, other))
    c = dot(across, rotate(R, across)) + dot(other, rotate(R, other))
    return atan2(s, c)


@inline
def nearest(angle, last):
    """Return the angle plus the whole turns that bring it closest to the last one."""
    return angle + 2.0 * pi * round((last - angle) / (2.0 * pi))


@inline
def follow_quaternion(R, q, at):
    """Write the unit quaternion of a rotation to q[at : at + 4], on the side of the one that is there."""
    new = quaternion_of(R)
    same = new[0] * q[at] + new[1] * q[at + 1] + new[2] * q[at + 2] + new[3] * q[at + 3]
    side = -1.0 if same < 0.0 else 1.0
    for k in range(4):
        q[at + k] = side * new[k]


@inline
def axis_of(table, i, step):
    """Return the axis that a step of joint i turns about or slides along."""
    angular, linear = load_pair(table.screw[i, step])
    return linear if table.motion[i, step] == JointMotion.SLIDE else angular


@inline
def measure_joint(table, i, R, p, q):
    """Joint coordinates of the pose (R, p) of the base in the joint's frame; q holds the last ones."""
    at = table.joint_q[i]
    steps = table.steps[i]
    if steps == 0:
        return
    motion = table.motion[i, 0]
    axis = axis_of(table, i, 0)
    if motion == JointMotion.BALL or motion == JointMotion.FLOAT:
        follow_quaternion(R, q, at)
        if motion == JointMotion.FLOAT:
            q[at + 4] = p[0]
            q[at + 5] = p[1]
            q[at + 6] = p[2]
    elif steps == 1:
        q[at] = nearest(rotation_about(axis, R), q[at]) if motion != JointMotion.SLIDE else dot(axis, p)
    elif steps == 3:  # planar
        second = axis_of(table, i, 1)
        q[at] = dot(axis, p)
        q[at + 1] = dot(second, p)
        q[at + 2] = nearest(rotation_about(axis_of(table, i, 2), R), q[at + 2])
    elif table.motion[i, 1] == JointMotion.SLIDE:  # cylindrical
        q[at] = nearest(rotation_about(axis, R), q[at])
        q[at + 1] = dot(axis, p)
    else:  # universal
        second = axis_of(table, i, 1)
        first = angle_about(axis, second, rotate(R, second))
        q[at] = nearest(first, q[at])
        rest = compose(turn_matrix(axis, -first), R)
        q[at + 1] = nearest(rotation_about(second, rest), q[at + 1])


@inline
def measure_rates(table, work, i, v):
    """Joint velocities: the part of the base's relative twist along the joint's motions, by least squares."""
    d = table.dofs[i]
    at = table.joint_v[i]
    out = work.gamma[i]  # scratch
    base_relative_velocity(table, work, i, out)
    S = work.S[i]
    N = work.D[i]
    for a in range(d):
        total = 0.0
        for r in range(6):
            total += S[a, r] * out[r]
        v[at + a] = total
        for b in range(a + 1):
            total = 0.0
            for r in range(6):
                total += S[a, r] * S[b, r]
            N[a, b] = total
    for k in range(d):  # eliminate upwards from the last, then back
        c = d - 1 - k
        for a in range(c):
            factor = N[c, a] / N[c, c]
            v[at + a] -= factor * v[at + c]
            for b in range(a + 1):
                N[a, b] -= factor * N[c, b]
    for c in range(d):
        total = v[at + c]
        for b in range(c):
            total -= N[c, b] * v[at + b]
        v[at + c] = total / N[c, c]


@kernel
def measure(table, work, R, p, x, q, v):
    """Model coordinates (q, v) of an absolute state, and all relative motions; q holds the last ones on entry."""
    n = table.parent.shape[0]
    at = 6 * n
    modes = 0
    for i in range(n):
        modes += table.modes[i]
    rotors = table.gears.rotor_v.shape[0]
    for i in range(n):
        for j in range(table.modes[i]):
            q[table.modes_q[i] + j] = x[at]
            v[table.modes_v[i] + j] = x[at + modes]
            at += 1
        for a in range(3):
            for b in range(3):
                work.world_R[i, a, b] = R[i, a, b]
            work.world_p[i, a] = p[i, a]
        for k in range(6):
            work.V[i, k] = x[6 * i + k]
    at += modes
    for r in range(rotors):
        q[table.gears.rotor_q[r]] = x[at + r]
        v[table.gears.rotor_v[r]] = x[at + rotors + r]
    relative_motions(table, work, q, v)
    for i in range(n):
        base_R, base_p = base_pose(table, work, i)
        joint_R, joint_p = joint_frame(table, work, i)
        R_rel = compose(transpose(joint_R), base_R)
        measure_joint(table, i, R_rel, rotate_back(joint_R, subtract(base_p, joint_p)), q)
        joint_motion(table, work, i, q, v)
    constraint_rows(table, work)
    for i in range(n):
        measure_rates(table, work, i, v)
        joint_motion(table, work, i, q, v)


@inline
def base_pose(table, work, i):
    """Pose of the base of link i in the world."""
    R = matrix(work.world_R[i])
    p = vector(work.world_p[i])
    if table.moved[i] == 1:
        p = add(p, rotate(R, vector(work.base_p[i])))
        R = compose(R, matrix(work.base_R[i]))
    return R, p


@inline
def joint_frame(table, work, i):
    """Pose in the world of the frame in which joint i moves."""
    up = table.parent[i]
    R, p = parent_frame(work, up)
    if up >= 0:
        p = add(p, rotate(R, vector(work.p[i])))
        R = compose(R, matrix(work.R[i]))
    return compose(R, matrix(table.origin_R[i])), add(p, rotate(R, vector(table.origin_p[i])))


@kernel
def residuals(table, work):
    """Largest violation of any joint, after `measure`: of positions (m, rad), of velocities (m/s, rad/s)."""
    place = 0.0
    speed = 0.0
    for i in range(table.parent.shape[0]):
        up = table.parent[i]
        R, p = parent_frame(work, up)
        if up >= 0:
            p = add(p, rotate(R, vector(work.p[i])))
            R = compose(R, matrix(work.R[i]))
        p = add(p, rotate(R, vector(work.joint_p[i])))
        R = compose(R, matrix(work.joint_R[i]))
        base_R, base_p = base_pose(table, work, i)
        d = rotate_back(R, subtract(base_p, p))
        E = compose(transpose(R), base_R)
        w = scale(0.5, (E[2][1] - E[1][2], E[0][2] - E[2][0], E[1][0] - E[0][1]))
        base_relative_velocity(table, work, i, work.gamma[i])
        a, b = load_pair(work.gamma[i])
        for k in range(6 - table.dofs[i]):
            c, e = load_pair(work.P[i, k])
            place = max(place, abs(dot(c, w) + dot(e, d)))
            speed = max(speed, abs(dot(c, a) + dot(e, b)))
    return place, speed


@inline
def exponential(w, u):
    """Rotation and translation of exp(w, u)."""
    z = dot(w, w)
    if z < 1e-4:
        a = 1.0 - z / 6.0 * (1.0 - z / 20.0 * (1.0 - z / 42.0))
        b = 0.5 - z / 24.0 * (1.0 - z / 30.0 * (1.0 - z / 56.0))
        c = 1.0 / 6.0 - z / 120.0 * (1.0 - z / 42.0 * (1.0 - z / 72.0))
    else:
        t = sqrt(z)
        a = sin(t) / t
        b = (1.0 - cos(t)) / z
        c = (1.0 - a) / z
    x, y, s = w
    R = (
        (1.0 - b * (y * y + s * s), b * x * y - a * s, b * x * s + a * y),
        (b * x * y + a * s, 1.0 - b * (x * x + s * s), b * y * s - a * x),
        (b * x * s - a * y, b * y * s + a * x, 1.0 - b * (x * x + y * y)),
    )
    wu = cross(w, u)
    return R, add(u, add(scale(b, wu), scale(c, cross(w, wu))))


@kernel
def shift(R0, p0, x0, change, R, p, x):
    """State 0 moved by an increment: poses by their exponentials, the rest by addition."""
    n = R0.shape[0]
    for i in range(n):
        Q, d = exponential(vector(change[6 * i : 6 * i + 3]), vector(change[6 * i + 3 : 6 * i + 6]))
        A = matrix(R0[i])
        store_vector(p[i], add(vector(p0[i]), rotate(A, d)))
        store_matrix(R[i], compose(A, Q))
    for k in range(x0.shape[0]):
        x[k] = x0[k] + change[6 * n + k]


@kernel
def rate(table, work, change, q, v, tau, out):
    """Rate of the increment at `change` for the state that `measure` saw last, under forces tau.

    Of a pose g exp(U): U' = V + [U, V]/2 + [U, [U, V]]/12 - [U, [U, [U, [U, V]]]]/720, exact to fifth order.
    """
    n = table.parent.shape[0]
    fill_blocks(table, work, q, v, tau)
    eliminate(table, work, out[0 : v.shape[0]])
    modes = 0
    for i in range(n):
        w, u = load_pair(change[6 * i : 6 * i + 6])
        a, b = load_pair(work.V[i])
        c, d = bracket(w, u, a, b)
        e, f = bracket(w, u, c, d)
        g, h = bracket(w, u, e, f)
        g, h = bracket(w, u, g, h)
        a, b = add(a, scale(0.5, c)), add(b, scale(0.5, d))
        a, b = add(a, scale(1.0 / 12.0, e)), add(b, scale(1.0 / 12.0, f))
        store_pair(out[6 * i : 6 * i + 6], add(a, scale(-1.0 / 720.0, g)), add(b, scale(-1.0 / 720.0, h)))
        for k in range(6):
            out[6 * n + 6 * i + k] = work.zdot[i, k]
        modes += table.modes[i]
    at = 12 * n
    for i in range(n):
        for j in range(table.modes[i]):
            out[at] = v[table.modes_v[i] + j]
            out[at + modes] = work.zdot[i, 6 + j]
            at += 1
    at += modes
    rotors = table.gears.rotor_v.shape[0]
    for r in range(rotors):
        out[at + r] = v[table.gears.rotor_v[r]]
        out[at + rotors + r] = work.force[table.gears.rotor_v[r]] / table.gears.inertia[r]
