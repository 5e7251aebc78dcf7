"""Names in a robot description: identifiers, titles, choices out of a list."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from lissom.messages import did_you_mean, listed
from lissom.model.schema.number_fields import Checked, kind_of, refusal
from lissom.model.schema.written_forms import Schema, SchemaOf


@dataclass(frozen=True)
class Choice(Checked):
    """A field that takes one name out of a list."""

    meaning: str
    choices: Collection[str]  # of a registry, those of the moment

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"choose {self.meaning}: {listed(self.choices)}"

    def check(self, value: Any) -> str:
        """Return the value as it is kept, or refuse it."""
        if not isinstance(value, str):
            raise refusal(f"must be a name, not {kind_of(value)}; {self.remedy}")
        if value not in self.choices:
            raise refusal(f"is unknown{did_you_mean(value, self.choices)}; {self.remedy}")
        return value

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return {"enum": list(self.choices)}


@dataclass(frozen=True)
class Name(Checked):
    """A name: letters, digits, hyphens and underscores, as it must serve inside `links.upper.beam.length`."""

    meaning: str
    pattern: ClassVar[str] = r"\w[\w-]{0,63}"

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"give {self.meaning}, made of letters, digits, '-' and '_'"

    def check(self, value: Any) -> str:
        """Return the value as it is kept, or refuse it."""
        if not isinstance(value, str):
            hint = "; put it in quotes" if value is not None and not isinstance(value, list | dict) else ""
            raise refusal(f"must be text, not {kind_of(value)}; {self.remedy}{hint}")
        if not re.fullmatch(self.pattern, value):
            raise refusal(f"cannot serve as a name; {self.remedy} (at most 64)")
        return value

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return {"type": "string", "pattern": f"^{self.pattern}$"}


LONGEST_PATH = 4096  # characters that systems take


@dataclass(frozen=True)
class Title(Checked):
    """One line of free text."""

    meaning: str
    longest: int = 100

    @property
    def remedy(self) -> str:
        """What to give instead."""
        return f"give {self.meaning} as one line of text"

    def check(self, value: Any) -> str:
        """Return the value as it is kept, or refuse it."""
        if not isinstance(value, str):
            raise refusal(f"must be text, not {kind_of(value)}; {self.remedy} (in quotes if it looks like a number)")
        if not value.strip() or len(value) > self.longest or not value.isprintable():
            raise refusal(f"must be one printable line of 1 to {self.longest} characters; {self.remedy}")
        return value

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return {"type": "string", "minLength": 1, "maxLength": self.longest}
