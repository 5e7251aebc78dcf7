"""Machine code on disk, one file for each version of a kernel: named after its stamp, its types and the processor.

What older sources left behind is never read. Files appear whole, so processes may share a folder; one that needs what
another is just compiling waits for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import time
from pathlib import Path
from typing import Any

import numba
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from lissom import cache
from lissom.kernel.machine.stamp import stamp

PATIENCE = 600.0  # s to wait for another process
DIGEST = 32  # bytes in front of a file that tell whether it is whole


class DiskCache:
    """What Numba's dispatcher asks for machine code before it compiles, and gives what it has compiled."""

    def __init__(self, kernel: Any, options: dict[str, Any]) -> None:
        self._function, self._options = kernel.py_func, options
        self._locks: dict[Any, Any] = {}

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The machine code for a signature, or None: then the caller compiles it, and others wait for that."""
        context.refresh()  # what Numba knows of extensions, before anything refers to it
        path = self._path(signature, context.codegen())
        if path is None:
            return None
        found = self._read(path, context)
        if found is None:
            self._locks[signature] = _lock(path)
            found = self._read(path, context)
            if found is not None:
                self._release(signature)
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        path = self._path(signature, compiled.codegen)
        if path is not None:
            with cache.writing("kernels"):
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_suffix(f".{os.getpid()}.part")
                content = dumps(compiled._reduce())
                part.write_bytes(hashlib.sha256(content).digest() + content)
                part.replace(path)
        self._release(signature)

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        folder = cache.folder("kernels")
        if folder is None:
            return None
        about = repr((signature, codegen.magic_tuple(), numba.__version__, self._options))
        version = hashlib.sha256(about.encode()).hexdigest()[:16]
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        return folder / f"{name}-{stamp(self._function)[:16]}-{version}.kernel"

    def _read(self, path: Path, context: Any) -> Any:
        try:
            data = path.read_bytes()
            if hashlib.sha256(data[DIGEST:]).digest() != data[:DIGEST] or not cache.trusted(path):
                return None  # changed bytes would be run, and so would those of another user
            return CompileResult._rebuild(context, *pickle.loads(data[DIGEST:]))
        except FileNotFoundError:
            return None
        except Exception:  # cut short or damaged: compiled again
            return None

    def _release(self, signature: Any) -> None:
        lock = self._locks.pop(signature, None)
        if lock is not None:
            lock.close()


def _lock(path: Path) -> Any:
    """Hold the file that says who compiles `path`; None where that cannot be done."""
    try:
        import fcntl
    except ImportError:
        return None
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.with_suffix(".lock").open("w")
        waited = time.monotonic() + PATIENCE
        while time.monotonic() < waited:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.05)
            else:
                break
        return file
    return None
