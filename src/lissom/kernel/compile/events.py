"""Who wants to know what is being compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[str], None]] = []


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Tell `listener` the name of each function when it begins to compile, and "" when it is done."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce(name: str) -> None:
    """Tell all listeners that a function begins to compile."""
    for listener in _listeners:
        listener(name)
