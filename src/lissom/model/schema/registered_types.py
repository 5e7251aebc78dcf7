"""Fields that take one of several classes, told apart by the field that says which; classes may be added to them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Discriminator, Tag, ValidationInfo

from lissom.model.schema.base_model import FORM, Description, form_of
from lissom.model.schema.lazy_fields import LazyType

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SEVERAL = FORM + "several"  # the tag of a list


class Registered(LazyType):
    """One of the classes in a list, which may grow; with `several`, a list of such too."""

    def __init__(self, classes: list[type[Any]], several: bool = False) -> None:
        self._classes, self._several = classes, several

    @property
    def type(self) -> Any:
        """The union of the classes."""
        return _union(tuple(self._classes), self._several)

    def check(self, value: Any, info: ValidationInfo) -> Any:
        """Return the value as the class takes it that its tag names."""
        return _adapter(tuple(self._classes), self._several).validate_python(value, context=info.context)


@cache
def _union(classes: tuple[type[Description], ...], several: bool) -> Any:
    union: Any = Union[tuple(Annotated[one, Tag(one.form)] for one in classes)]  # noqa: UP007
    if not several:
        return Annotated[union, Discriminator(form_of)]
    whole = Annotated[tuple[Annotated[union, Discriminator(form_of)], ...], Tag(SEVERAL)]
    return Annotated[union | whole, Discriminator(_one_or_several)]


@cache
def _adapter(classes: tuple[type[Description], ...], several: bool) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(_union(classes, several))


def _one_or_several(data: Any) -> str | None:
    return SEVERAL if isinstance(data, list | tuple) else form_of(data)
