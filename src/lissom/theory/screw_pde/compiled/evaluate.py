"""All blocks of the system at one state: sections, joints, twists, constraint drifts, link equations."""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.algebra import add, compose, matrix, rotate, store_matrix, store_vector, subtract, vector
from lissom.theory.screw_pairs import bracket, load_pair, store_pair, twist_at
from lissom.theory.screw_pde.compiled.joint import joint_forces, joint_motion
from lissom.theory.screw_pde.compiled.link import link_equations
from lissom.theory.screw_pde.compiled.section import base_motion, section_motion, seen_from, unmoved


@inline
def place_motion(table, work, row, owner, q, v):
    """Compute the place in `row` on the link `owner`, a section of a beam or fixed on it, as its body frame sees it."""
    if table.given[owner] == 1:
        return
    if table.flexible[row] == 1:
        section_motion(table, work, row, owner, q, v)
    else:
        unmoved(work, row, vector(table.position[row]))
    if table.moved[owner] == 1:
        seen_from_frame(work, row, table.parent.shape[0] + owner, table.modes[owner])


@kernel
def relative_motions(table, work, q, v):
    """Everything that moves on a link or in a joint: sections seen from body frames, bases, joints."""
    n = table.parent.shape[0]
    for i in range(n):
        if table.moved[i] == 1:
            if table.given[i] == 0:
                section_motion(table, work, n + i, i, q, v)
            base_motion(work, i, n, table.modes[i])
    for i in range(n):
        up = table.parent[i]
        if up >= 0:
            place_motion(table, work, i, up, q, v)
        joint_motion(table, work, i, q, v)
    for k in range(table.closed.shape[0]):
        place_motion(table, work, 2 * n + k, table.closed[k], q, v)


@inline
def seen_from_frame(work, row, f, m):
    """Section `row` relative to the body frame in row f instead of the base."""
    seen_from(
        work.R[row],
        work.p[row],
        work.J[row],
        work.U[row],
        work.dU[row],
        work.R[f],
        work.p[f],
        work.J[f],
        work.U[f],
        work.dU[f],
        m,
    )


@inline
def parent_frame(work, up):
    """Pose of the body frame of link `up`, or of the world."""
    if up < 0:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0)
    return matrix(work.world_R[up]), vector(work.world_p[up])


@inline
def parent_twist(work, up):
    """Return the twist of the body frame of link `up`, or of the world, as a pair."""
    if up < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return load_pair(work.V[up])


@inline
def beyond(R, p, w, u, Q, d, U):
    """Pose and twist of a frame from those of the frame before it: (Q, d) leads from there, with the twist U."""
    a, b = load_pair(U)
    w, u = twist_at(Q, d, w, u)
    return compose(R, Q), add(p, rotate(R, d)), add(w, a), add(u, b)


@kernel
def place_frames(table, work):
    """Poses and twists of all body frames from the relative motions, base to tip.

    Equations: 003 (3), (23)-(24).
    """
    n = table.parent.shape[0]
    for i in range(n):
        up = table.parent[i]
        R, p = parent_frame(work, up)
        w, u = parent_twist(work, up)
        if up >= 0:
            R, p, w, u = beyond(R, p, w, u, matrix(work.R[i]), vector(work.p[i]), work.U[i])
        R, p, w, u = beyond(R, p, w, u, matrix(work.joint_R[i]), vector(work.joint_p[i]), work.joint_U[i])
        if table.moved[i] == 1:  # from the base to the body frame
            R, p, w, u = beyond(R, p, w, u, matrix(work.R[n + i]), vector(work.p[n + i]), work.U[n + i])
        store_matrix(work.world_R[i], R)
        store_vector(work.world_p[i], p)
        store_pair(work.V[i], w, u)


@kernel
def constraint_rows(table, work):
    """X_i, gamma_i and the base's own drift for the constraint P^T (base_i - X_i z'_parent) = P^T gamma_i.

    From V_b' = Ad(g^-1) V_a' + U' + ad(V_b) U, applied to the parent's section, then to the joint.

    Equations: 003 (25), (30)-(34).
    """
    for i in range(table.parent.shape[0]):
        # twist and drift of the base frame of link i, seen from its body frame
        w, u = load_pair(work.V[i])
        dw, du = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if table.moved[i] == 1:
            a, b = load_pair(work.base_U[i])
            w, u = twist_at(matrix(work.base_R[i]), vector(work.base_p[i]), w, u)
            w, u = add(w, a), add(u, b)
            dw, du = load_pair(work.base_dU[i])
            a, b = bracket(w, u, a, b)
            dw, du = add(dw, a), add(du, b)
        store_pair(work.base_V[i], w, u)
        store_pair(work.base_gamma[i], dw, du)

        # the joint's own drift, ad(V) U + U'
        a, b = load_pair(work.joint_U[i])
        dw, du = load_pair(work.joint_dU[i])
        a, b = bracket(w, u, a, b)
        dw, du = add(dw, a), add(du, b)
        up = table.parent[i]
        if up >= 0:
            # drift of the parent's section, carried through the joint
            section_R = matrix(work.R[i])
            section_p = vector(work.p[i])
            joint_R = matrix(work.joint_R[i])
            joint_p = vector(work.joint_p[i])
            w, u = load_pair(work.V[up])
            w, u = twist_at(section_R, section_p, w, u)
            a, b = load_pair(work.U[i])
            w, u = add(w, a), add(u, b)
            a, b = bracket(w, u, a, b)
            c, d = load_pair(work.dU[i])
            a, b = twist_at(joint_R, joint_p, add(a, c), add(b, d))
            dw, du = add(dw, a), add(du, b)
            # X: motion of the parent's body frame and modes, in axes of the joint's outer frame
            X = work.reach[i]
            m = table.modes[up]
            R = compose(section_R, joint_R)
            p = add(section_p, rotate(section_R, joint_p))
            for r in range(3):
                for c in range(3):
                    X[r, c] = R[c][r]
                    X[3 + r, 3 + c] = R[c][r]
                    X[r, 3 + c] = 0.0
                # column c: R^T (e_c x p)
                X[3 + r, 0] = R[2][r] * p[1] - R[1][r] * p[2]
                X[3 + r, 1] = R[0][r] * p[2] - R[2][r] * p[0]
                X[3 + r, 2] = R[1][r] * p[0] - R[0][r] * p[1]
            for j in range(m):
                a, b = load_pair(work.J[i, j])
                a, b = twist_at(joint_R, joint_p, a, b)
                for r in range(3):
                    X[r, 6 + j] = a[r]
                    X[3 + r, 6 + j] = b[r]
        store_pair(work.gamma[i], dw, du)


@kernel
def evaluate(table, work, q, v, tau):
    """Fill all blocks at the state (q, v), body frames placed by the joints."""
    relative_motions(table, work, q, v)
    place_frames(table, work)
    fill_blocks(table, work, q, v, tau)


@kernel
def fill_blocks(table, work, q, v, tau):
    """Fill constraint rows, forces and link equations for the frames and twists that are in place."""
    n = table.parent.shape[0]
    constraint_rows(table, work)
    joint_forces(table, work, q, v, tau)
    for i in range(n):
        if table.given[i] == 0:
            link_equations(table, work, i, n, q, v)
        bias = work.bias[i]
        external = work.external[i]
        at = table.modes_v[i]
        for k in range(6):
            bias[k] -= external[k]
        for j in range(table.modes[i]):
            bias[6 + j] -= external[6 + j] + work.force[at + j]


@kernel
def base_relative_velocity(table, work, i, out):
    """Twist of joint i's base less that of the parent's section, in the base's axes: S q' when the joint holds."""
    w, u = load_pair(work.base_V[i])
    up = table.parent[i]
    if up >= 0:
        a, b = load_pair(work.V[up])
        a, b = twist_at(matrix(work.R[i]), vector(work.p[i]), a, b)
        c, d = load_pair(work.U[i])
        a, b = twist_at(matrix(work.joint_R[i]), vector(work.joint_p[i]), add(a, c), add(b, d))
        w, u = subtract(w, a), subtract(u, b)
    store_pair(out, w, u)
