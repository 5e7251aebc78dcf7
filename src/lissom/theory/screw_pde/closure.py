"""Closures: a section held in the world, which makes a loop of a chain. Its wrench is one more unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lissom.errors import LissomError
from lissom.messages import did_you_mean
from lissom.model.compiled import Model

DIRECTIONS = {"pose": np.eye(6), "position": np.eye(6)[3:], "rotation": np.eye(6)[:3]}


@dataclass(frozen=True)
class Closure:
    """The section of `link` at x (its tip unless given; on a rigid link its origin) keeps its pose or a part of it."""

    link: str
    x: float | None = None
    holds: Literal["pose", "position", "rotation"] = "pose"

    @property
    def name(self) -> str:
        """How rows and reports call it."""
        return f"{self.link} held"

    @property
    def directions(self) -> np.ndarray:
        """Directions held, (k, 6), in the section's axes."""
        return DIRECTIONS[self.holds]

    def checked(self, model: Model) -> tuple[str, float | None]:
        """Link and station, after checks."""
        if self.link not in model.links:
            hint = did_you_mean(self.link, list(model.links))
            raise LissomError(f"there is no such link{hint}", ("closure", "link"), self.link)
        if self.holds not in DIRECTIONS:
            raise LissomError(f"take {', '.join(DIRECTIONS)}", ("closure", "holds"), self.holds)
        if self.link not in model.flexible and self.x is not None:
            raise LissomError(f"{self.link} is rigid, so leave this out", ("closure", "x"), self.x)
        return self.link, self.x
