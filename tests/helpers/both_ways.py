"""Every kernel that Python calls runs twice: as machine code and as the Python it is written in.

What both leave in memory is compared. Where numbers differ by more than rounding, Python runs once more on memory that
was changed by rounding: what that changes as much is a small difference of large numbers. Residuals that are zero but
for rounding, such as rates of rows of closed loops, differ by their whole size, and move as much: of the built-in
five-bar they are 3e-12 and less, in one of both ways often 0, where joints turn by 1 rad/s. Python's sums of rows go
over whole registers here, as those of machine code do. Packs have no arithmetic in Python: the Python of a kernel
then runs on one lane after the other, taken out of the packs as plain numbers.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lissom.kernel.compile import decorators
from lissom.kernel.compile.argument_kinds import PACKS, Array, Function, Kind, Number, Table, kinds
from lissom.kernel.compile.pointer import Hidden, Pointer, Unused
from lissom.kernel.compile.struct import Struct
from lissom.kernel.data.arrays import ROW_WIDTH
from lissom.kernel.maths import simd_rows
from lissom.kernel.packs import LANES as PACK_LANES

ROUNDING = 1e-12  # of an array's largest entry
EPSILON, AMPLIFIED = 1e-15, 1000.0  # by how much numbers are changed, how much more machine code may differ


def add_registers(out, first, last, scales, rows):
    begin = first - first % ROW_WIDTH
    for k in range(begin, last + -last % ROW_WIDTH if last > first else begin):
        total = out[k]
        for scale, row in zip(scales, rows, strict=True):
            total = total + scale * row[k]
        out[k] = total


def set_registers(out, first, last, scales, rows):
    begin = first - first % ROW_WIDTH
    for k in range(begin, last + -last % ROW_WIDTH if last > first else begin):
        total = scales[0] * rows[0][k]
        for scale, row in zip(scales[1:], rows[1:], strict=True):
            total = total + scale * row[k]
        out[k] = total


def has_packs(kind: Kind) -> bool:
    """Whether numbers of `kernel.packs` are behind an argument."""
    if isinstance(kind, Table):
        return any(has_packs(inner) for _, inner in kind.fields)
    if isinstance(kind, Function):
        return any(map(has_packs, kind.arguments))
    return (isinstance(kind, Number) and kind.name in PACKS) or (isinstance(kind, Array) and kind.dtype in PACKS)


@contextmanager
def whole_registers() -> Iterator[None]:
    """Let Python's sums of rows touch what machine code touches."""
    own = simd_rows.add_scaled.__code__, simd_rows.set_scaled.__code__
    simd_rows.add_scaled.__code__, simd_rows.set_scaled.__code__ = add_registers.__code__, set_registers.__code__
    try:
        yield
    finally:
        simd_rows.add_scaled.__code__, simd_rows.set_scaled.__code__ = own


def memory(value: Any, name: str = "", found: dict[Any, tuple[str, np.ndarray]] | None = None) -> dict[Any, Any]:
    """All arrays that an argument leads to, by their place."""
    found = {} if found is None else found
    if isinstance(value, np.ndarray):
        if value.size:
            found.setdefault((value.ctypes.data, value.shape, value.strides, value.dtype.str), (name, value))
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


class Lane:
    """What one lane of packs holds, as plain numbers; memory that is shared stays shared."""

    def __init__(self, lane: int, rng: np.random.Generator | None = None) -> None:
        self.lane, self.rng = lane, rng  # `rng` to change them by rounding
        self.structs: dict[int, Struct] = {}
        self.arrays: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, Struct):
            if value.address not in self.structs:
                self.structs[value.address] = Struct(self.of(value.fields))
            return self.structs[value.address]
        if isinstance(value, Hidden):
            return Hidden(self.of(value.struct))
        if isinstance(value, Pointer):
            return Unused(value.kernel, *map(self.of, value.arguments))
        if isinstance(value, np.ndarray):
            if value.ctypes.data not in self.arrays or not value.size:
                self.arrays[value.ctypes.data] = value, self.numbers(value)
                if self.rng is not None and self.arrays[value.ctypes.data][1].dtype.kind in "fc":
                    numbers = self.arrays[value.ctypes.data][1]
                    numbers *= 1.0 + EPSILON * self.rng.normal(size=numbers.shape)
            return self.arrays[value.ctypes.data][1].reshape(value.shape)
        if isinstance(value, np.void):
            return self.numbers(value)[()].item()
        if isinstance(value, tuple):
            return type(value)(*map(self.of, value))
        return value

    def numbers(self, value: Any) -> np.ndarray:
        names = value.dtype.names or ()
        if "lanes" in names:
            return np.array(value["lanes"][..., self.lane])
        if "real" in names:
            return np.array(value["real"][..., self.lane] + 1j * value["imag"][..., self.lane])
        return np.array(value)


class BothWays:
    """`worst`: the largest differences by kernel and array. `met`: kernels and kinds that ran; `in_packs`: kernels."""

    def __init__(self) -> None:
        self.worst: dict[tuple[str, str], float] = {}
        self.met: set[tuple[str, str, tuple[Any, ...]]] = set()
        self.in_packs: set[tuple[str, str]] = set()
        self._inside = False
        self._kernels: dict[Any, decorators.Kernel] = {}
        self._in_packs = False

    def report(self, kernel: decorators.Kernel, array: str, error: float) -> None:
        key = f"{kernel.__module__}.{kernel.__name__}", array
        self.worst[key] = max(error, self.worst.get(key, 0.0))

    def call(self, compiled: Any, kernel: decorators.Kernel, arguments: tuple[Any, ...]) -> Any:
        if self._inside or decorators.trace.active is not None:
            return kernel.py_func(*arguments) if self._inside else compiled(kernel, *arguments)
        self._inside = True
        try:
            of_packs = any(map(has_packs, kinds(arguments)))
            return (self._lane_by_lane if of_packs else self._twice)(compiled, kernel, arguments)
        finally:
            self._inside = False

    def _twice(self, compiled: Any, kernel: decorators.Kernel, arguments: tuple[Any, ...]) -> Any:
        arrays = memory(tuple(arguments))
        before = {key: array.copy() for key, (_, array) in arrays.items()}
        with whole_registers():
            expected = self._python(kernel, arguments)
        if not kernel.compiled or isinstance(expected, tuple):  # what machine code does not give
            return expected
        left = {key: array.copy() for key, (_, array) in arrays.items()}
        for key, (_, array) in arrays.items():
            if array.size and array.flags.writeable:
                array[...] = before[key]
        result = compiled(kernel, *arguments)
        if result is not None and isinstance(expected, int | float | complex | np.generic):
            self.report(kernel, "result", relative(np.array([result]), np.array([expected], type(result))))
        own = {key: array.copy() for key, (_, array) in arrays.items()}
        errors = {key: relative(own[key], left[key]) for key, (_, array) in arrays.items() if array.size}
        moved: dict[Any, float] = {}
        if max(errors.values(), default=0.0) > ROUNDING:
            moved = self._sensitivity(kernel, arguments, arrays, before, left)
            for key, (_, array) in arrays.items():
                if array.size and array.flags.writeable:
                    array[...] = own[key]
        for key, error in errors.items():
            self.report(kernel, arrays[key][0], 0.0 if error <= AMPLIFIED * moved.get(key, 0.0) else error)
        return result

    def _sensitivity(
        self, kernel: decorators.Kernel, arguments: tuple[Any, ...], arrays: Any, before: Any, left: Any
    ) -> dict[Any, float]:
        """How far arrays move when all numbers move by rounding."""
        rng = np.random.default_rng(0)
        for key, (_, array) in arrays.items():
            if array.size and array.flags.writeable:
                array[...] = before[key]
                if array.dtype.kind in "fc":
                    array *= 1.0 + EPSILON * rng.normal(size=array.shape)
        with whole_registers():
            self._python(kernel, arguments)
        return {key: relative(array, left[key]) for key, (_, array) in arrays.items() if array.size}

    def _lane_by_lane(self, compiled: Any, kernel: decorators.Kernel, arguments: tuple[Any, ...]) -> Any:
        chosen = [Lane(lane) for lane in (0, PACK_LANES // 2, PACK_LANES - 1)]
        moved = Lane(0, np.random.default_rng(0))
        self.in_packs.add((kernel.__module__, kernel.__name__))
        self._in_packs = True
        for lane in (*chosen, moved):
            self._python(kernel, tuple(map(lane.of, arguments)))
        self._in_packs = False
        result = compiled(kernel, *arguments)
        named = {array.ctypes.data: name for name, array in memory(tuple(arguments)).values()}
        for lane in chosen:
            for place, (packs, numbers) in lane.arrays.items():
                if packs.size:
                    error = relative(Lane(lane.lane).numbers(packs), numbers)
                    rounding = relative(moved.arrays[place][1], chosen[0].arrays[place][1])
                    self.report(kernel, f"{named.get(place)} (lane)", 0.0 if error <= AMPLIFIED * rounding else error)
        return result

    def _python(self, kernel: decorators.Kernel, arguments: tuple[Any, ...]) -> Any:
        sys.setprofile(self._note)
        try:
            return kernel.as_python(*arguments)
        finally:
            sys.setprofile(None)

    def _note(self, frame: Any, event: str, _: Any) -> None:
        """Note every kernel that begins to run, however it is reached."""
        if event != "call" or (kernel := self._kernels.get((frame.f_code, id(frame.f_globals)))) is None:
            return
        if self._in_packs:
            self.in_packs.add((kernel.__module__, kernel.__name__))
            return
        code = frame.f_code
        given = [frame.f_locals[name] for name in code.co_varnames[: code.co_argcount]]
        try:
            own = kinds(x.struct if isinstance(x, Hidden) else x for x in given)
        except TypeError:  # what only kernels that run as Python pass on
            return
        self.met.add((kernel.__module__, kernel.__name__, own))


@contextmanager
def both_ways(known: list[decorators.Kernel]) -> Iterator[BothWays]:
    """Compare every call of a kernel; of those `known` it is noted that they ran."""
    found, compiled = BothWays(), decorators.Kernel.__call__
    # A kernel with other parts in place of some has the code of the first, among names of its own.
    found._kernels = {(kernel.py_func.__code__, id(kernel.py_func.__globals__)): kernel for kernel in known}
    decorators.Kernel.__call__ = lambda kernel, *arguments: found.call(compiled, kernel, arguments)
    try:
        yield found
    finally:
        decorators.Kernel.__call__ = compiled


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, relative to the largest entry; infinite where one of two is not finite."""
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    if same.all():
        return 0.0
    with np.errstate(all="ignore"):
        size = np.abs(np.where(np.isfinite(expected), expected, 0.0)).max(initial=1e-300)
        error = np.where(same, 0.0, np.abs(found - expected) / size)
    return float(np.nan_to_num(error, nan=np.inf).max())
