"""A point of a link as one more, massless row of the arrays: the kernels then give its motion like any body's."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lissom.errors import LissomError
from lissom.model.compiled import Compiled, Model


class Probe(Compiled):
    """A model's arrays with one point appended as the last row."""


@lru_cache(maxsize=512)
def probe(model: Model, link: str, x: float | None, offset: tuple[float, float, float]) -> Probe:
    """The point at section `x` of a beam (default: its tip), or of a rigid link (default: its tip, else its origin)."""
    row = model.row(link)
    arrays = model.arrays
    new = {
        name: np.concatenate([values, np.zeros_like(values[:1])])
        for name, values in arrays._asdict().items()
        if name in _PER_BODY
    }
    new["parent"][-1] = row
    new["origin_rotation"][-1] = np.eye(3)
    new["origin_position"][-1] = offset
    new["has_origin"][-1] = 1
    for starts in ("cubic_start", "short_start"):
        new[starts] = np.append(getattr(arrays, starts), getattr(arrays, starts)[-1])
    if link in model.beams:
        beam = model.beams[link]
        place = beam.length if x is None else x
        if not 0 <= np.real(place) <= np.real(beam.length):
            raise LissomError(f"x = {place} m is not on {link}, which is {beam.length} m long")
        at, m = beam.section_map(place), beam.count
        new["section_position"][-1] = at.position
        new["section_phi"][-1, :, :m], new["section_psi"][-1, :, :m] = at.phi, at.psi
        new["section_shortening"][-1, :m, :m] = at.foreshortening
        new["section_twist"][-1, :m, :m] = at.twist
    else:
        if x is not None:
            raise LissomError(f"{link} is rigid: give offset=(x, y, z) in its frame instead of x")
        tip = getattr(model.robot.link(link).body, "tip", None)
        if tip is not None:
            new["section_position"][-1] = tip
    return Probe(arrays._replace(**new))


_PER_BODY = (
    "parent modes bending second_order joint_q joint_v modes_q modes_v section_position section_phi section_psi "
    "section_shortening section_twist has_origin origin_rotation origin_position steps motion axis dofs mass moment "
    "second_moment coupling coupling_eta gyroscopic modal_mass stiffness damping"
).split()
