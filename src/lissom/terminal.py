"""The terminal that commands and worked examples write to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def screen(error: bool = False) -> Console:
    """Return the terminal, or 100 columns where the output goes to a file."""
    from rich.console import Console

    stream = sys.stderr if error else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else 100, highlight=False)


def tell_place(text: str, path: object) -> None:
    """Print where to find what was written; a path may hold brackets, which are no markup."""
    from rich.text import Text

    screen().print(Text.assemble(text, (str(path), "bold cyan")))
