"""Parts of messages: values, lists of names, and what a misspelt one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

KEPT = 5  # letters of what long names have in common


def near(name: Any, known: Iterable[str]) -> list[str]:
    """Return known names that resemble `name`, best first."""
    lower = {k.lower(): k for k in known}
    return [lower[match] for match in difflib.get_close_matches(str(name).lower(), lower, n=3, cutoff=0.55)]


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return " (did you mean 'length'?)", or nothing when no known name is near."""
    matches = near(name, known)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def cut(text: str, most: int) -> str:
    """Return text of at most so many letters: what is too long loses its middle."""
    half = max(1, (most - 1) // 2)
    return text if len(text) <= most else f"{text[: most - 1 - half]}…{text[-half:]}"


def shorten_names(names: Sequence[str], most: int) -> list[str]:
    """Shorten names to so many letters: they lose what the long ones have in common, then their middle."""
    long = [name for name in names if len(name) > most]
    if not long:
        return list(names)
    start = _common_prefix_length(long)
    end = _common_prefix_length([name[start:][::-1] for name in long])
    head, tail = (KEPT if n > KEPT else n for n in (start, end))  # a few letters say what was left out

    def short(name: str) -> str:
        own = name[start : len(name) - end]
        return cut(name[:head] + "…" * (head < start) + own + "…" * (tail < end) + name[len(name) - tail :], most)

    return [short(name) if len(name) > most else name for name in names]


def _common_prefix_length(names: Sequence[str]) -> int:
    """Count the letters at the start that several names have in common."""
    columns = zip(*names) if len(names) > 1 else ()
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, columns))


def listed(names: Iterable[str], last: str = "or") -> str:
    """Return "a, b or c"."""
    *head, tail = names
    return f"{', '.join(head)} {last} {tail}" if head else tail


def suggestion(name: Any, known: Iterable[str]) -> str:
    """Return "did you mean 'tip'?", or the names there are."""
    known = list(known)
    matches = near(name, known)
    return f"did you mean {matches[0]!r}?" if matches else f"there are {', '.join(known) or 'none'}"


def brief(value: Any) -> str:
    """Write a value as a person would, on one line, cut when long."""
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
        text = _repr_on_one_line(value)
    return text if len(text) <= 60 else text[:56] + " ..."


def _repr_on_one_line(value: Any) -> str:
    """Return how an object shows itself, on one line; its kind where it cannot."""
    try:
        return " ".join(repr(value).split())
    except Exception:  # of the object's own code, or of an integer with thousands of digits
        return f"a value of type {type(value).__name__}"
