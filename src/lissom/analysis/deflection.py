"""How far the tips of flexible links are deflected, and where that is beyond small deformations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.dynamics.state import Vector
from lissom.lie import so3
from lissom.model.compiled import Model

FAR = 0.1  # deflection over length from which small-deformation theory is in doubt


class Deflection(NamedTuple):
    """Elastic displacement (m) and rotation vector (rad) of a beam's tip, in the link's frame at its base."""

    displacement: np.ndarray  # (3,)
    rotation: np.ndarray  # (3,)


def tip_deflections(model: Model, q: Vector) -> dict[str, Deflection]:
    """Elastic displacement and rotation of the tip of each flexible link."""
    out = {}
    for body in model.bodies:
        if body.link in model.flexible:
            beam = model.flexible[body.link]
            pose = beam.pose(beam.length, q[body.modes_q])
            out[body.link] = Deflection(pose[:3, 3] - beam.position(beam.length), so3.log(pose[:3, :3]))
    return out


def bending_doubts(model: Model, deflections: dict[str, Deflection]) -> list[str]:
    """Links bent beyond the range of small deformations."""
    out = []
    for link, tip in deflections.items():
        share = np.linalg.norm(tip.displacement) / model.flexible[link].length
        if share > FAR and model.flexible[link].stiffening != "exact":
            text = f"{link} deflects by {share:.0%} of its length, beyond small deformations ({FAR:.0%})"
            out.append(f"{text}: write stiffening: exact for it")
    return out
