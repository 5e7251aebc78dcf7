"""Stresses of round and rectangular sections by the formulas of designers, on the safe side and with derivatives.

The largest normal stress of tension and bending and the largest shear stress of torsion and shear forces are combined
as if they met in one place; that of a shear force is its mean over the width at the middle, V Q / (I b). Numbers may be
complex: imaginary parts carry derivatives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.beam.sections import torsion_constants
from lissom.model.flexible.section import Box, Circle, Rectangle, Tube
from lissom.model.flexible.section_base import SectionSpec

KNOWN = (Tube, Circle, Box, Rectangle)


def von_mises(section: SectionSpec, force: np.ndarray, moment: np.ndarray) -> Any:
    """Return largest equivalent stress, Pa, from force (N, Vy, Vz) and moment (T, My, Mz) in the section."""
    N, T = _size(force[0]), _size(moment[0])
    Vy, Vz, My, Mz = (_size(x) for x in (force[1], force[2], moment[1], moment[2]))
    if isinstance(section, Tube | Circle):
        R, r = _radii(section)
        area, I = np.pi * (R**2 - r**2), np.pi * (R**4 - r**4) / 4
        normal = N / area + _length(My, Mz) * R / I
        # at the neutral axis V Q / (I 2 t): 2 V / A for a thin wall, 4/3 V / A for a bar
        peak = 4 / 3 * (R**2 + R * r + r**2) / (R**2 + r**2)
        shear = T * R / (2 * I) + peak * _length(Vy, Vz) / area
    elif isinstance(section, Box):
        b, h, t = section.width, section.height, section.thickness
        bi, hi = b - 2 * t, h - 2 * t
        area, Iy, Iz = b * h - bi * hi, (b * h**3 - bi * hi**3) / 12, (h * b**3 - hi * bi**3) / 12
        normal = N / area + My * h / 2 / Iy + Mz * b / 2 / Iz
        Qy, Qz = (b * h**2 - bi * hi**2) / 8, (h * b**2 - hi * bi**2) / 8  # of the halves
        # Bredt's mean, and more outside
        twisted = T * (1 / (2 * (b - t) * (h - t) * t) + t / torsion_constants.box(b, h, t))
        shear = twisted + Vz * Qy / (Iy * 2 * t) + Vy * Qz / (Iz * 2 * t)
    elif isinstance(section, Rectangle):
        b, h = section.width, section.height
        normal = N / (b * h) + 6 * My / (b * h**2) + 6 * Mz / (h * b**2)
        # at the middle of the long side, G times the twist times the short side, a little less for thick ones
        long, short = (b, h) if np.real(b) >= np.real(h) else (h, b)
        twisted = T * short / torsion_constants.rectangle(b, h) * (1 - 0.325 * (short / long) ** 3)
        shear = twisted + 1.5 * (Vy + Vz) / (b * h)
    else:
        raise TypeError(type(section).__name__)
    return np.sqrt(normal**2 + 3 * shear**2)


def _radii(section: Tube | Circle) -> tuple[Any, Any]:
    if isinstance(section, Circle):
        return section.diameter / 2, 0.0
    R = section.outer / 2
    return R, section.inner / 2 if section.inner is not None else R - section.thickness  # type: ignore[operator]


def _size(x: Any) -> Any:
    """Return the magnitude of a real number, with its derivative."""
    return x if np.real(x) >= 0 else -x


def _length(a: Any, b: Any) -> Any:
    """Return the length of a real vector, with its derivative: none where it has no direction."""
    square = a * a + b * b
    return np.sqrt(square) if np.real(square) > 0 else 0.0
