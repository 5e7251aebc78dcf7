"""The progress bar of `lissom run`, on standard error and only on a terminal."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from lissom.terminal import screen


class Bar:
    """Says what it waits for until the first steps, then how far the run is."""

    def __init__(self, duration: float, show: bool, doing: str = "simulating") -> None:
        self._duration, self._doing = duration, doing
        self._show = show and sys.stderr.isatty()
        self._bar: Any = None

    def __enter__(self) -> Bar:
        if self._show:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("[bold]{task.description}"),
                BarColumn(bar_width=40),
                TextColumn("{task.fields[note]}"),
                TimeRemainingColumn(),
                console=screen(error=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("preparing", total=None, note="")
        return self

    def compiling(self, name: str) -> None:
        """A function begins to compile, or (no name) is done."""
        self.note(f"compiling, once per machine: {name}" if name else "")

    def note(self, text: str) -> None:
        """What happens before the first step."""
        if self._bar is not None:
            self._bar.update(self._task, note=text)

    def update(self, t: float) -> None:
        """The run has reached the time t."""
        if self._bar is not None:
            note = f"{t:.2f} of {self._duration:g} s"
            self._bar.update(self._task, description=self._doing, total=self._duration, completed=t, note=note)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def busy(text: str, show: bool) -> contextlib.AbstractContextManager[Any]:
    """A sign of life for what takes a few seconds."""
    if not (show and sys.stderr.isatty()):
        return contextlib.nullcontext()
    return screen(error=True).status(text)
