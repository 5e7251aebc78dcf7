"""The compiled forms of `kernel.elementary`."""

from __future__ import annotations

from math import tan
from math import tanh as real_tanh

from numba.core import types
from numba.extending import overload

from lissom.kernel.elementary import of_several, tanh, worst
from lissom.kernel.machine.jit import FASTMATH


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


@overload(worst)
def _compiled_worst(x):
    return (lambda x: x) if isinstance(x, types.Float) else None


@overload(of_several)
def _compiled_of_several(x):
    return (lambda x: False) if isinstance(x, types.Float | types.Complex) else None
