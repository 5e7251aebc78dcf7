"""Arrays that nobody may write to: links are made once, and shared by models, batches and caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

Found = TypeVar("Found")


def freeze(value: Found) -> Found:
    """Return `value` with every array in it read-only: in tuples, lists, mappings and the fields of data classes."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple | list):
        for part in value:
            freeze(part)
    elif isinstance(value, dict):
        freeze(list(value.values()))
    elif is_dataclass(value):
        freeze(vars(value))
    return value


class constant_property(cached_property[Found]):
    """A property computed once, when first asked for, whose arrays are read-only."""

    def __init__(self, compute: Callable[[Any], Found]) -> None:
        super().__init__(lambda owner: freeze(compute(owner)))
        self.__doc__ = compute.__doc__
