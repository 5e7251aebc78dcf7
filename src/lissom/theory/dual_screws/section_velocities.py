"""Velocities of sections of the arm of Cibicik and Egeland (2021), appendix B, whole and to first order.

Joint 1 turns about z1, joints 2 and 3 about z2 and z3, at right angles to it: z1 = c2 x2 - s2 y2, y1 = z2. A section of
link 2 or 3 at x is displaced by (r2, r3) or (k2, k3) across the link; the end of link 2 is turned by three angles
theta about x2, y2 and z2. All vectors here are in the axes of frame 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bent:
    """What a section, or the end of link 2, is displaced and turned by, and how fast."""

    displacement: Array  # (2,) m, along y and z
    rate: Array  # (2,) m/s
    theta: Array | None = None  # (3,) rad, of the end of link 2
    theta_rate: Array | None = None  # (3,) rad/s


def velocity_of_second_link(q: Array, u: Array, x: float, section: Bent) -> Array:
    """Return the velocity (3,) of the section of link 2 at x; at its length, of frame 3 as well.

    Equations: 000 (146)-(147).
    """
    first, up = _first_axes(q[1])
    r2, r3 = section.displacement
    velocity = -u[0] * r3 * first + u[0] * (x * np.sin(q[1]) + r2 * np.cos(q[1])) * up
    return velocity + np.array([-u[1] * r2, section.rate[0] + u[1] * x, section.rate[1]])


def velocity_of_third_link(q: Array, u: Array, lengths: tuple[float, float], end: Bent, section: Bent) -> Array:
    """Return the velocity (3,) of the section of link 3 at lengths[1], link 2 being lengths[0] long.

    The printed expression multiplies out v3 + dp/dt + w x p. Its w takes the rates of the angles about the axes of
    frame 2, although the angles follow each other: right to first order in the deflection, and taken as printed here.

    Equations: 000 (148).
    """
    R = _rotation(end.theta) @ _about_z(q[2])
    k2, k3 = section.displacement
    p = R @ np.array([lengths[1], k2, k3])
    across = R @ np.array([0.0, *section.rate])
    w = u[0] * _axis_of_joint_1(q[1]) + np.array([0.0, 0.0, u[1]]) + u[2] * R[:, 2] + end.theta_rate
    return velocity_of_second_link(q, u, lengths[0], end) + across + np.cross(w, p)


def linear_velocity_of_third_link(q: Array, u: Array, lengths: tuple[float, float], end: Bent, section: Bent) -> Array:
    """Return the velocity (3,) of `velocity_of_third_link` to first order in deflections, as it is printed.

    Equations: 000 (149).
    """
    assert end.theta is not None
    assert end.theta_rate is not None
    x, (k2, k3) = lengths[1], section.displacement
    (t1, t2, t3), (d1, d2, d3) = end.theta, end.theta_rate
    (s2, s3), (c2, c3) = np.sin(q[1:3]), np.cos(q[1:3])
    x1, y1 = _first_axes(q[1])
    x2, y2, z2 = np.eye(3)
    y3 = (np.eye(3) + _hat(end.theta)) @ _about_z(q[2])[:, 1]  # to first order
    by_1 = (
        x * (c3 * t2 - s3 * t1) * x1 + (x * (c3 * (c2 * t3 + s2) + s3 * (c2 - t3 * s2)) + k2 * (c3 * c2 - s3 * s2)) * y1
    )
    by_2 = x * (-(s3 + c3 * t3) * x2 + (c3 - t3 * s3) * y2) - k2 * (c3 * x2 + s3 * y2)
    by_3 = x * y3 - k2 * (c3 * x2 + s3 * y2)
    by_theta = x * ((d1 * s3 - d2 * c3) * z2 + d3 * (c3 * y2 - s3 * x2))
    across = section.rate[0] * (c3 * y2 - s3 * x2) + section.rate[1] * z2
    start = velocity_of_second_link(q, u, lengths[0], end)
    return np.asarray(start + across + u[0] * (by_1 - k3 * x1) + u[1] * by_2 + u[2] * by_3 + by_theta)


def _axis_of_joint_1(q2: float) -> Array:
    return np.array([np.cos(q2), -np.sin(q2), 0.0])


def _first_axes(q2: float) -> tuple[Array, Array]:
    """Return x1 and y1 (3,)."""
    return np.array([np.sin(q2), np.cos(q2), 0.0]), np.array([0.0, 0.0, 1.0])


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _hat(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _rotation(theta: Array | None) -> Array:
    """Return the rotation by three angles about x, y and z that follow each other."""
    assert theta is not None
    (c1, c2, c3), (s1, s2, s3) = np.cos(theta), np.sin(theta)
    return np.array(
        [
            [c2 * c3, -c2 * s3, s2],
            [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
            [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
        ]
    )
