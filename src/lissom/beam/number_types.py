"""The number types that run through the beam formulas, and the few checks that suit all of them.

A physical number may be complex: a tiny imaginary part carries a derivative (complex step). So formulas stay
analytic, and anything that chooses or compares looks at the real part alone.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from lissom.errors import LissomError

Number: TypeAlias = Any  # float or complex (also their numpy scalars)
Array: TypeAlias = np.ndarray
NEAR = 1e-6  # of the length, within which a place counts as another one, or as an end of the link


def positive(what: str, value: Number, zero_allowed: bool = False) -> Number:
    """Return `value` itself; an error that names it unless its real part is finite and positive."""
    if type(value) is float and 0.0 < value < np.inf:  # quick, and the rule
        return value
    real = np.real(value)
    if not np.isfinite(value) or real < 0 or (real == 0 and not zero_allowed):
        text = f"must be a finite {'number >= 0' if zero_allowed else 'number > 0'}"
        raise LissomError(text, what.split(), value)
    return value


def symmetric(matrix: Array) -> Array:
    """Return symmetric part over the last two axes (plain transpose: complex steps pass through)."""
    return (matrix + np.swapaxes(matrix, -1, -2)) / 2
