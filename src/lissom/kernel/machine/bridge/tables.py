"""Structs as Numba sees them: reading a field is a load from a known place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox
from numba.np.arrayobj import make_array, populate_array

from lissom.kernel.machine import kinds
from lissom.kernel.machine.struct import WORD

HIDDEN = types.Opaque("Hidden")
ZERO = "zero"  # a field that names its value: the compiler knows it, and drops sums with it


class TableType(types.Type):
    """Type of a Struct or of a part of one."""

    def __init__(self, kind: kinds.Table) -> None:
        self.kind = kind
        super().__init__(kind.text)

    @property
    def fields(self) -> dict[str, Any]:
        return {name: numba_type(of) for name, of in self.kind.fields}


register_model(TableType)(models.OpaqueModel)


@cache
def numba_type(kind: kinds.Kind) -> Any:
    """Numba's type of a kind."""
    match kind:
        case kinds.Number(name):
            return types.boolean if name == "bool" else _number(name)
        case kinds.Array(dtype, ndim, layout, writeable):
            array: Any = types.Array
            return array(_number(dtype), ndim, layout, readonly=not writeable)
        case kinds.Table():
            return TableType(kind)
        case kinds.Function(arguments):
            return types.FunctionType(types.void(*map(numba_type, arguments)))
        case _:
            return HIDDEN


def _number(name: str) -> Any:
    """Numba's type of a number, by NumPy's name."""
    if name not in kinds.PACKS:
        return numba.from_dtype(np.dtype(name))
    from lissom.kernel.packs.number import COMPLEX_PACK, PACK

    return PACK if kinds.PACKS[name] == "Pack" else COMPLEX_PACK


@unbox(TableType)
def _pointer(kind: TableType, struct: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(struct, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Fields(AttributeTemplate):
    key = TableType

    def generic_resolve(self, table: TableType, field: str) -> Any:  # type: ignore[override]
        kind = dict(table.kind.fields).get(field)
        return None if kind is None else numba_type(kind)


@lower_getattr_generic(TableType)
def _read_field(context: Any, builder: Any, table: TableType, pointer: Any, field: str) -> Any:
    """A field's value; arrays are borrowed, nothing counts references."""
    place = table.kind.places[field]
    if field in table.kind.parts:
        return cgutils.pointer_add(builder, pointer, WORD * place, pointer.type)

    def read(word: int, value_type: Any) -> Any:
        value = builder.load(cgutils.pointer_add(builder, pointer, WORD * (place + word), value_type.as_pointer()))
        value.align = WORD
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    of = numba_type(dict(table.kind.fields)[field])
    if field == ZERO:
        return context.get_constant_null(of)
    if not isinstance(of, types.Array):
        return read(0, context.get_value_type(of))
    return borrowed(context, builder, of, read)


def borrowed(context: Any, builder: Any, of: Any, read: Callable[[int, Any], Any]) -> Any:
    """An array of a table: `read(word, type)` loads its address, then its lengths, then its strides."""
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
