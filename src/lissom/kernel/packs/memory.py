"""Tables whose numbers are packs, as kernels take them; see `kernel.machine.struct` for those of plain numbers."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model, unbox

from lissom.kernel.arrays import Arrays
from lissom.kernel.cache_lines import on_lines
from lissom.kernel.machine.bridge import tables
from lissom.kernel.machine.struct import WORD
from lissom.kernel.packs import LANES
from lissom.kernel.packs.number import PACK, VECTOR, PackType
from lissom.kernel.workspace import workspace


def aligned(*shape: int) -> np.ndarray:
    """Zeros of shape (*shape, LANES), lane after lane in memory."""
    return on_lines(*shape, LANES, number=float)


def packed(states: np.ndarray) -> np.ndarray:
    """States (k, n) as packs (k / LANES, n, LANES); the last pack is filled up with the last state."""
    count, size = states.shape
    out = aligned(-(-count // LANES), size)
    whole = np.concatenate([states, np.repeat(states[-1:], len(out) * LANES - count, axis=0)])
    out[...] = whole.reshape(len(out), LANES, size).transpose(0, 2, 1)
    return out


def unpacked(packs: np.ndarray, count: int) -> np.ndarray:
    """The first `count` states of packs, (count, n)."""
    return packs.transpose(0, 2, 1).reshape(-1, packs.shape[1])[:count]


class PackTable(types.Type):
    """Type of a PackStruct: the types and places of its fields."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields, self.places, place = dict(fields), {}, 0
        for field, kind in fields:
            self.places[field] = place
            place += LANES if isinstance(kind, PackType) else 1 + 2 * kind.ndim
        super().__init__(f"{name}({', '.join(f'{field}: {kind}' for field, kind in fields)})")


register_model(PackTable)(models.OpaqueModel)
unbox(PackTable)(tables._pointer)


class PackStruct:
    """Arrays of packs by name, whose last axis is the lanes; whole numbers stay as they are."""

    def __init__(self, name: str, arrays: dict[str, np.ndarray]) -> None:
        self.arrays = arrays
        words: list[int] = []
        kinds: list[tuple[str, Any]] = []
        for field, array in arrays.items():
            if array.dtype != np.float64:
                kinds.append((field, numba.typeof(array)))
                words += [array.ctypes.data, *array.shape, *array.strides]
            elif array.ndim == 1:
                kinds.append((field, PACK))
                words += array.view(np.int64).tolist()
            else:
                kinds.append((field, types.Array(PACK, array.ndim - 1, "C")))
                words += [array.ctypes.data, *array.shape[:-1], *array.strides[:-1]]
        self.table = np.array(words, np.int64)
        self.address = self.table.ctypes.data
        self._numba_type_ = PackTable(name, tuple(kinds))


@infer_getattr
class _Fields(AttributeTemplate):
    key = PackTable

    def generic_resolve(self, table: PackTable, field: str) -> Any:  # type: ignore[override]
        return table.fields.get(field)


@lower_getattr_generic(PackTable)
def _read_field(context: Any, builder: Any, table: PackTable, pointer: Any, field: str) -> Any:
    """A field's value; arrays are borrowed."""
    kind, place = table.fields[field], table.places[field]

    def read(word: int, of: Any) -> Any:
        value = builder.load(cgutils.pointer_add(builder, pointer, WORD * (place + word), of.as_pointer()))
        value.align = WORD
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if field == tables.ZERO:
        return ir.Constant(VECTOR, None)
    if isinstance(kind, PackType):
        return read(0, VECTOR)
    return tables.borrowed(context, builder, kind, read)


def pack_workspace(arrays: Arrays) -> PackStruct:
    """Scratch memory of the kernels for packs."""
    made: dict[str, np.ndarray] = {}
    for name, array in workspace(arrays)._asdict().items():
        if name == "zero":
            made[name] = np.zeros(LANES)
        elif name == "coupling_rows":  # the same memory as `coupling`
            made[name] = made["coupling"].reshape(*array.shape, LANES)
        elif array.dtype != np.float64:
            made[name] = array
        else:
            made[name] = aligned(*array.shape)
            made[name][...] = array[..., None]
    return PackStruct("Workspace", made)
