"""Fields of a description that most files leave out: their classes load when a file has one.

In the module that has such a field, the class stands under its own name for the type checker, and late at run time:

    if TYPE_CHECKING:
        from lissom.model.description.contact import Contact
    else:
        Contact = late("lissom.model.description.contact:Contact")
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class LazyType:
    """A type at a place `module:name`; a value is checked as that type would."""

    def __init__(self, place: str) -> None:
        self.place = place

    @cached_property
    def type(self) -> Any:
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self.type)

    def check(self, value: Any, info: ValidationInfo) -> Any:
        return self._adapter.validate_python(value, context=info.context)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self.check)


def lazy(place: str) -> Any:
    """The annotation of a field whose type is at `place`."""
    return Annotated[Any, LazyType(place)]
