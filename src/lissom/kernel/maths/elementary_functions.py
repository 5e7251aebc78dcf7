"""Elementary functions that kernels call, right for every number type.

`kernel.numbers.rebind` puts those of another number type in their place; machine code has those of
`compile/translate/prelude.h`. Its `tanh` of a complex number is no quotient of exponentials, which would overflow
beyond a real part of 355 and make the derivative NaN exactly where the function has long settled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import cos, sin, sqrt

from lissom.kernel.compile import inline

__all__ = ["above", "clamp", "cos", "of_several", "since", "sin", "sqrt", "step", "tanh", "worst"]

ENDLESS = 1e300  # beyond every number of a state


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent; with its derivatives it is finite for every finite number."""
    return np.tanh(x)


def worst(x: Any) -> Any:
    """Return the number itself; of one that stands for several runs the largest: what is decided for all."""
    return x


def since(t: Any, begin: Any, later: Any, before: Any) -> Any:
    """Return `later` from the time `begin` on, else `before`; each run by itself where numbers stand for several."""
    return later if t >= begin else before


def of_several(x: Any) -> bool:
    """Return whether a number stands for several states: it fills a vector register, so that rows need not."""
    return False


@inline
def clamp(x, lower, upper):
    """Return `x` within its limits.

    Beyond them, and at the upper one, its derivative is zero: ranges that meet share none.
    """
    zero = 0.0 * x  # gives the limits the number type of x
    if x.real >= upper.real:
        return upper + zero
    if x.real < lower.real:
        return lower + zero
    return x + zero


@inline
def above(x, lower):
    """Return `x`, or `lower` where x is below it."""
    return clamp(x, lower, ENDLESS)


@inline
def step(x):
    """Return 1 where `x` is positive, else 0; its derivative is zero."""
    zero = 0.0 * x
    return 1.0 + zero if x.real > 0.0 else zero
