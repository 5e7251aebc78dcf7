"""The number types Pack and ComplexPack as Numba compiles them: arithmetic and sums of rows."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global
from numba.core.typing.templates import signature as typed
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model
from numba.np.arrayobj import make_array

from lissom.kernel.machine.bridge import lanes
from lissom.kernel.machine.jit import FASTMATH
from lissom.kernel.packs import LANES

FLAGS = tuple(FASTMATH)
REAL, INDEX = ir.DoubleType(), ir.IntType(32)
VECTOR, WHOLE = ir.VectorType(REAL, LANES), ir.VectorType(ir.IntType(64), LANES)
SCALARS = (types.Float, types.Integer)
NUMBERS = (*SCALARS, types.Complex)


class PackType(types.Type):
    """LANES doubles; a plain number is all of them."""

    def __init__(self) -> None:
        super().__init__(f"Pack{LANES}")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, SCALARS) else None

    def unify(self, context: Any, other: Any) -> Any:
        return self if isinstance(other, SCALARS) else None


class ComplexPackType(types.Type):
    """LANES complex numbers: a pack of real and one of imaginary parts."""

    def __init__(self) -> None:
        super().__init__(f"ComplexPack{LANES}")

    def can_convert_from(self, context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, (*NUMBERS, PackType)) else None

    def unify(self, context: Any, other: Any) -> Any:
        return self if isinstance(other, (*NUMBERS, PackType)) else None


PACK, COMPLEX_PACK = PackType(), ComplexPackType()


@register_model(PackType)
class _InRegister(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


@register_model(ComplexPackType)
class _InTwo(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("real", PACK), ("imag", PACK)])


def wide(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A pack, or a number in all lanes."""
    if isinstance(kind, PackType):
        return value
    number = context.cast(builder, value, kind, types.float64)
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(INDEX, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(INDEX, LANES), [0] * LANES))


def both_parts(context: Any, builder: Any, kind: Any, value: Any) -> tuple[Any, Any]:
    """Real and imaginary part of any number as packs; None where the latter is none."""
    if isinstance(kind, ComplexPackType):
        return builder.extract_value(value, 0), builder.extract_value(value, 1)
    if isinstance(kind, types.Complex):
        number = context.make_complex(builder, kind, value)
        real = kind.underlying_float
        return wide(context, builder, real, number.real), wide(context, builder, real, number.imag)
    return wide(context, builder, kind, value), None


def joined(builder: Any, parts: tuple[Any, Any]) -> Any:
    """A ComplexPack of both parts."""
    out = ir.Constant(ir.LiteralStructType([VECTOR, VECTOR]), ir.Undefined)
    out = builder.insert_value(out, parts[0], 0)
    return builder.insert_value(out, ir.Constant(VECTOR, None) if parts[1] is None else parts[1], 1)


@lower_cast(types.Float, PackType)
@lower_cast(types.Integer, PackType)
def _widened(context: Any, builder: Any, kind: Any, _: Any, value: Any) -> Any:
    return wide(context, builder, kind, value)


@lower_cast(types.Float, ComplexPackType)
@lower_cast(types.Integer, ComplexPackType)
@lower_cast(types.Complex, ComplexPackType)
@lower_cast(PackType, ComplexPackType)
def _made_complex(context: Any, builder: Any, kind: Any, _: Any, value: Any) -> Any:
    return joined(builder, both_parts(context, builder, kind, value))


class Arithmetic:
    """Of pairs of packs, the second of which is None for a real number."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def _each(self, name: str, *values: Any) -> Any:
        return getattr(self.builder, name)(*values, flags=FLAGS)

    def fadd(self, a: Any, b: Any) -> tuple[Any, Any]:
        imag = b[1] if a[1] is None else a[1] if b[1] is None else self._each("fadd", a[1], b[1])
        return self._each("fadd", a[0], b[0]), imag

    def fsub(self, a: Any, b: Any) -> tuple[Any, Any]:
        return self.fadd(a, self.fneg(b))

    def fneg(self, a: Any) -> tuple[Any, Any]:
        return tuple(None if part is None else self._each("fneg", part) for part in a)  # type: ignore[return-value]

    def fmul(self, a: Any, b: Any) -> tuple[Any, Any]:
        if a[1] is None and b[1] is None:
            return self._each("fmul", a[0], b[0]), None
        if a[1] is None or b[1] is None:
            real, z = (a[0], b) if a[1] is None else (b[0], a)
            return self._each("fmul", real, z[0]), self._each("fmul", real, z[1])
        square = [self._each("fmul", x, y) for x, y in ((a[0], b[0]), (a[1], b[1]), (a[0], b[1]), (a[1], b[0]))]
        return self._each("fsub", *square[:2]), self._each("fadd", *square[2:])

    def fdiv(self, a: Any, b: Any) -> tuple[Any, Any]:
        if b[1] is None:
            return tuple(None if part is None else self._each("fdiv", part, b[0]) for part in a)  # type: ignore
        squares = [self._each("fmul", part, part) for part in b]
        inverse = self._each("fdiv", ir.Constant(VECTOR, [1.0] * LANES), self._each("fadd", *squares))
        return self.fmul((inverse, None), self.fmul(a, (b[0], self._each("fneg", b[1]))))


def _teach(function: Any, emit: Any, kinds: tuple[Any, ...], result: Any = None) -> None:
    """Let Numba compile a function of two numbers of `kinds`, of which one at least is a pack.

    The result is complex where one of them is, or of the type given; `emit` gets both as pairs of packs.
    """

    @infer_global(function)
    class Typed(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) != 2 or not all(isinstance(one, kinds) for one in args):
                return None
            if not any(isinstance(one, PACKS) for one in args):
                return None
            either = any(isinstance(one, ComplexPackType | types.Complex) for one in args)
            return typed(result or (COMPLEX_PACK if either else PACK), *args)

    def lower(context: Any, builder: Any, of: Any, args: Any) -> Any:
        pairs = (both_parts(context, builder, kind, value) for kind, value in zip(of.args, args, strict=True))
        out = emit(builder, *pairs)
        return out if result else joined(builder, out) if of.return_type is COMPLEX_PACK else out[0]

    for first in kinds:
        for second in kinds:
            if first in PACKS or second in PACKS:
                lower_builtin(function, first, second)(lower)


def _arithmetic(name: str) -> Any:
    return lambda builder, a, b: getattr(Arithmetic(builder), name)(a, b)


def _first_lane(sign: str) -> Any:
    """Comparisons are compiled for the first lane alone: no robot that `covers` allows gets there."""
    return lambda builder, a, b: builder.extract_element(builder.fcmp_ordered(sign, a[0], b[0]), ir.Constant(INDEX, 0))


PACKS = (PackType, ComplexPackType)
for _name, _both in {
    "fadd": (operator.add, operator.iadd),
    "fsub": (operator.sub, operator.isub),
    "fmul": (operator.mul, operator.imul),
    "fdiv": (operator.truediv, operator.itruediv),
}.items():
    for _function in _both:
        _teach(_function, _arithmetic(_name), (*PACKS, *NUMBERS))
for _sign, _function in {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}.items():
    _teach(_function, _first_lane(_sign), (PackType, *SCALARS), types.boolean)


@infer_global(operator.neg)
class _Negative(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return typed(args[0], args[0]) if len(args) == 1 and isinstance(args[0], PACKS) else None


@lower_builtin(operator.neg, PackType)
@lower_builtin(operator.neg, ComplexPackType)
def _negative(context: Any, builder: Any, of: Any, args: Any) -> Any:
    real, imag = Arithmetic(builder).fneg(both_parts(context, builder, of.args[0], args[0]))
    return real if imag is None else joined(builder, (real, imag))


@infer_global(abs)
class _Size(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return typed(PACK, PACK) if len(args) == 1 and isinstance(args[0], PackType) else None


@lower_builtin(abs, PackType)
def _size(context: Any, builder: Any, of: Any, args: Any) -> Any:
    kind = ir.FunctionType(VECTOR, [VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.fabs.v{LANES}f64"), args)


@infer_getattr
class _Parts(AttributeTemplate):
    key = PackType

    def resolve_real(self, kind: Any) -> Any:
        return PACK


@lower_getattr_generic(PackType)
def _real(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    return value


@infer_getattr
class _ComplexParts(AttributeTemplate):
    key = ComplexPackType

    def resolve_real(self, kind: Any) -> Any:
        return PACK

    def resolve_imag(self, kind: Any) -> Any:
        return PACK


@lower_getattr_generic(ComplexPackType)
def _part(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    return builder.extract_value(value, 0 if name == "real" else 1)


def _sum_of_rows(context: Any, builder: Any, signature: Any, arguments: Any, start: bool, entries: int) -> Any:
    """A step of `kernel.lanes` on rows of packs."""
    out_type, _, scale_types, row_types = signature.args
    out, at, scales, rows = arguments
    target, do = make_array(out_type)(context, builder, out).data, Arithmetic(builder)
    factors = [
        both_parts(context, builder, kind, builder.extract_value(scales, k)) for k, kind in enumerate(scale_types)
    ]
    sources = [
        make_array(kind)(context, builder, builder.extract_value(rows, k)).data for k, kind in enumerate(row_types)
    ]
    for entry in range(entries):
        place = builder.add(at, ir.Constant(at.type, entry))
        to = builder.gep(target, [place])
        total = both_parts(context, builder, out_type.dtype, builder.load(to)) if start else None
        for factor, source, kind in zip(factors, sources, row_types, strict=True):
            value = both_parts(context, builder, kind.dtype, builder.load(builder.gep(source, [place])))
            product = do.fmul(factor, value)
            total = product if total is None else do.fadd(total, product)
        assert total is not None
        builder.store(joined(builder, total) if isinstance(out_type.dtype, ComplexPackType) else total[0], to)
    return context.get_dummy_value()


lanes.OTHERS.update(dict.fromkeys(PACKS, _sum_of_rows))
