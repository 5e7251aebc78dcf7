"""Rigid bodies: by mass, centre and inertia, or as a solid shape of given density.

In a file: `body: {mass: 3.3, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}` or
`body: {shape: box, size: [0.4, 0.1, 0.1], density: 2700, com: [0.2, 0, 0]}`.
"""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Discriminator, Tag, field_validator, model_validator

from lissom.model.schema.base_model import FORM, Description, refusals
from lissom.model.schema.name_fields import Choice
from lissom.model.schema.number_fields import Flag, Number, refusal
from lissom.model.schema.vector_fields import InertiaTensor, Matrix3, Vec3, Vector, unreal

ZERO3: Vec3 = (0.0, 0.0, 0.0)
ZERO33: Matrix3 = (ZERO3, ZERO3, ZERO3)
Density = Number("the density", "kg/m3", above=0, at_most=1e5)
Centre = Vector("the centre of mass in the body frame", "metres")
ToolPoint = Vector("the tool point in the body frame", "metres")


class Body(Description):
    """A rigid body by its numbers; `inertia` is about the centre of mass, in the axes of the body frame."""

    what: ClassVar[str] = "body"
    form: ClassVar[str] = FORM + "body"

    mass: Annotated[float, Number("the mass", "kg", at_least=0, at_most=1e12)]
    com: Annotated[Vec3, Centre] = ZERO3
    inertia: Annotated[Matrix3, InertiaTensor(real=False)] = ZERO33
    tip: Annotated[Vec3 | None, ToolPoint] = None
    unreal: Annotated[bool, Flag("whether an inertia that no body has is taken as it is")] = False

    @model_validator(mode="after")
    def _of_a_body(self) -> Self:
        if not self.unreal and (text := unreal(self.inertia)):
            why = "no body has such an inertia, check the numbers, or take them as they are by unreal: true"
            raise refusals(("inertia", np.diag(self.inertia).tolist(), f"{text}; {why}"))
        return self


class SolidBody(Description):
    """Base of the solid shapes of uniform density, centred at `com`; `mass` and `inertia` follow."""

    what: ClassVar[str] = "body"
    form: ClassVar[str]

    density: Annotated[float, Density]
    com: Annotated[Vec3, Centre] = ZERO3
    tip: Annotated[Vec3 | None, ToolPoint] = None

    @property
    @abstractmethod
    def mass(self) -> float:
        """Mass in kg; complex when a size or the density is."""

    @property
    @abstractmethod
    def inertia(self) -> Matrix3:
        """Inertia about the centre of mass (3, 3) in kg m2."""


def _diagonal(xx: float, yy: float, zz: float) -> Matrix3:
    return ((xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz))


class BoxBody(SolidBody):
    """A solid cuboid with edges along the body axes."""

    form: ClassVar[str] = FORM + "box"
    shape: Literal["box"] = "box"
    size: Annotated[Vec3, Vector("the three edge lengths", "metres")]

    @field_validator("size")
    @classmethod
    def _positive(cls, size: Vec3) -> Vec3:
        if min(size) <= 0:
            raise refusal("must be three positive lengths; give the three edge lengths in metres")
        return size

    @property
    def mass(self) -> float:
        """Mass in kg."""
        x, y, z = self.size
        return self.density * x * y * z

    @property
    def inertia(self) -> Matrix3:
        """Inertia about the centre of mass (3, 3) in kg m2."""
        x, y, z = self.size
        m = self.mass / 12
        return _diagonal(m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y))


class CylinderBody(SolidBody):
    """A solid round cylinder, its axis along the body's x (or y, z)."""

    form: ClassVar[str] = FORM + "cylinder"
    shape: Literal["cylinder"] = "cylinder"
    diameter: Annotated[float, Number("the diameter", "metres", above=0, at_most=1e4)]
    length: Annotated[float, Number("the length", "metres", above=0, at_most=1e4)]
    along: Annotated[str, Choice("the direction of the cylinder's axis", ("x", "y", "z"))] = "x"

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return self.density * np.pi / 4 * self.diameter**2 * self.length

    @property
    def inertia(self) -> Matrix3:
        """Inertia about the centre of mass (3, 3) in kg m2."""
        m, r2 = self.mass, self.diameter**2 / 4
        axial, across = m * r2 / 2, m * (3 * r2 + self.length**2) / 12
        x, y, z = (axial if name == self.along else across for name in "xyz")
        return _diagonal(x, y, z)


class SphereBody(SolidBody):
    """A solid ball."""

    form: ClassVar[str] = FORM + "sphere"
    shape: Literal["sphere"] = "sphere"
    diameter: Annotated[float, Number("the diameter", "metres", above=0, at_most=1e4)]

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return self.density * np.pi / 6 * self.diameter**3

    @property
    def inertia(self) -> Matrix3:
        """Inertia about the centre of mass (3, 3) in kg m2."""
        moment = self.mass * self.diameter**2 / 10
        return _diagonal(moment, moment, moment)


def _kind(data: Any) -> str | None:
    if isinstance(data, Body | SolidBody):
        return data.form
    if isinstance(data, dict):
        return f"{FORM}{data.get('shape', 'body')}"
    return None


AnyBody = Annotated[
    Annotated[Body, Tag(FORM + "body")]
    | Annotated[BoxBody, Tag(FORM + "box")]
    | Annotated[CylinderBody, Tag(FORM + "cylinder")]
    | Annotated[SphereBody, Tag(FORM + "sphere")],
    Discriminator(_kind),
]
