"""Which machine code a piece of work needs, found without compiling any: kernels run as the Python they are written in.

Slow, so for short work only. Every kernel that is called tells the kinds of its arguments and of its result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile.argument_kinds import Kind, kind, kinds
from lissom.kernel.compile.pointer import Hidden


class Need(NamedTuple):
    """Machine code of a kernel for arguments of these kinds."""

    module: str
    name: str
    kinds: tuple[Kind, ...]


RESULTS = ("none", "bool", "int64", "float64")  # what kernels of a library may return


class Trace:
    """What was needed: `needs` with the kind of each result; `entries` are those that Python or a pointer asked for."""

    def __init__(self) -> None:
        self.needs: dict[Need, str] = {}
        self.entries: set[Need] = set()
        self.depth = 0

    def call(self, kernel: Any, arguments: tuple[Any, ...]) -> Any:
        """Run a kernel in Python; behind a pointer it sees what is hidden from its callers."""
        arguments = tuple(x.struct if isinstance(x, Hidden) else x for x in arguments)
        if kernel.returns:
            self._note(Need(kernel.__module__, kernel.__name__, kinds(arguments)), kernel.returns)
            return 0
        self.depth += 1
        try:
            result = kernel.py_func(*arguments)
        finally:
            self.depth -= 1
        try:
            need = Need(kernel.__module__, kernel.__name__, kinds(arguments))
            returns = "none" if result is None else kind(result).text
        except TypeError:  # what only other kernels pass, such as tuples
            return result
        if kernel.compiled and returns in RESULTS:
            self._note(need, returns)
        return result

    def _note(self, need: Need, returns: str) -> None:
        self.needs[need] = returns
        if not self.depth:
            self.entries.add(need)

    def point(self, kernel: Any, own: tuple[Kind, ...]) -> int:
        """Note a pointer to a kernel, and return no address."""
        need = Need(kernel.__module__, kernel.__name__, own)
        self.needs.setdefault(need, "none")
        self.entries.add(need)
        return 0


active: Trace | None = None


@contextmanager
def tracing() -> Iterator[Trace]:
    """Run kernels as Python, and note what they would need."""
    global active
    before, active = active, Trace()
    try:
        with np.errstate(all="ignore"):
            yield active
    finally:
        active = before
