"""Object files, each kept under the digest of its C: what an edit leaves as it was is not compiled again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from lissom.kernel.compile.libraries import toolchain
from lissom.kernel.compile.libraries.fingerprint import digest
from lissom.kernel.compile.libraries.toolchain import Target

Report = Callable[[int, int], None]  # functions done, of all


class Objects:
    """Object files in a folder, compiled by a pool of threads."""

    def __init__(self, folder: Path, pool: Executor) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.pool = folder, pool
        self._described: dict[Target, str] = {}
        self._jobs: list[Future[Any]] = []

    def add(self, text: str, target: Target) -> Path:
        """Return where the object file of some C is, once all is waited for."""
        if target not in self._described:
            self._described[target] = target.describe()
        path = self.folder / f"{digest((text + self._described[target]).encode())[:32]}.o"
        if not _renew(path):
            self._jobs.append(self.pool.submit(compile_text, text, path, target))
        return path

    def compile(self, source: Path, goal: Path, target: Target) -> Path:
        """Compile a file whose object file is not kept."""
        self._jobs.append(self.pool.submit(target.compile, source, goal))
        return goal

    def wait(self, report: Report) -> None:
        """Wait for all that compiles, and report how much is done; the first error of a compiler is raised."""
        report(0, len(self._jobs))
        for done, job in enumerate(self._jobs, 1):
            job.result()
            report(done, len(self._jobs))


def compile_text(text: str, path: Path, target: Target) -> None:
    """Return the object file of some C, which is there whole or not at all."""
    source, part = path.with_suffix(".c"), path.with_suffix(f".{os.getpid()}-{time.monotonic_ns()}.o")
    write(source, text.encode())
    target.compile(source, part)
    part.replace(path)
    if not toolchain.mode():
        source.unlink()


def _renew(path: Path) -> bool:
    """Return whether an object file is there; it is then new again for who looks for old ones."""
    with suppress(OSError):
        os.utime(path)
        return True
    return False


def write(path: Path, content: bytes) -> None:
    """Write a file, which is there whole or not at all."""
    part = path.with_suffix(f"{path.suffix}.{os.getpid()}-{time.monotonic_ns()}.part")
    part.write_bytes(content)
    part.replace(path)
