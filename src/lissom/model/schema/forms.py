"""Fields that hold one of several classes, chosen by a word such as `type: rope`: a registry that others may add to."""

from __future__ import annotations

from typing import Annotated, Any, Union

from pydantic import Discriminator, Tag

from lissom.errors import RobotError
from lissom.model.schema.base_model import FORM, Description, form_of
from lissom.plugins import load_plugins


class Forms:
    """The classes that such a field may hold, by their forms."""

    def __init__(self, *kinds: type[Description]) -> None:
        self.kinds = {kind.form: kind for kind in kinds}

    def register(self, kind: type[Description], check: str = "") -> None:
        """Add a class whose form is the default of its field `type`; `check` says what keeps it from being used."""
        field = kind.model_fields.get(kind.chosen_by)
        word = None if field is None else field.default
        if not isinstance(word, str):
            check = f'needs the word that chooses it: {kind.chosen_by}: Literal["word"] = "word"'
        if check:
            raise RobotError(f"{kind.__name__} {check}", (kind.what,))
        kind.form = f"{FORM}{word}"
        self.kinds = self.kinds | {kind.form: kind}

    def look_for(self, value: Any) -> None:
        """Load what packages from outside add, where a value asks for a form that is not known."""
        if (form := form_of(value)) is not None and form not in self.kinds:
            load_plugins()

    @property
    def union(self) -> Any:
        """The type of the field as pydantic knows it."""
        tagged = tuple(Annotated[kind, Tag(form)] for form, kind in self.kinds.items())
        return Annotated[Union[tagged], Discriminator(form_of)]  # noqa: UP007 (made at run time)
