"""The `beam` of a link: a slender one, its modes, its damping, and masses fixed to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from lissom.model.body import ZERO3, ZERO33
from lissom.model.material import Material
from lissom.model.names import Choice, Name
from lissom.model.part import FORM, Part, refusals
from lissom.model.section import AnySection, Stiffness
from lissom.model.values import Count, InertiaTensor, Matrix3, Number, Vec3, Vector, is_number, refusal

if TYPE_CHECKING:
    from lissom import beam as beams

DIRECTIONS = ("y", "z", "torsion", "axial")
STIFFENING = ("none", "first", "exact")
PRESETS = ("engineering",)
FAMILIES = (
    "auto", "legendre", "hermite", "clamped-free", "clamped-mass", "clamped-clamped", "clamped-pinned",
    "pinned-free", "free-free",
)  # fmt: skip

ModeCount = Count("the number of modes", at_most=50)
Family = Choice("the ends of the beam", FAMILIES)
Ratio = Number("a modal damping ratio (0.01 for 1 %), or {stiffness: ..., mass: ...}", at_least=0, at_most=1)
Preset = Choice("a ratio such as 0.01, {stiffness: ..., mass: ...}, or a preset", PRESETS)


class Modes(Part):
    """How many shape functions each direction has; a direction that is not named has none."""

    what: ClassVar[str] = "modes block"

    y: Annotated[int, ModeCount] = 0
    z: Annotated[int, ModeCount] = 0
    torsion: Annotated[int, ModeCount] = 0
    axial: Annotated[int, ModeCount] = 0

    @property
    def total(self) -> int:
        return self.y + self.z + self.torsion + self.axial

    def as_dict(self) -> dict[str, int]:
        return {direction: getattr(self, direction) for direction in DIRECTIONS}


class Ends(Part):
    """A mode family, with the mass and inertia it assumes at the tip (for `clamped-mass`)."""

    what: ClassVar[str] = "ends block"
    form: ClassVar[str] = FORM + "block"

    family: Annotated[str, Family]
    tip_mass: Annotated[float, Number("the mass at the tip", "kg", at_least=0)] = 0.0
    tip_inertia: Annotated[float, Number("the inertia at the tip", "kg m2", at_least=0)] = 0.0

    @model_validator(mode="after")
    def _loaded(self) -> Ends:
        for field in ("tip_mass", "tip_inertia"):
            if getattr(self, field) and self.family != "clamped-mass":
                text = f"the family {self.family} carries nothing at its tip; choose clamped-mass or remove this"
                raise refusals((field, getattr(self, field), text))
        return self


class Rayleigh(Part):
    """Damping matrix `stiffness` K + `mass` M of the link; `stiffness` alone is Kelvin-Voigt damping."""

    what: ClassVar[str] = "damping block"
    form: ClassVar[str] = FORM + "block"

    stiffness: Annotated[float, Number("the factor of the stiffness matrix", "s", at_least=0)] = 0.0
    mass: Annotated[float, Number("the factor of the mass matrix", "1/s", at_least=0)] = 0.0

    def as_dict(self) -> dict[str, float]:
        return {"stiffness": self.stiffness, "mass": self.mass}


class Mass(Part):
    """A mass fixed to a beam's section at x = `at` (the tip unless given), in the section's axes."""

    what: ClassVar[str] = "mass"

    mass: Annotated[float, Number("the mass", "kg", above=0, at_most=1e12)]
    at: Annotated[float | None, Number("the place along the beam", "metres", at_least=0)] = None
    com: Annotated[Vec3, Vector("the centre of mass in the section's frame", "metres")] = ZERO3
    inertia: Annotated[Matrix3, InertiaTensor()] = ZERO33


def _form(data: Any) -> str:
    """Which way a field is written: as a number, a name, or a block."""
    if isinstance(data, dict | Part):
        return FORM + "block"
    return FORM + ("number" if is_number(data) else "name")


AnyDamping = Annotated[
    Annotated[float, Ratio, Tag(FORM + "number")]
    | Annotated[str, Preset, Tag(FORM + "name")]
    | Annotated[Rayleigh, Tag(FORM + "block")],
    Discriminator(_form),
]
AnyEnds = Annotated[
    Annotated[str, Family, Tag(FORM + "name")] | Annotated[Ends, Tag(FORM + "block")],
    Discriminator(lambda data: FORM + ("block" if isinstance(data, dict | Part) else "name")),
]


class Beam(Part):
    """A straight slender link along its x axis, bending in y and z, twisting and stretching."""

    what: ClassVar[str] = "beam"

    length: Annotated[float, Number("the length of the beam", "metres", above=0, at_most=1e4)]
    material: Annotated[str | None, Name("the name of a material of the robot")] = None
    section: AnySection = Field(
        description="the section: {shape: tube, outer: ..., thickness: ...} or {area, EIy, EIz, GJ, EA}"
    )
    modes: Modes = Modes(y=2, z=2, torsion=1, axial=1)
    ends: AnyEnds = "auto"
    damping: AnyDamping = 0.0
    stiffening: Annotated[str, Choice("the order of the beam's field", STIFFENING)] = "first"
    masses: tuple[Mass, ...] = ()

    @field_validator("modes")
    @classmethod
    def _bends(cls, modes: Modes) -> Modes:
        if modes.total == 0:
            raise refusal("all counts are zero; give a mode in y, z, torsion or axial, or make the link a rigid body")
        return modes

    @model_validator(mode="after")
    def _consistent(self) -> Beam:
        problems: list[tuple[tuple[str | int, ...] | str, Any, str]] = []
        family = self.ends if isinstance(self.ends, str) else self.ends.family
        for direction in ("y", "z") if family == "hermite" else ():
            count = getattr(self.modes, direction)
            if count % 2:
                text = "must be even with hermite ends, as every element brings two; add or remove one"
                problems.append((("modes", direction), count, text))
        for i, mass in enumerate(self.masses):
            if mass.at is not None and mass.at > self.length:
                text = f"lies beyond the end of the beam (length {self.length:g}); give the place in metres"
                problems.append((("masses", i, "at"), mass.at, text))
        if self.material is None and not isinstance(self.section, Stiffness):
            problems.append(("material", None, "missing; name the material of the beam, listed under materials"))
        elif self.material is None and isinstance(self.section, Stiffness) and self.section.area is not None:
            problems.append(("material", None, "missing; name a material, or give rhoA and EA instead of the area"))
        if problems:
            raise refusals(*problems)
        return self

    @property
    def slenderness(self) -> float:
        """Length over thickness (infinite when that is unknown); beam theory asks for about ten."""
        thickness = self.section.thickness_estimate()
        return self.length / thickness if thickness > 0 else float("inf")

    def build(self, materials: Mapping[str, Material]) -> beams.BeamLink:
        """The beam's mechanics: section, shape functions, invariants, stiffness and damping.

        Numbers may be complex (see `Robot.with_value`); the shape functions are those of the real parts.
        """
        from lissom import beam as beams

        material = materials[self.material].build() if self.material is not None else None
        section = self.section.build(material)
        return beams.BeamLink(
            length=self.length,
            section=section,
            basis=beams.make_basis(self.modes.as_dict(), ends=self._ends(section)),
            stiffening=self.stiffening,
            damping=self.damping.as_dict() if isinstance(self.damping, Rayleigh) else self.damping,
            masses=tuple(
                beams.LumpedMass(
                    x=self.length if m.at is None else m.at,
                    mass=m.mass,
                    com=np.array(m.com),
                    inertia=np.array(m.inertia),
                )
                for m in self.masses
            ),
        )

    def _ends(self, section: beams.Section) -> str | dict[str, Any]:
        """End conditions for the basis, tip loads as ratios to the beam's own mass and to rhoA L^3."""
        if isinstance(self.ends, str):
            return self.ends
        if self.ends.family != "clamped-mass":
            return self.ends.family
        rhoA, length = np.real(section.rhoA), np.real(self.length)
        return {
            "family": self.ends.family,
            "tip_mass": float(np.real(self.ends.tip_mass) / (rhoA * length)),
            "tip_inertia": float(np.real(self.ends.tip_inertia) / (rhoA * length**3)),
        }
