"""Messages about names that lead nowhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """ "there is no interface 'tipp'; did you mean 'tip'?", or the names there are."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"
    return f"there is no {what} {name!r}; {hint}"
