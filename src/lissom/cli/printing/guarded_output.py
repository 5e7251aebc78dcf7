"""Standard output that may fail: cut by a reader, closed, on a full disk. That ends the printing, not the work."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import Any


class Guarded:
    """A text stream that takes what is written to it; after a first failure it drops the rest."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream  # None where the process was started without one
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        """Write a text, unless an earlier one failed."""
        if self._stream is not None and self.failure is None:
            with self._noting():
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Hand on what is buffered."""
        if self._stream is not None and self.failure is None:
            with self._noting():
                self._stream.flush()

    def isatty(self) -> bool:
        """Return whether a terminal shows what is written."""
        return self._stream is not None and self.failure is None and bool(self._stream.isatty())

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.failure = error
            _silence(self._stream)
        except ValueError as error:  # closed from inside
            self.failure = OSError(errno.EBADF, str(error))

    def __getattr__(self, name: str) -> Any:
        stream = self._stream
        if stream is None and name == "encoding":
            return "utf-8"
        return getattr(stream, name)


@contextlib.contextmanager
def guard_output() -> Iterator[Guarded]:
    """Guard standard output and error; flush them at the end, so that a failure is known by then."""
    before = sys.stdout, sys.stderr
    out, err = Guarded(sys.stdout), Guarded(sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = before


def keep_standard_streams() -> None:
    """Open what the process was started without, so that no file of ours becomes standard output by its number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _silence(stream: Any) -> None:
    """Lead a broken stream nowhere, as what is left in its buffer is written when Python ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
