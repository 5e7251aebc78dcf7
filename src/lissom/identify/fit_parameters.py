"""What a fit may change: fields of the robot, and per record its start, offsets, scales, delays and gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from lissom.errors import IdentifyError, LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.description.robot import Robot
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.number_fields import Number, is_number, kind_of, refusal
from lissom.model.schema.written_forms import NULL, NUMBER, TEXT, AlsoWritten, Schema, several, union

OFFSET, SCALE, DELAY = CORRECTIONS = ("offset", "scale", "delay")
START, GAINS = "start", "gains"
KINDS = (START, *CORRECTIONS, GAINS)
TORQUES = "torques."  # in front of a joint: a correction of its measured torque
NEUTRAL = {OFFSET: 0.0, SCALE: 1.0, DELAY: 0.0}
RANGE = Number("a number")
TINY = 1e-6  # of a value that must be positive
SHORT = 0.01  # s: the size of delays


class FitPart(Description):
    """A piece of a fit; a wrong value raises `IdentifyError`."""

    whole: ClassVar[str] = "fit"
    error: ClassVar[type[LissomError]] = IdentifyError


class Prior(FitPart):
    """What is known beforehand: about `mean`, give or take `deviation`."""

    what: ClassVar[str] = "prior"

    mean: Annotated[float, RANGE]
    deviation: Annotated[float, Number("the standard deviation of what is known beforehand", above=0)]


def _read_ties(value: Any) -> Any:
    """Return paths that take the same value, or {path: factor}."""
    if isinstance(value, str):
        value = [value]
    return dict.fromkeys(_names(value, "give paths"), 1.0) if isinstance(value, list | tuple) else value


def _names(values: Sequence[Any], remedy: str) -> Sequence[str]:
    for value in values:
        if not isinstance(value, str):
            raise refusal(f"must hold names, not {kind_of(value)}; {remedy}")
    return values


class Unknown(FitPart):
    """A number to be found.

    `ties` name other fields of the robot that move with it: each is its factor times this one.
    """

    what: ClassVar[str] = "parameter"
    also: ClassVar[tuple[Schema, ...]] = (NULL, several(union(NUMBER, NULL), 2, 2))

    start: Annotated[float | None, Number("where the search starts")] = None
    bounds: tuple[Annotated[float | None, Number("a bound")], Annotated[float | None, Number("a bound")]] = Field(
        default=(None, None), description="[low, high], null where there is none"
    )
    prior: Prior | None = Field(default=None, description="{mean, deviation}: what is known beforehand")
    ties: Annotated[
        dict[str, Annotated[float, Number("the factor")]],
        BeforeValidator(_read_ties),
        AlsoWritten(TEXT),
        AlsoWritten(several(TEXT)),
    ] = Field(default={}, description="fields that move with it: a list of paths, or {path: factor}")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        low, high = self.limits
        if not low < high:
            raise refusals(("bounds", list(self.bounds), "must be the smaller number first, then the larger one"))
        if self.start is not None and not low <= self.start <= high:
            raise refusals(("start", self.start, f"must lie within the bounds, {low:g} to {high:g}"))
        return self

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value, in units of the scale."""
        low, high = self.bounds
        return (-np.inf if low is None else low, np.inf if high is None else high)


def _read_unknowns(value: Any) -> Any:
    """Read unknowns as people write them: names, {name: [low, high]}, {name: {bounds, prior, start, ties}}."""
    remedy = "give a list of names, or {name: [low, high]}, or {name: {bounds: [low, high], prior: ...}}"
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list | tuple):
        value = dict.fromkeys(_names(value, remedy))
    if not isinstance(value, Mapping):
        raise refusal(f"must be a list or a mapping, not {kind_of(value)}; {remedy}")
    return {str(name): _unknown(str(name), given) for name, given in value.items()}


def _unknown(name: str, given: Any) -> Any:
    """Return what a user gives for one of them, as its fields."""
    if given is None or isinstance(given, Mapping | Unknown):
        return {} if given is None else given
    if isinstance(given, Sequence) and len(given) == 2 and all(x is None or is_number(x) for x in given):
        return {"bounds": tuple(given)}
    raise refusals(((name,), given, "must be [low, high] or {bounds, prior, start, ties}"))


Unknowns = Annotated[dict[str, Unknown], BeforeValidator(_read_unknowns), AlsoWritten(TEXT), AlsoWritten(several(TEXT))]


class _Whole(FitPart):
    """What is around the parameters, so that errors name them."""

    what: ClassVar[str] = "fit"
    parameters: Unknowns = Field(description="what is to be found")


def unknowns(given: Any) -> dict[str, Unknown]:
    """Return parameters by path, from what a user gives."""
    return _Whole(parameters=given).parameters


@dataclass(frozen=True)
class SearchEntry:
    """One number of the search."""

    name: str  # as shown: the path, or "record: start.elbow"
    path: str  # of the robot's field, or start.elbow, offset.position.elbow, gains.elbow.p
    record: str | None  # None for a field of the robot
    value: float  # where the search starts
    size: float  # what counts as a change: errors and steps are judged by it
    low: float
    high: float
    prior: Prior | None = None
    ties: tuple[tuple[str, float], ...] = ()

    @property
    def kind(self) -> str:
        """Of a record's own: start, offset, scale, delay or gains."""
        return self.path.partition(".")[0]

    @property
    def target(self) -> str:
        """What follows the kind."""
        return self.path.partition(".")[2]


def field_entry(robot: Robot, path: str, unknown: Unknown) -> SearchEntry:
    """Return a field of the robot as a number of the search."""
    fields = {path: 1.0} | dict(unknown.ties)
    for each in fields:
        old = robot.value(each)
        if isinstance(old, bool) or not isinstance(old, int | float):
            raise IdentifyError("is not a number of the robot; give the path of a number", ("parameters", each), old)
    value = float(robot.value(path)) if unknown.start is None else unknown.start
    low, high = unknown.limits
    if not np.isfinite(low):
        low = _least(robot, path, value)
    if not low <= value <= high:
        text = f"the search starts outside the bounds, {low:g} to {high:g}; give another start, or wider bounds"
        raise IdentifyError(text, ("parameters", path), value)
    size = abs(value) or _width(unknown, low, high)
    if size == 0:
        text = "is zero, so its size is not known; give a start, bounds or a prior"
        raise IdentifyError(text, ("parameters", path), value)
    ties = tuple((each, factor) for each, factor in unknown.ties.items())
    return SearchEntry(path, path, None, value, size, low, high, unknown.prior, ties)


def _width(unknown: Unknown, low: float, high: float) -> float:
    if unknown.prior is not None:
        return unknown.prior.deviation
    return high - low if np.isfinite(high - low) else 0.0


def _least(robot: Robot, path: str, value: float) -> float:
    """Return the least value: zero or a bit more where the robot's format refuses negatives or zero; else none."""
    for least in (-abs(value) or -1.0, 0.0):
        try:
            robot.with_value(path, least)
        except LissomError:
            continue
        return -np.inf if least < 0 else 0.0
    return TINY * abs(value)


def record_entry(
    record: str, path: str, unknown: Unknown, value: float, size: float, known: Sequence[str] = ()
) -> SearchEntry:
    """Return a number of one record; `known` are the targets that its kind may have."""
    kind, _, target = path.partition(".")
    if kind not in KINDS or not target:
        shown = "start.JOINT, start.JOINT.rate, offset.OUTPUT, scale.OUTPUT, delay.OUTPUT or gains.JOINT.p"
        raise IdentifyError(f"is unknown{did_you_mean(kind, KINDS)}; give {shown}", ("unknown", path))
    if known and target not in known:
        text = f"there is no {target!r} in this record{did_you_mean(target, known)}; there are {listed(known, 'and')}"
        raise IdentifyError(text, ("unknown", path))
    if unknown.ties:
        raise IdentifyError("ties are for fields of the robot; leave them out", ("unknown", path, "ties"))
    low, high = unknown.limits
    value = value if unknown.start is None else unknown.start
    size = unknown.prior.deviation if unknown.prior is not None else size
    return SearchEntry(
        f"{record}: {path}", path, record, float(np.clip(value, low, high)), size, low, high, unknown.prior
    )


def with_values(robot: Robot, entries: Sequence[SearchEntry], x: np.ndarray) -> Robot:
    """Return the robot with the values x (n,) of the entries that are its fields, tied ones included."""
    return robot.with_values(
        (path, factor * float(value))
        for entry, value in zip(entries, x, strict=True)
        if entry.record is None
        for path, factor in ((entry.path, 1.0), *entry.ties)
    )
