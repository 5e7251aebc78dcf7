"""The stamp of a kernel: a fingerprint of every source that its machine code depends on.

Followed are the names a function uses, through helpers and other kernels: the text of each function and the value of
each constant counts, wherever they stand, and so does what turns them into machine code. An edit to anything else
leaves the stamp as it is.
"""

from __future__ import annotations

import enum
import hashlib
import linecache
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

# Files of this folder that only keep machine code, call it or watch.
KEEPING = {"stamp.py", "cache.py", "events.py", "library.py", "objects.py", "first_use.py"}
KEEPING |= {"trace.py", "build.py", "export.py", "haste.py"}
MISSING = object()
CONSTANTS = (bool, int, float, complex, str, bytes, type(None), np.generic)


@cache
def stamp(function: Callable, packs: bool = True) -> str:
    """Fingerprint (hexadecimal) of all that the machine code of a kernel's Python function depends on.

    `packs`: whether it may be code for numbers of `kernel.packs`.
    """
    found: dict[str, str] = {}
    _follow(function, found)
    tools = [_compiler(), _number_types()] if packs else [_compiler()]
    lines = [*tools, *(f"{name} {digest}" for name, digest in sorted(found.items()))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _follow(function: Any, found: dict[str, str]) -> None:
    """Add the functions and constants that `function` reaches, by name."""
    name = f"{function.__module__}.{function.__qualname__}"
    if name in found:
        return
    found[name] = _digest(_text(function))
    for used, value in _used(function):
        inner = getattr(value, "py_func", value)
        if isinstance(inner, FunctionType):
            _follow(inner, found)
        else:
            found[f"{name}:{used}"] = _digest(_constant(value))


def _used(function: Any) -> Iterator[tuple[str, Any]]:
    """Global names and enclosed variables that a function uses, with their values."""
    if function.__closure__:
        yield from zip(function.__code__.co_freevars, (cell.cell_contents for cell in function.__closure__))
    names = sorted(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name, MISSING)
        if isinstance(value, ModuleType) and value.__name__.startswith("lissom."):
            yield from ((f"{name}.{of}", vars(value)[of]) for of in names if of in vars(value))
        elif value is not MISSING:
            yield name, value


def _names(code: CodeType) -> set[str]:
    inner = (_names(const) for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*inner)


def _text(function: Any) -> str:
    """Source lines of a function, decorators included."""
    code = function.__code__
    ends = (end for part in _codes(code) for _, end, _, _ in part.co_positions() if end is not None)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    return "".join(lines[code.co_firstlineno - 1 : max(ends)])


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


def _constant(value: Any) -> str:
    """A text that tells the values of a constant apart."""
    if isinstance(value, enum.EnumType):
        members: Any = value.__members__
        return repr({name: member.value for name, member in members.items()})
    if isinstance(value, CONSTANTS):
        return repr(value)
    if isinstance(value, tuple | list | set | frozenset):
        return repr([_constant(entry) for entry in value])
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    return getattr(value, "__name__", type(value).__name__)  # of NumPy or Python; nothing else can be compiled


@cache
def _compiler() -> str:
    """Fingerprint of what shapes machine code in this folder."""
    folder = Path(__file__).parent
    return _digest(_texts(path for path in folder.rglob("*.py") if path.name not in KEEPING))


@cache
def _number_types() -> str:
    """Fingerprint of the arithmetic of packs."""
    return _digest(_texts((Path(__file__).parents[1] / "packs").glob("*.py")))


def _texts(paths: Iterable[Path]) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(paths))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
