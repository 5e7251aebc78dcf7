"""The user's own settings, which hold for all runs: units, logo and organisation of reports.

They stand in `settings.yaml` in the folder `lissom` of the user's settings (`~/.config` on Linux); the environment
variable LISSOM_SETTINGS names another file, or `off`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field
from pydantic_core import ValidationError

from lissom.errors import LissomError
from lissom.model.schema.base_model import Description
from lissom.model.schema.name_fields import LONGEST_PATH, Title
from lissom.operating_system import user_settings_folder
from lissom.results.presentation.display_units import UnitNames

VARIABLE = "LISSOM_SETTINGS"


class UserSettings(Description):
    """What a user chose once for all runs."""

    what: ClassVar[str] = "settings file"
    whole: ClassVar[str] = "settings file"
    error: ClassVar[type[LissomError]] = LissomError

    units: Annotated[tuple[str, ...], UnitNames()] = Field(
        default=(), description="units of tables, figures, pages and exports: [kN, mm, deg, MPa]"
    )
    logo: Annotated[str | None, Title("the path of a picture for reports", longest=LONGEST_PATH)] = None
    organisation: Annotated[str | None, Title("the organisation that reports name")] = None


def settings_file() -> Path | None:
    """Return where the settings of this user stand, whether the file is there or not; None where they are off."""
    named = os.environ.get(VARIABLE)
    if named == "off":
        return None
    if named:
        return Path(named)
    try:
        return user_settings_folder() / "lissom" / "settings.yaml"
    except RuntimeError:  # no home folder
        return None


def user_settings() -> UserSettings:
    """Return the user's settings; what is wrong in their file is one clear error."""
    path = settings_file()
    try:
        written = None if path is None else path.stat().st_mtime_ns
    except OSError:
        written = None
    return UserSettings() if path is None or written is None else _read(path, written)


@lru_cache(maxsize=1)
def _read(path: Path, written: int) -> UserSettings:
    from lissom.model.io.yaml_reader import read
    from lissom.model.schema.validation_errors import explain

    source = str(path)
    try:
        root = read(path.read_text(encoding="utf-8"), source)
    except (OSError, UnicodeDecodeError) as error:
        raise LissomError(f"cannot be read ({error}); repair or remove it", source=source) from None
    if root is None:
        return UserSettings()
    if not isinstance(root.value, dict):
        raise LissomError("must be a mapping, such as units: [kN, mm, deg]", source=source, line=root.line)
    try:
        found = UserSettings.model_validate(root.value)
    except ValidationError as error:
        raise explain(error, UserSettings, root.value, source, root.line_of) from None
    logo = found.logo and str((path.parent / found.logo).absolute())
    return found.model_copy(update={"logo": logo})
