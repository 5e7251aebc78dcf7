"""What every kind of section of a beam has: where it sits, and what it makes of a material."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar

import numpy as np

from lissom.model.schema.base_model import Description
from lissom.model.schema.number_fields import Number, is_number
from lissom.model.schema.vector_fields import Pair, Vec2

if TYPE_CHECKING:
    from lissom import beam
    from lissom.beam.sections import plane_shape
    from lissom.beam.sections.section_stress import SectionStress

    Placeable = TypeVar("Placeable", beam.GeneralSection, SectionStress)


class SectionSpec(Description):
    """Base of all kinds of section. `turn` and `offset` place it: turned about x, then shifted off the link's axis."""

    what: ClassVar[str] = "section"
    form: ClassVar[str]

    turn: Annotated[float, Number("the angle about x by which the section is turned", "rad")] = 0.0
    offset: Annotated[Vec2, Pair("where the section's own origin lies off the link's axis")] = (0.0, 0.0)
    added_mass: Annotated[
        float,
        Number("the mass per length that goes along without stiffening it: pipes, hoses, cables", "kg/m", at_least=0),
    ] = 0.0
    added_at: Annotated[Vec2, Pair("where that mass lies, from the link's axis")] = (0.0, 0.0)

    @property
    def centred(self) -> bool:
        """Whether its centroid and shear centre are on the link's axis and its principal axes along y and z."""
        return not self._moved and self.added_mass == 0

    @property
    def shears(self) -> bool:
        """Whether its shear stiffness is known."""
        return True

    @property
    def own_shear(self) -> str:
        """The field that gives its shear stiffness; empty where that follows from the shape."""
        return ""

    @property
    def needs_material(self) -> bool:
        """Whether it is incomplete without a material."""
        return True

    @abstractmethod
    def build(self, material: beam.Material | None) -> beam.Section:
        """Return stiffnesses and inertias per length; analytic in every number, so that complex values pass."""

    def own(self, material: beam.Material | None, factor: float | None = None) -> beam.GeneralSection:
        """Return the section in its own axes; `factor`: shear stiffness over G A, instead of its own."""
        from lissom import beam

        return beam.GeneralSection.of(self._sheared(material, factor))

    def general(self, material: beam.Material | None, factor: float | None = None) -> beam.GeneralSection:
        """Return the section where it sits."""
        return self.placed(self.own(material, factor))

    def lengths(self) -> list[tuple[str, float]]:
        """Return its fields that are lengths, with their values in metres."""
        fields = type(self).model_fields.items()
        own = [name for name, field in fields for mark in field.metadata if getattr(mark, "unit", "") == "metres"]
        values = ((name, getattr(self, name)) for name in own)
        return [(name, float(np.real(value))) for name, value in values if isinstance(value, float | complex)]

    def between(self, other: SectionSpec, s: float) -> Self:
        """Return the section at the fraction s of the way to another of the same form, linear in every number."""
        fields = ((name, getattr(self, name), getattr(other, name)) for name in type(self).model_fields)
        return self.model_copy(update={name: _mean(a, b, s) for name, a, b in fields if a != b})

    def way_problem(self, other: SectionSpec) -> str | None:
        """Return what keeps it from changing gradually into another of its form, besides fields of one end only."""
        return None

    def towards(
        self, other: SectionSpec, material: beam.Material | None, factor: float | None
    ) -> Callable[[float], beam.GeneralSection]:
        """Return the sections on the way to another of the same form, by the fraction of the way."""
        return lambda s: self.between(other, s).general(material, factor)

    def rings(self) -> tuple[Any, list[Any]] | None:
        """Return outline and holes, each (k, 2); None where only numbers are given."""
        return None

    def stress(self, material: beam.Material | None) -> SectionStress | None:
        """Return stresses from the forces at the link's axis; None where the shape is not known."""
        from lissom.beam.sections.section_stress import section_stress

        rings = self.rings()
        if rings is None:
            return None
        made_of = require_material(material)
        shape = solve_shape(*rings, made_of.nu)
        assert shape.functions is not None  # it was solved for
        around = [np.real(ring) - np.real(shape.centroid) for ring in (rings[0], *rings[1])]
        return self.placed(section_stress(self.own(material), made_of, shape.functions, around))

    def placed(self, made: Placeable) -> Placeable:
        """Return a section, or its stresses, turned and shifted to where it sits; a section with what goes along."""
        moved = made.placed(self.turn, self.offset) if self._moved else made
        if self.added_mass == 0:
            return moved
        from lissom import beam

        # stresses follow from its own stiffness
        return moved.carrying(self.added_mass, self.added_at) if isinstance(moved, beam.GeneralSection) else moved

    def _sheared(self, material: beam.Material | None, factor: float | None) -> beam.Section:
        """Return the section with its own shear stiffness, or with `factor` G A."""
        section = self.build(material)
        if factor is None:
            return section
        made_of = require_material(material)
        stiffness = factor * made_of.G * section.rhoA / made_of.rho
        return replace(section, kGAy=stiffness, kGAz=stiffness)

    @property
    def _moved(self) -> bool:
        return self.turn != 0 or any(shift != 0 for shift in self.offset)

    @abstractmethod
    def thickness_estimate(self) -> float:
        """Return larger outer size in metres, for judging how slender a beam is."""


def numeric(value: Any) -> bool:
    """Return whether it is a number, a complex one too."""
    return is_number(value) or isinstance(value, complex)


def _mean(a: Any, b: Any, s: float) -> Any:
    if isinstance(a, tuple):
        return tuple(_mean(x, y, s) for x, y in zip(a, b, strict=True))
    return a + s * (b - a) if numeric(a) else a


def solve_shape(outline: Any, holes: Any, nu: Any) -> plane_shape.PlaneShape:
    """Return geometry of a plane shape, kept for the next time."""
    return _solve_shape(tuple(map(tuple, outline)), tuple(tuple(map(tuple, hole)) for hole in holes), nu)


@lru_cache(maxsize=512)
def _solve_shape(outline: Any, holes: Any, nu: Any) -> plane_shape.PlaneShape:
    from lissom.beam.sections import plane_shape

    return plane_shape.solve(np.array(outline), [np.array(hole) for hole in holes], nu)


def require_material(material: beam.Material | None) -> beam.Material:
    """Return the material, which a section by its shape must have."""
    assert material is not None  # the beam has checked it
    return material
