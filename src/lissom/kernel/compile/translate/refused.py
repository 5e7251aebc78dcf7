"""What a kernel may not contain, because C has no such thing or would do something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


class Refused(TypeError):
    """A construct that has no C of the same meaning; the message says where it stands."""

    located = False  # whether the message says where
    line: int | None = None  # of the function's text, where that is known before the statement is

    def at_line(self, line: int) -> Refused:
        """Return the refusal with the line of the function's text at which it stands."""
        self.line = line
        return self

    def at(self, function: Callable[..., Any], line: int, text: str) -> Refused:
        """Return the refusal with the file, line and text of the statement."""
        code = function.__code__
        place = f"{Path(code.co_filename).name}:{code.co_firstlineno + line - 1}"
        out = Refused(f"{place}, {function.__name__}: {self}: {text}")
        out.located = True
        return out
