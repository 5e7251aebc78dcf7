"""Memory whose numbers are packs, as kernels take it: arrays, and whole Structs with all they lead to."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from lissom.kernel.compile import Hidden, Pointer, Struct
from lissom.kernel.compile.pointer import Unused
from lissom.kernel.data.aligned_memory import on_lines
from lissom.kernel.packs import COMPLEX_PACK, LANES, PACK


def aligned_packs(*shape: int) -> np.ndarray:
    """Return packs of zeros."""
    return on_lines(*shape, number=PACK)


def pack_states(states: np.ndarray) -> np.ndarray:
    """Return states (k, n) as packs (k / LANES, n); the last pack is filled up with the last state."""
    count, size = states.shape
    out = aligned_packs(-(-count // LANES), size)
    whole = np.concatenate([states, np.repeat(states[-1:], len(out) * LANES - count, axis=0)])
    out["lanes"] = whole.reshape(len(out), LANES, size).transpose(0, 2, 1)
    return out


def unpack_states(packs: np.ndarray, count: int) -> np.ndarray:
    """Return the first `count` states of packs, (count, n)."""
    return packs["lanes"].transpose(0, 2, 1).reshape(-1, packs.shape[1])[:count]


class Packing:
    """Structs with packs in place of numbers, every lane as it is now.

    What leads to the same memory leads to the same packs. `plain`: fields, and named tuples, whose numbers are those of
    all lanes, such as the time; `unused`: pointers that nobody follows. `places` has all packs, by the memory they were
    made of.
    """

    def __init__(self, plain: Collection[str] = (), unused: Collection[str] = ()) -> None:
        self._plain, self._unused = plain, unused
        self._structs: dict[int, tuple[Any, Struct]] = {}
        self.places: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def of(self, value: Any, name: str = "") -> Any:
        """Return the value of a field with packs in it."""
        if isinstance(value, Struct):
            if value.address not in self._structs:
                self._structs[value.address] = value, Struct(self.of(value.fields))
            return self._structs[value.address][1]
        if isinstance(value, Hidden):
            return Hidden(self.of(value.struct))
        if isinstance(value, Pointer):
            point = Unused if name in self._unused or isinstance(value, Unused) else Pointer
            return point(value.kernel, *map(self.of, value.arguments))
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if isinstance(value, tuple):
            if type(value).__name__ in self._plain:
                return type(value)(*(part.copy() if isinstance(part, np.ndarray) else part for part in value))
            fields = type(value)._fields  # type: ignore[attr-defined]
            return type(value)(*(self.of(part, field) for part, field in zip(value, fields, strict=True)))
        if name == "zero":
            return np.zeros((), COMPLEX_PACK if isinstance(value, complex | np.complexfloating) else PACK)[()]
        return value

    def _array(self, array: np.ndarray, name: str) -> np.ndarray:
        if not array.size:
            return self._fill(array, name)
        key = array.ctypes.data
        if key not in self.places:
            self.places[key] = array, self._fill(array, name)
        first, made = self.places[key]
        if first.size != array.size:
            raise ValueError(f"{name} is part of other memory")
        return made.reshape(array.shape)

    def _fill(self, array: np.ndarray, name: str) -> np.ndarray:
        if array.dtype.kind not in "fc" or name in self._plain:
            return array.copy()
        made = on_lines(*array.shape, number=PACK if array.dtype.kind == "f" else COMPLEX_PACK)
        if array.dtype.kind == "f":
            made["lanes"] = array[..., None]
        else:
            made["real"], made["imag"] = array.real[..., None], array.imag[..., None]
        return made
