"""Expressions of a kernel: their C text and their kind."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.export.c.translation.lane_sums import lane_sum
from lissom.export.c.translation.operators import (
    ATOM,
    Value,
    combine,
    compare,
    constant,
    join_conditions,
    lift,
    negate,
    wider,
)
from lissom.export.c.translation.value_kinds import (
    DUAL,
    INT,
    ITEMS,
    REAL,
    Array,
    Lent,
    Record,
    Tuple,
    any_length,
    declare,
)
from lissom.kernel.maths import elementary_functions, simd_rows

if TYPE_CHECKING:
    from lissom.export.c.translation.c_file import Unit

CALLS: dict[Any, str] = {
    elementary_functions.tanh: "tanh",
    np.tanh: "tanh",
    np.sin: "sin",
    np.cos: "cos",
    np.sqrt: "sqrt",
    np.abs: "fabs",
    abs: "fabs",
}


class Expressions:
    """What the expressions of one kernel are in C, for the kinds of its variables."""

    unit: Unit
    source: Callable[..., Any]
    env: dict[str, Value]  # variables

    def refuse(self, node: ast.AST) -> Value:
        """Refuse an expression that has no C."""
        raise TypeError(f"{self.source.__name__}: no C for {type(node).__name__}: {ast.unparse(node)}")

    def value(self, node: ast.expr) -> Value:
        """Return the C of an expression with its kind."""
        found: Any = getattr(self, f"of_{type(node).__name__}", self.refuse)(node)
        assert isinstance(found, Value)
        return found

    def of_Constant(self, node: ast.Constant) -> Value:
        """Translate a number."""
        assert isinstance(node.value, int | float)
        return constant(node.value)

    def of_Name(self, node: ast.Name) -> Value:
        """Translate a variable, or what a name means in Python."""
        if node.id in self.env:
            return self.env[node.id]
        thing = self.source.__globals__.get(node.id, getattr(builtins, node.id, None))
        if isinstance(thing, int | float) and not isinstance(thing, bool):
            return constant(thing)
        if isinstance(thing, tuple) and all(isinstance(each, float) for each in thing):
            self.unit.tables[node.id] = np.array(thing)
            return Value(Array(REAL, (len(thing),), True), node.id)
        if thing is None:
            raise TypeError(f"{self.source.__name__}: {node.id} has no value here")
        return Value(None, node.id, thing=thing)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        """Translate a field, a shape, or a name of a module."""
        of = self.value(node.value)
        if isinstance(of.kind, Record):
            return self.field(of, node.attr)
        if of.is_static:
            return constant(int(getattr(of.thing, node.attr)))
        if node.attr == "shape":
            return Value(None, "", thing=of.kind.shape)  # type: ignore[union-attr]
        if node.attr == "real":
            return Value(REAL, f"{of.bracket(ATOM)}.x") if of.kind == DUAL else of
        if node.attr == "imag":
            return Value(REAL, f"{of.bracket(ATOM)}.d") if of.kind == DUAL else constant(0.0)
        raise TypeError(f"{self.source.__name__}: no C for {ast.unparse(node)}")

    def field(self, of: Value, name: str) -> Value:
        """Return a field of a record."""
        record: Any = of.kind
        thing: Any = getattr(record.fields, name)
        if record.const:
            if name == "gravity":  # lies in the workspace, so that it can be switched off
                return Value(Array(REAL, (3,), True), f"{self.env['work'].text}->gravity")
            table = f"{record.name}{name}"
            if isinstance(thing, tuple):
                return Value(replace(record, name=f"{table}_", fields=thing), of.text)
            if record.varying and table in record.varying.tables:
                return Value(Array(REAL, thing.shape, True), f"{of.text}->{table}")
            return Value(Array(ITEMS[thing.dtype.kind], thing.shape, True), table, thing=thing)
        if isinstance(thing, Lent):
            return self.field(self.field(of, thing.by), thing.field)
        if callable(thing):
            return Value(None, name, thing=thing)
        if not isinstance(thing, np.ndarray | Record):
            return Value(DUAL, "lift(0.0)") if isinstance(thing, complex) else constant(0.0)
        _, used = self.unit.memory.setdefault(record.name, (record, {}))
        if isinstance(thing, Record):
            used[name] = None
            return Value(thing, f"{of.text}->{name}")
        if thing.dtype.kind == "i" and name not in record.counts:
            return Value(Array(INT, thing.shape, True), f"{record.name}_{name}", thing=thing)
        kind = Array(ITEMS[thing.dtype.kind], thing.shape, False)
        if shared := record.shared_with(name):
            used[shared] = None
            return Value(kind, f"({declare(kind, '')})({of.text}->{shared})")
        used[name] = None
        return Value(kind, f"{of.text}->{name}")

    def of_Subscript(self, node: ast.Subscript) -> Value:
        """Translate an entry or a slice of an array, or an item of a tuple."""
        of = self.value(node.value)
        parts = [*node.slice.elts] if isinstance(node.slice, ast.Tuple) else [node.slice]
        if of.is_static and isinstance(of.thing, tuple):
            return constant(of.thing[int(self.value(parts[0]).value or 0)])
        if isinstance(of.kind, Tuple):
            at = self.value(parts[0])
            if of.kind.alike:
                return Value(of.kind.items[0], f"{of.bracket(ATOM)}.at[{at.text}]")
            assert at.value is not None
            return Value(of.kind.items[int(at.value)], f"{of.bracket(ATOM)}.f{int(at.value)}")
        kind = of.kind
        assert isinstance(kind, Array), ast.unparse(node)
        if isinstance(of.thing, np.ndarray):
            if kind.item == INT and len(parts) == of.thing.ndim and of.thing.size and np.ptp(of.thing) == 0:
                return constant(int(of.thing.flat[0]))
            self.unit.tables[of.text] = of.thing
        text, shape = of.bracket(ATOM), list(kind.shape)
        while parts and not isinstance(parts[0], ast.Slice):
            text = f"{text}[{self.value(parts.pop(0)).text}]"
            shape.pop(0)
        if parts:
            return self.slice_pointer(Array(kind.item, (None, *shape[1:]), kind.const), text, parts)
        return Value(Array(kind.item, tuple(shape), kind.const) if shape else kind.item, text)

    def slice_pointer(self, kind: Array, text: str, parts: list[ast.expr]) -> Value:
        """Return a pointer to where slices of the leading axes begin."""
        starts = []
        for part in parts:
            if not isinstance(part, ast.Slice) or part.step is not None:
                self.refuse(part)
            assert isinstance(part, ast.Slice)
            starts.append(constant(0) if part.lower is None else self.value(part.lower))
        if all(start.value == 0 for start in starts[1:]):
            return Value(kind, text if starts[0].value == 0 else f"({text} + {starts[0].text})")
        place = "".join(f"[{start.text}]" for start in starts)
        return Value(kind, f"(({declare(kind, '')})&{text}{place})")

    def of_Tuple(self, node: ast.Tuple) -> Value:
        """Translate a tuple to a struct."""
        entries = [self.value(each) for each in node.elts]
        numbers = [each.kind for each in entries if isinstance(each.kind, str)]
        if len(numbers) == len(entries):
            widest = max(numbers, key=(INT, REAL, DUAL).index)
            widest = REAL if widest == INT and any("." in each.text for each in entries) else widest
            entries = [lift(each, widest) for each in entries]
        kind = Tuple(tuple(any_length(each.kind) for each in entries))
        name = self.unit.made(kind)
        inner = ", ".join(each.text for each in entries)
        return Value(kind, f"({name}){{{{{inner}}}}}" if kind.alike else f"({name}){{{inner}}}")

    def of_BinOp(self, node: ast.BinOp) -> Value:
        """Translate an operation on two values."""
        return combine(node.op, self.value(node.left), self.value(node.right))

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        """Translate a sign or `not`."""
        of = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return constant(not of.value) if of.value is not None else Value(INT, f"!{of.bracket(ATOM)}")
        return negate(of)

    def of_Compare(self, node: ast.Compare) -> Value:
        """Translate a chain of comparisons."""
        values = [self.value(each) for each in (node.left, *node.comparators)]
        return join_conditions(
            "&&", [compare(op, a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False)]
        )

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        """Translate `and` and `or`."""
        return join_conditions(
            "&&" if isinstance(node.op, ast.And) else "||", [self.value(each) for each in node.values]
        )

    def of_IfExp(self, node: ast.IfExp) -> Value:
        """Translate a conditional expression, or the one side of it that can be taken."""
        test = self.value(node.test)
        if test.value is not None:
            return self.value(node.body if test.value else node.orelse)
        yes, no = self.value(node.body), self.value(node.orelse)
        kind = yes.kind if yes.kind == no.kind else wider(yes.kind, no.kind)
        return Value(kind, f"({test.text} ? {lift(yes, kind).text} : {lift(no, kind).text})")

    def of_Call(self, node: ast.Call) -> Value:
        """Translate a call of a kernel, a part of one, or of what Python and NumPy have."""
        function = self.value(node.func).thing
        arguments = [self.value(each) for each in node.args]
        if function is len:
            kind: Any = arguments[0].kind
            return constant(len(kind.items) if isinstance(kind, Tuple) else kind.shape[0])
        if function in (min, max):
            return self.least(arguments, "<" if function is min else ">")
        if function in (simd_rows.add_lanes, simd_rows.set_lanes, simd_rows.add_scaled, simd_rows.set_scaled):
            return lane_sum(self.unit, function.__name__, arguments)
        if function is abs and arguments[0].kind == DUAL:  # of a complex number: its size
            return Value(REAL, f"fabs({arguments[0].bracket(ATOM)}.x)")
        for known, name in CALLS.items():
            if function is known:
                dual = arguments[0].kind == DUAL
                return Value(arguments[0].kind, f"{name}{'_dual' if dual else ''}({arguments[0].text})")
        for each in arguments:  # tables handed on whole
            if isinstance(each.thing, np.ndarray) and isinstance(each.kind, Array):
                self.unit.tables[each.text] = each.thing
        name, result = self.unit.function(function, [_argument(each) for each in arguments])
        handed = [each.text for each in arguments if not each.is_silent]
        return Value(result, f"{name}({', '.join(handed)})")

    def least(self, arguments: list[Value], sign: str) -> Value:
        """Return the smaller or larger of two numbers, as `sign` says."""
        a, b = arguments
        if a.value is not None and b.value is not None:
            return constant(min(a.value, b.value) if sign == "<" else max(a.value, b.value))
        return Value(wider(a.kind, b.kind), f"({a.text} {sign} {b.text} ? {a.text} : {b.text})")


def _argument(value: Value) -> Value:
    return Value(value.kind, value.text, thing=None if isinstance(value.kind, Array) else value.thing)
