"""Marks in docstrings: `Equations: 003 (9), (10)-(12); 000 (112).` names the equations that an object computes.

The source is parsed, not imported: that is fast, and finds the helpers inside compiled kernels as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parents[2]
MARK = re.compile(r"^[ \t]*Equations?:[ \t]*([\d\s(),;-]+)\.", re.MULTILINE)
NUMBERS = re.compile(r"\((\d+)\)(?:\s*-\s*\((\d+)\))?")
Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Mark(NamedTuple):
    """An object of lissom that computes an equation."""

    paper: str
    equation: int
    module: str
    name: str  # within the module; empty where the module as a whole is meant

    @property
    def place(self) -> str:
        """Module and name, as in `lissom.theory.screw_pde.load:generalised`."""
        return f"{self.module}:{self.name}" if self.name else self.module

    def load(self) -> Any:
        """Import the object."""
        found = import_module(self.module)
        for part in filter(None, self.name.split(".")):
            found = getattr(found, part)
        return found


@cache
def find_marks() -> tuple[Mark, ...]:
    """Return the marks of all docstrings of the package, in the order of files and lines."""
    marks: list[Mark] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if MARK.search(text):
            parts = ("lissom", *path.relative_to(PACKAGE).with_suffix("").parts)
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            for name, docstring in _docstrings(ast.parse(text), ""):
                marks += (Mark(paper, number, module, name) for paper, number in marked_equations(docstring))
    return tuple(marks)


def marked_equations(docstring: str) -> Iterator[tuple[str, int]]:
    """Yield paper and number of every equation that a docstring names in its marks."""
    for mark in MARK.findall(docstring):
        for part in mark.split(";"):
            paper = part.split("(")[0].strip()
            for first, last in NUMBERS.findall(part):
                yield from ((paper, number) for number in range(int(first), int(last or first) + 1))


def _docstrings(node: Definition, name: str) -> Iterator[tuple[str, str]]:
    yield name, ast.get_docstring(node) or ""
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(child, f"{name}.{child.name}".removeprefix("."))
