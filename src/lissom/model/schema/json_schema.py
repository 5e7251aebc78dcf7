"""JSON Schemas of descriptions, from their classes: with one, an editor completes and checks a file while it is typed.

A schema knows names, kinds and ranges of fields, each by itself; what must fit together, such as the link that a sensor
names, only `lissom check` sees.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from lissom.model.schema.base_model import Description
from lissom.model.schema.lazy_fields import LazyType
from lissom.model.schema.number_fields import Checked
from lissom.model.schema.written_forms import ANYTHING, AlsoWritten, Schema, named, several, union

DIALECT = "http://json-schema.org/draft-07/schema#"  # the newest that the language servers of editors know whole
PLAIN: dict[type, Schema] = {
    float: {"type": "number"},
    int: {"type": "integer"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
}


def json_schema(kind: Any, title: str, elsewhere: Mapping[type, str] | None = None) -> Schema:
    """Return the schema of a file that holds a description.

    Parameters
    ----------
    kind : type
        A class of descriptions, or a union of such.
    title : str
        What the file is.
    elsewhere : mapping, optional
        References to the schemas of classes that lie in other files; all are written into this one unless given.

    Returns
    -------
    dict
        A JSON Schema of draft 7, plain data.
    """
    writer = _Writer(elsewhere or {})
    return {"$schema": DIALECT, "title": title} | writer.of(kind) | {"definitions": writer.definitions}


class _Writer:
    """Schemas of types; those of descriptions are written once, under `definitions`."""

    def __init__(self, elsewhere: Mapping[type, str]) -> None:
        self.definitions: dict[str, Schema] = {}
        self._elsewhere = elsewhere
        self._names: dict[type, str] = {}

    def of(self, annotation: Any, marks: tuple[Any, ...] = ()) -> Schema:
        """Return the schema of a type whose annotation carries marks."""
        found = self._written_schema(annotation, marks)
        also = [mark.form for mark in marks if isinstance(mark, AlsoWritten)]
        return union(found, *(form if isinstance(form, dict) else self.of(form) for form in also))

    def _written_schema(self, annotation: Any, marks: tuple[Any, ...]) -> Schema:
        for mark in marks:
            if isinstance(mark, Checked):
                optional = NoneType in get_args(annotation)
                said = {"description": _sentence(getattr(mark, "remedy", ""))}
                return said | (union(mark.schema(self.of), PLAIN[NoneType]) if optional else mark.schema(self.of))
            if isinstance(mark, LazyType):
                return self.of(mark.type)
        origin, inner = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self.of(inner[0], inner[1:])
        if origin is Literal:
            return {"enum": list(inner)}
        if origin in (Union, UnionType):
            return union(*map(self.of, inner))
        if origin in (tuple, list):
            return self._list(inner)
        if origin is dict:
            return named(self.of(inner[1]))
        if inspect.isclass(annotation) and issubclass(annotation, Description):
            return self._reference(annotation)
        return PLAIN.get(annotation, ANYTHING)

    def _list(self, inner: tuple[Any, ...]) -> Schema:
        if len(inner) == 2 and inner[1] is ...:
            return several(self.of(inner[0]))
        return several(union(*map(self.of, inner)), len(inner), len(inner))

    def _reference(self, kind: type[Description]) -> Schema:
        if kind in self._elsewhere:
            return {"$ref": self._elsewhere[kind]}
        if kind not in self._names:
            alike = sum(known.__name__ == kind.__name__ for known in self._names)
            name = f"{kind.__name__}{alike + 1}" if alike else kind.__name__
            self._names[kind] = name
            self.definitions[name] = {}  # so that a class may hold itself
            self.definitions[name] = self._description(kind)
        return {"$ref": f"#/definitions/{self._names[kind]}"}

    def _description(self, kind: type[Description]) -> Schema:
        kind.model_rebuild()
        fields: dict[str, Schema] = {}
        for name, field in kind.model_fields.items():
            found = self.of(field.annotation, tuple(field.metadata))
            if field.description:
                whole = {"allOf": [found]} if "$ref" in found else found  # nothing may stand beside a reference
                found = {"description": _sentence(field.description)} | whole
            fields[field.alias or name] = found
        needed = [field.alias or name for name, field in kind.model_fields.items() if field.is_required()]
        found = {
            "type": "object",
            "description": (inspect.getdoc(kind) or "").partition("\n")[0],
            "properties": fields,
            "additionalProperties": False,
        }
        chosen = fields.get(kind.chosen_by, {}).get("enum")
        if chosen is not None and kind.form:
            needed.append(kind.chosen_by)
        if needed:
            found["required"] = needed
        return union(found, *kind.also)


def _sentence(text: str) -> str:
    """Return a remedy as the beginning of a description: with a capital letter."""
    return text[:1].upper() + text[1:]
