"""The library of machine code is made when it is first missed: once for a copy of the sources, for all commands.

Another process makes it, `lissom build`: this one need not load the translator. Where that fails or is not wanted
(LISSOM_BUILD=off), kernels compile one by one as they are called.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from lissom import cache
from lissom.kernel.compile.libraries.fingerprint import is_unchanged
from lissom.kernel.compile.libraries.toolchain import compiler
from lissom.operating_system import cores
from lissom.progress import Progress

WORK, RARER_WORK = 45.0, 90.0  # s of one core, to say how long it will take
_lock = threading.Lock()
_done: set[bool] = set()


def make(tables: list[Path], package: Path, rarer: bool = False) -> bool:
    """Make the library unless there is one of these sources; True if there is a new one now. Once in a process.

    `rarer`: with kernels that few commands need.
    """
    with _lock:
        if rarer in _done:
            return False
        _done.add(rarer)
        wanted = bool(tables) and os.environ.get("LISSOM_BUILD") != "off"
        due = wanted and _can_make() and not is_current(tables, package, rarer)
        work = RARER_WORK * rarer + WORK * (not is_current(tables, package, False)) if due else 0.0
        return due and _run(package, rarer, work)


def _can_make() -> bool:
    """Return whether something can be kept, and compiled."""
    folder = cache.folder("kernels")
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return folder is not None and os.access(folder, os.W_OK) and bool(sys.executable) and compiler() is not None


def is_current(tables: list[Path], package: Path, rarer: bool) -> bool:
    """Return whether a library was made of just these sources, and holds what is wanted."""
    return any(_find_current(table, package, rarer) for table in tables)


def _find_current(table: Path, package: Path, rarer: bool) -> bool:
    try:
        content = json.loads(table.read_text(encoding="utf-8"))
        return bool(content["rarer"] or not rarer) and is_unchanged(package, content["sources"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _run(package: Path, rarer: bool, work: float) -> bool:
    """Let another process build, and show how far it is."""
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r}); from lissom.cli import main; main()"
    command = [sys.executable, "-c", code, "build", "--lines", *(["--all"] if rarer else [])]
    environment = {**os.environ, "LISSOM_BUILD": "off"}
    about = f"compiling {'rarer ' if rarer else ''}kernels, once, about {work / cores():.0f} s"
    with Progress(about, unit="functions") as progress:
        try:
            pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
            with subprocess.Popen(command, env=environment, text=True, stdout=pipe, stderr=nowhere) as building:
                assert building.stdout is not None
                try:
                    for line in building.stdout:
                        done, _, total = line.partition(" of ")
                        progress.reach(float(done), float(total))
                except BaseException:
                    building.terminate()
                    raise
            made = building.returncode == 0
        except (OSError, ValueError):
            made = False
    if not made:
        print("lissom: kernels compile one by one, as they are called; `lissom build` shows why", file=sys.stderr)
    return made
