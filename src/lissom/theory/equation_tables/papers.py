"""What the papers hold, as the files `paper-NNN.yaml` beside this module list it: numbered equations, and items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lissom.errors import LissomError
from lissom.model.io.yaml_reader import read

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class PrintedEquation:
    """A numbered equation of a paper."""

    number: int
    says: str
    test: str = ""  # tests that show it, `file::function` below tests/theory, several with spaces between
    why_not: str = ""  # reason why no function computes it; empty where one does


@dataclass(frozen=True)
class Item:
    """Something that a paper describes, does or shows."""

    what: str
    where: str  # modules, robot files, examples or pages
    test: str = ""  # as in an equation
    limit: str = ""  # what of it there is not, and the reason


@dataclass(frozen=True)
class Paper:
    """A paper: its numbered equations, and what else it describes."""

    key: str  # as marks name it: 003
    title: str
    authors: str  # with the year
    equations: tuple[PrintedEquation, ...]
    items: tuple[Item, ...]

    def index(self, number: int) -> int:
        """Return the place of the equation of this number among the equations."""
        for k, equation in enumerate(self.equations):
            if equation.number == number:
                return k
        first, last = self.equations[0].number, self.equations[-1].number
        raise LissomError(f"is not among its equations; take {first} to {last}", (f"paper {self.key}",), number)


def paper_keys() -> tuple[str, ...]:
    """Return the keys of the papers that have a table."""
    return tuple(path.stem.removeprefix("paper-") for path in sorted(FOLDER.glob("paper-*.yaml")))


@cache
def read_paper(key: str) -> Paper:
    """Return the paper of this key; `LissomError` where there is no table of it."""
    if key not in paper_keys():
        raise LissomError(f"has no table; take {', '.join(paper_keys())}", ("paper",), key)
    path = FOLDER / f"paper-{key}.yaml"
    node = read(path.read_text(encoding="utf-8"), path.name)
    assert node is not None
    data: dict[str, Any] = node.value
    equations: list[PrintedEquation] = []
    for numbers, entry in data["equations"].items():
        first, _, last = str(numbers).partition("-")
        equations += (PrintedEquation(n, **entry) for n in range(int(first), int(last or first) + 1))
    items = tuple(Item(**entry) for entry in data.get("items", ()))
    return Paper(key, data["title"], data["authors"], tuple(equations), items)
