"""The table of a paper: each numbered equation with the functions that compute it and the tests that show it."""

from __future__ import annotations

from typing import NamedTuple

from lissom.theory.equation_tables.equation_marks import Mark, find_marks
from lissom.theory.equation_tables.papers import PrintedEquation, read_paper


class TableRow(NamedTuple):
    """An equation and the objects of lissom that compute it."""

    equation: PrintedEquation
    marks: tuple[Mark, ...]


def equation_table(key: str) -> tuple[TableRow, ...]:
    """Return the rows of a paper, one for each numbered equation, in the order of the paper.

    Examples
    --------
    >>> from lissom.theory.equation_tables import equation_table
    >>> row = equation_table("003")[3]
    >>> row.equation.number, row.marks[0].place
    (4, 'lissom.lie.se3:Ad')
    """
    found: dict[int, list[Mark]] = {}
    for mark in find_marks():
        if mark.paper == key:
            found.setdefault(mark.equation, []).append(mark)
    return tuple(TableRow(each, tuple(found.get(each.number, ()))) for each in read_paper(key).equations)


def write_equations(key: str) -> str:
    """Return the table of a paper in Markdown."""
    lines = ["| equation | in the paper | in lissom | test, or why not |", "|---:|---|---|---|"]
    for equation, marks in equation_table(key):
        where = "<br>".join(f"`{mark.place.removeprefix('lissom.')}`" for mark in marks)
        lines.append(
            f"| ({equation.number}) | {equation.says} | {where} | {_cell_text(equation.test, equation.why_not)} |"
        )
    return "\n".join(lines) + "\n"


def write_items(key: str) -> str:
    """Return what a paper describes, with the places and tests of it, as a table in Markdown."""
    lines = ["| in the paper | in lissom | test, and what there is not |", "|---|---|---|"]
    lines += (f"| {item.what} | {item.where} | {_cell_text(item.test, item.limit)} |" for item in read_paper(key).items)
    return "\n".join(lines) + "\n"


def _cell_text(tests: str, words: str) -> str:
    return "<br>".join([*(f"`{test}`" for test in tests.split()), *filter(None, [words])])
