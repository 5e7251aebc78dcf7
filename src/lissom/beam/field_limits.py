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

QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])


def softening(beam: BeamLink, eta: Array) -> float:
    """Return the largest share of a link's stiffness, in any shape, that its field leaves out at eta (m,)."""
    if not beam.second_order or not beam.basis.counts["torsion"]:
        return 0.0
    nodes, weights = beam.field.nodes, np.real(beam.field.weights)
    twist, w = np.real(nodes.psi[:, 0]), np.real(nodes.strain[:, 4:])
    S = np.linalg.inv(_compliance(beam)[:, 4:, 4:])
    # of 1/2 int t^2 c, c = w . B w, B = J^T S J - S: the second derivatives by the coordinates
    by_w = np.einsum("kai,kab,kbj->kij", w, QUARTER.T @ S @ QUARTER - S, w)
    t, by_c = weights * (twist @ eta), by_w @ eta
    crossed = 2 * (twist.T * t) @ by_c
    missing = (twist.T * (weights * (by_c @ eta))) @ twist + crossed + crossed.T
    missing = missing + np.einsum("k,kij->ij", t * (twist @ eta), by_w)
    values, shapes = np.linalg.eigh(np.real(beam.stiffness()))
    if values[0] <= 0:  # prestress buckles it: nothing to compare with
        return 0.0
    shapes = shapes / np.sqrt(values)
    return float(np.abs(np.linalg.eigvalsh(shapes.T @ missing @ shapes)).max())


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
