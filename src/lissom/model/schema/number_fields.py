"""Numbers of a robot description: what each means, its unit, its range, and what to say if it is wrong.

A field is annotated as `Annotated[float, Number("the length of the beam", "metres", above=0)]`. This checks
the value (finite, in range, really a number) and words the error, so that a message carries the remedy.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from lissom.model.schema import units
from lissom.model.schema.written_forms import QUANTITY, UNCERTAIN, Schema, SchemaOf, several, union

# Beyond these in SI units nothing is built, and products and powers of such numbers would leave the range of floats.
LARGEST, SMALLEST = 1e20, 1e-40
# Beside a longer lever arm the inertia of ordinary links is lost in rounding.
LARGEST_IN = {"metres": 1e5, "1/m": 1e3, "rad/m": 1e3}
PerCoordinate = float | tuple[float, ...]


class WrittenNumber(float):
    """A number in SI units that knows the unit in which it was written, until its joint is known."""

    unit: units.Unit

    def __new__(cls, value: float, unit: units.Unit) -> Self:
        """Make the number, with the unit in which it was written."""
        made = super().__new__(cls, value)
        made.unit = unit
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[float, units.Unit]]:
        return type(self), (float(self), self.unit)


def looks_like_degrees(value: Any) -> bool:
    """Return whether an angle in radians was likely meant in degrees: more than a turn, and a number that people write.

    Angles of several turns that are meant come from pi or from a unit, and have many digits: `720 deg` is no doubt.
    """
    number = value.real if isinstance(value, complex) else value
    return not isinstance(number, WrittenNumber) and abs(number) > 2 * math.pi and round(number, 2) == number


def degrees_text(value: float) -> str:
    """Return the question about an angle that looks like degrees."""
    return f"is more than one turn, as angles are in radians; for degrees write {value:g} deg (in Python np.radians)"


def wrong_kind(value: Any, unit: units.JointUnit, moved: Sequence[str]) -> str:
    """Return what is wrong with the units in which numbers about a joint were written; "" if nothing is.

    Parameters
    ----------
    value : any
        One number for all its coordinates, or one each.
    moved : sequence of str
        What its coordinates are in, each "rad" or "m".
    """
    several = isinstance(value, tuple | list)
    for k, one in enumerate(value if several else (value,)):
        for each in moved[k : k + 1] if several else moved:
            if isinstance(one, WrittenNumber) and not units.fits(one.unit, unit.of(each)):
                how = {"rad": "turns", "m": "slides"}.get(each, "is of a quaternion")
                wanted = unit.of(each) or "no unit"
                return f"has a unit of the wrong kind: the coordinate {how}, so this takes {wanted}"
    return ""


def refusal(text: str) -> PydanticCustomError:
    """Return the error a validator raises: plain words, shown to the user as they are."""
    return PydanticCustomError("robot", "{text}", {"text": text})


def kind_of(value: Any) -> str:
    """Return how a person would call the type of a value that was read from a file."""
    if value is None:
        return "an empty value"
    if isinstance(value, bool):
        return "true/false"
    if isinstance(value, str):
        return "text"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, Sequence | np.ndarray):
        return "a list"
    return "a number" if isinstance(value, Real) else type(value).__name__


def is_number(value: Any) -> bool:
    """Return whether a value is a number, which true and false are not."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _float(value: Any) -> float:
    """Return a number as a float; infinite where it is beyond floats, as whole numbers can be."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _hint(value: Any) -> str:
    """Return what is likely to have turned a number into text."""
    if not isinstance(value, str):
        return ""
    if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", value):
        return " (write a decimal point, not a comma)"
    if re.match(r"\s*[-+.\d][\d.eE+-]*\s*[^\d\s]", value):
        return " (its unit is not known; write one such as mm, deg, kN or GPa, or the number in SI units)"
    return ""


def is_optional(source: Any) -> bool:
    """Return whether an annotated type allows None."""
    return type(None) in getattr(source, "__args__", ())


class Checked(ABC):
    """What checks a field: `check` gives its value or refuses it in words; a field that may be left out may be null."""

    @abstractmethod
    def check(self, value: Any) -> Any:
        """Return the value of the field, from what a person wrote."""

    @abstractmethod
    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what `check` takes; `of` gives that of a type."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = core_schema.no_info_plain_validator_function(self.check)
        return core_schema.nullable_schema(schema) if is_optional(source) else schema


@dataclass(frozen=True)
class Number(Checked):
    """A finite real number with a meaning, a unit and a range.

    With `each`, one value or a list with one value per velocity coordinate of a joint.
    """

    meaning: str
    unit: str | units.JointUnit = ""
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    each: bool = False

    @property
    def remedy(self) -> str:
        """What to write instead, e.g. "give the length of the beam in metres"."""
        return f"give {self.meaning}" + (f" in {self.unit}" if self.unit else "")

    def check(self, value: Any) -> float | tuple[float, ...]:
        """Return the value as it is kept, or refuse it."""
        if self.each and isinstance(value, list | tuple | np.ndarray):
            if len(value) == 0:
                raise refusal(f"is an empty list; {self.remedy}")
            return tuple(self.check_one(v) for v in value)
        return self.check_one(value)

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        bounds = {
            "exclusiveMinimum": self.above,
            "minimum": self.at_least,
            "exclusiveMaximum": self.below,
            "maximum": self.at_most,
        }
        number = {"type": "number"} | {name: bound for name, bound in bounds.items() if bound is not None}
        one = union(number, QUANTITY if self.unit else UNCERTAIN)
        return union(one, several(one, least=1)) if self.each else one

    def check_one(self, value: Any) -> float:
        """Return one number as it is kept, or refuse it."""
        written = None
        if isinstance(value, str):
            value, written = self._in_si(value)
        elif isinstance(value, WrittenNumber):
            written = value.unit
        if not is_number(value):
            raise refusal(f"must be a number, not {kind_of(value)}{_hint(value)}; {self.remedy}")
        number = _float(value)
        if not math.isfinite(number):
            raise refusal(f"must be a finite number; {self.remedy}")
        largest = LARGEST_IN.get(self.unit, LARGEST) if isinstance(self.unit, str) else LARGEST
        if abs(number) > largest:
            raise refusal(f"is beyond any physical size (at most {largest:g}); {self.remedy}")
        if self.above == 0 and 0 < number < SMALLEST:
            raise refusal(f"is below any physical size (at least {SMALLEST:g}); {self.remedy}")
        if self.above is not None and number <= self.above:
            bound = "positive" if self.above == 0 else f"greater than {self.above:g}"
            raise refusal(f"must be {bound}; {self.remedy}")
        if self.at_least is not None and number < self.at_least:
            bound = "not be negative" if self.at_least == 0 else f"be at least {self.at_least:g}"
            raise refusal(f"must {bound}; {self.remedy}")
        if self.below is not None and number >= self.below:
            raise refusal(f"must be less than {self.below:g}; {self.remedy}")
        if self.at_most is not None and number > self.at_most:
            raise refusal(f"is beyond any sensible size (at most {self.at_most:g}); {self.remedy}")
        return number if written is None or isinstance(self.unit, str) else WrittenNumber(number, written)

    def _in_si(self, text: str) -> tuple[Any, units.Unit | None]:
        """Return the number of a quantity with a unit, such as "45 deg", and the unit; other text as it is."""
        found = units.quantity(text)
        if found is None:
            return text, None
        number, unit = found
        if not units.fits(unit, self.unit):
            wanted = f"a unit of {self.unit}" if units.kinds(self.unit) else "no unit"
            raise refusal(f"has a unit of the wrong kind: this takes {wanted}; {self.remedy}")
        return number * unit.size, unit


@dataclass(frozen=True)
class Share(Checked):
    """A part of a whole between 0 and 1, also in percent: 0.01 or 1 %."""

    meaning: str

    @property
    def remedy(self) -> str:
        """What to write instead."""
        return f"give {self.meaning}"

    def check(self, value: Any) -> float:
        """Return the share as a number, or refuse it."""
        found = re.fullmatch(r"\s*([\d.]+(?:[eE][-+]?\d+)?)\s*%\s*", value) if isinstance(value, str) else None
        part = Number(self.meaning, above=0, below=100 if found else 1)
        if found is None:
            return part.check_one(value)
        return part.check_one(_float(found.group(1))) / 100

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        number = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
        return union(number, {"type": "string", "pattern": r"^\s*[\d.]+([eE][-+]?\d+)?\s*%\s*$"})


@dataclass(frozen=True)
class Count(Checked):
    """A whole number of things, from `at_least` to `at_most`."""

    meaning: str
    at_most: int
    at_least: int = 0

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"give {self.meaning} as a whole number from {self.at_least} to {self.at_most}"

    def check(self, value: Any) -> int:
        """Return the value as it is kept, or refuse it."""
        if not is_number(value):
            raise refusal(f"must be a whole number, not {kind_of(value)}; {self.remedy}")
        if not math.isfinite(_float(value)) or value != int(value):
            raise refusal(f"must be a whole number; {self.remedy}")
        if value < self.at_least:
            raise refusal(f"{'must not be negative' if value < 0 else 'is too small'}; {self.remedy}")
        if value > self.at_most:
            raise refusal(f"is too large; {self.remedy}")
        return int(value)

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return {"type": "integer", "minimum": self.at_least, "maximum": self.at_most}


@dataclass(frozen=True)
class Flag(Checked):
    """True or false, and nothing that might be meant so."""

    meaning: str

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"say {self.meaning}: true or false"

    def check(self, value: Any) -> bool:
        """Return the value as it is kept, or refuse it."""
        if not isinstance(value, bool | np.bool_):
            raise refusal(f"must be true or false, not {kind_of(value)}; {self.remedy}")
        return bool(value)

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return {"type": "boolean"}
