"""C expressions of known kind, and arithmetic on them."""

from __future__ import annotations

import ast
import operator
from typing import Any

from lissom.kernel.compile.argument_kinds import Array
from lissom.kernel.compile.translate.names import prelude_names
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.types import (
    BOOL,
    COMPLEX,
    COMPLEX_PACK,
    INT,
    PACK,
    REAL,
    Tuple,
    is_number,
    is_whole,
    letter,
    unify,
)

ARITHMETIC: dict[type, tuple[str, str, Any]] = {
    ast.Add: ("+", "add", operator.add),
    ast.Sub: ("-", "sub", operator.sub),
    ast.Mult: ("*", "mul", operator.mul),
    ast.Div: ("/", "div", operator.truediv),
    ast.FloorDiv: ("//", "floor_div", operator.floordiv),
    ast.Mod: ("%", "floor_mod", operator.mod),
}
COMPARISONS: dict[type, tuple[str, Any]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
LARGEST_POWER = 8  # that is written as products
CONSTANTS = "__table"  # in the names of arrays that are constants
NARROW = ("uint8", "int32")
LIMIT = 2**63  # of whole numbers


class Value:
    """A C expression.

    kind: of its value; None of what Python alone knows: a function, a module, a text.
    text: the expression; of an array its address, with lengths `n` and strides `s` (None: C's order) beside.
    thing: what Python knows of it: the value of a constant, or whatever it is if `kind` is None.
    items: of a tuple that is written out.
    """

    __slots__ = ("items", "kind", "n", "s", "text", "thing")

    def __init__(self, kind: Any, text: str = "", thing: Any = None, n: Any = None, s: Any = None) -> None:
        self.kind, self.text, self.thing, self.n, self.s = kind, text, thing, n, s
        self.items: list[Value] | None = None

    @property
    def is_static(self) -> bool:
        """Whether only Python knows it: nothing of it is in C."""
        return self.kind is None

    @property
    def number(self) -> Any:
        """Its value, if that is known."""
        return self.thing if is_number(self.kind) else None


def is_array(value: Value) -> bool:
    """Return whether a value is an array."""
    return isinstance(value.kind, Array)


def constant(value: Any) -> Value:
    """Return a number of Python as a value that is known."""
    if isinstance(value, bool):
        return Value(BOOL, "true" if value else "false", value)
    if isinstance(value, int):
        if not -LIMIT < value < LIMIT:
            raise Refused(f"the whole number {value} has more than 64 bits")
        return Value(INT, str(int(value)) if value >= 0 else f"({int(value)})", int(value))
    if isinstance(value, complex):
        return Value(COMPLEX, f"(cplx){{{real_text(value.real)}, {real_text(value.imag)}}}", complex(value))
    return Value(REAL, real_text(float(value)), float(value))


def real_text(x: float) -> str:
    """Return the C of a real number, to the last bit."""
    if x != x:
        return "NAN"
    if x in (float("inf"), float("-inf")):
        return "INFINITY" if x > 0 else "(-INFINITY)"
    return repr(x) if str(x)[0] != "-" else f"({x!r})"


def convert(value: Value, kind: Any) -> Value:
    """Return the value as one of a kind that holds it."""
    if value.kind == kind or kind is None:
        return value
    if not is_number(kind):
        return Value(kind, value.text, n=value.n, s=value.s)
    if not is_number(value.kind):
        raise Refused(f"{describe(value)} is no number")
    if value.number is not None and kind in (INT, REAL, COMPLEX) and unify(value.kind, kind) == kind:
        return constant({INT: int, REAL: float, COMPLEX: complex}[kind](value.number))
    have, want = letter(value.kind), letter(kind)
    if have == want:
        if is_whole(kind) and value.kind == REAL:
            raise Refused("a real number where a whole one is stored")
        casts = {REAL: "(double)", INT: "(int64_t)"}
        return Value(kind, f"{casts[kind]}({value.text})" if kind in casts else value.text)
    if unify(value.kind, kind) != kind:
        raise Refused(f"{describe(value)} does not fit into a number of {kind.text}")
    return Value(kind, f"{want}_of_{have}({value.text})")


def describe(value: Value) -> str:
    """Return what a message calls a value."""
    if value.kind is None:
        return getattr(value.thing, "__name__", repr(value.thing))
    return f"{value.text} ({getattr(value.kind, 'text', value.kind)})"


def combine(op: ast.operator, a: Value, b: Value) -> Value:
    """Return what a binary operator makes of two numbers; constants are computed, as Python does."""
    for each in (a, b):
        if not is_number(each.kind):
            raise Refused(f"{type(op).__name__} of {describe(each)}, which is no number")
    if isinstance(op, ast.Pow):
        return _power(a, b)
    if type(op) not in ARITHMETIC:
        raise Refused(f"the operator {type(op).__name__}")
    sign, name, compute = ARITHMETIC[type(op)]
    if sign in ("/", "//", "%") and b.number == 0:
        raise Refused("division by zero")
    if a.number is not None and b.number is not None:
        return fold(compute, a, b)
    for each in (a, b):
        if each.kind.name in NARROW:
            raise Refused(f"arithmetic of {each.kind.name}, which wraps in NumPy; int() makes a whole number of it")
    if a.kind == BOOL and b.kind == BOOL:
        raise Refused("arithmetic of two truth values, which NumPy and Python do not do alike")
    kind = unify(a.kind, b.kind)
    if kind == INT:
        a, b = convert(a, INT), convert(b, INT)
    if sign in ("//", "%"):
        if letter(kind) != "d":
            raise Refused(f"{type(op).__name__} of numbers that are not real")
        return Value(kind, f"{name}{'' if kind == INT else '_real'}({a.text}, {b.text})")
    if sign == "/" and kind == INT:
        kind, a = REAL, Value(REAL, f"(double){a.text}")
    if letter(kind) != "d":
        return Value(kind, f"{name}_{letter(a.kind)}{letter(b.kind)}({a.text}, {b.text})")
    if kind == INT and (plainer := _without_units(sign, a, b)) is not None:
        return plainer
    return Value(kind, f"({a.text} {sign} {b.text})")


def fold(compute: Any, a: Value, b: Value) -> Value:
    """Return what Python makes of two constants."""
    try:
        return constant(compute(a.number, b.number))
    except (ArithmeticError, TypeError) as problem:
        raise Refused(f"{a.text} and {b.text}: {problem}") from None


def _without_units(sign: str, a: Value, b: Value) -> Value | None:
    """Return i + 0, 1 i and 0 i of whole numbers as i, i and 0: places in arrays are full of them."""
    if sign in "+-" and b.number == 0:
        return a
    if sign == "+" and a.number == 0:
        return b
    if sign == "*" and 0 in (a.number, b.number):
        return constant(0)
    if sign == "*" and 1 in (a.number, b.number):
        return b if a.number == 1 else a
    return None


def _power(a: Value, b: Value) -> Value:
    if a.number is not None and b.number is not None:
        return fold(operator.pow, a, b)
    if is_whole(b.kind) and b.number is not None and 0 < b.number <= LARGEST_POWER:
        kind = INT if is_whole(a.kind) else a.kind
        return Value(kind, f"power_{'int' if kind == INT else letter(kind)}({a.text}, {b.number})")
    if b.number == 0.5 and letter(a.kind) in "cp":
        return call_elementary("sqrt", [a])
    if letter(a.kind) != "d" or letter(b.kind) != "d" or (is_whole(a.kind) and is_whole(b.kind)):
        raise Refused(f"a power with an exponent that is not a whole number from 1 to {LARGEST_POWER}")
    return Value(REAL, f"pow({a.text}, {b.text})")


def call_elementary(name: str, arguments: list[Value]) -> Value:
    """Return an elementary function of prelude.h."""
    kind = arguments[0].kind
    for other in arguments[1:]:
        kind = unify(kind, other.kind)
    kind = unify(kind, REAL) if is_number(kind) else None
    suffix = "" if kind in (None, REAL) else f"_{letter(kind)}"
    if kind is None or (suffix and f"{name}{suffix}" not in prelude_names()):
        raise Refused(f"{name} of {', '.join(map(describe, arguments))}")
    return Value(kind, f"{name}{suffix}({', '.join(convert(each, kind).text for each in arguments)})")


def negate(a: Value) -> Value:
    """Return -a."""
    if a.number is not None:
        return constant(-a.number)
    kind = INT if a.kind == BOOL else a.kind
    return Value(kind, f"(-{a.text})" if letter(a.kind) == "d" else f"neg_{letter(a.kind)}({a.text})")


def compare(op: ast.cmpop, a: Value, b: Value) -> Value:
    """Compare two numbers; of packs the first lane decides, as no robot that `packs.covers` allows gets there."""
    for each in (a, b):
        if not is_number(each.kind):
            raise Refused(f"comparing {describe(each)}, which is no number")
    if type(op) not in COMPARISONS:
        raise Refused(f"the comparison {type(op).__name__}")
    sign, compute = COMPARISONS[type(op)]
    if a.number is not None and b.number is not None:
        return constant(bool(compute(a.number, b.number)))
    kind = unify(a.kind, b.kind)
    if letter(kind) == "c":
        if sign not in ("==", "!="):
            raise Refused("an order of complex numbers")
        equal = f"equal_c({convert(a, COMPLEX).text}, {convert(b, COMPLEX).text})"
        return Value(BOOL, equal if sign == "==" else f"(!{equal})")
    if letter(kind) == "q":
        raise Refused("an order of complex numbers")
    a, b = (Value(REAL, f"first_lane({x.text})") if x.kind == PACK else x for x in (a, b))
    return Value(BOOL, f"({a.text} {sign} {b.text})")


def truth(value: Value) -> Value:
    """Return a value as a condition."""
    if value.thing is not None or value.is_static:
        return constant(bool(value.thing))
    if not is_number(value.kind) or letter(value.kind) != "d":
        raise Refused(f"{describe(value)} as a condition")
    return value if value.kind == BOOL else Value(BOOL, f"({value.text} != 0)")


def part(value: Value, name: str) -> Value:
    """Return the real or imaginary part of a number."""
    if value.kind in (COMPLEX, COMPLEX_PACK):
        return Value(REAL if value.kind == COMPLEX else PACK, f"{value.text}.{name[:2]}")
    return value if name == "real" else convert(constant(0), value.kind)


def strides(of: Value) -> list[Value]:
    """Return the strides of an array in C's order, counted in entries."""
    out = [constant(1)]
    for length in reversed(of.n[1:]):
        out.insert(0, combine(ast.Mult(), length, out[0]))
    return out


def tuple_kind(items: list[Value]) -> Tuple | None:
    """Return the kind of a tuple: one for all items where there is one; None where Python alone knows some."""
    kinds = [x.kind for x in items]
    if None in kinds:
        return None
    widest: Any = kinds[0] if kinds else None
    for other in kinds[1:]:
        widest = None if widest is None else unify(widest, other)
    alike = widest is not None and (is_number(widest) or isinstance(widest, Array | Tuple))
    return Tuple((widest,) * len(kinds) if alike else tuple(kinds))
