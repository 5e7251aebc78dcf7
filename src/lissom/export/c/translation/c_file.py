"""One C file: every kernel becomes one C function for each set of kinds of its arguments.

`kernel.compile.translate` writes C for any model: arrays come with addresses and sizes, Structs are laid out by Python,
and kernels are called by pointers. Here the tables of one robot are known while the source is read, and decide what is
written at all: memory is static, nothing is called by a pointer, unused fields and functions are left out, and numbers
may be dual ones. Such values of known content run through all rules, which is why each translator has its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.export.c.translation.c_function import Function, Restart, asks_for_lengths
from lissom.export.c.translation.operators import Value
from lissom.export.c.translation.value_kinds import DUAL, Array, Kind, Record, Tuple, any_length, tuple_name

RESTARTS = 20


class Unit:
    """All C functions of one file, in an order in which each is known before it is called."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.tuples: dict[str, Tuple] = {}
        self.tables: dict[str, np.ndarray] = {}  # constant tables read, by C name
        self.memory: dict[str, tuple[Record, dict[str, None]]] = {}  # records in memory with the fields used
        self.known: dict[Any, tuple[str, Kind]] = {}
        self._names: dict[str, int] = {}

    def function(self, kernel: Any, arguments: list[Value]) -> tuple[str, Kind]:
        """Return C name and kind of the result of a kernel for these arguments."""
        source = getattr(kernel, "py_func", kernel)
        if not asks_for_lengths(source):
            arguments = [Value(any_length(each.kind), each.text, thing=each.thing) for each in arguments]
        key = source, tuple(_key(each) for each in arguments)
        if key not in self.known:
            hints: dict[str, Kind] = {}
            for _ in range(RESTARTS):
                try:
                    made = Function(self, source, arguments, hints)
                    break
                except Restart as widened:
                    last = widened
            else:
                raise TypeError(f"{source.__name__}: {last} has no kind that holds all its values")
            name = self._name(source.__name__, arguments)
            self.functions[name] = made.text(name)
            self.known[key] = name, made.result
        return self.known[key]

    def _name(self, name: str, arguments: list[Value]) -> str:
        if any(_is_dual(each.kind) for each in arguments):
            name = f"{name}_dual"
        return self.free_name(name)

    def free_name(self, name: str) -> str:
        """Return `name`, or that with a number if it is taken."""
        count = self._names[name] = self._names.get(name, 0) + 1
        return name if count == 1 else f"{name}_{count}"

    def find_called(self, roots: Sequence[str]) -> list[str]:
        """Return the functions that `roots` need; attempts that led nowhere leave some that nobody does."""
        wanted: set[str] = set()
        open_ = list(roots)
        while open_:
            for name in set(re.findall(r"\b(\w+)\(", open_.pop())) & self.functions.keys() - wanted:
                wanted.add(name)
                open_.append(self.functions[name])
        return [text for name, text in self.functions.items() if name in wanted]

    def made(self, kind: Tuple) -> str:
        """Return the C name of a tuple, whose struct will be defined."""
        name = tuple_name(kind)
        if name not in self.tuples:
            for item in kind.items:
                if isinstance(item, Tuple):
                    self.made(item)
            self.tuples[name] = kind
        return name


def _is_dual(kind: Kind) -> bool:
    if isinstance(kind, Tuple):
        return any(map(_is_dual, kind.items))
    if isinstance(kind, Record):
        return not kind.const and kind.is_dual
    return (kind.item if isinstance(kind, Array) else kind) == DUAL


def _key(value: Value) -> Any:
    if isinstance(value.kind, Record):
        return "record", value.kind.name
    if value.is_static:
        return "static", id(value.thing)
    return value.kind
