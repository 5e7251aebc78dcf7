"""How far flexible links are deflected, and where that is beyond small deformations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.beam.flexible_link import PLACES, small_deflection
from lissom.dynamics.state_checks import Vector
from lissom.lie import so3
from lissom.model.model import Model


class Deflection(NamedTuple):
    """Elastic displacement (m) and rotation vector (rad) of a beam's tip, in the link's frame at its base.

    largest: the largest displacement anywhere along the link, m.
    """

    displacement: np.ndarray  # (3,)
    rotation: np.ndarray  # (3,)
    largest: float


def tip_deflections(model: Model, q: Vector) -> dict[str, Deflection]:
    """Return elastic displacement and rotation of the tip of each flexible link."""
    out = {}
    for body in model.bodies:
        if body.link in model.flexible:
            beam = model.flexible[body.link]
            pose = beam.pose(beam.length, q[body.modes_q])
            along = beam.displacement(np.array(PLACES) * np.real(beam.length), q[body.modes_q])
            largest = float(np.linalg.norm(along, axis=-1).max())
            out[body.link] = Deflection(pose[:3, 3] - beam.position(beam.length), so3.log(pose[:3, :3]), largest)
    return out


def check_bending(model: Model, deflections: dict[str, Deflection]) -> list[str]:
    """Return links bent beyond the range of small deformations."""
    out = []
    for link, tip in deflections.items():
        beam = model.flexible[link]
        share, small = tip.largest / np.real(beam.length), small_deflection(beam)
        if share > small and beam.stiffening != "exact":
            text = f"{link} deflects by {share:.0%} of its length, beyond small deformations ({small:.0%})"
            out.append(f"{text}: write stiffening: exact for it")
    return out
