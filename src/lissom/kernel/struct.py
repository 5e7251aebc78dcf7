"""Named tuples of arrays as kernels take them: a pointer to a table of addresses and shapes.

A kernel receives one pointer instead of a hundred array headers: calls from Python stay cheap and kernels compile in a
fraction of the time. A table is written once, and the compiler knows: it reads entries ahead of loops and keeps them.
Named tuples within a named tuple lie in the same table: `model.tree.parent` is an entry at a known place, as if it were
a field of `model` itself. Field names are those of the named tuples, so the same source also runs on the tuples.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numba import typeof
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox
from numba.np.arrayobj import make_array, populate_array

from lissom.kernel.pointer import Hidden, Pointer

WORD = 8  # bytes of an entry: an address, a size, a float


class Struct:
    """A named tuple of arrays, numbers, Structs, Pointers and such named tuples, as kernels take it.

    It shares and keeps their memory.
    """

    __slots__ = ("_numba_type_", "address", "fields", "table")

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        self.table = np.array(_entry(fields), np.int64)
        self.address = self.table.ctypes.data
        self._numba_type_ = _table_type(fields)


class TableType(types.Type):
    """Type of a Struct or of a part of one: the names, types and places of its fields."""

    def __init__(self, name: str, fields: tuple[tuple[str, types.Type], ...], parts: frozenset[str]) -> None:
        self.fields = dict(fields)
        self.parts = parts  # fields that lie in this table; other Structs are reached by their address
        lengths = [_words(kind, field in parts) for field, kind in fields]
        self.places = {field: sum(lengths[:k]) for k, field in enumerate(self.fields)}
        self.words = sum(lengths)
        described = repr((fields, sorted(parts)))
        super().__init__(f"{name}_{hashlib.sha256(described.encode()).hexdigest()[:16]}")


def _table_type(fields: Any) -> TableType:
    parts = frozenset(name for name, value in fields._asdict().items() if isinstance(value, tuple))
    kinds = (_table_type(value) if isinstance(value, tuple) else typeof(value) for value in fields)
    return TableType(type(fields).__name__, tuple(zip(fields._fields, kinds)), parts)


def _words(kind: types.Type, inside: bool) -> int:
    """Length of a field's entry in the table; `inside`: it is a table that lies in this one."""
    if isinstance(kind, TableType):
        return kind.words if inside else 1
    if isinstance(kind, types.Array):
        return 1 + 2 * kind.ndim
    if isinstance(kind, types.FunctionType):
        return 3
    return 2 if isinstance(kind, types.Complex) else 1


def _entry(value: Any) -> list[int]:
    """Entry of a field: address, shape and strides of an array; address of a Struct or Pointer; bits of a number."""
    if isinstance(value, tuple):
        return [word for part in value for word in _entry(part)]
    if isinstance(value, np.ndarray):
        return [value.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, Struct | Hidden):
        return [value.address]
    if isinstance(value, Pointer):
        return [value.__wrapper_address__(), id(value), 0]
    return np.asarray(value).reshape(1).view(np.int64).tolist()


register_model(TableType)(models.OpaqueModel)


@unbox(TableType)
def _pointer(kind: TableType, struct: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(struct, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Fields(AttributeTemplate):
    key = TableType

    def generic_resolve(self, kind: TableType, field: str) -> types.Type | None:  # type: ignore[override]
        return kind.fields.get(field)


@lower_getattr_generic(TableType)
def _read_field(context: Any, builder: Any, kind: TableType, pointer: Any, field: str) -> Any:
    """A field's value; arrays are borrowed, nothing counts references."""

    def read(word: int, value_type: Any) -> Any:
        at = WORD * (kind.places[field] + word)
        value = builder.load(cgutils.pointer_add(builder, pointer, at, value_type.as_pointer()))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    of = kind.fields[field]
    if field in kind.parts:
        return cgutils.pointer_add(builder, pointer, WORD * kind.places[field], pointer.type)
    if not isinstance(of, types.Array):
        return read(0, context.get_value_type(of))
    array, size = make_array(of)(context, builder), context.get_value_type(types.intp)
    populate_array(
        array,
        data=read(0, array.data.type),
        shape=[read(1 + k, size) for k in range(of.ndim)],
        strides=[read(1 + of.ndim + k, size) for k in range(of.ndim)],
        itemsize=context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(of.dtype))),
        meminfo=None,
    )
    return array._getvalue()
