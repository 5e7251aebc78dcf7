"""Values of the fields that differ from run to run: lists, ranges and distributions, and how they are sampled."""

from __future__ import annotations

import itertools
import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from lissom.errors import LissomError, StudyError
from lissom.messages import listed
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Choice
from lissom.model.schema.number_fields import Checked, Count, Number, kind_of, refusal
from lissom.model.schema.units import quantity
from lissom.model.schema.written_forms import ANYTHING, Schema, SchemaOf, several, union

MOST_RUNS = 10**9
GRID, LIST, RANDOM, LATIN, SOBOL = SAMPLINGS = ("grid", "list", "random", "latin-hypercube", "sobol")
SCALES = ("linear", "log")
EXAMPLES = "[0.5, 1.0, 2.0], {from: 0.5, to: 2.0, points: 4} or {mean: 1.0, deviation: 0.05}"


class WithUnit(float):
    """A number in SI units that was given with a unit: the fields that take it say whether it is of their kind."""

    text: str


@dataclass(frozen=True)
class Amount(Number):
    """A number, with any unit or without."""

    def check_one(self, value: Any) -> float:
        """Return the number, or refuse what is none."""
        found = quantity(value) if isinstance(value, str) else None
        if found is None:
            return super().check_one(value)
        made = WithUnit(super().check_one(in_si(value)))
        made.text = value
        return made


class StudyPart(Description):
    """A piece of a study; a wrong value raises `StudyError`."""

    whole: ClassVar[str] = "study"
    error: ClassVar[type[LissomError]] = StudyError


class Varied(StudyPart):
    """A quantity that differs from run to run."""

    what: ClassVar[str] = "varied quantity"

    fields: tuple[str, ...] = Field(default=(), description="the fields that take its value; its own name unless given")

    @property
    def texts(self) -> list[str]:
        """Numbers of it that were given with a unit."""
        return [value.text for name in type(self).model_fields if isinstance(value := getattr(self, name), WithUnit)]

    def points_of_grid(self) -> Sequence[Any]:
        """Return its values in a grid; none where it has none."""
        return []

    @abstractmethod
    def at(self, share: np.ndarray) -> Sequence[Any]:
        """Return its values at shares (N,) of its distribution, from 0 to 1."""


class Values(Varied):
    """One of these values."""

    values: Annotated[tuple[Any, ...], Field(min_length=1)]

    def points_of_grid(self) -> Sequence[Any]:
        """Return the values themselves."""
        return self.values

    def at(self, share: np.ndarray) -> Sequence[Any]:
        """Return the values at shares (N,) of their list."""
        last = len(self.values) - 1
        return [self.values[min(last, int(u * len(self.values)))] for u in share]


class Range(Varied):
    """Anything between two numbers."""

    start: Annotated[float, Amount("the least value")] = Field(alias="from")
    to: Annotated[float, Amount("the largest value")]
    points: Annotated[int, Count("how many points a grid takes of it", MOST_RUNS)] = 0
    scale: Annotated[str, Choice("a scale", SCALES)] = "linear"

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.to <= self.start:
            raise refusals(("to", self.to, f"must be larger than from, which is {self.start:g}"))
        if self.scale == "log" and self.start <= 0:
            raise refusals(("from", self.start, "must be positive on a logarithmic scale; or write scale: linear"))
        return self

    def points_of_grid(self) -> Sequence[Any]:
        """Return values at equal shares of the range."""
        return self.at(np.linspace(0.0, 1.0, self.points)) if self.points > 1 else []

    def at(self, share: np.ndarray) -> Sequence[Any]:
        """Return the values at shares (N,) of the range, or of its logarithm."""
        if self.scale == "log":
            values = self.start * (self.to / self.start) ** share
        else:
            values = self.start + (self.to - self.start) * share
        return np.clip(values, self.start, self.to).tolist()


class Normal(Varied):
    """A normal distribution, such as a tolerance."""

    mean: Annotated[float, Amount("the mean value")]
    deviation: Annotated[float, Amount("the standard deviation", above=0)]

    def at(self, share: np.ndarray) -> Sequence[Any]:
        """Return the values at shares (N,) of the normal distribution."""
        from scipy.special import ndtri

        tiny = np.finfo(float).tiny
        return (self.mean + self.deviation * ndtri(np.clip(share, tiny, 1.0 - 1e-16))).tolist()


@dataclass(frozen=True)
class AnyVaried(Checked):
    """A list of values, a range or a distribution."""

    remedy: str = f"write {EXAMPLES}"

    def check(self, value: Any) -> Varied:
        """Return the distribution, or refuse what is none."""
        if isinstance(value, Varied):
            return value
        if isinstance(value, list | tuple | np.ndarray):
            if len(value) == 0:
                raise refusal(f"is an empty list; {self.remedy}")
            return Values.model_validate({"values": _column("values", value)})
        if not isinstance(value, dict):
            raise refusal(f"must be a list or a mapping, not {kind_of(value)}; {self.remedy}")
        for kind, mark in ((Range, "from"), (Normal, "mean"), (Values, "values")):
            if mark in value:
                return kind.model_validate(value)
        raise refusal(f"does not say how it varies; {self.remedy}")

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union(several(ANYTHING, least=1), *map(of, (Range, Normal, Values)))


class Sampling(StudyPart):
    """How values are put together: every combination, side by side, or points drawn from all that is possible."""

    what: ClassVar[str] = "sampling"

    type: Annotated[str, Choice("a sampling", SAMPLINGS)] = GRID
    runs: Annotated[int, Count("how many runs are drawn", MOST_RUNS)] = 0
    seed: Annotated[int, Count("the seed of the draw", 2**32 - 1)] = 0

    @model_validator(mode="after")
    def _counted(self) -> Self:
        if self.type in (RANDOM, LATIN, SOBOL) and self.runs == 0:
            raise refusals(("runs", None, f"missing; {self.type} draws points, say how many"))
        if self.type in (GRID, LIST) and self.runs:
            text = f"a {self.type} has as many runs as its values make; leave it out, or draw with type: {LATIN}"
            raise refusals(("runs", self.runs, text))
        return self


@dataclass(frozen=True)
class Variations:
    """One column of N values for each varied quantity, and the fields that take them."""

    columns: dict[str, tuple[Any, ...]]
    fields: dict[str, tuple[str, ...]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def changes(self, run: int) -> list[tuple[str, Any]]:
        """Return (path, value) of everything that is different in a run."""
        return [(path, values[run]) for name, values in self.columns.items() for path in self.fields[name]]

    def row(self, run: int) -> dict[str, Any]:
        """Return the values of a run by name."""
        return {name: values[run] for name, values in self.columns.items()}

    @classmethod
    def of(cls, given: Any) -> Variations:
        """Read variations from {path: values}, a list of {path: value}, or a table with one column per path."""
        if isinstance(given, Variations):
            return given
        if isinstance(given, list | tuple):
            given = _to_columns(given)
        try:
            columns = {str(path): _column(path, values) for path, values in dict(given).items()}
        except (TypeError, ValueError) as error:
            if isinstance(error, LissomError):
                raise
            text = "must be {path: values}, with one value per run, or a list of {path: value}"
            raise StudyError(text, ("variations",), given) from None
        lengths = {path: len(values) for path, values in columns.items()}
        if len(set(lengths.values())) > 1:
            text = f"must have one value per run each, not {listed((f'{n} of {p}' for p, n in lengths.items()), 'and')}"
            raise StudyError(text, ("variations",))
        if not columns or not next(iter(lengths.values())):
            raise StudyError("is empty; give {path: values}, such as {'gravity.1': [-9.81, -1.62]}", ("variations",))
        return cls(columns, {path: (path,) for path in columns})


def in_si(value: Any) -> float:
    """Return a number, or the one of a text with a unit, such as "45 deg", in SI units."""
    found = quantity(value) if isinstance(value, str) else None
    return float(value) if found is None else found[0] * found[1].size


def _to_columns(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Return columns from a list of rows that all have the same names."""
    names = list(rows[0]) if rows and isinstance(rows[0], dict) else []
    for k, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != set(names):
            text = f"must hold the same fields as the first run: {listed(names or ['path: value'], 'and')}"
            raise StudyError(text, ("variations", k), row)
    return {name: [row[name] for row in rows] for name in names}


def _column(path: Any, values: Any) -> tuple[Any, ...]:
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise StudyError("must be a list with one value per run", ("variations", str(path)), values)
    if hasattr(values, "__array__"):  # of NumPy, pandas, xarray
        return tuple(np.asarray(values).tolist())
    return tuple(value.item() if isinstance(value, np.generic) else value for value in values)


def sample_runs(vary: Mapping[str, Varied], sampling: Sampling) -> Variations:
    """Return the runs that a study asks for, always in the same order."""
    fields = {name: varied.fields or (name,) for name, varied in vary.items()}
    draw = {GRID: _grid, LIST: _side_by_side}.get(sampling.type)
    columns = draw(vary) if draw else _draw(vary, sampling)
    return Variations(columns, fields)


def _grid(vary: Mapping[str, Varied]) -> dict[str, tuple[Any, ...]]:
    axes = {name: varied.points_of_grid() for name, varied in vary.items()}
    for name, points in axes.items():
        if not len(points):
            text = "has no points for a grid; give a list, points: 2 or more, or sampling: {type: latin-hypercube, ...}"
            raise StudyError(text, ("vary", name))
    size = int(np.prod([float(len(points)) for points in axes.values()]))
    if size > MOST_RUNS:
        raise StudyError(f"make {size:.3g} runs together; draw fewer with sampling: {{type: sobol, ...}}", ("vary",))
    rows = list(itertools.product(*axes.values()))
    return {name: tuple(row[k] for row in rows) for k, name in enumerate(axes)}


def _side_by_side(vary: Mapping[str, Varied]) -> dict[str, tuple[Any, ...]]:
    columns = {name: tuple(varied.points_of_grid()) for name, varied in vary.items()}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1 or not all(lengths.values()):
        counts = listed((f"{n} of {name}" for name, n in lengths.items()), "and")
        raise StudyError(f"needs lists of one length each, there are {counts} values", ("vary",))
    return columns


def _draw(vary: Mapping[str, Varied], sampling: Sampling) -> dict[str, tuple[Any, ...]]:
    from scipy.stats import qmc

    size, seed = len(vary), sampling.seed
    if sampling.type == RANDOM:
        shares = np.random.default_rng(seed).random((sampling.runs, size))
    else:
        make = qmc.LatinHypercube if sampling.type == LATIN else qmc.Sobol
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # balance of Sobol points: any number of runs may be asked for
            shares = make(d=size, rng=np.random.default_rng(seed)).random(sampling.runs)
    return {name: tuple(varied.at(shares[:, k])) for k, (name, varied) in enumerate(vary.items())}
