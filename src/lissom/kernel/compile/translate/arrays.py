"""Arrays in C: entries, views, fields of Structs, new arrays; and what a checked build looks at."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.kernel.compile.argument_kinds import Array, Number, Table
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.scope import Scope
from lissom.kernel.compile.translate.types import BOOL, COMPLEX, INT, REAL, Tuple, is_number, is_whole, word_count
from lissom.kernel.compile.translate.values import (
    Value,
    combine,
    constant,
    convert,
    describe,
    is_array,
    strides,
)

NEW = ("bool", "int64", "float64", "complex128")  # numbers of arrays that kernels make
ZERO = "zero"  # a field that names its value: the compiler knows it, and drops sums with it


class Arrays(Scope):
    """What a function does with arrays and Structs."""

    # fields

    def field(self, of: Value, name: str) -> Value:
        """Return a field of a Struct."""
        self.types.define(of.kind)
        kind, at = dict(of.kind.fields).get(name), f"{of.text}->{name}_"
        if kind is None:
            raise Refused(f"{of.kind.name} has no field {name}")
        if name == ZERO and is_number(kind):
            return convert(constant(0.0), kind)
        if isinstance(kind, Array):
            known = kind.sizes or (0,) * kind.ndim
            n = [constant(size) if size else Value(INT, f"{at}n[{k}]") for k, size in enumerate(known)]
            steps = [Value(INT, f"({at}s[{k}] / {word_count(kind.dtype)})") for k in range(kind.ndim)]
            return Value(kind, at, n=n, s=steps if kind.layout == "A" else None)
        if isinstance(kind, Table) and name in of.kind.parts:
            return Value(kind, f"(&{at})")
        if is_number(kind) and (kind == BOOL or kind.words > 1):
            return Value(kind, f"(*({self.types.name(kind)} *){at})")
        return Value(kind, at)

    # entries and views

    def subscript(self, of: Value, indices: list[Any]) -> Value:
        """Return an entry of an array, or a view of a part of it."""
        if len(indices) == 1 and isinstance(indices[0], Value) and isinstance(indices[0].kind, Tuple):
            indices = self.items(indices[0])
        if len(indices) > of.kind.ndim:
            raise Refused(f"{len(indices)} indices of an array of {of.kind.ndim} axes")
        steps, at = of.s or strides(of), constant(0)
        n: list[Value] = []
        s: list[Value] = []
        contiguous = of.kind.layout == "C"
        for k in range(of.kind.ndim):
            index = indices[k] if k < len(indices) else ast.Slice()
            if isinstance(index, ast.Slice):
                low, length, full = self._span(index, of.n[k])
                contiguous &= full or not n
                n.append(length)
                s.append(steps[k])
            else:
                contiguous &= not n
                low = self.check_index(index, of.n[k])
            at = combine(ast.Add(), at, combine(ast.Mult(), low, steps[k]))
        if not n:
            self.reads += 1
            return Value(Number(of.kind.dtype), f"{of.text}[{at.text}]")
        sizes = tuple(each.number or 0 for each in n)
        kind = Array(of.kind.dtype, len(n), "C" if contiguous else "A", sizes if any(sizes) else ())
        return Value(kind, of.text if at.number == 0 else f"({of.text} + {at.text})", n=n, s=None if contiguous else s)

    def _span(self, index: ast.Slice, length: Value) -> tuple[Value, Value, bool]:
        """Return begin and length of a slice, and whether it is the whole axis. C has none that would be clipped."""
        if index.step is not None:
            raise Refused("a slice with a step")
        if index.lower is None and index.upper is None:
            return constant(0), length, True
        low = constant(0) if index.lower is None else self._count_from_begin(self.value(index.lower), length)
        high = length if index.upper is None else self._count_from_begin(self.value(index.upper), length)
        for end in (low, high):
            if end.number is not None and (
                end.number < 0 or (length.number is not None and end.number > length.number)
            ):
                raise Refused(f"a slice beyond the {length.number} entries of the axis, which Python clips")
        if low.number is not None and high.number is not None and low.number > high.number:
            raise Refused("a slice that ends before it begins, which is empty in Python")
        if self.unit.checked and not (low.number == 0 and high.text == length.text):
            high = Value(INT, f'slice_end({low.text}, {high.text}, {length.text}, "{self.place}")')
        return low, combine(ast.Sub(), high, low), False

    @staticmethod
    def _count_from_begin(index: Value, length: Value) -> Value:
        """Return an index or an end from the begin of the axis, as literals below zero count from its end."""
        if not is_whole(index.kind) or index.kind == BOOL:
            raise Refused(f"{describe(index)} as an index")
        if index.number is not None and index.number < 0:
            return combine(ast.Add(), length, index)
        if index.number is None and index.text.startswith("(-"):
            raise Refused(f"the index {index.text} may be negative and is no literal: it would not count from the end")
        return index

    def check_index(self, index: Value, length: Value) -> Value:
        """Return an index, which a checked build compares with the length of the axis."""
        index = self._count_from_begin(index, length)
        if index.number is not None and length.number is not None:
            if not 0 <= index.number < length.number:
                raise Refused(f"entry {index.number} of {length.number}")
            return index
        if self.unit.checked:
            return Value(INT, f'in_bounds({index.text}, {length.text}, "{self.place}")')
        return index

    def transpose_view(self, of: Value) -> Value:
        """Return a view with its axes in the other order."""
        sizes = tuple(reversed(of.kind.sizes))
        kind = Array(of.kind.dtype, of.kind.ndim, "A" if of.kind.ndim > 1 else of.kind.layout, sizes)
        return Value(kind, of.text, n=of.n[::-1], s=(of.s or strides(of))[::-1] if kind.layout == "A" else None)

    def parts(self, of: Value, name: str) -> Value:
        """Return the real or imaginary parts of an array, in its memory."""
        if of.kind.dtype != COMPLEX.name:
            if name == "real" and of.kind.dtype in (INT.name, REAL.name):
                return of
            raise Refused(f"the {name} parts of an array of {of.kind.dtype}")
        steps = [combine(ast.Mult(), constant(2), each) for each in of.s or strides(of)]
        return Value(replace(of.kind, dtype=REAL.name, layout="A"), f"(&({of.text})->{name[:2]})", n=of.n, s=steps)

    # whole arrays

    def fill(self, place: Value, value: Value) -> None:
        """Write entries of an array: a number into all, or those of an array of its shape or of its last axes.

        What may lie in the same memory is copied first, as NumPy does.
        """
        place, value = self.keep(place), self.keep(value)
        self.writes = True
        if not is_array(value):
            self._fill_entries(place, lambda _: value)
            return
        if value.kind.ndim > place.kind.ndim:
            raise Refused(f"an array of {value.kind.ndim} axes where one of {place.kind.ndim} is")
        self.same_shape(place, value)
        alone = place.text in self.fresh or value.text in self.fresh
        if not alone and value.kind.dtype == place.kind.dtype:
            if place.kind.layout == value.kind.layout == "C" and place.kind.ndim == value.kind.ndim:
                count = self._entries(place.n)
                self.emit(f"__builtin_memmove({place.text}, {value.text}, ({count.text}) * sizeof *{place.text});")
                self._check_all(place)
                return
            value = self.each_entry(lambda x: x, value)
        self._fill_entries(place, lambda indices: self._entry(value, indices[place.kind.ndim - value.kind.ndim :]))

    def _fill_entries(self, place: Value, by: Callable[[list[Value]], Value]) -> None:
        indices = self._every_entry(place)
        to = self._entry(place, indices)
        self.emit(f"    {to.text} = {self.fit(by(indices), to.kind).text};")
        self._check_all(place)

    def _check_all(self, place: Value) -> None:
        if self.unit.checked and place.kind.dtype in ("float64", "complex128"):
            self.emit("{")
            to = self._entry(place, self._every_entry(place))
            self.emit("{")
            self.check_finite(to)
            self.emit("} }")

    @staticmethod
    def _entries(shape: list[Value]) -> Value:
        count = constant(1)
        for each in shape:
            count = combine(ast.Mult(), count, each)
        return count

    def each_entry(self, compute: Callable[..., Value], *values: Value) -> Value:
        """Return a new array of what `compute` makes of the entries; numbers are the same for all entries."""
        values = tuple(self.keep(each) for each in values)
        arrays = [each for each in values if is_array(each)]
        like = max(arrays, key=lambda each: each.kind.ndim)
        for other in arrays:
            self.same_shape(like, other)
        spare = [Value(INT, self.temporary(INT)) for _ in like.n]

        def entry(each: Value) -> Value:
            return self._entry(each, spare[like.kind.ndim - each.kind.ndim :]) if is_array(each) else each

        made = compute(*map(entry, values))
        out = self.new_array(list(like.n), made.kind.name)
        self._every_entry(like, spare)
        self.emit(f"    {self._entry(out, spare).text} = {made.text};")
        return out

    def _every_entry(self, of: Value, indices: list[Value] | None = None) -> list[Value]:
        """Begin loops over all entries of an array; the counters."""
        indices = indices or [Value(INT, self.temporary(INT)) for _ in of.n]
        for index, n in zip(indices, of.n, strict=True):
            self.emit(f"for ({index.text} = 0; {index.text} < {n.text}; {index.text}++)")
        return indices

    @staticmethod
    def _entry(of: Value, indices: list[Value]) -> Value:
        at = constant(0)
        for index, step in zip(indices, of.s or strides(of), strict=True):
            at = combine(ast.Add(), at, combine(ast.Mult(), index, step))
        return Value(Number(of.kind.dtype), f"{of.text}[{at.text}]")

    def same_shape(self, one: Value, other: Value) -> None:
        """Refuse other shapes, or let a checked build compare them; NumPy would repeat axes of one entry."""
        for m, n in zip(reversed(one.n), reversed(other.n), strict=False):
            if m.number is not None and n.number is not None:
                if m.number != n.number:
                    raise Refused(f"axes of {m.number} and {n.number} entries")
            elif self.unit.checked:
                self.emit(f'same_size({m.text}, {n.text}, "{self.place}");')

    # new arrays

    def like(self, thing: Any, node: ast.Call) -> Value:
        """Return a new array, of np.zeros, np.empty and those of the shape of another array."""
        if len(node.args) not in (1, 2) or [each.arg for each in node.keywords] not in ([], ["dtype"]):
            raise Refused("a new array is asked for by its shape and, if need be, the type of its numbers")
        of = self.value(node.args[0])
        rest = [self.value(each) for each in (*node.args[1:], *(keyword.value for keyword in node.keywords))]
        if thing in (np.empty_like, np.zeros_like):
            shape, number = list(of.n), self.dtype(rest[0]) if rest else of.kind.dtype
        else:
            shape = [of] if is_number(of.kind) else self.items(of)
            number = self.dtype(rest[0]) if rest else REAL.name
        return self.new_array(shape, number, zero=thing in (np.zeros, np.zeros_like))

    def dtype(self, of: Value) -> str:
        """Return the name of a number type of the kernel: `float`, `complex`, `np.int64`, the dtype of an array."""
        if not of.is_static:
            raise Refused(f"{describe(of)} as a type of numbers")
        return of.thing if isinstance(of.thing, str) else str(np.dtype(of.thing).name)

    def new_array(self, shape: list[Value], dtype: str, zero: bool = False) -> Value:
        """Return a new array, whose memory the kernel gives back when it returns."""
        if dtype.startswith("void"):
            raise Refused("a new array of packs, which must begin where a line of the cache does")
        if dtype not in NEW:
            raise Refused(f"a new array of {dtype}; kernels make those of {', '.join(NEW)}")
        self.allocates = True
        sizes = tuple(x.number or 0 for x in shape)
        kind, count = Array(dtype, len(shape), "C", sizes if any(sizes) else ()), self._entries(shape)
        name, number = self.temporary(kind), self.types.name(Number(dtype))
        lengths = ", ".join(x.text for x in shape)
        size = f"({count.text}) * sizeof({number})"
        self.emit(f"{name} = ({self.types.name(kind)}){{({number} *)allocated({size}), {lengths}}};")
        if zero:
            self.emit(f"__builtin_memset({name}.at, 0, {size});")
        self.fresh.add(f"{name}.at")
        return self.variable(name, kind)

    # checked builds

    def check_finite(self, place: Value) -> None:
        """Note the first number that is stored and not finite."""
        if self.unit.checked and place.kind in (REAL, COMPLEX):
            parts = [place.text] if place.kind == REAL else [f"{place.text}.re", f"{place.text}.im"]
            self.emit("".join(f'note_finite({part}, "{self.place}");' for part in parts))

    def binary(self, op: ast.operator, a: Value, b: Value) -> Value:
        """Return what a binary operator makes of two numbers.

        A whole number divided by zero ends a checked build, where Python raises.
        """
        made = combine(op, a, b)
        divides = isinstance(op, ast.FloorDiv | ast.Mod | ast.Div) and is_whole(a.kind) and is_whole(b.kind)
        if self.unit.checked and divides and b.number is None:
            return Value(made.kind, f'(not_zero({b.text}, "{self.place}"), {made.text})')
        return made
