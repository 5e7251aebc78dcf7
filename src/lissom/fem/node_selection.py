"""Finding the nodes of an interface: by a plane, a box, a region, or their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.fem.fe_structure import Array, Structure

ON_PLANE = 1e-6  # distance from a plane, relative to the size of the structure


def select(
    structure: Structure,
    plane: Mapping[str, float | None] | None = None,
    box: Any = None,
    near: tuple[Any, float] | None = None,
    default: Any = None,
) -> Any:
    """Return indices of nodes on a plane {"x": 0.0}, in a box (corner, corner), in (centre, radius), or `default`."""
    nodes = structure.nodes
    size = np.ptp(nodes, axis=0).max()
    for axis, name in enumerate("xyz"):
        value = (plane or {}).get(name)
        if value is not None:
            return _require_nodes(structure, np.abs(nodes[:, axis] - value) <= ON_PLANE * size, f"{name} = {value:g}")
    if box is not None:
        low, high = np.sort(np.asarray(box, float), axis=0)
        inside = np.all((nodes >= low - ON_PLANE * size) & (nodes <= high + ON_PLANE * size), axis=1)
        return _require_nodes(structure, inside, f"box {np.asarray(box).tolist()}")
    if near is not None:
        centre, radius = near
        close = np.linalg.norm(nodes - np.asarray(centre, float), axis=1) <= radius * (1 + ON_PLANE)
        return _require_nodes(structure, close, f"near {list(centre)}, radius {radius:g}")
    return default


def numbered(structure: Structure, numbers: Sequence[int], name: str) -> Array:
    """Return indices of the nodes that a table of nodes gives these numbers."""
    known = structure.numbers
    if known is None:
        known = np.arange(len(structure.nodes))
    order = np.argsort(known)
    at = np.searchsorted(known, numbers, sorter=order)
    wrong = (at == len(known)) | (known[order[np.minimum(at, len(known) - 1)]] != np.asarray(numbers))
    if np.any(wrong):
        missing = np.asarray(numbers)[wrong][0]
        raise LissomError(f"there is no node {missing}; numbers run to {known.max()}", ("interfaces", name))
    return order[at]


def _require_nodes(structure: Structure, mask: Array, where: str) -> Array:
    if not mask.any():
        low, high = structure.nodes.min(axis=0), structure.nodes.max(axis=0)
        span = ", ".join(f"{name} {a:.4g} to {b:.4g}" for name, a, b in zip("xyz", low, high))
        raise LissomError(f"holds no node; the structure spans {span} m", (where,))
    return np.flatnonzero(mask)
