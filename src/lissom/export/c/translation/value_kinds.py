"""What a value of a kernel is in C: numbers, arrays of known shape, tuples as small structs, records of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

INT, REAL, DUAL = "int", "double", "dual"  # a dual is a number with its derivative along one direction
NUMBERS = (INT, REAL, DUAL)  # each can become the next


class Array(NamedTuple):
    """A pointer to numbers in rows; the length of its first axis may be unknown."""

    item: str
    shape: tuple[int | None, ...]
    const: bool

    def inner(self, axes: int) -> Array | str:
        """Return what indexing by `axes` numbers leaves."""
        return self._replace(shape=self.shape[axes:]) if axes < len(self.shape) else self.item


class Tuple(NamedTuple):
    """A struct with one member for each entry, or an array of them where all are alike."""

    items: tuple[Kind, ...]

    @property
    def alike(self) -> bool:
        """Whether all its items are of one kind."""
        return len(set(self.items)) == 1


class Lent(NamedTuple):
    """A field of memory that is a field of another record, which its own record reaches by a pointer."""

    by: str
    field: str


@dataclass(frozen=True, eq=False)
class Record:
    """A named tuple of arrays: constant tables, or memory in a struct that C reaches by a pointer."""

    name: str  # of the C struct; of a part of the constant tables what their names begin with
    fields: Any
    const: bool = False
    counts: tuple[str, ...] = ()  # fields of whole numbers that change; others are indices that do not
    varying: Varying | None = None  # of constant tables: those that an argument changes

    @property
    def is_silent(self) -> bool:
        """Whether C has it in constants alone, so that functions do not take it."""
        return self.const and self.varying is None

    @property
    def is_dual(self) -> bool:
        """Whether its numbers have derivatives."""
        return any(isinstance(each, np.ndarray) and each.dtype.kind == "c" for each in self.fields)

    def shared_with(self, field: str) -> str | None:
        """Return another field, declared before, whose memory this one shows in another shape."""
        own = getattr(self.fields, field)
        for name, other in zip(self.fields._fields, self.fields):
            if name == field:
                return None
            if isinstance(other, np.ndarray) and other.size and np.shares_memory(own, other):
                return name
        return None


class Varying(NamedTuple):
    """Tables that an argument changes, in a struct of their own."""

    struct: str
    tables: frozenset[str]  # by C name


Kind = str | Array | Tuple | Record | None
ITEMS = {"i": INT, "f": REAL, "c": DUAL}  # by the kind of NumPy's number type


def any_length(kind: Kind) -> Kind:
    """Return an array without the length of its first axis, which is not asked for."""
    return kind._replace(shape=(None, *kind.shape[1:])) if isinstance(kind, Array) else kind


def shape_in_c(shape: tuple[int | None, ...]) -> tuple[int, ...]:
    """Return the shape of an array in C, which has none without entries."""
    return tuple(max(1, size or 1) for size in shape)


def tuple_name(kind: Tuple) -> str:
    """Name a tuple: vec3, mat3 and their likes."""
    if kind.alike:
        item = kind.items[0]
        if item in (REAL, DUAL):
            return f"{'' if item == REAL else 'd'}vec{len(kind.items)}"
        if isinstance(item, Tuple) and tuple_name(item).endswith("vec3"):
            return f"{tuple_name(item).removesuffix('vec3')}mat{len(kind.items)}"
        return f"{_code(item)}x{len(kind.items)}"
    return "of_" + "_".join(map(_code, kind.items))


def _code(kind: Kind) -> str:
    if isinstance(kind, Tuple):
        return tuple_name(kind)
    if isinstance(kind, Array):
        shape = "".join(f"_{size}" for size in shape_in_c(kind.shape)[1:])
        return f"{'const_' if kind.const else ''}{'' if kind.item == REAL else kind.item + '_'}row{shape}"
    assert isinstance(kind, str)
    return kind


def declare(kind: Kind, name: str) -> str:
    """Declare a variable: `double x`, `vec3 a`, `const double (*A)[3]`."""
    if isinstance(kind, Array):
        const = "const " if kind.const else ""
        if len(kind.shape) == 1:
            return f"{const}{kind.item} *{name}"
        inner = "".join(f"[{size}]" for size in shape_in_c(kind.shape)[1:])
        return f"{const}{kind.item} (*{name}){inner}"
    if isinstance(kind, Tuple):
        return f"{tuple_name(kind)} {name}"
    if isinstance(kind, Record):
        return f"const struct {kind.varying.struct} *{name}" if kind.varying else f"struct {kind.name} *{name}"
    return f"{kind} {name}"


def tuple_definition(kind: Tuple) -> str:
    """Return the struct of a tuple."""
    if kind.alike:
        count = len(kind.items)
        if isinstance(kind.items[0], Array) and len(kind.items[0].shape) > 1:
            member = declare(kind.items[0], f"at[{count}]")
        else:
            member = declare(kind.items[0], f"at[{count}]")
        return f"typedef struct {{ {member}; }} {tuple_name(kind)};"
    members = " ".join(f"{declare(item, f'f{k}')};" for k, item in enumerate(kind.items))
    return f"typedef struct {{ {members} }} {tuple_name(kind)};"
