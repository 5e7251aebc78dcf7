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


@contextlib.contextmanager
def heeded() -> Iterator[Callable[[], bool]]:
    """Gives a function that tells whether Ctrl-C was pressed meanwhile."""
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
