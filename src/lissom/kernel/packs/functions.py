"""Elementary functions of packs as Numba compiles them, and what is decided for all lanes."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from lissom.kernel.elementary import of_several, since, worst
from lissom.kernel.packs import LANES
from lissom.kernel.packs.number import INDEX, PACK, PACKS, REAL, VECTOR, WHOLE, PackType, wide


def _by_instruction(name: str) -> Any:
    @intrinsic
    def made(context: Any, x: Any) -> Any:
        def emit(context: Any, builder: Any, of: Any, args: Any) -> Any:
            kind = ir.FunctionType(VECTOR, [VECTOR])
            called = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64")
            return builder.call(called, args)

        return PACK(PACK), emit

    return made


_root = _by_instruction("sqrt")


@intrinsic
def _lane_by_lane_tanh(context: Any, x: Any) -> Any:
    def emit(context: Any, builder: Any, of: Any, args: Any) -> Any:
        called = cgutils.get_or_insert_function(builder.module, ir.FunctionType(REAL, [REAL]), "tanh")
        out = ir.Constant(VECTOR, ir.Undefined)
        for lane in range(LANES):
            at = ir.Constant(INDEX, lane)
            out = builder.insert_element(out, builder.call(called, [builder.extract_element(args[0], at)]), at)
        return out

    return PACK(PACK), emit


@intrinsic
def _reduced(context: Any, x: Any) -> Any:
    """(k, r) with x = k pi/2 + r, k whole, |r| <= pi/4: exact products, in this order, so without fast arithmetic."""

    def emit(context: Any, builder: Any, of: Any, args: Any) -> Any:
        def constant(value: float) -> Any:
            return ir.Constant(VECTOR, [value] * LANES)

        def call(name: str, *values: Any) -> Any:
            kind = ir.FunctionType(VECTOR, [VECTOR] * len(values))
            called = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64")
            return builder.call(called, values)

        turns = call("rint", builder.fmul(args[0], constant(2 / math.pi)))
        back = builder.fneg(turns)
        rest = call("fma", back, constant(math.pi / 2), args[0])
        rest = call("fma", back, constant(6.123233995736766e-17), rest)  # what pi/2 has beyond a double
        return context.make_tuple(builder, of.return_type, [turns, rest])

    return types.UniTuple(PACK, 2)(PACK), emit


@intrinsic
def _in_quadrant(context: Any, turns: Any, s: Any, c: Any) -> Any:
    """(sin, cos) of r + k pi/2 from those of r: swapped for odd k, with the signs of the quadrant."""

    def emit(context: Any, builder: Any, of: Any, args: Any) -> Any:
        turns, s, c = args

        def constant(value: int) -> Any:
            return ir.Constant(WHOLE, [value] * LANES)

        def signed(value: Any, bit: Any) -> Any:
            flip = builder.shl(builder.and_(bit, constant(2)), constant(62))  # bit 1 becomes the sign
            return builder.bitcast(builder.xor(builder.bitcast(value, WHOLE), flip), VECTOR)

        k = builder.fptosi(turns, WHOLE)
        odd = builder.icmp_signed("!=", builder.and_(k, constant(1)), constant(0))
        sine, cosine = builder.select(odd, c, s), builder.select(odd, s, c)
        both = [signed(sine, k), signed(cosine, builder.add(k, constant(1)))]
        return context.make_tuple(builder, of.return_type, both)

    return types.UniTuple(PACK, 2)(PACK, PACK, PACK), emit


@numba.njit(forceinline=True)
def sine_and_cosine(x):
    """Both to the last digits: minimax polynomials on a quarter turn (Cephes), and the quadrant."""
    k, r = _reduced(x)
    z = r * r
    s = -2.50507477628578072866e-8 + z * 1.58962301576546568060e-10
    s = -1.98412698295895385996e-4 + z * (2.75573136213857245213e-6 + z * s)
    s = -1.66666666666666307295e-1 + z * (8.33333333332211858878e-3 + z * s)
    c = 2.08757008419747316778e-9 - z * 1.13585365213876817300e-11
    c = 2.48015872888517045348e-5 + z * (-2.75573141792967388112e-7 + z * c)
    c = 4.16666666666665929218e-2 + z * (-1.38888888888730564116e-3 + z * c)
    return _in_quadrant(k, r + r * z * s, 1.0 - 0.5 * z + z * z * c)


@overload(np.sin)
def _sine(x):
    return (lambda x: sine_and_cosine(x)[0]) if isinstance(x, PackType) else None


@overload(np.cos)
def _cosine(x):
    return (lambda x: sine_and_cosine(x)[1]) if isinstance(x, PackType) else None


@overload(np.sqrt)
def _square_root(x):
    return (lambda x: _root(x)) if isinstance(x, PackType) else None


@overload(math.tanh)
def _tanh(x):
    return (lambda x: _lane_by_lane_tanh(x)) if isinstance(x, PackType) else None


@intrinsic
def _largest_lane(context: Any, x: Any) -> Any:
    """The largest of the lanes; not a number where one of them is not."""

    def emit(context: Any, builder: Any, of: Any, args: Any) -> Any:
        each = [builder.extract_element(args[0], ir.Constant(INDEX, k)) for k in range(LANES)]
        while len(each) > 1:
            pairs = zip(each[::2], each[1::2], strict=True)
            each = [builder.select(builder.fcmp_unordered(">", a, b), a, b) for a, b in pairs]
        called = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(REAL, [REAL, VECTOR]), f"llvm.vector.reduce.fadd.v{LANES}f64"
        )
        zero = builder.fmul(args[0], ir.Constant(VECTOR, None))
        return builder.fadd(each[0], builder.call(called, [ir.Constant(REAL, 0.0), zero]))

    return types.float64(PACK), emit


@overload(worst)
def _worst(x):
    return (lambda x: _largest_lane(x)) if isinstance(x, PackType) else None


@intrinsic
def _chosen(context: Any, t: Any, begin: Any, later: Any, before: Any) -> Any:
    """Lane by lane, one of two."""

    def emit(context: Any, builder: Any, of: Any, args: Any) -> Any:
        t, begin, later, before = (wide(context, builder, k, x) for k, x in zip(of.args, args, strict=True))
        return builder.select(builder.fcmp_ordered(">=", t, begin), later, before)

    return PACK(t, begin, later, before), emit


@overload(since)
def _since(t, begin, later, before):
    if isinstance(begin, PackType):
        return lambda t, begin, later, before: _chosen(t, begin, later, before)
    return None


@overload(of_several)
def _of_several(x):
    return (lambda x: True) if isinstance(x, PACKS) else None


@overload(np.isfinite)
def _finite(x):
    return (lambda x: _largest_lane(x * 0.0) == 0.0) if isinstance(x, PackType) else None
