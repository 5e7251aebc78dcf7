"""The `beam` of a link: a slender one along its x axis."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from lissom.model.compilation.end_conditions import NOT_HELD
from lissom.model.compilation.end_conditions import EndConditions as EndConditions
from lissom.model.description.location import on_beam
from lissom.model.flexible import section_files
from lissom.model.flexible.beam_building import known_mode_counts, known_section_stress, link_of, same
from lissom.model.flexible.beam_parts import (
    FRAMES,
    MOST_MODES,
    STIFFENING,
    AnyDamping,
    AnyEnds,
    AnyModes,
    AnyShear,
    Ends,
    Mass,
    Modes,
    ModesTo,
    PrestressSpec,
    Rayleigh,
)
from lissom.model.flexible.material import Material
from lissom.model.flexible.section import AnySection
from lissom.model.flexible.section_base import SectionSpec
from lissom.model.flexible.stations import Station, build_profile, section_at, station_problems
from lissom.model.schema.base_model import FORM, Description, refusals
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Number, refusal
from lissom.model.schema.written_forms import FILE, AlsoWritten

if TYPE_CHECKING:
    from lissom import beam as beams
    from lissom.beam.sections.section_stress import SectionStress


HELD = 5  # bending functions of a link in a loop: its three lowest frequencies with the tip held, within 0.5 %
LOOSE = 5  # of one whose base moves: its two lowest frequencies, whatever holds its tip, within 0.5 %
STEPPED = 6  # of one on which forces step on inside the span, which sets off higher modes than at the tip
BESIDES = 3  # functions beyond the modes that a step sets off: with them histories under it are right within 1 %
NEAREST = 0.05  # of the length: a force nearer to a held end moves a link too little to ask for functions of its own
POLYNOMIALS = 7  # of one in a loop that turns freely at both ends, whose functions are polynomials: as with HELD
PLACE = Number("a place along the beam", "metres", at_least=0)


class Beam(Description):
    """A straight slender link along its x axis, bending in y and z, twisting and stretching."""

    what: ClassVar[str] = "beam"

    length: Annotated[float, Number("the length of the beam", "metres", above=0, at_most=1e4)]
    material: Annotated[str | None, Name("the name of a material of the robot")] = None
    section: AnySection | None = Field(
        default=None, description="the section: {shape: tube, outer: ..., thickness: ...} or {area, EIy, EIz, GJ, EA}"
    )
    stations: Annotated[
        tuple[Station, ...],
        Field(description="sections along the beam: [{x: 0, section: ...}, {x: 0.4, section: ...}]"),
        AlsoWritten(FILE),
    ] = ()
    shear: AnyShear = "auto"
    modes: AnyModes = "auto"
    attachments: Annotated[
        tuple[Annotated[float, PLACE], ...],
        Field(description="places in metres along the beam where loads will act, such as [0.4, 1.2]"),
    ] = ()
    ends: AnyEnds = "auto"
    damping: AnyDamping = 0.0
    stiffening: Annotated[str, Choice("the order of the beam's field", STIFFENING)] = "first"
    frame: Annotated[str, Choice("where the link's frame lies", FRAMES)] = "base"
    masses: tuple[Mass, ...] = ()
    prestress: PrestressSpec = PrestressSpec()

    @field_validator("stations", mode="before")
    @classmethod
    def _from_file(cls, data: Any, info: ValidationInfo) -> Any:
        """Read the stations of the file where `{file: blade.dat, format: beamdyn}` stands for them."""
        if not isinstance(data, dict) or "file" not in data or "length" not in info.data:
            return data
        length = info.data["length"]
        found = section_files.read(data, (info.context or {}).get("folder"), float(np.real(length)))
        places = [0.0, 1.0] if len(found) == 1 else [part.at for part in found]
        if len(found) == 1:
            found = found * 2
        return [{"x": at * length, "section": part.section} for at, part in zip(places, found, strict=True)]

    @field_validator("attachments", mode="before")
    @classmethod
    def _places(cls, data: Any, info: ValidationInfo) -> Any:
        """Return numbers or quantities such as 40 cm, on the beam."""
        if not isinstance(data, list | tuple):
            raise refusal("must be a list of places in metres along the beam, such as [0.4, 1.2]")
        length = info.data.get("length", np.inf)
        found = tuple(PLACE.check_one(x) for x in data)
        for x in found:
            if not on_beam(x, length):
                raise refusal(f"{np.real(x):g} lies beyond the end of the beam (length {np.real(length):g})")
        return found

    @field_validator("modes")
    @classmethod
    def _bends(cls, modes: Modes | ModesTo | str) -> Modes | ModesTo | str:
        if isinstance(modes, Modes) and modes.total == 0:
            raise refusal("all counts are zero; give a mode in y, z, torsion or axial, or make the link a rigid body")
        return modes

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems: list[tuple[tuple[str | int, ...] | str, Any, str]] = []
        # functions: elements of Hermite come in pairs
        family = self.ends if isinstance(self.ends, str) else self.ends.family
        if family == "hermite" and isinstance(self.modes, ModesTo):
            problems.append(("modes", None, "must be counts with hermite ends, such as {y: 4, z: 4}"))
        for direction in ("y", "z") if family == "hermite" and isinstance(self.modes, Modes) else ():
            count = getattr(self.modes, direction)
            if count % 2:
                text = "must be even with hermite ends, as every element brings two; add or remove one"
                problems.append((("modes", direction), count, text))
        # places, sections and stations
        for i, mass in enumerate(self.masses):
            if mass.at is not None and not on_beam(mass.at, self.length):
                text = f"lies beyond the end of the beam (length {self.length:g}); give the place in metres"
                problems.append((("masses", i, "at"), mass.at, text))
        if self.section is None and not self.stations:
            text = (
                "give the section: {shape: tube, outer: ..., thickness: ...} or {area, EIy, EIz, GJ, EA}, or stations"
            )
            problems.append(("section", None, f"missing; {text}"))
        elif self.section is not None and self.stations:
            problems.append(("stations", len(self.stations), "conflicts with section; give one of the two"))
        elif self.stations:
            problems += station_problems(self.stations, self.length)
        if family == "clamped-mass" and not (self.loaded_ends().tip_mass or self.loaded_ends().tip_inertia):
            text = (
                "carries nothing at its tip: give {family: clamped-mass, tip_mass: ...}, the mass of what hangs there"
            )
            problems.append(("ends", "clamped-mass", text))
        # what does not go together
        if self.frame == "chord" and self.stiffening == "exact":
            text = "is for stiffening: first or none; the exact field is right from the base, so leave frame out"
            problems.append(("frame", "chord", text))
        if family == "hermite" and not problems and not self.plain:
            problems.append(("ends", family, "does not suit a link with shear or stations; choose auto or legendre"))
        # materials and shear: the first section that lacks something speaks for all
        for path, section, material in self._sections():
            if material is None and section.needs_material:
                wanted = "name a material, or give rhoA and EA instead of the area"
                if section.form != FORM + "stiffness":
                    wanted = "name the material of the beam, listed under materials"
                problems.append((path, None, f"missing; {wanted}"))
                break
            if not isinstance(self.shear, str) and (own := section.own_shear):
                problems.append(("shear", self.shear, f"conflicts with {own} of a section; leave it out"))
                break
            if not isinstance(self.shear, str) and material is None:
                text = "is a factor of G and the area: it needs a material; give kGAy and kGAz in the section instead"
                problems.append(("shear", self.shear, text))
                break
        if problems:
            raise refusals(*problems)
        return self

    @property
    def slenderness(self) -> float:
        """Length over thickness (infinite when that is unknown); beam theory asks for about ten."""
        thickness = max(section.thickness_estimate() for _, section, _ in self._sections())
        return self.length / thickness if thickness > 0 else float("inf")

    def described_sections(self) -> list[tuple[str, SectionSpec]]:
        """Return its sections as the file gives them, each with its path below the beam."""
        if self.section is not None:
            return [("section", self.section)]
        return [(f"stations.{k}.section", station.section) for k, station in enumerate(self.stations)]

    def _sections(self) -> list[tuple[tuple[str | int, ...], SectionSpec, str | None]]:
        """Return every section with its material's name, and the path where that should stand."""
        if self.section is not None:
            return [(("material",), self.section, self.material)]
        return [
            (
                ("stations", k, "material") if station.material else ("material",),
                station.section,
                station.material or self.material,
            )
            for k, station in enumerate(self.stations)
        ]

    @property
    def chooses_functions(self) -> bool:
        """Whether lissom chooses its functions by what acts on it, rather than a file by counts or ends."""
        return not isinstance(self.modes, Modes) and self.ends == "auto"

    def mode_counts(self, materials: Mapping[str, Material], how: EndConditions = NOT_HELD) -> dict[str, int]:
        """Return number of shape functions by direction, as given or as many as it takes, without attachment functions.

        how: how its ends are held.
        """
        if isinstance(self.modes, Modes):
            return self.modes.as_dict()
        wanted = ModesTo.model_construct() if isinstance(self.modes, str) else self.modes
        reach, accuracy = wanted.to, wanted.accuracy
        # what it carries and how it is held do not change them: beams that differ in that alone share them
        bare = self.model_copy(update={"masses": (), "ends": "auto", "modes": "auto", "attachments": ()})
        counts = dict(known_mode_counts(bare, tuple(materials.items()), reach, accuracy))
        if self.ends == "hermite":  # whose elements bring two each in bending
            counts |= {name: counts[name] + counts[name] % 2 for name in ("y", "z")}
        if reach is None:
            polynomials = dict(how.ends)
            for name in ("y", "z"):
                least = [POLYNOMIALS if name in polynomials else HELD] if how.in_loop else []
                least += [LOOSE] if name in how.loose else []
                least += [self._count_step_functions(how.in_loop)] if self.attachments else []
                counts[name] = max(counts[name], *least, 0)
        return {name: min(MOST_MODES, count + getattr(wanted.more, name)) for name, count in counts.items()}

    def _count_step_functions(self, in_loop: bool) -> int:
        """Return how many bending functions forces need that step on at attachments.

        The nearer a force is to a held end, the more modes make up the deflection under it: the n lowest of a clamped
        link lack less than 1 % of it where it is more than a share 1/n of the length away. `BESIDES` more keep these
        in phase for some periods of the lowest.
        """
        length = np.real(self.length)
        places = np.real(self.attachments) / length
        away = np.minimum(places, 1 - places) if in_loop else places
        inside = away[(away > 0) & (away < 1)]
        return max(STEPPED, int(np.ceil(1 / max(NEAREST, inside.min(initial=1.0)))) + BESIDES)

    @property
    def wanted(self) -> str:
        """What the number of functions was chosen for, in words; nothing where it is given."""
        if isinstance(self.modes, Modes):
            return ""
        if isinstance(self.modes, str):
            return " (auto)"
        base = "auto" if self.modes.to is None else f"to {np.real(self.modes.to):g} Hz"
        return f" ({base} and more)" if self.modes.more.total else f" ({base})"

    @property
    def sheared(self) -> bool:
        """Whether shear forces deform it."""
        if isinstance(self.shear, str):
            return self.shear == "auto" and all(section.shears for _, section, _ in self._sections())
        return True

    @property
    def plain(self) -> bool:
        """Whether it is uniform, does not shear, and has its centroid on the axis."""
        return self.section is not None and self.section.centred and not self.sheared

    def build(
        self,
        materials: Mapping[str, Material],
        how: EndConditions = NOT_HELD,
        places: Sequence["beams.Place"] = (),
    ) -> "beams.BeamLink":
        """Return the beam's mechanics: section, shape functions, invariants, stiffness and damping.

        how: how its ends are held.
        places: where something acts inside its span, in metres; its functions know of them where it chooses them.

        Numbers may be complex (see `Robot.with_value`); the shape functions are those of the real parts.
        """
        known = tuple(place._replace(held=how.in_loop) for place in places) if self.chooses_functions else ()
        return link_of(self, tuple(materials.items()), how, known)

    def build_like(
        self,
        other: Self,
        link: "beams.BeamLink",
        materials: Mapping[str, Material],
        before: Mapping[str, Material],
        how: EndConditions,
        places: Sequence["beams.Place"] = (),
    ) -> "beams.BeamLink":
        """Return the mechanics from the `link` of another beam, held alike, made of the materials `before`.

        Where the functions are the same they are taken from there, and so is all that does not differ. `places`: as in
        `build`, the same for both.
        """
        fields = ("length", "stations", "shear", "modes", "ends", "stiffening", "frame", "prestress", "attachments")
        named = isinstance(self.ends, str) and self.ends != "clamped-mass"  # whose functions depend on the masses
        alike = named and self.plain and link.plain and all(same(self, other, f) for f in fields)
        counted = isinstance(self.modes, Modes) or (alike and self.mode_counts(materials) == other.mode_counts(before))
        if not (alike and counted):
            return self.build(materials, how, places)
        made_of, old = (
            None if beam.material is None else known[beam.material]
            for beam, known in ((self, materials), (other, before))
        )
        section = link.section
        if not same(self, other, "section") or made_of != old:
            assert self.section is not None
            section = self.section.build(None if made_of is None else made_of.build())
        masses = link.masses if same(self, other, "masses") else self.lumps()
        return replace(link, section=section, damping=self.damping_law(), masses=masses)

    def loaded_ends(self) -> Ends:
        """Return its ends as a family with the mass that the functions assume at the tip: its own, unless given."""
        ends = Ends.model_construct(family=self.ends) if isinstance(self.ends, str) else self.ends
        if ends.family != "clamped-mass" or ends.tip_mass:
            return ends
        at_tip = [mass for mass in self.masses if mass.at is None or np.real(mass.at) == np.real(self.length)]
        return ends.model_copy(update={"tip_mass": float(sum(np.real(mass.mass) for mass in at_tip))})

    def lumps(self) -> "tuple[beams.LumpedMass, ...]":
        """Return its masses as `lissom.beam` takes them."""
        from lissom import beam as beams

        return tuple(
            beams.LumpedMass(
                x=self.length if mass.at is None else mass.at,
                mass=mass.mass,
                com=np.array(mass.com),
                inertia=np.array(mass.inertia),
            )
            for mass in self.masses
        )

    def damping_law(self) -> Any:
        """Return the damping as `lissom.beam` takes it."""
        return self.damping.as_dict() if isinstance(self.damping, Rayleigh) else self.damping

    def profile(self, materials: Mapping[str, Material]) -> "beams.Profile":
        """Return sections along the beam."""
        stations = self.stations
        if self.section is not None:
            places = (0.0, float(np.real(self.length)))
            stations = tuple(Station.model_construct(x=x, section=self.section) for x in places)  # checked already
        factor = None if isinstance(self.shear, str) else self.shear
        return build_profile(stations, self.length, materials, self.material, self.sheared, factor)

    @property
    def has_shape(self) -> bool:
        """Whether the shape of every section is known, and with it stresses."""
        return all(section.rings() is not None for _, section, _ in self._sections())

    @property
    def jumps(self) -> list[float]:
        """Places where one section ends and another begins."""
        pairs = itertools.pairwise(self.stations)
        return [float(np.real(after.x)) for before, after in pairs if np.real(before.x) == np.real(after.x)]

    def section_stress(
        self, x: float, materials: Mapping[str, Material], ending: bool = False
    ) -> "SectionStress | None":
        """Return stresses in the section at x from the forces there; None where only stiffnesses are given.

        Where the section jumps, it is the one that begins there, or the one that is `ending`.
        """
        section, material = self._made_of(x, materials, ending)
        return known_section_stress(section, material)

    def yield_stress(self, x: float, materials: Mapping[str, Material], ending: bool = False) -> float | None:
        """Return the stress at which the section at x yields; None where its material does not say."""
        material = self._made_of(x, materials, ending)[1]
        return None if material is None else material.yield_stress

    def _made_of(
        self, x: float, materials: Mapping[str, Material], ending: bool
    ) -> tuple[SectionSpec, Material | None]:
        section, own = (self.section, None) if self.section is not None else section_at(self.stations, x, ending)
        name = own or self.material
        return section, None if name is None else materials[name]

    def basis_ends(self, section: "beams.Section") -> str | dict[str, Any]:
        """Return end conditions for the basis, tip loads as ratios to the beam's own mass and to rhoA L^3."""
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
