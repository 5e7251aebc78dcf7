"""Strain of a fibre of a beam, to the order of its displacement field."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lissom.beam.field import Sections
from lissom.beam.general import BEND_Y, BEND_Z, SHEAR_Y, SHEAR_Z, STRETCH
from lissom.beam.link import BeamLink
from lissom.beam.number import Array, Number
from lissom.lie import so3


class SectionStrain:
    """Strains (6,) of the section of a beam at x as functions of its coordinates (m,), order as in `general`."""

    def __init__(self, beam: BeamLink, x: Number) -> None:
        self.beam, self.x = beam, x

    @cached_property
    def _section(self) -> Sections:
        return Sections(*(part[0] for part in self.beam.field.sections(self.beam.field.fraction(self.x))))

    def __call__(self, eta: Array) -> Array:
        """What the strain energy of the beam's field sees: linear, of second order, or exact."""
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
        """Strain along the axis of the fibre at (y, z) of the section."""
        strain = self(eta)
        return strain[STRETCH] + z * strain[BEND_Y] - y * strain[BEND_Z]


def outermost(beam: BeamLink, x: Number, face: str) -> tuple[Number, Number] | None:
    """The fibre (y, z) of the section at x farthest out on a face "y", "-y", "z" or "-z"; None without an outline."""
    section = beam.section if beam.plain else beam.profile.section(float(np.real(beam.field.fraction(x)[0])))
    if section.outline is None:
        return None
    axis, sign = "yz".index(face[-1]), -1.0 if face.startswith("-") else 1.0
    along = section.outline[:, axis]
    far = along[np.argmax(sign * np.real(along))]
    return (far, 0.0) if axis == 0 else (0.0, far)
