"""How results are shown. A result asks here for its pictures, so that nothing below `view` knows of `view`.

`import lissom` names the provider; it loads when the first picture is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Display(Protocol):
    """What shows the results of a run."""

    def plot(self, run: Any, kind: str, **options: Any) -> Figure: ...

    def write_report(self, run: Any, path: str | Path, title: str | None) -> Path: ...

    def animate(self, run: Any, path: str | Path, **options: Any) -> Path: ...

    def notebook_html(self, run: Any) -> str: ...


_providers: list[Callable[[], Any]] = []


def provide(load: Callable[[], Any]) -> None:
    """Let `load` find the Display of all results from now on."""
    _providers[:] = [load]


def display() -> Display:
    """What shows results in this process."""
    return _providers[-1]()
