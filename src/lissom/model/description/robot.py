"""The robot: a tree of links, each joined to its parent; immutable and checked as a whole."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, PlainValidator, field_validator, model_validator

from lissom.errors import LissomError, RobotError
from lissom.files import write_whole
from lissom.model.compilation.attachment_points import acting_places
from lissom.model.compilation.end_conditions import NOT_HELD, EndConditions, end_conditions, links_on_loops
from lissom.model.description import robot_checks
from lissom.model.description.body import AnyBody
from lissom.model.description.contact import Contact
from lissom.model.description.frame import Frame, placed
from lissom.model.description.joint import Joint
from lissom.model.description.kinematic_loop import Loop
from lissom.model.description.location import AnyPlace
from lissom.model.description.origin import Origin
from lissom.model.description.visual import Visual
from lissom.model.flexible.beam import Beam
from lissom.model.flexible.material import Material
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.lazy_fields import lazy
from lissom.model.schema.name_fields import Name, Title
from lissom.model.schema.number_fields import is_number, refusal
from lissom.model.schema.tolerances import Tolerance, size_of, without_tolerances
from lissom.model.schema.vector_fields import Vec3, Vector

if TYPE_CHECKING:
    from lissom.beam import FlexibleLink, Place
    from lissom.model.actuators.actuator import Actuator
    from lissom.model.description.force_elements import Element
    from lissom.model.description.sensor import AnySensor
    from lissom.model.flexible.finite_elements import FiniteElements
    from lissom.model.model import Model
else:
    Actuator = lazy("lissom.model.actuators.registry:ACTUATORS")
    Element = lazy("lissom.model.description.force_elements:ELEMENTS")
    FiniteElements = lazy("lissom.model.flexible.finite_elements:FiniteElements")
    AnySensor = lazy("lissom.model.description.sensor:AnySensor")

FORMAT = 1
EARTH: Vec3 = (0.0, 0.0, -9.81)
WORLD = "world"
PAYLOAD = "payload"  # ends the name of the body that a link carries as its payload


def _known_format(value: Any) -> int:
    if isinstance(value, bool) or value != FORMAT:
        raise refusal(f"is not a format version this lissom reads; write lissom: {FORMAT}")
    return FORMAT


FormatVersion = Annotated[int, PlainValidator(_known_format)]


class Link(Description):
    """One link: a `beam`, a body of `finite_elements` or a rigid `body`, and the joint that carries it.

    The joint sits on the parent as any frame does (`lissom.model.description.frame.Frame`): at the parent's tip unless
    `at` (of a beam or finite elements) or `origin.xyz` (of a rigid body, from its own frame) says where.
    """

    what: ClassVar[str] = "link"

    name: Annotated[str, Name("the name of the link")]
    parent: Annotated[str, Name("the name of the parent link")] = ""  # the robot fills in the previous link
    at: AnyPlace | None = None
    origin: Origin = Origin()
    joint: Joint = Field(description="how the link is joined: fixed, or {type: revolute, axis: [0, 0, 1]} and the like")
    beam: Beam | None = None
    finite_elements: FiniteElements | None = None
    body: AnyBody | None = None
    payload: Annotated[
        AnyBody | None,
        Field(description="the body that the link carries at its tip: {mass: ..., com: ..., inertia: ...}"),
    ] = None
    visual: tuple[Visual, ...] = ()

    @field_validator("name")
    @classmethod
    def _not_the_world(cls, name: str) -> str:
        if name == WORLD:
            raise refusal("is the name of the fixed ground; give the link another name")
        return name

    @field_validator("joint")
    @classmethod
    def _name_joint(cls, joint: Joint, info: Any) -> Joint:
        """Return a joint without a name takes the link's."""
        if not joint.name and "name" in info.data:
            return joint.model_copy(update={"name": info.data["name"]})
        return joint

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = [name for name in ("beam", "finite_elements", "body") if getattr(self, name) is not None]
        if len(kinds) != 1:
            text = "give either beam or finite_elements (a flexible link), or body (a rigid one)"
            if not kinds:
                raise refusals(("beam", None, f"missing; {text}"))
            raise refusals((kinds[1], getattr(self, kinds[1]), f"conflicts with {kinds[0]}; {text}, not both"))
        return self

    @property
    def flexible(self) -> bool:
        """Whether it bends."""
        return self.body is None

    @property
    def payload_name(self) -> str:
        """The name of the body that it carries."""
        return f"{self.name}-{PAYLOAD}"

    def carried(self) -> "Link | None":
        """Return its payload as a link of its own, fixed to the tip of the beam, the body or the finite elements."""
        if self.payload is None:
            return None
        name = self.payload_name
        return Link(name=name, parent=self.name, joint=Joint(name=name, type="fixed"), body=self.payload)

    def build(
        self, materials: dict[str, Material], how: EndConditions = NOT_HELD, places: "tuple[Place, ...]" = ()
    ) -> "FlexibleLink | None":
        """Return the mechanics of a link that bends; None of a rigid one.

        Of a beam: `how` its ends are held, and `places` where something acts inside its span.
        """
        if self.beam is not None:
            with self._named_in_errors():
                return self.beam.build(materials, how, places)
        return None if self.finite_elements is None else self.finite_elements.build(materials)

    @contextmanager
    def _named_in_errors(self) -> Iterator[None]:
        try:
            yield
        except LissomError as error:
            error.add_outer("links", self.name, "beam")
            raise RobotError.of(error) from None


def _place_link(link: Link, parent: Link) -> Link:
    origin = placed(parent, link.origin)
    return link if origin is link.origin else link.model_copy(update={"origin": origin})


class Robot(Description):
    """A whole robot. `links` are in the order of the file, every `parent` filled in; see also `bodies`."""

    what: ClassVar[str] = "robot"

    lissom: FormatVersion = FORMAT
    name: Annotated[str, Title("the name of the robot")]
    gravity: Annotated[Vec3, Vector("the acceleration of gravity in the world frame", "m/s2")] = EARTH
    materials: dict[Annotated[str, Name("the name of the material")], Material] = Field(default={})
    visual: Annotated[tuple[Visual, ...], Field(description="shapes that stand still in the world")] = ()
    links: tuple[Link, ...] = Field(description="the list of links, each with name, joint, and beam or body")
    loops: Annotated[
        tuple[Loop, ...], Field(description="joints that close loops, each with name, joint, between")
    ] = ()
    elements: Annotated[tuple[Element, ...], Field(description="springs, ropes, cylinders between links")] = ()
    actuators: Annotated[tuple[Actuator, ...], Field(description="motors, hydraulic cylinders, tendons, winches")] = ()
    contacts: Annotated[tuple[Contact, ...], Field(description="spheres and the surfaces they may touch")] = ()
    sensors: Annotated[tuple[AnySensor, ...], Field(description="encoders, strain gauges, accelerometers, ...")] = ()

    tolerances: dict[str, Annotated[float | str, Tolerance()]] = Field(
        default={}, description="by how much numbers may be off, by path: {materials.steel.E: 3 %}"
    )

    @model_validator(mode="before")
    @classmethod
    def _inline_tolerances(cls, data: Any) -> Any:
        return without_tolerances(data) if isinstance(data, dict) else data

    @field_validator("links")
    @classmethod
    def _parents(cls, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Fill in the default parents: the previous link, for the first one the world."""
        if not links:
            raise refusal("is an empty list; give at least one link")
        before = [WORLD, *(link.name for link in links)]
        return tuple(
            link.model_copy(update={"parent": default}) if not link.parent else link
            for link, default in zip(links, before)
        )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        problems = robot_checks.problems(self) or list(self._wrong_tolerances())
        if problems:
            raise refusals(*problems)
        return self

    def toleranced(self) -> dict[str, tuple[float, float]]:
        """Return every number that is known within a tolerance, by path: its value and the tolerance, in SI units."""
        from lissom.model.io.robot_paths import get, unit_of

        values = {path: float(np.real(get(self, path))) for path in self.tolerances}
        return {
            path: (value, size_of(self.tolerances[path], value, unit_of(self, path))) for path, value in values.items()
        }

    def _wrong_tolerances(self) -> Iterator[tuple[tuple[str | int, ...], Any, str]]:
        from lissom.model.io.robot_paths import get, unit_of

        for path, tolerance in self.tolerances.items():
            try:
                value = get(self, path)
                if not is_number(value) and not isinstance(value, complex):
                    raise ValueError("leads to no number; give the path of one, such as materials.steel.E")
                size_of(tolerance, float(np.real(value)), unit_of(self, path))
            except (LissomError, ValueError) as error:
                yield ("tolerances", path), tolerance, getattr(error, "text", str(error))

    @property
    def bodies(self) -> tuple[Link, ...]:
        """The links and their payloads, each with the `origin` where it sits, a parent before its children."""
        carried = (link.carried() for link in self.links)
        links = (*self.links, *(link for link in carried if link is not None))
        tipped = {link.name: link for link in self.links if getattr(link.body, "tip", None) is not None}
        if tipped:
            links = tuple(_place_link(link, tipped[link.parent]) if link.parent in tipped else link for link in links)
        return robot_checks.sort_links(links)

    @property
    def closures(self) -> tuple[Loop, ...]:
        """The loops, and each cylinder whose length is given as the loop that holds it; frames where they sit."""
        driven = (part.held() for part in self.elements)
        loops = (*self.loops, *(loop for loop in driven if loop is not None))
        return tuple(loop.model_copy(update={"between": tuple(map(self.placed, loop.between))}) for loop in loops)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames that its elements, contacts, actuators and loops need, in their order."""
        parts: tuple[Element | Contact, ...] = (*self.elements, *self.contacts)
        outside = (frame for part in parts for _, frame in part.frames())
        moved = (frame for actuator in self.drives for _, frame in actuator.frames(self))
        return (*outside, *moved, *(frame for loop in self.closures for frame in loop.between))

    def placed(self, frame: Frame) -> Frame:
        """Return a frame with the `origin` where it sits: at the tip of a rigid link where it does not say."""
        link = next((link for link in self.links if link.name == frame.link), None)
        origin = placed(link, frame.origin)
        return frame if origin is frame.origin else frame.model_copy(update={"origin": origin})

    def link(self, name: str) -> Link:
        """Return the link of that name; NAME-payload is the body that a link carries."""
        for link in self.links:
            if link.name == name:
                return link
            if name == link.payload_name and (carried := link.carried()):
                return carried
        from lissom.messages import did_you_mean

        names = [link.name for link in self.links]
        raise RobotError(
            f"{self.name} has no link {name!r}{did_you_mean(name, names)}; its links are {', '.join(names)}"
        )

    @property
    def nq(self) -> int:
        """Size of the configuration: joint coordinates, modes and rotors."""
        return sum(link.joint.nq for link in self.links) + self.mode_count + self.rotor_count

    @property
    def nv(self) -> int:
        """Size of the velocity: degrees of freedom, and the states of actuators."""
        return sum(link.joint.nv for link in self.links) + self.mode_count + self.rotor_count + self.state_count

    @property
    def state_count(self) -> int:
        """Number of states of all actuators."""
        return sum(len(actuator.states(self)) for actuator in self.drives)

    @property
    def drives(self) -> "tuple[Actuator, ...]":
        """The actuators, what they bring along, and friction with bristles in joints: rows of the kernel's table."""
        rubbing = [link.joint for link in self.bodies if link.joint.friction and link.joint.friction.law != "smooth"]
        brought = [more for actuator in self.actuators for more in actuator.companions()]
        if not rubbing:
            return (*self.actuators, *brought)
        from lissom.model.actuators.bristle_friction import bristles_of

        return (*self.actuators, *brought, *(row for joint in rubbing for row in bristles_of(joint)))

    @property
    def mode_count(self) -> int:
        """Number of shape functions of all links."""
        return sum(link.count for link in self.flexible_links().values())

    def flexible_links(self) -> "dict[str, FlexibleLink]":
        """Return the mechanics of every link that bends, by name, a parent before its children."""
        on_loops = links_on_loops(self)
        built = {
            link.name: link.build(self.materials, end_conditions(self, link, on_loops), acting_places(self, link))
            for link in self.bodies
        }
        return {name: mechanics for name, mechanics in built.items() if mechanics is not None}

    def on_chord(self, link: str) -> bool:
        """Return whether a link's frame lies on its chord, so that nothing may drive its joint."""
        beam = self.link(link).beam
        return beam is not None and beam.frame == "chord"

    @property
    def rotor_count(self) -> int:
        """Number of rotors behind elastic gears."""
        return sum(link.joint.elastic for link in self.links)

    @property
    def warnings(self) -> list[str]:
        """Doubts about the description that do not forbid a model."""
        return robot_checks.doubts(self)

    def compile(self, **options: Any) -> "Model":
        """Return the flat model that the dynamics functions take."""
        from lissom.model.compilation.compiler import compile_robot

        return compile_robot(self, **options)

    def value(self, path: str) -> Any:
        """Return the value at a path such as "links.upper.beam.length" or "materials.steel.E"."""
        from lissom.model.io.robot_paths import get

        return get(self, path)

    def has_complex_values(self) -> bool:
        """Return whether any number is complex, so that the compiled model is."""
        from lissom.model.io.robot_paths import has_complex_values

        return has_complex_values(self)

    def with_value(self, path: str, value: Any) -> "Robot":
        """Return a robot that differs in one value; see `value` for the path.

        A complex number is taken as it is: its tiny imaginary part carries a derivative through `compile`.
        """
        return self.with_values([(path, value)])

    def with_values(self, changes: Iterable[tuple[str, Any]]) -> "Robot":
        """Return a robot that differs in several values, checked once all are in their places."""
        from lissom.model.io.robot_paths import replace_values

        return replace_values(self, changes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data as in a robot file, without what equals its default."""
        from lissom.model.io.to_dict import to_dict

        return to_dict(self)

    def to_yaml(self) -> str:
        """Return the text of a robot file; reading it gives an equal robot."""
        from lissom.model.io.yaml_writer import write

        return write(self.to_dict())

    @classmethod
    def from_dict(cls, data: Any) -> "Robot":
        """Make a robot of plain data: the mapping that a robot file holds, by its links or in another form (`dh`)."""
        if isinstance(data, dict) and "links" not in data:
            from lissom.model.importers import registry
            from lissom.model.io.robot_files import text_of

            importer = registry.by_key(data)
            if importer is not None and importer.form is not None:
                return importer.form.from_dict(data).robot("", text_of)
        return super().from_dict(data)

    @classmethod
    def from_yaml(cls, text: str) -> "Robot":
        """Return a robot from the text of a robot file."""
        from lissom.model.io.robot_files import FoundFile

        return FoundFile(text, "<text>").robot()

    def save(self, path: str | Path) -> None:
        """Write the robot file."""
        write_whole(path, self.to_yaml())

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.describe())}</pre>"

    def describe(self) -> str:
        """Return tables of links, joints, masses, degrees of freedom and natural frequencies, as text."""
        from lissom.model.robot_tables import describe

        return describe(self)
