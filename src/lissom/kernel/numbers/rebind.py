"""Kernels for other number types: symbols, operation counters, anything with arithmetic.

A compiled kernel keeps its Python function; here that function is rebound so that the helpers it calls are
Python functions too and `sin`, `cos`, `tanh`, `clamp` are those of the new number type. Arrays and Workspace stay
named tuples, their entries objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from lissom.kernel.compile.decorators import Part
from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.table_operations import mapped
from lissom.kernel.maths import elementary_functions as own

ROUND_OFF = 1e-13  # of the largest entry of a body's table


def retarget(kernel: Any, elementary: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Return a plain-Python version of `kernel` with the elementary functions given by name (sin, cos, tanh, clamp)."""
    replaced = {id(getattr(own, name)): function for name, function in elementary.items()}
    done: dict[Any, FunctionType] = {}

    def rebind(function: Any) -> FunctionType:
        source = function.py_func
        if source not in done:
            scope = dict(source.__globals__)
            done[source] = FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
            for name in source.__code__.co_names:
                value = scope.get(name)
                if id(value) in replaced:
                    scope[name] = replaced[id(value)]
                elif isinstance(value, np.ufunc) and name in elementary:
                    scope[name] = elementary[name]
                elif hasattr(value, "py_func"):
                    scope[name] = rebind(value)
                elif isinstance(value, np.ufunc):
                    raise TypeError(f"{source.__name__} calls {name}, which no other number type has")
        return done[source]

    return rebind(kernel)


def without(kernel: Any, replaced: Mapping[Any, Any], module: str) -> Any:
    """Return the kernel with other parts in place of those it calls, at any depth; of the machine code of `module`.

    What calls none of them stays as it is.
    """
    done: dict[Any, Any] = {}

    def rebind(part: Any) -> Any:
        part = replaced.get(part, part)
        if part not in done:
            done[part] = part  # names of attributes may lead back to it
            source, scope = part.py_func, dict(part.py_func.__globals__)
            called = {name: scope[name] for name in source.__code__.co_names if isinstance(scope.get(name), Part)}
            other = {name: rebind(value) for name, value in called.items()}
            if any(other[name] is not called[name] for name in called):
                made = FunctionType(source.__code__, scope | other, source.__name__, source.__defaults__)
                made.__module__, made.__doc__ = module, source.__doc__
                done[part] = part.decorate(made)
        return done[part]

    return rebind(kernel)


def object_arrays(arrays: Arrays, number: Callable[[float], Any]) -> Arrays:
    """Return `arrays` with every float turned into an object by `number`; index arrays stay as they are."""
    return mapped(lambda table: objects(table, number) if table.dtype.kind == "f" else table, arrays)


def objects(values: np.ndarray, number: Callable[[float], Any]) -> np.ndarray:
    """Return an object array of the shape of `values` with the entries number(value)."""
    out = np.empty(values.shape, object)
    out.ravel()[:] = [number(value) for value in values.ravel().tolist()]
    return out


def structural_zeros(arrays: Arrays) -> Arrays:
    """Return `arrays` with exact zeros in place of round-off, so that no symbolic term grows from it.

    Round-off is what lies below 1e-13 of the largest entry of the same body's table; single numbers of a body
    or joint are never dropped.
    """

    def cleaned(table: np.ndarray) -> np.ndarray:
        if table.dtype.kind != "f" or table.ndim < 2 or table.size == 0:
            return table
        size = np.abs(table)
        largest = size.max(axis=tuple(range(1, table.ndim)), keepdims=True)
        return np.where(size > ROUND_OFF * largest, table, 0.0)

    return mapped(cleaned, arrays)._replace(actuators=arrays.actuators)  # whose rows mix volumes and pressures
