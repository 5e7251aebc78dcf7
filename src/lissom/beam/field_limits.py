"""How far a deformed link is from what its second-order field and its functions follow.

A section that twists by t carries its curvature w = (wy, wz) along, which in its own axes is turned by t. The strain
energy of that is 1/2 t^2 ((J w) . S J w - w . S w), S the stiffness of the section against bending, J a quarter turn:
of fourth order, and left out. Bending edgewise, of third order, then gives way with nothing to hold against it: a strip
twelve times as wide as thick that sags by 4 % of its length twists 5 % too much.

A link under a tension N is a wire that bends within 1/k of where something acts, k^2 = N/EI. Functions that are made
for the link without tension follow that while k times its length is not large.
"""

from __future__ import annotations

import numpy as np

from lissom.beam.beam_link import BeamLink
from lissom.beam.number_types import Array

QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


def torsion_share(beam: BeamLink, eta: Array) -> float:
    """Return the largest share of a link's stiffness in torsion that its field leaves out as it is bent by eta (m,)."""
    torsion = beam.basis.slices["torsion"]
    if not beam.second_order or torsion.start == torsion.stop:
        return 0.0
    nodes = beam.field.nodes
    w = np.real(nodes.strain[:, 4:] @ eta)
    S = np.linalg.inv(_compliance(beam)[:, 4:, 4:])
    left_out = sum(sign * np.einsum("ka,kab,kb->k", u, S, u) for sign, u in ((1, w @ QUARTER.T), (-1, w)))
    twist = np.real(nodes.psi[:, 0, torsion])
    root = np.linalg.inv(np.linalg.cholesky(np.real(beam.stiffness()[torsion, torsion])))
    missing = (twist.T * (np.real(beam.field.weights) * left_out)) @ twist
    return float(np.abs(np.linalg.eigvalsh(root @ missing @ root.T)).max())


def largest_twist(beam: BeamLink, eta: Array) -> float:
    """Return the largest angle, rad, by which a section of a link is twisted."""
    return float(np.abs(np.real(beam.field.nodes.psi[:, 0] @ eta)).max())


def tautness(beam: BeamLink, eta: Array) -> tuple[float, float]:
    """Return the mean tension N of a link deformed by eta (m,), and sqrt(N / EI) L; zero under pressure."""
    C = _compliance(beam)
    bends = [row for row, name in ((5, "y"), (4, "z")) if beam.basis.counts[name]]
    weights = np.real(beam.field.weights)
    tension = float(weights @ (np.real(beam.field.nodes.strain[:, 0] @ eta) / C[:, 0, 0]) / weights.sum())
    if tension <= 0 or not bends:
        return 0.0, 0.0
    return tension, float(np.sqrt(tension * max(np.mean(C[:, row, row]) for row in bends)) * np.real(beam.length))


def _compliance(beam: BeamLink) -> Array:
    return np.real(beam.profile.tables(beam.basis.rule.nodes)[0])
