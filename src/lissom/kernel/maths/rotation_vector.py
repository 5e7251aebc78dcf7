"""Rotation by a vector theta: R = exp(theta~), and H that turns a rate of theta into an angular velocity.

    R = cos 1 + s theta~ + f theta theta^T,    H = s 1 - f theta~ + c theta theta^T    (R^T dR = (H dtheta)~)

with s = sin|theta|/|theta|, f = (1 - cos)/|theta|^2, c = (1 - s)/|theta|^2 as power series in z = theta . theta:
smooth at zero for every number type, right to rounding up to |theta| = 2 pi.
"""

from __future__ import annotations

from math import factorial

from lissom.kernel.compile import inline, shared
from lissom.kernel.maths.algebra import add, cross, dot, scale

TERMS = 18  # reach rounding up to |theta| = 2 pi
EVEN = tuple(1.0 / factorial(2 * n + 4) for n in range(TERMS))
ODD = tuple(1.0 / factorial(2 * n + 5) for n in range(TERMS))


@shared
def angle_functions(th):
    """Return (s, f, c) and their derivatives by z."""
    z = dot(th, th)
    e = EVEN[TERMS - 1] + 0.0 * z  # (1/2 - f)/z
    g = ODD[TERMS - 1] + 0.0 * z  # (1/6 - c)/z
    for back in range(2, TERMS + 1):
        e = EVEN[TERMS - back] - z * e
        g = ODD[TERMS - back] - z * g
    f = 0.5 - z * e
    c = 1.0 / 6.0 - z * g
    return 1.0 - z * c, f, c, 0.5 * (c - f), e - 0.5 * c, 0.5 * (3.0 * g - e)


@inline
def rotation_of(k, th):
    """Return R of the vector `th`; k = angle_functions(th)."""
    s, f = k[0], k[1]
    cosine = 1.0 - f * dot(th, th)
    x = scale(f, th)
    a = scale(s, th)
    return (
        (cosine + x[0] * th[0], x[0] * th[1] - a[2], x[0] * th[2] + a[1]),
        (x[1] * th[0] + a[2], cosine + x[1] * th[1], x[1] * th[2] - a[0]),
        (x[2] * th[0] - a[1], x[2] * th[1] + a[0], cosine + x[2] * th[2]),
    )


@inline
def lever_of(k, th):
    """Return H as a matrix."""
    s, f, c = k[0], k[1], k[2]
    x = scale(c, th)
    a = scale(f, th)
    return (
        (s + x[0] * th[0], x[0] * th[1] + a[2], x[0] * th[2] - a[1]),
        (x[1] * th[0] - a[2], s + x[1] * th[1], x[1] * th[2] + a[0]),
        (x[2] * th[0] + a[1], x[2] * th[1] - a[0], s + x[2] * th[2]),
    )


@inline
def lever_rate(k, th, d, a):
    """Return (dH) a when theta changes by `d`."""
    f, c = k[1], k[2]
    dz = 2.0 * dot(th, d)
    along = dot(th, a)
    turned = add(scale(k[3] * dz, a), scale(-(k[4] * dz), cross(th, a)))
    drawn = scale(k[5] * dz * along + c * dot(d, a), th)
    return add(add(turned, drawn), add(scale(-f, cross(d, a)), scale(c * along, d)))


@inline
def lever_slope(k, th, a, m):
    """Return the vector A with d . A = m . (dH) a for every change d of theta."""
    f, c = k[1], k[2]
    along = dot(th, a)
    grip = dot(th, m)
    by_z = 2.0 * (k[3] * dot(m, a) - k[4] * dot(m, cross(th, a)) + k[5] * along * grip)
    drawn = add(scale(c * grip, a), scale(c * along, m))
    return add(add(scale(by_z, th), drawn), scale(-f, cross(a, m)))
