"""Numbers that are known within a tolerance: `E: 210 GPa +- 3 %`, `thickness: 2 mm +- 0.1 mm`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lissom.model.schema import units
from lissom.model.schema.number_fields import Checked, is_number, kind_of, refusal
from lissom.model.schema.written_forms import Schema, SchemaOf, union

_INLINE = re.compile(r"\s*(.*?\S)\s*(?:\+-|\+/-|±)\s*(\S.*?)\s*")
_SHARE = re.compile(r"([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*%")
REMEDY = "write a share such as 3 %, or a number in the unit of its value such as 0.1 mm"


@dataclass(frozen=True)
class Tolerance(Checked):
    """By how much a number may be off: a share of it, or a number in its own unit."""

    remedy: str = REMEDY

    def check(self, value: Any) -> float | str:
        """Return the tolerance as it was written, or refuse what is none."""
        found = _SHARE.fullmatch(value.strip()) if isinstance(value, str) else None
        quantity = units.quantity(value) if isinstance(value, str) else None
        size = float(found.group(1)) if found else quantity[0] if quantity else value
        if not is_number(size):
            raise refusal(f"must be a tolerance, not {kind_of(value)}; {REMEDY}")
        if not 0 < float(size) < float("inf"):
            raise refusal(f"must be positive; {REMEDY}")
        return value.strip() if isinstance(value, str) else float(value)

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return union({"type": "number", "exclusiveMinimum": 0}, {"type": "string"})


def size_of(tolerance: float | str, value: float, unit: str) -> float:
    """Return a tolerance of a value with the given SI unit as a number in that unit; ValueError where it does not fit.

    tolerance : float or str
        As `Tolerance` keeps it.
    """
    if not isinstance(tolerance, str):
        return tolerance
    found = _SHARE.fullmatch(tolerance)
    if found:
        return float(found.group(1)) / 100 * abs(value)
    quantity = units.quantity(tolerance)
    if quantity is None or not units.fits(quantity[1], unit):
        raise ValueError(f"has a unit of the wrong kind: the number is in {unit or 'no unit'}; {REMEDY}")
    return quantity[0] * quantity[1].size


def without_tolerances(data: dict[str, Any]) -> dict[str, Any]:
    """Return the mapping of a robot file with inline tolerances in a block of their own, by path."""
    found: dict[str, str] = {}
    plain = {key: _strip(value, key, found) for key, value in data.items() if key != "tolerances"}
    if not found:
        return data
    own = data.get("tolerances")
    return plain | {"tolerances": found | (own if isinstance(own, dict) else {})}


def _strip(value: Any, path: str, found: dict[str, str]) -> Any:
    """Return a value without tolerances; `found` gets them by the path of the number."""
    if isinstance(value, dict):
        return {key: _strip(one, f"{path}.{key}", found) for key, one in value.items()}
    if isinstance(value, list):
        names = [one.get("name", k) if isinstance(one, dict) else k for k, one in enumerate(value)]
        return [_strip(one, f"{path}.{name}", found) for name, one in zip(names, value)]
    inline = _INLINE.fullmatch(value) if isinstance(value, str) else None
    if inline is None or not re.match(r"[-+.\d]", inline.group(1)):
        return value
    found[path] = inline.group(2)
    try:
        return float(inline.group(1))
    except ValueError:
        return inline.group(1)
