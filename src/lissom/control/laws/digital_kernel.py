"""One sample of a digital controller: linear designs with states, blended between poses, and saturation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.control.laws.control_kernel import evaluate
from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.elementary_functions import clamp


class DigitalArrays(NamedTuple):
    """A digital controller as compiled code reads it: `d` designs of at most n states on `na` coordinates.

    With w = (y - y0, r - r0, r', r''), of m + 3 na numbers, and f the torque of a model, each design gives
    u = h + C x + D w. The output is u = sat(f + sum of weights times these), and its state goes on as
    x = A x + B w + E (u - f - h).
    """

    A: np.ndarray  # (d, n, n)
    B: np.ndarray  # (d, n, m + 3 na)
    E: np.ndarray  # (d, n, na)
    C: np.ndarray  # (d, na, n)
    D: np.ndarray  # (d, na, m + 3 na)
    first: np.ndarray  # (d, n, m + 3 na) the state at the first sample, by w
    hold: np.ndarray  # (d, na) torques h
    y0: np.ndarray  # (d, m)
    r0: np.ndarray  # (d, na)
    poses: np.ndarray  # (d, na) where designs were made, in order along a path
    lower: np.ndarray  # (na,)
    upper: np.ndarray  # (na,)
    breaks: np.ndarray  # (p + 1,) of the reference
    coefficients: np.ndarray  # (p, na, 6)
    # memory
    fresh: np.ndarray  # (1,) 1 before the first sample
    x: np.ndarray  # (d, n)
    following: np.ndarray  # (n,) scratch
    w: np.ndarray  # (m + 3 na,) scratch
    y: np.ndarray  # (m,) what is measured
    r: np.ndarray  # (3, na) reference, rate, acceleration
    model: np.ndarray  # (na,) torques f of a model
    weight: np.ndarray  # (d,)
    u: np.ndarray  # (na,) torques


@inline
def blend(d):
    """Set the weights of designs by the point of the path of their poses that is nearest to the reference."""
    count = d.poses.shape[0]
    for k in range(count):
        d.weight[k] = 0.0
    if count == 1:
        d.weight[0] = 1.0
        return
    best = -1.0
    for k in range(count - 1):
        along = 0.0
        length = 0.0
        for j in range(d.poses.shape[1]):
            way = d.poses[k + 1, j] - d.poses[k, j]
            along += (d.r[0, j] - d.poses[k, j]) * way
            length += way * way
        share = min(max(along / length, 0.0), 1.0)
        distance = 0.0
        for j in range(d.poses.shape[1]):
            off = d.r[0, j] - d.poses[k, j] - share * (d.poses[k + 1, j] - d.poses[k, j])
            distance += off * off
        if best < 0.0 or distance < best:
            best = distance
            for i in range(count):
                d.weight[i] = 0.0
            d.weight[k] = 1.0 - share
            d.weight[k + 1] = share


@inline
def relative_inputs(d, k):
    """Set w of the k-th design."""
    m = d.y.shape[0]
    na = d.u.shape[0]
    for j in range(m):
        d.w[j] = d.y[j] - d.y0[k, j]
    for j in range(na):
        d.w[m + j] = d.r[0, j] - d.r0[k, j]
        d.w[m + na + j] = d.r[1, j]
        d.w[m + 2 * na + j] = d.r[2, j]


@kernel
def pose_weights(d):
    """Set the weights of designs for the reference d.r."""
    blend(d)


@kernel
def follow_reference(d, t):
    """Set the reference of the sample at the time t."""
    for j in range(d.u.shape[0]):
        r, rd, rdd = evaluate(d.breaks, d.coefficients, j, t)
        d.r[0, j] = r
        d.r[1, j] = rd
        d.r[2, j] = rdd


@kernel
def digital_step(d):
    """Take a sample: from d.y, d.r and d.model the torques d.u, and the states of the next one."""
    na = d.u.shape[0]
    n = d.x.shape[1]
    inputs = d.w.shape[0]
    blend(d)
    for i in range(na):
        d.u[i] = d.model[i]
    # the outputs of all designs, weighted
    for k in range(d.x.shape[0]):
        relative_inputs(d, k)
        if d.fresh[0] == 1:
            for i in range(n):
                total = 0.0
                for j in range(inputs):
                    total += d.first[k, i, j] * d.w[j]
                d.x[k, i] = total
        for i in range(na):
            total = d.hold[k, i]
            for j in range(n):
                total += d.C[k, i, j] * d.x[k, j]
            for j in range(inputs):
                total += d.D[k, i, j] * d.w[j]
            d.u[i] += d.weight[k] * total
    for i in range(na):
        d.u[i] = clamp(d.u[i], d.lower[i], d.upper[i])
    # the states of all designs go on with what acts, so that none of them is far off when its turn comes
    for k in range(d.x.shape[0]):
        relative_inputs(d, k)
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += d.A[k, i, j] * d.x[k, j]
            for j in range(inputs):
                total += d.B[k, i, j] * d.w[j]
            for j in range(na):
                total += d.E[k, i, j] * (d.u[j] - d.model[j] - d.hold[k, j])
            d.following[i] = total
        for i in range(n):
            d.x[k, i] = d.following[i]
    d.fresh[0] = 0
