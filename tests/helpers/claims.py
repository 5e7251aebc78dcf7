"""Claims: assertions with a number, gathered for the verification book (`make verification`).

A claim is named by its test: `test_forward_dynamics_equals_pinocchio` claims that forward dynamics equals Pinocchio.
What a test marked `xfail` finds is no claim but a known limit, and has a chapter of its own.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

known_limit: str | None = None  # why the running test is expected to fail


def claim(error: float, tolerance: float, unit: str = "", case: dict[str, str] | None = None) -> None:
    """Assert that `error` is at most `tolerance` (relative, unless in a unit); note both where LISSOM_CLAIMS says.

    A `case` with its `source`, what is `expected` and what is `found` has a row of its own in the book.
    """
    error, tolerance = float(error), float(tolerance)
    file = os.environ.get("LISSOM_CLAIMS")
    if file:
        test = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
        line = {"test": test, "error": error, "tolerance": tolerance, "unit": unit, "limit": known_limit, "row": case}
        with Path(file).open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
    assert error <= tolerance, f"{error:.3g} {unit}, but at most {tolerance:.3g} is allowed"


def claim_equal(value, expected, relative: float) -> None:
    """Claim that arrays are equal within `relative` of the largest expected entry."""
    size, error = np.abs(expected).max(initial=0.0), np.abs(value - expected).max(initial=0.0)
    claim(error / size if size > 0 else error, relative)


def claim_close(value, expected, relative: float) -> None:
    """Claim that every entry is right within `relative` of itself."""
    value, expected = np.ravel(value), np.ravel(expected)
    assert value.size == expected.size
    claim(np.abs(value / expected - 1).max(), relative)
