"""CasADi symbols as a number type.

A Symbol is a scalar SX with the arithmetic that kernels use. It calls CasADi's scalar operations directly,
which takes a tenth of the time of the matrix operators, and leaves exact zeros and ones out of the
expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi
import numpy as np

Scalar = Any  # a float or a Symbol

_binary, _unary = casadi.SX.binary, casadi.SX.unary


class Symbol:
    """A scalar expression; mixed with floats, it stays a float wherever the value is zero by structure."""

    __slots__ = ("sx",)
    __array_ufunc__ = None

    def __init__(self, sx: Any) -> None:
        self.sx = sx

    def __neg__(self) -> Symbol:
        return Symbol(_unary(casadi.OP_NEG, self.sx))

    def __add__(self, other: Scalar) -> Symbol:
        if type(other) is float and other == 0.0:
            return self
        return Symbol(_binary(casadi.OP_ADD, self.sx, expression(other)))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Symbol:
        if type(other) is float and other == 0.0:
            return self
        return Symbol(_binary(casadi.OP_SUB, self.sx, expression(other)))

    def __rsub__(self, other: Scalar) -> Symbol:
        if other == 0.0:
            return -self
        return Symbol(_binary(casadi.OP_SUB, expression(other), self.sx))

    def __mul__(self, other: Scalar) -> Scalar:
        if type(other) is float:
            if other == 0.0:
                return 0.0
            if other == 1.0:
                return self
        return Symbol(_binary(casadi.OP_MUL, self.sx, expression(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Symbol:
        return Symbol(_binary(casadi.OP_DIV, self.sx, expression(other)))

    def __pow__(self, power: float) -> Symbol:
        return Symbol(_binary(casadi.OP_POW, self.sx, casadi.SX(power)))

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return 0.0 if other == 0.0 else Symbol(_binary(casadi.OP_DIV, expression(other), self.sx))


def expression(value: Scalar) -> Any:
    """Return a float or a Symbol as a scalar SX."""
    return value.sx if type(value) is Symbol else casadi.SX(value)


def _function(code: int, plain: Callable[[float], float]) -> Callable[[Scalar], Scalar]:
    def apply(value: Scalar) -> Scalar:
        return Symbol(_unary(code, value.sx)) if type(value) is Symbol else float(plain(value))

    return apply


def _clamp(value: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    if not any(type(x) is Symbol for x in (value, lower, upper)):
        return min(max(value, lower), upper)
    above = _binary(casadi.OP_FMAX, expression(value), expression(lower))
    return Symbol(_binary(casadi.OP_FMIN, above, expression(upper)))


def _step(value: Scalar) -> Scalar:
    return Symbol(_binary(casadi.OP_LT, casadi.SX(0.0), value.sx)) if type(value) is Symbol else float(value > 0)


ELEMENTARY: dict[str, Callable[..., Any]] = {
    "step": _step,
    "clamp": _clamp,
    "sqrt": _function(casadi.OP_SQRT, np.sqrt),
    "sin": _function(casadi.OP_SIN, np.sin),
    "cos": _function(casadi.OP_COS, np.cos),
    "tanh": _function(casadi.OP_TANH, np.tanh),
}


def symbols(sx: Any) -> np.ndarray:
    """Return a column of SX as an object array of Symbols."""
    out = np.empty(sx.numel(), object)
    for k in range(out.size):
        out[k] = Symbol(sx[k])
    return out


def matrix_of(values: np.ndarray) -> Any:
    """Return an object array (n,) or (n, m) of floats and Symbols as an SX of that shape, zeros dense."""
    rows = values[:, None] if values.ndim == 1 else values
    if rows.size == 0:
        return casadi.SX(*rows.shape)
    columns = [casadi.vertcat(*map(expression, column)) for column in rows.T]
    return casadi.densify(casadi.horzcat(*columns))
