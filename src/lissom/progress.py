"""Signs of life of what takes long, on standard error: a bar on a terminal, one line in a pipe or a file.

Nothing is shown of what is done within two seconds.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

PATIENCE = 2.0  # s before anything is shown


class Progress:
    """What is being done, and how far it is.

    >>> with Progress("simulating", 10.0, "s") as progress:
    ...     progress.update(3.0)

    Args:
        doing: a word or two.
        total: how much there is to do, in `unit`; nothing where that is not known.
        show: False for silence.
    """

    def __init__(self, doing: str, total: float | None = None, unit: str = "", show: bool = True) -> None:
        self.doing, self.total, self.unit, self.show = doing, total, unit, show
        self.done = 0.0
        self._bar: Any = None
        self._task: Any = None
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Progress:
        if self.show and sys.stderr is not None:
            self._timer = threading.Timer(PATIENCE, self._appear)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._timer = None
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def update(self, done: float) -> None:
        """So much is done."""
        self.done = done
        self._refresh()

    def reach(self, done: float, total: float) -> None:
        """So much is done, of so much."""
        self.total = total
        self.update(done)

    def say(self, doing: str) -> None:
        """Now something else is being done."""
        self.doing = doing
        self._refresh()

    def _refresh(self) -> None:
        bar = self._bar
        if bar is not None:
            bar.update(self._task, description=self.doing, completed=self.done, total=self.total, note=self._note())

    def _appear(self) -> None:
        with self._lock:
            if self._timer is None:  # it has ended meanwhile
                return
            try:
                if sys.stderr.isatty():
                    self._draw()
                else:
                    print(f"{self.doing}{self._size()} ...", file=sys.stderr, flush=True)
            except (OSError, ValueError):  # nobody reads it
                self.show = False

    def _draw(self) -> None:
        from rich import progress
        from rich.console import Console

        columns = [progress.TextColumn("[bold]{task.description}"), progress.BarColumn(bar_width=40)]
        columns += [progress.TextColumn("{task.fields[note]}")]
        columns += [progress.TimeRemainingColumn()] if self.total is not None else [progress.TimeElapsedColumn()]
        self._bar = progress.Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._task = self._bar.add_task(self.doing, total=self.total, completed=self.done, note=self._note())
        self._bar.start()

    def _note(self) -> str:
        return (
            "" if self.total is None else f"{self.done:.{2 if self.unit == 's' else 0}f} of {self.total:g} {self.unit}"
        )

    def _size(self) -> str:
        return "" if self.total is None else f", {self.total:g} {self.unit}"
