"""Values that a block of a scenario gives by joint, and columns of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic_core import PydanticCustomError

from lissom.model.schema.base_model import refusals
from lissom.model.schema.number_fields import Checked, Number, kind_of, refusal
from lissom.model.schema.written_forms import TEXT, Schema, SchemaOf, named, several, union

One = float | tuple[float, ...]
Values = One | dict[str, One]


@dataclass(frozen=True)
class ByJoint(Checked):
    """One number for all, a list with one per coordinate, or {joint: number or list}."""

    number: Number

    @property
    def remedy(self) -> str:
        """What to write instead."""
        return f"{self.number.remedy}, as {{joint: value}} or one for each coordinate"

    def check(self, value: Any) -> Values:
        """Return the numbers, or refuse what is none."""
        if not isinstance(value, dict):
            return self._one(value)
        found: dict[str, One] = {}
        problems = []
        for joint, inner in value.items():
            try:
                found[joint] = self._one(inner)
            except PydanticCustomError as error:
                problems.append(((joint,), inner, error.message()))
        if problems:
            raise refusals(*problems)
        if not found:
            raise refusal(f"is empty; {self.remedy}")
        return found

    def _one_schema(self, of: SchemaOf) -> Schema:
        number = self.number.schema(of)
        return number if self.number.each else union(number, several(number, least=1))

    def _one(self, value: Any) -> One:
        if not isinstance(value, list | tuple | np.ndarray):
            return self.number.check_one(value)
        if len(value) == 0:
            raise refusal(f"is an empty list; {self.remedy}")
        return tuple(self.number.check_one(each) for each in value)

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union(self._one_schema(of), named(self._one_schema(of)))


Columns = str | int | tuple[str | int, ...] | dict[str, str | int | tuple[str | int, ...]]

_COLUMN = union(TEXT, {"type": "integer", "minimum": 0})
_COLUMNS = union(_COLUMN, several(_COLUMN), named(union(_COLUMN, several(_COLUMN))))


@dataclass(frozen=True)
class Column(Checked):
    """A column of a table by name or number; with `each`, several in a list or {joint: column or list}."""

    meaning: str
    each: bool = False

    @property
    def remedy(self) -> str:
        """What to write instead."""
        return f"give {self.meaning}, by name or by number from 0"

    def check(self, value: Any) -> Any:
        """Return the columns, or refuse what is none."""
        if self.each and isinstance(value, dict):
            return {joint: self._several(inner) for joint, inner in value.items()}
        return self._several(value)

    def _several(self, value: Any) -> Any:
        if self.each and isinstance(value, list | tuple):
            return tuple(self._one(each) for each in value)
        return self._one(value)

    def _one(self, value: Any) -> str | int:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise refusal(f"must be a name or a whole number, not {kind_of(value)}; {self.remedy}")
        if isinstance(value, int) and value < 0:
            raise refusal(f"must not be negative; {self.remedy}")
        return value

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return _COLUMNS if self.each else _COLUMN
