"""Checks of what a user passes to a controller or a reference: each error names field, value and remedy."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.model.values import is_number, kind_of


def brief(value: Any) -> str:
    """A value as it appears in a message: short, on one line."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    text = f"{value:g}" if is_number(value) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def number(value: Any, field: str, remedy: str, *, above: float | None = None, at_least: float | None = None) -> float:
    """`value` as a finite float within the bounds."""
    if not is_number(value):
        raise LissomError(f"{field} = {brief(value)}: must be a number, not {kind_of(value)}; {remedy}")
    if not np.isfinite(value):
        raise LissomError(f"{field} = {value}: must be a finite number; {remedy}")
    if above is not None and value <= above:
        bound = "positive" if above == 0 else f"greater than {above:g}"
        raise LissomError(f"{field} = {value:g}: must be {bound}; {remedy}")
    if at_least is not None and value < at_least:
        bound = "not be negative" if at_least == 0 else f"be at least {at_least:g}"
        raise LissomError(f"{field} = {value:g}: must {bound}; {remedy}")
    return float(value)


def numbers(
    value: Any, field: str, remedy: str, size: int | None = None, *, at_least: float | None = None
) -> np.ndarray:
    """`value` as finite floats (size,): a list, or one number for all where a size is given."""
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(value) > 0:
        items = [number(v, f"{field}[{k}]", remedy, at_least=at_least) for k, v in enumerate(value)]
        if size is not None and len(items) != size:
            raise LissomError(f"{field} = {brief(value)}: has {len(items)} values, not {size}; {remedy}")
        return np.array(items)
    item = number(value[()] if isinstance(value, np.ndarray) else value, field, remedy, at_least=at_least)
    return np.full(1 if size is None else size, item)


def times(value: Any, field: str, remedy: str) -> np.ndarray:
    """`value` as finite, increasing times (k,)."""
    t = numbers(value, field, remedy)
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0]) + 1
        raise LissomError(f"{field}[{k}] = {t[k]:g}: must be later than the one before, {t[k - 1]:g}; {remedy}")
    return t
