"""Width of sections that turn, as quadratic forms beside those of the foreshortening.

A section that twists by t draws its width in: its mass at (y, z) moves by -t^2/2 (y, z), and slopes draw in the side
along which they lie. Under a spin that is the propeller moment: a strip is turned flat. What of this motion is alike in
all sections, over the link's mass,

    s_2 = -y sigma_y e_y - z sigma_z e_z,      sigma_y = 1/2 int yy (psi_x . eta)^2 + yy (psi_z . eta)^2 dm / int yy dm

and sigma_z likewise with psi_y, has all that meets the spin of the unbent link (`second_order_rotation`) but products
of twist and slopes. In the kinetic energy it counts as two more coordinates that are slaved to eta, so the energy is a
sum of squares, whatever the deflection: cut after second order it would not.
"""

from __future__ import annotations

import numpy as np

from lissom.beam.displacement_fields.displacement_field import Sections, gram
from lissom.beam.displacement_fields.foreshortening_forms import Shortening
from lissom.beam.number_types import Array

CENTRED = 1e-9  # share of the radius of gyration that counts as off the axis
SLOPE_BESIDE = (2, 1)  # the slope, as a row of psi, that draws in the side along y, along z


def has_width(moments: Array) -> bool:
    """Return whether masses (k, 4, 4) have width on both sides of an axis through their centres, and no other shape."""
    W = np.real(moments)
    y, z = W[:, 2, 2].sum(), W[:, 3, 3].sum()
    if min(y, z) <= 0:
        return False
    return bool(
        np.all(np.abs(W[:, 0, 2:]) <= CENTRED * np.sqrt(W[:, 0, 0].sum() * max(y, z)))
        and np.all(np.abs(W[:, 1, 1:]).sum(axis=-1) - np.abs(W[:, 1, 1]) <= CENTRED * max(y, z))
        and np.all(np.abs(W[:, 2, 3]) <= CENTRED * np.sqrt(y * z))
        and np.all(np.abs(W[:, 0, 1]) <= CENTRED * np.sqrt(W[:, 0, 0].sum() * max(y, z)))
    )


def width_forms(sections: Sections, moments: Array) -> Shortening:
    """Return the two forms of a link whose stations turn as `sections` do and carry masses with moments (k, 4, 4)."""
    k, _, m = sections.psi.shape
    dtype = np.result_type(sections.psi, moments)
    form, s0, phi = np.zeros((2, m, m), dtype), np.zeros((2, 3), dtype), np.zeros((2, 3, m), dtype)
    for p, (side, slope) in enumerate(zip((1, 2), SLOPE_BESIDE, strict=True)):
        square = moments[:, 1 + side, 1 + side]  # int yy dm of the stations
        psi = sections.psi
        root = np.sqrt(square.sum())
        drawn = gram(psi[:, 0], square, psi[:, 0]) + gram(psi[:, slope], square, psi[:, slope])
        form[p] = drawn / root
        s0[p, side] = root
        unit = np.eye(3)[side]
        turned = np.cross(psi, unit[:, None], axisa=1, axisb=0, axisc=1)  # psi x e
        phi[p] = np.einsum("k,kaj->aj", square, turned) / root
    return Shortening(form, np.zeros(2, dtype), s0, phi, np.zeros((2, k), dtype), axis=(1, 2))
