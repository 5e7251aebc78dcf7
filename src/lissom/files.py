"""Files that can be read to their end, and files written whole or not at all, whoever else writes meanwhile."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from lissom.errors import LissomError

LOG = logging.getLogger(__name__)


class NotWritten(LissomError):
    """A file or folder that could not be written, the reason, and what to do."""

    def __init__(self, file: str | os.PathLike[str], reason: str, remedy: str = "give another place") -> None:
        super().__init__(f"cannot write {file}: {reason}; {remedy}")
        self.file, self.reason = str(file), reason

    def __reduce__(self) -> tuple[Any, ...]:
        return LissomError, (self.text,), self.__dict__

    @classmethod
    def because(cls, error: OSError, file: str | os.PathLike[str], remedy: str = "give another place") -> NotWritten:
        """Word what the system says."""
        return cls(error.filename or file, (error.strerror or str(error)).lower(), remedy)

    def advised(self, remedy: str) -> NotWritten:
        """Return this error with another remedy."""
        return NotWritten(self.file, self.reason, remedy)


def check_file(path: str | os.PathLike[str], kind: str = "file") -> None:
    """Refuse a path where no file is: a pipe would keep its reader waiting for ever, a device may have no end."""
    path = os.fspath(path)  # a number would be an open file, which its reader closes
    if not os.path.exists(path):
        raise LissomError(f"no such {kind}; check the path", source=str(path))
    if os.path.isdir(path):
        raise LissomError(f"is a folder; give a {kind} inside it", source=str(path))
    if not os.path.isfile(path):
        raise LissomError(f"is a pipe or a device; give a {kind}", source=str(path))


def make_folder(path: Path) -> None:
    """Make a folder unless it is there; raise `NotWritten` if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotWritten.because(error, path) from None


def check_goal(path: str | os.PathLike[str]) -> None:
    """Refuse a file that cannot be written, before the work whose result it shall hold."""
    goal = Path(path)
    if goal.is_dir():
        raise NotWritten(goal, "it is a folder; name a file in it")
    if not goal.parent.is_dir():
        raise NotWritten(goal, f"there is no folder {goal.parent}; make it first")
    if not os.access(goal.parent, os.W_OK):
        raise NotWritten(goal, "permission denied")


def write_whole(path: str | os.PathLike[str], content: Any) -> None:
    """Put bytes or text into a file: beside it first, under a name of its own, then in its place.

    A reader sees the old file or the new one, never a part; so do two writers of one file. A device or a pipe is
    written to as it is.
    """
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    LOG.debug("wrote %s", path)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` once it was written to without an error; see `write_whole`."""
    goal = Path(path)
    try:
        if goal.is_dir():
            raise NotWritten(goal, "it is a folder; name a file in it")
        if goal.exists() and not goal.is_file():
            with open(goal, "wb") as file:
                yield file
        else:
            with _beside(goal.resolve()) as file:
                yield file
    except OSError as error:
        if not goal.parent.is_dir():
            raise NotWritten(goal, f"there is no folder {goal.parent}; make it first") from None
        raise NotWritten.because(OSError(error.errno, error.strerror), goal) from None


@contextlib.contextmanager
def _beside(goal: Path) -> Iterator[BinaryIO]:
    """Open a file beside another, which it replaces at the end; nothing remains of one that failed."""
    handle, name = tempfile.mkstemp(prefix=f".{goal.name}.", suffix=".part", dir=goal.parent)
    try:
        with open(handle, "w+b") as file:
            yield file
        os.chmod(name, goal.stat().st_mode & 0o777 if goal.exists() else 0o666 & ~umask())
        os.replace(name, goal)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def umask() -> int:
    """Return the mask for new files; the system only tells it while setting one."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
