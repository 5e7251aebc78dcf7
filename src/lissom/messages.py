"""Parts of messages: values, lists of names, and what a misspelt one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any


def near(name: Any, known: Iterable[str]) -> list[str]:
    """Known names that resemble `name`, best first."""
    lower = {k.lower(): k for k in known}
    return [lower[match] for match in difflib.get_close_matches(str(name).lower(), lower, n=3, cutoff=0.55)]


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """ " (did you mean 'length'?)", or nothing when no known name is near."""
    matches = near(name, known)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def listed(names: Iterable[str], last: str = "or") -> str:
    """ "a, b or c"."""
    *head, tail = names
    return f"{', '.join(head)} {last} {tail}" if head else tail


def suggestion(name: Any, known: Iterable[str]) -> str:
    """ "did you mean 'tip'?", or the names there are."""
    known = list(known)
    matches = near(name, known)
    return f"did you mean {matches[0]!r}?" if matches else f"there are {', '.join(known) or 'none'}"


def brief(value: Any) -> str:
    """A value as a person would write it, on one line, cut when long."""
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if hasattr(value, "model_fields_set"):  # a part of a description
        text = "{" + ", ".join(name for name in type(value).model_fields if name in value.model_fields_set) + "}"
    elif isinstance(value, Mapping):
        text = "{" + ", ".join(map(str, value)) + "}"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(brief(v) for v in value[:10]) + (", ..." if len(value) > 10 else "") + "]"
    elif value is None:
        text = "(empty)"
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, float):
        text = f"{value:.6g}"
    elif isinstance(value, str):
        text = repr(value if len(value) <= 60 else value[:60])
    else:
        text = _shown(value)
    return text if len(text) <= 60 else text[:56] + " ..."


def _shown(value: Any) -> str:
    """How an object shows itself, on one line; its kind where it cannot."""
    try:
        return " ".join(repr(value).split())
    except Exception:  # of the object's own code, or of an integer with thousands of digits
        return f"a value of type {type(value).__name__}"
