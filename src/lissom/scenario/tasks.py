"""Files of what is done with a scenario: a study of it, a better motion, lighter sections."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic_core import ValidationError

from lissom.errors import LissomError
from lissom.model.io.robot_files import find
from lissom.model.schema.base_model import Description
from lissom.model.schema.validation_errors import explain

Task = TypeVar("Task", bound=Description)


def load_task(
    path: str | os.PathLike[str], kind: Callable[[dict[str, Any]], type[Task]], refused: type[LissomError], start: str
) -> Task:
    """Read a task from its file, whose name it gets unless it has one; relative paths begin in the file's folder.

    Parameters
    ----------
    kind : callable
        The model that what is in the file asks for.
    refused : type
        The error if it is no mapping; `start` tells how one begins.
    """
    source, folder = os.fspath(path), Path(path).parent
    root = find(path).root
    if root is None or not isinstance(root.value, dict):
        raise refused(f"the file must be a mapping; {start}", source=source)
    data: dict[str, Any] = root.value
    scenario = data.get("scenario")
    if isinstance(scenario, str) and (folder / scenario).is_file():
        data = data | {"scenario": str(folder / scenario)}
    wanted = kind(data)
    try:
        made = wanted.model_validate(data)
    except ValidationError as error:
        raise explain(error, wanted, data, source, root.line_of) from None
    return made if "name" in data else made.model_copy(update={"name": Path(path).stem})
