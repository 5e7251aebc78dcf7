"""Points of links as further, massless rows of the arrays: the kernels give their motion like any body's."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lissom.errors import LissomError
from lissom.model.arrays import Arrays
from lissom.model.compiled import Compiled, Model

Offset = tuple[float, float, float]
Point = tuple[str, float | str | None, Offset]


class Probe(Compiled):
    """A model's arrays with points appended as its last rows."""


@lru_cache(maxsize=512)
def probe(model: Model, link: str, x: float | str | None, offset: Offset) -> Probe:
    """The point of a beam at section `x` (its tip unless given), or the tip of a rigid link or its origin."""
    return Probe(_with_points(model, [(link, x, offset)]))


@lru_cache(maxsize=64)
def tips(model: Model) -> Probe:
    """The tips of all links, in the order of `model.links`: the tip of row i is row i + len(model.links)."""
    return Probe(_with_points(model, [(link, None, (0.0, 0.0, 0.0)) for link in model.links]))


def _with_points(model: Model, points: list[Point]) -> Arrays:
    """The model's arrays with one massless row for each point."""
    arrays = model.arrays
    new = {
        name: np.concatenate([values, np.zeros((len(points), *values.shape[1:]), values.dtype)])
        for name, values in arrays._asdict().items()
        if name in _PER_BODY
    }
    for starts in ("cubic_start", "short_start", "station_start"):
        old = getattr(arrays, starts)
        new[starts] = np.append(old, np.repeat(old[-1:], len(points)))
    for row, (link, x, offset) in enumerate(points, start=len(arrays.parent)):
        _place(model, new, row, link, x, offset)
    return arrays._replace(**new)


def _place(
    model: Model, new: dict[str, np.ndarray], row: int, link: str, x: float | str | None, offset: Offset
) -> None:
    """Fill row `row` with the point of `link` at section `x`, shifted by `offset`."""
    new["parent"][row] = model.row(link)
    new["origin_rotation"][row] = np.eye(3)
    new["origin_position"][row] = offset
    new["has_origin"][row] = 1
    if link in model.flexible:
        beam = model.flexible[link]
        place = beam.length if x is None else x
        if not isinstance(place, str) and not 0 <= np.real(place) <= np.real(beam.length):
            raise LissomError(f"x = {place} m is not on {link}, which is {beam.length} m long")
        at, m = beam.section_map(place), beam.count
        new["section_position"][row] = at.position
        new["section_phi"][row, :, :m], new["section_psi"][row, :, :m] = at.phi, at.psi
        new["section_shortening"][row, :m, :m] = at.foreshortening
        new["section_twist"][row, :m, :m] = at.twist
        new["section_running"][row, : len(at.running)] = at.running
    else:
        if x is not None:
            raise LissomError(f"{link} is rigid: give offset=(x, y, z) in its frame instead of x")
        tip = getattr(model.robot.link(link).body, "tip", None)
        if tip is not None:
            new["section_position"][row] = tip


_PER_BODY = {
    "parent",
    "modes",
    "bending",
    "second_order",
    "nodes",
    "joint_q",
    "joint_v",
    "modes_q",
    "modes_v",
    "section_position",
    "section_phi",
    "section_psi",
    "section_shortening",
    "section_twist",
    "section_running",
    "has_origin",
    "origin_rotation",
    "origin_position",
    "steps",
    "motion",
    "axis",
    "dofs",
    "mass",
    "moment",
    "second_moment",
    "coupling",
    "coupling_eta",
    "gyroscopic",
    "modal_mass",
    "stiffness",
    "damping",
    "rigidity",
    "retardation",
}
