"""Signatures of the classes of a description, with plain types: what `help`, editors and pages show."""

from __future__ import annotations

import inspect
from functools import reduce
from operator import or_
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from lissom.model.schema.lazy_fields import LazyType

if TYPE_CHECKING:
    from pydantic import BaseModel


class PartSignature:
    """Class attribute `__signature__` of a part: one keyword per field, made when somebody looks at it."""

    def __get__(self, instance: object, owner: type[BaseModel]) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("__signature__")  # a part is not called
        keywords = []
        for name, field in owner.model_fields.items():
            required = field.is_required()
            keywords.append(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=inspect.Parameter.empty if required else field.get_default(call_default_factory=True),
                    annotation=plain(field.rebuild_annotation()),
                )
            )
        # Fields without a default may follow others, as all are given by name.
        return inspect.Signature(keywords)


def plain(annotation: Any) -> Any:
    """Return a type without what checks it: `float` for `Annotated[float, Number(...)]`."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        late = next((each for each in inner[1:] if isinstance(each, LazyType)), None)
        return plain(inner[0] if late is None else late.type)
    if origin in (Union, UnionType):
        return reduce(or_, (plain(each) for each in inner))
    if origin in (tuple, list, dict):
        return origin[tuple(each if each is ... else plain(each) for each in inner)]
    return annotation
