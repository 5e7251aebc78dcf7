"""Named tuples of arrays as kernels take them: a pointer to a table of addresses and shapes.

A kernel receives one pointer instead of a hundred array headers: calls from Python stay cheap and kernels compile in a
fraction of the time. A table is written once, and the compiler knows: it reads entries ahead of loops and keeps them.
Named tuples within a named tuple lie in the same table: `model.tree.parent` is an entry at a known place, as if it were
a field of `model` itself. Field names are those of the named tuples, so the same source also runs on the tuples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.kernel.machine import kinds
from lissom.kernel.machine.pointer import Hidden, Pointer

WORD = 8  # bytes of an entry: an address, a size, a float


class Struct:
    """A named tuple of arrays, numbers, Structs, Pointers and such named tuples, as kernels take it.

    It shares and keeps their memory.
    """

    __slots__ = ("address", "fields", "kind", "table")

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        self.kind = kinds.table(fields)
        self.table = np.array(_entry(fields), np.int64)
        self.address = self.table.ctypes.data

    def __getattr__(self, name: str) -> Any:
        """A field, for kernels that run as Python."""
        return getattr(self.fields, name)

    @property
    def _numba_type_(self) -> Any:
        from lissom.kernel.machine.bridge import numba_type

        return numba_type(self.kind)


def _entry(value: Any) -> list[int]:
    """Entry of a field: address, shape and strides of an array; address of a Struct or Pointer; bits of a number."""
    if isinstance(value, tuple):
        return [word for part in value for word in _entry(part)]
    if isinstance(value, np.ndarray):
        return [value.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, Struct | Hidden):
        return [value.address]
    if isinstance(value, Pointer):
        return [value.address, id(value), 0]
    return np.asarray(value).reshape(1).view(np.int64).tolist()
