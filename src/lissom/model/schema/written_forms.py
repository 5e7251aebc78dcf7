"""How values may be written in a file, in the terms of JSON Schema; `json_schema` puts them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]
SchemaOf = Callable[[Any], Schema]  # gives the schema of a type

ANYTHING: Schema = {}
TEXT: Schema = {"type": "string"}
NULL: Schema = {"type": "null"}
NUMBER: Schema = {"type": "number"}
_NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*"
# A number and how well it is known, such as "0.33 +- 2 %"; with a unit, as "45 deg" or "2.1e11 N/m2 +- 3 %".
UNCERTAIN: Schema = {"type": "string", "pattern": rf"{_NUMBER}(\+-|\+/-|±).+$"}
QUANTITY: Schema = {"type": "string", "pattern": rf"{_NUMBER}([^\d\s.+-].*|(\+-|\+/-).+)$"}
# Numbers that another program wrote: the file and its format; sections may be turned and offset beside it.
FILE: Schema = {
    "type": "object",
    "required": ["file", "format"],
    "properties": {"file": TEXT, "format": TEXT, "turn": ANYTHING, "offset": ANYTHING},
    "additionalProperties": False,
}


@dataclass(frozen=True, eq=False)  # marks are kept in sets
class AlsoWritten:
    """Mark of a field that may be written in another way too, a schema or a type, which a validator takes."""

    form: Any


def union(*schemas: Schema) -> Schema:
    """Return the schema of what fits one of several, flat and without repetition."""
    flat: list[Schema] = []
    for schema in schemas:
        inside = schema["anyOf"] if set(schema) == {"anyOf"} else [schema]
        flat += [each for each in inside if each not in flat]
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def several(schema: Schema, least: int = 0, most: int | None = None) -> Schema:
    """Return the schema of a list whose entries fit one."""
    found: Schema = {"type": "array", "items": schema}
    return found | ({"minItems": least} if least else {}) | ({} if most is None else {"maxItems": most})


def named(schema: Schema) -> Schema:
    """Return the schema of a mapping whose values fit one."""
    return {"type": "object", "additionalProperties": schema}
