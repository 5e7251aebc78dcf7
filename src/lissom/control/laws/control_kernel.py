"""Compiled evaluation of references and control laws, for real and complex states."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.elementary_functions import clamp


class Law(IntEnum):
    """What is added to, or computed around, the PD term."""

    PD = 0
    GRAVITY = 1
    COMPUTED_TORQUE = 2


class LawArrays(NamedTuple):
    """A control law as the loop reads it: `parts` laws on `na` coordinates in all; see `ControlLaw`."""

    law: np.ndarray  # (na,) the Law that each coordinate is under
    begin: np.ndarray  # (parts + 1,) the first coordinate of each part, and na
    force: np.ndarray  # (na,) index into v of the force
    measured_q: np.ndarray  # (na,)
    measured_v: np.ndarray  # (na,)
    twin_index: np.ndarray  # (na,) the same coordinates in the rigid twin
    twin_q: np.ndarray  # (parts, twin nq) index into q: where the twin's configuration is measured
    twin_v: np.ndarray  # (parts, twin nv) index into v, likewise
    kp: np.ndarray
    kd: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    breaks: np.ndarray  # (p + 1,) of the reference
    coefficients: np.ndarray  # (p, na, 6)
    feed_breaks: np.ndarray  # (f + 1,) of the feedforward torque
    feed_coefficients: np.ndarray  # (f, na, 6)
    # what derivatives by a scale, an offset and a delay of that torque are taken of; 1, 0 and 0 in every run
    feed_scale: np.ndarray
    feed_offset: np.ndarray
    feed_delay: np.ndarray


@inline
def piece_at(breaks, t):
    """Piece of a piecewise function that holds `t`; the first before its begin, the last after its end."""
    low = 0
    high = breaks.shape[0] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if breaks[middle] <= t:
            low = middle
        else:
            high = middle - 1
    return low


@inline
def polynomial(c, s):
    """Value, rate and acceleration of a piece at the time s since its begin."""
    r = c[5]
    rd = 5.0 * c[5]
    rdd = 20.0 * c[5]
    for k in range(4, -1, -1):
        r = r * s + c[k]
    for k in range(4, 0, -1):
        rd = rd * s + k * c[k]
    for k in range(4, 1, -1):
        rdd = rdd * s + k * (k - 1) * c[k]
    return r, rd, rdd


@inline
def evaluate(breaks, coefficients, channel, t):
    """Value, rate and acceleration of a piecewise polynomial; held outside its range."""
    last = breaks.shape[0] - 1
    moving = 1.0
    if t < breaks[0]:
        t = breaks[0]
        moving = 0.0
    elif t >= breaks[last]:
        t = breaks[last]
        moving = 0.0
    piece = piece_at(breaks, t)
    r, rd, rdd = polynomial(coefficients[piece, channel], t - breaks[piece])
    return r, moving * rd, moving * rdd


@kernel
def control_forces(law, twin, scratch, t, q, v, force):
    """Add the law's forces at the state (q, v) to `force` (nv,). `scratch` holds the twin's work and vectors."""
    zero = scratch.zero
    for part in range(law.begin.shape[0] - 1):
        first, end = law.begin[part], law.begin[part + 1]
        kind = law.law[first]
        if kind != Law.PD:
            for k in range(law.twin_q.shape[1]):
                scratch.twin_q[k] = q[law.twin_q[part, k]]
            for k in range(law.twin_v.shape[1]):
                scratch.twin_v[k] = v[law.twin_v[part, k]] if kind == Law.COMPUTED_TORQUE else zero
                scratch.twin_a[k] = zero
            if kind == Law.COMPUTED_TORQUE:
                for k in range(first, end):
                    r, rd, rdd = evaluate(law.breaks, law.coefficients, k, t)
                    scratch.twin_a[law.twin_index[k]] = (
                        rdd + law.kp[k] * (r - q[law.measured_q[k]]) + law.kd[k] * (rd - v[law.measured_v[k]])
                    )
            scratch.twin_inverse(
                twin,
                scratch.twin_work,
                scratch.twin_q,
                scratch.twin_v,
                scratch.twin_a,
                scratch.twin_wrench,
                scratch.twin_tau,
            )
        for k in range(first, end):
            feed, feed_rate, _ = evaluate(law.feed_breaks, law.feed_coefficients, k, t)
            tau = zero + law.feed_scale[k] * (feed - law.feed_delay[k] * feed_rate) + law.feed_offset[k]
            if kind != Law.COMPUTED_TORQUE:
                r, rd, _ = evaluate(law.breaks, law.coefficients, k, t)
                tau += law.kp[k] * (r - q[law.measured_q[k]]) + law.kd[k] * (rd - v[law.measured_v[k]])
            if kind != Law.PD:
                tau += scratch.twin_tau[law.twin_index[k]]
            force[law.force[k]] += clamp(tau, law.lower[k], law.upper[k])
