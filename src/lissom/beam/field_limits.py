"""How far a deformed link is from what its second-order field and its functions follow.

A section that twists by t carries its curvature w = (wy, wz) along, which in its own axes is turned by t. The strain
energy of that is 1/2 t^2 ((J w) . S J w - w . S w), S the stiffness of the section against bending, J a quarter turn:
of fourth order, and left out. Bending edgewise, of third order, then gives way with nothing to hold against it: a strip
twelve times as wide as thick that sags by 4 % of its length twists 5 % too much. Where bending twists a section by
itself, as in a laminate, sag and slope are off as well.

A link under a tension N is a wire that bends within 1/k of where something acts, k^2 = N/EI. Functions that are made
for the link without tension follow that while k times its length is not large.
"""

from __future__ import annotations

import numpy as np

from lissom.beam.beam_link import BeamLink
from lissom.beam.number_types import Array


def softening(beam: BeamLink, eta: Array) -> Array:
    """Return the largest share of a link's stiffness, in any shape, that its field leaves out at each eta (n, m)."""
    if not beam.second_order or not beam.basis.counts["torsion"]:
        return np.zeros(len(eta))
    B, shapes = beam.twisted_bending, beam.shapes_of_unit_stiffness
    if shapes is None:  # prestress buckles it: nothing to compare with
        return np.zeros(len(eta))
    weights, twist = np.real(beam.field.weights), np.real(beam.field.nodes.psi[:, 0])
    k, m = twist.shape
    # second derivatives by the coordinates of 1/2 int t^2 c, t = twist . eta, c = eta . B eta, at every eta
    t = eta @ twist.T
    by_c = (eta @ B.transpose(1, 0, 2).reshape(m, k * m)).reshape(-1, k, m)
    c = np.einsum("nki,ni->nk", by_c, eta)
    crossed = 2 * np.swapaxes((weights * t)[..., None] * twist, 1, 2) @ by_c
    missing = (weights * c) @ (twist[:, :, None] * twist[:, None, :]).reshape(k, -1)
    missing = (missing + (weights * t**2) @ B.reshape(k, -1)).reshape(-1, m, m) + crossed + np.swapaxes(crossed, 1, 2)
    return np.abs(np.linalg.eigvalsh(shapes.T @ missing @ shapes)).max(axis=1)


def largest_twist(beam: BeamLink, eta: Array) -> Array:
    """Return the largest angle, rad, by which a section of a link is twisted at each eta (n, m)."""
    return np.abs(eta @ np.real(beam.field.nodes.psi[:, 0]).T).max(axis=1)


def tautness(beam: BeamLink, eta: Array) -> tuple[Array, Array]:
    """Return the mean tension N of a link at each eta (n, m), and sqrt(N / EI) L; zero under pressure."""
    C = beam.node_compliance
    bends = [row for row, name in ((5, "y"), (4, "z")) if beam.basis.counts[name]]
    weights = np.real(beam.field.weights)
    stretch = np.real(beam.field.nodes.strain[:, 0])
    tension = np.maximum(eta @ stretch.T @ (weights / C[:, 0, 0]) / weights.sum(), 0.0) if bends else np.zeros(len(eta))
    softest = max((float(np.mean(C[:, row, row])) for row in bends), default=0.0)
    return tension, np.sqrt(tension * softest) * float(np.real(beam.length))
