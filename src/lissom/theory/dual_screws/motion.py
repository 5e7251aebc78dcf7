"""Motion of every link of a tree: pose, projection matrix and its rate, compiled.

The motion of every link frame is a linear map of the speeds, t_i = P_i u; its columns are the screws of the joints and
of the elastic motion between the world and link i, referred to its origin in its own axes, (91)-(95).

Accelerations are those of the link's origin as seen from the world, so that its velocity enters no force.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import JointMotion
from lissom.kernel.maths.algebra import (
    add,
    compose,
    cross,
    identity,
    matrix,
    quaternion_matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    subtract,
    turn_matrix,
    vector,
)
from lissom.theory.dual_screws.sections import section_drift, section_screws, weighted


@inline
def shifted(w, dw, dv, r, rate, drift):
    """Acceleration after a shift by r that changes at `rate`, itself at `drift`."""
    return add(dv, add(cross(dw, r), add(cross(w, add(cross(w, r), scale(2.0, rate))), drift)))


@inline
def turned(w, dw, dv, Q, rate):
    """Angular velocity and accelerations in axes turned by Q, which spin at `rate` about a fixed axis of theirs."""
    w = rotate_back(Q, w)
    dw = add(rotate_back(Q, dw), cross(w, rate))
    return add(w, rate), dw, rotate_back(Q, dv)


@kernel
def project(model, q, v, printed, R, p, omega, gamma, P, S):
    """Pose (R, p) of every body in its parent, its angular velocity omega, P_i, and gamma_i = dP_i/dt u - gravity.

    Shapes (n, 3, 3), (n, 3), (n, 3), (n, 6, nv), (n, 6); S (6, m) is scratch. P and gamma start from zero.
    """
    zero = omega[0, 0] * 0.0
    none = (zero, zero, zero)
    for k in range(3):
        gamma[0, 3 + k] = -model.gravity[k]
    for i in range(1, model.tree.parent.shape[0]):
        up = model.tree.parent[i]
        m = model.tree.modes[up]
        modes = model.tree.modes_v[up]
        w = vector(omega[up])
        dw = vector(gamma[up, 0:3])
        dv = vector(gamma[up, 3:6])
        # to the section of the parent that carries the body
        at = add(vector(model.sections.position[i]), none)
        Q = identity(zero)
        if m > 0:
            at, Q, a, tangent = section_screws(model, i, q, printed, S, zero)
            spin = weighted(S[0:3], v, modes, m, zero)
            rate = weighted(S[3:6], v, modes, m, zero)
            turn_drift = none
            drift = none
            if not printed:
                turn_drift, drift = section_drift(model, i, q, v, a, tangent, zero)
            dv = rotate_back(Q, shifted(w, dw, dv, at, rate, drift))
            dw = rotate_back(Q, add(dw, add(cross(w, spin), turn_drift)))
            w = rotate_back(Q, add(w, spin))
        else:
            dv = shifted(w, dw, dv, at, none, none)
        here = at

        # to the joint's frame
        if model.joints.has_origin[i] == 1:
            r = add(vector(model.joints.origin_position[i]), none)
            here = add(here, rotate(Q, r))
            dv = shifted(w, dw, dv, r, none, none)
            Q0 = matrix(model.joints.origin_rotation[i])
            w, dw, dv = turned(w, dw, dv, Q0, none)
            Q = compose(Q, Q0)

        # the joint: its coordinates are of order zero
        k = 0
        first = model.tree.joint_v[i]
        at_q = model.tree.joint_q[i]
        screw = P[i, :, first : first + model.joints.dofs[i]]
        for step in range(model.joints.steps[i]):
            motion = model.joints.motion[i, step]
            if motion != JointMotion.BALL and motion != JointMotion.FLOAT:
                angular = add(vector(model.joints.screw[i, step, 0:3]), none)
                linear = add(vector(model.joints.screw[i, step, 3:6]), none)
                if motion != JointMotion.SLIDE:
                    turn = turn_matrix(vector(model.joints.screw[i, step, 0:3]), q[at_q].real)
                    w, dw, dv = turned(w, dw, dv, turn, scale(v[first + k], angular))
                    Q = compose(Q, turn)
                    for j in range(k):
                        store_vector(screw[0:3, j], rotate_back(turn, vector(screw[0:3, j])))
                        store_vector(screw[3:6, j], rotate_back(turn, vector(screw[3:6, j])))
                if motion != JointMotion.TURN:
                    r = scale(q[at_q], linear)
                    here = add(here, rotate(Q, r))
                    dv = shifted(w, dw, dv, r, scale(v[first + k], linear), none)
                    for j in range(k):
                        store_vector(screw[3:6, j], add(vector(screw[3:6, j]), cross(vector(screw[0:3, j]), r)))
                store_vector(screw[0:3, k], angular)
                store_vector(screw[3:6, k], linear)
                at_q += 1
                k += 1
            else:
                turn = quaternion_matrix(q[at_q].real, q[at_q + 1].real, q[at_q + 2].real, q[at_q + 3].real)
                spin = (v[first], v[first + 1], v[first + 2])
                if motion == JointMotion.FLOAT:
                    r = (q[at_q + 4], q[at_q + 5], q[at_q + 6])
                    v_body = (v[first + 3], v[first + 4], v[first + 5])
                    here = add(here, rotate(Q, r))
                    dv = shifted(w, dw, dv, r, rotate(turn, v_body), rotate(turn, cross(spin, v_body)))
                w, dw, dv = turned(w, dw, dv, turn, spin)
                Q = compose(Q, turn)
                for j in range(model.joints.dofs[i]):
                    screw[j, j] = zero + 1.0

        # the screws of everything before the joint, carried to this frame
        for column in range(modes + m):
            if modes <= column < modes + m:
                angular = vector(S[0:3, column - modes])
                linear = add(vector(S[3:6, column - modes]), cross(angular, subtract(here, at)))
            else:
                angular = vector(P[up, 0:3, column])
                linear = add(vector(P[up, 3:6, column]), cross(angular, here))
            store_vector(P[i, 0:3, column], rotate_back(Q, angular))
            store_vector(P[i, 3:6, column], rotate_back(Q, linear))
        store_matrix(R[i], Q)
        store_vector(p[i], here)
        store_vector(omega[i], w)
        store_vector(gamma[i, 0:3], dw)
        store_vector(gamma[i, 3:6], dv)


class TreeMotion(NamedTuple):
    """Motion of all n bodies, in numbers of one kind."""

    R: Any  # (n, 3, 3) rotation, of the body in its parent
    p: Any  # (n, 3) position, of the body in its parent
    omega: Any  # (n, 3) angular velocity, own axes
    gamma: Any  # (n, 6) dP_i/dt u less gravity
    P: Any  # (n, 6, nv) projection matrices


@kernel
def motion(model, q, v, printed):
    """Return the motion of the tree at q (nq,), v (nv,)."""
    n = model.tree.parent.shape[0]
    found = TreeMotion(
        np.zeros((n, 3, 3), q.dtype),
        np.zeros((n, 3), q.dtype),
        np.zeros((n, 3), q.dtype),
        np.zeros((n, 6), q.dtype),
        np.zeros((n, 6, v.shape[0]), q.dtype),
    )
    S = np.zeros((6, model.inertia.modal_mass.shape[1]), q.dtype)
    project(model, q, v, printed, found.R, found.p, found.omega, found.gamma, found.P, S)
    return found


@kernel
def last_pose(model, q, v, printed, R, p):
    """Pose R (3, 3), p (3,) of the last body in the world."""
    found = motion(model, q, v, printed)
    i = model.tree.parent.shape[0] - 1
    turn = matrix(found.R[i])
    place = vector(found.p[i])
    i = model.tree.parent[i]
    while i > 0:
        up = matrix(found.R[i])
        place = add(vector(found.p[i]), rotate(up, place))
        turn = compose(up, turn)
        i = model.tree.parent[i]
    store_matrix(R, turn)
    store_vector(p, place)
