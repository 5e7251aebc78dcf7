"""Build a library of machine code, on all cores.

Each kernel is a C file and an object file of its own, so that an edit compiles only what it changes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from lissom.kernel.compile.libraries import toolchain
from lissom.kernel.compile.libraries.fingerprint import digest, digests, translator_files
from lissom.kernel.compile.libraries.library import ADDRESSES, PACKAGE, key
from lissom.kernel.compile.libraries.object_files import Objects, Report, compile_text, write
from lissom.kernel.compile.libraries.toolchain import Target
from lissom.kernel.compile.trace import Need
from lissom.kernel.compile.translate import Catalogue, Unit, find
from lissom.operating_system import cores, locked

KEPT_BYTES = 50e6  # of object files, and of single kernels; what has not been used for longest goes first


def build(
    needs: dict[Need, str],
    targets: Iterable[Target],
    goal: Path,
    name: str,
    report: Report,
    kept: Path,
    rarer: bool = False,
    workload: str = "",
) -> list[Path]:
    """Make a library for each target, and return their tables.

    needs: what it holds, with the kind of each result.
    goal, name: the folder it is put into, and its name, with {level}.
    report: is told how many functions are done.
    kept: where object files are kept.
    rarer: whether that is all there is.
    workload: the module that decided what it holds, if one did: the library is made again when that changes.
    """
    goal.mkdir(parents=True, exist_ok=True)
    kept.mkdir(parents=True, exist_ok=True)
    with locked(kept / "building.lock"), ThreadPoolExecutor(cores()) as pool:
        objects, targets = Objects(kept / "objects", pool), tuple(targets)
        catalogue, checked = Catalogue(needs), toolchain.mode() == "checked"
        units: dict[Need, Unit] = {}
        files: dict[tuple[Need, Target], Path] = {}
        for need in sorted(needs, key=lambda each: (each.module, each.name, str(each.kinds))):
            unit = units[need] = Unit(find(need), need.kinds, catalogue, checked)
            for target in targets:
                files[need, target] = objects.add(unit.text, target)
        objects.wait(report)
        tables = []
        for target in targets:
            table = goal / f"{name.format(level=target.level)}.json"
            entries = {key(find(need), need.kinds): (unit, needs[need]) for need, unit in units.items()}
            about = {"rarer": rarer, "package": str(PACKAGE), "sources": _sources(units.values(), workload)}
            link_index(entries, [files[need, target] for need in units], target, table, about)
            tables.append(table)
        evict(kept)
    return tables


def link_index(
    entries: dict[str, tuple[Unit, Any]], objects: list[Path], target: Target, table: Path, about: dict[str, Any]
) -> None:
    """Link objects and the table of their addresses to a shared library, and write beside it what it holds."""
    names = [name for unit, _ in entries.values() for name in (unit.entry, unit.pointer)]
    declared = "\n".join(f"HIDDEN void {name}(void);" for name in names)
    listed = ",\n    ".join(f"(void *){name}" for name in names)
    export = "__declspec(dllexport)" if target.suffix == ".dll" else '__attribute__((visibility("default")))'
    text = f'#include "prelude.h"\n{declared}\n{export} void *const {ADDRESSES}[] = {{\n    {listed}\n}};\n'
    if toolchain.mode() == "checked":
        text += CHECKED_STATE.format(export=export)
    index = table.with_suffix(".index.o")
    compile_text(text, index, target)
    with tempfile.TemporaryDirectory(dir=table.parent) as place:  # in which linkers leave more, zig's for Windows
        part = Path(place, f"part{target.suffix}")
        target.link([*objects, index], part)
        content = part.read_bytes()
        file = table.with_name(f"{table.stem}-{digest(content)[:12]}{target.suffix}")
        part.replace(file)
    for done in (index, *objects) if not about else (index,):  # of a single kernel all is in the library
        done.unlink()
    held = {name: [k, returns] for k, (name, (_, returns)) in enumerate(entries.items())}
    shown = {"file": file.name, "digest": digest(content), "sources": {}, **about, "entries": held}
    write(table, json.dumps(shown).encode())
    for old in table.parent.glob(f"{table.stem}-*{target.suffix}"):
        if old.name != file.name:
            with suppress(OSError):
                old.unlink()


CHECKED_STATE = """
#include <string.h>
static _Thread_local char first_not_finite[256];
HIDDEN void note_not_finite(const char *place)
{{
    if (!first_not_finite[0]) strncpy(first_not_finite, place, sizeof first_not_finite - 1);
}}
{export} char *lissom_first_not_finite(void) {{ return first_not_finite; }}
"""


def _sources(units: Iterable[Unit], workload: str) -> dict[str, list[str]]:
    """Return digests of all that the C was made of."""
    modules = {workload}.union(*(unit.sources.modules for unit in units))
    files = {Path(str(sys.modules[name].__file__)) for name in modules if name in sys.modules}
    return digests(PACKAGE, [*sorted(files), *translator_files()])


def evict(kept: Path) -> None:
    """Delete what has not been used for longest, and libraries of sources that are gone."""
    for folder, pattern in (("objects", "*.o"), ("single", "*.json")):
        size = 0.0
        for path in sorted((kept / folder).glob(pattern), key=lambda path: -path.stat().st_mtime):
            files = [path, *path.parent.glob(f"{path.stem}-*")]
            size += sum(file.stat().st_size for file in files)
            for file in files if size > KEPT_BYTES else ():
                with suppress(OSError):
                    file.unlink()
    for table in kept.glob("library-*.json"):
        with suppress(OSError, ValueError, KeyError):
            content = json.loads(table.read_text(encoding="utf-8"))
            if not Path(content["package"]).exists():
                table.with_name(content["file"]).unlink()
                table.unlink()
