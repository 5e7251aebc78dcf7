"""Sections whose torsion and shear follow from their shape: letters, rounded tubes, ellipses, polygons with holes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from lissom.errors import RobotError
from lissom.model.flexible.section_base import SectionSpec, require_material, solve_shape
from lissom.model.schema.base_model import FORM, refusals
from lissom.model.schema.number_fields import Checked, Number, kind_of, refusal
from lissom.model.schema.written_forms import Schema, SchemaOf, several

if TYPE_CHECKING:
    from lissom import beam
    from lissom.beam.sections.plane_shape import PlaneShape

Corners = tuple[tuple[float, float], ...]


class ShapedSection(SectionSpec):
    """Base of the sections that are a plane shape of one material, its centroid on the axis unless it is offset."""

    symmetric: ClassVar[bool] = True  # about y and z

    @abstractmethod
    def rings(self) -> tuple[Any, list[Any]]:
        """Return outline and holes, each (k, 2)."""

    @property
    def centred(self) -> bool:
        """Whether centroid and shear centre are on the axis, and no coupling is left."""
        return self.symmetric and super().centred

    def build(self, material: beam.Material | None) -> beam.Section:
        """Return principal numbers of a section that is symmetric about y and z."""
        from lissom import beam

        section = self.general(material)
        C, W = section.compliance, section.moments
        return beam.Section(
            rhoA=W[0, 0], EA=1 / C[0, 0], EIy=1 / C[4, 4], EIz=1 / C[5, 5], GJ=1 / C[3, 3],
            Jx=W[2, 2] + W[3, 3], Jy=W[3, 3], Jz=W[2, 2], kGAy=1 / C[1, 1], kGAz=1 / C[2, 2],
            outline=section.outline, holes=section.holes,
        )  # fmt: skip

    def own(self, material: beam.Material | None, factor: float | None = None) -> beam.GeneralSection:
        """Return the section with all couplings, in the axes of the beam."""
        made_of = require_material(material)
        return self.made(solve_shape(*self.rings(), made_of.nu), made_of, factor)

    def towards(
        self, other: SectionSpec, material: beam.Material | None, factor: float | None
    ) -> Callable[[float], beam.GeneralSection]:
        """Return the sections on the way to another; torsion and shear are computed at a few places only."""
        from lissom.beam.sections.tapered_shape import Tapering

        made_of = require_material(material)
        shapes = Tapering(lambda s: solve_shape(*self.between(other, s).rings(), made_of.nu))

        def at(s: float) -> beam.GeneralSection:
            here = self.between(other, s)
            return here.placed(here.made(shapes.at(s, *here.rings()), made_of, factor))

        return at

    def made(self, shape: PlaneShape, material: beam.Material, factor: float | None) -> beam.GeneralSection:
        """Return the section of a solved shape, in its own axes."""
        if self.symmetric:  # the mesh is not: away with what it leaves between the axes
            straight = np.eye(2)
            shape = shape._replace(
                second=straight * shape.second, shear=straight * shape.shear, shear_centre=0 * shape.shear_centre
            )
        if factor is not None:
            shape = shape._replace(shear=np.eye(2) / (factor * shape.area))
        return shape.section(material, *self.rings())

    def thickness_estimate(self) -> float:
        """Larger outer size in metres."""
        outline = np.real(self.rings()[0])
        return float((outline.max(axis=0) - outline.min(axis=0)).max())


Width = Annotated[float, Number("the width along y", "metres", above=0, at_most=1e3)]
Height = Annotated[float, Number("the height along z", "metres", above=0, at_most=1e3)]
Wall = Annotated[float, Number("the thickness of the wall", "metres", above=0)]
Flange = Annotated[float, Number("the thickness of the flanges", "metres", above=0)]
Web = Annotated[float, Number("the thickness of the web", "metres", above=0)]


def _below(field: str, value: float, limit: float, words: str) -> None:
    if value >= limit:
        raise refusals((field, value, f"must be less than {words} ({limit:g} m); give it in metres"))


class Flanged(ShapedSection):
    """Two flanges and a web between them, by their outer sizes and their thicknesses."""

    drawn_by: ClassVar[str]  # function of beam.outlines
    lying: ClassVar[bool] = False  # whether the web runs along y
    width: Width
    height: Height
    flange: Flange
    web: Web

    @model_validator(mode="after")
    def _walls_fit(self) -> Self:
        along, across = ("width", "height") if self.lying else ("height", "width")
        _below("flange", self.flange, getattr(self, along) / 2, f"half the {along}")
        _below("web", self.web, getattr(self, across), f"the {across}")
        return self

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        return getattr(outlines, self.drawn_by)(self.width, self.height, self.flange, self.web), []


class LetterI(Flanged):
    """Two flanges along y and a web along z between them."""

    form: ClassVar[str] = FORM + "I"
    drawn_by: ClassVar[str] = "letter_i"
    shape: Literal["I"] = "I"


class LetterH(Flanged):
    """Two flanges along z and a web along y between them."""

    form: ClassVar[str] = FORM + "H"
    drawn_by: ClassVar[str] = "letter_h"
    lying: ClassVar[bool] = True
    shape: Literal["H"] = "H"


class LetterC(Flanged):
    """A channel: a web along z, two flanges along y."""

    form: ClassVar[str] = FORM + "C"
    drawn_by: ClassVar[str] = "letter_c"
    symmetric: ClassVar[bool] = False
    shape: Literal["C"] = "C"


class LetterL(ShapedSection):
    """An angle: a leg of `height` along z, one of `width` along y."""

    form: ClassVar[str] = FORM + "L"
    symmetric: ClassVar[bool] = False
    shape: Literal["L"] = "L"
    width: Width
    height: Height
    thickness: Wall

    @model_validator(mode="after")
    def _walls_fit(self) -> LetterL:
        _below("thickness", self.thickness, min(self.width, self.height), "the shorter leg")
        return self

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        return outlines.letter_l(self.width, self.height, self.thickness), []


class RoundedBox(ShapedSection):
    """A rectangular tube with rounded corners: outer sizes, wall, outer `radius` of the corners."""

    form: ClassVar[str] = FORM + "rounded-box"
    shape: Literal["rounded-box"] = "rounded-box"
    width: Width
    height: Height
    thickness: Wall
    radius: Annotated[float, Number("the outer radius of the corners", "metres", above=0)]

    @model_validator(mode="after")
    def _walls_fit(self) -> RoundedBox:
        half = min(self.width, self.height) / 2
        _below("thickness", self.thickness, half, "half the smaller side")
        if self.radius > half:
            raise refusals(("radius", self.radius, f"must be at most half the smaller side ({half:g} m)"))
        return self

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        b, h, t = self.width, self.height, self.thickness
        hole = outlines.rounded_rectangle(b - 2 * t, h - 2 * t, self.radius - t)
        return outlines.rounded_rectangle(b, h, self.radius), [hole]

    def way_problem(self, other: SectionSpec) -> str | None:
        """Return what keeps it from changing gradually into another; None if nothing does."""
        assert isinstance(other, RoundedBox)
        if (self.radius > self.thickness) == (other.radius > other.thickness):
            return None
        return "has inner corners that are round at one end and sharp at the other; make them alike (radius, thickness)"


class Ellipse(ShapedSection):
    """An ellipse, solid or, with a `thickness`, a tube between two of them."""

    form: ClassVar[str] = FORM + "ellipse"
    shape: Literal["ellipse"] = "ellipse"
    width: Width
    height: Height
    thickness: Annotated[float | None, Number("the thickness of the wall", "metres", above=0)] = None

    @model_validator(mode="after")
    def _walls_fit(self) -> Ellipse:
        if self.thickness is not None:
            _below("thickness", self.thickness, min(self.width, self.height) / 2, "half the smaller size")
        return self

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        outline = outlines.ellipse(self.width, self.height)
        if self.thickness is None:
            return outline, []
        return outline, [outlines.ellipse(self.width - 2 * self.thickness, self.height - 2 * self.thickness)]


class CornerList(Checked):
    """A list of corners [y, z] of a polygon that does not cross itself."""

    remedy = "give the corners as [[y, z], [y, z], ...] in metres, at least three, in order around the shape"

    def check(self, value: Any) -> Corners:
        """Return the value as it is kept, or refuse it."""
        if not isinstance(value, list | tuple | np.ndarray) or len(value) < 3:
            size = f" of {len(value)}" if isinstance(value, list | tuple) else ""
            raise refusal(f"must be a list of at least three corners, not {kind_of(value)}{size}; {self.remedy}")
        number = Number("a coordinate of a corner", "metres").check_one
        corners: list[tuple[float, float]] = []
        for k, corner in enumerate(value):
            if not isinstance(corner, list | tuple | np.ndarray) or len(corner) != 2:
                raise refusal(f"corner {k + 1} must be two numbers [y, z]; {self.remedy}")
            corners.append((number(corner[0]), number(corner[1])))
        self._simple(corners)
        return tuple(corners)

    def _simple(self, corners: list[tuple[float, float]]) -> None:
        from lissom.beam.sections import polygon

        places = np.array(corners)
        for k, (a, b) in enumerate(zip(corners, [*corners[1:], corners[0]])):
            if a == b:
                raise refusal(f"corners {k + 1} and {(k + 1) % len(corners) + 1} are the same; remove one of them")
        extent = float(np.prod(places.max(axis=0) - places.min(axis=0)))
        if abs(polygon.area(places)) <= 1e-9 * max(extent, 1e-300):
            raise refusal(f"encloses no area; {self.remedy}")
        crossed = polygon.crosses_itself(places)
        if crossed is not None:
            i, j = crossed
            raise refusal(f"its sides {i + 1} and {j + 1} cross or touch each other; {self.remedy}")

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return several(several(Number("a coordinate", "metres").schema(of), 2, 2), 3)


class Polygon(ShapedSection):
    """Any polygon with holes, its centroid on the axis."""

    form: ClassVar[str] = FORM + "polygon"
    symmetric: ClassVar[bool] = False
    shape: Literal["polygon"] = "polygon"
    outline: Annotated[Corners, CornerList()]
    holes: tuple[Annotated[Corners, CornerList()], ...] = ()

    @model_validator(mode="after")
    def _holes_inside(self) -> Polygon:
        from lissom.beam.sections import polygon

        outline, *rings = (np.array(ring) for ring in (self.outline, *self.holes))
        for k, (hole, ring) in enumerate(zip(self.holes, rings)):
            if polygon.meet(ring, outline) or not polygon.inside(ring, outline).all():
                raise refusals((("holes", k), hole, "must lie inside the outline, without touching it"))
            for j, other in enumerate(rings[:k]):
                nested = polygon.inside(ring, other).any() or polygon.inside(other, ring).any()
                if nested or polygon.meet(ring, other):
                    raise refusals((("holes", k), hole, f"overlaps or touches hole {j + 1}; join them to one"))
        return self

    def way_problem(self, other: SectionSpec) -> str | None:
        """Return what keeps it from changing gradually into another; None if nothing does."""
        try:
            for s in (0.25, 0.5, 0.75):
                type(self)(**dict(self.between(other, s)))
        except RobotError:
            return "crosses itself on the way; list the corners in the same order, from the same corner, at both"
        return None

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        return np.array(self.outline), [np.array(hole) for hole in self.holes]
