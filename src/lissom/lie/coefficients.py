"""Scalar functions behind the closed forms of exp and its Jacobians, as functions of x = theta^2.

All of them are even in theta, hence analytic in x: no square root is felt at x = 0, and a complex x (complex
step) is as good as a real one. For |x| < 1 the power series replaces a closed form that loses digits.
"""

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

_TERMS = 10  # for |x| < 1: the first term that is left out is below 1/21! = 2e-20
_EVEN_BERNOULLI = (
    1 / 6,
    1 / 30,
    1 / 42,
    1 / 30,
    5 / 66,
    691 / 2730,
    7 / 6,
    3617 / 510,
    43867 / 798,
    174611 / 330,
)  # |B_2|, |B_4|, ...

_SINE = [(-1) ** k / factorial(2 * k + 1) for k in range(_TERMS)]
_SINE_REST = [(-1) ** k / factorial(2 * k + 3) for k in range(_TERMS)]
_VERSINE_SLOPE = [2 * k * (-1) ** k / factorial(2 * k + 2) for k in range(1, _TERMS + 1)]
_SINE_REST_SLOPE = [2 * k * (-1) ** k / factorial(2 * k + 3) for k in range(1, _TERMS + 1)]
_COTANGENT_REST = [b / factorial(2 * k) for k, b in enumerate(_EVEN_BERNOULLI, start=1)]


def sine(x: ArrayLike) -> Array:
    """Return sin(theta) / theta; 1 at zero."""
    x, small, far = _split(x)
    theta = np.sqrt(far)
    return np.where(small, _polynomial(_SINE, x), np.sin(theta) / theta)


def versine(x: ArrayLike) -> Array:
    """Return (1 - cos(theta)) / theta^2 = 1/2 (sin(theta/2) / (theta/2))^2; 1/2 at zero."""
    return 0.5 * sine(np.asarray(x) / 4) ** 2


def sine_rest(x: ArrayLike) -> Array:
    """Return (theta - sin(theta)) / theta^3; 1/6 at zero."""
    x, small, far = _split(x)
    return np.where(small, _polynomial(_SINE_REST, x), (1 - sine(far)) / far)


def versine_slope(x: ArrayLike) -> Array:
    """Return (1/theta) d/dtheta of `versine`; -1/12 at zero."""
    x, small, far = _split(x)
    return np.where(small, _polynomial(_VERSINE_SLOPE, x), (sine(far) - 2 * versine(far)) / far)


def sine_rest_slope(x: ArrayLike) -> Array:
    """Return (1/theta) d/dtheta of `sine_rest`; -1/60 at zero."""
    x, small, far = _split(x)
    return np.where(small, _polynomial(_SINE_REST_SLOPE, x), (versine(far) - 3 * sine_rest(far)) / far)


def cotangent_rest(x: ArrayLike) -> Array:
    """Return (1 - (theta/2) cot(theta/2)) / theta^2; 1/12 at zero, infinite at theta = 2 pi."""
    x, small, far = _split(x)
    half = np.sqrt(far) / 2
    return np.where(small, _polynomial(_COTANGENT_REST, x), (1 - half * np.cos(half) / np.sin(half)) / far)


def as_inexact(w: ArrayLike) -> Array:
    """Return w as an array of float64 or, if it is complex, complex128."""
    w = np.asarray(w)
    return w.astype(np.result_type(w.dtype, float), copy=False)


def _split(x: ArrayLike) -> tuple[Array, Array, Array]:
    """Return x as an array, where it is small, and a copy that is harmless (1) there."""
    x = np.asarray(x)
    small = np.abs(x) < 1
    return x, small, np.where(small, 1.0, x)


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Evaluate by Horner's rule; at 0 where the series is not meant to be used, so that nothing overflows."""
    x = np.where(np.abs(x) < 1, x, 0.0)
    value = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value
