"""Flexible links of any shape: a mesh, a drawing, a frame, matrices of another program, or a link reduced before.

In a file: `finite_elements: {mesh: boom.msh, material: steel, interfaces: {root: {x: 0}, flange: {group: flange}}}`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Strict,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from lissom.errors import LissomError, RobotError
from lissom.files import check_file
from lissom.messages import listed
from lissom.model.flexible.beam_parts import AnyDamping, Rayleigh
from lissom.model.flexible.material import Material
from lissom.model.flexible.section import AnySection
from lissom.model.schema.base_model import FORM, Description, refusals
from lissom.model.schema.name_fields import Choice, Name, Title
from lissom.model.schema.number_fields import Count, Number, is_number, kind_of, refusal
from lissom.model.schema.vector_fields import Vec3, Vector

if TYPE_CHECKING:
    from lissom import fem

SOURCES = ("mesh", "step", "frame", "matrices", "reduced")
METHODS = ("craig-bampton", "guyan", "free-interface")
Corner = Annotated[Vec3, Vector("a corner of the box", "metres")]


def _file(value: Any, info: ValidationInfo) -> str:
    """Return the absolute path of a file named relative to the robot file."""
    if not isinstance(value, str | os.PathLike):
        raise refusal(f"must be the name of a file, not {kind_of(value)}; write it relative to the robot file")
    folder = (info.context or {}).get("folder", "")
    path = Path(folder, os.fspath(value)).absolute()
    if path.suffix.lower() == ".mnf":
        raise refusal(
            "is a modal neutral file, a closed format of one program; have the program that made the mesh write mass "
            "and stiffness matrices (Matrix Market, or Nastran .op4 for lissom.fem.from_nastran), or the mesh"
        )
    if not path.exists():
        raise refusal(f"there is no file {path}; write its path relative to the robot file")
    try:
        check_file(path)
    except LissomError as error:
        raise refusal(str(error)) from None
    return str(path)


def _link_or_file(value: Any, info: ValidationInfo) -> Any:
    from lissom.fem import ReducedLink

    return value if isinstance(value, ReducedLink) else _file(value, info)


File = Annotated[str, BeforeValidator(_file)]


class Place(Description):
    """An interface: the nodes it holds, found by one of several ways, and how they are tied to its frame.

    Without any, it holds the group of the mesh (or the point of the frame) that has the interface's own name.
    """

    what: ClassVar[str] = "interface"

    group: Annotated[str | None, Title("the name of a group of the mesh or a point of the frame")] = None
    x: Annotated[float | None, Number("the plane that holds the surface, x =", "metres")] = None
    y: Annotated[float | None, Number("the plane that holds the surface, y =", "metres")] = None
    z: Annotated[float | None, Number("the plane that holds the surface, z =", "metres")] = None
    box: tuple[Corner, Corner] | None = None
    near: Annotated[Vec3 | None, Vector("the centre of the region", "metres")] = None
    radius: Annotated[float | None, Number("the radius of the region", "metres", above=0)] = None
    nodes: tuple[int, ...] | None = None
    tie: Annotated[str, Choice("how the surface is tied to the frame", ("rigid", "averaging"))] = "rigid"
    origin: Annotated[Vec3 | None, Vector("where the interface's frame sits", "metres")] = None

    @model_validator(mode="after")
    def _one_way(self) -> Place:
        ways = [name for name in ("group", "x", "y", "z", "box", "near", "nodes") if getattr(self, name) is not None]
        if len(ways) > 1:
            raise refusals((ways[1], getattr(self, ways[1]), f"conflicts with {ways[0]}; give one of them"))
        if (self.near is None) != (self.radius is None):
            raise refusals(("radius", self.radius, "missing; near and radius go together"))
        return self

    def select(self, name: str, structure: fem.Structure) -> fem.Interface:
        """Return the interface on a structure."""
        from lissom import fem

        nodes: Any = self.group or name
        if self.nodes is not None:
            nodes = fem.numbered(structure, self.nodes, name)
        elif self.group is None:
            near = None if self.near is None or self.radius is None else (self.near, self.radius)
            nodes = fem.select(structure, {"x": self.x, "y": self.y, "z": self.z}, self.box, near, default=nodes)
        return fem.Interface(name, nodes, self.tie, self.origin)


class FrameMember(Description):
    """A straight member between two points of a frame; `end` is the section at its far end, if it tapers."""

    what: ClassVar[str] = "member"

    between: tuple[str, str] = Field(description="the names of the two points that the member joins")
    section: AnySection = Field(description="the section, as of a beam")
    end: AnySection | None = None
    elements: Annotated[int, Count("the number of elements", at_most=1000)] = 8
    up: Annotated[Vec3 | None, Vector("the direction of the section's z axis")] = None

    @field_validator("section", "end")
    @classmethod
    def _centred(cls, section: Any) -> Any:
        if section is not None and not section.centred:
            text = "a member of a frame takes sections that are symmetric about y and z and not turned or offset"
            raise refusal(f"{text}, without added_mass; use up for its direction, or a beam")
        return section


class Frame(Description):
    """Members of one material between named points."""

    what: ClassVar[str] = "frame"

    points: dict[Annotated[str, Name("the name of the point")], Annotated[Vec3, Vector("the point", "metres")]]
    members: tuple[FrameMember, ...] = Field(description="the members, each with between and section")
    theory: Annotated[str, Choice("the beam theory", ("euler-bernoulli", "timoshenko"))] = "euler-bernoulli"
    shear_factor: Annotated[float, Number("the shear factor of the sections", above=0, at_most=1)] = 5 / 6
    mass: Annotated[str, Choice("the mass matrix", ("consistent", "lumped"))] = "consistent"

    def build(self, material: Any) -> fem.Structure:
        """Return the structure of the members, in `lissom.fem`."""
        from lissom import fem

        members = []
        for member in self.members:
            first = member.section.build(material)
            sections = first if member.end is None else (first, member.end.build(material))
            shear: Any = None
            if self.theory == "timoshenko":
                shear = _shear(sections, material.nu, self.shear_factor)
            members.append(fem.Member(*member.between, sections, member.elements, shear, member.up))
        return fem.frame(self.points, members, self.mass)


def _shear(sections: Any, nu: float, factor: float) -> Any:
    from lissom import fem

    whole = fem.Member("", "", sections)
    return lambda s: fem.shear_stiffness(whole.section_at(s), nu, factor)


class Matrices(Description):
    """Mass and stiffness matrices of the free body (Matrix Market .mtx, or .npz) and its table of nodes."""

    what: ClassVar[str] = "matrices block"

    mass: File = Field(description="the file of the mass matrix")
    stiffness: File = Field(description="the file of the stiffness matrix")
    nodes: File = Field(description="the table of nodes: number, x, y, z in each line")


class Kept(Description):
    """Which modes to keep: one of the three."""

    what: ClassVar[str] = "modes block"
    form: ClassVar[str] = FORM + "block"

    count: Annotated[int | None, Count("the number of modes", at_most=500)] = None
    frequency: Annotated[float | None, Number("the highest frequency", "Hz", above=0)] = None
    effective_mass: Annotated[float | None, Number("the share of effective mass", above=0, at_most=1)] = None

    @model_validator(mode="after")
    def _one(self) -> Kept:
        given = [name for name in ("count", "frequency", "effective_mass") if getattr(self, name) is not None]
        if len(given) != 1:
            text = "missing; give one of count, frequency (Hz) and effective_mass (a share such as 0.95)"
            if given:
                text = f"conflicts with {given[-1]}; give one of them"
            raise refusals(("count", self.count, text))
        return self


AnyKept = Annotated[
    Annotated[int, Count("the number of modes", at_most=500), Tag(FORM + "number")]
    | Annotated[Kept, Tag(FORM + "block")],
    Discriminator(lambda data: FORM + ("number" if is_number(data) else "block")),
]


class FiniteElements(Description):
    """A flexible link of any shape, by finite elements; its frame is that of its base interface, in mesh axes."""

    what: ClassVar[str] = "finite_elements block"

    mesh: File | None = None
    step: File | None = None
    frame: Frame | None = None
    matrices: Matrices | None = None
    reduced: Annotated[Any, BeforeValidator(_link_or_file)] = None
    material: Annotated[str | None, Name("the name of a material of the robot")] = None
    interfaces: dict[Annotated[str, Name("the name of the interface")], Place] = Field(default={})
    base: Annotated[str | None, Name("the interface that carries the link")] = None
    tip: Annotated[str | None, Name("the interface where a child sits by default")] = None
    scale: Annotated[float | None, Number("the mesh's unit of length in metres (0.001 for mm)", above=0)] = None
    size: Annotated[float | None, Number("the size of the elements to make from a step file", "metres", above=0)] = None
    order: Annotated[int, Count("the order of the elements, 1 or 2", at_most=2)] = 2
    method: Annotated[str, Choice("the reduction", METHODS)] = "craig-bampton"
    modes: AnyKept = 10
    augmented: Annotated[bool, Strict()] = True
    damping: AnyDamping = 0.0

    @model_validator(mode="after")
    def _consistent(self) -> FiniteElements:
        given = [name for name in SOURCES if getattr(self, name) is not None]
        if len(given) != 1:
            text = f"give one of {listed(SOURCES)}"
            if not given:
                raise refusals(("mesh", None, f"missing; {text}"))
            raise refusals((given[1], getattr(self, given[1]), f"conflicts with {given[0]}; {text}"))
        if given[0] in ("mesh", "step", "frame") and self.material is None:
            raise refusals(("material", None, "missing; name the material of the link, listed under materials"))
        if given[0] != "reduced" and not self.interfaces:
            raise refusals(("interfaces", None, "missing; give at least one, e.g. {base: {x: 0}, tip: {x: 1.2}}"))
        if self.order == 0:
            raise refusals(("order", 0, "must be 1 or 2; choose 2 unless the mesh is very fine"))
        for field in ("base", "tip") if self.interfaces else ():
            name = getattr(self, field)
            if name is not None and name not in self.interfaces:
                raise refusals((field, name, f"is not an interface; they are {listed(self.interfaces, 'and')}"))
        return self

    @property
    def interface_names(self) -> tuple[str, ...]:
        """Where other links may sit; empty when a file alone knows."""
        from lissom.fem import ReducedLink

        return tuple(self.reduced.interfaces if isinstance(self.reduced, ReducedLink) else self.interfaces)

    def build(self, materials: Mapping[str, Material]) -> fem.ReducedLink:
        """Return the reduced link: from memory or disk if it was made before, else from its source.

        Complex E or rho of the material scale stiffness or mass (for derivatives); other complex numbers are refused.
        """
        from lissom import fem
        from lissom.model.io.robot_paths import has_complex_values

        if has_complex_values(self):
            text = "its numbers cannot be complex; derivatives exist for E and rho of the material"
            raise RobotError(text, ("finite_elements",))
        damping: Any = self.damping.as_dict() if isinstance(self.damping, Rayleigh) else self.damping
        if isinstance(self.reduced, fem.ReducedLink):
            return self.reduced.with_damping(damping) if damping else self.reduced
        if self.reduced is not None:
            loaded = fem.ReducedLink.load(self.reduced)
            return loaded.with_damping(damping) if damping else loaded
        given = None if self.material is None else materials[self.material]
        if given is None:
            return self._reduce_mesh(None).with_damping(damping)
        if isinstance(given.nu, complex) or isinstance(given.G, complex):
            raise RobotError("nu and G of a finite-element link cannot be complex", ("materials", str(self.material)))
        nominal = given.model_copy(update={"E": complex(given.E).real, "rho": complex(given.rho).real})
        link = self._reduce_mesh(nominal)
        if isinstance(given.E, complex) or isinstance(given.rho, complex):
            link = link.scaled(given.E / nominal.E, given.rho / nominal.rho)
        return link.with_damping(damping)

    def _reduce_mesh(self, material: Material | None) -> fem.ReducedLink:
        from lissom.fem import reduction_cache

        files = [self.mesh, self.step]
        if self.matrices is not None:
            files += [self.matrices.mass, self.matrices.stiffness, self.matrices.nodes]
        paths = [file for file in files if file is not None]
        settings = {
            "finite_elements": self.model_dump(mode="json", exclude={"damping", "mesh", "step", "matrices"}),
            "material": None if material is None else material.model_dump(mode="json"),
            "source": [next(name for name in SOURCES if getattr(self, name) is not None)],
            "formats": [Path(path).suffix for path in paths],  # contents stand in the key, names do not
        }
        key = reduction_cache.key(json.dumps(settings, sort_keys=True), paths)
        return reduction_cache.get(key, lambda progress: self._reduce(material, progress))

    def _reduce(self, material: Material | None, progress: Any) -> fem.ReducedLink:
        from lissom import fem

        structure = self._structure(material, progress)
        selection: Any = self.modes if isinstance(self.modes, int) else fem.Selection(**self.modes.model_dump())
        try:
            return fem.reduce(
                structure,
                [place.select(name, structure) for name, place in self.interfaces.items()],
                selection,
                self.method,
                base=self.base,
                tip=self.tip,
                augmented=self.augmented,
                progress=progress,
            )
        except LissomError as error:
            raise RobotError(f"{self._source}: {error}") from None

    @property
    def _source(self) -> str:
        return str(self.mesh or self.step or (self.matrices and self.matrices.stiffness) or "frame")

    def _structure(self, material: Material | None, progress: Any) -> fem.Structure:
        from lissom import fem

        made = None if material is None else material.build()
        if self.frame is not None:
            return self.frame.build(made)
        if self.matrices is not None:
            paths = self.matrices
            return fem.from_matrices(paths.mass, paths.stiffness, paths.nodes, scale=self.scale)
        assert made is not None  # checked with the schema
        progress("reading the mesh")
        if self.step is not None:
            mesh = fem.mesh_step(self.step, self.size, order=self.order, scale=self.scale)
        else:
            assert self.mesh is not None
            mesh = fem.read_mesh(self.mesh, scale=self.scale)
        return fem.solid(mesh, made, order=self.order, progress=progress)
