"""Strain of a fibre of a beam, to the order of its displacement field."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.beam.beam_link import BeamLink
from lissom.beam.constants import constant_property
from lissom.beam.displacement_fields.displacement_field import Sections
from lissom.beam.number_types import Array, Number
from lissom.beam.sections.general_section import BEND_Y, BEND_Z, SHEAR_Y, SHEAR_Z, STRETCH
from lissom.lie import so3

ON_THE_FACE = 0.03  # of the size of a section, by which a gauge may lie off its outline, itself drawn by straight lines


class SectionStrain:
    """Strains (6,) of the section of a beam at x as functions of its coordinates (m,), see `general_section`."""

    def __init__(self, beam: BeamLink, x: Number) -> None:
        self.beam, self.x = beam, x

    @constant_property
    def _section(self) -> Sections:
        return Sections(*(part[0] for part in self.beam.field.sections(self.beam.field.fraction(self.x))))

    def __call__(self, eta: Array) -> Array:
        """Return what the strain energy of the beam's field sees: linear, of second order, or exact."""
        strain = self._section.strain @ eta
        if self.beam.exact_field:
            curvature = so3.right_jacobian(self._section.psi @ eta) @ (self._section.psi_x @ eta)
            return np.concatenate([strain[:3], curvature])
        if self.beam.second_order:
            twist, about_y, about_z = self._section.psi @ eta
            strain = strain.astype(np.result_type(strain, eta))
            shear_y, shear_z, bend_y, bend_z = strain[[SHEAR_Y, SHEAR_Z, BEND_Y, BEND_Z]]
            strain[SHEAR_Y] += twist * shear_z - about_z * strain[STRETCH]
            strain[SHEAR_Z] += about_y * strain[STRETCH] - twist * shear_y
            strain[BEND_Y] += twist * bend_z
            strain[BEND_Z] -= twist * bend_y
        return strain

    def fibre(self, eta: Array, y: Number, z: Number) -> Number:
        """Return strain along the axis of the fibre at (y, z) of the section."""
        strain = self(eta)
        return strain[STRETCH] + z * strain[BEND_Y] - y * strain[BEND_Z]


def _shape(beam: BeamLink, x: Number) -> Any:
    """Return the section at x, whose outline is along the link's axes."""
    return beam.section if beam.plain else beam.profile.section(float(np.real(beam.field.fraction(x)[0])))


def beside_material(beam: BeamLink, x: Number, y: Number, z: Number) -> str | None:
    """Return what is wrong with a fibre at (y, z) of the section at x; None on material or without an outline."""
    section = _shape(beam, x)
    if section.outline is None:
        return None
    rings = [np.real(ring) for ring in (section.outline, *section.holes)]
    low, high = rings[0].min(axis=0), rings[0].max(axis=0)
    place, inside, nearest = np.real([y, z]).astype(float), False, np.inf
    for ring in rings:
        a, b = ring, np.roll(ring, -1, axis=0)
        along = b - a
        crossed = (a[:, 1] > place[1]) != (b[:, 1] > place[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            left = place[0] < a[:, 0] + (place[1] - a[:, 1]) / along[:, 1] * along[:, 0]
        inside ^= bool(np.sum(crossed & left) % 2)
        share = np.clip(((place - a) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300), 0, 1)
        nearest = min(nearest, float(np.linalg.norm(a + share[:, None] * along - place, axis=1).min()))
    if inside or nearest <= ON_THE_FACE * float((high - low).max()):
        return None
    return (
        f"lies beside the material of the section at x = {float(np.real(x)):g} m, which reaches from "
        f"[{low[0]:.4g}, {low[1]:.4g}] to [{high[0]:.4g}, {high[1]:.4g}]; give [y, z] along the axes of the link"
    )


def outermost(beam: BeamLink, x: Number, face: str) -> tuple[Number, Number] | None:
    """Return the fibre (y, z) at x farthest out on a face "y", "-y", "z" or "-z"; None without an outline."""
    section = _shape(beam, x)
    if section.outline is None:
        return None
    axis, sign = "yz".index(face[-1]), -1.0 if face.startswith("-") else 1.0
    along = sign * np.real(section.outline[:, axis])
    on_it = section.outline[along >= along.max() - 1e-9 * np.ptp(along)]  # the middle of a flat face
    y, z = on_it.mean(axis=0)
    return y, z
