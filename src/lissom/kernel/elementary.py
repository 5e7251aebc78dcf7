"""Elementary functions that kernels call, right for every number type.

`kernel.retarget` puts those of another number type in their place. `sin` and `cos` are NumPy's. `tanh` is not: the
compiled one of a complex number is a quotient of exponentials, which overflows beyond a real part of 355 and makes the
derivative NaN exactly where the function has long settled.
"""

from __future__ import annotations

from math import tan
from math import tanh as real_tanh
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numpy import cos, sin

from lissom.kernel.jit import FASTMATH, inline

__all__ = ["clamp", "cos", "sin", "tanh"]


def tanh(x: Any) -> Any:
    """Hyperbolic tangent; with its derivatives it is finite for every finite number."""
    return np.tanh(x)


@overload(tanh, jit_options={"fastmath": FASTMATH, "error_model": "numpy"})
def _compiled_tanh(x):
    if not isinstance(x, types.Complex):
        return lambda x: real_tanh(x)

    def saturating(x):
        # tanh(a + i b) = (t + i s) / (1 + i t s) with t = tanh a, s = tan b
        t = real_tanh(x.real)
        s = tan(x.imag)
        scale = 1.0 / (1.0 + t * t * s * s)
        return complex(t * (1.0 + s * s) * scale, s * (1.0 - t) * (1.0 + t) * scale)

    return saturating


@inline
def clamp(x, lower, upper):
    """`x` within its limits; beyond them its derivative is zero."""
    zero = 0.0 * x  # gives the limits the number type of x
    if x.real > upper.real:
        return upper + zero
    if x.real < lower.real:
        return lower + zero
    return x + zero
