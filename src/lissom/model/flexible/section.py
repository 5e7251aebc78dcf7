"""Cross-sections of a beam: a shape with sizes, or the stiffnesses themselves.

In a file: `section: {shape: tube, outer: 0.06, thickness: 0.0025}`, or without a shape
`section: {area: 2.09e-4, EIy: 2120, EIz: 3670, GJ: 1533, EA: 4.38e7}`, or `section: {stiffness: 6 x 6, mass: 6 x 6}`.
"""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Discriminator, Tag, ValidationInfo, model_validator

from lissom.model.flexible import section_files
from lissom.model.flexible.section_base import SectionSpec, require_material
from lissom.model.flexible.shaped_section import Ellipse, LetterC, LetterH, LetterI, LetterL, Polygon, RoundedBox
from lissom.model.schema.base_model import FORM, refusals
from lissom.model.schema.number_fields import Number, refusal
from lissom.model.schema.vector_fields import Matrix6, Pair, Vec2
from lissom.model.schema.written_forms import FILE, Schema

if TYPE_CHECKING:
    from lissom import beam

Matrix = tuple[tuple[float, ...], ...]
ONE_MASS = 1e-3  # of the diagonal, by which a 6 x 6 mass may differ from that of one mass with a centre


class Rectangle(SectionSpec):
    """A solid rectangle: `width` along y, `height` along z."""

    form: ClassVar[str] = FORM + "rectangle"
    shape: Literal["rectangle"] = "rectangle"
    width: Annotated[float, Number("the width along y", "metres", above=0, at_most=1e3)]
    height: Annotated[float, Number("the height along z", "metres", above=0, at_most=1e3)]

    def build(self, material: "beam.Material | None") -> "beam.Section":
        """Return the counterpart in `lissom.beam`."""
        from lissom import beam

        return beam.Section.rectangle(require_material(material), width=self.width, height=self.height)

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        return outlines.rectangle(self.width, self.height), []

    def thickness_estimate(self) -> float:
        """Larger outer size in metres."""
        return max(self.width, self.height)


class Box(SectionSpec):
    """A hollow rectangle of constant wall: outer `width` along y, outer `height` along z."""

    form: ClassVar[str] = FORM + "box"
    shape: Literal["box"] = "box"
    width: Annotated[float, Number("the outer width along y", "metres", above=0, at_most=1e3)]
    height: Annotated[float, Number("the outer height along z", "metres", above=0, at_most=1e3)]
    thickness: Annotated[float, Number("the thickness of the wall", "metres", above=0)]

    @model_validator(mode="after")
    def _wall_fits(self) -> Self:
        smaller = min(self.width, self.height)
        if 2 * self.thickness >= smaller:
            text = f"must be less than half the smaller side ({smaller:g} m), else use shape rectangle"
            raise refusals(("thickness", self.thickness, text))
        return self

    def build(self, material: "beam.Material | None") -> "beam.Section":
        """Return the counterpart in `lissom.beam`."""
        from lissom import beam

        return beam.Section.box(
            require_material(material), width=self.width, height=self.height, thickness=self.thickness
        )

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        b, h, t = self.width, self.height, self.thickness
        return outlines.rectangle(b, h), [outlines.rectangle(b - 2 * t, h - 2 * t)]

    def thickness_estimate(self) -> float:
        """Larger outer size in metres."""
        return max(self.width, self.height)


class Circle(SectionSpec):
    """A solid round bar."""

    form: ClassVar[str] = FORM + "circle"
    shape: Literal["circle"] = "circle"
    diameter: Annotated[float, Number("the diameter", "metres", above=0, at_most=1e3)]

    def build(self, material: "beam.Material | None") -> "beam.Section":
        """Return the counterpart in `lissom.beam`."""
        from lissom import beam

        return beam.Section.circle(require_material(material), diameter=self.diameter)

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        return outlines.circle(self.diameter / 2, self.diameter / 2), []

    def thickness_estimate(self) -> float:
        """Larger outer size in metres."""
        return self.diameter


class Tube(SectionSpec):
    """A round tube: `outer` diameter, and either the `inner` diameter or the `thickness` of the wall."""

    form: ClassVar[str] = FORM + "tube"
    shape: Literal["tube"] = "tube"
    outer: Annotated[float, Number("the outer diameter", "metres", above=0, at_most=1e3)]
    inner: Annotated[float | None, Number("the inner diameter", "metres", above=0)] = None
    thickness: Annotated[float | None, Number("the thickness of the wall", "metres", above=0)] = None

    @model_validator(mode="after")
    def _wall_fits(self) -> Self:
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

    def build(self, material: "beam.Material | None") -> "beam.Section":
        """Return the counterpart in `lissom.beam`."""
        from lissom import beam

        return beam.Section.tube(
            require_material(material), outer=self.outer, inner=self.inner, thickness=self.thickness
        )

    def rings(self) -> tuple[Any, list[Any]]:
        """Return the outline and the holes, each (k, 2)."""
        from lissom.beam.sections import outlines

        outer = self.outer / 2
        wall = outer - self.inner / 2 if self.inner is not None else self.thickness
        assert wall is not None  # one of them is given
        return outlines.circle(outer, wall), [outlines.circle(outer - wall, wall)]

    def thickness_estimate(self) -> float:
        """Larger outer size in metres."""
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
    kGAy: Annotated[float | None, Number("the shear stiffness kGAy along y", "N", above=0)] = None
    kGAz: Annotated[float | None, Number("the shear stiffness kGAz along z", "N", above=0)] = None
    centroid: Annotated[Vec2, Pair("the centroid, where EA and EI act and the mass is")] = (0.0, 0.0)
    shear_centre: Annotated[Vec2 | None, Pair("the shear centre, about which it twists")] = None

    @model_validator(mode="after")
    def _one_mass(self) -> Self:
        if (self.area is None) == (self.rhoA is None):
            text = "give either the area in m2 (with the beam's material) or the mass per length rhoA in kg/m"
            if self.area is None:
                raise refusals(("area", None, f"missing; {text}"))
            raise refusals(("area", self.area, f"conflicts with rhoA = {self.rhoA:g}; {text}, not both"))
        if self.rhoA is not None and self.EA is None:
            raise refusals(("EA", None, "missing; rhoA needs the axial stiffness EA in N with it"))
        if (self.kGAy is None) != (self.kGAz is None):
            one, other = ("kGAz", "kGAy") if self.kGAz is None else ("kGAy", "kGAz")
            raise refusals((one, None, f"missing; {other} needs it: give both shear stiffnesses in N, or neither"))
        return self

    @property
    def centred(self) -> bool:
        """Whether centroid and shear centre are on the axis, and no coupling is left."""
        return super().centred and not any(place != 0 for place in (*self.centroid, *(self.shear_centre or ())))

    @property
    def shears(self) -> bool:
        """Whether it says how stiff it is in shear."""
        return self.kGAy is not None

    @property
    def own_shear(self) -> str:
        """What it says itself of its shear, in words; "" where nothing."""
        return "kGAy" if self.shears else ""

    @property
    def needs_material(self) -> bool:
        """Whether it takes the numbers of a material."""
        return self.area is not None

    def build(self, material: "beam.Material | None") -> "beam.Section":
        """Return the counterpart in `lissom.beam`."""
        from lissom import beam

        return beam.Section.from_stiffness(
            material,
            area=self.area, rhoA=self.rhoA, EA=self.EA, EIy=self.EIy, EIz=self.EIz, GJ=self.GJ,
            Jx=self.Jx, Jy=self.Jy, Jz=self.Jz, kGAy=self.kGAy, kGAz=self.kGAz,
        )  # fmt: skip

    def own(self, material: "beam.Material | None", factor: float | None = None) -> "beam.GeneralSection":
        """Return the section with all couplings, in the axes of the beam."""
        from lissom import beam

        return beam.GeneralSection.of(self._sheared(material, factor), self.centroid, self.shear_centre)

    def thickness_estimate(self) -> float:
        """Return height of the rectangle with the same ratio EI / EA; zero when EA is not given."""
        if self.EA is None:
            return 0.0
        return (12 * max(self.EIy, self.EIz) / self.EA) ** 0.5


class Matrices(SectionSpec):
    """A section by its 6 x 6 matrices at the link's axis, as programs that analyse sections give them.

    Order of both: along x, y, z (extension, shear, shear), then about x, y, z (torsion, bending, bending).
    In a file also `{file: blade.K, format: vabs}`, or becas or anba.
    """

    form: ClassVar[str] = FORM + "matrices"
    also: ClassVar[tuple[Schema, ...]] = (FILE,)
    stiffness: Annotated[
        Matrix, Matrix6("the stiffness", "(extension, shear y, shear z, torsion, bending y, bending z)")
    ]
    mass: Annotated[Matrix, Matrix6("the mass per length", "(velocity x, y, z, angular velocity x, y, z)")]

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, data: Any, info: ValidationInfo) -> Any:
        """Read the matrices of the file where `{file: blade.K, format: vabs}` stands for them."""
        if not isinstance(data, dict) or "file" not in data:
            return data
        placed = {key: data[key] for key in ("turn", "offset") if key in data}
        named = {key: value for key, value in data.items() if key not in placed}
        found = section_files.read(named, (info.context or {}).get("folder"))
        if len(found) != 1:
            raise refusal(
                f"{data['file']} holds {len(found)} sections; give it as stations: {{file: ..., format: ...}}"
            )
        return placed | {"stiffness": found[0].stiffness.tolist(), "mass": found[0].mass.tolist()}

    @model_validator(mode="after")
    def _of_one_mass(self) -> Self:
        M = np.array(self.mass)
        scale = np.sqrt(np.diag(M))
        m, y, z = M[0, 0], (M[2, 3] - M[0, 5]) / 2, (M[0, 4] - M[1, 3]) / 2
        one = M.copy()
        one[:3, :3] = m * np.eye(3)
        one[:3, 3:] = [[0, z, -y], [-z, 0, 0], [y, 0, 0]]
        off = np.abs(M - one) / np.outer(scale, scale)
        if off.max() > ONE_MASS:
            i, j = np.unravel_index(int(np.argmax(off)), (6, 6))
            text = (
                f"is not that of a section: entry ({i + 1}, {j + 1}) should be {one[i, j]:.6g}; with m per length and "
                "its centre at (y, z), m is three times on the diagonal, -m y at (1, 6), m z at (1, 5), -m z at (2, 4) "
                "and m y at (3, 4)"
            )
            raise refusals(("mass", self.mass, text))
        return self

    @property
    def centred(self) -> bool:
        """Whether centroid and shear centre are on the axis, and no coupling is left."""
        return False

    @property
    def own_shear(self) -> str:
        """What it says itself of its shear, in words; "" where nothing."""
        return "stiffness"

    @property
    def needs_material(self) -> bool:
        """Whether it takes the numbers of a material."""
        return False

    def build(self, material: "beam.Material | None") -> "beam.Section":
        """Return the counterpart in `lissom.beam`."""
        raise TypeError("a section given by matrices has no principal stiffnesses")

    def own(self, material: "beam.Material | None", factor: float | None = None) -> "beam.GeneralSection":
        """Return the section with all couplings, in the axes of the beam."""
        from lissom import beam

        return beam.GeneralSection.from_matrices(np.array(self.stiffness), np.array(self.mass))

    def thickness_estimate(self) -> float:
        """Return height of the rectangle with the same ratio EI / EA."""
        K = np.real(np.array(self.stiffness))
        return float((12 * max(K[4, 4], K[5, 5]) / K[0, 0]) ** 0.5)


def _kind(data: Any) -> str | None:
    if isinstance(data, SectionSpec):
        return data.form
    if isinstance(data, dict):
        unshaped = "matrices" if data.keys() & {"stiffness", "mass", "file"} else "stiffness"
        return f"{FORM}{data.get('shape', unshaped)}"
    return None


AnySection = Annotated[
    Annotated[Rectangle, Tag(FORM + "rectangle")]
    | Annotated[Box, Tag(FORM + "box")]
    | Annotated[Circle, Tag(FORM + "circle")]
    | Annotated[Tube, Tag(FORM + "tube")]
    | Annotated[LetterI, Tag(FORM + "I")]
    | Annotated[LetterH, Tag(FORM + "H")]
    | Annotated[LetterL, Tag(FORM + "L")]
    | Annotated[LetterC, Tag(FORM + "C")]
    | Annotated[RoundedBox, Tag(FORM + "rounded-box")]
    | Annotated[Ellipse, Tag(FORM + "ellipse")]
    | Annotated[Polygon, Tag(FORM + "polygon")]
    | Annotated[Stiffness, Tag(FORM + "stiffness")]
    | Annotated[Matrices, Tag(FORM + "matrices")],
    Discriminator(_kind),
]
