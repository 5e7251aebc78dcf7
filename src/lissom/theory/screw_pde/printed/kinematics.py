"""Appendix A: derivatives of vectors and twists that are given in turning axes.

A vector r has its components in the axes of a body frame that turns with omega; r' and r'' are the derivatives of these
components. All results are in the same axes. Arrays have shape (..., 3), twists (..., 6), angular part first.
"""

from __future__ import annotations

import numpy as np

from lissom.lie import se3

Array = np.ndarray


def inertial_rate(omega: Array, r: Array, rate: Array) -> Array:
    """Return dr/dt = r' + omega x r, the velocity of a point at r.

    Equations: 003 (90)-(94).
    """
    return rate + np.cross(omega, r)


def inertial_acceleration(omega: Array, omega_rate: Array, r: Array, rate: Array, second: Array) -> Array:
    """Return d2r/dt2 = r'' - r x omega' + 2 omega x r' + omega x (omega x r).

    Equations: 003 (95)-(97).
    """
    turning = np.cross(omega_rate, r) + 2 * np.cross(omega, rate)
    return second + turning + np.cross(omega, np.cross(omega, r))


def frame_twist(omega: Array, r: Array, rate: Array) -> Array:
    """Return V = (omega, r' + omega x r) of a body frame whose position is r.

    Equations: 003 (3), (48), (98).
    """
    return np.concatenate([omega, inertial_rate(omega, r, rate)], axis=-1)


def displacement_twist(omega: Array, r: Array, rate: Array) -> Array:
    """Return (0, r' + omega x r): what a displacement, or with r' = 0 the reference shape, adds to the frame's twist.

    Equations: 003 (57), (99)-(100).
    """
    velocity = inertial_rate(omega, r, rate)
    return np.concatenate([np.zeros_like(velocity), velocity], axis=-1)


def frame_twist_rate(omega: Array, omega_rate: Array, r: Array, rate: Array, second: Array) -> Array:
    """Return V' = (omega', r'' - r x omega' + omega x r'), the derivative of the components of `frame_twist`.

    Equations: 003 (58), (102).
    """
    return np.concatenate([omega_rate, second + np.cross(omega_rate, r) + np.cross(omega, rate)], axis=-1)


def inertial_twist_rate(frame: Array, twist: Array, rate: Array) -> Array:
    """Return d/dt of a twist whose components have the derivative `rate`, in a frame that moves with the twist `frame`.

    Equations: 003 (103)-(105).
    """
    return rate + np.einsum("...ij,...j->...i", se3.ad(frame), twist)
