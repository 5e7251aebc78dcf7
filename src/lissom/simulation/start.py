"""Where a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.dynamics.coordinates import configuration, rates
from lissom.model.compiled import Model

RATE = ".rate"


def start_state(model: Model, start: Any) -> tuple[np.ndarray, np.ndarray]:
    """Configuration (nq,) and velocity (nv,) of a start.

    Args:
        start: None (all zero, at rest), an array q (nq,), a pair (q, v), or a mapping from joint, coordinate or link
            names to values; names ending in ".rate" set velocities ("elbow.rate": 0.1). Rotors of elastic joints start
            at their joint's angle unless they are named themselves.
    """
    if start is None or isinstance(start, Mapping):
        named = dict(start or {})
        moving = {name.removesuffix(RATE): named.pop(name) for name in tuple(named) if name.endswith(RATE)}
        return configuration(model, named, "start"), rates(model, moving, "start")
    q, v = start if isinstance(start, tuple) and len(start) == 2 else (start, None)
    return configuration(model, q, "start: q"), rates(model, v, "start: v")
