"""The arms that are timed: serial chains of equal beams on revolute joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lissom.model import Model, Robot


class States(NamedTuple):
    """A handful of states, one per row: angles of any size, deflections of a few millimetres."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray


def chain(links: int, modes: int, stiffening: str = "none", shear: str = "none") -> Robot:
    """`links` aluminium strips of 0.5 m; `modes` clamped-free modes each, split evenly over the four directions."""
    each = modes // 4
    assert modes == 4 * each, "the modes are split evenly over y, z, torsion, axial"
    beam = {
        "length": 0.5,
        "material": "aluminium",
        "section": {"shape": "rectangle", "width": 0.03, "height": 0.01},
        "shear": shear,
        "modes": {"y": each, "z": each, "torsion": each, "axial": each},
        "ends": "clamped-free",
        "stiffening": stiffening,
    }
    axes = ([0, 0, 1], [0, 1, 0])
    return Robot.from_dict(
        {
            "lissom": 1,
            "name": f"chain-{links}x{modes}",
            "gravity": [0, -9.81, 0],
            "materials": {"aluminium": {"E": 7e10, "nu": 0.33, "rho": 2700}},
            "links": [
                {"name": f"link{i}", "joint": {"type": "revolute", "axis": axes[i % 2]}, "beam": beam}
                for i in range(links)
            ],
        }
    )


def random_states(model: Model, count: int = 4) -> States:
    """`count` random states of a chain."""
    rng = np.random.default_rng(1)
    size = np.full(model.nv, 1e-3)
    size[[body.joint_v.start for body in model.bodies]] = 1.0
    return States(*(size * rng.normal(size=(count, model.nv)) for _ in range(3)))
