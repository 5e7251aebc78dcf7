"""Numbers over time, as loads and motions of a ship take them: constant, steps, splines, waves, tables of a file.

In a file: `force: [0, 0, -20]`, `force: {type: steps, at: [0, 1], to: [[0, 0, 0], [0, 0, -20]]}`. In Python also a
`Reference` or a function of time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from lissom.control.references.reference import Reference
from lissom.control.schema.reference_schema import TIMES, Block, Csv, check_timed
from lissom.errors import LissomError, within
from lissom.model.schema.base_model import FORM, form_of, refusals
from lissom.model.schema.number_fields import Number, WrittenNumber, kind_of, refusal
from lissom.model.schema.units import JointUnit, fits, quantity
from lissom.model.schema.written_forms import ANYTHING, NUMBER, QUANTITY, AlsoWritten, several

UNITS = {"force": "N", "torque": "N m", "position": "metres", "rpy": "rad"}  # by field
RATE = 1000.0  # Hz at which a function of time is sampled, unless told otherwise
ANY = JointUnit("rad", "metres", ("N", "N m"))  # of the forces, torques, places and angles that series are of
ROW = Number("a number, or a list such as [x, y, z]", ANY, each=True)
Row = float | tuple[float, ...]


class TimeSeries(Block):
    """Base of all: what a number, or a list of them, is over time."""

    what: ClassVar[str] = "series"


class Fixed(TimeSeries):
    """A value that does not change."""

    form: ClassVar[str] = FORM + "constant"
    type: Literal["constant"] = "constant"
    to: Annotated[Row, ROW]


class Timed(TimeSeries):
    """Values at times."""

    at: tuple[Annotated[float, TIMES], ...] = Field(description="rising times in seconds, one per value")
    to: tuple[Annotated[Row, ROW], ...] = Field(description="values, one per time")

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        check_timed("at", self.at, "to", len(self.to))
        return self


class Jumps(Timed):
    """Jump from value to value, each held until the next; the first time is 0."""

    form: ClassVar[str] = FORM + "steps"
    type: Literal["steps"] = "steps"

    @model_validator(mode="after")
    def _from_the_start(self) -> Self:
        if self.at[0] > 0:
            text = f"must be 0: say what acts until {self.at[0]:g} s, as in at: [0, {self.at[0]:g}]"
            raise refusals((("at", 0), self.at[0], text))
        return self


class Spline(Timed):
    """A smooth curve through values, its acceleration without jumps; held before and after."""

    form: ClassVar[str] = FORM + "spline"
    type: Literal["spline"] = "spline"

    @model_validator(mode="after")
    def _two(self) -> Self:
        if len(self.at) < 2:
            raise refusals(("at", list(self.at), "a curve needs two times or more; add some, or use type: constant"))
        return self


class SineSeries(TimeSeries):
    """mean + amplitude sin(2 pi frequency t + phase)."""

    form: ClassVar[str] = FORM + "sine"
    type: Literal["sine"] = "sine"
    amplitude: Annotated[Row, ROW]
    frequency: Annotated[float, Number("the frequency", "Hz", above=0)]
    phase: Annotated[Row, Number("the phase", "rad", each=True)] = 0.0
    mean: Annotated[Row, ROW] = 0.0

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        lists = {name: row for name in ("amplitude", "phase", "mean") if isinstance(row := getattr(self, name), tuple)}
        wanted = len(next(iter(lists.values()), ()))
        for name, row in lists.items():
            if len(row) != wanted:
                first = next(iter(lists))
                raise refusals((name, list(row), f"has {len(row)} numbers where {first} has {wanted}; give as many"))
        return self

    def __call__(self, t: float) -> np.ndarray:
        """Return the values at the time t."""
        turn = 2 * np.pi * self.frequency * t + np.array(self.phase)
        return np.atleast_1d(np.array(self.mean) + np.array(self.amplitude) * np.sin(turn))


class Given(TimeSeries):
    """A Reference, or a function of time."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    form: ClassVar[str] = FORM + "given"
    value: Any


def _wrapped(value: Any) -> Any:
    """Return a plain number or list as the constant that it means, what Python gives as it is."""
    if isinstance(value, Reference) or (callable(value) and not isinstance(value, TimeSeries)):
        return Given(value=value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str) and quantity(value) is not None:
        return {"type": "constant", "to": value}
    if isinstance(value, int | float | list | tuple) and not isinstance(value, bool):
        return {"type": "constant", "to": value}
    if not isinstance(value, dict | TimeSeries):
        known = "numbers, or {type: steps | spline | sine | csv | constant, ...}"
        raise refusal(f"must be {known}, not {kind_of(value)}; give one of them")
    return value


AnySeries = Annotated[
    Annotated[Fixed, Tag(Fixed.form)]
    | Annotated[Jumps, Tag(Jumps.form)]
    | Annotated[Spline, Tag(Spline.form)]
    | Annotated[SineSeries, Tag(SineSeries.form)]
    | Annotated[Csv, Tag(Csv.form)]
    | Annotated[Given, Tag(Given.form)],
    Discriminator(form_of),
    BeforeValidator(_wrapped),
    *map(AlsoWritten, (NUMBER, QUANTITY, several(ANYTHING))),
]


def series_reference(series: Any, count: int, duration: float, field: str, rate: float = RATE) -> Reference:
    """Return the `count` numbers of a series over time, for a run of `duration` seconds; errors name `field`."""
    with within(field):
        _check_units(series, UNITS.get(field, ""))
        made = _reference(series, count, duration, rate)
        if made.channels != count:
            numbers = "one number" if count == 1 else f"{count} numbers"
            raise LissomError(f"has {made.channels} numbers at a time; give {numbers}")
    return made


def _check_units(series: Any, unit: str) -> None:
    """Refuse numbers that were written in a unit of the wrong kind."""
    for name in ("to", "amplitude", "mean"):
        value = getattr(series, name, ())
        for one in np.ravel(np.array(value, object)).tolist():
            if isinstance(one, WrittenNumber) and not fits(one.unit, unit):
                wanted = f"a unit of {unit}" if unit else "no unit"
                raise LissomError(f"has a unit of the wrong kind: this takes {wanted}", (name,), value)


def _reference(series: Any, count: int, duration: float, rate: float) -> Reference:
    if isinstance(series, Fixed):
        return Reference.constant(np.atleast_1d(series.to))
    if isinstance(series, Csv):
        columns = series.columns
        if isinstance(columns, dict):
            raise LissomError("must be a list of columns, one per number", ("columns",), columns)
        return Reference.from_csv(series.path, columns, series.time, series.interpolation)
    if isinstance(series, SineSeries):
        return Reference.from_function(series, max(duration, 1.0 / series.frequency))
    if isinstance(series, Timed):
        rows = [np.atleast_1d(row) for row in series.to]
        for k, row in enumerate(rows):
            if len(row) != count:
                raise LissomError(f"must hold {count} numbers, as every entry", ("to", k), row.tolist())
        if isinstance(series, Jumps):
            return Reference.steps(list(zip(series.at, rows, strict=True)))
        return Reference.from_samples(series.at, np.array(rows), "cubic")
    if isinstance(series.value, Reference):
        return series.value
    return _sample(series.value, count, duration, rate)


def _sample(function: Callable[[float], Any], count: int, duration: float, rate: float) -> Reference:
    """Return a function of time, sampled `rate` times per second, smooth in between."""
    times = np.linspace(0.0, duration, max(2, round(duration * rate) + 1))
    try:
        rows = np.array([np.broadcast_to(np.asarray(function(t), float), (count,)) for t in times.tolist()])
    except LissomError:
        raise
    except Exception as error:  # of the user's function
        raise LissomError(f"the function failed with {type(error).__name__}: {error}") from error
    if not np.all(np.isfinite(rows)):
        bad = times[int(np.argmin(np.isfinite(rows).all(axis=1)))]
        raise LissomError(f"the function is not finite at t = {bad:g} s; give a finite number at all times")
    return Reference.from_samples(times, rows, "cubic")
