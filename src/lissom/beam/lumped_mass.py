"""Masses fixed to a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.beam.number_types import Array, Number, positive
from lissom.errors import LissomError


@dataclass(frozen=True, eq=False)
class LumpedMass:
    """A rigid mass fixed to the section at `x`; it moves and turns with that section.

    `com` (3,) is its centre seen from the section's, in section axes; `inertia` is about `com`: (3, 3), the
    diagonal (3,), or one number for all three axes.
    """

    x: Number
    mass: Number
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = 0.0

    def __post_init__(self) -> None:
        positive("lumped mass: mass", self.mass, zero_allowed=True)
        com, inertia = np.asarray(self.com), np.asarray(self.inertia)
        if com.shape != (3,) or inertia.shape not in ((), (3,), (3, 3)):
            raise LissomError(f"com {self.com!r}, inertia {self.inertia!r}; give 3 numbers, and 3 x 3", ("masses",))
        object.__setattr__(self, "com", com)
        object.__setattr__(self, "inertia", inertia if inertia.ndim == 2 else inertia * np.eye(3))

    @property
    def moments(self) -> Array:
        """Int (1, d)(1, d)^T dm over its elements at offsets d from the section's centre, shape (4, 4)."""
        return moments(self.mass, self.com, self.inertia)


def moments(mass: Any, com: Array, inertia: Array) -> Array:
    """Return moments (..., 4, 4) of masses (...), see `LumpedMass`; com (..., 3), inertia (..., 3, 3)."""
    centre = np.ones((*com.shape[:-1], 4), com.dtype)
    centre[..., 1:] = com
    spread = np.zeros((*com.shape[:-1], 4, 4), inertia.dtype)
    spread[..., 1:, 1:] = np.trace(inertia, axis1=-2, axis2=-1)[..., None, None] / 2 * np.eye(3) - inertia
    return np.asarray(mass)[..., None, None] * (centre[..., :, None] * centre[..., None, :]) + spread
