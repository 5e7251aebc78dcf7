"""Contacts: a sphere on a link and a surface that it may touch, on another link or on the world.

In a file: `contacts: [{name: heel, sphere: {link: foot, radius: 0.05}, surface: {link: world, shape: plane}, ...}]`.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.kernel.data.arrays import Surface as Shape
from lissom.model.description.frame import Frame
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Number
from lissom.model.schema.vector_fields import Vec3, Vector

SHAPES = {"plane": Shape.PLANE, "ball": Shape.BALL, "box": Shape.BOX, "cylinder": Shape.CYLINDER}
SIZES = {"plane": (), "ball": ("radius",), "box": ("size",), "cylinder": ("radius", "length")}
EXPONENTS = {1.0: 0, 1.5: 1, 2.0: 2}


class Sphere(Frame):
    """A sphere about the origin of a frame on a link."""

    what: ClassVar[str] = "sphere"
    radius: Annotated[float, Number("the radius of the sphere", "metres", above=0)]


class Surface(Frame):
    """What a sphere may touch, about the origin of a frame.

    A `plane` is z = 0 with free space at z > 0; a `ball` has a `radius`, a `box` its edges `size`, a `cylinder` about z
    a `radius` and a `length`.
    """

    what: ClassVar[str] = "surface"
    shape: Annotated[str, Choice("the shape of the surface", tuple(SHAPES))]
    radius: Annotated[float | None, Number("the radius", "metres", above=0)] = None
    length: Annotated[float | None, Number("the length along z", "metres", above=0)] = None
    size: Annotated[Vec3 | None, Vector("the edges of the box", "metres")] = None

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        wanted = SIZES[self.shape]
        for name in ("radius", "length", "size"):
            value = getattr(self, name)
            if name in wanted and value is None:
                raise refusals((name, None, f"missing; a {self.shape} has " + " and ".join(wanted) + ", in metres"))
            if name not in wanted and value is not None:
                has = " and ".join(wanted) or "no size"
                raise refusals((name, value, f"does not belong to a {self.shape}, which has {has}; remove it"))
        if self.size is not None and min(np.real(self.size)) <= 0:
            raise refusals(("size", list(self.size), "must be three positive edges; give them in metres"))
        return self

    @property
    def half_sizes(self) -> list[float]:
        """As the kernel takes them."""
        if self.size is not None:
            return [0.5 * edge for edge in self.size]
        return [self.radius or 0.0, 0.5 * (self.length or 0.0), 0.0]


class Contact(Description):
    """A sphere and a surface: normal force `stiffness` depth^`exponent` (1 + `damping` depth rate), and friction."""

    what: ClassVar[str] = "contact"

    name: Annotated[str, Name("the name of the contact")]
    sphere: Sphere = Field(description="{link: foot, radius: 0.05}, with at and origin as any frame")
    surface: Surface = Field(description="{link: world, shape: plane}, with at and origin as any frame")
    stiffness: Annotated[float, Number("the force per depth^exponent, in N/m^exponent,", above=0)]
    exponent: float = 1.5
    damping: Annotated[float, Number("the growth of the force per speed of approach", "s/m", at_least=0)] = 0.0
    friction: Annotated[float, Number("the coefficient of friction", at_least=0, at_most=10)] = 0.0
    friction_speed: Annotated[
        float, Number("the sliding speed over which friction builds up", "m/s", above=0, at_most=1.0)
    ] = 5e-6

    @model_validator(mode="after")
    def _known_power(self) -> Self:
        if self.exponent not in EXPONENTS:
            raise refusals(("exponent", self.exponent, "is not 1, 1.5 or 2; 1.5 is that of spheres (Hertz)"))
        return self

    def frames(self) -> list[tuple[tuple[str | int, ...], Frame]]:
        """Return its two frames, each with its place below the contact."""
        return [(("sphere",), self.sphere), (("surface",), self.surface)]

    def table(self) -> dict[str, Any]:
        """Return entries of its row in the tables of the kernel."""
        same = ("stiffness", "damping", "friction", "friction_speed")
        return {name: getattr(self, name) for name in same} | {
            "shape": SHAPES[self.surface.shape],
            "roots": EXPONENTS[self.exponent],
            "radius": self.sphere.radius,
            "size": self.surface.half_sizes,
        }
