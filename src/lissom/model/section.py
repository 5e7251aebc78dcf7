"""Cross-sections of a beam: a shape with sizes, or the stiffnesses themselves.

In a file: `section: {shape: tube, outer: 0.06, thickness: 0.0025}`, or without a shape
`section: {area: 2.09e-4, EIy: 2120, EIz: 3670, GJ: 1533, EA: 4.38e7}`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Tag, model_validator

from lissom.model.part import FORM, Part, refusals
from lissom.model.values import Number

if TYPE_CHECKING:
    from lissom import beam


class SectionSpec(Part):
    """Base of the five kinds of section."""

    what: ClassVar[str] = "section"
    form: ClassVar[str]

    @abstractmethod
    def build(self, material: beam.Material | None) -> beam.Section:
        """Stiffnesses and inertias per length; analytic in every number, so that complex values pass."""

    @abstractmethod
    def thickness_estimate(self) -> float:
        """Larger outer size in metres, for judging how slender a beam is."""


class Rectangle(SectionSpec):
    """A solid rectangle: `width` along y, `height` along z."""

    form: ClassVar[str] = FORM + "rectangle"
    shape: Literal["rectangle"] = "rectangle"
    width: Annotated[float, Number("the width along y", "metres", above=0, at_most=1e3)]
    height: Annotated[float, Number("the height along z", "metres", above=0, at_most=1e3)]

    def build(self, material: beam.Material | None) -> beam.Section:
        from lissom import beam

        return beam.Section.rectangle(_given(material), width=self.width, height=self.height)

    def thickness_estimate(self) -> float:
        return max(self.width, self.height)


class Box(SectionSpec):
    """A hollow rectangle of constant wall: outer `width` along y, outer `height` along z."""

    form: ClassVar[str] = FORM + "box"
    shape: Literal["box"] = "box"
    width: Annotated[float, Number("the outer width along y", "metres", above=0, at_most=1e3)]
    height: Annotated[float, Number("the outer height along z", "metres", above=0, at_most=1e3)]
    thickness: Annotated[float, Number("the thickness of the wall", "metres", above=0)]

    @model_validator(mode="after")
    def _wall_fits(self) -> Box:
        smaller = min(self.width, self.height)
        if 2 * self.thickness >= smaller:
            text = f"must be less than half the smaller side ({smaller:g} m), else use shape rectangle"
            raise refusals(("thickness", self.thickness, text))
        return self

    def build(self, material: beam.Material | None) -> beam.Section:
        from lissom import beam

        return beam.Section.box(_given(material), width=self.width, height=self.height, thickness=self.thickness)

    def thickness_estimate(self) -> float:
        return max(self.width, self.height)


class Circle(SectionSpec):
    """A solid round bar."""

    form: ClassVar[str] = FORM + "circle"
    shape: Literal["circle"] = "circle"
    diameter: Annotated[float, Number("the diameter", "metres", above=0, at_most=1e3)]

    def build(self, material: beam.Material | None) -> beam.Section:
        from lissom import beam

        return beam.Section.circle(_given(material), diameter=self.diameter)

    def thickness_estimate(self) -> float:
        return self.diameter


class Tube(SectionSpec):
    """A round tube: `outer` diameter, and either the `inner` diameter or the `thickness` of the wall."""

    form: ClassVar[str] = FORM + "tube"
    shape: Literal["tube"] = "tube"
    outer: Annotated[float, Number("the outer diameter", "metres", above=0, at_most=1e3)]
    inner: Annotated[float | None, Number("the inner diameter", "metres", above=0)] = None
    thickness: Annotated[float | None, Number("the thickness of the wall", "metres", above=0)] = None

    @model_validator(mode="after")
    def _wall_fits(self) -> Tube:
        if (self.inner is None) == (self.thickness is None):
            text = "give either the inner diameter or the thickness of the wall in metres"
            if self.inner is None:
                raise refusals(("thickness", None, f"missing; {text}"))
            raise refusals(("thickness", self.thickness, f"conflicts with inner = {self.inner:g}; {text}, not both"))
        if self.inner is not None and self.inner >= self.outer:
            text = f"must be less than the outer diameter ({self.outer:g} m); both are diameters in metres"
            raise refusals(("inner", self.inner, text))
        if self.thickness is not None and 2 * self.thickness >= self.outer:
            text = f"must be less than half the outer diameter ({self.outer:g} m), else use shape circle"
            raise refusals(("thickness", self.thickness, text))
        return self

    def build(self, material: beam.Material | None) -> beam.Section:
        from lissom import beam

        return beam.Section.tube(_given(material), outer=self.outer, inner=self.inner, thickness=self.thickness)

    def thickness_estimate(self) -> float:
        return self.outer


class Stiffness(SectionSpec):
    """A section by its numbers: `rhoA` and `EA`, or `area` and a material (then EA = E area unless given).

    Inertias per length that are left out follow from the second moments of area, rho EI / E.
    `EIz` resists bending in the x-y plane (about z), `EIy` bending in the x-z plane (about y).
    """

    form: ClassVar[str] = FORM + "stiffness"
    area: Annotated[float | None, Number("the area", "m2", above=0)] = None
    rhoA: Annotated[float | None, Number("the mass per length", "kg/m", above=0)] = None
    EA: Annotated[float | None, Number("the axial stiffness EA", "N", above=0)] = None
    EIy: Annotated[float, Number("the stiffness EIy of bending in the x-z plane", "N m2", above=0)]
    EIz: Annotated[float, Number("the stiffness EIz of bending in the x-y plane", "N m2", above=0)]
    GJ: Annotated[float, Number("the torsional stiffness GJ", "N m2", above=0)]
    Jx: Annotated[float | None, Number("the inertia per length about x", "kg m", above=0)] = None
    Jy: Annotated[float | None, Number("the inertia per length about y", "kg m", at_least=0)] = None
    Jz: Annotated[float | None, Number("the inertia per length about z", "kg m", at_least=0)] = None

    @model_validator(mode="after")
    def _one_mass(self) -> Stiffness:
        if (self.area is None) == (self.rhoA is None):
            text = "give either the area in m2 (with the beam's material) or the mass per length rhoA in kg/m"
            if self.area is None:
                raise refusals(("area", None, f"missing; {text}"))
            raise refusals(("area", self.area, f"conflicts with rhoA = {self.rhoA:g}; {text}, not both"))
        if self.rhoA is not None and self.EA is None:
            raise refusals(("EA", None, "missing; rhoA needs the axial stiffness EA in N with it"))
        return self

    def build(self, material: beam.Material | None) -> beam.Section:
        from lissom import beam

        return beam.Section.from_stiffness(
            material,
            area=self.area, rhoA=self.rhoA, EA=self.EA, EIy=self.EIy, EIz=self.EIz, GJ=self.GJ,
            Jx=self.Jx, Jy=self.Jy, Jz=self.Jz,
        )  # fmt: skip

    def thickness_estimate(self) -> float:
        """Height of the rectangle with the same ratio EI / EA; zero when EA is not given."""
        if self.EA is None:
            return 0.0
        return (12 * max(self.EIy, self.EIz) / self.EA) ** 0.5


def _given(material: beam.Material | None) -> beam.Material:
    assert material is not None  # the beam has checked it
    return material


def _kind(data: Any) -> str | None:
    if isinstance(data, SectionSpec):
        return data.form
    if isinstance(data, dict):
        return f"{FORM}{data.get('shape', 'stiffness')}"
    return None


AnySection = Annotated[
    Annotated[Rectangle, Tag(FORM + "rectangle")]
    | Annotated[Box, Tag(FORM + "box")]
    | Annotated[Circle, Tag(FORM + "circle")]
    | Annotated[Tube, Tag(FORM + "tube")]
    | Annotated[Stiffness, Tag(FORM + "stiffness")],
    Discriminator(_kind),
]
