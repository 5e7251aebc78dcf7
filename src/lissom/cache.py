"""What is kept on disk between runs: machine code of kernels, reductions of finite-element links.

The folder is that of the environment variable LISSOM_CACHE, or `lissom` in the user's cache folder; LISSOM_CACHE=off
keeps nothing. LISSOM_CACHE_KERNELS and LISSOM_CACHE_LINKS name the folder of one of the two, or turn it off.

Machine code is run, so a folder that others may write to is not used: the user's own is taken in its place.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lissom.operating_system import is_private, user_cache

_told: set[str] = set()
LOSS = {
    "kernels": "every process compiles its machine code again",
    "links": "every process makes its reductions again",
}


def folder(what: str) -> Path | None:
    """Return where `what` ("kernels", "links") is kept; None if nowhere."""
    own, common = os.environ.get(f"LISSOM_CACHE_{what.upper()}"), os.environ.get("LISSOM_CACHE")
    if (own or common) == "off":
        return None
    asked = Path(own) if own else Path(common) / what if common else None
    if asked is not None and is_private(asked):
        return asked
    usual = _usual(what)
    safe = usual if usual is not None and is_private(usual) else None
    refused = asked or (usual if safe is None else None)
    if refused is not None:
        instead = LOSS[what] if safe is None else f"{safe} is taken in its place"
        _tell(what, f"{refused} belongs to another user or may be written by others", instead)
    return safe


def _usual(what: str) -> Path | None:
    """Return the user's own folder; None where there is none."""
    try:
        return user_cache() / "lissom" / what
    except RuntimeError:
        _tell(what, "there is no home folder")
        return None


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Go on when the disk is full or read-only, and say in one line what that costs and what to do."""
    try:
        yield
    except OSError as error:
        _tell(what, f"{folder(what)} cannot be written ({error.strerror or error})")


def _tell(what: str, reason: str, loss: str = "") -> None:
    if what not in _told:
        _told.add(what)
        print(f"lissom: {reason}: {loss or LOSS[what]}. LISSOM_CACHE=folder names another place.", file=sys.stderr)
