"""A kernel as machine code against the Python it is written in."""

from collections.abc import Callable
from typing import Any

import numpy as np

ROUNDING = 4e-15  # of sums that machine code fuses, relative to the number


def agrees(kernel: Any, *arguments: Any, rounding: float = 0.0) -> Any:
    """Run a kernel both ways; results and arrays must be equal, signs of zero and NaN too. The result.

    `arguments`, or a function that makes them each time anew where arrays share memory or have gaps.
    """
    make: Callable[[], tuple] = (
        arguments[0] if arguments and callable(arguments[0]) else lambda: tuple(map(_copy, arguments))
    )
    mine, theirs = make(), make()
    expected = kernel.as_python(*theirs)
    found = kernel(*mine)
    _equal(found, expected, rounding)
    for one, other in zip(mine, theirs, strict=True):
        if isinstance(one, np.ndarray):
            _equal(one, other, rounding)
    return found


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _equal(found: Any, expected: Any, rounding: float) -> None:
    assert (found is None) == (expected is None), (found, expected)
    if expected is None:
        return
    found, expected = np.asarray(found), np.asarray(expected)
    if expected.dtype.kind in "fc":
        for part in ("real", "imag"):
            one, other = getattr(found, part), getattr(expected, part)
            np.testing.assert_allclose(one, other, rtol=rounding, atol=rounding)
            if not rounding:
                np.testing.assert_array_equal(np.signbit(one), np.signbit(other))
    else:
        np.testing.assert_array_equal(found, expected)
