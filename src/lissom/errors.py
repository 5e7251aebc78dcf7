"""The errors that lissom raises on purpose: each says where, which value, what is wrong and what to do.

The place of an error is data, `error.path`. Whoever knows what lies around it adds that by `within`:

    with within("control", "shaper"):
        impulses(kind, frequency)  # raises LissomError("must be positive; ...", ("frequency",), -1.0)

    control.shaper.frequency = -1: must be positive; ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any, Final, Self

from lissom.messages import brief, listed

SHOWN = 50  # problems that a message lists
Keys = tuple[str | int, ...]  # of a place in nested data


class Absent(Enum):
    """Stands for no value: None is one that a user can give."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
_outer: ContextVar[Keys] = ContextVar("outer", default=())


class LissomError(ValueError):
    """Base of every error that a user of lissom can cause and repair.

    Parameters
    ----------
    text : str
        What is wrong, and a remedy.
    path : sequence of str or int
        Keys and indices of the place in what the user gave, the outermost first.
    value : object
        What stands there, where showing it helps.
    source : str
        The file that holds it.
    line : int
        The line in the file.

    Examples
    --------
    >>> try:
    ...     lissom.load("ela")
    ... except lissom.LissomError as error:
    ...     print(error)
    """

    problems: tuple[LissomError, ...] = ()  # where several things are wrong, each of them

    def __init__(
        self, text: str, path: Sequence[str | int] = (), value: Any = ABSENT, source: str = "", line: int | None = None
    ) -> None:
        super().__init__(text)
        self.text, self.path, self.value = text, tuple(path), value
        self.source, self.line = source, line

    @classmethod
    def of(cls, error: LissomError) -> Self:
        """Return a copy of an error that belongs to this class."""
        made = cls(error.text)
        made.__dict__.update(error.__dict__)
        return made

    @classmethod
    def together(cls, problems: Sequence[LissomError], source: str = "") -> Self:
        """Join one problem or several in one error."""
        if len(problems) == 1:
            return cls.of(problems[0])
        made = cls(f"has {len(problems)} problems:", source=source)
        made.problems = tuple(problems)
        return made

    @property
    def place(self) -> str:
        """The path in one word: control.gains.elbow.p, reference.times[1]."""
        return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path).removeprefix(".")

    def add_outer(self, *outer: str | int) -> None:
        """Say that the place lies within another."""
        for error in self.problems or (self,):
            error.path = (*outer, *error.path)

    def add_source(self, source: str, line: int | None = None) -> None:
        """Say in which file the place lies, unless that is known."""
        for error in (self, *self.problems):
            if not error.source:
                error.source, error.line = source, line

    def __str__(self) -> str:
        if self.problems:
            heading = f"{self.source or 'the description'} {self.text}"
            rest = [f"  and {len(self.problems) - SHOWN} more"] if len(self.problems) > SHOWN else []
            return "\n".join([heading, *(f"  {problem}" for problem in self.problems[:SHOWN]), *rest])
        where = "" if not self.source else f"{self.source}: " if self.line is None else f"{self.source}:{self.line}: "
        shown = "" if self.value is ABSENT else f" = {brief(self.value)}"
        return f"{where}{self.place}{shown}: {self.text}" if self.path else f"{where}{self.text}"


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse an argument that is none of the words it may be."""
    if not (isinstance(value, str) and value in choices):
        raise LissomError(f"must be {listed([repr(each) for each in choices])}", (name,), value)


@contextmanager
def within(*outer: str | int) -> Iterator[None]:
    """Put the outer path in front of the paths of errors that are raised inside; warnings find it in `outer_path`."""
    before = _outer.set((*_outer.get(), *outer))
    try:
        yield
    except LissomError as error:
        error.add_outer(*outer)
        raise
    finally:
        _outer.reset(before)


def outer_path() -> Keys:
    """Return the path of all `within` that are under way, for what is told without raising."""
    return _outer.get()


class RobotError(LissomError):
    """A robot description that cannot become a model."""


class ScenarioError(LissomError):
    """A scenario that cannot be run."""


class StudyError(LissomError):
    """A study that cannot be made, or a store that holds another one."""


class IdentifyError(LissomError):
    """Measurements or parameters of a fit that cannot be used."""


class OptimiseError(LissomError):
    """A motion or a design that cannot be found."""
