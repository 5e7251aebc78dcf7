"""Named tuples of arrays as kernels take them: a pointer to a table of addresses and shapes.

A kernel receives one pointer instead of a hundred array headers: calls from Python stay cheap and kernels compile in a
fraction of the time. A table is written once, and the compiler knows: it reads entries ahead of loops and keeps them.
Named tuples within a named tuple lie in the same table: `model.tree.parent` is an entry at a known place, as if it were
a field of `model` itself. Field names are those of the named tuples, so the same source also runs on the tuples.
"""

from __future__ import annotations

from ctypes import addressof, c_char
from typing import Any

import numpy as np

from lissom.kernel.compile import argument_kinds
from lissom.kernel.compile.pointer import Hidden, Pointer

WORD = 8  # bytes of an entry: an address, a size, a float

_first_byte: Any = c_char.from_buffer


class Struct:
    """A named tuple of arrays, numbers, Structs, Pointers and such named tuples, as kernels take it.

    It shares and keeps their memory.
    """

    __slots__ = ("address", "fields", "kind", "table")

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        self.kind = argument_kinds.table(fields)
        self.table = np.array(_entries(fields), np.int64)
        self.address = address(self.table)

    def __getattr__(self, name: str) -> Any:
        """Return a field, for kernels that run as Python."""
        return getattr(self.fields, name)


def address(array: np.ndarray) -> int:
    """Return where an array lies; faster than NumPy's own way where it may be written and has anything in it."""
    try:
        return addressof(_first_byte(array)) if array.size else array.ctypes.data
    except (TypeError, ValueError):  # it may not, or has gaps
        return array.ctypes.data


def _entries(fields: Any) -> list[int]:
    """Return address, shape and strides of each array; address of a Struct or Pointer; bits of a number."""
    words: list[int] = []
    for value in fields:
        sort = type(value)
        if sort is np.ndarray:
            words.append(address(value))
            words += value.shape
            words += value.strides
        elif sort is Struct or sort is Hidden or isinstance(value, Pointer):
            words.append(value.address)
        elif isinstance(value, tuple):
            words += _entries(value)
        elif isinstance(value, bool | np.bool_):
            words.append(int(value))
        else:
            words += np.asarray(value).reshape(1).view(np.int64).tolist()
    return words
