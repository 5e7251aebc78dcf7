"""Numbers with their error bars: what is printed of them, and where their errors come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from io import StringIO
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table


MOST_DIGITS = 6  # significant ones, however small the error: more are of no use to a reader
HIDDEN = 0.05  # share of an error below which its source is not worth a word
WIDTH = 100
PLUS_MINUS = "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class ErrorSource:
    """One cause of errors of a number, and how far the number moves when that cause alone is refined."""

    kind: str  # "sampling", "time", "functions" or "field"
    text: str  # as printed: "functions of upper (y)"
    error: float
    link: str = ""
    direction: str = ""


@dataclass(frozen=True)
class ErrorBar:
    """A number, by how much it may be off, and why.

    Parameters
    ----------
    value, error : float
        In `unit`. The error is infinite where refinement leads nowhere.
    sources : tuple of ErrorSource
        The largest first.
    limitless : str
        Why the number has no limit, however fine the model; empty where it has one.
    """

    name: str
    unit: str
    value: float
    error: float
    sources: tuple[ErrorSource, ...] = ()
    limitless: str = ""

    @property
    def relative(self) -> float:
        """Error over size."""
        return self.error / abs(self.value) if self.value else np.inf if self.error else 0.0

    @property
    def main_source(self) -> str:
        """The cause of most of the error, in words; empty where there is hardly any."""
        if self.limitless:
            return self.limitless
        if not self.sources or not self.sources[0].error > HIDDEN * self.error:
            return ""
        return self.sources[0].text

    def with_spread(self, data: Sequence[ErrorSource]) -> ErrorBar:
        """Return the bar with what tolerances of the data add: independent causes, so squares add up."""
        parts = [one.error for one in data if np.isfinite(one.error)]
        if not parts or not np.isfinite(self.error):
            return self
        sources = tuple(sorted((*self.sources, *(one for one in data if one.error > 0)), key=lambda one: -one.error))
        return replace(self, error=float(np.sqrt(self.error**2 + sum(part**2 for part in parts))), sources=sources)

    def scaled(self, factor: float, unit: str) -> ErrorBar:
        """Return the same number in another unit."""
        parts = tuple(ErrorSource(**(asdict(part) | {"error": factor * part.error})) for part in self.sources)
        return ErrorBar(self.name, unit, factor * self.value, abs(factor) * self.error, parts, self.limitless)

    def __str__(self) -> str:
        return with_error(self.value, self.error)


@dataclass(frozen=True)
class ErrorBand:
    """What a run shows over time, and by how much that may be off.

    Parameters
    ----------
    time : array (N,)
        Times, s.
    values, error : array (N, ...)
        In `unit`. The error is infinite where refinement leads nowhere.
    """

    name: str
    unit: str
    time: np.ndarray
    values: np.ndarray
    error: np.ndarray

    @property
    def largest(self) -> float:
        """The largest error at any time."""
        return float(self.error.max())


class Bands(Protocol):
    """Runs that were compared, as `lissom.results.trust` keeps them."""

    def band(self, name: str) -> ErrorBand:
        """Return the error band of a channel."""

    def errors(self, read: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Return by how much values over time may be off; `read` takes them from a run."""

    def bar(self, name: str, unit: str, read: Callable[[Any], float]) -> ErrorBar:
        """Return the error bar of a number that `read` takes from a run."""


@dataclass(frozen=True)
class Trust:
    """Error bars of the headline numbers of a run or an analysis. `print` it, or look up `trust["peak bow.upper"]`.

    Parameters
    ----------
    bars : mapping of str to ErrorBar
        By the name of the number.
    remedy : str
        What to change to be about ten times better, and what it costs.
    repeats : int
        How many runs it took to measure.
    wall : float
        Seconds that they took.
    notes : tuple of str
        What could not be measured.
    runs : Bands, optional
        The runs that were compared, in the process that made them; `channel` needs them.
    """

    bars: dict[str, ErrorBar]
    remedy: str = ""
    repeats: int = 0
    wall: float = 0.0
    notes: tuple[str, ...] = ()
    runs: Bands | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, name: str) -> ErrorBar:
        from lissom.errors import LissomError
        from lissom.messages import suggestion

        if name not in self.bars:
            raise LissomError(f"no error bar of {name!r}; {suggestion(name, list(self.bars))}", value=name)
        return self.bars[name]

    def __iter__(self) -> Iterator[ErrorBar]:
        return iter(self.bars.values())

    def get(self, name: str) -> ErrorBar | None:
        """Return the error bar of a number, None where there is none."""
        return self.bars.get(name)

    def channel(self, name: str) -> ErrorBand:
        """Return by how much a channel of a run may be off over time, an `ErrorBand`.

        Parameters
        ----------
        name : str
            A joint or coordinate, or "deflection.LINK", "rotation.LINK", "bow.LINK", "wrench.JOINT", "tip.LINK",
            "velocity.NAME", "acceleration.NAME", "torque.NAME", as methods of a Trajectory are called.

        Examples
        --------
        >>> band = lissom.simulate("ella", 0.5, trust=True).trust.channel("elbow")
        >>> band.values - band.error, band.values + band.error
        """
        from lissom.errors import LissomError

        if self.runs is None:
            raise LissomError("bands over time are there where lissom.trust(run) was called; call it for a run again")
        return self.runs.band(name)

    @property
    def worst(self) -> float:
        """The largest relative error of numbers that count: those of zero by definition are left out."""
        found = [bar.relative for bar in self if not bar.limitless and np.isfinite(bar.relative)]
        return max(found, default=0.0)

    @property
    def lines(self) -> tuple[str, ...]:
        """What there is to say besides the numbers: what was not measured, and what to change first."""
        return tuple(line for line in (*self.notes, self.remedy) if line)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; what is not finite is None."""
        return {
            "bars": {name: _plain(asdict(bar)) for name, bar in self.bars.items()},
            "remedy": self.remedy,
            "repeats": self.repeats,
            "wall": self.wall,
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trust:
        """Return what `to_dict` gave."""
        bars = {}
        for name, bar in data["bars"].items():
            sources = tuple(ErrorSource(**(one | {"error": _number(one["error"])})) for one in bar["sources"])
            numbers = {key: _number(bar[key]) for key in ("value", "error")}
            bars[name] = ErrorBar(**(bar | numbers | {"sources": sources}))
        return cls(bars, data["remedy"], data["repeats"], data["wall"], tuple(data["notes"]))

    def table(self) -> Table:
        """Return one row per number: its value, its error, and what that comes from."""
        from lissom import printing

        table = printing.table("quantity", "value", "unit", "mostly from", title="numbers with their errors")
        for bar in self:
            table.add_row(bar.name, str(bar), bar.unit, bar.main_source)
        return table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield self.table()
        yield from map(Text, self.lines)

    def __str__(self) -> str:
        from rich.console import Console

        out = StringIO()
        Console(file=out, width=WIDTH, color_system=None, legacy_windows=False).print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines()) + "\n"


@dataclass(frozen=True)
class Reached:
    """What was chosen for an accuracy, and whether it is met.

    Parameters
    ----------
    wanted : float
        Relative error that is allowed.
    met : bool
        Whether every number is that certain.
    chosen : mapping of str to str
        What differs from what was given, by the path in the robot or scenario file.
    missed : mapping of str to str
        Numbers that are not, and why.
    """

    wanted: float
    met: bool
    chosen: dict[str, Any] = field(default_factory=dict)
    missed: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        text = f"accuracy of {100 * self.wanted:g} % {'met' if self.met else 'not met'}"
        if self.chosen:
            text += " by " + ", ".join(f"{path}: {_short(value)}" for path, value in self.chosen.items())
        for name, why in self.missed.items():
            text += f"\n{name}: {why}"
        return text


def with_error(value: float, error: float) -> str:
    """Return a number with the digits that its error leaves, and the error, rounded up to one digit: 172.5 ± 0.2.

    A number that is certain in more than `MOST_DIGITS` digits is shown with so many, without an error.
    """
    if not np.isfinite(value):
        return str(value)
    if not np.isfinite(error):
        return f"{value:.2g}{PLUS_MINUS}?"
    if value == 0.0 and error == 0.0:
        return "0"
    size = int(np.floor(np.log10(max(abs(value), error))))
    last = size - MOST_DIGITS + 1
    place, shown = last, 0.0
    if error >= 10.0**last:
        place = int(np.floor(np.log10(error)))
        digit = int(np.ceil(error / 10.0**place - 1e-9))
        place, digit = (place + 1, 1) if digit == 10 else (place, digit)
        shown = digit * 10.0**place
    scale = size if size >= MOST_DIGITS or size < -4 else 0
    digits = max(0, scale - place)
    text = f"{round(value / 10.0**scale, scale - place):.{digits}f}"
    if shown:
        text += f"{PLUS_MINUS}{shown / 10.0**scale:.{digits}f}"
    return f"({text})e{scale:+03d}" if scale else text


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_short(one)}" for key, one in value.items()) + "}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value


def _number(value: float | None) -> float:
    """Return a number that was saved; only infinite errors were not finite."""
    return np.inf if value is None else value
