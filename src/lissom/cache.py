"""What is kept on disk between runs: machine code of kernels, reductions of finite-element links.

The folder is that of the environment variable LISSOM_CACHE, or `lissom` in the user's cache folder; LISSOM_CACHE=off
keeps nothing. LISSOM_CACHE_KERNELS and LISSOM_CACHE_LINKS do the same for one of the two.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_told: set[str] = set()
LOSS = {"kernels": "machine code is compiled again by every process", "links": "reductions are made again by every process"}


def folder(what: str) -> Path | None:
    """Where `what` ("kernels", "links") is kept; None if nowhere."""
    chosen = os.environ.get(f"LISSOM_CACHE_{what.upper()}") or os.environ.get("LISSOM_CACHE")
    if chosen:
        return None if chosen == "off" else Path(chosen) / what
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    try:
        return Path(base).expanduser() / "lissom" / what
    except RuntimeError:  # no home folder
        return None


@contextmanager
def writing(what: str) -> Iterator[None]:
    """A full or read-only disk does not stop the work: one line says what it costs and what to do."""
    try:
        yield
    except OSError as error:
        if what not in _told:
            _told.add(what)
            reason = error.strerror or str(error)
            text = f"lissom: cannot write to {folder(what)} ({reason}): {LOSS[what]}. Set LISSOM_CACHE to a folder"
            print(f"{text} that can be written.", file=sys.stderr)
