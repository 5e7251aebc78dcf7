"""Dual numbers and the groups built on them: dual rotations G1, dual transformations G2, dual screws.

Cibicik and Egeland (2021) separate orders with the dual unit, eps^2 = 0: the real part of a quantity is what the
rigid motion gives, the dual part what small elastic deflections add to first order; products of two deflections
vanish by themselves. `g1` and `g2` are groups of real matrices with the same functions as `so3` and `se3`;
`Dual`, `Rotation`, `Transform`, `Screw`, `Line`, `Twist` and `Wrench` are the objects of the paper. Every function
takes any leading batch axes.
"""

from lissom.lie.dual import g1, g2
from lissom.lie.dual.motion import Rotation, Transform
from lissom.lie.dual.number import Dual
from lissom.lie.dual.screws import (
    Line,
    Screw,
    Twist,
    Wrench,
    coordinate_transformation,
    reference_transformation,
    swap_parts,
)

__all__ = [
    "g1",
    "g2",
    "Dual",
    "Rotation",
    "Transform",
    "Screw",
    "Line",
    "Twist",
    "Wrench",
    "reference_transformation",
    "coordinate_transformation",
    "swap_parts",
]
