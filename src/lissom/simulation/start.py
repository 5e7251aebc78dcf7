"""Where a run starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.dynamics.coordinates import configuration, rates
from lissom.errors import LissomError, within
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
        named = {str(name): value for name, value in (start or {}).items()}
        moving = {name.removesuffix(RATE): named.pop(name) for name in tuple(named) if name.endswith(RATE)}
        q, v = configuration(model, named, "start"), rates(model, moving, "start")
    else:
        first, second = start if isinstance(start, tuple) and len(start) == 2 else (start, None)
        with within("start"):
            q, v = configuration(model, first, "q"), rates(model, second, "v")
    for array in (q, v):
        if np.iscomplexobj(array):
            raise LissomError("must hold real numbers; a run cannot start at complex ones", ("start",), start)
    return q, v
