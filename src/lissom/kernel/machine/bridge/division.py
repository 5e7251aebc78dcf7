"""Division of complex numbers as of real ones: by zero it gives NaN, and is never an exception.

Numba's raises under every error model. Nobody can catch that in a kernel that others call by its address, and it would
end the process.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cpython.numbers import complex_div_impl
from numba.extending import lower_builtin

REAL = ir.DoubleType()


@lower_builtin(operator.truediv, types.complex128, types.complex128)
@lower_builtin(operator.itruediv, types.complex128, types.complex128)
def _divide(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """a / b by Smith's rule, which neither overflows nor underflows where the quotient does not."""
    if context.error_model.raise_on_fp_zero_division:  # a function of somebody else, who is promised an exception
        return complex_div_impl(context, builder, signature, arguments)
    a, b = (context.make_complex(builder, types.complex128, value) for value in arguments)
    size = builder.module.declare_intrinsic("llvm.fabs", [REAL])
    by_real = builder.fcmp_ordered(">=", builder.call(size, [b.real]), builder.call(size, [b.imag]))
    # with numbers turned by a quarter where the imaginary part of b is the larger one
    large, small = builder.select(by_real, b.real, b.imag), builder.select(by_real, b.imag, b.real)
    x, y = builder.select(by_real, a.real, a.imag), builder.select(by_real, a.imag, a.real)
    ratio = builder.fdiv(small, large)
    total = builder.fadd(large, builder.fmul(small, ratio))
    across = builder.fsub(y, builder.fmul(x, ratio))
    quotient = context.make_complex(builder, types.complex128)
    quotient.real = builder.fdiv(builder.fadd(x, builder.fmul(y, ratio)), total)
    quotient.imag = builder.fdiv(builder.select(by_real, across, builder.fneg(across)), total)
    return quotient._getvalue()
