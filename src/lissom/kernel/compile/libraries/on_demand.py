"""Kernels that no library holds, compiled when they are called: a small library for each, kept in the cache folder.

Without a compiler they run as the Python they are written in, which is told once.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from lissom import cache as disk
from lissom.kernel.compile.argument_kinds import Kind
from lissom.kernel.compile.events import announce
from lissom.kernel.compile.libraries import toolchain
from lissom.kernel.compile.libraries.fingerprint import digest
from lissom.kernel.compile.libraries.library import Damaged, Library, key, result_name
from lissom.kernel.compile.libraries.library_build import link_index
from lissom.kernel.compile.libraries.object_files import write
from lissom.kernel.compile.libraries.toolchain import Target
from lissom.kernel.compile.translate import Catalogue, Unit
from lissom.operating_system import locked

LOG = logging.getLogger(__name__)
SLOWER = 100  # times, Python against machine code: 112 for a call of forward dynamics of ella, 48 for a run of 20 ms


def compiled(kernel: Any, kinds: tuple[Kind, ...]) -> tuple[Library, str] | None:
    """Return the machine code of a kernel for arguments of these kinds; None without a compiler."""
    if toolchain.compiler() is None:
        _tell_no_compiler()
        return None
    unit = Unit(kernel, kinds, Catalogue({}), toolchain.mode() == "checked")
    target, name = toolchain.own_target(), key(kernel, kinds)
    folder = _folder()
    table = folder / f"{digest((unit.text + target.describe()).encode())[:24]}.json"
    made = _kept(table)
    if made is None:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(table.with_suffix(".lock")):
            made = _kept(table) or _compiled(kernel, unit, name, table, target)
        with suppress(OSError):
            table.with_suffix(".lock").unlink()
    return made, name


def _compiled(kernel: Any, unit: Unit, name: str, table: Path, target: Target) -> Library:
    announce(kernel.__name__)
    LOG.info("compiling %s into %s", kernel.__name__, table)
    try:
        link_index({name: (unit, result_name(unit.result))}, [_object(unit, table, target)], target, table, {})
    finally:
        announce("")
    return Library(table)


def _kept(table: Path) -> Library | None:
    try:
        return Library(table, owned=True)
    except (OSError, ValueError, KeyError, TypeError, Damaged):
        return None


def _object(unit: Unit, table: Path, target: Target) -> Path:
    source, goal = table.with_suffix(".c"), table.with_suffix(".o")
    write(source, unit.text.encode())
    target.compile(source, goal)
    source.unlink()
    return goal


@cache
def _own_folder() -> Any:
    return tempfile.TemporaryDirectory(prefix="lissom-")


def _folder() -> Path:
    """Return where small libraries are kept; where nothing can be, until the process ends."""
    kept = disk.folder("kernels")
    if kept is not None:
        with disk.writing("kernels"):
            (kept / "single").mkdir(parents=True, exist_ok=True)
            return kept / "single"
    return Path(_own_folder().name)


@cache
def _tell_no_compiler() -> None:
    text = (
        f"lissom: there is no C compiler, so kernels run as Python, about {SLOWER} times slower; install gcc or clang, "
        "or: pip install lissom[compiler]"
    )
    print(text, file=sys.stderr)
