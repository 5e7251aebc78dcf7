"""Structs as Numba sees them: reading a field is a load from a known place."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox
from numba.np.arrayobj import (
    fix_integer_index,
    getitem_array_tuple,
    getitem_arraynd_intp,
    make_array,
    populate_array,
)

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
            array: Any = Places if kind.positive else types.Array
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
    return borrowed(context, builder, of, read, dict(table.kind.fields)[field].sizes)


def borrowed(context: Any, builder: Any, of: Any, read: Callable[[int, Any], Any], sizes: tuple[int, ...]) -> Any:
    """An array of a table: `read(word, type)` loads its address, then its lengths, then its strides.

    Where `sizes` are known the compiler gets numbers, of which it makes constant distances.
    """
    array, size = make_array(of)(context, builder), context.get_value_type(types.intp)
    item = context.get_abi_sizeof(context.get_data_type(of.dtype))
    known = sizes or (0,) * of.ndim

    def length(k: int) -> Any:
        return context.get_constant(types.intp, known[k]) if known[k] else read(1 + k, size)

    def stride(k: int) -> Any:
        after = (item, *known[k + 1 :])
        constant = sizes and all(after)
        return context.get_constant(types.intp, prod(after)) if constant else read(1 + of.ndim + k, size)

    populate_array(
        array,
        data=read(0, array.data.type),
        shape=[length(k) for k in range(of.ndim)],
        strides=[stride(k) for k in range(of.ndim)],
        itemsize=context.get_constant(types.intp, item),
        meminfo=None,
    )
    return array._getvalue()


class Places(types.Array):
    """Type of an array of a table whose entries are never negative and never change while machine code runs."""

    def __init__(self, dtype: Any, ndim: int, layout: Any, readonly: bool = False, **more: Any) -> None:
        name = f"Places({dtype}, {ndim}d, {layout}{', readonly' if readonly else ''})"
        super().__init__(dtype, ndim, layout, readonly=readonly, name=name)

    def copy(self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None) -> Any:
        ndim = self.ndim if ndim is None else ndim
        readonly = not self.mutable if readonly is None else readonly
        return Places(dtype or self.dtype, ndim, layout or self.layout, readonly)


register_model(Places)(models.ArrayModel)


@lower_builtin(operator.getitem, Places, types.Integer)
@lower_builtin(operator.getitem, Places, types.BaseTuple)
def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """An entry, of which the compiler knows the sign: used as an index it need not be asked whether it counts back."""
    of, index = signature.args
    if isinstance(signature.return_type, types.Array):
        general = getitem_arraynd_intp if isinstance(index, types.Integer) else getitem_array_tuple
        return general(context, builder, signature, arguments)
    array = make_array(of)(context, builder, arguments[0])
    indices = [arguments[1]] if isinstance(index, types.Integer) else cgutils.unpack_tuple(builder, arguments[1])
    kinds_of = [index] if isinstance(index, types.Integer) else list(index)
    lengths = cgutils.unpack_tuple(builder, array.shape)
    indices = [
        fix_integer_index(context, builder, kind, value, length)
        for kind, value, length in zip(kinds_of, indices, lengths, strict=True)
    ]
    value = builder.load(cgutils.get_item_pointer(context, builder, of, array, indices))
    value.set_metadata("range", builder.module.add_metadata([ir.Constant(value.type, end) for end in (0, 1 << 31)]))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value
