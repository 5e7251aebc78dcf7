"""Machine code from a shared library, called without Numba.

A library holds kernels for the kinds of arguments of the usual paths; beside it a table says which, each under the
stamp of its sources, so that an edited source never meets old code. It comes with a wheel or lies in the cache folder.
"""

from __future__ import annotations

import ctypes
import json
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from lissom import cache as disk
from lissom.kernel.machine.kinds import Array, Kind, Number, Table
from lissom.kernel.machine.stamp import stamp

LEVELS = {  # of x86-64 processors, the best first, with what they must have
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"},
    "x86-64-v2": {"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"},
}
NUMBERS: dict[str, list[Any]] = {
    "bool": [ctypes.c_bool],
    "int64": [ctypes.c_int64],
    "float64": [ctypes.c_double],
    "complex128": [ctypes.c_double, ctypes.c_double],
}
RESULTS: dict[str, Any] = {"none": ctypes.c_int64, "int64": ctypes.c_int64, "float64": ctypes.c_double}


@cache
def levels() -> tuple[str, ...]:
    """Levels of this processor for which there are libraries, the best first; none where there can be none."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return ()
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ()
    flags = set(next((line for line in text.splitlines() if line.startswith("flags")), "").split())
    return tuple(level for level, needed in LEVELS.items() if needed <= flags)


def key(kernel: Any, kinds: tuple[Kind, ...]) -> str:
    """Name of machine code in a table: the kernel, the kinds of its arguments, the stamp of its sources."""
    described = ", ".join(kind.text for kind in kinds)
    return f"{kernel.__module__}.{kernel.__name__}({described}) {stamp(kernel.py_func)}"


def folders() -> list[Path]:
    """Where libraries may lie: in the package, in the cache."""
    kept = disk.folder("kernels")
    return [Path(__file__).parent / "built", *([kept] if kept is not None else [])]


class Library:
    """A shared library and its table."""

    def __init__(self, table: Path) -> None:
        content = json.loads(table.read_text(encoding="utf-8"))
        self.entries: dict[str, dict[str, str]] = content["entries"]
        self._code = ctypes.CDLL(str(table.with_name(content["file"])))

    def address(self, name: str) -> int:
        return ctypes.cast(self._code[self.entries[name]["pointer"]], ctypes.c_void_p).value or 0

    def function(self, name: str, kinds: tuple[Kind, ...]) -> Callable[..., Any]:
        """The kernel as a Python function of arguments of these kinds."""
        entry = self.entries[name]
        code, result, returns = self._code[entry["function"]], RESULTS[entry["returns"]], entry["returns"] != "none"
        shapes = [_ctypes(kind) for kind in kinds]
        code.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *(part for shape in shapes for part in shape)]
        code.restype = ctypes.c_int32
        packers = [_packer(kind) for kind in kinds]

        def call(*arguments: Any) -> Any:
            out, error = result(), ctypes.c_void_p()
            values: list[Any] = [ctypes.byref(out), ctypes.byref(error)]
            for pack, argument in zip(packers, arguments):
                values += pack(argument)
            if code(*values) not in (0, NONE):
                raise RuntimeError(f"{name.partition('(')[0]} failed")
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
        return lambda a: (None, None, a.size, a.itemsize, a.ctypes.data, *a.shape, *a.strides)
    if isinstance(kind, Number):
        plain = {"bool": bool, "int64": int, "float64": float}
        return (lambda z: (z.real, z.imag)) if kind.name == "complex128" else (lambda x: (plain[kind.name](x),))
    assert isinstance(kind, Table)
    return lambda struct: (struct.address,)


@cache
def libraries() -> tuple[Library, ...]:
    """The libraries of this processor, those of the package first."""
    found = []
    for folder in folders():
        for level in levels():
            try:
                found.append(Library(folder / f"library-{level}.json"))
            except (OSError, ValueError, KeyError):  # none here, or damaged
                continue
    return tuple(found)


def holding(kernel: Any, kinds: tuple[Kind, ...]) -> tuple[Library, str] | None:
    """The library that holds machine code of a kernel, and the name it has there."""
    if not libraries():
        return None
    name = key(kernel, kinds)
    found = next((library for library in libraries() if name in library.entries), None)
    return None if found is None else (found, name)
