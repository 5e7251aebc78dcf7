"""Joints: pose and motion of a child's base on its parent's section, and the forces that act in the joint itself."""

from __future__ import annotations

from lissom.kernel.compile import kernel
from lissom.kernel.data.arrays import JointMotion
from lissom.kernel.forces.passive_joint_forces import passive_forces
from lissom.kernel.maths.algebra import (
    add,
    compose,
    matrix,
    quaternion_matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    turn_matrix,
    vector,
)
from lissom.theory.screw_pairs import bracket, load_pair, store_pair, twist_at


@kernel
def joint_motion(table, work, i, q, v):
    """Fill joint_R, joint_p, S, P, joint_U, joint_dU of joint i.

    Step by step, with the pose h of a step and its motion s: the twist found so far becomes Ad(h^-1) U + s q', its rate
    without accelerations Ad(h^-1) dU + ad(U) s q'.
    """
    zero = (0.0, 0.0, 0.0)
    R = matrix(table.origin_R[i])
    p = vector(table.origin_p[i])
    w, u, dw, du = zero, zero, zero, zero
    at_q = table.joint_q[i]
    at_v = table.joint_v[i]
    S = work.S[i]
    k = 0
    last = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    # each elementary motion: its pose (Q, d), its screw, then twist and drift behind it
    for step in range(table.steps[i]):
        motion = table.motion[i, step]
        if motion != JointMotion.BALL and motion != JointMotion.FLOAT:
            angular, linear = load_pair(table.screw[i, step])
            d = scale(q[at_q], linear)
            Q = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
            if motion != JointMotion.SLIDE:
                Q = turn_matrix(angular, q[at_q])
            for c in range(k):
                a, b = load_pair(S[c])
                a, b = twist_at(Q, d, a, b)
                store_pair(S[c], a, b)
            store_pair(S[k], angular, linear)
            w, u = twist_at(Q, d, w, u)
            dw, du = twist_at(Q, d, dw, du)
            angular, linear = scale(v[at_v], angular), scale(v[at_v], linear)
            w, u = add(w, angular), add(u, linear)
            bw, bu = bracket(w, u, angular, linear)
            dw, du = add(dw, bw), add(du, bu)
            k += 1
            at_q += 1
            at_v += 1
        else:
            Q = quaternion_matrix(q[at_q], q[at_q + 1], q[at_q + 2], q[at_q + 3])
            d = zero
            w = (v[at_v], v[at_v + 1], v[at_v + 2])
            if motion == JointMotion.FLOAT:
                d = (q[at_q + 4], q[at_q + 5], q[at_q + 6])
                u = (v[at_v + 3], v[at_v + 4], v[at_v + 5])
            for c in range(6):
                for j in range(6):
                    S[c, j] = 1.0 if c == j else 0.0
        p = add(p, rotate(R, d))
        R = compose(R, Q)
        last = Q
    # pose, twist and drift of the whole joint; the directions P that it holds, behind its last turn
    store_matrix(work.joint_R[i], R)
    store_vector(work.joint_p[i], p)
    store_pair(work.joint_U[i], w, u)
    store_pair(work.joint_dU[i], dw, du)
    for c in range(6 - table.dofs[i]):
        a, b = load_pair(table.locked[i, c])
        if table.turned[i] == 1:
            a, b = rotate_back(last, a), rotate_back(last, b)
        store_pair(work.P[i, c], a, b)


@kernel
def joint_forces(table, work, q, v, tau):
    """work.force = tau plus what joints and gears do by themselves; for modes, tau alone."""
    for k in range(tau.shape[0]):
        work.force[k] = tau[k]
    passive_forces(table, q, v, work.force)
