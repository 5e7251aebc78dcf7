"""What the expressions of a kernel are in C, for the kinds of its variables."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.kernel import elementary, lanes
from lissom.kernel.compile.kinds import Function, Table
from lissom.kernel.compile.translate.arrays import Arrays
from lissom.kernel.compile.translate.lane_sums import lane_sum
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
    unified,
    unsized,
)
from lissom.kernel.compile.translate.values import (
    Value,
    called,
    combined,
    compared,
    constant,
    converted,
    described,
    is_array,
    negated,
    part,
)

if TYPE_CHECKING:
    from lissom.kernel.compile.translate.unit import Unit

ELEMENTARY: dict[Any, str] = {
    np.sin: "sin",
    math.sin: "sin",
    np.cos: "cos",
    math.cos: "cos",
    math.tan: "tan",
    np.sqrt: "sqrt",
    math.sqrt: "sqrt",
    np.log: "log",
    math.log: "log",
    np.exp: "exp",
    math.exp: "exp",
    np.tanh: "tanh",
    math.tanh: "tanh",
    elementary.tanh: "tanh",
    np.arctan2: "atan2",
    math.atan2: "atan2",
}
LANE_SUMS = (lanes.add_lanes, lanes.set_lanes, lanes.add_scaled, lanes.set_scaled)
NEW_ARRAYS = (np.zeros, np.empty, np.zeros_like, np.empty_like)


class Expressions(Arrays):
    """Values of expressions; `env` knows the variables."""

    unit: Unit
    function: Callable
    env: dict[str, Value | None]
    lines: list[str]
    allocates: bool

    def value(self, node: ast.expr) -> Value:
        found: Value = getattr(self, f"of_{type(node).__name__}", self._refuse_expression)(node)
        return found

    def _refuse_expression(self, node: ast.expr) -> Value:
        raise Refused(f"no C for an expression of this kind ({type(node).__name__})")

    def pure(self, node: ast.expr) -> Value:
        """The value of an expression that C may leave out or compute later: nothing of it is computed beforehand."""
        before = len(self.lines)
        found = self.value(node)
        if len(self.lines) > before:
            raise Refused(f"'{ast.unparse(node)}' is not always computed in Python, and would be in C")
        return found

    def of_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, int | float | complex):
            return constant(node.value)
        return Value(None, thing=node.value)

    def of_Name(self, node: ast.Name) -> Value:
        if node.id in self.env:
            found = self.env[node.id]
            if found is None:
                raise Refused(f"what {node.id} is depends on a branch")
            return found
        scope = self.function.__globals__
        if node.id in scope:
            self.unit.uses(self.function, node.id)
            return self.known(scope[node.id], node.id)
        inner = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        if node.id in inner:
            return self.known(inner[node.id].cell_contents, node.id)
        if hasattr(builtins, node.id):
            return Value(None, thing=getattr(builtins, node.id))
        raise Refused(f"{node.id} has no value here")

    def known(self, thing: Any, name: str) -> Value:
        """Something of Python that is there when the kernel is translated."""
        if isinstance(thing, Enum) and isinstance(thing, int):
            return constant(int(thing))
        if isinstance(thing, np.generic):
            return constant(thing.item())
        if isinstance(thing, bool | int | float | complex):
            return constant(thing)
        if isinstance(thing, np.ndarray):
            return self.unit.table(thing, name)
        if isinstance(thing, tuple) and thing and not hasattr(thing, "_fields"):
            return self.tuple_of([self.known(each, name) for each in thing])
        return Value(None, thing=thing)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        of, name = self.value(node.value), node.attr
        if of.is_static:
            if not hasattr(of.thing, name):
                raise Refused(f"{described(of)} has no {name}")
            self.unit.uses_attribute(of.thing, name)
            return self.known(getattr(of.thing, name), name)
        if isinstance(of.kind, Table):
            return self.field(of, name)
        if is_array(of):
            if name == "shape":
                return self.tuple_of(list(of.n))
            if name == "dtype":
                return Value(None, thing=of.kind.dtype)
            if name == "T":
                return self.transposed(of)
            if name in ("real", "imag"):
                return self.each_entry(lambda x: part(x, name), of)
        if is_number(of.kind) and name in ("real", "imag"):
            return part(of, name)
        if isinstance(of.kind, Tuple) and name in of.kind.names:
            return self.item(of, of.kind.names.index(name))
        raise Refused(f"{name} of {described(of)}")

    def of_Subscript(self, node: ast.Subscript) -> Value:
        of = self.value(node.value)
        if is_array(of):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return self.indexed(of, [x if isinstance(x, ast.Slice) else self.value(x) for x in parts])
        if not (isinstance(of.kind, Tuple) or of.items is not None):
            if of.is_static:
                return self.known(of.thing[self.value(node.slice).number], "item")
            raise Refused(f"an entry of {described(of)}")
        if isinstance(node.slice, ast.Slice):
            ends = (None if x is None else self.value(x).number for x in (node.slice.lower, node.slice.upper))
            return self.tuple_of(self.items(of if of.items is not None else self.kept(of))[slice(*ends)])
        index = self.value(node.slice)
        count = len(self.items(of))
        if index.number is not None:
            if not -count <= index.number < count:
                raise Refused(f"item {index.number} of {count}")
            return self.item(of, index.number % count)
        if of.items is not None and all(x.number is not None for x in of.items):  # a table of constants
            return self.indexed(self.unit.table(np.array([x.number for x in of.items]), "items"), [index])
        if not of.kind.alike:
            raise Refused("an item of a tuple of several kinds by a number that is not known")
        of = of if of.items is None else self.kept(of)
        return self.variable(f"{of.text}.at[{self.bounded(index, constant(count)).text}]", of.kind.items[0])

    def of_Tuple(self, node: ast.Tuple) -> Value:
        return self.tuple_of([self.value(each) for each in node.elts])

    def of_BinOp(self, node: ast.BinOp) -> Value:
        a, b = self.value(node.left), self.value(node.right)
        if is_array(a) or is_array(b):
            return self.each_entry(lambda x, y: combined(node.op, x, y), a, b)
        return self.checked_division(node.op, combined(node.op, a, b), b)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        of = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            of = self.truth(of)
            return constant(not of.thing) if of.thing is not None else Value(BOOL, f"(!{of.text})")
        if isinstance(node.op, ast.UAdd):
            return of
        if not isinstance(node.op, ast.USub):
            raise Refused(f"the operator {type(node.op).__name__}")
        return self.each_entry(negated, of) if is_array(of) else negated(of)

    def of_Compare(self, node: ast.Compare) -> Value:
        values = [self.value(node.left)]
        values += [self.value(node.comparators[0]), *(self.pure(each) for each in node.comparators[1:])]
        tests = []
        for op, a, b in zip(node.ops, values, values[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn):
                found = self._joined("||", [compared(ast.Eq(), a, x) for x in self.items(b)])
                tests.append(found if isinstance(op, ast.In) else self._negation(found))
            elif isinstance(op, ast.Is | ast.IsNot):
                if not (a.is_static and b.is_static):
                    tests.append(constant(isinstance(op, ast.IsNot)))  # a value is never None
                else:
                    tests.append(constant((a.thing is b.thing) == isinstance(op, ast.Is)))
            else:
                tests.append(compared(op, a, b))
        return self._joined("&&", tests)

    @staticmethod
    def _negation(test: Value) -> Value:
        return constant(not test.thing) if test.thing is not None else Value(BOOL, f"(!{test.text})")

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        sign = "&&" if isinstance(node.op, ast.And) else "||"
        first, *others = node.values
        tests = [self.truth(self.value(first))]
        for each in others:
            if tests[-1].thing is not None and bool(tests[-1].thing) == (sign == "||"):
                break  # what follows is never computed
            tests.append(self.truth(self.pure(each)))
        return self._joined(sign, tests)

    @staticmethod
    def _joined(sign: str, tests: list[Value]) -> Value:
        left = []
        for test in tests:
            if test.thing is None:
                left.append(test)
            elif bool(test.thing) == (sign == "||"):
                return constant(sign == "||")
        if not left:
            return constant(sign == "&&")
        return left[0] if len(left) == 1 else Value(BOOL, f"({f' {sign} '.join(each.text for each in left)})")

    def truth(self, value: Value) -> Value:
        """A value as a condition."""
        if value.thing is not None or value.is_static:
            return constant(bool(value.thing))
        if not is_number(value.kind) or letter(value.kind) != "d":
            raise Refused(f"{described(value)} as a condition")
        return value if value.kind == BOOL else Value(BOOL, f"({value.text} != 0)")

    def of_IfExp(self, node: ast.IfExp) -> Value:
        test = self.truth(self.value(node.test))
        if test.thing is not None:
            return self.value(node.body if test.thing else node.orelse)
        yes, no = self.pure(node.body), self.pure(node.orelse)
        kind = None if None in (yes.kind, no.kind) else unified(yes.kind, no.kind)
        if kind is None:
            raise Refused(f"either {described(yes)} or {described(no)}")
        either = f"({test.text} ? {self.packed(self.fitted(yes, kind))} : {self.packed(self.fitted(no, kind))})"
        return self.taken_apart(Value(kind, either))

    def of_NamedExpr(self, node: ast.NamedExpr) -> Value:
        self.assign(node.target.id, self.value(node.value))
        found = self.env[node.target.id]
        assert found is not None
        return found

    # calls

    def of_Call(self, node: ast.Call) -> Value:
        before = self.reads
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "copy"):
            of = self.value(node.func.value)
            if is_array(of):
                made = self.new_array(list(of.n), self.dtype(self.value(node.args[0])) if node.args else of.kind.dtype)
                self.fill(made, of)
                return made
        function = self.value(node.func)
        thing = function.thing
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise Refused("arguments by a star")
        if thing in NEW_ARRAYS:
            return self.like(thing, node)
        if node.keywords:
            raise Refused("arguments by name")
        arguments = [self.value(each) for each in node.args]
        if not function.is_static:
            return self._in_order(self._through_pointer(function, arguments), before, True)
        if thing in LANE_SUMS:
            self.writes = True
            return lane_sum(self, thing.__name__, arguments)
        if (found := self._built_in(thing, arguments)) is not None:
            return found
        if hasattr(thing, "slot"):
            return self._in_order(self._late(thing, arguments), before, True)
        if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
            return self.tuple_of(arguments, Tuple(tuple(x.kind for x in arguments), thing._fields))
        made, writes = self.unit.call(self, thing, arguments)
        return self._in_order(made, before, writes)

    def _in_order(self, made: Value, reads_before: int, writes: bool) -> Value:
        """A call in the place that Python gives it: one that writes is made now, before what follows is read."""
        self.writes |= writes
        if writes and reads_before:
            raise Refused("memory is read before a call that changes memory, in one expression")
        if made.is_static:  # it returns nothing
            self.emit(f"{made.text};")
            return Value(None, thing=())
        return self.kept(made) if writes else self.taken_apart(made)

    def _built_in(self, thing: Any, arguments: list[Value]) -> Value | None:
        """What Python, NumPy and `kernel.elementary` have; None of all else."""
        if thing in (min, max):
            return self._extreme(arguments, "<" if thing is min else ">")
        if thing is len:
            of = arguments[0]
            return of.n[0] if is_array(of) else constant(len(self.items(of)))
        if thing is abs or thing is np.abs:
            return self._size(arguments[0])
        if thing is complex:
            return self._complex(arguments)
        if thing is float:
            return converted(arguments[0], REAL)
        if thing in (int, round):
            return self._whole_part(arguments[0], thing is round)
        if thing is bool:
            return self.truth(arguments[0])
        if thing in ELEMENTARY:
            return called(ELEMENTARY[thing], arguments)
        if thing in (np.isfinite, math.isfinite):
            return Value(BOOL, called("is_finite", arguments).text)
        if thing is elementary.of_several:
            return constant(arguments[0].kind in (PACK, COMPLEX_PACK))
        if thing is elementary.worst:
            of = arguments[0]
            return Value(REAL, f"largest_lane({of.text})") if of.kind == PACK else of
        if thing is elementary.since and arguments[1].kind == PACK:
            return Value(PACK, f"since_p({', '.join(converted(x, PACK).text for x in arguments)})")
        return None

    def _extreme(self, arguments: list[Value], sign: str) -> Value:
        if len(arguments) == 1:
            arguments = self.items(arguments[0])
        best = arguments[0]
        for other in arguments[1:]:
            if best.number is not None and other.number is not None:
                best = constant((min if sign == "<" else max)(best.number, other.number))
                continue
            kind = unified(best.kind, other.kind)
            if kind is None or letter(kind) != "d":
                raise Refused(f"the {'least' if sign == '<' else 'largest'} of numbers that have no order")
            name = ("least" if sign == "<" else "largest") + ("_int" if is_whole(kind) else "")
            best = Value(INT if is_whole(kind) else kind, f"{name}({best.text}, {other.text})")
        return best

    def _size(self, of: Value) -> Value:
        if not is_number(of.kind):
            raise Refused(f"abs of {described(of)}")
        if of.number is not None:
            return constant(abs(of.number))
        if is_whole(of.kind):
            return Value(INT, f"abs_int({of.text})")
        return Value(REAL if of.kind == COMPLEX else of.kind, f"abs_{letter(of.kind)}({of.text})")

    def _complex(self, arguments: list[Value]) -> Value:
        if len(arguments) == 1:
            return converted(arguments[0], COMPLEX)
        if any(x.kind == PACK for x in arguments):
            return Value(COMPLEX_PACK, f"(cpack){{{', '.join(converted(x, PACK).text for x in arguments)}}}")
        return Value(COMPLEX, f"(cplx){{{', '.join(converted(x, REAL).text for x in arguments)}}}")

    def _whole_part(self, of: Value, rounded: bool) -> Value:
        if not is_number(of.kind) or letter(of.kind) != "d":
            raise Refused(f"the whole part of {described(of)}")
        if of.number is not None:
            return constant(round(of.number) if rounded else int(of.number))
        if is_whole(of.kind):
            return Value(INT, of.text)
        return Value(INT, f"(int64_t){'rint' if rounded else ''}({of.text})")

    def _late(self, thing: Any, arguments: list[Value]) -> Value:
        """A call of the kernel whose address is in work.late[slot]."""
        address = self.indexed(self.field(arguments[1], "late"), [constant(thing.slot)])
        return self._by_address(f"(void *)(intptr_t){address.text}", [unsized(x.kind) for x in arguments], arguments)

    def _through_pointer(self, function: Value, arguments: list[Value]) -> Value:
        if not isinstance(function.kind, Function):
            raise Refused(f"{described(function)} cannot be called")
        return self._by_address(function.text, [unsized(kind) for kind in function.kind.arguments], arguments)

    def _by_address(self, address: str, kinds: list[Any], arguments: list[Value]) -> Value:
        """A call of a kernel that returns nothing."""
        takes = ", ".join(self.types.name(kind) for kind in kinds)
        handed = ", ".join(self.packed(self.fitted(x, k)) for x, k in zip(arguments, kinds, strict=True))
        return Value(None, f"((void (*)({takes})){address})({handed})", thing=())

    def whole(self, of: Value) -> str:
        if not is_whole(of.kind):
            raise Refused(f"{described(of)} where a whole number is needed")
        return of.text
