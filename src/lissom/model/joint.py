"""Joints: how a link may move on its parent, and what acts in the joint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from lissom.model.joint_kinds import KINDS, Kind
from lissom.model.names import Choice, Name
from lissom.model.part import Part, refusals
from lissom.model.values import Axis, Number, PerCoordinate, Vec3, refusal


class Friction(Part):
    """Friction torque or force: viscous, plus Coulomb friction smoothed over `velocity`."""

    what: ClassVar[str] = "friction"

    coulomb: Annotated[PerCoordinate, Number("the Coulomb friction", "N m (N when sliding)", at_least=0, each=True)] = (
        0.0
    )
    velocity: Annotated[
        PerCoordinate,
        Number(
            "the speed over which Coulomb friction is smoothed",
            "rad/s (m/s when sliding)",
            above=0,
            each=True,
        ),
    ] = 0.01
    viscous: Annotated[
        PerCoordinate, Number("the viscous friction", "N m s/rad (N s/m when sliding)", at_least=0, each=True)
    ] = 0.0


class Spring(Part):
    """A linear spring in the joint, relaxed at `rest`."""

    what: ClassVar[str] = "spring"

    stiffness: Annotated[PerCoordinate, Number("the stiffness", "N m/rad (N/m when sliding)", at_least=0, each=True)]
    rest: Annotated[
        PerCoordinate, Number("the coordinate at which the spring is relaxed", "rad or metres", each=True)
    ] = 0.0


class Limits(Part):
    """Soft stops at `lower` and `upper`: beyond them a stiff spring and a damper, blended in over `width`."""

    what: ClassVar[str] = "limits block"

    lower: Annotated[PerCoordinate, Number("the lower limit", "rad or metres", each=True)]
    upper: Annotated[PerCoordinate, Number("the upper limit", "rad or metres", each=True)]
    stiffness: Annotated[
        PerCoordinate, Number("the stiffness of the stop", "N m/rad (N/m when sliding)", above=0, each=True)
    ]
    damping: Annotated[
        PerCoordinate,
        Number("the damping of the stop", "N m s/rad (N s/m when sliding)", at_least=0, each=True),
    ] = 0.0
    width: Annotated[
        PerCoordinate | None,
        Number("the width over which the stop sets in", "rad or metres", above=0, each=True),
    ] = Field(default=None, validate_default=True)

    @field_validator("upper")
    @classmethod
    def _above_lower(cls, upper: PerCoordinate, info: Any) -> PerCoordinate:
        lower = info.data.get("lower")
        if lower is not None and _same_size(lower, upper) and np.any(np.subtract(upper, lower) <= 0):
            raise refusal(f"must be greater than lower = {_brief(lower)}; exchange or correct the two limits")
        return upper

    @field_validator("width")
    @classmethod
    def _default_width(cls, width: PerCoordinate | None, info: Any) -> PerCoordinate | None:
        """One percent of the range, unless given."""
        lower, upper = info.data.get("lower"), info.data.get("upper")
        if width is not None or lower is None or upper is None or not _same_size(lower, upper):
            return width
        if isinstance(lower, tuple) or isinstance(upper, tuple):
            return tuple(float(w) for w in 0.01 * np.subtract(upper, lower))
        return 0.01 * (upper - lower)


class Transmission(Part):
    """A motor's rotor behind a gear.

    With `stiffness` the gear is elastic and the rotor has a coordinate of its own (its angle referred to the
    joint); without it the gear is rigid and the reflected inertia gear^2 rotor_inertia joins the joint.
    """

    what: ClassVar[str] = "transmission"

    stiffness: Annotated[float | None, Number("the stiffness of the gear", "N m/rad (N/m when sliding)", above=0)] = (
        None
    )
    rotor_inertia: Annotated[float, Number("the rotor's inertia", "kg m2 (kg when sliding)", at_least=0)]
    gear: Annotated[float, Number("the gear ratio (motor turns per joint turn)", above=0)] = 1.0
    damping: Annotated[float, Number("the damping of the gear", "N m s/rad (N s/m when sliding)", at_least=0)] = 0.0

    @model_validator(mode="after")
    def _rotor_can_move(self) -> Transmission:
        if self.stiffness is not None and self.rotor_inertia == 0:
            text = "must be positive behind an elastic gear; give the rotor's inertia in kg m2"
            raise refusals(("rotor_inertia", 0.0, text))
        if self.stiffness is None and self.damping > 0:
            text = "acts across a stiffness, which is missing; give the stiffness, or use the joint's damping"
            raise refusals(("damping", self.damping, text))
        return self


class Joint(Part):
    """The motion of a link on its parent.

    After validation `axes` holds the unit axes: one for revolute, prismatic, helical and cylindrical joints (given
    as `axis`), two for universal and planar ones (given as `axes`), none for the rest.
    """

    what: ClassVar[str] = "joint"

    name: Annotated[str, Name("the name of the joint")] = ""  # the link fills in its own name
    type: Annotated[str, Choice("the type of the joint", tuple(KINDS))]
    axis: Annotated[Vec3 | None, Axis("the joint's axis")] = None
    axes: tuple[Annotated[Vec3, Axis("the joint's axis")], ...] = Field(default=(), validate_default=True)
    pitch: Annotated[float, Number("the pitch, positive for a right-hand thread", "m per turn")] = 0.0
    damping: Annotated[
        PerCoordinate, Number("the joint's damping", "N m s/rad (N s/m when sliding)", at_least=0, each=True)
    ] = 0.0
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
        return self.transmission is not None and self.transmission.stiffness is not None

    def each(self, value: PerCoordinate) -> tuple[float, ...]:
        """A value per velocity coordinate, from one value for all or from the list itself."""
        return tuple(value) if isinstance(value, tuple) else (value,) * self.nv

    @model_validator(mode="before")
    @classmethod
    def _from_type_alone(cls, data: Any) -> Any:
        return {"type": data} if isinstance(data, str) else data

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
    def _fits_the_type(self) -> Joint:
        problems: list[tuple[tuple[str | int, ...] | str, Any, str]] = []
        kind = self.kind
        driven = (name for name, other in KINDS.items() if other.single)
        if self.axis is None and kind.axes == 1:
            text = f"missing; give the axis of the {self.type} joint, e.g. axis: [0, 0, 1]"
            problems.append(("axis", None, text))
        if self.axis is not None and kind.axes != 1:
            remedy = "give two axes as axes: [[x, y, z], [x, y, z]]" if kind.axes == 2 else "remove this field"
            problems.append(("axis", self.axis, f"a {self.type} joint has no single axis; {remedy}"))
        if kind.pitched and self.pitch == 0:
            problems.append(("pitch", self.pitch, "missing; give the slide in m per turn, e.g. pitch: 0.005"))
        if self.pitch != 0 and not kind.pitched:
            text = f"a {self.type} joint has no pitch; use a helical one, or remove this field"
            problems.append(("pitch", self.pitch, text))
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
        return self

    def _check_sizes(self) -> None:
        blocks: list[Part | None] = [self.friction, self.spring, self.limits]
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


def _same_size(a: PerCoordinate, b: PerCoordinate) -> bool:
    return not (isinstance(a, tuple) and isinstance(b, tuple)) or len(a) == len(b)


def _brief(value: PerCoordinate) -> str:
    return f"{value:g}" if isinstance(value, float) else "[" + ", ".join(f"{v:g}" for v in value) + "]"
