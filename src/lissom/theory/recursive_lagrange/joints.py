"""A_j of a joint: the body's frame seen from the section that carries it, with its derivatives.

A joint is a product of elementary motions, A = origin S_1 S_2 ..., so that derivatives follow from the product rule:
columns U_c = dA/dv_c (along the velocity coordinate c), first and second time derivatives.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import JointMotion
from lissom.theory.recursive_lagrange.matrices import add_product, clear, copy, multiply

SLIDE, BALL, FLOAT = (int(motion) for motion in (JointMotion.SLIDE, JointMotion.BALL, JointMotion.FLOAT))


@inline
def generator(kind, screw, k, out):
    """Compute the 4 x 4 matrix of the unit twist of velocity k of an elementary motion."""
    clear(out)
    if kind == FLOAT and k >= 3:
        out[k - 3, 3] = 1.0
        return
    x, y, z = screw[0], screw[1], screw[2]
    if kind in (BALL, FLOAT):
        if k == 0:
            x += 1.0
        elif k == 1:
            y += 1.0
        else:
            z += 1.0
    out[0, 1], out[0, 2], out[1, 2] = -z, y, -x
    out[1, 0], out[2, 0], out[2, 1] = z, -y, x
    for a in range(3):
        out[a, 3] = screw[3 + a]


@inline
def elementary(kind, screw, q, at, out):
    """Pose of one elementary motion with its coordinates from q[at] on."""
    clear(out)
    for a in range(4):
        out[a, a] = 1.0
    if kind != BALL and kind != FLOAT:
        for a in range(3):
            out[a, 3] = screw[3 + a] * q[at]
        if kind == SLIDE:
            return
        sin, versine = np.sin(q[at]), 1.0 - np.cos(q[at])
        x, y, z = screw[0], screw[1], screw[2]
        out[0, 0], out[0, 1], out[0, 2] = (
            1.0 - versine * (y * y + z * z),
            versine * x * y - sin * z,
            versine * x * z + sin * y,
        )
        out[1, 0], out[1, 1], out[1, 2] = (
            versine * x * y + sin * z,
            1.0 - versine * (x * x + z * z),
            versine * y * z - sin * x,
        )
        out[2, 0], out[2, 1], out[2, 2] = (
            versine * x * z - sin * y,
            versine * y * z + sin * x,
            1.0 - versine * (x * x + y * y),
        )
    else:
        w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
        out[0, 0], out[0, 1], out[0, 2] = w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
        out[1, 0], out[1, 1], out[1, 2] = 2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)
        out[2, 0], out[2, 1], out[2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z
        if kind == FLOAT:
            for a in range(3):
                out[a, 3] = q[at + 4 + a]


@kernel
def joint_matrices(tables, work, i, q, v, a):
    """Compute A, its columns U and time derivatives Ad, Add of the joint of body i.

    Equations: 004 (3).
    """
    A, Ad, Add, U = work.A[i], work.Ad[i], work.Add[i], work.U[i]
    S, twist, rate, scratch = work.scratch[0], work.scratch[1], work.scratch[2], work.scratch[3]
    copy(tables.origin[i], A)
    clear(Ad)
    clear(Add)
    at_q, at_v, done = tables.joint_q[i], tables.joint_v[i], 0
    for step in range(tables.steps[i]):
        kind, screw = tables.motion[i, step], tables.screw[i, step]
        count = 3 if kind == BALL else 6 if kind == FLOAT else 1
        elementary(kind, screw, q, at_q, S)
        # S' = S X and S'' = S (X X + X'), X the twist: in place, A'' first
        clear(rate)
        for k in range(count):
            generator(kind, screw, k, twist)
            for r in range(4):
                for c in range(4):
                    rate[r, c] += v[at_v + k] * twist[r, c]
        for c in range(done):
            multiply(U[c], S, scratch)
            copy(scratch, U[c])
        multiply(Add, S, scratch)
        copy(scratch, Add)
        multiply(Ad, S, scratch)
        copy(scratch, Ad)
        multiply(A, S, scratch)
        copy(scratch, A)
        add_product(Ad, rate, 2.0, Add)
        multiply(A, rate, scratch)
        add_product(scratch, rate, 1.0, Add)
        add_product(A, rate, 1.0, Ad)
        for k in range(count):
            generator(kind, screw, k, twist)
            multiply(A, twist, U[done + k])
            for r in range(4):
                for c in range(4):
                    Add[r, c] += a[at_v + k] * U[done + k, r, c]
        at_q += 7 if kind == FLOAT else 4 if kind == BALL else 1
        at_v += count
        done += count
