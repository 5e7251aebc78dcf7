"""Loads: forces and torques over time at points of links, and the thrust of cylinders."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.control.references.reference import Reference
from lissom.control.schema.time_series_schema import RATE, AnySeries, Given, series_reference
from lissom.errors import LissomError, within
from lissom.messages import suggestion
from lissom.model.description.frame import Frame, frame_problems
from lissom.model.description.location import AnyPlace
from lissom.model.description.origin import Origin
from lissom.model.model import Model
from lissom.model.schema.base_model import Description, as_parts, refusals
from lissom.model.schema.name_fields import Choice, Name
from lissom.model.schema.number_fields import Number

AXES = ("world", "local")
TORQUE, FORCE = 0, 3  # where they begin in a wrench
NO_LOADS = Reference(np.array([0.0, 1.0]), np.zeros((1, 0, 6)))


class Load(Description):
    """A force and a torque over time on a link, or the thrust of a cylinder.

    >>> Load(link="forearm", at=0.93, force=[0, 0, -20])
    >>> Load(element="lift", force=Reference.step(0, 5e4, at=1.0))

    They act at the frame that `link`, `at` and `origin` place (its tip unless given), in world axes or, with
    `frame="local"`, in its own.
    A function (t) or (t, q, v) is sampled `rate` times per second: the first is smooth between samples, the second is
    held.
    """

    what: ClassVar[str] = "load"
    whole: ClassVar[str] = "list of loads"
    error: ClassVar[type[LissomError]] = LissomError

    name: Annotated[str | None, Name("the name of the load")] = None
    link: Annotated[str | None, Name("the link on which the load acts")] = None
    element: Annotated[str | None, Name("the cylinder that the load drives")] = None
    at: AnyPlace | None = Field(
        default=None, description="the place along a beam in metres, or an interface; the tip unless given"
    )
    origin: Origin = Field(
        default=Origin(), description="the point as seen from there; on a rigid link, from its frame"
    )
    force: AnySeries | None = Field(default=None, description="three numbers in N, or a reference over time")
    torque: AnySeries | None = Field(default=None, description="three numbers in N m, or a reference over time")
    frame: Annotated[str, Choice("the axes of the load", AXES)] = "world"
    rate: Annotated[float, Number("the samples of a function per second", "Hz", above=0, at_most=1e6)] = RATE

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.link is None) == (self.element is None):
            text = "give either the link on which the load acts, or the element (a cylinder) that it drives"
            raise refusals(("link", self.link, f"missing; {text}" if self.link is None else f"{text}, not both"))
        if self.force is None and self.torque is None:
            raise refusals(("force", None, "missing; give force, torque or both, such as force: [0, 0, -20]"))
        if self.element is not None:
            for name in ("torque", "at"):
                if getattr(self, name) is not None:
                    raise refusals((name, getattr(self, name), "a cylinder takes a force alone; remove it"))
        return self


@dataclass
class ActiveLoads:
    """The loads of a run as compiled code takes them, k numbers in all."""

    names: tuple[str, ...] = ()  # of the loads on links
    frames: tuple[Frame, ...] = ()  # where they act
    in_world: tuple[bool, ...] = ()
    row: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # (k,) row on which a number acts
    entry: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # (k,) which of the six of its wrench
    reference: Reference = NO_LOADS
    functions: tuple[tuple[Callable[..., Any], float, slice], ...] = ()  # sampled: function (t, q, v), rate, numbers
    values: np.ndarray | None = None  # (N, k) at the samples of a run

    def samplers(self) -> list[Sampler]:
        """Return the sampled functions at the beginning of a run."""
        return [Sampler(*each) for each in self.functions]

    def at_start(self, q: np.ndarray, v: np.ndarray) -> dict[int, np.ndarray]:
        """Return wrenches (6,) at t = 0, by row of the loaded model; functions of the state are asked at (q, v)."""
        values = np.array(self.reference(0.0)[0], float)
        for sampler in self.samplers():
            sampler.sample(0.0, q, v, values)
        out: dict[int, np.ndarray] = {}
        for row, entry, value in zip(self.row.tolist(), self.entry.tolist(), values.tolist(), strict=True):
            out.setdefault(row, np.zeros(6))[entry] += value
        return out

    def wrenches(self, first: int) -> np.ndarray:
        """Return (N, loads, 6) of the loads on links, in the axes they are given in; `first`: row of their frames."""
        return self.on_rows(first + len(self.names))[:, first:]

    def on_rows(self, rows: int) -> np.ndarray:
        """Return (N, rows, 6) of all loads at the samples of a run, by row of the loaded model."""
        assert self.values is not None
        out = np.zeros((len(self.values), rows, 6))
        for k, (row, entry) in enumerate(zip(self.row.tolist(), self.entry.tolist(), strict=True)):
            out[:, row, entry] = self.values[:, k]
        return out


class Sampler:
    """A function (t, q, v) whose values are held from sample to sample."""

    def __init__(self, function: Callable[..., Any], rate: float, numbers: slice) -> None:
        self.function, self.period, self.numbers = function, 1.0 / rate, numbers
        self.count = 0

    @property
    def next_time(self) -> float:
        """When its next sample is due."""
        return self.count * self.period

    def sample(self, t: float, q: np.ndarray, v: np.ndarray, held: np.ndarray) -> None:
        """Put its values at the time t into `held`."""
        value = np.asarray(self.function(t, q.copy(), v.copy()), float)
        size = self.numbers.stop - self.numbers.start
        if value.shape not in ((), (size,)) or not np.all(np.isfinite(value)):
            raise LissomError(
                f"the function of a load must give {size} finite number(s), it gave {value!r}", ("loads",)
            )
        held[self.numbers] = value
        self.count += 1


def as_loads(loads: Any) -> tuple[Load, ...]:
    """Return loads from what a person gives: Load objects, or mappings as in a scenario file."""
    return as_parts(Load, loads, "loads", "Load(link='forearm', force=[0, 0, -20])")


def activate(model: Model, loads: Iterable[Load], duration: float) -> tuple[Model, ActiveLoads]:
    """Return the model with frames for the loads, and the loads as its runs take them."""
    loads = tuple(loads)
    on_links = [load for load in loads if load.link is not None]
    frames = tuple(_frame(model, load, k) for k, load in enumerate(loads) if load.link is not None)
    in_world = tuple(load.frame == "world" for load in on_links)
    names = _names(on_links)
    rows: list[int] = []
    entries: list[int] = []
    parts: list[Reference] = []
    functions: list[tuple[Callable[..., Any], float, slice]] = []
    place = iter(range(model.rows, model.rows + len(frames)))
    driven: set[str] = set()
    for k, load in enumerate(loads):
        row = next(place) if load.link is not None else _cylinder(model, load, k, driven)
        for name, first in (("torque", TORQUE), ("force", FORCE)):
            series = getattr(load, name)
            if series is None:
                continue
            count = 3 if load.link is not None else 1
            numbers = slice(len(rows), len(rows) + count)
            if isinstance(series, Given) and _takes_state(series.value):
                functions.append((series.value, load.rate, numbers))
                parts.append(Reference.constant(np.zeros(count)))
            else:
                with within("loads", k):
                    parts.append(series_reference(series, count, duration, name, load.rate))
            rows += [row] * count
            entries += range(first, first + count)
    reference = Reference.stack(parts) if parts else NO_LOADS
    made = ActiveLoads(
        names, frames, in_world, np.array(rows, np.int64), np.array(entries, np.int64), reference, tuple(functions)
    )
    return model.with_loads(frames, in_world), made


def _frame(model: Model, load: Load, k: int) -> Frame:
    assert load.link is not None
    frame = Frame(link=load.link, at=load.at, origin=load.origin)
    for path, value, text in frame_problems(model.robot, frame, ("loads", k)):
        raise LissomError(text, path, value)
    if frame.link == "world":
        raise LissomError("nothing moves the world; name a link", ("loads", k, "link"), frame.link)
    return frame


def _names(loads: list[Load]) -> tuple[str, ...]:
    """Return names of loads: as given, else that of the link, numbered where there are several."""
    names: list[str] = []
    for k, load in enumerate(loads):
        name = load.name or f"load-on-{load.link}"
        if name in names:
            if load.name:
                raise LissomError("is the name of another load too; give each its own", ("loads", k, "name"), name)
            name = next(f"{name}-{n}" for n in range(2, len(loads) + 2) if f"{name}-{n}" not in names)
        names.append(name)
    return tuple(names)


def _cylinder(model: Model, load: Load, k: int, driven: set[str]) -> int:
    """Return the row of the first frame of the cylinder that a load drives."""
    elements = {element.name: n for n, element in enumerate(model.robot.elements)}
    names = [name for name, n in elements.items() if model.arrays.elements.driven[n] == 1]
    assert load.element is not None
    if load.element not in names:
        known = suggestion(load.element, names) if names else "the robot has no cylinder driven by force"
        raise LissomError(f"is not a cylinder driven by force; {known}", ("loads", k, "element"), load.element)
    if load.element in driven:
        raise LissomError("is driven by another load already; add their forces", ("loads", k, "element"), load.element)
    driven.add(load.element)
    return int(model.arrays.elements.first[elements[load.element]])


def _takes_state(function: Any) -> bool:
    """Return whether a function takes (t, q, v) rather than the time alone."""
    if isinstance(function, Reference):
        return False
    try:
        needed = [
            p
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        return False
    return len(needed) >= 3
