"""Chains of aluminium strips, and a hand, that fall."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.model import Robot

STRIP, FINGER = {"width": 0.03, "height": 0.01}, {"width": 0.02, "height": 0.005}
COARSE, FINE = {"y": 2, "z": 2, "torsion": 1}, {"y": 4, "z": 4, "torsion": 2}


def strip(length: float, section: dict[str, float], modes: dict[str, int]) -> dict[str, Any]:
    return {
        "length": length,
        "material": "aluminium",
        "section": {"shape": "rectangle", **section},
        "shear": "none",
        "modes": modes,
        "damping": {"stiffness": 1e-4},
    }


def robot(kind: str, links: int, modes: dict[str, int] = COARSE) -> Robot:
    """A chain of the kind `planar`, `spatial` (axes z and y by turns) or `spherical`; or a `hand` of five fingers."""
    gravity = [0.0, -9.81, 0.0] if kind == "planar" else [0.0, -6.94, -6.94]
    across = ([0, 0, 1], [0, 0, 1]) if kind == "planar" else ([0, 0, 1], [0, 1, 0])
    parts: list[dict[str, Any]] = []
    if kind == "hand":
        palm = {"mass": 0.5, "com": [0.1, 0.0, 0.0], "inertia": np.diag([1e-3, 2e-3, 2e-3]).tolist()}
        turn = {"type": "revolute", "name": "wrist", "axis": [0, 0, 1], "damping": 0.02}
        parts.append({"name": "palm", "joint": turn, "body": palm})
    for finger in range(5 if kind == "hand" else 1):
        for k in range(links):
            joint: dict[str, Any] = {"type": "revolute", "axis": across[k % 2]}
            if kind == "spherical":
                joint = {"type": "spherical"}
            joint |= {"name": f"joint{finger}-{k}", "damping": 0.002 if kind == "hand" else 0.05}
            part = {"name": f"link{finger}-{k}", "joint": joint}
            part["beam"] = strip(0.2, FINGER, modes) if kind == "hand" else strip(0.5, STRIP, modes)
            if kind == "hand" and k == 0:
                spread = 0.3 * (finger - 2)
                origin = {"xyz": [0.2, 0.04 * (finger - 2), 0.0], "rpy": [0.0, 0.0, spread]}
                part |= {"parent": "palm", "origin": origin}
            elif k > 0:
                part["parent"] = f"link{finger}-{k - 1}"
            parts.append(part)
    materials = {"aluminium": {"E": 7e10, "nu": 0.33, "rho": 2700.0}}
    return Robot.from_dict(
        {"lissom": 1, "name": f"{kind}-{links}", "gravity": gravity, "materials": materials, "links": parts}
    )
