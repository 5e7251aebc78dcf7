"""A kernel as machine code against the Python it is written in, and what the translator refuses."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lissom.kernel.compile import kernel as marked
from lissom.kernel.compile.argument_kinds import kinds
from lissom.kernel.compile.translate import Catalogue, Refused, Unit

ROUNDING = 4e-15  # of sums that machine code fuses, relative to the number


class Cases(list):
    """Parameters of a test, noted by the decorators of the functions that it is about."""

    def odd(self, *arguments: Any) -> Callable[[Callable], Callable]:
        """A kernel that must agree with Python; `arguments`, or a function that makes them."""
        return self._note(lambda function: (marked(function), arguments))

    def refused(self, said: str, *arguments: Any, statement: str | None = None) -> Callable[[Callable], Callable]:
        """A function that must be refused for such arguments with a message like `said`."""
        return self._note(lambda function: (function, arguments, said, statement))

    def _note(self, of: Callable[[Callable], tuple]) -> Callable[[Callable], Callable]:
        def note(function: Callable) -> Callable:
            self.append(pytest.param(*of(function), id=function.__name__))
            return function

        return note


def refused_by_place(function: Callable, arguments: tuple, said: str, statement: str | None) -> None:
    """The message tells file, line and name of the function at fault, and its statement."""
    with pytest.raises(Refused) as found:
        Unit(marked(function), kinds(arguments), Catalogue({}))
    text, code = str(found.value), function.__code__
    assert re.search(said, text), text
    file = re.escape(Path(code.co_filename).name)
    assert re.match(rf"{file}:\d+, \w+: ", text), text
    if place := re.match(rf"{file}:(\d+), {function.__name__}: ", text):
        first = code.co_firstlineno
        assert first <= int(place[1]) < first + len(inspect.getsource(function).splitlines())
    if statement:
        assert text.endswith(f": {statement}")


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
