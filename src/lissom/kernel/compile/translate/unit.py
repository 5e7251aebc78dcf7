"""One C file for one kernel: its helpers are static, other kernels of the library are called by their names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from lissom.kernel.compile.argument_kinds import Array, Number, Table
from lissom.kernel.compile.decorators import Kernel
from lissom.kernel.compile.trace import Need
from lissom.kernel.compile.translate.function import Translation
from lissom.kernel.compile.translate.refused import Refused
from lissom.kernel.compile.translate.scope import Restart, Scope
from lissom.kernel.compile.translate.sources import Sources
from lissom.kernel.compile.translate.types import C_NUMBERS, COMPLEX, Tuple, Types, without_sizes
from lissom.kernel.compile.translate.values import CONSTANTS, Value, constant, real_text

RESULTS = {"none": None, **{name: Number(name) for name in ("bool", "int64", "float64")}}
RESTARTS = 40  # variables of one function whose kind turns out wider


def find(need: Need) -> Any:
    """Return the kernel that is needed."""
    found = getattr(import_module(need.module), need.name)
    return getattr(found, "kernel", found)  # of one that is called by its address


def symbol(kernel: Any, kinds: tuple[Any, ...]) -> str:
    """Return the C name of a kernel for arguments of these kinds."""
    described = f"{kernel.__module__}({', '.join(without_sizes(kind).text for kind in kinds)})"
    return f"lissom_{kernel.__name__.strip('_')}_{hashlib.sha256(described.encode()).hexdigest()[:12]}"


def prototype(types: Types, name: str, kinds: tuple[Any, ...], result: Any) -> str:
    """Return the declaration of a kernel of another unit."""
    return f"{types.name(result)} {name}({', '.join(types.name(kind) for kind in kinds)});"


def _is_of_numbers(kind: Any) -> bool:
    return all(map(_is_of_numbers, kind.items)) if isinstance(kind, Tuple) else isinstance(kind, Number)


class Catalogue:
    """What a library holds: the name and the result of each kernel, by its function and the kinds of its arguments."""

    def __init__(self, needs: dict[Need, str]) -> None:
        self.entries: dict[Any, tuple[str, Any]] = {}
        for need, returns in needs.items():
            kernel, kinds = find(need), tuple(map(without_sizes, need.kinds))
            self.entries[kernel.py_func, kinds] = symbol(kernel, kinds), RESULTS[returns]

    def find(self, kernel: Any, kinds: tuple[Any, ...]) -> tuple[str, Any] | None:
        """Return name and result of a kernel for arguments of such kinds, unless it is left to its callers."""
        return self.entries.get((kernel.py_func, kinds))


class Unit:
    """The C of one kernel.

    text: the file. entry, pointer: names of the function that Python calls and of the kernel itself.
    result: the kind of what it returns. calls: names of other kernels that must be linked with it.
    sources: the modules it was made of.
    """

    def __init__(self, kernel: Any, kinds: tuple[Any, ...], catalogue: Catalogue, checked: bool = False) -> None:
        self.catalogue, self.checked = catalogue, checked
        self.types, self.sources = Types(), Sources()
        self._functions: list[str] = []
        self._externals: dict[str, str] = {}
        self._tables: dict[Any, tuple[str, np.ndarray]] = {}
        self._made: dict[Any, tuple[str, Translation]] = {}
        self._begun: set[Any] = {(kernel.py_func, kinds)}
        self._names: dict[str, int] = {}
        kinds = tuple(map(without_sizes, kinds))
        for kind in kinds:
            number = kind.dtype if isinstance(kind, Array) else kind.name if isinstance(kind, Number) else "float64"
            if number not in C_NUMBERS:
                raise Refused(f"an argument of {number}, which kernels do not take").at(kernel.py_func, 1, str(kernel))
        self.result: Any
        self.pointer, self.result = catalogue.find(kernel, kinds) or (symbol(kernel, kinds), None)
        self.entry = f"{self.pointer}_py"
        self.text = self._text(kernel.py_func, kinds)
        self.calls = sorted(self._externals)

    # what functions ask for

    def uses(self, function: Callable[..., Any], name: str) -> None:
        """Note that a function reads a global name."""
        self.sources.add_name(function.__module__, name)

    def uses_attribute(self, thing: Any, name: str) -> None:
        """Note that a function reads an attribute of something that Python knows."""
        self.sources.add_attribute(thing, name)

    def table(self, array: np.ndarray, name: str) -> Value:
        """Return an array of constants."""
        key = array.dtype.name, array.shape, array.tobytes()
        name = self._tables.setdefault(key, (f"{name}{CONSTANTS}{len(self._tables)}", array))[0]
        number, n = Number(array.dtype.name), [constant(int(size)) for size in array.shape]
        kind = Array(array.dtype.name, array.ndim, "C", tuple(array.shape))
        return Value(kind, f"(({self.types.name(number)} *){name})", n=n)

    def call(self, caller: Scope, thing: Any, arguments: list[Value]) -> tuple[Value, bool]:
        """Return a call of a kernel or of a part of kernels, and whether it changes memory."""
        function = getattr(thing, "py_func", thing)
        if not isinstance(function, FunctionType):
            raise Refused(f"{getattr(thing, '__name__', thing)} is no function that kernels have")
        if isinstance(thing, Kernel) and not thing.compiled:
            raise Refused(f"{function.__name__} stays Python: kernels reach it through a Pointer")
        kinds = tuple(without_sizes(x.kind) for x in arguments)
        known = self.catalogue.find(thing, kinds) if isinstance(thing, Kernel) else None
        if known is not None:
            name, result = known
            self._externals[name] = prototype(self.types, name, kinds, result)
            handed, writes = [caller.pack(caller.fit(x, kind)) for x, kind in zip(arguments, kinds)], True
        else:
            name, made = self._function(thing, arguments)
            caller.allocates |= made.allocates
            result, writes = made.result, made.writes
            handed = [caller.pack(x) for x in arguments if not x.is_static]
        return Value(result, f"{name}({', '.join(handed)})", thing=() if result is None else None), writes

    def _function(self, thing: Any, arguments: list[Value]) -> tuple[str, Translation]:
        """Return the C name of a static function for such arguments, and its translation."""
        function = getattr(thing, "py_func", thing)
        at = function, tuple(("static", x.thing) if x.is_static else x.kind for x in arguments)
        if at not in self._made:
            if at in self._begun:
                raise Refused(f"{function.__name__} calls itself")
            self._begun.add(at)
            given = [x if x.is_static else Value(x.kind) for x in arguments]
            made = self._translate(function, given)
            count = self._names[function.__name__] = self._names.get(function.__name__, 0) + 1
            name = f"{function.__name__}__f{count}"
            how = "INLINE" if getattr(thing, "inlined", False) else "static"
            self._functions.append(made.text(f"{how} {self._head(made, name)}"))
            self._made[at] = name, made
        return self._made[at]

    def _translate(self, function: Callable[..., Any], arguments: list[Value]) -> Translation:
        self.sources.add(function.__module__)
        hints: dict[str, Any] = {}
        for _ in range(RESTARTS):
            try:
                return Translation(self, function, arguments, hints)
            except Restart as problem:
                last = problem
        raise Refused(f"{function.__name__}: {last} has no kind that holds all its values")

    def _head(self, made: Translation, name: str) -> str:
        takes = ", ".join(f"{self.types.name(kind)} {at}" for at, kind in made.parameters) or "void"
        return f"{self.types.name(made.result)} {name}({takes})"

    # the file

    def _text(self, function: Callable[..., Any], kinds: tuple[Any, ...]) -> str:
        made = self._translate(function, [Value(kind) for kind in kinds])
        if self.result is None:
            self.result = made.result
        made.result = self.result
        if not (self.result is None or _is_of_numbers(self.result)):
            raise Refused("a kernel gives numbers, tuples of them or nothing").at(function, 1, "")
        body = made.text(f"HIDDEN {self._head(made, self.pointer)}")
        if made.allocates:
            body = self._with_memory(made)
        entry = self._entry(kinds, made.result)
        tables = [self._table_text(name, array) for name, array in self._tables.values()]
        parts = [self.types.text(), *tables, *self._externals.values(), *self._functions, body, entry]
        return "\n\n".join(['#include "prelude.h"', *parts]) + "\n"

    def _with_memory(self, made: Translation) -> str:
        """Return the C of a kernel that gives back what it and its helpers have allocated."""
        inner = made.text(f"static {self._head(made, f'{self.pointer}_body')}")
        call = f"{self.pointer}_body({', '.join(at for at, _ in made.parameters)})"
        kept = f"{self.types.name(made.result)} result__ = {call};" if made.result is not None else f"{call};"
        back = "return result__;" if made.result is not None else ""
        outer = (
            f"HIDDEN {self._head(made, self.pointer)} {{ Block *before__ = blocks; {kept} release(before__); {back} }}"
        )
        return f"{inner}\n{outer}"

    def _table_text(self, name: str, array: np.ndarray) -> str:
        values = array.ravel().tolist()
        if array.dtype.kind == "c":
            inner = ", ".join(f"{{{real_text(z.real)}, {real_text(z.imag)}}}" for z in values)
        else:
            inner = ", ".join(real_text(x) if array.dtype.kind == "f" else str(int(x)) for x in values)
        return f"static const {self.types.name(Number(array.dtype.name))} {name}[{array.size}] = {{{inner}}};"

    def _entry(self, kinds: tuple[Any, ...], result: Any) -> str:
        """Return what Python calls, with plain words: an array comes as its address, lengths and, if any, strides."""
        takes, handed = ["void *result"], []
        for k, kind in enumerate(kinds):
            if isinstance(kind, Array):
                words = [f"a{k}n{j}" for j in range(kind.ndim)]
                words += [f"a{k}s{j}" for j in range(kind.ndim)] if kind.layout == "A" else []
                takes += [f"void *a{k}", *(f"int64_t {word}" for word in words)]
                handed.append(f"({self.types.name(kind)}){{{', '.join([f'a{k}', *words])}}}")
            elif kind == COMPLEX:
                takes += [f"double a{k}re", f"double a{k}im"]
                handed.append(f"(cplx){{a{k}re, a{k}im}}")
            else:
                takes.append(f"{'void *' if isinstance(kind, Table) else self.types.name(kind)} a{k}")
                handed.append(f"a{k}")
        call = f"{self.pointer}({', '.join(handed)})"
        body = f"*({self.types.name(result)} *)result = {call};" if result is not None else f"(void)result; {call};"
        return f"HIDDEN void {self.entry}({', '.join(takes)}) {{ {body} }}"
