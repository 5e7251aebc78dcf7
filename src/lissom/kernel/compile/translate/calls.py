"""Calls: of functions that Python and NumPy have, of other kernels and their parts, through pointers."""

from __future__ import annotations

import ast
import math
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.kernel.compile.argument_kinds import Function
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
    unify,
    without_sizes,
)
from lissom.kernel.compile.translate.values import (
    Value,
    call_elementary,
    constant,
    convert,
    describe,
    is_array,
    truth,
)
from lissom.kernel.maths import elementary_functions, simd_rows

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
    elementary_functions.tanh: "tanh",
    np.arctan2: "atan2",
    math.atan2: "atan2",
    np.floor: "floor",
    np.ceil: "ceil",
}
LANE_SUMS = (simd_rows.add_lanes, simd_rows.set_lanes, simd_rows.add_scaled, simd_rows.set_scaled)
NEW_ARRAYS = (np.zeros, np.empty, np.zeros_like, np.empty_like)
ARGUMENTS: dict[Any, tuple[int, ...]] = {  # how many each takes; Python would take others, which C does not have
    **dict.fromkeys(ELEMENTARY, (1,)),
    **dict.fromkeys((len, abs, np.abs, float, int, round, bool, np.isfinite, math.isfinite), (1,)),
    **dict.fromkeys((elementary_functions.of_several, elementary_functions.worst), (1,)),
    np.arctan2: (2,),
    math.atan2: (2,),
    complex: (1, 2),
}


class Calls(Arrays):
    """Values of calls."""

    if TYPE_CHECKING:

        def truth(self, value: Value) -> Value:
            """Return a value as a condition."""

    def of_Call(self, node: ast.Call) -> Value:
        """Return the value of an expression of the kind Call."""
        before = self.reads
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise Refused("arguments by a star")
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "copy"):
            of = self.value(node.func.value)
            if is_array(of):
                return self._copy(of, node)
        function = self.value(node.func)
        thing = function.thing
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
            return self._in_order(self._indirect(thing, arguments), before, True)
        if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
            return self.tuple_of(arguments, Tuple(tuple(x.kind for x in arguments), thing._fields))
        made, writes = self.unit.call(self, thing, arguments)
        self.reads += any(not is_number(x.kind) for x in arguments)
        return self._in_order(made, before, writes)

    def _copy(self, of: Value, node: ast.Call) -> Value:
        """Return what `astype` and `copy` make of an array."""
        assert isinstance(node.func, ast.Attribute)
        if node.keywords or len(node.args) != (node.func.attr == "astype"):
            raise Refused(f"{node.func.attr} with other arguments than the type of its numbers")
        made = self.new_array(list(of.n), self.dtype(self.value(node.args[0])) if node.args else of.kind.dtype)
        self.fill(made, of)
        return made

    def _in_order(self, made: Value, reads_before: int, writes: bool) -> Value:
        """Make a call in the place that Python gives it: one that writes is made now, before what follows is read."""
        self.writes |= writes
        if writes and reads_before:
            raise Refused("memory is read before a call that changes memory, in one expression")
        if made.is_static:  # it returns nothing
            self.emit(f"{made.text};")
            return Value(None, thing=())
        return self.keep(made) if writes and not is_array(made) else self.take_apart(made)

    def _built_in(self, thing: Any, arguments: list[Value]) -> Value | None:
        """Return what Python, NumPy and `kernel.maths.elementary_functions` have; None of all else."""
        counts = ARGUMENTS.get(thing)
        if counts is not None and len(arguments) not in counts:
            raise Refused(f"{getattr(thing, '__name__', thing)} of {len(arguments)} arguments")
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
            return convert(arguments[0], REAL)
        if thing in (int, round):
            return self._whole_part(arguments[0], thing is round)
        if thing is bool:
            return truth(arguments[0])
        if thing in ELEMENTARY:
            return call_elementary(ELEMENTARY[thing], arguments)
        if thing in (np.isfinite, math.isfinite):
            return Value(BOOL, call_elementary("is_finite", arguments).text)
        if thing is elementary_functions.of_several:
            return constant(arguments[0].kind in (PACK, COMPLEX_PACK))
        if thing is elementary_functions.worst:
            of = arguments[0]
            return Value(REAL, f"largest_lane({of.text})") if of.kind == PACK else of
        if thing is elementary_functions.since and arguments[1].kind == PACK:
            return Value(PACK, f"since_p({', '.join(convert(x, PACK).text for x in arguments)})")
        return None

    def _extreme(self, arguments: list[Value], sign: str) -> Value:
        if len(arguments) == 1:
            arguments = self.items(arguments[0])
        if not arguments:
            raise Refused("the least or largest of nothing")
        best = arguments[0]
        for other in arguments[1:]:
            if best.number is not None and other.number is not None:
                best = constant((min if sign == "<" else max)(best.number, other.number))
                continue
            kind = unify(best.kind, other.kind)
            if kind is None or letter(kind) != "d":
                raise Refused(f"the {'least' if sign == '<' else 'largest'} of numbers that have no order")
            name = ("least" if sign == "<" else "largest") + ("_int" if is_whole(kind) else "")
            best = Value(INT if is_whole(kind) else kind, f"{name}({best.text}, {other.text})")
        return best

    def _size(self, of: Value) -> Value:
        if not is_number(of.kind):
            raise Refused(f"abs of {describe(of)}")
        if of.number is not None:
            return constant(abs(of.number))
        if is_whole(of.kind):
            return Value(INT, f"abs_int({of.text})")
        return Value(REAL if of.kind == COMPLEX else of.kind, f"abs_{letter(of.kind)}({of.text})")

    def _complex(self, arguments: list[Value]) -> Value:
        if len(arguments) == 1:
            return convert(arguments[0], COMPLEX)
        if any(x.kind == PACK for x in arguments):
            return Value(COMPLEX_PACK, f"(cpack){{{', '.join(convert(x, PACK).text for x in arguments)}}}")
        return Value(COMPLEX, f"(cplx){{{', '.join(convert(x, REAL).text for x in arguments)}}}")

    def _whole_part(self, of: Value, rounded: bool) -> Value:
        if not is_number(of.kind) or letter(of.kind) != "d":
            raise Refused(f"the whole part of {describe(of)}")
        if of.number is not None:
            if not isfinite(of.number):
                raise Refused(f"{of.text} as a whole number")
            return constant(round(of.number) if rounded else int(of.number))
        if is_whole(of.kind):
            return convert(of, INT)
        text = f"rint({of.text})" if rounded else of.text
        return Value(INT, f'whole_of({text}, "{self.place}")' if self.unit.checked else f"(int64_t)({text})")

    def _indirect(self, thing: Any, arguments: list[Value]) -> Value:
        """Return a call of the kernel whose address is in work.indirect[slot]."""
        address = self.subscript(self.field(arguments[1], "indirect"), [constant(thing.slot)])
        return self._by_address(
            f"(void *)(intptr_t){address.text}", [without_sizes(x.kind) for x in arguments], arguments
        )

    def _through_pointer(self, function: Value, arguments: list[Value]) -> Value:
        if not isinstance(function.kind, Function):
            raise Refused(f"{describe(function)} cannot be called")
        return self._by_address(function.text, [without_sizes(kind) for kind in function.kind.arguments], arguments)

    def _by_address(self, address: str, kinds: list[Any], arguments: list[Value]) -> Value:
        """Return a call of a kernel that returns nothing."""
        takes = ", ".join(self.types.name(kind) for kind in kinds)
        handed = ", ".join(self.pack(self.fit(x, k)) for x, k in zip(arguments, kinds, strict=True))
        return Value(None, f"((void (*)({takes})){address})({handed})", thing=())
