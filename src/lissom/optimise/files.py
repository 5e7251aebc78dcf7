"""Tasks from files: a motion, or the sizes of sections."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from lissom.errors import OptimiseError
from lissom.model.files import text_of
from lissom.model.problems import explain
from lissom.model.reader import read
from lissom.optimise.schema import Motion
from lissom.optimise.sizing import Sizing

START = "start with scenario: and to: (a motion), or with scenario: and sizes: (sections)"


def load(path: str | os.PathLike[str]) -> Motion | Sizing:
    """A task from its file: a sizing if it has `sizes`, else a motion.

    Relative paths in it begin in the folder of the file.
    """
    source = os.fspath(path)
    root = read(text_of(Path(path)), source)
    if root is None or not isinstance(root.value, dict):
        raise OptimiseError(f"the file must be a mapping; {START}", source=source)
    data = _resolved(root.value, Path(path).parent)
    kind: type[Motion] | type[Sizing] = Sizing if "sizes" in data else Motion
    try:
        made = kind.model_validate(data)
    except ValidationError as error:
        raise explain(error, kind, data, source, root.line_of) from None
    return made if "name" in data else made.model_copy(update={"name": Path(path).stem})


def _resolved(data: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The data with the path of a scenario file as seen from the working folder."""
    scenario = data.get("scenario")
    if isinstance(scenario, str) and (folder / scenario).is_file():
        return data | {"scenario": str(folder / scenario)}
    return data
