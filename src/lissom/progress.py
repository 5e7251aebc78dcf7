"""Signs of life of what takes long, on standard error: a bar on a terminal, one line in a pipe or a file.

Nothing is shown of what is done within two seconds.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from time import monotonic
from typing import Any

PATIENCE = 2.0  # s before anything is shown
_open: list[Progress] = []  # what is being done; of several the last is shown


class _Clock:
    """One thread for all that is being done; to start one each time would cost more than a short run."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[float, Progress]] = deque()  # by the time at which each is to appear
        self._change = threading.Condition()
        self._idle = False
        self._thread: threading.Thread | None = None

    def add(self, progress: Progress) -> None:
        with self._change:
            self._waiting.append((monotonic() + PATIENCE, progress))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="lissom progress", daemon=True)
                self._thread.start()
            elif self._idle:  # else it looks here in time, for something older
                self._change.notify()

    def drop(self, progress: Progress) -> None:
        with self._change:
            if self._waiting and self._waiting[-1][1] is progress:
                self._waiting.pop()

    def _run(self) -> None:
        while True:
            with self._change:
                while not self._waiting or self._waiting[0][0] > monotonic():
                    self._idle = not self._waiting
                    self._change.wait(self._waiting[0][0] - monotonic() if self._waiting else None)
                self._idle = False
                _, progress = self._waiting.popleft()
            progress.appear()


_clock = _Clock()


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
        self._running = False
        self.due = False  # it would be shown if it were the last
        self._lock = threading.Lock()

    def __enter__(self) -> Progress:
        _open.append(self)
        self.due = False
        if self.show and sys.stderr is not None:
            self._running = True
            _clock.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._running:
            _clock.drop(self)
        with self._lock:
            self._running = False
            self.hide()
        _open.remove(self)
        if _open and _open[-1].due:
            _open[-1].appear()

    def hide(self) -> None:
        """Take the bar off the terminal; it is due again when what covers it has ended."""
        if self._bar is not None:
            self._bar.stop()
            self._bar, self.due = None, True

    def update(self, done: float) -> None:
        """Note that so much is done."""
        self.done = done
        self._refresh()

    def reach(self, done: float, total: float) -> None:
        """Note that so much is done, of so much."""
        self.total = total
        self.update(done)

    def say(self, doing: str) -> None:
        """Note that something else is being done now."""
        self.doing = doing
        self._refresh()

    def _refresh(self) -> None:
        bar = self._bar
        if bar is not None:
            bar.update(self._task, description=self.doing, completed=self.done, total=self.total, note=self._note())

    def appear(self) -> None:
        """Show the bar or the line, unless the work has ended or something later is shown."""
        with self._lock:
            if not self._running:  # it has ended meanwhile
                return
            self.due = self is not _open[-1]
            if self.due:
                return
            for other in _open[:-1]:
                other.hide()
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
