"""How a joint's coordinates move its frame: displacement, and what that does to spin and acceleration, (2) to (4).

Everything in the axes of the frame behind the joint, about its origin.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.data.arrays import POWERS, JointMotion
from lissom.kernel.derivatives.columns import ACCEL, ACCEL_BY_RATE, SHIFT, SPIN
from lissom.kernel.maths.algebra import add, cross, scale, store_vector, subtract, vector


@inline
def store_motion(motion, shift, spin, accel, accel_by_rate):
    """Store a coordinate's motion; shift, accel and accel_by_rate are pairs, angular and linear."""
    store_vector(motion[SHIFT:], shift[0])
    store_vector(motion[SHIFT + 3 :], shift[1])
    store_vector(motion[SPIN:], spin)
    store_vector(motion[ACCEL:], accel[0])
    store_vector(motion[ACCEL + 3 :], accel[1])
    store_vector(motion[ACCEL_BY_RATE:], accel_by_rate[0])
    store_vector(motion[ACCEL_BY_RATE + 3 :], accel_by_rate[1])


@inline
def unit(axis, zero):
    """Return the unit vector along an axis."""
    one = zero + 1.0
    return (one if axis == 0 else zero, one if axis == 1 else zero, one if axis == 2 else zero)


@inline
def joint_motions(model, work, columns, i, q, v, qdd):
    """Fill columns.motion for the coordinates of body i, after `inverse_dynamics`."""
    kind = model.joints.motion[i, 0]
    if model.joints.steps[i] == 1 and kind == JointMotion.TURN:
        turn_motion(model, work, columns, i)
    elif model.joints.steps[i] > 0 and (kind == JointMotion.BALL or kind == JointMotion.FLOAT):
        group_motions(model, work, columns, i, v, qdd)
    else:
        step_motions(model, work, columns, i, q, v, qdd)


@inline
def turn_motion(model, work, columns, i):
    """Fill the motion of a turn about one axis n through the origin: (omega x n, ...)."""
    w = vector(work.omega[i])
    n = vector(model.joints.screw[i, 0, 0:3])
    none = (work.zero, work.zero, work.zero)
    spin = cross(w, n)
    turned = add(cross(vector(work.acceleration[i, 0:3]), n), cross(w, spin))
    accel = (turned, cross(vector(work.acceleration[i, 3:6]), n))
    store_motion(columns.motion[0], (n, none), spin, accel, (scale(2.0, spin), none))


@inline
def group_motions(model, work, columns, i, v, qdd):
    """Fill the motions of a ball or a free body: velocities are about body axes, and held as the body turns, (4)."""
    at = model.tree.joint_v[i]
    zero = work.zero
    none = (zero, zero, zero)
    w = vector(work.omega[i])
    rate = vector(v[at:])
    # spin and acceleration as the body would have them with its joint at rest, in its axes
    carrier = subtract(w, rate)
    turning = subtract(vector(work.acceleration[i, 0:3]), add(vector(qdd[at:]), cross(carrier, rate)))
    pulled = vector(work.acceleration[i, 3:6])
    v_body = none
    if model.joints.dofs[i] == 6:
        v_body = vector(v[at + 3 :])
        own = add(vector(qdd[at + 3 :]), add(cross(rate, v_body), scale(2.0, cross(carrier, v_body))))
        pulled = subtract(pulled, own)
    for k in range(3):
        e = unit(k, zero)
        spin = cross(carrier, e)
        turned = add(add(cross(turning, e), cross(spin, rate)), cross(w, spin))
        drawn = add(cross(pulled, e), scale(2.0, cross(spin, v_body)))
        store_motion(columns.motion[k], (e, none), spin, (turned, drawn), (add(spin, cross(w, e)), cross(e, v_body)))
    if model.joints.dofs[i] == 6:
        for k in range(3):
            e = unit(k, zero)
            swept = cross(carrier, e)
            drawn = add(cross(turning, e), cross(carrier, swept))
            rate_drawn = add(cross(rate, e), scale(2.0, swept))
            store_motion(columns.motion[3 + k], (none, e), none, (none, drawn), (none, rate_drawn))


@inline
def path_ahead(model, i, q, zero):
    """Return r, r', r'' and r''' of a guided joint, by Horner's scheme."""
    r = (zero, zero, zero)
    first = (zero, zero, zero)
    second = (zero, zero, zero)
    third = (zero, zero, zero)
    for k in range(POWERS + 1):
        third = add(scale(q, third), scale(3.0, second))
        second = add(scale(q, second), scale(2.0, first))
        first = add(scale(q, first), r)
        r = scale(q, r)
        if k < POWERS:
            r = add(r, vector(model.joints.path[i, POWERS - 1 - k]))
    return r, first, second, third


@inline
def step_motions(model, work, columns, i, q, v, qdd):
    """Fill the motions of a joint of one to three steps, the last step first; (w, turning, pulled) goes back with it.

    far, far_rate: from the frame behind a step to the body's own, and the rate of that.
    """
    zero = work.zero
    none = (zero, zero, zero)
    w = vector(work.omega[i])
    turning = vector(work.acceleration[i, 0:3])
    pulled = vector(work.acceleration[i, 3:6])
    far = none
    far_rate = none
    for back in range(model.joints.steps[i]):
        k = model.joints.steps[i] - 1 - back
        motion = model.joints.motion[i, k]
        x = q[model.tree.joint_q[i] + k]
        rate = v[model.tree.joint_v[i] + k]
        drift = qdd[model.tree.joint_v[i] + k]
        n = vector(work.subspace[i, k, 0:3])
        moved = vector(work.subspace[i, k, 3:6])
        d = subtract(moved, cross(n, far))
        # t: what the step shifts; rates of d and t against the axes behind the step
        shifts = 0.0 if motion == JointMotion.TURN else 1.0
        t = scale(shifts * x, d)
        t_rate = scale(shifts * rate, d)
        t_drift = scale(shifts * drift, d)
        d_rate = none
        d_drift = none
        if motion == JointMotion.GUIDED:
            t, first, second, third = path_ahead(model, i, x, zero)
            t_rate = scale(rate, first)
            t_drift = add(scale(drift, first), scale(rate * rate, second))
            bend = add(cross(n, first), second)
            d_rate = scale(rate, bend)
            d_drift = add(scale(drift, bend), scale(rate * rate, add(cross(n, second), third)))
        # the motion of what stands behind the step
        spin = cross(w, n)
        turned = add(cross(turning, n), cross(w, spin))
        swept = add(cross(w, d), d_rate)
        accel = add(add(cross(turning, d), cross(w, add(swept, d_rate))), d_drift)
        accel = add(accel, add(cross(turned, far), scale(2.0, cross(spin, far_rate))))
        accel = subtract(accel, cross(n, pulled))
        swept = add(swept, add(cross(spin, far), cross(n, far_rate)))
        accel_by_rate = (scale(2.0, spin), scale(2.0, swept))
        store_motion(columns.motion[k], (n, moved), spin, (turned, accel), accel_by_rate)
        # before the step
        by_turn = cross(w, t)
        accelerated = add(add(cross(turning, t), cross(w, add(by_turn, scale(2.0, t_rate)))), t_drift)
        far = add(far, t)
        far_rate = add(far_rate, add(by_turn, t_rate))
        pulled = subtract(pulled, accelerated)
        if motion != JointMotion.SLIDE:
            w = subtract(w, scale(rate, n))
            turning = subtract(turning, add(scale(drift, n), scale(rate, cross(w, n))))


@inline
def guided_force(model, work, i, q, wrench, zero):
    """Return the force on a guided joint as its own motion turns: its displacement n x r + r' changes with q."""
    at = model.tree.joint_q[i]
    _r, first, second, _third = path_ahead(model, i, q[at], zero)
    bend = add(cross(vector(work.subspace[i, 0, 0:3]), first), second)
    return bend[0] * wrench[3] + bend[1] * wrench[4] + bend[2] * wrench[5]
