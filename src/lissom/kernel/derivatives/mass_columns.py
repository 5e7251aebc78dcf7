"""Mass matrix by columns: the wrench that accelerates all that a coordinate carries, carried inward beside the others.

Composite bodies (Featherstone 2008, section 6.2) with modes as further motions, as in `algorithms.composite_body`; the
wrenches of all coordinates outward lie in vector registers.
"""

from __future__ import annotations

from lissom.kernel.algorithms.composite_body import inertias_apart
from lissom.kernel.compile import inline, kernel
from lissom.kernel.derivatives.columns import BY_MOTION
from lissom.kernel.kinematics.forward_kinematics import body_places
from lissom.kernel.links.body_inertia import body_inertia, inertia_from_second_moment
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    dot,
    matrix,
    rotate,
    scale,
    store_vector,
    subtract,
    transpose,
    vector,
)
from lissom.kernel.maths.simd_rows import add_scaled, set_scaled


@kernel
def mass_by_columns(model, work, columns, q, v, M):
    """Compute the symmetric `M` (nv, nv) at configuration `q`; `v` only has to be finite."""
    clear_mass(columns)
    body_places(model, work, q, v)
    n = model.tree.parent.shape[0]
    for back in range(1, n):
        i = n - back
        if model.tree.frame[i] == 0:
            own_columns(model, work, columns, i, q, v)
            if model.tree.parent[i] > 0:
                carry_mass(model, work, columns, i)
    for r in range(M.shape[0]):
        at = columns.in_order[r]
        row = columns.ordered[r]
        for k in range(r, M.shape[0]):
            to = columns.in_order[k]
            M[at, to] = columns.by_acceleration[row, columns.ordered[k]]
            M[to, at] = columns.by_acceleration[row, columns.ordered[k]]
        M[at, at] += model.velocities.armature[at]
    inertias_apart(model, work, M)


@inline
def clear_mass(columns):
    """Clear what the recursion adds to."""
    size = columns.last.shape[0]
    for row in range(size):
        for k in range(size):
            columns.by_acceleration[row, k] = 0.0
    for row in range(6):
        for k in range(size):
            columns.carried[0, row, k] = 0.0
            columns.carried[1, row, k] = 0.0
    for i in range(columns.mass.shape[0]):
        columns.mass[i] = 0.0
        for a in range(3):
            columns.moment[i, a] = 0.0
            for b in range(3):
                columns.inertia[i, a, b] = 0.0


@inline
def own_columns(model, work, columns, i, q, v):
    """Add the mass of body i itself; set the columns of its modes and its joint, and write their rows."""
    m = model.tree.modes[i]
    half = columns.carried[columns.even[i]]
    # inertia of the link by itself; of one that bends, the rows of its modes as well
    if m == 0:
        moment = add(vector(model.inertia.moment[i]), (work.zero, work.zero, work.zero))
        J = inertia_from_second_moment(matrix(model.inertia.second_moment[i]))
    else:
        body_inertia(model, work, i, q, v)
        A = work.inertia[i]
        moment, J = inertia_of_link(A, m)
        mode = columns.modes[i]
        for k in range(m):
            for c in range(6):
                half[BY_MOTION + c, mode + k] += A[k, m + c]
            for r in range(k + 1):
                columns.by_acceleration[mode + r, mode + k] += A[r, k]
    # with what the bodies outward have carried here: the composite body of i
    columns.mass[i] += model.inertia.mass[i]
    moment = add(moment, vector(columns.moment[i]))
    store_vector(columns.moment[i], moment)
    for c in range(3):
        store_vector(columns.inertia[i, c], add(vector(columns.inertia[i, c]), J[c]))
    J = matrix(columns.inertia[i])
    # wrench that accelerates the composite body along each axis of the joint
    end = columns.end[i]
    axis = model.joints.axis[i]
    for k in range(model.joints.dofs[i]):
        at = columns.begin[i] + k
        s = work.subspace[i, k]
        wrench = accelerating_wrench(columns.mass[i], moment, J, vector(s), vector(s[3:]))
        store_column(half, BY_MOTION, at, wrench[0], wrench[1])
    # M[joint, k] = s . wrench_k for every column k outward of the joint
    for k in range(model.joints.dofs[i]):
        at = columns.begin[i] + k
        if axis < 6:
            set_scaled(columns.by_acceleration[at], at, end, (work.zero + 1.0,), (half[axis],))
        else:
            s = work.subspace[i, k]
            by = (s[0], s[1], s[2], s[3], s[4], s[5])
            rows = (half[0], half[1], half[2], half[3], half[4], half[5])
            set_scaled(columns.by_acceleration[at], at, end, by, rows)


@inline
def carry_mass(model, work, columns, i):
    """Carry columns and mass of body i to its parent, and write what they are to the parent's modes."""
    up = model.tree.parent[i]
    R = matrix(work.rotation[i])
    p = vector(work.position[i])
    mass = columns.mass[i]
    turned = rotate(R, vector(columns.moment[i]))
    moment = add(turned, scale(mass, p))
    J = compose(compose(R, matrix(columns.inertia[i])), transpose(R))
    J = shifted_inertia(J, turned, moment, p)
    columns.mass[up] += mass
    store_vector(columns.moment[up], add(vector(columns.moment[up]), moment))
    for c in range(3):
        store_vector(columns.inertia[up, c], add(vector(columns.inertia[up, c]), J[c]))
    begin = columns.begin[i]
    end = columns.end[i]
    half = columns.carried[columns.even[up]]
    carry_wrenches(columns.carried[columns.even[i]], half, begin, end, R, p)
    m = model.tree.modes[up]
    if m > 0:
        mode = columns.modes[up]
        reach = work.reach[i]
        G = columns.pulled
        S = columns.section
        one = work.zero + 1.0
        # motion of what the section carries, about the parent's origin
        for c in range(3):
            a, b = (c + 1) % 3, (c + 2) % 3
            set_scaled(S[c], 0, m, (one,), (reach[c],))
            set_scaled(S[3 + c], 0, m, (one, -p[b], p[a]), (reach[3 + c], reach[a], reach[b]))
        for c in range(3):
            a, b = (c + 1) % 3, (c + 2) % 3
            by = (J[c][0], J[c][1], J[c][2], moment[a], -moment[b])
            set_scaled(G[c], 0, m, by, (S[0], S[1], S[2], S[3 + b], S[3 + a]))
            set_scaled(G[3 + c], 0, m, (mass, moment[b], -moment[a]), (S[3 + c], S[a], S[b]))
        for c in range(6):
            add_scaled(half[BY_MOTION + c, mode:], 0, m, (one,), (G[c],))
        for r in range(m):
            by = (S[0, r], S[1, r], S[2, r], S[3, r], S[4, r], S[5, r])
            row = columns.by_acceleration[mode + r]
            add_scaled(row[mode:], 0, m, by, (G[0], G[1], G[2], G[3], G[4], G[5]))
            set_scaled(row, begin, end, by, (half[0], half[1], half[2], half[3], half[4], half[5]))


@inline
def inertia_of_link(A, m):
    """Return first moment and moments of inertia from the inertia of a body of m modes."""
    J = (
        (A[m, m], A[m, m + 1], A[m, m + 2]),
        (A[m, m + 1], A[m + 1, m + 1], A[m + 1, m + 2]),
        (A[m, m + 2], A[m + 1, m + 2], A[m + 2, m + 2]),
    )
    return (-A[m + 1, m + 5], A[m, m + 5], -A[m, m + 4]), J


@inline
def shifted_inertia(J, before, after, p):
    """Return moments of inertia about a point from which the old one is at p; first moments before and after."""
    both = dot(p, before) + dot(p, after)
    zero = 0.0 * both
    return (
        subtract(add(J[0], (both, zero, zero)), add(scale(p[0], after), scale(before[0], p))),
        subtract(add(J[1], (zero, both, zero)), add(scale(p[1], after), scale(before[1], p))),
        subtract(add(J[2], (zero, zero, both)), add(scale(p[2], after), scale(before[2], p))),
    )


@inline
def accelerating_wrench(mass, moment, J, turn, shift):
    """Return torque and force that accelerate a mass by `turn` about and `shift` of the point of its moments."""
    return add(rotate(J, turn), cross(moment, shift)), add(scale(mass, shift), cross(turn, moment))


@inline
def store_column(half, row, at, torque, force):
    """Store a wrench in a column."""
    for c in range(3):
        half[row + c, at] = torque[c]
        half[row + 3 + c, at] = force[c]


@inline
def carry_wrenches(own, to, first, end, R, p):
    """Write six rows of wrenches, columns `first` to `end`, in the axes of the parent about its origin, to `to`."""
    for c in range(3):
        set_scaled(to[3 + c], first, end, R[c], (own[3], own[4], own[5]))
    force = (to[3], to[4], to[5])
    for c in range(3):
        k, j = (c + 1) % 3, (c + 2) % 3
        by = (R[c][0], R[c][1], R[c][2], p[k], -p[j])
        set_scaled(to[c], first, end, by, (own[0], own[1], own[2], force[j], force[k]))
