"""Checks of what a user passes to a controller or a reference: each error names field, value and remedy."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import Keys, LissomError
from lissom.model.schema.number_fields import is_number, kind_of


def number(
    value: Any, path: str | Keys, remedy: str, *, above: float | None = None, at_least: float | None = None
) -> float:
    """Return `value` as a finite float within the bounds."""
    where = keys(path)
    if not is_number(value):
        raise LissomError(f"must be a number, not {kind_of(value)}; {remedy}", where, value)
    if not np.isfinite(value):
        raise LissomError(f"must be a finite number; {remedy}", where, value)
    if above is not None and value <= above:
        bound = "positive" if above == 0 else f"greater than {above:g}"
        raise LissomError(f"must be {bound}; {remedy}", where, value)
    if at_least is not None and value < at_least:
        bound = "not be negative" if at_least == 0 else f"be at least {at_least:g}"
        raise LissomError(f"must {bound}; {remedy}", where, value)
    return float(value)


def numbers(
    value: Any,
    path: str | Keys,
    remedy: str,
    size: int | None = None,
    *,
    above: float | None = None,
    at_least: float | None = None,
) -> np.ndarray:
    """Return `value` as finite floats (size,): a list, or one number for all where a size is given."""
    where = keys(path)
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0):
        items = [number(v, (*where, k), remedy, above=above, at_least=at_least) for k, v in enumerate(value)]
        if size is not None and len(items) != size:
            raise LissomError(f"has {len(items)} values, not {size}; {remedy}", where, value)
        return np.array(items)
    item = number(value[()] if isinstance(value, np.ndarray) else value, where, remedy, above=above, at_least=at_least)
    return np.full(1 if size is None else size, item)


def times(value: Any, path: str | Keys, remedy: str) -> np.ndarray:
    """Return `value` as finite, increasing times (k,)."""
    t = numbers(value, path, remedy)
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0]) + 1
        raise LissomError(f"must be later than the one before, {t[k - 1]:g}; {remedy}", (*keys(path), k), t[k])
    return t


def keys(path: str | Keys) -> Keys:
    """Return a path, from the name of one field too."""
    return (path,) if isinstance(path, str) else path
