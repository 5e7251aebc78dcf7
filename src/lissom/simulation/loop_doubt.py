"""Loops that run into what they cannot follow: which one, and what to do."""

from __future__ import annotations

import numpy as np

from lissom.dynamics.closing import move_weights
from lissom.dynamics.loops import loop_jacobian
from lissom.messages import listed
from lissom.model.compiled import Model

IN_LINE = 1e-2  # of what the coordinates do to a loop at best: less is close to a dead centre
HELD_ALREADY = 1e-9  # rows that others hold already


def row_loops(model: Model) -> list[str]:
    """The loop of each row, by name."""
    return [loop.name for loop in model.loops for _ in loop.held]


def remedy(model: Model) -> str:
    """What to change where a loop cannot follow."""
    joints = list(model.prescribed)
    joints += [loop.name for loop in model.loops if loop.distance is not None]
    if joints:
        return f"it cannot follow {listed(joints)} as prescribed; change that motion, or leave one of them free"
    return "check the start, and lengths and origins around it"


def dead_centre(model: Model, q: np.ndarray) -> str:
    """Words about a loop that is close to a dead centre at q; none where there is no such loop."""
    if not model.loops or not np.all(np.isfinite(q)):
        return ""
    free = model.arrays.velocities.prescribed == 0
    G = (loop_jacobian(model, q) * move_weights(model))[:, free]
    U, sizes, _ = np.linalg.svd(G, full_matrices=False)
    sizes = sizes / max(sizes.max(initial=0.0), 1e-300)
    close = np.flatnonzero((sizes < IN_LINE) & (sizes > HELD_ALREADY))
    if not len(close):
        return ""
    loop = row_loops(model)[int(np.argmax(np.abs(U[:, close[-1]])))]
    return f"loops.{loop} is close to a dead centre there, its links in line: {remedy(model)}"
