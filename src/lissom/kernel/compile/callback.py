"""Machine code that calls Python: a C function of ctypes whose arguments are those of a kernel."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from lissom.kernel.compile.argument_kinds import Array, Kind, Number

NUMBERS = {"bool": ctypes.c_bool, "int64": ctypes.c_int64, "float64": ctypes.c_double}
_kept: dict[Any, Any] = {}  # as long as machine code may call them


def address(kernel: Any, kinds: tuple[Kind, ...], examples: tuple[Any, ...]) -> int:
    """Return where machine code finds a Python function of such arguments, which returns nothing.

    Machine code hands over numbers and arrays; Structs are those of the examples.
    """
    structs = {k: given for k, (kind, given) in enumerate(zip(kinds, examples)) if not isinstance(kind, Array | Number)}
    key = kernel, kinds, tuple(map(id, structs.values()))
    if key not in _kept:

        def call(*given: Any) -> None:
            values = (structs[k] if k in structs else _value(kinds[k], value) for k, value in enumerate(given))
            kernel.as_python(*values)

        _kept[key] = ctypes.CFUNCTYPE(None, *map(_c_type, kinds))(call), structs
    return ctypes.cast(_kept[key][0], ctypes.c_void_p).value or 0


def _c_type(kind: Kind) -> Any:
    if not isinstance(kind, Array):
        return NUMBERS[kind.name] if isinstance(kind, Number) else ctypes.c_void_p
    fields = [("at", ctypes.c_void_p), ("n", ctypes.c_int64 * kind.ndim)]
    strides = [] if kind.layout == "C" else [("s", ctypes.c_int64 * kind.ndim)]
    return type("array", (ctypes.Structure,), {"_fields_": [*fields, *strides]})


def _value(kind: Kind, given: Any) -> Any:
    """Return a number, or an array over the memory that machine code shows."""
    if not isinstance(kind, Array):
        return given
    number, shape = np.dtype(kind.dtype), tuple(given.n)
    if not given.at or 0 in shape:
        return np.zeros(shape, number)
    strides = [n * number.itemsize for n in given.s] if kind.layout == "A" else None
    reach = number.itemsize + (sum((n - 1) * s for n, s in zip(shape, strides)) if strides else 0)
    size = reach if strides else int(np.prod(shape)) * number.itemsize
    memory: Any = (ctypes.c_char * size).from_address(given.at)
    return np.ndarray(shape, number, memory, strides=strides)
