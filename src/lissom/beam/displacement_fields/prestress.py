"""What strains or loads the sections of a link before anything acts on it from outside: heat, and tendons inside it.

    energy 1/2 e^T S e + F0 . e  per length,    F0 = sum T (1, 0, 0, 0, z, -y) - S e0

e0: the strain that a piece of the link takes when nothing holds it (thermal expansion, a bow from uneven heating; twist
about the shear centre of each section, which leaves shear forces out of it whatever the section's stiffness in shear);
T: tension of a tendon that runs through every section at (y, z) and is anchored at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.beam.number_types import Array, Number
from lissom.beam.sections.general_section import SHEAR_Y, SHEAR_Z, TWIST

NO_STRAIN = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Tendon:
    """A cable of constant tension (N) that runs through every section at (y, z)."""

    tension: Number
    y: Number = 0.0
    z: Number = 0.0


@dataclass(frozen=True)
class Prestress:
    """Strain that a link takes by itself, order of strains as in `general_section`, and tendons."""

    strain: tuple[Any, ...] = NO_STRAIN
    tendons: tuple[Tendon, ...] = ()

    def __bool__(self) -> bool:
        return any(part != 0 for part in self.strain) or any(t.tension != 0 for t in self.tendons)

    @property
    def pull(self) -> Array:
        """Forces (6,) of the tendons in a section: the rest of it carries what is left of the whole."""
        return sum((t.tension * np.array([1.0, 0.0, 0.0, 0.0, t.z, -t.y]) for t in self.tendons), np.zeros(6))

    def forces(self, stiffness: Array, shear_centre: Array) -> Array:
        """Return F0 (k, 6) of sections with the given stiffness (k, 6, 6) and shear centre (k, 2)."""
        strain = np.zeros((len(stiffness), 6), np.result_type(float, *self.strain, shear_centre))
        strain[:] = self.strain
        # Twist about a point off the axis slides the axis sideways: without it the section would have to shear.
        strain[:, SHEAR_Y] += strain[:, TWIST] * shear_centre[:, 1]
        strain[:, SHEAR_Z] -= strain[:, TWIST] * shear_centre[:, 0]
        return self.pull - np.einsum("kab,kb->ka", stiffness, strain)


NOTHING = Prestress()
