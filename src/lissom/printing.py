"""Results that print well: a short table as text, and as HTML in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 100


class Printed(ABC):
    """A result with a `table()`: `print(result)` and notebooks show it."""

    @abstractmethod
    def table(self) -> Table:
        """Return what is worth seeing at a glance."""

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return html(self.table())


def table(*columns: str, title: str = "", caption: str | None = None) -> Table:
    """Make a table that `print` shows too; brackets in its title and caption are brackets."""
    from rich import box
    from rich.text import Text

    options: dict[str, Any] = {"title_justify": "left", "caption_justify": "left", "box": box.SIMPLE_HEAD}
    made = _kind()(
        *columns,
        title=Text(title, "table.title") if title else None,
        caption=caption and Text(caption, "table.caption"),
        **options,
    )
    for column in made.columns:
        column.overflow = "fold"  # long names lose no letters
    return made


def text(content: Any) -> str:
    """Return anything that rich can show as plain text without trailing blanks."""
    from io import StringIO

    from rich.console import Console

    console = Console(file=StringIO(), width=WIDTH, highlight=False, color_system=None)
    console.print(content)
    return "\n".join(line.rstrip() for line in console.file.getvalue().strip("\n").splitlines())  # type: ignore[attr-defined]


def html(content: Table) -> str:
    """Write a table as HTML."""
    head = "".join(f"<th>{escape(str(column.header))}</th>" for column in content.columns)
    rows = zip(*(column.cells for column in content.columns))
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(str(content.title))}</caption>" if content.title else ""
    note = f"<p>{escape(str(content.caption))}</p>" if content.caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


@lru_cache(maxsize=1)
def _kind() -> Any:
    """Give rich's table a text and an HTML form; rich is loaded when the first one is made."""
    from rich.table import Table

    class TextTable(Table):
        __str__ = text
        _repr_html_ = html

    return TextTable
