"""Arithmetic on values of known kind: constants are computed, duals become calls, the rest is C's own."""

from __future__ import annotations

import ast
import operator
from typing import Any

from lissom.export.c.translation.value_kinds import DUAL, INT, NUMBERS, REAL, Kind, Record, Tuple, tuple_name

OR, AND, COMPARISON, SUM, PRODUCT, PREFIX, ATOM = range(7)  # how tightly an expression binds

SIGNS: dict[type, tuple[str, int, str, Any]] = {
    ast.Add: ("+", SUM, "plus", operator.add),
    ast.Sub: ("-", SUM, "minus", operator.sub),
    ast.Mult: ("*", PRODUCT, "times", operator.mul),
    ast.Div: ("/", PRODUCT, "over", operator.truediv),
    ast.Mod: ("%", PRODUCT, "", operator.mod),
    ast.FloorDiv: ("/", PRODUCT, "", operator.floordiv),
}
COMPARISONS: dict[type, tuple[str, Any]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}


class Value:
    """A C expression with its kind; a number that is known; or a Python object that C never sees."""

    __slots__ = ("binds", "kind", "text", "thing", "value")

    def __init__(self, kind: Kind, text: str, binds: int = ATOM, value: float | None = None, thing: Any = None) -> None:
        self.kind, self.text, self.binds, self.value, self.thing = kind, text, binds, value, thing

    @property
    def is_static(self) -> bool:
        """Whether it is there for the translation only."""
        return self.kind is None and self.thing is not None

    @property
    def is_silent(self) -> bool:
        """Whether C functions do not take it as an argument."""
        return self.is_static or (isinstance(self.kind, Record) and self.kind.is_silent)

    def bracket(self, least: int) -> str:
        """Return the text, in brackets unless it binds as tightly as `least`."""
        return self.text if self.binds >= least else f"({self.text})"


def constant(number: float) -> Value:
    """Return a number as a value whose number is known."""
    kind = INT if isinstance(number, int) else REAL
    number = int(number) if isinstance(number, int) else float(number)
    return Value(kind, repr(number), PREFIX if number < 0 else ATOM, number)


def wider(a: Kind, b: Kind) -> Kind:
    """Return the kind of number that holds both."""
    if a == b:
        return a
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return Tuple(tuple(map(wider, a.items, b.items)))
    if a not in NUMBERS or b not in NUMBERS:
        raise TypeError(f"{a} and {b} are not alike")
    return max(a, b, key=NUMBERS.index)


def mix(a: Kind, b: Kind) -> bool:
    """Return whether one kind holds values of both, the one with derivatives, the other without."""
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        return len(a.items) == len(b.items) and all(x == y or mix(x, y) for x, y in zip(a.items, b.items))
    return {a, b} == {REAL, DUAL} if isinstance(a, str) and isinstance(b, str) else False


def lift(value: Value, kind: Kind) -> Value:
    """Return a number as one of a wider kind."""
    if value.kind == kind:
        return value
    if isinstance(kind, Tuple) and isinstance(value.kind, Tuple):
        return Value(kind, f"lift_{tuple_name(value.kind)}({value.text})")
    if kind not in NUMBERS:
        return value
    if kind == DUAL:
        return Value(DUAL, f"lift({value.text})")
    if kind == REAL and value.value is not None:
        return constant(float(value.value))
    return value


def combine(sign: ast.operator, a: Value, b: Value) -> Value:
    """Return the operation `a sign b`."""
    if isinstance(sign, ast.Pow):
        return _power(a, b)
    text, binds, name, compute = SIGNS[type(sign)]
    if a.value is not None and b.value is not None:
        return constant(compute(a.value, b.value))
    if isinstance(sign, ast.Div):
        a, b = lift(a, wider(a.kind, REAL)), lift(b, wider(b.kind, REAL))
        if a.kind == INT and b.kind == INT:
            a = Value(REAL, f"(double){a.bracket(ATOM)}")
    kind = wider(a.kind, b.kind)
    if kind == REAL:
        a, b = lift(a, REAL), lift(b, REAL)
    if kind == DUAL:
        which = "" if a.kind == b.kind else "_dr" if a.kind == DUAL else "_rd"
        return Value(DUAL, f"{name}{which}({a.text}, {b.text})")
    if isinstance(sign, ast.Add | ast.Sub) and kind == INT:
        if b.value == 0:
            return a
        if a.value == 0 and isinstance(sign, ast.Add):
            return b
    return Value(kind, f"{a.bracket(binds)} {text} {b.bracket(binds + 1)}", binds)


def _power(a: Value, b: Value) -> Value:
    if a.value is not None and b.value is not None:
        return constant(float(a.value**b.value))
    dual = "_dual" if a.kind == DUAL else ""
    if b.value == 0.5:
        return Value(a.kind, f"sqrt{dual}({a.text})")
    if b.kind == DUAL or (dual and b.value is None and b.kind != REAL):
        raise TypeError("no power with a derivative in its exponent")
    return Value(wider(a.kind, REAL), f"pow{dual}({a.text}, {lift(b, REAL).text})")


def negate(a: Value) -> Value:
    """Return -a."""
    if a.value is not None:
        return constant(-a.value)
    return Value(DUAL, f"negative({a.text})") if a.kind == DUAL else Value(a.kind, f"-{a.bracket(PREFIX + 1)}", PREFIX)


def compare(sign: ast.cmpop, a: Value, b: Value) -> Value:
    """Return a comparison, decided where both numbers are known."""
    text, compute = COMPARISONS[type(sign)]
    if a.value is not None and b.value is not None:
        return constant(int(compute(a.value, b.value)))
    if wider(a.kind, b.kind) == REAL:
        a, b = lift(a, REAL), lift(b, REAL)
    return Value(INT, f"{a.bracket(SUM)} {text} {b.bracket(SUM)}", COMPARISON)


def join_conditions(sign: str, tests: list[Value]) -> Value:
    """Return conditions in a row."""
    decides = 0 if sign == "&&" else 1
    left = []
    for test in tests:
        if test.value is None:
            left.append(test)
        elif int(bool(test.value)) == decides:
            return constant(decides)
    if not left:
        return constant(1 - decides)
    if len(left) == 1:
        return left[0]
    return Value(INT, f" {sign} ".join(each.bracket(COMPARISON) for each in left), AND if sign == "&&" else OR)
