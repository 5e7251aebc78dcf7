"""What a person says in a report: its title, some words, a picture in its head."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import ValidationInfo, field_validator

from lissom.errors import LissomError
from lissom.files import check_file
from lissom.model.schema.base_model import Description
from lissom.model.schema.name_fields import LONGEST_PATH, Title
from lissom.model.schema.number_fields import Checked, kind_of, refusal
from lissom.model.schema.written_forms import TEXT, Schema, SchemaOf
from lissom.results.presentation.user_settings import UserSettings, user_settings

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml"}
LARGEST = 5_000_000  # bytes of a logo: a page with it is mailed


@dataclass(frozen=True)
class Prose(Checked):
    """Some lines of text; an empty line begins a paragraph."""

    meaning: str
    longest: int = 100_000

    def check(self, value: Any) -> str:
        """Return the text, or refuse what is none."""
        remedy = f"give {self.meaning} as text; an empty line begins a paragraph"
        if not isinstance(value, str):
            raise refusal(f"must be text, not {kind_of(value)}; {remedy}")
        if len(value) > self.longest or not all(letter.isprintable() or letter in "\n\t\r" for letter in value):
            raise refusal(f"must be printable and at most {self.longest} characters long; {remedy}")
        return value

    def schema(self, of: SchemaOf) -> Schema:
        """Return the JSON Schema of what is taken."""
        return TEXT


class ReportText(Description):
    """Title, text and logo of a report; a logo that is not given is that of the user's settings."""

    what: ClassVar[str] = "report"
    whole: ClassVar[str] = "report"
    error: ClassVar[type[LissomError]] = LissomError

    title: Annotated[str | None, Title("the title of the report")] = None
    text: Annotated[str | None, Prose("what the report says in front")] = None
    logo: Annotated[str | None, Title("the path of a picture (.png, .jpg, .svg)", longest=LONGEST_PATH)] = None

    @field_validator("logo")
    @classmethod
    def _beside_the_scenario(cls, logo: str | None, info: ValidationInfo) -> str | None:
        if logo is None:
            return None
        if Path(logo).suffix.lower() not in PICTURES:
            raise refusal(f"is no picture that pages can show; give one of {', '.join(PICTURES)}")
        return str(Path((info.context or {}).get("folder", ""), logo).absolute())

    @property
    def paragraphs(self) -> list[str]:
        """The text, paragraph by paragraph."""
        parts = (self.text or "").replace("\r\n", "\n").split("\n\n")
        return [" ".join(part.split()) for part in parts if part.strip()]

    @property
    def organisation(self) -> str | None:
        """The organisation that the user's settings name."""
        return _settings().organisation

    def picture(self) -> Path | None:
        """Return the file of the logo; None where there is none."""
        logo = self.logo or _settings().logo
        if logo is None:
            return None
        path = Path(logo)
        check_file(path, "logo")
        if path.suffix.lower() not in PICTURES or path.stat().st_size > LARGEST:
            text = f"must be a picture of at most {LARGEST / 1e6:g} MB; give one of {', '.join(PICTURES)}"
            raise LissomError(text, ("logo",), logo)
        return path

    def data_uri(self) -> str | None:
        """Return the logo as a text that pages hold; None where there is none."""
        path = self.picture()
        if path is None:
            return None
        return f"data:{PICTURES[path.suffix.lower()]};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _settings() -> UserSettings:
    return user_settings()
