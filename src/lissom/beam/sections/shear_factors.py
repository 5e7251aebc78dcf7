"""Cowper's shear factors k of plane sections: the shear stiffness is k G A.

G. R. Cowper, The shear coefficient in Timoshenko's beam theory, J. Appl. Mech. 33 (1966) 335-340. Every formula is
analytic in the sizes, so a complex step through them gives exact derivatives.
"""

from __future__ import annotations

from lissom.beam.number_types import Number


def rectangle(nu: Number) -> Number:
    """Return a solid rectangle, in both directions."""
    return 10 * (1 + nu) / (12 + 11 * nu)


def tube(nu: Number, ratio: Number) -> Number:
    """Return a round tube of `ratio` inner over outer radius; zero for a solid bar."""
    r2 = (1 + ratio**2) ** 2
    return 6 * (1 + nu) * r2 / ((7 + 6 * nu) * r2 + (20 + 12 * nu) * ratio**2)


def ellipse(nu: Number, along: Number, across: Number) -> Number:
    """Return a solid ellipse by its semi-axes along and across the shear force."""
    a2, b2 = along**2, across**2
    return 12 * (1 + nu) * a2 * (3 * a2 + b2) / ((40 + 37 * nu) * a2**2 + (16 + 10 * nu) * a2 * b2 + nu * b2**2)


def box(nu: Number, width: Number, height: Number, thickness: Number) -> Number:
    """Return a thin-walled box of outer sizes, sheared along its `height`; taken at the middle of its walls."""
    b, h = width - thickness, height - thickness
    m, n = b / h, b / h  # flanges over webs: area b t / (h t), and width over height
    bending = 12 + 72 * m + 150 * m**2 + 90 * m**3
    lateral = nu * (11 + 66 * m + 135 * m**2 + 90 * m**3)
    flanges = 10 * n**2 * ((3 + nu) * m + 3 * m**2)
    return 10 * (1 + nu) * (1 + 3 * m) ** 2 / (bending + lateral + flanges)
