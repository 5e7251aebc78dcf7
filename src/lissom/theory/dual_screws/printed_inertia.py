"""Rotary inertia as the paper has it: of sections whose axes of inertia keep those of the link, (102), (107).

The compiled equations take a section's inertia from its material points, which turn with it: second moments of the link
and the couplings c_ab,jk change with the deflection. As printed, they do not; what turns is listed here to be left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.beam import BeamLink
from lissom.kernel.compile import Struct
from lissom.lie import so3
from lissom.model.model import Model

Array = np.ndarray


class PrintedTables(NamedTuple):
    """What the compiled equations read for the form as printed."""

    model: Any  # Struct: couplings by the deflection without those of the sections' own inertia
    turning: Array  # (n, 12 m) couplings by which second moments of the links would turn


def printed_tables(model: Model) -> Struct:
    """Return the tables of a model for the form as printed; links of finite elements have no sections to keep."""
    inertia = model.arrays.inertia
    turning, by_eta = np.zeros_like(inertia.coupling), np.array(inertia.coupling_eta)
    for name, link in model.flexible.items():
        if isinstance(link, BeamLink):
            row, k = model.row(name), link.count
            first, second = _of_sections(link)
            turning[row, : 12 * k] = first.ravel()
            by_eta[row, :k, : 12 * k] -= second.reshape(k, 12 * k)
    arrays = model.arrays._replace(inertia=inertia._replace(coupling_eta=by_eta))
    return Struct(PrintedTables(Struct(arrays), turning))


def _of_sections(link: BeamLink) -> tuple[Array, Array]:
    """Int d_a (psi_j x d)_b, (m, 4, 3), and int (psi_l x d)_a (psi_j x d)_b, (m, m, 4, 3), about the sections' centres.

    A section with inertia J has int d d^T = tr(J) / 2 - J.
    """
    k = link.count
    first, second = np.zeros((k, 4, 3)), np.zeros((k, k, 4, 3))
    for psi, moments in zip(link.carriers.sections.psi, link.moments, strict=True):
        mass, moment = moments[0, 0], moments[0, 1:]
        own = moments[1:, 1:] - np.outer(moment, moment) / mass
        turns = so3.hat(psi.T)  # (m, 3, 3)
        first[:, :3] += np.einsum("ac,jbc->jab", own, turns)
        second[:, :, :3] += np.einsum("lac,cd,jbd->ljab", turns, own, turns)
    return first, second
