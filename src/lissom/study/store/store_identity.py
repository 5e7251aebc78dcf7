"""What a store is of: the study that was begun in it, and the contents of the files that this one names."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lissom.errors import StudyError
from lissom.messages import brief, listed

SHOWN = 5  # differences that a message lists


def check_equal(address: str, there: dict[str, Any], asked: dict[str, Any]) -> None:
    """Refuse to go on where something else was begun; say what differs."""
    found = list(differences(there, asked))
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        text = f"{address} holds another study; different are {listed(found[:SHOWN], 'and')}{more}"
        raise StudyError(f"{text}; give another store, or put back what was changed")


def digests(data: Any) -> dict[str, str]:
    """Return SHA-256 of every file that a description names: references in tables, meshes, matrices, sections."""
    found: dict[str, str] = {}
    for path in sorted(set(_texts(data))):
        if Path(path).suffix and os.path.isfile(path):
            with open(path, "rb") as file:
                found[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _texts(data: Any) -> Iterator[str]:
    """Yield all texts inside nested data that may be paths."""
    if isinstance(data, dict | list | tuple):
        for each in data.values() if isinstance(data, dict) else data:
            yield from _texts(each)
    elif isinstance(data, str) and len(data) < 4096 and "\0" not in data:
        yield data


def differences(there: Any, asked: Any, path: str = "") -> Iterator[str]:
    """Yield what differs between nested data, as `path (old, now new)`."""
    if isinstance(there, dict) and isinstance(asked, dict):
        for key in [*there, *(key for key in asked if key not in there)]:
            place = f"{path}.{key}".removeprefix(".")
            if key not in there:
                yield f"{place} (not there, now {brief(asked[key])})"
            elif key not in asked:
                yield f"{place} ({brief(there[key])}, now left out)"
            else:
                yield from differences(there[key], asked[key], place)
    elif isinstance(there, list) and isinstance(asked, list) and len(there) == len(asked):
        for k, (old, new) in enumerate(zip(there, asked, strict=True)):
            yield from differences(old, new, f"{path}.{k}")
    elif there != asked:
        yield f"{path} ({brief(there)}, now {brief(asked)})"
