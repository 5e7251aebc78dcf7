"""What is kept on disk between runs: machine code of kernels, reductions of finite-element links.

The folder is that of the environment variable LISSOM_CACHE, or `lissom` in the user's cache folder; LISSOM_CACHE=off
keeps nothing. LISSOM_CACHE_KERNELS and LISSOM_CACHE_LINKS name the folder of one of the two, or turn it off.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_told: set[str] = set()
LOSS = {
    "kernels": "every process compiles its machine code again",
    "links": "every process makes its reductions again",
}


def folder(what: str) -> Path | None:
    """Where `what` ("kernels", "links") is kept; None if nowhere."""
    own, common = os.environ.get(f"LISSOM_CACHE_{what.upper()}"), os.environ.get("LISSOM_CACHE")
    if own or common:
        return None if (own or common) == "off" else Path(own) if own else Path(str(common)) / what
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    try:
        return Path(base).expanduser() / "lissom" / what
    except RuntimeError:
        _tell(what, "there is no home folder")
        return None


@contextmanager
def writing(what: str) -> Iterator[None]:
    """A full or read-only disk does not stop the work: one line says what it costs and what to do."""
    try:
        yield
    except OSError as error:
        _tell(what, f"{folder(what)} cannot be written ({error.strerror or error})")


def _tell(what: str, reason: str) -> None:
    if what not in _told:
        _told.add(what)
        print(f"lissom: {reason}: {LOSS[what]}. LISSOM_CACHE=folder names another place.", file=sys.stderr)
