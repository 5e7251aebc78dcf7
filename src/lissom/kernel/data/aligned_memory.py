"""Memory that begins on lines of the processor's cache."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

LINE = 64  # bytes


def on_lines(*shape: int, number: Any) -> np.ndarray:
    """Zeros that begin where a line of the cache does: no vector register of a row lies across two of them."""
    kind = np.dtype(number)
    size = prod(shape) * kind.itemsize
    if size < LINE or kind.hasobject:
        return np.zeros(shape, kind)
    room = np.zeros(size + LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    return room[begin : begin + size].view(kind).reshape(shape)
