"""Positions within a step: q = base (+) u with u = 0 at its start.

Every integrator so works on plain vectors (u, v) of size nv, while quaternions stay on their group: turns u about body
axes, translations of a floating body along them.
"""

from __future__ import annotations

from math import factorial

from numpy import arctan2, sqrt

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import FIRST_ORDER
from lissom.kernel.maths.algebra import (
    add,
    cross,
    dot,
    quaternion_matrix,
    rotate,
    rotate_back,
    scale,
    store_vector,
    subtract,
    vector,
)

TURN_MOST = 2.0  # rad: a step turns by less, so that nine or ten terms of the series below reach rounding
# Series in z = x^2, exact to rounding for turns x below that.
COS = tuple((-1) ** n / (4**n * factorial(2 * n)) for n in range(9))  # cos(x/2)
SIN = tuple((-1) ** n / (2 * 4**n * factorial(2 * n + 1)) for n in range(9))  # sin(x/2)/x
BEYOND = tuple((-1) ** n / factorial(2 * n + 3) for n in range(10))  # (x - sin x)/x^3
# (2 sin(x/2)/x - cos(x/2))/x^2
BETWEEN = tuple((-1) ** n * (n + 1) / (2 * 4**n * factorial(2 * n + 3)) for n in range(9))


@inline
def series(coefficients, z):
    """Return sum_k coefficients[k] z^k, by Horner's rule."""
    total = 0.0 * z
    for k in range(len(coefficients)):
        total = coefficients[len(coefficients) - 1 - k] + z * total
    return total


@inline
def half_turn(z):
    """Return cos(x/2) and sin(x/2)/x of z = x^2."""
    return series(COS, z), series(SIN, z)


@inline
def tangent_operator(th, a, f, g):
    """Return (1 + f th~ + g th~ th~) a: every function of th~ has this form."""
    b = cross(th, a)
    return add(a, add(scale(f, b), scale(g, cross(th, b))))


@inline
def rotate_by_vector(th, a):
    """Return exp(th~) a."""
    c, s = half_turn(dot(th, th))
    return tangent_operator(th, a, 2.0 * s * c, 2.0 * s * s)


@inline
def turn_rate(th, w):
    """Return the rate of the turn th at the angular velocity w in body axes: the inverse right Jacobian."""
    z = dot(th, th)
    return tangent_operator(th, w, 0.5, 0.5 * series(BETWEEN, z) / series(SIN, z))


@inline
def turn_velocity(th, rate):
    """Return the inverse of `turn_rate`, the right Jacobian.

    1 - (1 - cos x)/x^2 th~ + (x - sin x)/x^3 th~ th~ with x = |th|.
    """
    z = dot(th, th)
    s = series(SIN, z)
    return tangent_operator(th, rate, -2.0 * s * s, series(BEYOND, z))


@inline
def quaternion(a):
    """Return scalar and vector part of the quaternion at the head of an array."""
    return a[0], (a[1], a[2], a[3])


@inline
def product(w0, p0, w1, p1):
    """Return the product of two quaternions, as scalar and vector."""
    return w0 * w1 - dot(p0, p1), add(add(scale(w0, p1), scale(w1, p0)), cross(p0, p1))


@inline
def store_quaternion(array, w, p):
    """Write a quaternion to the head of an array."""
    array[0] = w
    store_vector(array[1:], p)


@kernel
def move(model, base, u, q):
    """Set q = base (+) u.

    Plain coordinates add, quaternions turn about body axes, floating bodies move along them.
    """
    for k in range(u.shape[0]):
        axis = model.velocities.group_axis[k]
        at = model.velocities.coordinate[k]
        if axis == -1:
            q[at] = base[at] + u[k]
        elif axis == 0:
            th = vector(u[k:])
            c, s = half_turn(dot(th, th))
            w, p = quaternion(base[at:])
            w, p = product(w, p, c, scale(s, th))
            store_quaternion(q[at:], w, p)
        elif axis == 3:
            R = quaternion_matrix(base[at], base[at + 1], base[at + 2], base[at + 3])
            store_vector(q[at + 4 :], add(vector(base[at + 4 :]), rotate(R, vector(u[k:]))))


@kernel
def chart_rate(model, u, v, rate):
    """Compute du/dt at chart position u: v itself but for group joints, where turns do not commute."""
    for k in range(u.shape[0]):
        axis = model.velocities.group_axis[k]
        if axis < 0:
            rate[k] = v[k]
        elif axis == 0:
            store_vector(rate[k:], turn_rate(vector(u[k:]), vector(v[k:])))
        elif axis == 3:
            # linear velocities are written in the axes at the start of the step: exp(turn) v
            store_vector(rate[k:], rotate_by_vector(vector(u[k - 3 :]), vector(v[k:])))


@kernel
def chart_velocity(model, u, rate, v):
    """Compute the velocity whose chart rate at position u is `rate`: the inverse of `chart_rate`."""
    for k in range(u.shape[0]):
        axis = model.velocities.group_axis[k]
        if axis < 0:
            v[k] = rate[k]
        elif axis == 0:
            store_vector(v[k:], turn_velocity(vector(u[k:]), vector(rate[k:])))
        elif axis == 3:
            store_vector(v[k:], rotate_by_vector(scale(-1.0, vector(u[k - 3 :])), vector(rate[k:])))


@kernel
def configuration_rate(model, q, v, rate):
    """Compute dq/dt: plain coordinates follow v, quaternions q (0, omega) / 2, floating bodies R v."""
    for k in range(v.shape[0]):
        axis = model.velocities.group_axis[k]
        at = model.velocities.coordinate[k]
        if axis == -1:
            rate[at] = v[k]
        elif axis == 0:
            w, p = quaternion(q[at:])
            w, p = product(w, p, 0.0, scale(0.5, vector(v[k:])))
            store_quaternion(rate[at:], w, p)
        elif axis == 3:
            R = quaternion_matrix(q[at], q[at + 1], q[at + 2], q[at + 3])
            store_vector(rate[at + 4 :], rotate(R, vector(v[k:])))


@kernel
def difference(model, base, q, u):
    """Compute the chart position u of `q`: base (+) u = q, for turns below half a revolution."""
    for k in range(u.shape[0]):
        axis = model.velocities.group_axis[k]
        at = model.velocities.coordinate[k]
        if axis == -1:
            u[k] = q[at] - base[at]
        elif axis == FIRST_ORDER:
            u[k] = 0.0
        elif axis == 0:
            w0, p0 = quaternion(base[at:])
            w, p = quaternion(q[at:])
            w, p = product(w0, scale(-1.0, p0), w, p)
            sine = sqrt(dot(p, p))
            f = 2.0 * arctan2(sine, w) / sine if sine > 1e-12 else 2.0
            store_vector(u[k:], scale(f, p))
        elif axis == 3:
            R = quaternion_matrix(base[at], base[at + 1], base[at + 2], base[at + 3])
            store_vector(u[k:], rotate_back(R, subtract(vector(q[at + 4 :]), vector(base[at + 4 :]))))
