"""Parts of messages: lists of names, and what a misspelt one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
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
