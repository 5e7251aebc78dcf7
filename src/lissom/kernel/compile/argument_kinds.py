"""What machine code needs to know of an argument: its kind.

Two arguments of one kind run the same machine code. A kind's text is its name in caches and libraries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lissom.kernel.data.table_operations import fixed_sizes, layout

C_CONTIGUOUS = 0x1  # a flag of NumPy's array objects
NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
PACKS = {"void512": "Pack", "void1024": "ComplexPack"}  # NumPy's names of the numbers of `kernel.packs`
WORDS = {"complex128": 2, "void512": 8, "void1024": 16}  # of 8 bytes; all other numbers take one


@dataclass(frozen=True)
class Number:
    """A number by value."""

    name: str

    @property
    def text(self) -> str:
        """Its name in caches and libraries."""
        return self.name

    @property
    def words(self) -> int:
        """Words of 8 bytes that it takes in a table."""
        return WORDS.get(self.name, 1)


@dataclass(frozen=True)
class Array:
    """A NumPy array: number type, axes, order in memory (C, or A for any).

    Of an array of a table more may be known: sizes that are the same in all tables.
    """

    dtype: str
    ndim: int
    layout: str
    sizes: tuple[int, ...] = ()  # of all axes, 0 where it is found in the table

    @property
    def text(self) -> str:
        """Its name in caches and libraries."""
        return f"{self.dtype}[{self.ndim}{self.layout}{f' {self.sizes}' if self.sizes else ''}]"

    @property
    def words(self) -> int:
        """Words of 8 bytes that it takes in a table: address, lengths and strides."""
        return 1 + 2 * self.ndim


@dataclass(frozen=True, eq=False)
class Table:
    """A Struct or a part of one: the names, kinds and places of its fields. Its text tells it from others."""

    name: str
    fields: tuple[tuple[str, Any], ...]
    parts: frozenset[str]  # fields that lie in this table; other Structs are reached by their address
    places: dict[str, int] = field(init=False, repr=False)
    words: int = field(init=False, repr=False)
    text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        lengths = [1 if isinstance(k, Table) and n not in self.parts else k.words for n, k in self.fields]
        places = {name: sum(lengths[:k]) for k, (name, _) in enumerate(self.fields)}
        described = ", ".join(f"{'*' if n in self.parts else ''}{n}: {k.text}" for n, k in self.fields)
        digest = hashlib.sha256(described.encode()).hexdigest()[:16]
        for name, value in (("places", places), ("words", sum(lengths)), ("text", f"{self.name}_{digest}")):
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


@dataclass(frozen=True)
class Function:
    """A Pointer: a kernel that returns nothing, by the kinds of its arguments."""

    arguments: tuple[Any, ...]

    @property
    def text(self) -> str:
        """Its name in caches and libraries."""
        return f"function({', '.join(kind.text for kind in self.arguments)})"

    @property
    def words(self) -> int:
        """Words of 8 bytes that it takes in a table."""
        return 1


@dataclass(frozen=True)
class Unseen:
    """A Struct that is only handed on."""

    text = "hidden"
    words = 1


Kind = Number | Array | Table | Function | Unseen
# Each kind is made once: what is looked up in every run is found by identity.
_arrays: dict[tuple[Any, int, bool], Array] = {}
_numbers: dict[Any, Number] = {sort: Number(name) for sort, name in NUMBERS.items()}
_functions: dict[tuple[Any, ...], Function] = {}
_tables: dict[tuple[Any, ...], Table] = {}


def kind(value: Any) -> Kind:
    """Return the kind of an argument."""
    sort = type(value)
    if sort is np.ndarray:
        key = value.dtype, value.ndim, bool(value.flags.num & C_CONTIGUOUS)
        return _arrays.get(key) or _arrays.setdefault(key, Array(value.dtype.name, value.ndim, "C" if key[2] else "A"))
    known = _numbers.get(sort) or getattr(value, "kind", None)
    if isinstance(known, (Number, Array, Table, Function, Unseen)):  # twice as fast as by their union
        return known
    if isinstance(value, np.generic):
        return _numbers.setdefault(value.dtype, Number(value.dtype.name))  # packs of all numbers have one type
    if isinstance(value, int):  # a member of an enumeration
        return _numbers[int]
    raise TypeError(f"machine code does not take a {sort.__name__}")


def function(arguments: tuple[Kind, ...]) -> Function:
    """Return the kind of a Pointer to a kernel of such arguments."""
    return _functions.get(arguments) or _functions.setdefault(arguments, Function(arguments))


def kinds(values: Iterable[Any]) -> tuple[Kind, ...]:
    """Return the kinds of several arguments."""
    return tuple(map(kind, values))


def table(fields: Any) -> Table:
    """Return the kind of a named tuple of arrays, numbers, Structs, Pointers and such named tuples."""
    inner = [table(value) if isinstance(value, tuple) else kind(value) for value in fields]
    key = (type(fields), *map(id, inner))
    if key not in _tables:
        parts = frozenset(n for n, value in zip(fields._fields, fields) if isinstance(value, tuple))
        about = layout(type(fields))  # type: ignore[arg-type]
        _tables[key] = Table(
            type(fields).__name__, tuple((n, _with_sizes(k, about[n][1])) for n, k in zip(fields._fields, inner)), parts
        )
    return _tables[key]


def _with_sizes(kind: Kind, axes: tuple[Any, ...]) -> Kind:
    """Return the kind of a field with the sizes that its annotation says."""
    if not isinstance(kind, Array) or not axes or kind.layout != "C" or not any(fixed_sizes(axes)):
        return kind
    return replace(kind, sizes=fixed_sizes(axes))
