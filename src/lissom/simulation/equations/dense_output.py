"""The motion within a step as polynomials of the fraction s of the step, for output at any time.

`path` (3, nv, 6) holds rising powers of s: positions in the step's chart, velocities and accelerations. Methods of high
order are interpolated by quintic polynomials through position, velocity and acceleration at both ends, methods of
order two by cubic ones. (DOP853 has polynomials of order 7 of its own; where stability limits its steps, as it does on
flexible links, they are a thousand times less accurate than the quintic ones.)
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.maths.chart import chart_rate, chart_velocity

TERMS = 6  # coefficients of a quintic


@inline
def derivative(c, factor, out):
    """Compute out = factor dc/ds."""
    for j in range(TERMS - 1):
        out[j] = factor * (j + 1) * c[j + 1]
    out[TERMS - 1] = 0.0


@inline
def clear(c):
    """Set all coefficients to zero."""
    for j in range(TERMS):
        c[j] = 0.0


@inline
def quintic(c, h, u1, v0, a0, v1, a1):
    """Compute the position from 0 to u1, with velocities and accelerations at both ends."""
    d = u1 - h * (v0 + 0.5 * h * a0)
    dv = h * (v1 - v0 - h * a0)
    da = 0.5 * h * h * (a1 - a0)
    clear(c)
    c[1] = h * v0
    c[2] = 0.5 * h * h * a0
    c[3] = 10.0 * d - 4.0 * dv + da
    c[4] = -15.0 * d + 7.0 * dv - 2.0 * da
    c[5] = 6.0 * d - 3.0 * dv + da


@inline
def cubic(c, h, x0, x1, v0, v1):
    """Compute the value from x0 to x1, with its rates at both ends."""
    d = x1 - x0
    clear(c)
    c[0] = x0
    c[1] = h * v0
    c[2] = 3.0 * d - h * (2.0 * v0 + v1)
    c[3] = h * (v0 + v1) - 2.0 * d


@kernel
def fit_ends(model, record, order, h, u1, rate1, v0, a0, v1, a1):
    """Fit a path through the ends of a step: of the fifth order, or of the third."""
    on_group = False
    for k in range(v0.shape[0]):
        place = record.path[0, k]
        speed = record.path[1, k]
        push = record.path[2, k]
        if model.velocities.group_axis[k] != -1:
            on_group = on_group or model.velocities.group_axis[k] >= 0
            cubic(place, h, 0.0, u1[k], v0[k], rate1[k])
            cubic(speed, h, v0[k], v1[k], a0[k], a1[k])
            derivative(speed, 1.0 / h, push)
        elif order == 5:
            quintic(place, h, u1[k], v0[k], a0[k], v1[k], a1[k])
            derivative(place, 1.0 / h, speed)
            derivative(speed, 1.0 / h, push)
        else:
            cubic(place, h, 0.0, u1[k], v0[k], v1[k])
            derivative(place, 1.0 / h, speed)
            clear(push)
            push[0] = a0[k]
            push[1] = a1[k] - a0[k]
    if on_group and order == 5:
        refine_groups(model, record, h, u1, rate1, v0, a0, v1, a1)


@inline
def refine_groups(model, record, h, u1, rate1, v0, a0, v1, a1):
    """Compute quintic chart positions of group joints, and quartic velocities that agree with them in the middle."""
    n = v0.shape[0]
    u = record.u
    v = record.v_mid
    rate = record.rate
    bend = record.bend
    # second rate of the chart at the end: central difference along the motion
    dt = 1e-4 * h
    for k in range(n):
        u[k] = u1[k] - dt * rate1[k]
        v[k] = v1[k] - dt * a1[k]
    chart_rate(model, u, v, rate)
    for k in range(n):
        u[k] = u1[k] + dt * rate1[k]
        v[k] = v1[k] + dt * a1[k]
    chart_rate(model, u, v, bend)
    for k in range(n):
        if model.velocities.group_axis[k] >= 0:
            c = record.path[0, k]
            start = a0[k]
            axis = model.velocities.group_axis[k] - 3
            if axis >= 0:  # the chart keeps the axes at the start, the velocity turns: add omega x v
                first = k - axis
                j = (axis + 1) % 3
                m = (axis + 2) % 3
                start += v0[first - 3 + j] * v0[first + m] - v0[first - 3 + m] * v0[first + j]
            quintic(c, h, u1[k], v0[k], start, rate1[k], (bend[k] - rate[k]) / (2.0 * dt))
            u[k] = c[1] / 2 + c[2] / 4 + c[3] / 8 + c[4] / 16 + c[5] / 32
            rate[k] = (c[1] + c[2] + 0.75 * c[3] + 0.5 * c[4] + 0.3125 * c[5]) / h
    chart_velocity(model, u, rate, v)
    for k in range(n):
        if model.velocities.group_axis[k] >= 0:
            c = record.path[1, k]
            missing = 16.0 * (v[k] - (c[0] + c[1] / 2 + c[2] / 4 + c[3] / 8))
            c[2] += missing
            c[3] -= 2.0 * missing
            c[4] += missing
            derivative(c, 1.0 / h, record.path[2, k])
