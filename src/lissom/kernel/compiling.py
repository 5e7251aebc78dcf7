"""Telling when Numba compiles, as that takes a while."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from numba.core.event import Listener, install_listener


class _Teller(Listener):
    def __init__(self, begins: Callable[[], None], ends: Callable[[], None]) -> None:
        self._begins, self._ends = begins, ends

    def on_start(self, event: Any) -> None:
        self._begins()

    def on_end(self, event: Any) -> None:
        self._ends()


@contextlib.contextmanager
def compiling_told(begins: Callable[[], None], ends: Callable[[], None]) -> Iterator[None]:
    """Call `begins` and `ends` whenever a kernel is compiled meanwhile."""
    with install_listener("numba:compile", _Teller(begins, ends)):
        yield
