"""Measured histories: which column is what, in which unit, on which time base, and whether they can be used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from lissom.errors import LissomError, within
from lissom.identify.data_tables import columns
from lissom.identify.fit_parameters import FitPart, Unknowns
from lissom.messages import did_you_mean
from lissom.model.schema import units
from lissom.model.schema.base_model import refusals
from lissom.model.schema.name_fields import Title
from lissom.model.schema.number_fields import Count, Number, kind_of, refusal
from lissom.model.schema.written_forms import NULL, NUMBER, TEXT, AlsoWritten

GAP = 3.5  # mean steps without a sample
EVEN = 1e-3  # of a step: how far even samples may be off
MEASURED = "measured"  # the word for a start where the measured positions begin
TURNS = 2 * np.pi


class Channel(FitPart):
    """A column: its name, its unit, and the standard deviation of its noise where that is known."""

    what: ClassVar[str] = "column"

    column: Annotated[str, Title("the name of the column")] = ""
    unit: Annotated[str | None, Title("the unit, such as deg, mm or N m")] = None
    factor: Annotated[float, Number("the factor from the column to SI units, beside its unit")] = 1.0
    noise: Annotated[float | None, Number("the standard deviation of the noise, in SI units", above=0)] = None

    @property
    def measured_in(self) -> units.Unit | None:
        """The unit, that in the column's name (`elbow [deg]`) where none is given."""
        if self.unit is None:
            return units.heading(self.column)[1] if self.factor == 1.0 else None
        return units.parse(self.unit)

    @property
    def size(self) -> float:
        """What one of the column is in SI units."""
        unit = self.measured_in
        return self.factor if unit is None else self.factor * unit.size

    @model_validator(mode="after")
    def _known_unit(self) -> Self:
        if self.unit is not None and units.parse(self.unit) is None:
            hint = did_you_mean(self.unit, units.UNITS)
            raise refusals(("unit", self.unit, f"is unknown{hint}; write deg, mm, N m and the like, or give a factor"))
        return self


def _channel(value: Any) -> Any:
    return {"column": value} if isinstance(value, str) else {} if value is None else value


AnyChannel = Annotated[Channel, BeforeValidator(_channel), AlsoWritten(TEXT), AlsoWritten(NULL)]


class TimeBase(FitPart):
    """The column of times, or how often was measured where there is none."""

    what: ClassVar[str] = "time base"

    column: Annotated[str, Title("the name of the column of times")] = ""
    unit: Annotated[str | None, Title("the unit of time, that in the column's name or s unless given")] = None
    rate: Annotated[float | None, Number("the samples per second, where there is no column of times", above=0)] = None

    @property
    def size(self) -> float:
        """The seconds that one of the column is."""
        unit = units.parse(self.unit) if self.unit is not None else units.heading(self.column)[1]
        return 1.0 if unit is None else unit.size

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        unit = units.parse(self.unit or "s")
        if unit is None or unit.kind != units.UNITS["s"].kind:
            raise refusals(("unit", self.unit, "is not a unit of time; write s, ms or us"))
        if bool(self.column) == (self.rate is not None):
            raise refusals(("rate", self.rate, "give either a column of times or a rate"))
        return self


def _time(value: Any) -> Any:
    if isinstance(value, str):
        return {"column": value}
    return {"rate": value} if isinstance(value, int | float) and not isinstance(value, bool) else value


def _source(value: Any) -> Any:
    if value is None or isinstance(value, int | float | bool):
        raise refusal(
            f"must be a file or columns by name, not {kind_of(value)}; give a CSV, NetCDF, Parquet or npz file"
        )
    return os.fspath(value) if isinstance(value, os.PathLike) else value


class Record(FitPart):
    """What was measured in one go, and what drove the arm meanwhile.

    >>> Record(data="run7.csv", outputs={"position.elbow": {"column": "theta", "unit": "deg"}},
    ...        torques={"elbow": "tau"}, start="measured", unknown=["start.elbow.rate", "offset.position.elbow"])
    """

    what: ClassVar[str] = "record"

    data: Annotated[Any, BeforeValidator(_source)] = Field(description="a CSV, NetCDF, Parquet or npz file")
    name: Annotated[str, Title("the name of the record")] = ""
    time: Annotated[TimeBase, BeforeValidator(_time), AlsoWritten(TEXT), AlsoWritten(NUMBER)] = Field(
        default=TimeBase(column="time"), description="the column of times, {column, unit}, or the samples per second"
    )
    outputs: dict[str, AnyChannel] = Field(min_length=1, description="what was measured: {quantity: column}")
    torques: dict[str, AnyChannel] = Field(
        default={}, description="measured torques that drive joints: {joint: column}"
    )
    motion: dict[str, AnyChannel] = Field(default={}, description="measured motions of joints: {joint: column}")
    control: Any = Field(default=None, description="the control law, as in a scenario; in Python also a ControlLaw")
    start: Any = Field(default=None, description=f"start values by joint, the word {MEASURED}, or equilibrium")
    unknown: Unknowns = Field(
        default={}, description="what of the record itself is to be found: its start, offsets, scales, delays, gains"
    )
    every: Annotated[int, Count("how many samples are averaged into one", 10**6)] = 1
    window: tuple[float, float] | None = Field(default=None, description="begin and end in s, all of it unless given")

    def windows(self, *pairs: tuple[float, float]) -> list[Record]:
        """Return this record cut into windows of time, each a record of its own."""
        name = self.name or "record"
        return [self.model_copy(update={"window": pair, "name": f"{name} {pair[0]:g}-{pair[1]:g} s"}) for pair in pairs]

    def samples(self, folder: str | os.PathLike[str] = ".") -> RecordSamples:
        """Return the numbers in SI units, checked; relative paths begin in `folder`."""
        data = self.data
        if isinstance(data, str):
            data = str(Path(folder) / data)
        channels = {"outputs": self.outputs, "torques": self.torques, "motion": self.motion}
        names = {(kind, key): one.column or key for kind, each in channels.items() for key, one in each.items()}
        wanted = [self.time.column] if self.time.column else []
        if not wanted and isinstance(data, str) and not data.endswith((".nc", ".npz", ".parquet")):
            raise LissomError("missing; a text file needs a column of times", ("time", "column"))
        table = columns(data, [*wanted, *names.values()])
        time = self._times(table)
        here = self._window_slice(time)
        _check_times(time[here])
        made: dict[str, dict[str, np.ndarray]] = {kind: {} for kind in channels}
        for (kind, key), column in names.items():
            with within(kind, key):
                made[kind][key] = _finite(time[here], table[column][here]) * channels[kind][key].size
        time, made = _average(time[here], made, max(1, self.every))
        return RecordSamples(time - time[0], float(time[0]), **made)

    def _times(self, table: Mapping[str, np.ndarray]) -> np.ndarray:
        if self.time.rate is not None:
            return np.arange(len(next(iter(table.values())))) / self.time.rate
        times = table[self.time.column] * self.time.size
        if not np.all(np.isfinite(times)):
            k = int(np.argmin(np.isfinite(times)))
            raise LissomError(f"is not a number at sample {k + 1}; complete the column of times", ("time",))
        return times

    def _window_slice(self, time: np.ndarray) -> slice:
        if self.window is None:
            return slice(0, len(time))
        low, high = self.window
        slack = 1e-9 * max(1.0, abs(high))
        inside = np.flatnonzero((time >= low - slack) & (time <= high + slack))
        if len(inside) < 2:
            span = f"{time[0]:g} s to {time[-1]:g} s" if len(time) else "no time at all"
            raise LissomError(f"holds {len(inside)} samples; the record goes from {span}", ("window",), self.window)
        return slice(int(inside[0]), int(inside[-1]) + 1)


@dataclass(frozen=True, eq=False)
class RecordSamples:
    """The numbers of a record in SI units; time begins at zero."""

    time: np.ndarray  # (N,) s
    begin: float  # s, where its time began
    outputs: dict[str, np.ndarray]  # (N,) each
    torques: dict[str, np.ndarray] = field(default_factory=dict)
    motion: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Samples per second."""
        return (len(self.time) - 1) / float(self.time[-1])

    @property
    def even(self) -> bool:
        """Whether times are evenly spaced."""
        return bool(np.all(np.abs(self.time - np.arange(len(self.time)) / self.rate) < EVEN / self.rate))


def _average(
    time: np.ndarray, signals: dict[str, dict[str, np.ndarray]], every: int
) -> tuple[np.ndarray, dict[str, dict[str, np.ndarray]]]:
    """Average so many samples in place of each: fast noise goes, and runs take longer steps."""
    whole = len(time) // every
    if whole < 2:
        raise LissomError(f"leaves {whole} of {len(time)} samples; average fewer into one", ("every",), every)

    def mean(values: np.ndarray) -> np.ndarray:
        return values[: whole * every].reshape(whole, every).mean(axis=1)

    made = {kind: {key: mean(values) for key, values in each.items()} for kind, each in signals.items()}
    return mean(time), made


def _check_times(time: np.ndarray) -> None:
    """Refuse times that run backwards or leave a gap."""
    if len(time) < 2:
        raise LissomError(f"has {len(time)} samples; at least two are needed", ("data",))
    steps = np.diff(time)
    back = np.flatnonzero(steps <= 0)
    if len(back):
        k = int(back[0])
        what = "runs backwards" if steps[k] < 0 else "stands still"
        text = f"{what}: {time[k + 1]:g} s follows {time[k]:g} s at sample {k + 2}; sort the rows, or cut there"
        raise LissomError(text, ("time",))
    usual = float(np.median(steps))
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        k = int(gaps[0])
        more = f" and {len(gaps) - 1} more" if len(gaps) > 1 else ""
        raise LissomError(
            f"has a gap of {steps[k]:g} s after {time[k]:g} s{more}, where samples usually follow after {usual:g} s; "
            "give the parts as records of their own, by window",
            ("time",),
        )


def _finite(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        k = int(bad[0])
        raise LissomError(
            f"is not a number at {len(bad)} of {len(values)} samples, first at {time[k]:g} s; "
            "choose a window without them, or fill them in"
        )
    return values


def check_unit(channel: Channel, unit: str) -> None:
    """Refuse a unit of another kind than the quantity has; a factor may lead from one to the other."""
    given = None if channel.factor != 1.0 else channel.measured_in
    if given is not None and not units.fits(given, unit):
        text = (
            f"is of the wrong kind: the quantity is in {_describe_unit(unit)}; give such a unit, or a factor to it too"
        )
        raise LissomError(text, ("unit",), channel.unit or channel.column)


def _describe_unit(unit: str) -> str:
    return "no unit" if unit == "1" else unit


def check_angles(values: np.ndarray, channel: Channel, unit: str) -> None:
    """Refuse an angle without a unit that turns more than once: it is likely in degrees."""
    if channel.measured_in is not None or channel.factor != 1.0 or unit != "rad":
        return
    largest = float(np.abs(values).max())
    if largest > TURNS:
        raise LissomError(
            f"reaches {largest:.4g} rad, more than a turn; did you mean degrees? write unit: deg, or unit: rad if not"
        )


def name_records(records: Any) -> dict[str, Record]:
    """Return records by name; those without one are called after their file, or numbered."""
    if isinstance(records, Record | dict):
        records = [records]
    made: dict[str, Record] = {}
    for k, one in enumerate(records):
        with within("records", k):
            record = one if isinstance(one, Record) else Record(**one)
        name = record.name or (Path(record.data).stem if isinstance(record.data, str) else f"record {k + 1}")
        if name in made:
            name = f"{name} {k + 1}"
        made[name] = record
    return made
