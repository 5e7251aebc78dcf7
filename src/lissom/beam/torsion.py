"""Torsion constants of plane sections: GJ is the torque per twist rate, and J is not the polar moment unless round.

Every formula is analytic in the sizes, so a complex step through them gives exact derivatives.
"""

from __future__ import annotations

import numpy as np

from lissom.beam.number import Number

# sum of 1/n^5 over odd n = (31/32) zeta(5)
_ODD_FIFTH_POWERS = 31 / 32 * 1.0369277551433699263

# One right-angled corner of a wall of unit thickness, beyond its two straight arms (see `box`).
_CORNER_CONDUCTANCE = 1 - 2 / np.pi * np.log(2)
_CORNER_AREA = 0.144833904
_CORNER_TORSION = 0.405823965


def rectangle(width: Number, height: Number) -> Number:
    """Saint-Venant torsion constant of a solid rectangle, to full precision.

    J = a b^3/3 (1 - 192 b/(pi^5 a) sum_{n odd} tanh(n pi a/(2 b))/n^5), a >= b. Written with tanh = 1 - 2/(e^{2z} + 1)
    the slow part of the sum is a known number and the rest converges like exp(-n pi a/b).
    """
    a, b = (width, height) if np.real(width) >= np.real(height) else (height, width)
    n = np.arange(1, 14, 2)
    decay = np.exp(-n * np.pi * a / b)
    odd_sum = _ODD_FIFTH_POWERS - (2 * decay / (1 + decay) / n**5).sum()
    return a * b**3 / 3 * (1 - 192 * b / (np.pi**5 * a) * odd_sum)


def box(width: Number, height: Number, thickness: Number) -> Number:
    """Torsion constant of a rectangular closed box of uniform wall thickness, outer sizes given.

    Prandtl's stress function splits into a part that is constant on the hole's edge and one that vanishes on both edges:

        J = 4 A^2/S + J_wall,   A = hole + int h,   h harmonic in the wall, 0 outside, 1 inside, S its total flux,

    which is Bredt-Batho (A: area inside the midline, S = midline/thickness) plus the wall's own torsion. Straight walls
    and corners add up; the numbers of one corner are universal: its flux is 1 - (2/pi) ln 2, the other two come from
    a solution of the corner by finite differences, extrapolated. The neglected influence of one corner on the next decays
    like exp(-pi side/thickness), side being the inner one: below 1e-6 once it is 4 thicknesses, 1.1 % at the very worst,
    a square without a hole.
    """
    inner_perimeter = 2 * (width + height - 4 * thickness)
    hole = (width - 2 * thickness) * (height - 2 * thickness)
    flux = inner_perimeter / thickness + 4 * _CORNER_CONDUCTANCE
    area = hole + inner_perimeter * thickness / 2 + 4 * _CORNER_AREA * thickness**2
    wall = inner_perimeter * thickness**3 / 3 + 4 * _CORNER_TORSION * thickness**4
    return 4 * area**2 / flux + wall
