"""Build a library of machine code, on all cores.

Each kernel becomes an object file of its own, kept under its stamp; a change of one kernel compiles that one again and
those that call it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from lissom.kernel.machine.first_use import cores, sources
from lissom.kernel.machine.library import PACKAGE, digest, holds, key
from lissom.kernel.machine.objects import content_digest
from lissom.kernel.machine.trace import Need

KEPT = ("symbol", "returns", "object", "digest")  # in a table, of what is known of an object file
RUNTIME = Path(__file__).with_name("runtime.c")
Report = Callable[[int, int], None]  # functions done, of all


def compiler() -> str | None:
    """The C compiler that links libraries."""
    return shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")


class Workers:
    """A process for each core unless told otherwise, which load Numba while the work is still being found."""

    def __init__(self, levels: tuple[str, ...], count: int | None = None) -> None:
        self.levels = levels
        self._pools = [ProcessPoolExecutor(1, mp_context=get_context("spawn")) for _ in range(count or cores())]

    def __enter__(self) -> Workers:
        for pool in self._pools:
            pool.submit(_load)
        return self

    def __exit__(self, *_: object) -> None:
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def compiled(self, needs: dict[Need, str], work: list[Need]) -> Iterator[tuple[Need, Any]]:
        """Object files and what there is to say of them, in any order; None of what cannot be compiled.

        Neighbours in `work` share helpers, which each process compiles for itself: a process that is free takes what is
        nearest to its last.
        """
        ahead = dict(enumerate(work))
        at = {k: (k + 0.5) * len(work) / len(self._pools) for k in range(len(self._pools))}
        for pool in self._pools:
            pool.submit(_prepare, needs, self.levels)
        running: dict[Future, tuple[int, Need]] = {}
        while ahead or running:
            for k in set(at) - {k for k, _ in running.values()} if ahead else ():
                if ahead:
                    place = min(ahead, key=lambda other: abs(other - at[k]))
                    at[k] = place
                    need = ahead.pop(place)
                    running[self._pools[k].submit(_export, need)] = k, need
            for job in wait(running, return_when=FIRST_COMPLETED).done:
                _, need = running.pop(job)
                yield need, job.result()


def build(
    needs: dict[Need, str],
    folder: Path,
    name: str,
    report: Report,
    workers: Workers,
    goal: Path,
    rarer: bool = False,
) -> list[Path]:
    """Make a library for each level of the workers.

    Args:
        needs: what it holds, with the kind of each result.
        rarer: whether that is all there is.
        folder: where object files are kept.
        name: of the library, with {level}.
        goal: the folder it is put into.
    Returns:
        Its table for each level that has something.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder / f"{name.format(level='')}.lock"):
        keys = {need: name_of for need in needs if (name_of := _key(need)) is not None}
        needs = {need: needs[need] for need in keys}
        objects = {
            need: {
                of: folder / f"{digest(keys[need], of, *_tools())}.o" for of in workers.levels if holds(of, need.kinds)
            }
            for need in keys
        }
        work = [n for n in needs if not all(path.with_suffix(".json").exists() for path in objects[n].values())]
        work.sort(key=lambda need: ("complex128" in str(need.kinds), need.module, need.name))
        report(len(needs) - len(work), len(needs))
        for done, (need, exported) in enumerate(workers.compiled(needs, work) if work else (), 1):
            for level, path in objects[need].items():
                _keep(path, exported, level)
            report(len(needs) - len(work) + done, len(needs))
        found = {level: _entries(keys, objects, level) for level in workers.levels}
        return [_link(of, folder, goal, name.format(level=level), rarer) for level, of in found.items() if of]


def _tools() -> tuple[str, ...]:
    """What, beside its sources, object files depend on."""
    exporter = Path(__file__).parent / "bridge" / "export.py"
    return version("numba"), version("llvmlite"), exporter.read_text(encoding="utf-8")


_exporter: Any = None  # of a worker


def _load() -> None:
    """Be ready, and end with the process that asked, however that one ends."""
    Thread(target=_end_with_parent, daemon=True).start()
    import lissom.kernel.machine.bridge.export  # noqa: F401


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _prepare(needs: dict[Need, str], levels: tuple[str, ...]) -> None:
    global _exporter
    from lissom.kernel.machine.bridge.export import Exporter

    _exporter = Exporter(needs, levels)


def _export(need: Need) -> Any:
    try:
        return _exporter.export(need)
    except Exception:  # it compiles when it is called, and tells then why it cannot
        return None


def _keep(path: Path, exported: Any, level: str) -> None:
    about = None
    if exported is not None:
        contents, about = exported
        _write(path, contents[level])
        about = {**about, "object": path.name, "digest": content_digest(contents[level])}
    _write(path.with_suffix(".json"), json.dumps(about).encode())


def _entries(keys: dict[Need, str], objects: dict[Need, dict[str, Path]], level: str) -> dict[str, dict[str, Any]]:
    """What there is for a level, by its name in the table."""
    found = {keys[need]: _read(paths[level]) for need, paths in objects.items() if level in paths}
    return {name: about for name, about in found.items() if about is not None}


def _read(path: Path) -> dict[str, Any] | None:
    """What there is to say of an object file; None of a kernel that cannot be compiled."""
    about: dict[str, Any] | None = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return about


def _link(entries: dict[str, dict[str, Any]], folder: Path, goal: Path, name: str, rarer: bool) -> Path:
    """One shared library of all object files, and its table; without a linker the objects alone."""
    goal.mkdir(parents=True, exist_ok=True)
    entries = _whole(entries)
    objects = sorted(about["object"] for about in entries.values())
    file: str | None = f"{name}-{digest(*objects, RUNTIME.read_text(encoding='utf-8'))}.so"
    if not _shared(goal / str(file), [folder / name for name in objects]):
        file, entries = None, _whole({key: about for key, about in entries.items() if not about["allocates"]})
    runtime = sorted({symbol for about in entries.values() for symbol in about["runtime"]})
    if file is None and goal != folder:
        for about in entries.values():
            shutil.copy(folder / about["object"], goal)
    kept = {key: {field: about[field] for field in KEPT} for key, about in entries.items()}
    made = None if file is None else content_digest((goal / file).read_bytes())
    content = {
        "file": file,
        "digest": made,
        "sources": sources(PACKAGE),
        "rarer": rarer,
        "runtime": runtime,
        "entries": kept,
    }
    _write(goal / f"{name}.json", json.dumps(content).encode())
    for old in goal.glob(f"{name}-*.so"):
        if old.name != file:
            old.unlink()
    return goal / f"{name}.json"


def _whole(entries: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Without those that call what is not there, or what returns something else than they think."""
    while True:
        returns = {about["symbol"]: about["returns"] for about in entries.values()}
        whole = {
            key: about
            for key, about in entries.items()
            if all(returns.get(symbol) == expected for symbol, expected in about["calls"].items())
        }
        if len(whole) == len(entries):
            return whole
        entries = whole


def _shared(path: Path, objects: list[Path]) -> bool:
    """Link a shared library; False where nothing can."""
    if compiler() is None:
        return False
    part = path.with_suffix(f".{os.getpid()}.part")
    flags = ["-shared", "-fPIC", "-O1", "-s", "-o", str(part)]
    try:
        subprocess.run(
            [str(compiler()), *flags, *map(str, objects), str(RUNTIME), "-lm"], check=True, capture_output=True
        )
        part.replace(path)
    except subprocess.CalledProcessError:
        return False
    return True


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process builds, others wait for it and find all done."""
    with ExitStack() as held:
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(held.enter_context(path.open("w")), fcntl.LOCK_EX)
        yield


def _key(need: Need) -> str | None:
    """Name in the table; None of a kernel that no other process finds."""
    found = getattr(import_module(need.module), need.name, None)
    kernel = getattr(found, "kernel", found)
    return None if kernel is None else key(kernel, need.kinds)


def _write(path: Path, content: bytes) -> None:
    part = path.with_suffix(f"{path.suffix}.{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)
