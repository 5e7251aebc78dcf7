"""What can be done with tables whatever they mean: their axes, new ones, copies, comparisons."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar, get_type_hints

import numpy as np

from lissom.kernel.data.aligned_memory import on_lines
from lissom.kernel.data.arrays import Arrays, Axis

Part = TypeVar("Part", bound=tuple[Any, ...])


@cache
def layout(part: type) -> dict[str, tuple[Any, tuple[Axis | int, ...]]]:
    """Return number type (None: the model's) and axes of each table of a part, by name; parts have no axes."""
    hints = get_type_hints(part, include_extras=True)
    about = {name: getattr(hint, "__metadata__", (None,)) for name, hint in hints.items()}
    return {name: (kind, tuple(axes)) for name, (kind, *axes) in about.items()}


def fixed_sizes(axes: tuple[Axis | int, ...]) -> tuple[int, ...]:
    """Return the sizes of axes that are the same for all robots, 0 for the others."""
    return tuple(axis if isinstance(axis, int) else 0 for axis in axes)


def zeros(part: type[Part], sizes: Mapping[Axis, int], number: Any) -> Part:
    """Make a part with all its tables zero, for axes of the given `sizes`."""
    return part(*(on_lines(*shape, number=kind or number) for kind, shape in _shapes(part, tuple(sizes.items()))))


@lru_cache(maxsize=1024)
def _shapes(part: type, sizes: tuple[tuple[Axis, int], ...]) -> list[tuple[Any, list[int]]]:
    """Return number type and shape of every table of a part."""
    known, tables_of = dict(sizes), layout(part).values()
    return [(kind, [known[axis] if isinstance(axis, Axis) else axis for axis in axes]) for kind, axes in tables_of]


def with_bodies(part: Part, count: int) -> Part:
    """Copy `part` with `count` further bodies: no mass, no modes, no joint, on the world until told otherwise."""

    def longer(table: Any, axes: tuple[Axis | int, ...]) -> Any:
        if isinstance(table, tuple):
            return with_bodies(table, count)
        if axes[0] is Axis.BODY:
            grown = on_lines(len(table) + count, *table.shape[1:], number=table.dtype)
            grown[: len(table)] = table
            return grown
        return np.append(table, np.repeat(table[-1:], count)) if axes[0] is Axis.START else table

    made: Any = type(part)
    return made(*(longer(table, axes) for table, (_, axes) in zip(part, layout(made).values(), strict=True)))


def restricted(part: Part, sizes: Mapping[Axis, int]) -> Part:
    """Return `part` with the first entries alone along the axes of `sizes`, in the same memory."""

    def shorter(table: Any, axes: tuple[Axis | int, ...]) -> Any:
        if isinstance(table, tuple):
            return restricted(table, sizes)
        return table[tuple(slice(None) if isinstance(axis, int) else slice(sizes.get(axis)) for axis in axes)]

    made: Any = type(part)
    return made(*(shorter(table, axes) for table, (_, axes) in zip(part, layout(made).values(), strict=True)))


def mapped(function: Callable[[np.ndarray], np.ndarray], part: Part) -> Part:
    """Apply `function` to every table of `part`."""
    made: Any = type(part)
    return made(*(mapped(function, table) if isinstance(table, tuple) else function(table) for table in part))


def read_only(part: Any) -> Any:
    """Return a table or part in the same memory, to which nobody may write; itself where that is so already."""
    if isinstance(part, tuple):
        tables = [read_only(table) for table in part]
        return part if all(map(operator.is_, tables, part)) else type(part)(*tables)
    if not part.flags.writeable:
        return part
    table = part.view()
    table.flags.writeable = False
    return table


def writable(table: np.ndarray) -> np.ndarray:
    """Return the memory of a read-only table as it may be written to, which kernels compiled for tables meet."""
    table = table.view()
    table.flags.writeable = True
    return table


def tables(arrays: Arrays) -> Iterator[tuple[str, np.ndarray]]:
    """Yield every table with its name, such as `inertia.mass`."""
    for name, part in arrays._asdict().items():
        if isinstance(part, tuple):
            yield from ((f"{name}.{field}", table) for field, table in part._asdict().items())  # type: ignore[attr-defined]
        else:
            yield name, part


def leaves(arrays: Arrays) -> list[np.ndarray]:
    """Return every table."""
    return [table for part in arrays for table in (part if isinstance(part, tuple) else (part,))]


def alike(first: Arrays, second: Arrays) -> bool:
    """Return whether two robots differ in real numbers alone: the same tables, sizes and whole numbers."""
    pairs = ((a, b) for a, b in zip(leaves(first), leaves(second), strict=True) if a is not b)
    return all(
        a.shape == b.shape and a.dtype is b.dtype and (a.dtype.kind != "i" or a.tobytes() == b.tobytes())
        for a, b in pairs
    )
