"""Tables of a run's summary: what they say, for the terminal and for pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from lissom.results.summaries.summary_names import (
    bow_name,
    deflection_name,
    final_name,
    force_name,
    pull_name,
    push_name,
    rotation_name,
    settled_name,
    torque_name,
)

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.results.error_bars import ErrorBar
    from lissom.results.summaries.summary import Summary

ERROR_FROM = "error mostly from"
SUMMED = 1e-4  # error of work that is summed over output times, relative
BAND = 0.02  # settled: within this part of the way from the first to the final value


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
    """Cells of a table in the units chosen: plain numbers, or with their errors, and what errors come from."""

    def __init__(self, summary: Summary) -> None:
        self._trust = summary.trust
        self._row: list[ErrorBar] = []
        self._shown = summary.shown

    def unit(self, si: str, usual: str | None = None) -> str:
        """Return the name of a unit as it is shown; `usual` is the one where nobody chose another."""
        return self._shown.unit(si, usual)

    def value(self, value: float, si: str, usual: str | None = None) -> float:
        """Return a number in SI as it is shown."""
        return self._shown.value(value, si, usual)

    def number(self, name: str, value: float, si: str, usual: str | None = None) -> str | float:
        """Return the number of that name as it is shown."""
        bar = None if self._trust is None else self._trust.get(name)
        if bar is None:
            return self.value(value, si, usual)
        self._row.append(bar)
        return str(bar.scaled(self._shown.factor(si, usual), ""))

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


def all_rows(summary: Summary) -> dict[str, Rows]:
    """Return what the tables of a summary say, by subject; subjects of which there is nothing are left out."""
    made = {
        "joints": _joints(summary),
        "elements": _elements(summary),
        "loops": _loops(summary),
        "links": _links(summary),
        "stresses": _stresses(summary),
        "settling": _settling(summary),
        "energy": _account(summary),
        "events": _events(summary),
    }
    return {subject: rows for subject, rows in made.items() if rows.cells}


def _joints(summary: Summary) -> Rows:
    cells = _Cells(summary)
    columns = ("joint", f"torque {cells.unit('N m')}", "at s", f"force {cells.unit('N')}", "at s", *cells.last)
    rows = []
    for e in summary.joints:
        torque = cells.number(torque_name(e.joint), e.torque.value, "N m")
        force = cells.number(force_name(e.joint), e.force.value, "N")
        rows.append((e.joint, torque, e.torque.time, force, e.force.time, *cells.source()))
    return Rows("Peak wrench in every joint", columns, rows)


def _elements(summary: Summary) -> Rows:
    cells = _Cells(summary)
    force, work, length = cells.unit("N"), cells.unit("J"), cells.unit("m")
    columns = ("element", f"pull {force}", "at s", f"push {force}", "at s", f"work {work}", f"length {length}")
    rows = []
    for e in summary.elements:
        pull = cells.number(pull_name(e.element), e.pull.value, "N")
        push = cells.number(push_name(e.element), e.push.value, "N")
        span = " to ".join(number(cells.value(end, "m")) for end in (e.shortest, e.longest))
        rows.append((e.element, pull, e.pull.time, push, e.push.time, cells.value(e.work, "J"), span, *cells.source()))
    return Rows("Peak force in every element, and its work on the arm", (*columns, *cells.last), rows)


def _loops(summary: Summary) -> Rows:
    cells = _Cells(summary)
    columns = ("loop", f"force {cells.unit('N')}", "at s", f"torque {cells.unit('N m')}", "at s", "")
    rows = []
    for e in summary.loops:
        side = ""
        if e.pull is not None and e.push is not None:
            pull, push = (number(cells.value(peak.value, "N")) for peak in (e.pull, e.push))
            side = f"pull {pull}, push {push}"
        force, torque = cells.value(e.force.value, "N"), cells.value(e.torque.value, "N m")
        rows.append((e.loop, force, e.force.time, torque, e.torque.time, side))
    return Rows("Peak force in every loop", columns, rows)


def _links(summary: Summary) -> Rows:
    cells = _Cells(summary)
    length, angle = cells.unit("m", "mm"), cells.unit("rad", "deg")
    columns = ("link", f"tip {length}", "at s", f"rotation {angle}", f"bow {length}", "at s")
    rows = []
    for e in summary.links:
        tip = cells.number(deflection_name(e.link), e.deflection.value, "m", "mm")
        turn = cells.number(rotation_name(e.link), e.rotation.value, "rad", "deg")
        bow = cells.number(bow_name(e.link), e.bow.value, "m", "mm")
        rows.append((e.link, tip, e.deflection.time, turn, bow, e.bow.time, *(cells.source() or (e.percent,))))
    return Rows("Peak deflection", (*columns, *(cells.last or ("% of length",))), rows)


def _stresses(summary: Summary) -> Rows:
    cells = _Cells(summary)
    safety = any(e.safety is not None for e in summary.stresses)
    columns = ("link", cells.unit("Pa", "MPa"), "at s", "place", *(("safety",) if safety else ()))
    rows = [
        (
            e.link,
            cells.value(e.stress, "Pa", "MPa"),
            e.time,
            e.at,
            *(("" if e.safety is None else e.safety,) if safety else ()),
        )
        for e in summary.stresses
    ]
    return Rows("Peak von Mises stress", columns, rows, words=3)


def _settling(summary: Summary) -> Rows:
    cells = _Cells(summary)
    rows = []
    for entry in summary.settling:
        axes = [None] if len(entry.final) == 1 else list(range(len(entry.final)))
        final = [
            cells.number(final_name(entry.name, axis), value, entry.unit) for axis, value in zip(axes, entry.final)
        ]
        texts = [value if isinstance(value, str) else number(value) for value in final]
        source = cells.source()
        when = "still moving" if entry.time is None else cells.number(settled_name(entry.name), entry.time, "s")
        cells.source()
        when = when if entry.moved else "no net motion"
        told = when if isinstance(when, str) else number(when)
        rows.append((entry.name, ", ".join(texts), cells.unit(entry.unit), told, *source))
    columns = ("coordinate", "final value", "unit", "settled at s", *cells.last)
    return Rows(f"Settling within {BAND:.0%} of the way", columns, rows, words=2)


def _account(summary: Summary) -> Rows:
    rows = work_rows(summary)
    energy, cells = summary.energy, _Cells(summary)
    part = "" if energy.relative is None else f"{energy.relative:.1e} of the energy exchanged"
    rows.append(("stored since the start", cells.value(energy.stored, "J")))
    if energy.residual is not None:  # however small, it is the error
        rows.append((f"largest error at any time ({part})", energy.residual * summary.shown.factor("J")))
    return Rows("Energy balance", ("", cells.unit("J")), rows)


def work_rows(summary: Summary) -> list[tuple[str, float]]:
    """Return what each kind of force put in and what was dissipated, in the units chosen, with the words for it."""
    energy, cells = summary.energy, _Cells(summary)
    led = {e.element: e.work for e in summary.elements if e.led}
    values: dict[str, float | None] = {"work of the applied forces": energy.work}
    if led and energy.work is not None:
        motors = energy.work - sum(led.values())
        values = {f"work of cylinder {name}, whose length is given": work for name, work in led.items()}
        # cylinders are summed over the samples, so that a small rest is nothing but that
        quiet = abs(motors) < SUMMED * max(map(abs, led.values()))
        values["work of motors and joints whose motion is given"] = 0.0 if quiet else motors
    values |= {"dissipated": energy.dissipated, "work of loads and of cylinders driven by force": energy.load_work}
    return [(name, cells.value(value, "J")) for name, value in values.items() if value is not None]


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
