"""Fields of a description that most files leave out: their classes load when a file has one.

In the module that has such a field, the class stands under its own name for the type checker, and lazily at run time:

    if TYPE_CHECKING:
        from lissom.model.description.contact import Contact
    else:
        Contact = lazy("lissom.model.description.contact:Contact")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class LazyType:
    """A type, or a registry (`lissom.model.schema.forms.Forms`), at a place `module:name`; checks values like it."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._adapted: tuple[Any, TypeAdapter[Any]] | None = None

    @property
    def _target(self) -> Any:
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    @property
    def type(self) -> Any:
        """The type, of a registry the union of what it holds."""
        return getattr(self._target, "union", self._target)

    def check(self, value: Any, info: ValidationInfo) -> Any:
        """Return the value as the type takes it."""
        from pydantic import TypeAdapter

        target = self._target
        if look_for := getattr(target, "look_for", None):  # of a registry
            look_for(value)
        state = getattr(target, "kinds", target)
        if self._adapted is None or self._adapted[0] is not state:
            self._adapted = state, TypeAdapter(self.type)
        return self._adapted[1].validate_python(value, context=info.context)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self.check)


def lazy(place: str) -> Any:
    """Return the annotation of a field whose type is at `place`."""
    return Annotated[Any, LazyType(place)]
