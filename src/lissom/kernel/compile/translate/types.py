"""C types of values: numbers, arrays, tuples, Structs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lissom.kernel.compile.argument_kinds import Array, Number, Table

BOOL, INT, REAL, COMPLEX = (Number(name) for name in ("bool", "int64", "float64", "complex128"))
PACK, COMPLEX_PACK = Number("void512"), Number("void1024")  # as NumPy names the numbers of `kernel.packs`
C_NUMBERS = {
    "bool": "bool",
    "uint8": "uint8_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "float64": "double",
    "complex128": "cplx",
    "void512": "pack",
    "void1024": "cpack",
}
# How prelude.h names arithmetic: plain numbers, complex ones, packs, complex packs.
LETTER = {"float64": "d", "complex128": "c", "void512": "p", "void1024": "q"}
WHOLE = ("bool", "uint8", "int32", "int64")
WIDTHS = (*WHOLE, "float64")  # each holds those before it
NAME_LENGTH = 60  # of a C type, beyond which it is a digest


@dataclass(frozen=True)
class Tuple:
    """A tuple of values, a C struct; with the names of a named tuple."""

    items: tuple[Any, ...]
    names: tuple[str, ...] = ()

    @property
    def alike(self) -> bool:
        """Whether a loop's counter may choose an item."""
        return len(self.items) > 0 and all(item == self.items[0] for item in self.items)

    def field(self, k: int) -> str:
        """Return the C of item k behind the name of the struct."""
        return f".at[{k}]" if self.alike else f".f{k}"


def without_sizes(kind: Any) -> Any:
    """Return the kind of an argument, by which functions are told apart: of arrays no sizes."""
    return replace(kind, sizes=()) if isinstance(kind, Array) and kind.sizes else kind


def is_number(kind: Any) -> bool:
    """Return whether a kind is that of a number by value."""
    return isinstance(kind, Number)


def is_whole(kind: Any) -> bool:
    """Return whether a kind is that of a whole number or a truth value."""
    return is_number(kind) and kind.name in WHOLE


def letter(kind: Any) -> str:
    """Return the letter by which prelude.h names the arithmetic of a kind."""
    return LETTER.get(kind.name, "d")


def word_count(dtype: str) -> int:
    """Return the bytes of an entry of an array."""
    return int(dtype[4:]) // 8 if dtype.startswith("void") else np.dtype(dtype).itemsize


def unify(a: Any, b: Any) -> Any:
    """Return the narrowest kind that holds values of both; None if there is none."""
    if a == b:
        return a
    if is_number(a) and is_number(b):
        if a.name in WIDTHS and b.name in WIDTHS:
            return max(a, b, key=lambda each: WIDTHS.index(each.name))
        letters = {letter(a), letter(b)}
        return COMPLEX if letters <= {"d", "c"} else PACK if letters <= {"d", "p"} else COMPLEX_PACK
    if isinstance(a, Array) and isinstance(b, Array) and (a.dtype, a.ndim) == (b.dtype, b.ndim):
        pairs = zip(a.sizes or (0,) * a.ndim, b.sizes or (0,) * b.ndim, strict=True)
        sizes = tuple(m if m == n else 0 for m, n in pairs)
        return Array(a.dtype, a.ndim, a.layout if a.layout == b.layout else "A", sizes if any(sizes) else ())
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        items = tuple(map(unify, a.items, b.items))
        return None if None in items else Tuple(items, a.names)
    return None


class Types:
    """The C types that a file needs, each after those it is made of."""

    def __init__(self) -> None:
        self._declared: dict[str, str] = {}
        self._defined: dict[str, str] = {}

    def name(self, kind: Any) -> str:
        """Return the C type of a value of this kind."""
        if is_number(kind):
            return C_NUMBERS[kind.name]
        if isinstance(kind, Array):
            return self._array(kind)
        if isinstance(kind, Table):
            self._declare(kind)
            return f"const {kind.text} *"
        if isinstance(kind, Tuple):
            return self._tuple(kind)
        return "void" if kind is None else "void *"

    def define(self, kind: Table) -> None:
        """Write the struct behind a Struct's address, its words as `compile.struct` lays them."""
        if f"struct {kind.text}" in self._defined:
            return
        lines = []
        for field, of in kind.fields:
            if isinstance(of, Array):
                lines.append(f"{C_NUMBERS[of.dtype]} *{field}_; int64_t {field}_n[{of.ndim}], {field}_s[{of.ndim}];")
            elif isinstance(of, Table) and field in kind.parts:
                self.define(of)
                lines.append(f"struct {of.text} {field}_;")
            elif is_number(of) and (of == BOOL or of.words > 1):
                lines.append(f"int64_t {field}_[{of.words}];")
            else:
                lines.append(f"{self.name(of)} {field}_;")
        self._declare(kind)
        body = "\n    ".join(lines)
        self._defined[f"struct {kind.text}"] = f"struct {kind.text} {{\n    {body}\n}};"

    def text(self) -> str:
        """Return all declarations and definitions of C, each behind those it needs."""
        return "\n".join([*self._declared.values(), *self._defined.values()])

    def _declare(self, kind: Table) -> None:
        self._declared.setdefault(kind.text, f"typedef struct {kind.text} {kind.text};")

    def _array(self, kind: Array) -> str:
        """Return the type of an array: address, lengths and, out of C's order, strides, counted in entries."""
        name = f"{kind.dtype}__{kind.ndim}{kind.layout}"
        if name not in self._defined:
            numbers = [f"n{k}" for k in range(kind.ndim)]
            numbers += [f"s{k}" for k in range(kind.ndim)] if kind.layout == "A" else []
            fields = f"{C_NUMBERS[kind.dtype]} *at; int64_t {', '.join(numbers)};"
            self._defined[name] = f"typedef struct {{ {fields} }} {name};"
        return name

    def _tuple(self, kind: Tuple) -> str:
        inner = [self.name(item) for item in kind.items]
        words = [word.replace("const ", "").replace(" *", "") for word in inner]
        name = f"tuple__{len(words)}_{words[0]}" if kind.alike else "tuple__" + "_".join(words)
        if len(name) > NAME_LENGTH:
            name = f"tuple__{len(words)}_{hashlib.sha256(repr(words).encode()).hexdigest()[:12]}"
        if name not in self._defined:
            fields = (
                f"{inner[0]} at[{len(inner)}];" if kind.alike else " ".join(f"{of} f{k};" for k, of in enumerate(inner))
            )
            self._defined[name] = f"typedef struct {{ {fields or 'char none;'} }} {name};"
        return name
