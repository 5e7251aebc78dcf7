"""Instructions of the steps of `kernel.lanes`: four numbers in a vector register.

Of numbers that fill a register by themselves (`OTHERS`), loops take one entry at a time and no padding.
"""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from lissom.kernel.arrays import LANES
from lissom.kernel.lanes import add_lanes, add_scaled, set_lanes, set_scaled
from lissom.kernel.machine.jit import FASTMATH

INDEX = ir.IntType(32)
REAL = ir.DoubleType()
WORD = 8  # bytes: rows start anywhere
OTHERS: dict[type, Any] = {}  # by the type of such numbers: what emits a step of so many entries


@overload(add_lanes)
def _compiled_add(out, at, scales, rows):
    return lambda out, at, scales, rows: _add(out, at, scales, rows)


@overload(set_lanes)
def _compiled_set(out, at, scales, rows):
    return lambda out, at, scales, rows: _set(out, at, scales, rows)


@overload(add_scaled)
def _compiled_add_all(out, first, last, scales, rows):
    return lambda out, first, last, scales, rows: _add_all(out, first, last, scales, rows)


@overload(set_scaled)
def _compiled_set_all(out, first, last, scales, rows):
    return lambda out, first, last, scales, rows: _set_all(out, first, last, scales, rows)


@intrinsic
def _add(context: Any, out: Any, at: Any, scales: Any, rows: Any) -> Any:
    return _signature(out, at, scales, rows), functools.partial(_emit, start=True)


@intrinsic
def _set(context: Any, out: Any, at: Any, scales: Any, rows: Any) -> Any:
    return _signature(out, at, scales, rows), functools.partial(_emit, start=False)


@intrinsic
def _add_all(context: Any, out: Any, first: Any, last: Any, scales: Any, rows: Any) -> Any:
    step = _signature(out, types.intp, scales, rows)
    return types.void(out, first, last, scales, rows), functools.partial(_loop, step=step, start=True)


@intrinsic
def _set_all(context: Any, out: Any, first: Any, last: Any, scales: Any, rows: Any) -> Any:
    step = _signature(out, types.intp, scales, rows)
    return types.void(out, first, last, scales, rows), functools.partial(_loop, step=step, start=False)


def _loop(context: Any, builder: Any, signature: Any, arguments: Any, step: Any, start: bool) -> Any:
    """Steps from the register of `first` on, left as they are: the compiler would make of them a loop for long rows."""
    out, first, last, scales, rows = arguments
    _, of_first, of_last, _, _ = signature.args
    first, last = context.cast(builder, first, of_first, types.intp), context.cast(builder, last, of_last, types.intp)
    some = builder.icmp_signed("<", first, last)
    entries = 1 if type(step.args[0].dtype) in OTHERS else LANES
    first = builder.and_(first, ir.Constant(first.type, -entries))
    before, body, after = builder.basic_block, builder.append_basic_block("step"), builder.append_basic_block("end")
    builder.cbranch(some, body, after)
    builder.position_at_end(body)
    at = builder.phi(first.type)
    at.add_incoming(first, before)
    _emit(context, builder, step, (out, at, scales, rows), start, entries)
    following = builder.add(at, ir.Constant(at.type, entries), flags=("nsw",))
    at.add_incoming(following, builder.basic_block)
    again = builder.cbranch(builder.icmp_signed("<", following, last), body, after)
    again.set_metadata("llvm.loop", _short(builder.module))
    builder.position_at_end(after)
    return context.get_dummy_value()


def _short(module: Any) -> Any:
    """What tells the compiler not to unroll a loop; a loop's description begins with itself."""
    wish = module.add_metadata([ir.MetaDataString(module, "llvm.loop.unroll.disable")])
    made = ir.values.MDValue(module, (), name=str(len(module.metadata)))
    made.operands = (made, wish)
    return made


def _signature(out: Any, at: Any, scales: Any, rows: Any) -> Any:
    if any(row.layout != "C" for row in (out, *rows)):
        raise TypingError("entries of a row must lie side by side")
    return types.void(out, at, scales, rows)


def _emit(context: Any, builder: Any, signature: Any, arguments: Any, start: bool, entries: int = LANES) -> Any:
    """Instructions of one step; `start` with what `out` holds. Complex numbers lie in pairs of lanes."""
    out_type, _, scale_types, row_types = signature.args
    if type(out_type.dtype) in OTHERS:
        return OTHERS[type(out_type.dtype)](context, builder, signature, arguments, start, entries)
    out, at, scales, rows = arguments
    lanes = Lanes(context, builder, isinstance(out_type.dtype, types.Complex))
    place = lanes.address(out_type, out, at)
    total = lanes.load(place) if start else None
    for k, (scale_type, row_type) in enumerate(zip(scale_types, row_types, strict=True)):
        scale = builder.extract_value(scales, k)
        row = lanes.address(row_type, builder.extract_value(rows, k), at)
        product = lanes.product(scale_type, scale, lanes.load(row), isinstance(row_type.dtype, types.Complex))
        total = product if total is None else lanes.add(total, product)
    builder.store(total, place).align = WORD
    return context.get_dummy_value()


class Lanes:
    """Arithmetic on four numbers, real or complex."""

    def __init__(self, context: Any, builder: Any, complex_result: bool) -> None:
        self.context, self.builder, self.complex = context, builder, complex_result

    def address(self, kind: Any, array: Any, at: Any) -> Any:
        """Where the four entries from `at` on lie, as a vector of doubles."""
        data = self.builder.gep(make_array(kind)(self.context, self.builder, array).data, [at])
        size = 2 * LANES if isinstance(kind.dtype, types.Complex) else LANES
        return self.builder.bitcast(data, ir.VectorType(REAL, size).as_pointer())

    def load(self, place: Any) -> Any:
        values = self.builder.load(place)
        values.align = WORD
        return values

    def add(self, a: Any, b: Any) -> Any:
        return self.builder.fadd(a, b, flags=tuple(FASTMATH))

    def multiply(self, a: Any, b: Any) -> Any:
        return self.builder.fmul(a, b, flags=tuple(FASTMATH))

    def pick(self, values: Any, order: list[int]) -> Any:
        """The entries of `values` in another order."""
        mask = ir.Constant(ir.VectorType(INDEX, len(order)), order)
        return self.builder.shuffle_vector(values, values, mask)

    def spread(self, *numbers: Any) -> Any:
        """One or two numbers, over and over, as wide as the result."""
        values = ir.Constant(ir.VectorType(REAL, len(numbers)), ir.Undefined)
        for k, number in enumerate(numbers):
            values = self.builder.insert_element(values, number, ir.Constant(INDEX, k))
        width = 2 * LANES if self.complex else LANES
        return self.pick(values, [k % len(numbers) for k in range(width)])

    def product(self, kind: Any, scale: Any, row: Any, row_is_complex: bool) -> Any:
        """scale row, in the number type of the result."""
        if self.complex and not row_is_complex:
            row = self.pick(row, [k // 2 for k in range(2 * LANES)])
        if not isinstance(kind, types.Complex):
            real = self.context.cast(self.builder, scale, kind, types.float64)
            if self.complex and not row_is_complex:
                return self.multiply(self.spread(real, ir.Constant(REAL, 0.0)), row)
            return self.multiply(self.spread(real), row)
        number = self.context.make_complex(self.builder, kind, scale)
        if not row_is_complex:
            return self.multiply(self.spread(number.real, number.imag), row)
        swapped = self.pick(row, [k ^ 1 for k in range(2 * LANES)])
        across = self.spread(self.builder.fneg(number.imag), number.imag)
        return self.add(self.multiply(self.spread(number.real), row), self.multiply(across, swapped))
