"""The same kernel source for other number types: symbols, operation counters, anything with arithmetic.

A compiled kernel keeps its Python function; here that function is rebound so that the helpers it calls are Python
functions too and `sin`, `cos`, `tanh` are those of the new number type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np


def retarget(kernel: Any, elementary: Mapping[str, Callable]) -> Callable:
    """Plain-Python version of `kernel` with the elementary functions given by name (sin, cos, tanh)."""
    names = {getattr(np, name): function for name, function in elementary.items()}
    done: dict[Any, FunctionType] = {}

    def rebind(function: Any) -> FunctionType:
        source = function.py_func
        if source not in done:
            scope = dict(source.__globals__)
            done[source] = FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
            for name in source.__code__.co_names:
                value = scope.get(name)
                if hasattr(value, "py_func"):
                    scope[name] = rebind(value)
                elif isinstance(value, np.ufunc):
                    scope[name] = names[value]
        return done[source]

    return rebind(kernel)
