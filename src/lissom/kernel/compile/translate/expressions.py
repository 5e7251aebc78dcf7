"""What the expressions of a kernel are in C, for the kinds of its variables."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from lissom.kernel.compile.argument_kinds import Table
from lissom.kernel.compile.translate.calls import Calls
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.types import BOOL, INT, Tuple, is_number, is_whole, unify
from lissom.kernel.compile.translate.values import (
    Value,
    compare,
    constant,
    convert,
    describe,
    is_array,
    negate,
    part,
    truth,
)


class Expressions(Calls):
    """Values of expressions; `env` knows the variables."""

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression, by the method of its kind."""
        found: Value = getattr(self, f"of_{type(node).__name__}", self._refuse_expression)(node)
        return found

    def _refuse_expression(self, node: ast.expr) -> Value:
        raise Refused(f"no C for an expression of this kind ({type(node).__name__})")

    def pure(self, node: ast.expr, of: Callable[[ast.expr], Value] | None = None) -> Value:
        """Return the value of an expression that C may leave out or compute later, as nothing of it comes before."""
        before, reads = len(self.lines), self.reads
        self.reads = 0
        found = (of or self.value)(node)
        self.reads += reads
        if len(self.lines) > before:
            raise Refused(f"'{ast.unparse(node)}' is not always computed in Python, and would be in C")
        return found

    def of_Constant(self, node: ast.Constant) -> Value:
        """Return the value of an expression of the kind Constant."""
        if isinstance(node.value, int | float | complex):
            return constant(node.value)
        return Value(None, thing=node.value)

    def of_Name(self, node: ast.Name) -> Value:
        """Return the value of an expression of the kind Name."""
        self.named.add(node.id)
        if node.id in self.env:
            found = self.env[node.id]
            if found is None:
                raise Refused(f"what {node.id} is depends on a branch")
            return found
        inner = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        if node.id in inner:
            return self.python_value(inner[node.id].cell_contents, node.id)
        scope = self.function.__globals__
        if node.id in scope:
            self.unit.uses(self.function, node.id)
            return self.python_value(scope[node.id], node.id)
        if hasattr(builtins, node.id):
            return Value(None, thing=getattr(builtins, node.id))
        raise Refused(f"{node.id} has no value here")

    def python_value(self, thing: Any, name: str) -> Value:
        """Return what is made of something of Python that is there when the kernel is translated."""
        if isinstance(thing, Enum) and isinstance(thing, int):
            return constant(int(thing))
        if isinstance(thing, np.generic):
            return constant(thing.item())
        if isinstance(thing, bool | int | float | complex):
            return constant(thing)
        if isinstance(thing, np.ndarray):
            return self.unit.table(thing, name)
        if isinstance(thing, tuple) and thing and not hasattr(thing, "_fields"):
            return self.tuple_of([self.python_value(each, name) for each in thing])
        return Value(None, thing=thing)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        """Return the value of an expression of the kind Attribute."""
        of, name = self.value(node.value), node.attr
        if of.is_static:
            if not hasattr(of.thing, name):
                raise Refused(f"{describe(of)} has no {name}")
            self.unit.uses_attribute(of.thing, name)
            return self.python_value(getattr(of.thing, name), name)
        if isinstance(of.kind, Table):
            return self.field(of, name)
        if is_array(of):
            if name == "shape":
                return self.tuple_of(list(of.n))
            if name == "dtype":
                return Value(None, thing=of.kind.dtype)
            if name == "T":
                return self.transpose_view(of)
            if name in ("real", "imag"):
                return self.parts(of, name)
        if is_number(of.kind) and name in ("real", "imag"):
            return part(of, name)
        if isinstance(of.kind, Tuple) and name in of.kind.names:
            return self.item(of, of.kind.names.index(name))
        raise Refused(f"{name} of {describe(of)}")

    def of_Subscript(self, node: ast.Subscript) -> Value:
        """Return the value of an expression of the kind Subscript."""
        of = self.value(node.value)
        if is_array(of):
            return self.part_of(of, node.slice)
        if not (isinstance(of.kind, Tuple) or of.items is not None):
            return self._python_item(of, node.slice)
        if isinstance(node.slice, ast.Slice):
            slots = node.slice.lower, node.slice.upper, node.slice.step
            ends = [None if each is None else self._literal(each) for each in slots]
            return self.tuple_of(self.items(of if of.items is not None else self.keep(of))[slice(*ends)])
        index = self.value(node.slice)
        if not is_whole(index.kind):
            raise Refused(f"{describe(index)} as an index")
        count = len(self.items(of))
        if index.number is not None:
            if not -count <= index.number < count:
                raise Refused(f"item {index.number} of {count}")
            return self.item(of, index.number % count)
        if of.items is not None and all(x.number is not None for x in of.items):  # a table of constants
            return self.subscript(self.unit.table(np.array([x.number for x in of.items]), "items"), [index])
        if not of.kind.alike:
            raise Refused("an item of a tuple of several kinds by a number that is not known")
        of = of if of.items is None else self.keep(of)
        return self.variable(f"{of.text}.at[{self.check_index(index, constant(count)).text}]", of.kind.items[0])

    def part_of(self, of: Value, index: ast.expr) -> Value:
        """Return an entry of an array, or a view of a part of it."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        return self.subscript(of, [x if isinstance(x, ast.Slice) else self.value(x) for x in parts])

    def _python_item(self, of: Value, index: ast.expr) -> Value:
        """Return an item of something that Python alone knows, such as a list or a dictionary of a module."""
        if not of.is_static or isinstance(of.thing, str):
            raise Refused(f"an entry of {describe(of)}")
        key = self.value(index)
        try:
            return self.python_value(
                of.thing[key.number if key.thing is None or is_number(key.kind) else key.thing], "item"
            )
        except (TypeError, LookupError):
            raise Refused(f"the entry {ast.unparse(index)} of {describe(of)}") from None

    def _literal(self, node: ast.expr) -> int:
        number = self.value(node).number
        if not isinstance(number, int):
            raise Refused(f"a slice of a tuple that ends at {ast.unparse(node)}, which is not known")
        return number

    def of_Tuple(self, node: ast.Tuple) -> Value:
        """Return the value of an expression of the kind Tuple."""
        return self.tuple_of([self.value(each) for each in node.elts])

    def of_BinOp(self, node: ast.BinOp) -> Value:
        """Return the value of an expression of the kind BinOp."""
        a, b = self.value(node.left), self.value(node.right)
        if is_array(a) or is_array(b):
            return self.each_entry(lambda x, y: self.binary(node.op, x, y), a, b)
        return self.binary(node.op, a, b)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        """Return the value of an expression of the kind UnaryOp."""
        if isinstance(node.op, ast.Not):
            return self._negation(self.condition(node.operand))
        of = self.value(node.operand)
        if isinstance(node.op, ast.UAdd) and is_number(of.kind):
            return convert(of, INT) if of.kind == BOOL else of
        if not isinstance(node.op, ast.USub):
            raise Refused(f"the operator {type(node.op).__name__}")
        return self.each_entry(negate, of) if is_array(of) else negate(of)

    def of_Compare(self, node: ast.Compare) -> Value:
        """Return the value of an expression of the kind Compare."""
        values = [self.value(node.left)]
        values += [self.value(node.comparators[0]), *(self.pure(each) for each in node.comparators[1:])]
        tests = []
        for op, a, b in zip(node.ops, values, values[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn):
                found = self._join("||", [compare(ast.Eq(), a, x) for x in self.items(b)])
                tests.append(found if isinstance(op, ast.In) else self._negation(found))
            elif isinstance(op, ast.Is | ast.IsNot):
                if not (a.is_static or b.is_static):
                    raise Refused("whether two values are the same thing")
                same = a.is_static and b.is_static and a.thing is b.thing  # a value of C is nothing that Python knows
                tests.append(constant(same == isinstance(op, ast.Is)))
            else:
                tests.append(compare(op, a, b))
        return self._join("&&", tests)

    @staticmethod
    def _negation(test: Value) -> Value:
        return constant(not test.thing) if test.thing is not None else Value(BOOL, f"(!{test.text})")

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        """Return `and` and `or` as values: Python gives one of the operands, so they must be truth values."""
        return self._either(node, lambda value: value.kind == BOOL)

    def condition(self, node: ast.expr) -> Value:
        """Return an expression of which only the truth counts."""
        if isinstance(node, ast.BoolOp):
            return self._either(node, lambda _: True)
        return truth(self.value(node))

    def _either(self, node: ast.BoolOp, allowed: Callable[[Value], bool]) -> Value:
        sign = "&&" if isinstance(node.op, ast.And) else "||"
        tests: list[Value] = []
        for each in node.values:
            if tests and tests[-1].thing is not None and bool(tests[-1].thing) == (sign == "||"):
                break  # what follows is never computed
            inner = self.condition if isinstance(each, ast.BoolOp) and allowed(Value(None)) else self.value
            value = self.pure(each, inner) if tests else inner(each)
            if not allowed(value):
                raise Refused(f"{describe(value)} beside and/or where the value counts, which may be it or the other")
            tests.append(truth(value))
        return self._join(sign, tests)

    @staticmethod
    def _join(sign: str, tests: list[Value]) -> Value:
        left = []
        for test in tests:
            if test.thing is None:
                left.append(test)
            elif bool(test.thing) == (sign == "||"):
                return constant(sign == "||")
        if not left:
            return constant(sign == "&&")
        return left[0] if len(left) == 1 else Value(BOOL, f"({f' {sign} '.join(each.text for each in left)})")

    def of_IfExp(self, node: ast.IfExp) -> Value:
        """Return the value of an expression of the kind IfExp."""
        test = self.condition(node.test)
        if test.thing is not None:
            return self.value(node.body if test.thing else node.orelse)
        yes, no = self.pure(node.body), self.pure(node.orelse)
        kind = None if None in (yes.kind, no.kind) else unify(yes.kind, no.kind)
        if kind is None:
            raise Refused(f"either {describe(yes)} or {describe(no)}")
        cast = "(int64_t)" if kind == INT else ""
        either = f"{cast}({test.text} ? {self.pack(self.fit(yes, kind))} : {self.pack(self.fit(no, kind))})"
        return self.take_apart(Value(kind, either))

    def of_NamedExpr(self, node: ast.NamedExpr) -> Value:
        """Return the value of an expression of the kind NamedExpr."""
        if node.target.id in self.named:  # and not yet computed in C
            raise Refused(f"{node.target.id} is read and then changed in one statement")
        value = self.value(node.value)
        self.assign(node.target.id, value)
        found = self.env[node.target.id]
        assert found is not None
        return found
