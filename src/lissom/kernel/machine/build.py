"""Build a shared library of machine code, on all cores.

Each kernel becomes an object file of its own, kept under its stamp; a change of one kernel compiles that one again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lissom.kernel.machine.library import key
from lissom.kernel.machine.trace import Need, Trace

Report = Callable[[int, int], None]  # functions done, of all


def compiler() -> str | None:
    """The C compiler that links libraries."""
    return shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")


def build(needs: Trace, folder: Path, level: str, report: Report, goal: Path | None = None) -> Path:
    """Make the library of a processor level, in `goal` if that is not `folder`, where objects are kept; its table."""
    folder.mkdir(parents=True, exist_ok=True)
    objects = {need: folder / f"{_digest(_key(need), level)}.o" for need in needs.entries}
    missing = [need for need, path in objects.items() if not path.with_suffix(".json").exists()]
    inner = list(needs.inner) if missing else []
    total = len(inner) + len(objects)
    done = len(objects) - len(missing)
    report(done, total)
    for _ in _on_all_cores(inner, missing, level, objects):
        done += 1
        report(done, total)
    entries = {_key(need): _about(path) for need, path in objects.items()}
    return _link({name: about for name, about in entries.items() if about}, folder, goal or folder, level)


def _on_all_cores(inner: list[Need], missing: list[Need], level: str, objects: dict[Need, Path]) -> Iterator[None]:
    """Compile in processes; what others call comes first, and waits for nobody."""
    if not missing:
        return
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_compile_inner, need) for need in inner]
        jobs += [pool.submit(_export, need, level, objects[need]) for need in missing]
        for job in as_completed(jobs):
            job.result()
            yield


def _compile_inner(need: Need) -> None:
    from lissom.kernel.machine.bridge.export import compile_inner

    compile_inner(need)


def _export(need: Need, level: str, path: Path) -> None:
    from lissom.kernel.machine.bridge.export import export

    exported = export(need, level)
    if exported is not None:
        _write(path, exported[0])
    _write(path.with_suffix(".json"), json.dumps(exported and exported[1]).encode())


def _link(entries: dict[str, dict[str, Any]], folder: Path, goal: Path, level: str) -> Path:
    """One shared library of all object files, and its table."""
    goal.mkdir(parents=True, exist_ok=True)
    table = goal / f"library-{level}.json"
    name = f"library-{level}-{_digest(*sorted(entries))}.so"
    if not (goal / name).exists():
        runtime = sorted({symbol for about in entries.values() for symbol in about["runtime"]})
        stubs = folder / f"{name}.{os.getpid()}.c"
        bodies = (f"void {symbol}(void) {{ abort(); }}\n" for symbol in runtime)
        stubs.write_text("#include <stdlib.h>\n" + "".join(bodies))
        part = goal / f"{name}.{os.getpid()}.part"
        objects = [str(folder / about["object"]) for about in entries.values()]
        command = [str(compiler()), "-shared", "-fPIC", "-O1", "-s", "-o", str(part), *objects, str(stubs), "-lm"]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
            part.replace(goal / name)
        finally:
            stubs.unlink()
    _write(table, json.dumps({"file": name, "entries": entries}).encode())
    return table


def _about(path: Path) -> dict[str, Any] | None:
    about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return about and {**about, "object": path.name}


def _key(need: Need) -> str:
    from importlib import import_module

    found = getattr(import_module(need.module), need.name)
    return key(getattr(found, "kernel", found), need.kinds)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24]


def _write(path: Path, content: bytes) -> None:
    part = path.with_suffix(f"{path.suffix}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)
