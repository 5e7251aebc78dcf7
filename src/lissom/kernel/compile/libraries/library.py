"""Machine code from a shared library, called through ctypes.

A library holds kernels for the kinds of arguments of the usual paths. Its only name is a table of addresses; a file
beside it says which kernel is where, and of which sources they were made, so that an edited source never meets old
code. It comes with a wheel or lies in the cache folder, where it is made when it is first missed.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from lissom import cache as disk
from lissom.kernel.compile.argument_kinds import Array, Kind, Number
from lissom.kernel.compile.libraries import first_use, toolchain
from lissom.kernel.compile.libraries.fingerprint import digest, is_unchanged
from lissom.kernel.compile.struct import address
from lissom.operating_system import is_private

PACKAGE = Path(__file__).parents[3]
ADDRESSES = "lissom_kernels"  # of each kernel: the function for Python, the one for other machine code
COPY_DIGITS = 12  # that tell one copy of the sources from another in the name of its library
ANY_COPY = "[0-9a-f]" * COPY_DIGITS
# where kernels are that few commands need
RARER = ("lissom.kernel.", "lissom.dynamics.", "lissom.simulation.", "lissom.results.", "lissom.theory.")
NUMBERS: dict[str, list[Any]] = {
    "bool": [ctypes.c_bool],
    "int64": [ctypes.c_int64],
    "float64": [ctypes.c_double],
    "complex128": [ctypes.c_double, ctypes.c_double],
}


class Complex(ctypes.Structure):
    """A complex number that a kernel returns."""

    _fields_ = (("re", ctypes.c_double), ("im", ctypes.c_double))

    @property
    def value(self) -> complex:
        """The number as Python has it."""
        return complex(self.re, self.im)


RESULTS: dict[str, Any] = {
    "bool": ctypes.c_bool,
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
    "complex128": Complex,
}


def key(kernel: Any, kinds: tuple[Kind, ...]) -> str:
    """Return the name of machine code in a table: the kernel and the kinds of its arguments."""
    return f"{kernel.__module__}.{kernel.__name__}({', '.join(kind.text for kind in kinds)})"


def tables() -> list[Path]:
    """Return where tables may lie: of these sources, then of other copies, which serve where they are the same."""
    return [*own_tables(), *tables_of_others()]


def own_tables() -> list[Path]:
    """Return where tables of these sources may lie: in the package, and in the cache under a name of their own."""
    kept = disk.folder("kernels")
    shipped = PACKAGE / "kernel" / "compile" / "built"
    out = [] if toolchain.mode() else [shipped / f"library-{level}.json" for level in toolchain.levels()]
    return out + ([kept / f"{own_name(level)}.json" for level in toolchain.levels()] if kept is not None else [])


def tables_of_others() -> list[Path]:
    """Return the tables that other copies of the sources keep in the cache."""
    kept = disk.folder("kernels")
    if kept is None:
        return []
    found = (path for level in toolchain.levels() for path in sorted(kept.glob(f"{_name(level, ANY_COPY)}.json")))
    return [path for path in found if path not in own_tables()]


def own_name(level: str) -> str:
    """Return the name of the library that these sources keep in the cache folder."""
    return _name(level, hashlib.sha256(str(PACKAGE).encode()).hexdigest()[:COPY_DIGITS])


def _name(level: str, copy: str) -> str:
    return "-".join(("library", level, *filter(None, [toolchain.mode()]), copy))


class Damaged(ValueError):
    """A library that is not as it was linked."""


opened: list[Library] = []  # by this process


class Library:
    """A shared library and the table of what is in it.

    owned: whether both must be files that nobody else can write.
    """

    def __init__(self, table: Path, owned: bool = False) -> None:
        content = json.loads(table.read_text(encoding="utf-8"))
        self.entries: dict[str, list[Any]] = content["entries"]  # place of the addresses, kind of the result
        self.file = table.with_name(content["file"])
        if owned and not (is_private(table) and is_private(self.file)):
            raise PermissionError(f"{self.file} may be written by others")
        if not is_unchanged(PACKAGE, content["sources"]):
            raise ValueError(f"{table} was made of other sources")
        # Changed bytes would be run: they give other numbers, or end the process.
        if digest(self.file.read_bytes()) != content["digest"]:
            raise Damaged(self.file)
        self.code = ctypes.CDLL(str(self.file))
        count = 2 * (1 + max((place for place, _ in self.entries.values()), default=-1))
        self._addresses = (ctypes.c_void_p * count).in_dll(self.code, ADDRESSES)
        opened.append(self)

    def address(self, name: str) -> int:
        """Return where a kernel lies that takes arrays by value."""
        return int(self._addresses[2 * self.entries[name][0] + 1])

    def function(self, name: str, kinds: tuple[Kind, ...]) -> Callable[..., Any]:
        """Return the kernel as a Python function of arguments of these kinds."""
        place, returns = self.entries[name]
        parts = [part for kind in kinds for part in _ctypes(kind)]
        code = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *parts)(self._addresses[2 * place])
        packers, result = [_packer(kind) for kind in kinds], _result(returns)

        def call(*arguments: Any) -> Any:
            out: Any = result() if result else None
            values: list[Any] = [ctypes.byref(out) if result else None]
            for pack, argument in zip(packers, arguments):
                values += pack(argument)
            code(*values)
            return _to_python(out, returns) if result else None

        return call


def result_name(kind: Any) -> Any:
    """Return how a table tells the kind of a result: by its name, of a tuple by a list."""
    if kind is None:
        return "none"
    return kind.text if isinstance(kind, Number) else [result_name(item) for item in kind.items]


def _result(returns: Any) -> Any:
    """Return the C type of a result; None if there is none."""
    if isinstance(returns, str):
        return RESULTS.get(returns)
    fields = [(f"f{k}", _result(each)) for k, each in enumerate(returns)]
    return type("result", (ctypes.Structure,), {"_fields_": fields})


def _to_python(out: Any, returns: Any) -> Any:
    """Return a result as Python has it."""
    if isinstance(returns, str):
        return out.value
    values = (getattr(out, f"f{k}") for k in range(len(returns)))
    plain = (ctypes.Structure, ctypes.Array)
    return tuple(_to_python(x, of) if isinstance(x, plain) else x for x, of in zip(values, returns, strict=True))


def _ctypes(kind: Kind) -> list[Any]:
    """Return the C types of an argument: an array comes as address, lengths and, out of C's order, strides."""
    if isinstance(kind, Array):
        return [ctypes.c_void_p] + [ctypes.c_int64] * (kind.ndim if kind.layout == "C" else 2 * kind.ndim)
    return NUMBERS[kind.name] if isinstance(kind, Number) else [ctypes.c_void_p]


def _packer(kind: Kind) -> Callable[[Any], tuple[Any, ...]]:
    if isinstance(kind, Array):
        if kind.layout == "C":
            return lambda a: (address(a), *a.shape)
        return lambda a: (address(a), *a.shape, *(stride // a.itemsize for stride in a.strides))
    if isinstance(kind, Number):
        plain = {"bool": bool, "int64": int, "float64": float}
        return (lambda z: (z.real, z.imag)) if kind.name == "complex128" else (lambda x: (plain[kind.name](x),))
    return lambda struct: (struct.address,)


def libraries() -> Iterator[Library]:
    """Iterate over the libraries of this processor, those of the package first; each is opened when it is reached."""
    for places in (own_tables, tables_of_others):
        yield from filter(None, map(_open, places()))


@cache
def _open(table: Path) -> Library | None:
    """Return the library of a table; None where there is none, of other sources, or damaged."""
    own = disk.folder("kernels") == table.parent  # others may write into a cache folder, not into the package
    try:
        return Library(table, owned=own)
    except Damaged as damage:  # taken away, so that it is made again
        with suppress(OSError):
            if own:
                table.unlink()
                Path(damage.args[0]).unlink()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # none here, of other sources, of another form
        pass
    return None


def find_holder(kernel: Any, kinds: tuple[Kind, ...]) -> tuple[Library, str] | None:
    """Return the library that holds machine code of a kernel, and the name it has there."""
    name = key(kernel, kinds)
    found = _find(name)
    for rarer, layers in enumerate((("lissom.",), RARER)):
        if found is None and kernel.__module__.startswith(layers) and first_use.make(tables(), PACKAGE, bool(rarer)):
            _open.cache_clear()
            found = _find(name)
    return None if found is None else (found, name)


def is_complete() -> bool:
    """Return whether there is a library of these sources that holds what is rarer, too."""
    return first_use.is_current(tables(), PACKAGE, True)


def _find(name: str) -> Library | None:
    return next((library for library in libraries() if name in library.entries), None)
