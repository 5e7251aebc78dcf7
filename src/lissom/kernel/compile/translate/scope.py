"""What all parts of a translation share: variables, temporaries, and values that are kept, packed and fitted."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lissom.kernel.compile.argument_kinds import Array, Function
from lissom.kernel.compile.translate.names import c_name
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.types import INT, Tuple, unify
from lissom.kernel.compile.translate.values import (
    Value,
    constant,
    convert,
    describe,
    is_array,
    strides,
    tuple_kind,
)

if TYPE_CHECKING:
    from lissom.kernel.compile.translate.types import Types
    from lissom.kernel.compile.translate.unit import Unit


class Restart(Exception):
    """A variable turned out to hold more than its first value said: the function is translated again."""


Env = dict[str, Value | None]  # Python name: what it is; None where that depends on the way that was taken


class Scope:
    """A function that is being translated.

    lines: its statements in C. variables: kinds by C name. hints: kinds that an earlier translation found.
    reads: of memory, in the current statement so far; named: names that were read in it. Both are not yet computed in C
    when something later in the statement changes them: that is refused.
    """

    unit: Unit
    types: Types
    function: Callable[..., Any]

    def __init__(self, hints: dict[str, Any]) -> None:
        self.hints = hints
        self.lines: list[str] = []
        self.variables: dict[str, Any] = {}
        self.env: Env = {}
        self.allocates = self.writes = False
        self.spare = self.reads = 0
        self.named: set[str] = set()
        self.fresh: set[str] = set()  # addresses of arrays that nothing else knows
        self.place = ""  # file and line of the current statement

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression."""

    def emit(self, line: str) -> None:
        """Write a line of C."""
        self.lines.append(line)

    # variables

    def variable(self, name: str, kind: Any) -> Value:
        """Return a C variable as a value."""
        if isinstance(kind, Array):
            known = kind.sizes or (0,) * kind.ndim
            n = [constant(size) if size else Value(INT, f"{name}.n{k}") for k, size in enumerate(known)]
            s = [Value(INT, f"{name}.s{k}") for k in range(kind.ndim)] if kind.layout == "A" else None
            return Value(kind, f"{name}.at", n=n, s=s)
        return Value(kind, name)

    def number(self) -> int:
        """Return a number that names of this function have not had."""
        self.spare += 1
        return self.spare

    def temporary(self, kind: Any) -> str:
        """Declare a variable of the translator's own, and return its name."""
        name = f"t{self.number()}__"
        self.variables[name] = kind
        return name

    def assign(self, name: str, value: Value) -> None:
        """Give a variable a value; where its kind turns out wider than it was, the function is translated again."""
        if value.is_static or isinstance(value.kind, Function):
            self.env[name] = value
            return
        if name == "_":
            return
        version = 0
        while True:  # a variable of its own for kinds that no C variable holds together
            at = c_name(name) + (f"__v{version}" if version else "")
            kind = self.variables.get(at) or self.hints.get(at)
            wider = value.kind if kind is None else unify(kind, value.kind)
            if wider is not None:
                break
            version += 1
        if kind is not None and wider != kind:
            self.hints[at] = wider
            raise Restart(at)
        self.variables[at] = wider
        self.hints.setdefault(at, wider)
        self.emit(f"{at} = {self.pack(self.fit(value, wider))};")
        self.env[name] = self.variable(at, wider)

    # values

    def keep(self, value: Value) -> Value:
        """Return the value in a variable, computed here and once."""
        name = self.temporary(value.kind)
        self.emit(f"{name} = {self.pack(value)};")
        kept = self.variable(name, value.kind)
        if value.text in self.fresh:
            self.fresh.add(kept.text)
        return kept

    def now(self, value: Value) -> Value:
        """Return the value as it is now, whatever is assigned later; what cannot change stays as it is."""
        return value if value.is_static or value.number is not None else self.keep(value)

    def pack(self, value: Value) -> str:
        """Return the value as one C expression."""
        if value.kind is None:
            raise Refused(f"{describe(value)} is no value of C")
        if is_array(value):
            steps = (value.s or strides(value)) if value.kind.layout == "A" else []
            return (
                f"({self.types.name(value.kind)}){{{', '.join([value.text, *(x.text for x in (*value.n, *steps))])}}}"
            )
        return value.text

    def fit(self, value: Value, kind: Any) -> Value:
        """Return the value as one of a kind that holds it, tuples item by item."""
        if value.kind == kind:
            return value
        if isinstance(kind, Tuple):
            value = value if value.items is not None else self.keep(value)
            items = [self.fit(x, k) for x, k in zip(self.items(value), kind.items, strict=True)]
            return self.tuple_of(items, kind)
        if isinstance(kind, Array):
            s = value.s or (strides(value) if kind.layout == "A" else None)
            return Value(kind, value.text, n=value.n, s=s)
        return convert(value, kind)

    def items(self, value: Value) -> list[Value]:
        """Return the items of a tuple."""
        if value.items is not None:
            return value.items
        if not isinstance(value.kind, Tuple):
            raise Refused(f"the items of {describe(value)}, which is no tuple")
        return [self.item(value, k) for k in range(len(value.kind.items))]

    def item(self, value: Value, k: int) -> Value:
        """Return item k of a tuple."""
        if value.items is not None:
            return value.items[k]
        return self.variable(f"{value.text}{value.kind.field(k)}", value.kind.items[k])

    def tuple_of(self, items: list[Value], kind: Tuple | None = None) -> Value:
        """Return a tuple of values, of the kind that is given or that follows from them."""
        kind = kind or tuple_kind(items)
        if kind is None:  # Python alone knows some of them
            made = Value(None, thing=tuple(x.thing for x in items))
            made.items = items
            return made
        items = [self.fit(x, of) for x, of in zip(items, kind.items, strict=True)]
        inner = ", ".join(self.pack(x) for x in items)
        made = Value(kind, f"({self.types.name(kind)}){{{f'{{{inner}}}' if kind.alike else inner}}}")
        made.items = items
        return made

    def take_apart(self, made: Value) -> Value:
        """Return what came as one C expression; an array gets a variable, with its address, lengths and strides."""
        if not is_array(made):
            return made
        name = self.temporary(made.kind)
        self.emit(f"{name} = {made.text};")
        return self.variable(name, made.kind)

    def whole(self, of: Value) -> str:
        """Return the C of a whole number."""
        if of.kind != INT:
            of = convert(of, INT)
        return of.text
