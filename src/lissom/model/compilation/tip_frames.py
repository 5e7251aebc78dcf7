"""Points of links as further, massless rows of the arrays: the kernels give their motion like any body's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from lissom.errors import LissomError
from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.table_operations import leaves, mapped, with_bodies
from lissom.model.compilation.frames_on_links import attach
from lissom.model.description.location import on_beam
from lissom.model.model import Compiled, Model

Offset = tuple[float, float, float]
Point = tuple[str, float | str | None, Offset | None]


class Probe(Compiled):
    """A model's arrays with points appended as its last rows."""


@lru_cache(maxsize=512)
def probe(model: Model, link: str, x: float | str | None, offset: Offset | None) -> Probe:
    """Return the arrays with a point of a link, placed as a `Frame` is: `x` for `at`, `offset` for `origin`."""
    return Probe(with_points(model, [(link, x, offset)]))


@lru_cache(maxsize=64)
def tips(model: Model) -> Probe:
    """Return the tips of all links, in the order of `model.links`, as the last rows."""
    return Probe(with_points(model, _tip_points(model)))


def own_tips(model: Model) -> Probe:
    """Return the same in memory that is the caller's, for other models to `follow`."""
    return Probe(mapped(np.copy, with_points(model, _tip_points(model))))


def follow(probe: Probe, model: Model) -> None:
    """Let the tips of a model serve another one, which differs in numbers alone."""
    for own, table in zip(leaves(model.arrays), leaves(probe.memory), strict=True):
        table[: len(own)] = own
    _place_all(model, probe.memory, _tip_points(model))


def with_points(model: Model, points: Sequence[Point]) -> Arrays:
    """Return the model's arrays with one massless row for each point."""
    arrays = with_bodies(model.arrays, len(points))
    _place_all(model, arrays, points)
    return arrays


def _tip_points(model: Model) -> list[Point]:
    return [(link, None, None) for link in model.links]


def _place_all(model: Model, arrays: Arrays, points: Sequence[Point]) -> None:
    """Fill the rows after the model's own."""
    for row, (link, x, offset) in enumerate(points, start=len(model.arrays.tree.parent)):
        _place(model, arrays, row, link, x, offset)


def _place(model: Model, arrays: Arrays, row: int, link: str, x: float | str | None, offset: Offset | None) -> None:
    """Fill row `row` with the point of `link` at section `x`, shifted by `offset`; of a rigid link, its tip if none."""
    section, joint = arrays.sections, arrays.joints
    arrays.tree.parent[row], arrays.tree.frame[row] = model.row(link), 1
    joint.origin_rotation[row], joint.has_origin[row] = np.eye(3), 1
    joint.origin_position[row] = (0.0, 0.0, 0.0) if offset is None else offset
    if link in model.flexible:
        beam = model.flexible[link]
        place = beam.length if x is None else x
        if not isinstance(place, str) and not on_beam(place, beam.length):
            raise LissomError(f"is not on {link}, which is {np.real(beam.length):g} m long", ("x",), place)
        attach(section, row, beam, place)
    else:
        if x is not None:
            raise LissomError(f"{link} is rigid; give offset=(x, y, z) in its frame instead", ("x",), x)
        if offset is None:
            joint.origin_position[row] = tip_of(model, link)


def tip_of(model: Model, link: str) -> np.ndarray:
    """Return tip of a link that is not deformed, in its axes (3,); the origin of a rigid one that has none."""
    if link in model.flexible:
        beam = model.flexible[link]
        return np.asarray(beam.section_map(beam.length).position)
    tip = getattr(model.robot.link(link).body, "tip", None)
    return np.zeros(3) if tip is None else np.asarray(tip)
