"""What is kept on disk between runs: machine code of kernels, reductions of finite-element links.

The folder is that of the environment variable LISSOM_CACHE, or `lissom` in the user's cache folder; LISSOM_CACHE=off
keeps nothing. LISSOM_CACHE_KERNELS and LISSOM_CACHE_LINKS name the folder of one of the two, or turn it off.

Machine code is run, so a folder that others may write to is not used: the user's own is taken in its place.
"""

from __future__ import annotations

import os
import stat
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
    """Return where `what` ("kernels", "links") is kept; None if nowhere."""
    own, common = os.environ.get(f"LISSOM_CACHE_{what.upper()}"), os.environ.get("LISSOM_CACHE")
    if (own or common) == "off":
        return None
    asked = Path(own) if own else Path(common) / what if common else None
    if asked is not None and trusted(asked):
        return asked
    usual = _usual(what)
    safe = usual if usual is not None and trusted(usual) else None
    refused = asked or (usual if safe is None else None)
    if refused is not None:
        instead = LOSS[what] if safe is None else f"{safe} is taken in its place"
        _tell(what, f"{refused} belongs to another user or may be written by others", instead)
    return safe


def trusted(path: Path) -> bool:
    """Return whether nobody but the user and the system can put something at a path, by owners and modes on the way.

    What does not exist yet is as safe as the folder it will be made in.
    """
    if not hasattr(os, "getuid"):
        return True
    place = path.resolve()
    for each in (place, *place.parents):
        try:
            found = each.stat()
        except OSError:
            continue
        shared = found.st_mode & stat.S_IWOTH and not (each != place and found.st_mode & stat.S_ISVTX)
        if shared or found.st_uid not in (0, os.getuid()):
            return False
    return True


def _usual(what: str) -> Path | None:
    """Return the user's own folder; None where there is none."""
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
    """Go on when the disk is full or read-only, and say in one line what that costs and what to do."""
    try:
        yield
    except OSError as error:
        _tell(what, f"{folder(what)} cannot be written ({error.strerror or error})")


def _tell(what: str, reason: str, loss: str = "") -> None:
    if what not in _told:
        _told.add(what)
        print(f"lissom: {reason}: {loss or LOSS[what]}. LISSOM_CACHE=folder names another place.", file=sys.stderr)
