"""What a beam has besides its sections: modes, ends, damping, masses fixed to it, prestress."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Discriminator, Tag, model_validator

from lissom.model.description.body import ZERO3, ZERO33
from lissom.model.schema.base_model import FORM, Description, refusals
from lissom.model.schema.name_fields import Choice
from lissom.model.schema.number_fields import Count, Number, is_number
from lissom.model.schema.vector_fields import InertiaTensor, Matrix3, Pair, Vec2, Vec3, Vector

if TYPE_CHECKING:
    from lissom import beam as beams

DIRECTIONS = ("y", "z", "torsion", "axial")
STIFFENING = ("none", "first", "exact")
FRAMES = ("base", "chord")
SHEAR = ("none", "auto")
PRESETS = ("engineering",)
FAMILIES = (
    "auto", "legendre", "hermite", "clamped-free", "clamped-mass", "clamped-clamped", "clamped-pinned",
    "pinned-free", "free-free",
)  # fmt: skip

MOST_MODES = 50
ModeCount = Count("the number of modes", at_most=MOST_MODES)
Family = Choice("the ends of the beam", FAMILIES)
Ratio = Number("a modal damping ratio (0.01 for 1 %), or {stiffness: ..., mass: ...}", at_least=0, at_most=1)
Preset = Choice("a ratio such as 0.01, {stiffness: ..., mass: ...}, or a preset", PRESETS)


class Modes(Description):
    """How many shape functions each direction has; a direction that is not named has none."""

    what: ClassVar[str] = "modes block"
    form: ClassVar[str] = FORM + "counts"

    y: Annotated[int, ModeCount] = 0
    z: Annotated[int, ModeCount] = 0
    torsion: Annotated[int, ModeCount] = 0
    axial: Annotated[int, ModeCount] = 0

    @property
    def total(self) -> int:
        """Number of functions of all directions."""
        return self.y + self.z + self.torsion + self.axial

    def as_dict(self) -> dict[str, int]:
        """Return the numbers by name."""
        return {direction: getattr(self, direction) for direction in DIRECTIONS}


class ModesTo(Description):
    """As many shape functions as it takes: frequencies up to `to` are right within `accuracy`, tip free or held.

    Without `to` as many as of `auto`. `more` come on top: the space they span contains that without them.
    """

    what: ClassVar[str] = "modes block"
    form: ClassVar[str] = FORM + "reach"

    to: Annotated[
        float | None, Number("the frequency up to which the beam's own are wanted, as auto unless given", "Hz", above=0)
    ] = None
    accuracy: Annotated[float, Number("the relative error of a frequency that is allowed", above=0, at_most=0.5)] = 0.01
    more: Modes = Modes()

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.to is None and not self.more.total:
            raise refusals(("to", None, "missing; give a frequency, or write modes: auto"))
        return self


class Ends(Description):
    """A mode family, with the mass and inertia it assumes at the tip (for `clamped-mass`)."""

    what: ClassVar[str] = "ends block"
    form: ClassVar[str] = FORM + "block"

    family: Annotated[str, Family]
    tip_mass: Annotated[float, Number("the mass at the tip", "kg", at_least=0)] = 0.0
    tip_inertia: Annotated[float, Number("the inertia at the tip", "kg m2", at_least=0)] = 0.0

    @model_validator(mode="after")
    def _loaded(self) -> Self:
        for field in ("tip_mass", "tip_inertia"):
            if getattr(self, field) and self.family != "clamped-mass":
                text = f"the family {self.family} carries nothing at its tip; choose clamped-mass or remove this"
                raise refusals((field, getattr(self, field), text))
        return self

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {"family": self.family, "tip_mass": self.tip_mass, "tip_inertia": self.tip_inertia}


class Rayleigh(Description):
    """Damping matrix `stiffness` K + `mass` M of the link; `stiffness` alone is Kelvin-Voigt damping."""

    what: ClassVar[str] = "damping block"
    form: ClassVar[str] = FORM + "block"

    stiffness: Annotated[float, Number("the factor of the stiffness matrix", "s", at_least=0)] = 0.0
    mass: Annotated[float, Number("the factor of the mass matrix", "1/s", at_least=0)] = 0.0

    def as_dict(self) -> dict[str, float]:
        """Return the numbers by name."""
        return {"stiffness": self.stiffness, "mass": self.mass}


class Mass(Description):
    """A mass fixed to a beam's section at x = `at` (the tip unless given), in the section's axes."""

    what: ClassVar[str] = "mass"

    mass: Annotated[float, Number("the mass", "kg", above=0, at_most=1e12)]
    at: Annotated[float | None, Number("the place along the beam", "metres", at_least=0)] = None
    com: Annotated[Vec3, Vector("the centre of mass in the section's frame", "metres")] = ZERO3
    inertia: Annotated[Matrix3, InertiaTensor()] = ZERO33


class TendonSpec(Description):
    """A cable of constant tension inside a beam: through every section at `at`, anchored at both ends."""

    what: ClassVar[str] = "tendon"

    tension: Annotated[float, Number("the tension of the cable", "N", at_least=0)]
    at: Annotated[Vec2, Pair("where the cable runs through the sections")] = (0.0, 0.0)


class PrestressSpec(Description):
    """What strains a beam by itself: strain that heat or its making gives to every section, and tendons.

    `stretch` (1.2e-5 per kelvin in steel), `twist` in rad/m about the shear centre of each section, `curvature` in 1/m
    about y and z.
    """

    what: ClassVar[str] = "prestress block"

    stretch: Annotated[float, Number("the strain of the unloaded beam", at_least=-0.1, at_most=0.1)] = 0.0
    twist: Annotated[float, Number("the twist of the unloaded beam about its shear centre", "rad/m")] = 0.0
    curvature: Annotated[Vec2, Pair("the curvature of the unloaded beam about y and z", "1/m")] = (0.0, 0.0)
    tendons: tuple[TendonSpec, ...] = ()

    def build(self) -> "beams.Prestress":
        """Return the counterpart in `lissom.beam`."""
        from lissom import beam as beams

        strain = (self.stretch, 0.0, 0.0, self.twist, *self.curvature)
        return beams.Prestress(strain, tuple(beams.Tendon(t.tension, *t.at) for t in self.tendons))


def _form(data: Any) -> str:
    """Return which way a field is written: as a number, a name, or a block."""
    if isinstance(data, dict | Description):
        return FORM + "block"
    return FORM + ("number" if is_number(data) else "name")


def _modes_form(data: Any) -> str:
    if isinstance(data, str):
        return FORM + "name"
    if isinstance(data, ModesTo) or (isinstance(data, dict) and data.keys() & {"to", "accuracy", "more"}):
        return FORM + "reach"
    return FORM + "counts"


AnyModes = Annotated[
    Annotated[Modes, Tag(FORM + "counts")]
    | Annotated[ModesTo, Tag(FORM + "reach")]
    | Annotated[str, Choice("counts such as {y: 2, z: 2}, {to: 200 Hz}, or", ("auto",)), Tag(FORM + "name")],
    Discriminator(_modes_form),
]
AnyDamping = Annotated[
    Annotated[float, Ratio, Tag(FORM + "number")]
    | Annotated[str, Preset, Tag(FORM + "name")]
    | Annotated[Rayleigh, Tag(FORM + "block")],
    Discriminator(_form),
]
Factor = Number("the shear factor (5/6 for a rectangle), or none or auto", above=0, at_most=2)
AnyShear = Annotated[
    Annotated[float, Factor, Tag(FORM + "number")]
    | Annotated[str, Choice("whether sections shear", SHEAR), Tag(FORM + "name")],
    Discriminator(lambda data: FORM + ("name" if isinstance(data, str) else "number")),
]
AnyEnds = Annotated[
    Annotated[str, Family, Tag(FORM + "name")] | Annotated[Ends, Tag(FORM + "block")],
    Discriminator(lambda data: FORM + ("block" if isinstance(data, dict | Description) else "name")),
]
