"""The number type Pack as Numba compiles it: arithmetic, sums of rows, sine and cosine."""

from __future__ import annotations

import hashlib
import math
import operator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global
from numba.core.typing.templates import signature as typed
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, overload, register_model
from numba.np.arrayobj import make_array

from lissom.kernel.arrays import LANES as ENTRIES
from lissom.kernel.machine.bridge import lanes
from lissom.kernel.machine.jit import FASTMATH
from lissom.kernel.packs import LANES

# Machine code on disk is found by the names of its types: this one tells versions of this folder apart.
VERSION = hashlib.sha256(b"".join(p.read_bytes() for p in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()[:12]
FLAGS = tuple(FASTMATH)
REAL, INDEX = ir.DoubleType(), ir.IntType(32)
VECTOR, WHOLE = ir.VectorType(REAL, LANES), ir.VectorType(ir.IntType(64), LANES)
SCALARS = (types.Float, types.Integer)


class PackType(types.Type):
    """LANES doubles; a plain number is all of them."""

    def __init__(self) -> None:
        super().__init__(f"Pack{LANES}_{VERSION}")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, SCALARS) else None

    def unify(self, context: Any, other: Any) -> Any:
        return self if isinstance(other, SCALARS) else None


PACK = PackType()


@register_model(PackType)
class _InRegister(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def wide(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A pack, or a number in all lanes."""
    if isinstance(kind, PackType):
        return value
    number = context.cast(builder, value, kind, types.float64)
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(INDEX, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(INDEX, LANES), [0] * LANES))


@lower_cast(types.Float, PackType)
@lower_cast(types.Integer, PackType)
def _widened(context: Any, builder: Any, kind: Any, _: Any, value: Any) -> Any:
    return wide(context, builder, kind, value)


def _teach(function: Any, result: Any, emit: Any) -> None:
    """Let Numba compile a function of two numbers of which one at least is a pack."""

    @infer_global(function)
    class Typed(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            known = len(args) == 2 and all(isinstance(one, PackType | types.Float | types.Integer) for one in args)
            return typed(result, *args) if known and any(isinstance(one, PackType) for one in args) else None

    def lower(context: Any, builder: Any, of: Any, args: Any) -> Any:
        return emit(builder, *(wide(context, builder, kind, value) for kind, value in zip(of.args, args, strict=True)))

    for first in (PackType, *SCALARS):
        for second in (PackType, *SCALARS):
            if PackType in (first, second):
                lower_builtin(function, first, second)(lower)


def _arithmetic(name: str) -> Any:
    return lambda builder, a, b: getattr(builder, name)(a, b, flags=FLAGS)


def _first_lane(sign: str) -> Any:
    """Comparisons are compiled for the first lane alone: no robot that `covers` allows gets there."""
    return lambda builder, a, b: builder.extract_element(builder.fcmp_ordered(sign, a, b), ir.Constant(INDEX, 0))


for _name, _both in {
    "fadd": (operator.add, operator.iadd),
    "fsub": (operator.sub, operator.isub),
    "fmul": (operator.mul, operator.imul),
    "fdiv": (operator.truediv, operator.itruediv),
}.items():
    for _function in _both:
        _teach(_function, PACK, _arithmetic(_name))
for _sign, _function in {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}.items():
    _teach(_function, types.boolean, _first_lane(_sign))


@infer_global(operator.neg)
class _Negative(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return typed(PACK, PACK) if len(args) == 1 and isinstance(args[0], PackType) else None


@lower_builtin(operator.neg, PackType)
def _negative(context: Any, builder: Any, of: Any, args: Any) -> Any:
    return builder.fneg(args[0], flags=FLAGS)


@infer_getattr
class _Parts(AttributeTemplate):
    key = PackType

    def resolve_real(self, kind: Any) -> Any:
        return PACK


@lower_getattr_generic(PackType)
def _real(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    return value


_of_numbers = lanes._emit


def _sum_of_rows(context: Any, builder: Any, signature: Any, arguments: Any, start: bool) -> Any:
    """A step of `kernel.lanes` on rows of packs: as many entries as for numbers, each a register by itself."""
    out_type, _, scale_types, row_types = signature.args
    if not isinstance(out_type.dtype, PackType):
        return _of_numbers(context, builder, signature, arguments, start)
    out, at, scales, rows = arguments
    target = make_array(out_type)(context, builder, out).data
    factors = [wide(context, builder, kind, builder.extract_value(scales, k)) for k, kind in enumerate(scale_types)]
    sources = [
        make_array(kind)(context, builder, builder.extract_value(rows, k)).data for k, kind in enumerate(row_types)
    ]
    for entry in range(ENTRIES):
        place = builder.add(at, ir.Constant(at.type, entry))
        total = builder.load(builder.gep(target, [place])) if start else None
        for factor, source, kind in zip(factors, sources, row_types, strict=True):
            value = wide(context, builder, kind.dtype, builder.load(builder.gep(source, [place])))
            product = builder.fmul(factor, value, flags=FLAGS)
            total = product if total is None else builder.fadd(total, product, flags=FLAGS)
        builder.store(total, builder.gep(target, [place]))
    return context.get_dummy_value()


lanes._emit = _sum_of_rows


# elementary functions ---------------------------------------------------------------------------------------------


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
