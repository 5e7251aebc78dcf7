"""Machine code from a shared library, called without Numba.

A library holds kernels for the kinds of arguments of the usual paths; beside it a table says which, each under the
stamp of its sources, so that an edited source never meets old code. It comes with a wheel or lies in the cache folder,
where it is made when it is first missed.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from lissom import cache as disk
from lissom.kernel.machine import first_use
from lissom.kernel.machine.kinds import Array, Kind, Number, Table, has_packs
from lissom.kernel.machine.objects import content_digest
from lissom.kernel.machine.stamp import stamp
from lissom.kernel.machine.struct import address

PACKAGE = Path(__file__).parents[2]
WIDE = "x86-64-v4"  # a pack in one register: for kernels of packs alone, as plain numbers gain nothing by it
LEVELS = {  # of x86-64 processors, the best first, with what they must have
    WIDE: {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"},
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"},
    "x86-64-v2": {"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"},
}
# where kernels are that few commands need
RARER = ("lissom.kernel.", "lissom.dynamics.", "lissom.simulation.", "lissom.theory.")
NUMBERS: dict[str, list[Any]] = {
    "bool": [ctypes.c_bool],
    "int64": [ctypes.c_int64],
    "float64": [ctypes.c_double],
    "complex128": [ctypes.c_double, ctypes.c_double],
}
RESULTS: dict[str, Any] = {
    "none": ctypes.c_int64,
    "bool": ctypes.c_bool,
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
}


@cache
def levels() -> tuple[str, ...]:
    """Levels of this processor for which there are libraries, the best first; none where there can be none."""
    if sys.platform not in ("linux", "darwin"):
        return ()
    if platform.machine() != "x86_64":
        return (platform.machine(),)  # what all processors of this kind have
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ()
    flags = set(next((line for line in text.splitlines() if line.startswith("flags")), "").split())
    return tuple(level for level, needed in LEVELS.items() if needed <= flags)


def own_levels() -> tuple[str, ...]:
    """Levels that a library for this processor is made of: the best for plain numbers last, before it that of packs."""
    return levels()[: levels().index(WIDE) + 2 if WIDE in levels() else 1]


def holds(level: str, kinds: tuple[Kind, ...]) -> bool:
    """Whether libraries of a level have kernels of arguments of these kinds."""
    return level != WIDE or any(map(has_packs, kinds))


def key(kernel: Any, kinds: tuple[Kind, ...]) -> str:
    """Name of machine code in a table: the kernel, the kinds of its arguments, the stamp of its sources."""
    described = ", ".join(kind.text for kind in kinds)
    packs = any(map(has_packs, kinds))
    return f"{kernel.__module__}.{kernel.__name__}({described}) {stamp(kernel.py_func, packs)}"


def symbol(name: str) -> str:
    """Name of machine code in a library, from its name in the table."""
    kernel = name.partition("(")[0].rpartition(".")[2]
    return f"lissom_{kernel}_{digest(name)}"


def digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24]


def tables() -> list[Path]:
    """Where tables may lie: in the package, and in the cache folder, where every copy of the sources has its own."""
    kept = disk.folder("kernels")
    shipped = [PACKAGE / "kernel" / "machine" / "built" / f"library-{level}.json" for level in levels()]
    return shipped + ([kept / f"{own_name(level)}.json" for level in levels()] if kept is not None else [])


def own_name(level: str) -> str:
    """Name of the library that these sources keep in the cache folder."""
    return f"library-{level}-{digest(str(PACKAGE))[:12]}"


class Damaged(ValueError):
    """A library that is not as it was linked."""


class Library:
    """A shared library, or object files where nothing could link them, and the table of what is in them."""

    def __init__(self, table: Path) -> None:
        content = json.loads(table.read_text(encoding="utf-8"))
        self.entries: dict[str, dict[str, str]] = content["entries"]
        # what another program links to call the same code
        self.files = [table.with_name(content["file"])] if content["file"] is not None else []
        if self.files:
            # Changed bytes would be run: they give other numbers, or end the process.
            if content_digest(self.files[0].read_bytes()) != content["digest"]:
                raise Damaged(self.files[0])
            code = ctypes.CDLL(str(self.files[0]))
            self._address: Callable[[str], int] = lambda name: ctypes.cast(code[name], ctypes.c_void_p).value or 0
        else:
            from lissom.kernel.machine.objects import Objects

            files = {table.with_name(entry["object"]): entry["digest"] for entry in self.entries.values()}
            self.files = list(files)
            self._address = Objects(files, content["runtime"]).address

    def address(self, name: str) -> int:
        """Where a kernel lies that takes arrays by value."""
        return self._address(f"{self.entries[name]['symbol']}_pointer")

    def function(self, name: str, kinds: tuple[Kind, ...]) -> Callable[..., Any]:
        """The kernel as a Python function of arguments of these kinds."""
        entry = self.entries[name]
        result, returns = RESULTS[entry["returns"]], entry["returns"] != "none"
        parts = [part for kind in kinds for part in _ctypes(kind)]
        code = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *parts)(
            self._address(entry["symbol"])
        )
        packers = [_packer(kind) for kind in kinds]

        def call(*arguments: Any) -> Any:
            out, error = result(), ctypes.c_void_p()
            values: list[Any] = [ctypes.byref(out), ctypes.byref(error)]
            for pack, argument in zip(packers, arguments):
                values += pack(argument)
            if code(*values) not in (0, NONE):
                raise ZeroDivisionError  # all that kernels raise, and only for complex numbers
            return out.value if returns else None

        return call


NONE = -2  # Numba's status of a function that returns None


def _ctypes(kind: Kind) -> list[Any]:
    """C types of an argument: an array comes as its owner, size, address, shape and strides."""
    if isinstance(kind, Array):
        return [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 2 + [ctypes.c_void_p] + [ctypes.c_int64] * (2 * kind.ndim)
    return NUMBERS[kind.name] if isinstance(kind, Number) else [ctypes.c_void_p]


def _packer(kind: Kind) -> Callable[[Any], tuple[Any, ...]]:
    if isinstance(kind, Array):
        return lambda a: (None, None, a.size, a.itemsize, address(a), *a.shape, *a.strides)
    if isinstance(kind, Number):
        plain = {"bool": bool, "int64": int, "float64": float}
        return (lambda z: (z.real, z.imag)) if kind.name == "complex128" else (lambda x: (plain[kind.name](x),))
    assert isinstance(kind, Table)
    return lambda struct: (struct.address,)


@cache
def libraries() -> tuple[Library, ...]:
    """The libraries of this processor, those of the package first."""
    found = []
    for table in tables():
        try:
            found.append(Library(table))
        except Damaged as damage:  # taken away, so that it is made again
            with suppress(OSError):
                if disk.folder("kernels") == table.parent:
                    table.unlink()
                    Path(damage.args[0]).unlink()
        except (OSError, ValueError, KeyError, TypeError, ImportError, RuntimeError):  # none here, or damaged
            continue
    return tuple(found)


def holding(kernel: Any, kinds: tuple[Kind, ...]) -> tuple[Library, str] | None:
    """The library that holds machine code of a kernel, and the name it has there."""
    name = key(kernel, kinds)
    found = _find(name)
    for rarer, layers in enumerate((("lissom.",), RARER)):
        if found is None and kernel.__module__.startswith(layers) and first_use.make(tables(), PACKAGE, bool(rarer)):
            libraries.cache_clear()
            found = _find(name)
    return None if found is None else (found, name)


def complete() -> bool:
    """Whether there is a library of these sources that holds what is rarer, too."""
    return first_use.current(tables(), PACKAGE, True)


def _find(name: str) -> Library | None:
    return next((library for library in libraries() if name in library.entries), None)
