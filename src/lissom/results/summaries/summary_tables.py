"""Tables of a run's summary: what they say, for the terminal and for pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.results.summaries.summary import Summary

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
            side: Literal["left", "right"] = "left" if k in (0, self.words) else "right"
            table.add_column(name, justify=side, overflow="ellipsis" if k else "fold")
        if over_time is not None:
            table.add_column("over time", style="cyan", no_wrap=True)
        for k, cells in enumerate(self.cells):
            texts = [cell if isinstance(cell, str) else number(cell) for cell in cells]
            table.add_row(*texts, *([] if over_time is None else [over_time[k]]))
        return table


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
    columns = ("joint", "torque N m", "at s", "force N", "at s")
    return Rows("Peak wrench in every joint", columns, [(e.joint, *e.torque, *e.force) for e in summary.joints])


def _elements(summary: Summary) -> Rows:
    columns = ("element", "pull N", "at s", "push N", "at s", "work J", "length m")
    cells = [
        (e.element, *e.pull, *e.push, e.work, f"{number(e.shortest)} to {number(e.longest)}") for e in summary.elements
    ]
    return Rows("Peak force in every element, and its work on the arm", columns, cells)


def _loops(summary: Summary) -> Rows:
    columns = ("loop", "force N", "at s", "torque N m", "at s", "")
    cells = []
    for e in summary.loops:
        side = "" if e.pull is None or e.push is None else f"pull {number(e.pull.value)}, push {number(e.push.value)}"
        cells.append((e.loop, *e.force, *e.torque, side))
    return Rows("Peak force in every loop", columns, cells)


def _links(summary: Summary) -> Rows:
    columns = ("link", "tip mm", "at s", "rotation deg", "bow mm", "at s", "% of length")
    cells = []
    for e in summary.links:
        tip = 1e3 * e.deflection.value, e.deflection.time, float(np.degrees(e.rotation.value))
        cells.append((e.link, *tip, 1e3 * e.bow.value, e.bow.time, e.percent))
    return Rows("Peak deflection", columns, cells)


def _stresses(summary: Summary) -> Rows:
    safety = any(e.safety is not None for e in summary.stresses)
    columns = ("link", "MPa", "at s", "place", *(("safety",) if safety else ()))
    cells = [
        (e.link, e.stress / 1e6, e.time, e.at, *(("" if e.safety is None else e.safety,) if safety else ()))
        for e in summary.stresses
    ]
    return Rows("Peak von Mises stress", columns, cells, words=3)


def _settling(summary: Summary) -> Rows:
    cells = []
    for entry in summary.settling:
        when = "still moving" if entry.time is None else number(entry.time)
        final = ", ".join(map(number, entry.final))
        cells.append((entry.name, final, entry.unit, when if entry.moved else "no net motion"))
    columns = ("coordinate", "final value", "unit", "settled at s")
    return Rows(f"Settling within {BAND:.0%} of the way", columns, cells, words=2)


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
