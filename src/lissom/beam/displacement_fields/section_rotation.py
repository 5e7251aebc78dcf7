"""The two factors of a section's rotation, in algebra that every number type can do."""

from __future__ import annotations

import numpy as np

from lissom.beam.number_types import Array


def bend(y: Array, z: Array, sines: bool = False) -> Array:
    """Return rotation by the vector a = (0, y, z), exact up to fifth order in |a|: (...,) each -> (..., 3, 3).

    Cayley's rational form with the Gibbs vector g = a/2 (1 + |a|^2/12): always a proper rotation. With `sines` the
    length of `a` is the sine of the angle, and g = a/2 (1 + |a|^2/4).
    """
    y, z = np.asarray(y), np.asarray(z)
    half = (1 + (y * y + z * z) / (4 if sines else 12)) / 2
    gy, gz = half * y, half * z
    s = 2 / (1 + gy * gy + gz * gz)
    R = np.empty((*y.shape, 3, 3), np.result_type(y, z, float))
    R[..., 0, :] = np.stack([1 - s * (gy * gy + gz * gz), -s * gz, s * gy], axis=-1)
    R[..., 1, :] = np.stack([s * gz, 1 - s * gz * gz, s * gy * gz], axis=-1)
    R[..., 2, :] = np.stack([-s * gy, s * gy * gz, 1 - s * gy * gy], axis=-1)
    return R


def roll(angle: Array) -> Array:
    """Return rotation about x: (...,) -> (..., 3, 3)."""
    cos, sin = np.cos(angle), np.sin(angle)
    R = np.zeros((*np.shape(angle), 3, 3), np.result_type(angle, float))
    R[..., 0, 0] = 1
    R[..., 1, 1], R[..., 1, 2] = cos, -sin
    R[..., 2, 1], R[..., 2, 2] = sin, cos
    return R
