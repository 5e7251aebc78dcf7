"""The base of everything in a robot description: immutable, strict about names, plain in its errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import InitErrorDetails, ValidationError

from lissom.errors import ABSENT, Keys, LissomError, RobotError, within
from lissom.model.schema.number_fields import refusal
from lissom.model.schema.signatures import PartSignature
from lissom.model.schema.written_forms import Schema

FORM = "form:"  # starts the tag of one way to write a field, such as a section's shape; never part of a path

AnyPart = TypeVar("AnyPart", bound="Description")


class Description(BaseModel):
    """An immutable piece of a robot; a wrong value raises `RobotError` with field, value and remedy."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)
    what: ClassVar[str] = "part"
    whole: ClassVar[str] = "robot"  # what it is a part of
    error: ClassVar[type[LissomError]] = RobotError
    form: ClassVar[str] = ""  # its tag, where a field may be written in several ways
    chosen_by: ClassVar[str] = "shape"  # the field that says which way it is
    also: ClassVar[tuple[Schema, ...]] = ()  # other ways to write it, which a validator turns into its fields

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            from lissom.model.schema.validation_errors import explain

            raise explain(error, type(self), data) from None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        cls.__pydantic_on_complete__()

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Put plain types in place of pydantic's signature, which it sets anew when it builds a class."""
        cls.__signature__ = PartSignature()  # type: ignore[assignment]

    # Nested parts are then built by pydantic itself, so that an error keeps its full path.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Make a part of plain data: the mapping that a file holds."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            from lissom.model.schema.validation_errors import explain

            raise explain(error, cls, data) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise self.error(
            f"a {self.what} cannot be changed (tried to set {name!r}); make a new {self.whole} with with_value()"
        )


def refusals(*problems: tuple[Keys | str, Any, str]) -> ValidationError:
    """Return an error about fields below the part under validation: (field path, value or None, message) each."""
    return ValidationError.from_exception_data(
        "robot",
        [
            InitErrorDetails(
                type=refusal(text),
                loc=(path,) if isinstance(path, str) else path,
                input=ABSENT if value is None else value,
            )
            for path, value, text in problems
        ],
    )


def as_parts(kind: type[AnyPart], given: Any, field: str, example: str) -> tuple[AnyPart, ...]:
    """Return parts of a kind as a person gives them: objects, or mappings as in a file; one, several or None."""
    if given is None:
        return ()
    if isinstance(given, kind | dict):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise LissomError(f"must be a list of {kind.__name__}, such as [{example}]", (field,), given)
    found = []
    for k, each in enumerate(given):
        if not isinstance(each, kind | dict):
            raise LissomError(f"must be a {kind.__name__}, such as {example}", (field, k), each)
        with within(field, k):
            found.append(each if isinstance(each, kind) else kind.from_dict(each))
    return tuple(found)


def form_of(data: Any) -> str | None:
    """Return the tag of a part that is chosen by its `type`; None where a mapping does not say."""
    if isinstance(data, Description):
        return data.form
    return f"{FORM}{data['type']}" if isinstance(data, dict) and data.get("type") is not None else None
