"""Ctrl-C that is heeded for certain.

Python raises KeyboardInterrupt wherever it happens to be. In a finaliser, or in a function that compiled code calls
back, the exception is dropped, and the run would go on as if nobody had asked.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

AFTER_ALL = "stopped by hand after the last step; the whole motion is kept"


@contextlib.contextmanager
def watch_interrupts() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed meanwhile."""
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: False  # somebody else takes care of it
        return
    pressed = False

    def note(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def defer_interrupts() -> Iterator[Callable[[], bool]]:
    """Let what is inside end before Ctrl-C is heeded, where an exception in its midst would do harm.

    Gives a function that tells whether it was pressed meanwhile; whoever has called it knows, and nothing is raised.
    """
    ours = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if ours else None
    if not callable(before):
        yield lambda: False
        return
    noted: list[Any] = []

    def pressed() -> bool:
        found = bool(noted)
        noted.clear()
        return found

    signal.signal(signal.SIGINT, lambda number, frame: noted.append(frame))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
        if noted:
            before(signal.SIGINT, noted[0])


@contextlib.contextmanager
def interrupt_on_sigterm() -> Iterator[None]:
    """Take a request to end (SIGTERM) for a Ctrl-C: what was computed is kept."""

    def heed(number: int, frame: Any) -> None:
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):
            interrupt(signal.SIGINT, frame)
        else:  # a shell lets its background jobs ignore Ctrl-C
            raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, heed)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
