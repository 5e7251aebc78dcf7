"""Run every kernel call twice, as machine code and as the Python it is written in, and compare what both leave behind."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import marks
from lissom.kernel.compile.pointer import Hidden, Pointer
from lissom.kernel.compile.struct import Struct


class Difference(NamedTuple):
    """Between machine code and Python, relative to the largest entry of an array."""

    kernel: str
    array: str
    error: float


def memory(value: Any, name: str = "", found: dict[int, tuple[str, np.ndarray]] | None = None) -> dict[int, Any]:
    """All arrays that an argument leads to, by their address."""
    found = {} if found is None else found
    if isinstance(value, np.ndarray):
        if value.size:
            found.setdefault(value.ctypes.data, (name, value))
    elif isinstance(value, Struct | Hidden):
        struct = value.struct if isinstance(value, Hidden) else value
        if ("struct", struct.address) not in found:
            found["struct", struct.address] = ("", np.zeros(0))
            memory(struct.fields, name, found)
    elif isinstance(value, Pointer):
        for argument in value.arguments:
            memory(argument, f"{name}()", found)
    elif isinstance(value, tuple):
        for field, part in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            memory(part, f"{name}.{field}", found)
    return found


@contextmanager
def both_ways(report: Any) -> Iterator[None]:
    """`report` gets a Difference for every array that a kernel called from Python has left otherwise."""
    compiled_call = marks.Kernel.__call__
    inside = [False]

    def call(kernel: marks.Kernel, *arguments: Any) -> Any:
        if inside[0]:
            return kernel.py_func(*arguments)
        inside[0] = True
        try:
            arrays = memory(tuple(arguments))
            before = {key: array.copy() for key, (_, array) in arrays.items()}
            expected = kernel.as_python(*arguments)
            left = {key: array.copy() for key, (_, array) in arrays.items()}
            for key, (_, array) in arrays.items():
                if array.size and array.flags.writeable:
                    array[...] = before[key]
            result = compiled_call(kernel, *arguments)
            name = f"{kernel.__module__}.{kernel.__name__}"
            if result is not None and isinstance(expected, (int, float, np.generic)):
                report(Difference(name, "result", _error(np.array([result]), np.array([expected], type(result)))))
            for key, (field, array) in arrays.items():
                if array.size and array.dtype.names is None:
                    report(Difference(name, field, _error(array, left[key])))
            return result
        finally:
            inside[0] = False

    marks.Kernel.__call__ = call
    try:
        yield
    finally:
        marks.Kernel.__call__ = compiled_call


def _error(found: np.ndarray, expected: np.ndarray) -> float:
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    if same.all():
        return 0.0
    size = np.abs(np.where(np.isfinite(expected), expected, 0.0)).max(initial=1e-300)
    with np.errstate(all="ignore"):
        error = np.where(same, 0.0, np.abs(found - expected) / size)
    return float(np.nan_to_num(error, nan=np.inf).max())
