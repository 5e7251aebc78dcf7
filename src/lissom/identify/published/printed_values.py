"""Printed numbers: what a table of a paper says, with its rounding as its tolerance.

>>> PrintedValue.read("113.50")     # 113.5, give or take half a unit of the last printed digit
>>> PrintedValue.read("> 0.02")     # a bound: what is drawn apart, or said to be larger
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from lissom.errors import IdentifyError

BOUND = re.compile(r"^\s*([<>])\s*(.+)$")
UNIFORM = np.sqrt(3.0)  # half width of a uniform distribution over its standard deviation


@dataclass(frozen=True)
class PrintedValue:
    """A number as printed, in the unit it is printed in."""

    text: str
    value: float
    half: float  # half a unit of the last digit: what rounding hides
    side: str = ""  # ">" or "<" where the text is a bound

    @classmethod
    def read(cls, text: str | float) -> PrintedValue:
        """Read a number with the digits that it is printed with; trailing zeros count in a text, as in "113.50"."""
        shown = str(text)
        bound = BOUND.match(shown)
        side, digits = bound.groups() if bound else ("", shown)
        try:
            number = Decimal(digits.strip())
            exponent = number.as_tuple().exponent
        except InvalidOperation:
            exponent = "n"
        if not isinstance(exponent, int):
            remedy = "write it as it is printed, '113.50', or as a bound, '> 0.02'"
            raise IdentifyError(f"is no printed number; {remedy}", (), text)
        return cls(shown, float(number), 0.5 * 10.0**exponent, side)

    @property
    def deviation(self) -> float:
        """Standard deviation of what rounding hides: a uniform distribution."""
        return self.half / UNIFORM

    def miss(self, found: float) -> float:
        """Return found less printed; zero inside a bound."""
        error = found - self.value
        if self.side == ">":
            return min(error, 0.0)
        return max(error, 0.0) if self.side == "<" else error

    def met_by(self, found: float) -> bool:
        """Return whether a value rounds to what is printed, within a thousandth of the last digit."""
        return abs(self.miss(found)) <= 1.002 * self.half
