"""Second-order rotation of sections, and what it adds to the inertia of a link.

A section turns by R = 1 + theta~ + R2 to second order, as `BeamLink.pose` has it:

    R2 = 1/2 b~^2 + t b~ e~ + 1/2 t^2 e~^2 + 1/2 (eta^T D eta) e~,      b = (0, thy, thz),   t = thx,   e = e_x

Its mass at offsets d moves by R2 d, which meets the undeformed link in products of second order of the kinetic energy.
A spin Omega across a strip turns it flat by them, by (Iyy - Izz) Omega^2 t (the propeller moment), and acts on slopes
alike. The exact field has these terms. The second-order field has those of the width of its sections (`width_forms`)
where they matter at spins of a few natural frequencies, and is in doubt where others do (`analysis.propeller_moment`).
"""

from __future__ import annotations

import numpy as np

from lissom.beam.displacement_fields.displacement_field import RunningTerms, Sections, gram
from lissom.beam.number_types import Array, symmetric


def second_order_turn(first: Array, sections: Sections, terms: RunningTerms) -> Array:
    """Return int s_a d_i d_j s_b at rest, (..., 4, 3, m, m): a = x, y, z and s_a = 1; b = x, y, z; coordinates i, j.

    Parameters
    ----------
    first : array
        (..., k, 4, 3) int s_a d over the mass at each station.
    sections, terms : Sections
        How the k stations move.
    """
    t, y, z = np.moveaxis(sections.psi, 1, 0)
    m = t.shape[1]
    out = np.zeros((*first.shape[:-3], 4, 3, m, m), np.result_type(first, t))
    for a in range(4):
        wx, wy, wz = np.moveaxis(first[..., a, :], -1, 0)
        if wx.any() or wy.any() or wz.any():
            out[..., a, 0, :, :] = 2 * symmetric(gram(t, wy, y) + gram(t, wz, z)) - gram(y, wx, y) - gram(z, wx, z)
            out[..., a, 1, :, :] = symmetric(gram(y, wz, z)) - terms.twist(wz) - gram(z, wy, z) - gram(t, wy, t)
            out[..., a, 2, :, :] = symmetric(gram(y, wy, z)) + terms.twist(wy) - gram(y, wz, y) - gram(t, wz, t)
    return out


def share_of_stiffness(turned: Array, shapes: Array | None, squares: Array) -> float:
    """Return the largest share of a link's stiffness that products of second order add or take at a spin.

    Parameters
    ----------
    turned : array
        (4, 3, m, m) int s_a d_i d_j s_b.
    shapes : array or None
        (m, m) combinations of the coordinates with the stiffness 1 each; None of a link that buckles by itself.
    squares : array
        (3, 3) omega omega^T - omega^2 1 of the spin.
    """
    if shapes is None:  # nothing to compare with
        return 0.0
    spun = np.einsum("ab,abij->ij", squares, np.real(turned[:3]))
    return float(np.abs(np.linalg.eigvalsh(shapes.T @ spun @ shapes)).max())
