"""One table of the benchmarks, for the screen and for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass
class Sheet:
    """One table, for the screen and for the page."""

    title: str
    text: str
    columns: Sequence[str]
    rows: list[list[str]]

    def show(self, console: Console) -> None:
        table = Table(title=self.title, caption=self.text, title_justify="left", caption_justify="left")
        for k, column in enumerate(self.columns):
            table.add_column(escape(column), justify="left" if k == 0 else "right")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)

    def markdown(self) -> str:
        lines = [self.columns, ["---"] + ["---:"] * (len(self.columns) - 1), *self.rows]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"## {self.title}\n\n{self.text}\n\n{table}\n"


def verdict(value: float, target: float, unit: str = "") -> str:
    """The target, and whether it is met."""
    return f"{target:g}{unit}, {'met' if value <= target else 'missed'}"


def spread(ratio: dict[str, float], digits: int = 2) -> str:
    """Median and quartiles."""
    low, high = (f"{ratio[key]:.{digits}f}" for key in ("low", "high"))
    return f"{ratio['median']:.{digits}f} ({low} to {high})"
