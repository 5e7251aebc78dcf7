"""Controls on their way out."""

from __future__ import annotations

import time
from typing import Any

LINGER = 3.0  # s


class ClosingControls:
    """Takes controls off the page at once, and removes them a little later.

    An update that is still under way to a slow browser would otherwise reach a control that is gone, which is an error
    there.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[float, Any]] = []

    def add(self, handle: Any) -> None:
        """Hide a control; it must not be changed any more."""
        handle.visible = False
        self._waiting.append((time.monotonic() + LINGER, handle))

    def sweep(self) -> None:
        """Remove those that have waited long enough."""
        now = time.monotonic()
        while self._waiting and self._waiting[0][0] <= now:
            self._waiting.pop(0)[1].remove()
