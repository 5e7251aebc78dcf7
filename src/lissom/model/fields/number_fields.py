"""Numbers of a robot description: what each means, its unit, its range, and what to say if it is wrong.

A field is annotated as `Annotated[float, Number("the length of the beam", "metres", above=0)]`. This checks
the value (finite, in range, really a number) and words the error, so that a message carries the remedy.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

import numpy as np
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from lissom.model.fields import units

Vec2 = tuple[float, float]
Vec3 = tuple[float, float, float]
Matrix3 = tuple[Vec3, Vec3, Vec3]
# Beyond these in SI units nothing is built, and products and powers of such numbers would leave the range of floats.
LARGEST, SMALLEST = 1e20, 1e-40
# Beside a longer lever arm the inertia of ordinary links is lost in rounding.
LARGEST_IN = {"metres": 1e5, "1/m": 1e3, "rad/m": 1e3}
PerCoordinate = float | tuple[float, ...]


class Quantity(float):
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
    return not isinstance(number, Quantity) and abs(number) > 2 * math.pi and round(number, 2) == number


def degrees_text(value: float) -> str:
    """Return the question about an angle that looks like degrees."""
    return f"is more than one turn, as angles are in radians; for degrees write {value:g} deg (in Python np.radians)"


def wrong_kind(value: Any, unit: units.JointUnit, moved: Sequence[str]) -> str:
    """Return what is wrong with the units in which numbers about a joint were written; "" if nothing is.

    Args:
        value: one number for all its coordinates, or one each.
        moved: what its coordinates are in, each "rad" or "m".
    """
    several = isinstance(value, tuple | list)
    for k, one in enumerate(value if several else (value,)):
        for each in moved[k : k + 1] if several else moved:
            if isinstance(one, Quantity) and not units.fits(one.unit, unit.of(each)):
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

    def check_one(self, value: Any) -> float:
        """Return one number as it is kept, or refuse it."""
        written = None
        if isinstance(value, str):
            value, written = self._in_si(value)
        elif isinstance(value, Quantity):
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
        return number if written is None or isinstance(self.unit, str) else Quantity(number, written)

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


@dataclass(frozen=True)
class Vector(Checked):
    """A list of three finite numbers."""

    meaning: str
    unit: str = ""
    component: Number = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "component", Number(f"three numbers for {self.meaning}", self.unit))

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"give {self.meaning} as [x, y, z]" + (f" in {self.unit}" if self.unit else "")

    def check(self, value: Any) -> Vec3:
        """Return the value as it is kept, or refuse it."""
        if not isinstance(value, list | tuple | np.ndarray):
            raise refusal(f"must be a list of three numbers, not {kind_of(value)}; {self.remedy}")
        if len(value) != 3:
            raise refusal(f"must be a list of three numbers, not of {len(value)}; {self.remedy}")
        x, y, z = (self.component.check_one(v) for v in value)
        return x, y, z


@dataclass(frozen=True)
class Pair(Checked):
    """A list of two finite numbers: a place (y, z) in a section."""

    meaning: str
    unit: str = "metres"

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"give {self.meaning} as [y, z] in {self.unit}"

    def check(self, value: Any) -> Vec2:
        """Return the value as it is kept, or refuse it."""
        if not isinstance(value, list | tuple | np.ndarray) or len(value) != 2:
            raise refusal(f"must be a list of two numbers, not {kind_of(value)}{_size(value)}; {self.remedy}")
        number = Number(f"two numbers for {self.meaning}", self.unit)
        y, z = (number.check_one(v) for v in value)
        return y, z


@dataclass(frozen=True)
class Matrix6(Checked):
    """A symmetric positive 6 x 6 matrix of a section: six rows of six numbers."""

    meaning: str
    order: str

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"give {self.meaning} as six rows of six numbers in the order {self.order}"

    def check(self, value: Any) -> tuple[tuple[float, ...], ...]:
        """Return the value as it is kept, or refuse it."""
        lists = list | tuple | np.ndarray
        if not isinstance(value, lists) or len(value) != 6:
            raise refusal(f"must be six rows, not {kind_of(value)}{_size(value)}; {self.remedy}")
        for k, row in enumerate(value):
            if not isinstance(row, lists) or len(row) != 6:
                raise refusal(f"row {k + 1} must have six numbers, not be {kind_of(row)}{_size(row)}; {self.remedy}")
        number = Number(f"a number of {self.meaning}").check_one
        rows = tuple(tuple(number(entry) for entry in row) for row in value)
        matrix = np.array(rows)
        scale = np.sqrt(np.abs(np.diag(matrix)))
        if not np.all(np.diag(matrix) > 0):
            k = int(np.flatnonzero(np.diag(matrix) <= 0)[0])
            raise refusal(f"entry {k + 1} of its diagonal must be positive; {self.remedy}")
        scaled = matrix / np.outer(scale, scale)
        if not np.allclose(scaled, scaled.T, rtol=0, atol=1e-6):
            i, j = np.unravel_index(int(np.argmax(np.abs(scaled - scaled.T))), (6, 6))
            raise refusal(
                f"must be symmetric, but entries ({i + 1}, {j + 1}) and ({j + 1}, {i + 1}) differ; {self.remedy}"
            )
        if np.linalg.eigvalsh((scaled + scaled.T) / 2).min() <= 1e-12:
            raise refusal(f"must be positive definite; check its signs, its order and its units: {self.remedy}")
        return rows


@dataclass(frozen=True)
class Axis(Vector):
    """A direction: three numbers, stored with unit length."""

    def check(self, value: Any) -> Vec3:
        """Return the value as it is kept, or refuse it."""
        x, y, z = super().check(value)
        length = math.hypot(x, y, z)
        if length < 1e-12:
            raise refusal(f"has zero length; {self.remedy}, e.g. [0, 0, 1]")
        if abs(length - 1) < 1e-15:  # unit already: dividing again would change the last digit
            return x, y, z
        return x / length, y / length, z / length


@dataclass(frozen=True)
class InertiaTensor(Checked):
    """Inertia about the centre of mass: three principal values, six named components, or a 3 x 3 matrix."""

    real: bool = True  # whether some body must have it
    remedy: str = (
        "give the inertia about the centre of mass in kg m2 as [xx, yy, zz], "
        "as {xx, yy, zz, xy, xz, yz} or as a symmetric 3 x 3 matrix"
    )

    def check(self, value: Any) -> Matrix3:
        """Return the value as it is kept, or refuse it."""
        number = Number("the inertia about the centre of mass", "kg m2").check_one
        if isinstance(value, dict):
            unknown = sorted(str(k) for k in value if k not in ("xx", "yy", "zz", "xy", "xz", "yz"))
            missing = [k for k in ("xx", "yy", "zz") if k not in value]
            if unknown or missing:
                problem = f"unknown component {unknown[0]!r}" if unknown else f"component {missing[0]!r} is missing"
                raise refusal(f"{problem}; {self.remedy}")
            xx, yy, zz, xy, xz, yz = (number(value.get(k, 0.0)) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
            matrix: Matrix3 = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        elif isinstance(value, list | tuple | np.ndarray) and len(value) == 3:
            if all(is_number(v) or isinstance(v, str) for v in value):
                xx, yy, zz = (number(v) for v in value)
                matrix = ((xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz))
            elif all(isinstance(v, list | tuple | np.ndarray) and len(v) == 3 for v in value):
                a, b, c = (tuple(number(x) for x in row) for row in value)
                matrix = (a, b, c)  # type: ignore[assignment]
            else:
                raise refusal(f"must be three numbers or three rows of three; {self.remedy}")
        elif isinstance(value, list | tuple) and len(value) == 6:
            raise refusal(f"six values in a list have no agreed order; name them: {self.remedy}")
        else:
            raise refusal(f"must not be {kind_of(value)}{_size(value)}; {self.remedy}")
        return _physical(matrix, self.real)


def _size(value: Any) -> str:
    return f" of {len(value)}" if isinstance(value, list | tuple | np.ndarray) else ""


def _physical(matrix: Matrix3, real: bool) -> Matrix3:
    """Refuse a matrix that is not positive, and where it must be `real`, one that no mass distribution has."""
    inertia = np.array(matrix)
    scale = float(np.abs(inertia).max())
    if scale == 0.0:
        return matrix
    if not np.allclose(inertia, inertia.T, rtol=0, atol=1e-9 * scale):
        raise refusal("must be symmetric; give the same value for xy and yx, xz and zx, yz and zy")
    smallest = np.linalg.eigvalsh(inertia / scale)[0]
    if smallest < -1e-9:
        raise refusal(
            f"has a negative principal moment ({smallest * scale:.3g} kg m2); "
            "check the signs: every principal moment of a body is positive"
        )
    if real and (text := unreal(matrix)):
        raise refusal(f"{text}; no body has such an inertia, check the numbers")
    return matrix


def unreal(matrix: Any) -> str:
    """Return why no body has an inertia (3, 3); "" where one has, a thousandth left for rounded numbers."""
    smallest, middle, largest = np.linalg.eigvalsh(np.real(np.array(matrix)))
    if smallest + middle >= (1 - 1e-3) * largest:
        return ""
    return f"violates the triangle inequality ({smallest:.4g} + {middle:.4g} < {largest:.4g}, principal moments)"
