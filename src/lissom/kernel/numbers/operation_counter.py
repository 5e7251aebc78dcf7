"""A number that counts the arithmetic done with it.

Kernels have no branch on a value, so one run counts the operations of every run. Every operation of the
source counts, also with a zero: the compiled kernel does the same. Changes of sign are not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.workspace import workspace
from lissom.kernel.numbers.rebind import object_arrays, objects, retarget


@dataclass
class Tally:
    """Operations so far."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0


class Counted:
    """A float that adds each operation to its tally."""

    __slots__ = ("tally", "value")
    __array_ufunc__ = None

    def __init__(self, value: float, tally: Tally) -> None:
        self.value = value
        self.tally = tally

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally)

    def __add__(self, other: Counted | float) -> Counted:
        self.tally.additions += 1
        return Counted(self.value + number(other), self.tally)

    __radd__ = __add__

    def __sub__(self, other: Counted | float) -> Counted:
        self.tally.additions += 1
        return Counted(self.value - number(other), self.tally)

    def __rsub__(self, other: float) -> Counted:
        self.tally.additions += 1
        return Counted(other - self.value, self.tally)

    def __mul__(self, other: Counted | float) -> Counted:
        self.tally.multiplications += 1
        return Counted(self.value * number(other), self.tally)

    __rmul__ = __mul__

    def __truediv__(self, other: Counted | float) -> Counted:
        self.tally.divisions += 1
        return Counted(self.value / number(other), self.tally)

    def __rtruediv__(self, other: float) -> Counted:
        self.tally.divisions += 1
        return Counted(other / self.value, self.tally)


def number(value: Counted | float) -> float:
    """Return the plain number."""
    return value.value if isinstance(value, Counted) else value


def _function(plain: Callable[[float], float]) -> Callable[[Counted], Counted]:
    def apply(value: Counted) -> Counted:
        value.tally.functions += 1
        return Counted(float(plain(value.value)), value.tally)

    return apply


def _clamp(value: Counted, lower: Any, upper: Any) -> Counted:
    value.tally.functions += 1
    return Counted(min(max(value.value, number(lower)), number(upper)), value.tally)


ELEMENTARY: dict[str, Callable[..., Any]] = {
    name: _function(getattr(np, name)) for name in ("sin", "cos", "sqrt", "tanh")
}
ELEMENTARY["clamp"] = _clamp
ELEMENTARY["above"] = lambda value, lower: _clamp(value, lower, np.inf)
ELEMENTARY["step"] = _function(lambda value: value > 0.0)


def count(kernel: Any, arrays: Arrays, *arguments: np.ndarray) -> Tally:
    """Run `kernel` on float `arrays` with a counting number; the last argument receives its results."""
    tally = Tally()

    def counted(value: float) -> Counted:
        return Counted(value, tally)

    model = object_arrays(arrays, counted)
    work = workspace(arrays, object)._replace(zero=counted(0.0))
    for array in work:
        if isinstance(array, np.ndarray) and array.dtype == object and array.base is None:  # views follow
            array[...] = objects(array, counted)
    inputs = [objects(argument, counted) for argument in arguments]
    retarget(kernel, ELEMENTARY)(model, work, *inputs)
    out = arguments[-1]
    out[...] = np.array([number(value) for value in inputs[-1].flat]).reshape(out.shape)
    return tally
