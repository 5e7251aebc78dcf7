"""A run in a few numbers: peak wrenches and deflections, settling, energy balance, speed, events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lissom.results.error_bars import Reached
from lissom.simulation.raw_run import Event
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

    from lissom.results.error_bars import ErrorBar, Trust
    from lissom.results.trajectory import Trajectory

BAND = 0.02  # settled: within this part of the way from the first to the final value
LAST = 0.05  # part of the run whose mean is the final value
TRAVEL = 0.05  # a way shorter than this part of the range is a hold, not a move
WIDTH = 100
ERROR_FROM = "error mostly from"


class Peak(NamedTuple):
    """A largest magnitude and when it occurred."""

    value: float
    time: float  # s


@dataclass(frozen=True)
class JointPeak:
    """The largest torque and force that a joint transmits, as norms."""

    joint: str
    torque: Peak  # N m
    force: Peak  # N


@dataclass(frozen=True)
class LinkPeak:
    """The largest deflection of a flexible link: of its tip, and of its span from the line through both ends."""

    link: str
    deflection: Peak  # m, of the tip
    percent: float  # the larger of tip and bow, of the link's length
    rotation: Peak  # rad
    bow: Peak  # m


@dataclass(frozen=True)
class ElementPeak:
    """The largest pull and push of an element, and how long it is at the most and at the least."""

    element: str
    pull: Peak  # N; of a bushing the size of its force
    push: Peak  # N
    shortest: float  # m
    longest: float  # m


@dataclass(frozen=True)
class Settling:
    """When a coordinate or the tip arrived for good."""

    name: str
    final: tuple[float, ...]
    unit: str
    time: float | None  # s; None where it did not settle, or never went anywhere
    moved: bool  # whether it went anywhere
    tip_of: str | None = None  # the link, where it is a tip


@dataclass(frozen=True)
class Balance:
    """Energy balance at the end of a run, in J; None where the run kept no accounts."""

    stored: float  # change of kinetic and potential energy since the start
    work: float | None = None
    dissipated: float | None = None
    residual: float | None = None  # largest |stored - work - load_work + dissipated| at any time
    relative: float | None = None  # residual over the largest energy that was exchanged
    load_work: float | None = None  # put in by loads and the thrust of cylinders, where there are any


@dataclass(frozen=True)
class Summary:
    """Data of the summary tables. `print` it, hand it to rich, or take `to_dict()`."""

    robot: str
    status: Ending
    message: str
    duration: float  # s of motion
    samples: int
    method: str
    reason: str
    steps: int
    wall: float  # s of computing
    speed: float | None  # times faster than real time
    joints: tuple[JointPeak, ...]
    links: tuple[LinkPeak, ...]
    settling: tuple[Settling, ...]
    energy: Balance
    events: tuple[Event, ...]
    elements: tuple[ElementPeak, ...] = ()
    trust: Trust | None = None  # error bars of these numbers, where they were measured
    accuracy: str = ""  # one that was asked for, and what was chosen for it

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; what is not a finite number is None."""
        data = _plain(asdict(replace(self, trust=None)))
        return data | {"trust": None if self.trust is None else self.trust.to_dict()}

    def rows(self) -> dict[str, Rows]:
        """Return what the tables say, by subject; subjects of which there is nothing are left out."""
        made = {
            "joints": _joints(self),
            "elements": _elements(self),
            "links": _links(self),
            "settling": _settling(self),
            "energy": _account(self),
            "events": _events(self),
        }
        return {subject: rows for subject, rows in made.items() if rows.cells}

    def tables(self, more: Mapping[str, Sequence[str]] | None = None) -> dict[str, Table]:
        """Return the tables by subject, for a rich console; `more` has a last column for some, "over time"."""
        return {subject: rows.table((more or {}).get(subject)) for subject, rows in self.rows().items()}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield Text.assemble((self.robot, "bold"), f": {self._headline()}")
        if self.message:
            yield Text(self.message, style="yellow")
        yield Text()
        yield from self.tables().values()
        if self.trust is not None:
            yield from map(Text, self.trust.lines)
        if self.accuracy:
            yield Text(self.accuracy)

    def __str__(self) -> str:
        from rich.console import Console

        out = StringIO()
        Console(file=out, width=WIDTH, color_system=None, legacy_windows=False).print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines()) + "\n"

    def _headline(self) -> str:
        how = f" by {self.method} in {self.steps} steps" if self.method else ""
        fast = f", {number(self.wall)} s of computing" if self.wall else ""
        fast += f" ({number(self.speed)} times real time)" if self.speed else ""
        return f"{self.status.word}, {self.duration:g} s of motion{how}{fast}"


def summarise(run: Trajectory) -> Summary:
    """Return the summary of a run."""
    info = run.info
    duration = float(run.time[-1] - run.time[0])
    return Summary(
        robot=run.model.robot.name,
        status=info.status,
        message=info.message,
        duration=duration,
        samples=len(run.time),
        method=info.method,
        reason=info.reason,
        steps=info.steps,
        wall=info.wall,
        speed=duration / info.wall if info.wall > 0 and duration > 0 else None,
        joints=tuple(_joint_peak(run, joint) for joint in run.model.joints),
        links=tuple(_link_peak(run, link) for link in run.model.links if link in run.model.flexible),
        settling=tuple(_all_settling(run)),
        energy=balance(run),
        events=tuple(run.warnings),
        elements=tuple(_element_peak(run, k) for k in range(len(run.model.robot.elements))),
        trust=run.trust,
        accuracy=str(Reached(**run.info.accuracy)) if run.info.accuracy else "",
    )


def balance(run: Trajectory) -> Balance:
    """Return the energy balance of a run; without accounts where it kept none or diverged."""
    stored = run.numbers["stored_energy"]
    change = float(stored[-1] - stored[0])
    if "work" not in run.quantities or not np.all(np.isfinite(stored)):
        return Balance(change)
    audit = run.energy_audit()
    residual = float(np.abs(audit.residual).max())
    given = float(audit.load_work[-1]) if "load_work" in run.quantities else None
    return Balance(change, float(audit.work[-1]), float(audit.dissipated[-1]), residual, audit.relative, given)


def settling_time(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, float | None, bool]:
    """Return the final value of a signal (N,) or (N, k), when it came within 2 % of it for good, whether it moved.

    The final value is the mean over the last 5 % of the run; 2 % are counted on the way to it from the first
    value. A signal that leaves the band in the last 5 % has not settled; one that ends where it began has not
    moved.
    """
    signal = values.reshape(len(time), -1)
    last = time >= time[-1] - LAST * (time[-1] - time[0])
    final = signal[last].mean(axis=0)
    distance = np.linalg.norm(signal - final, axis=1)
    way = distance[0]
    moved = bool(way > TRAVEL * _largest(distance) and way > 1e-9 * max(1.0, _largest(signal)))
    outside = np.flatnonzero(~(distance <= BAND * way))
    if not moved or (len(outside) and last[outside[-1]]):
        return final, None, moved
    return final, float(time[outside[-1] + 1] - time[0]) if len(outside) else 0.0, moved


def _all_settling(run: Trajectory) -> Iterator[Settling]:
    for name in run.quantities.labels("q"):
        found = run.numbers.position(name)
        if found.units != ["1"]:
            final, when, moved = settling_time(run.time, found.values)
            yield Settling(name, tuple(final.tolist()), found.units[0], when, moved)
    for end in run.model.ends:
        final, when, moved = settling_time(run.time, run.numbers.tip(end))
        yield Settling(f"tip of {end}", tuple(final.tolist()), "m", when, moved, end)


def _joint_peak(run: Trajectory, joint: str) -> JointPeak:
    wrench = run.numbers.wrench(joint)
    return JointPeak(joint, _peak(run.time, wrench[:, :3]), _peak(run.time, wrench[:, 3:]))


def _element_peak(run: Trajectory, k: int) -> ElementPeak:
    force, length = run.numbers["element_force"][:, k], run.numbers["element_length"][:, k]
    pull, push = (_peak(run.time, np.maximum(sign * force, 0.0)[:, None]) for sign in (1, -1))
    return ElementPeak(run.model.robot.elements[k].name, pull, push, float(length.min()), float(length.max()))


def _link_peak(run: Trajectory, link: str) -> LinkPeak:
    deflection = _peak(run.time, run.numbers.deflection(link))
    bow = _peak(run.time, run.numbers.bow(link)[:, None])
    percent = 100 * max(deflection.value, bow.value) / float(run.model.flexible[link].length)
    return LinkPeak(link, deflection, percent, _peak(run.time, run.numbers.rotation(link)), bow)


def _peak(time: np.ndarray, vectors: np.ndarray) -> Peak:
    sizes = np.linalg.norm(vectors, axis=1)
    k = int(np.nanargmax(sizes)) if np.any(np.isfinite(sizes)) else 0
    return Peak(float(sizes[k]), float(time[k]))


def _largest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else float("nan")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Peak):
        return {"value": _plain(value.value), "time": _plain(value.time)}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


# names of its numbers, as studies write them where they know them


def torque_name(joint: str) -> str:
    """Return the name of the largest torque in a joint."""
    return f"peak |wrench.{joint}.torque|"


def force_name(joint: str) -> str:
    """Return the name of the largest force in a joint."""
    return f"peak |wrench.{joint}.force|"


def pull_name(element: str) -> str:
    """Return the name of the largest pull of an element."""
    return f"peak pull.{element}"


def push_name(element: str) -> str:
    """Return the name of the largest push of an element."""
    return f"peak push.{element}"


def deflection_name(link: str) -> str:
    """Return the name of the largest deflection of the tip of a link."""
    return f"peak |deflection.{link}|"


def rotation_name(link: str) -> str:
    """Return the name of the largest rotation of the tip of a link."""
    return f"peak |rotation.{link}|"


def bow_name(link: str) -> str:
    """Return the name of the largest bow of a link."""
    return f"peak bow.{link}"


def final_name(entry: str, axis: int | None = None) -> str:
    """Return the name of a final value; of a tip that along one axis."""
    return f"final {entry}" if axis is None else f"final {entry}.{'xyz'[axis]}"


def settled_name(entry: str) -> str:
    """Return the name of a settling time."""
    return f"settled {entry}"


# tables


class Rows(NamedTuple):
    """What a table says: its title, the names of its columns, its cells row by row."""

    title: str
    columns: tuple[str, ...]
    cells: Sequence[tuple[str | float, ...]]
    words: int = 0  # the column, beside the first, that holds words

    def table(self, over_time: Sequence[str] | None = None) -> Table:
        """Return it for a rich console; `over_time` are the cells of one column more."""
        from rich import box
        from rich.table import Table

        table = Table(title=self.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
        for k, name in enumerate(self.columns):
            side: Literal["left", "right"] = "left" if k in (0, self.words) or name == ERROR_FROM else "right"
            table.add_column(name, justify=side, overflow="ellipsis" if k else "fold")
        if over_time is not None:
            table.add_column("over time", style="cyan", no_wrap=True)
        for k, cells in enumerate(self.cells):
            texts = [cell if isinstance(cell, str) else number(cell) for cell in cells]
            table.add_row(*texts, *([] if over_time is None else [over_time[k]]))
        return table


class _Cells:
    """Cells of a table: plain numbers, or with their errors where these are known, and what errors come from."""

    def __init__(self, summary: Summary) -> None:
        self._trust = summary.trust
        self._row: list[ErrorBar] = []

    def number(self, name: str, value: float, factor: float = 1.0) -> str | float:
        """Return the number of that name times a factor."""
        bar = None if self._trust is None else self._trust.get(name)
        if bar is None:
            return factor * value
        self._row.append(bar)
        return str(bar.scaled(factor, ""))

    def source(self) -> tuple[str, ...]:
        """Return the last cell of a row: where most of the error of its least certain number comes from."""
        if self._trust is None:
            return ()
        told = [bar for bar in self._row if bar.main_source]
        self._row = []
        return (max(told, key=lambda bar: bar.relative).main_source if told else "",)

    @property
    def last(self) -> tuple[str, ...]:
        """The name of the column of sources, where there is one."""
        return () if self._trust is None else (ERROR_FROM,)


def _joints(summary: Summary) -> Rows:
    cells = _Cells(summary)
    columns = ("joint", "torque N m", "at s", "force N", "at s", *cells.last)
    rows = []
    for e in summary.joints:
        torque = cells.number(torque_name(e.joint), e.torque.value)
        force = cells.number(force_name(e.joint), e.force.value)
        rows.append((e.joint, torque, e.torque.time, force, e.force.time, *cells.source()))
    return Rows("Peak wrench in every joint", columns, rows)


def _elements(summary: Summary) -> Rows:
    cells = _Cells(summary)
    columns = ("element", "pull N", "at s", "push N", "at s", "length m", *cells.last)
    rows = []
    for e in summary.elements:
        pull = cells.number(pull_name(e.element), e.pull.value)
        push = cells.number(push_name(e.element), e.push.value)
        length = f"{number(e.shortest)} to {number(e.longest)}"
        rows.append((e.element, pull, e.pull.time, push, e.push.time, length, *cells.source()))
    return Rows("Peak force in every element", columns, rows)


def _links(summary: Summary) -> Rows:
    cells = _Cells(summary)
    columns = ("link", "tip mm", "at s", "rotation deg", "bow mm", "at s", *(cells.last or ("% of length",)))
    rows = []
    for e in summary.links:
        tip = cells.number(deflection_name(e.link), e.deflection.value, 1e3)
        turn = cells.number(rotation_name(e.link), e.rotation.value, 180 / np.pi)
        bow = cells.number(bow_name(e.link), e.bow.value, 1e3)
        rows.append((e.link, tip, e.deflection.time, turn, bow, e.bow.time, *(cells.source() or (e.percent,))))
    return Rows("Peak deflection", columns, rows)


def _settling(summary: Summary) -> Rows:
    cells = _Cells(summary)
    rows = []
    for entry in summary.settling:
        axes = [None] if len(entry.final) == 1 else list(range(len(entry.final)))
        final = [cells.number(final_name(entry.name, axis), value) for axis, value in zip(axes, entry.final)]
        texts = [value if isinstance(value, str) else number(value) for value in final]
        source = cells.source()
        when = "still moving" if entry.time is None else cells.number(settled_name(entry.name), entry.time)
        cells.source()
        when = when if entry.moved else "no net motion"
        rows.append(
            (entry.name, ", ".join(texts), entry.unit, when if isinstance(when, str) else number(when), *source)
        )
    columns = ("coordinate", "final value", "unit", "settled at s", *cells.last)
    return Rows(f"Settling within {BAND:.0%} of the way", columns, rows, words=2)


def _account(summary: Summary) -> Rows:
    energy = summary.energy
    part = "" if energy.relative is None else f"{energy.relative:.1e} of the energy exchanged"
    values = {
        "work of the applied forces": energy.work,
        "dissipated": energy.dissipated,
        "work of loads and cylinders": energy.load_work,
        "stored since the start": energy.stored,
        f"largest error at any time ({part})": energy.residual,
    }
    return Rows("Energy balance", ("", "J"), [(name, value) for name, value in values.items() if value is not None])


def _events(summary: Summary) -> Rows:
    return Rows("Events", ("at s", "what"), [(event.time, event.text) for event in summary.events], words=1)


def number(value: float) -> str:
    """Return four significant digits, without an exponent where it can be read without."""
    if not np.isfinite(value):
        return str(value)
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        digits = 3 if value == 0 else max(0, 3 - int(np.floor(np.log10(abs(value)))))
        return f"{value:.{digits}f}"
    return f"{value:.3e}"
