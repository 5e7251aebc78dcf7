"""Which machine code a piece of work needs, found without compiling any: kernels run as the Python they are written in.

Slow, so for short work only. Every kernel that is called tells its kinds of arguments; those it calls come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.machine.kinds import Kind, kinds
from lissom.kernel.machine.pointer import Hidden


class Need(NamedTuple):
    """Machine code of a kernel for arguments of these kinds."""

    module: str
    name: str
    kinds: tuple[Kind, ...]


class Trace:
    """What was needed: by Python or behind a pointer (`entries`), and by other kernels (`inner`)."""

    def __init__(self) -> None:
        self.entries: dict[Need, None] = {}
        self.inner: dict[Need, None] = {}
        self.depth = 0

    def call(self, kernel: Any, arguments: tuple[Any, ...]) -> Any:
        """Run a kernel in Python; behind a pointer it sees what is hidden from its callers."""
        arguments = tuple(x.struct if isinstance(x, Hidden) else x for x in arguments)
        self.depth += 1
        try:
            result = kernel.py_func(*arguments)
        finally:
            self.depth -= 1
        try:
            need = Need(kernel.__module__, kernel.__name__, kinds(arguments))
        except TypeError:  # arguments that only other kernels pass, such as tuples
            return result
        (self.inner if self.depth else self.entries)[need] = None
        return result

    def point(self, kernel: Any, own: tuple[Kind, ...]) -> int:
        """A pointer to a kernel is made."""
        self.entries[Need(kernel.__module__, kernel.__name__, own)] = None
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
