"""What every kind of section of a beam has: where it sits, and what it makes of a material."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from lissom.model.part import Part
from lissom.model.values import Number, Pair, Vec2

if TYPE_CHECKING:
    from lissom import beam
    from lissom.beam import plane_shape
    from lissom.beam.section_stress import SectionStress


class SectionSpec(Part):
    """Base of all kinds of section. `turn` and `offset` place it: turned about x, then shifted off the link's axis."""

    what: ClassVar[str] = "section"
    form: ClassVar[str]
    dear: ClassVar[bool] = False  # whether it takes a while to compute

    turn: Annotated[float, Number("the angle about x by which the section is turned", "rad")] = 0.0
    offset: Annotated[Vec2, Pair("where the section's own origin lies off the link's axis")] = (0.0, 0.0)

    @property
    def centred(self) -> bool:
        """Whether its centroid and shear centre are on the link's axis and its principal axes along y and z."""
        return not self._moved

    @property
    def shears(self) -> bool:
        """Whether its shear stiffness is known."""
        return True

    @property
    def needs_material(self) -> bool:
        """Whether it is incomplete without a material."""
        return True

    @abstractmethod
    def build(self, material: beam.Material | None) -> beam.Section:
        """Stiffnesses and inertias per length; analytic in every number, so that complex values pass."""

    def own(self, material: beam.Material | None, factor: float | None = None) -> beam.GeneralSection:
        """The section in its own axes; `factor`: shear stiffness over G A, instead of its own."""
        from lissom import beam

        return beam.GeneralSection.of(self._sheared(material, factor))

    def general(self, material: beam.Material | None, factor: float | None = None) -> beam.GeneralSection:
        """The section where it sits."""
        section = self.own(material, factor)
        return section.placed(self.turn, self.offset) if self._moved else section

    def rings(self) -> tuple[Any, list[Any]] | None:
        """Outline and holes, each (k, 2); None where only numbers are given."""
        return None

    def stress(self, material: beam.Material | None) -> SectionStress | None:
        """Stresses from the forces at the link's axis; None where the shape is not known."""
        from lissom.beam.section_stress import section_stress

        rings = self.rings()
        if rings is None:
            return None
        made_of = given(material)
        shape = solved(*rings, made_of.nu)
        around = [np.real(ring) - np.real(shape.centroid) for ring in (rings[0], *rings[1])]
        made = section_stress(self.own(material), made_of, shape.functions, around)
        return made.placed(self.turn, self.offset) if self._moved else made

    def _sheared(self, material: beam.Material | None, factor: float | None) -> beam.Section:
        """The section with its own shear stiffness, or with `factor` G A."""
        section = self.build(material)
        if factor is None:
            return section
        made_of = given(material)
        stiffness = factor * made_of.G * section.rhoA / made_of.rho
        return replace(section, kGAy=stiffness, kGAz=stiffness)

    @property
    def _moved(self) -> bool:
        return bool(self.turn != 0 or np.any(np.array(self.offset) != 0))

    @abstractmethod
    def thickness_estimate(self) -> float:
        """Larger outer size in metres, for judging how slender a beam is."""


def solved(outline: Any, holes: Any, nu: Any) -> plane_shape.PlaneShape:
    """Geometry of a plane shape, kept for the next time."""
    return _solved(tuple(map(tuple, outline)), tuple(tuple(map(tuple, hole)) for hole in holes), nu)


@lru_cache(maxsize=512)
def _solved(outline: Any, holes: Any, nu: Any) -> plane_shape.PlaneShape:
    from lissom.beam import plane_shape

    return plane_shape.solve(np.array(outline), [np.array(hole) for hole in holes], nu)


def given(material: beam.Material | None) -> beam.Material:
    assert material is not None  # the beam has checked it
    return material
