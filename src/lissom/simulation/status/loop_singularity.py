"""Loops that run into what they cannot follow: which one, and what to do."""

from __future__ import annotations

import numpy as np

from lissom.dynamics.kinematic_loops.loop_closing import move_weights
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_jacobian
from lissom.messages import listed
from lissom.model.model import Model

IN_LINE = 1e-2  # of what the coordinates do to a loop at best: less is close to a dead centre
HELD_ALREADY = 1e-9  # rows that others hold already


def row_loops(model: Model) -> list[str]:
    """Return the loop of each row, by name."""
    return [loop.name for loop in model.loops for _ in loop.held]


def remedy(model: Model) -> str:
    """Return what to change where a loop cannot follow."""
    joints = list(model.prescribed)
    joints += [loop.name for loop in model.loops if loop.distance is not None]
    if joints:
        return f"it cannot follow {listed(joints)} as prescribed; change that motion, or leave one of them free"
    return "check the start, and lengths and origins around it"


def singularity(model: Model, q: np.ndarray) -> tuple[float, str]:
    """Return how well loops are held at q, 0 at a singular position, 1 at most; and the loop that is held least.

    It is the least singular value of the loops' Jacobian over the largest, without rows that others hold anywhere.
    """
    free = model.arrays.velocities.prescribed == 0
    G = (loop_jacobian(model, q) * move_weights(model))[:, free]
    U, sizes, _ = np.linalg.svd(G, full_matrices=False)
    held = sizes > HELD_ALREADY * max(sizes.max(initial=0.0), 1e-300)
    if not held.any():
        return 1.0, ""
    last = int(np.flatnonzero(held)[-1])
    return float(sizes[last] / sizes[0]), row_loops(model)[int(np.argmax(np.abs(U[:, last])))]


def dead_centre(model: Model, q: np.ndarray) -> str:
    """Return words about a loop that is close to a dead centre at q; none where there is no such loop."""
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


def describe_overdetermined(model: Model, q: np.ndarray) -> str:
    """Return words about a loop that prescribed joints leave nothing to follow with; "" where there is none."""
    free = model.arrays.velocities.prescribed == 0
    if not model.loops or free.all() or not np.all(np.isfinite(q)):
        return ""
    G = loop_jacobian(model, q)
    held = [np.linalg.matrix_rank(part, tol=HELD_ALREADY * max(np.abs(G).max(), 1e-300)) for part in (G, G[:, free])]
    if held[1] == held[0]:
        return ""
    left = G - G[:, free] @ np.linalg.pinv(G[:, free]) @ G  # what free coordinates cannot make up for
    loop = row_loops(model)[int(np.argmax(np.abs(left).max(axis=1)))]
    return f"loops.{loop} opens: {remedy(model)}"
