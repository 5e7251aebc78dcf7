"""Joints: how a link may move on its parent, and what acts in the joint."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from lissom.kernel.data.arrays import POWERS
from lissom.model.description.joint_actions import Friction, Limits, Spring, Transmission
from lissom.model.description.joint_kinds import KINDS, Kind
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Number, PerCoordinate, refusal, wrong_kind
from lissom.model.schema.units import DAMPING
from lissom.model.schema.vector_fields import Axis, Vec3, Vector
from lissom.model.schema.written_forms import Schema
from lissom.plugins import load_plugins

# Fields that couple turn and slide: how one is given, and which joint has it.
COUPLINGS = (
    ("pitch", "the slide per turn, e.g. pitch: 5 mm", "a helical one"),
    ("path", "rows of a polynomial, e.g. path: [[0, 0, 0.02], [0.01, 0, 0]]", "a guided one"),
)


class Joint(Description):
    """The motion of a link on its parent.

    After validation `axes` holds the unit axes: one for revolute, prismatic, helical, guided and cylindrical joints
    (given as `axis`), two for universal and planar ones (given as `axes`), none for the rest. A guided joint turns its
    child by q about its axis and moves it to the point r(q) of its `path`, in the axes of the child.
    """

    what: ClassVar[str] = "joint"
    also: ClassVar[tuple[Schema, ...]] = ({"enum": list(KINDS)},)  # its type alone

    name: Annotated[str, Name("the name of the joint")] = ""  # the link fills in its own name
    type: Annotated[str, Choice("the type of the joint", KINDS)]
    axis: Annotated[Vec3 | None, Axis("the joint's axis")] = None
    axes: tuple[Annotated[Vec3, Axis("the joint's axis")], ...] = Field(default=(), validate_default=True)
    pitch: Annotated[float, Number("the slide per turn, positive for a right-hand thread,", "metres")] = 0.0
    path: tuple[Annotated[Vec3, Vector("the coefficients of a power of q", "metres")], ...] = ()
    damping: Annotated[PerCoordinate, Number("the joint's damping", DAMPING, at_least=0, each=True)] = 0.0
    friction: Friction | None = None
    spring: Spring | None = None
    limits: Limits | None = None
    transmission: Transmission | None = None

    @property
    def kind(self) -> Kind:
        """Its row in the table of kinds."""
        return KINDS[self.type]

    @property
    def nq(self) -> int:
        """Number of configuration coordinates."""
        return len(self.kind.position_names)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return len(self.kind.velocity_names)

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the configuration coordinates: `elbow`, or `shoulder.1`, `shoulder.2`, ..."""
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.position_names)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocity coordinates."""
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.velocity_names)

    @property
    def elastic(self) -> bool:
        """Whether the joint has an elastic transmission, hence a rotor coordinate."""
        return self.transmission is not None and self.transmission.elastic

    def each(self, value: PerCoordinate) -> tuple[float, ...]:
        """Return a value per velocity coordinate, from one value for all or from the list itself."""
        return tuple(value) if isinstance(value, tuple) else (value,) * self.nv

    @model_validator(mode="before")
    @classmethod
    def _from_type_alone(cls, data: Any) -> Any:
        data = {"type": data} if isinstance(data, str) else data
        if isinstance(data, dict) and isinstance(word := data.get("type"), str) and word not in KINDS:
            load_plugins()
        return data

    @field_validator("axes")
    @classmethod
    def _axes_of_the_type(cls, axes: tuple[Vec3, ...], info: Any) -> tuple[Vec3, ...]:
        kind, axis = info.data.get("type"), info.data.get("axis")
        if kind is None or "axis" not in info.data:
            return axes
        shared = KINDS[kind]
        if shared.axes == 1:
            if axes and axes != (axis,):
                raise refusal(f"a {kind} joint has one axis; write axis: [x, y, z] instead")
            return (axis,) if axis is not None else ()
        if shared.square and not axes:
            axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        if shared.axes == 2:
            _check_pair(kind, axes)
        elif axes:
            raise refusal(f"a {kind} joint has no axes; remove this field")
        return axes

    @model_validator(mode="after")
    def _fits_the_type(self) -> Self:
        problems: list[tuple[tuple[str | int, ...] | str, Any, str]] = []
        kind = self.kind
        driven = (name for name, other in KINDS.items() if other.single)
        # axes and what couples turn and slide
        if self.axis is None and kind.axes == 1:
            text = f"missing; give the axis of the {self.type} joint, e.g. axis: [0, 0, 1]"
            problems.append(("axis", None, text))
        if self.axis is not None and kind.axes != 1:
            remedy = "give two axes as axes: [[x, y, z], [x, y, z]]" if kind.axes == 2 else "remove this field"
            problems.append(("axis", self.axis, f"a {self.type} joint has no single axis; {remedy}"))
        for field, remedy, user in COUPLINGS:
            value = getattr(self, field)
            if kind.coupled == field and not value:
                problems.append((field, value, f"missing; give {remedy}"))
            if kind.coupled != field and value:
                problems.append((field, value, f"a {self.type} joint has no {field}; use {user}, or remove this field"))
        if len(self.path) > POWERS:
            problems.append(("path", self.path, f"has more than {POWERS} rows; leave out the highest powers"))
        # what acts in the joint needs a coordinate of its own
        for field in ("friction", "spring", "limits"):
            block = getattr(self, field)
            if block is None:
                continue
            if not kind.motions or (field != "friction" and kind.on_group):
                others = f"a {_either(name for name, other in KINDS.items() if other.axes)} joint"
                text = f"a {self.type} joint cannot have this; use {others}, or remove this field"
                problems.append((field, block, text))
        if not kind.motions and self.damping != 0.0:
            problems.append(("damping", self.damping, "a fixed joint does not move; remove this field"))
        if self.transmission is not None and not kind.single:
            text = f"works on a {_either(driven)} joint, not on a {self.type} one; remove this field"
            problems.append(("transmission", self.transmission, text))
        if problems:
            raise refusals(*problems)
        self._check_sizes()
        self._check_units()
        return self

    @property
    def stops(self) -> Limits | None:
        """The limits, where stops hold the joint there."""
        return None if self.limits is None or self.limits.stiffness is None else self.limits

    def _check_sizes(self) -> None:
        blocks: list[Description | None] = [self.friction, self.spring, self.limits]
        lists = [(("damping",), self.damping)] + [
            ((block_name, field), getattr(block, field))
            for block_name, block in zip(("friction", "spring", "limits"), blocks)
            if block is not None
            for field in type(block).model_fields
        ]
        text = f"must be one number or a list of {self.nv}, one for each coordinate of the {self.type} joint"
        wrong = [(path, value, text) for path, value in lists if isinstance(value, tuple) and len(value) != self.nv]
        if wrong:
            raise refusals(*wrong)

    def _check_units(self) -> None:
        """Refuse numbers in units of the wrong kind, such as degrees on a prismatic joint."""
        moved = self.kind.velocity_units
        wrong: list[tuple[tuple[str | int, ...], Any, str]] = []
        if text := wrong_kind(self.damping, DAMPING, moved):
            wrong.append((("damping",), self.damping, text))
        for name in ("friction", "spring", "limits", "transmission"):
            if (block := getattr(self, name)) is not None:
                from lissom.model.description.joint_actions import unit_problems

                wrong += [((name, *path), value, text) for path, value, text in unit_problems(block, moved)]
        if wrong:
            raise refusals(*wrong)


def _check_pair(kind: str, axes: tuple[Vec3, ...]) -> None:
    if len(axes) != 2:
        raise refusal(f"a {kind} joint needs two axes, not {len(axes)}; give axes: [[x, y, z], [x, y, z]]")
    first, second = np.array(axes[0]), np.array(axes[1])
    if np.linalg.norm(np.cross(first, second)) < 1e-6:
        raise refusal(f"the two axes of a {kind} joint must not be parallel; turn one of them")
    if KINDS[kind].square and abs(first @ second) > 1e-6:
        raise refusal(f"the two axes of a {kind} joint must be at right angles; turn one of them")


def _either(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
