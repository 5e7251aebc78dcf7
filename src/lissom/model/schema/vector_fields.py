"""Vectors, axes and tensors of a robot description: their parts checked, and what to say if one is wrong."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom.model.schema.number_fields import Checked, Number, is_number, kind_of, refusal
from lissom.model.schema.written_forms import Schema, SchemaOf, several, union

Vec2 = tuple[float, float]
NAMED_AXIS = r"^[-+]?[xyz]$"

Vec3 = tuple[float, float, float]
Matrix3 = tuple[Vec3, Vec3, Vec3]


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

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return several(self.component.schema(of), 3, 3)


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

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return several(Number(self.meaning, self.unit).schema(of), 2, 2)


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
        lists = (list, tuple, np.ndarray)
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

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return several(several(Number(self.meaning).schema(of), 6, 6), 6, 6)


@dataclass(frozen=True)
class Axis(Vector):
    """A direction: three numbers, stored with unit length; or one of the axes by its name, such as z or -y."""

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"{super().remedy}, or as x, y, z or -z"

    def check(self, value: Any) -> Vec3:
        """Return the value as it is kept, or refuse it."""
        if isinstance(value, str) and re.fullmatch(NAMED_AXIS, value):
            size = -1.0 if value[0] == "-" else 1.0
            x, y, z = (size if name == value[-1] else 0.0 for name in "xyz")
            return x, y, z
        x, y, z = super().check(value)
        length = math.hypot(x, y, z)
        if length < 1e-12:
            raise refusal(f"has zero length; {self.remedy}, e.g. [0, 0, 1]")
        if abs(length - 1) < 1e-15:  # unit already: dividing again would change the last digit
            return x, y, z
        return x / length, y / length, z / length

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union(super().schema(of), {"type": "string", "pattern": NAMED_AXIS})


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

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        number = Number("a moment", "kg m2").schema(of)
        named = {"type": "object", "required": ["xx", "yy", "zz"], "additionalProperties": False}
        named["properties"] = dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), number)
        return union(several(number, 3, 3), several(several(number, 3, 3), 3, 3), named)


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
