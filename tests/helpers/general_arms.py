"""Small arms whose links are built as real ones are: tapered, stepped, thick, twisted, off their axis, coupled."""

from __future__ import annotations

from typing import Any

import numpy as np

RUBBER = {"E": 5.0e7, "nu": 0.4, "rho": 1100.0}
STATIONS = [
    {"x": 0.0, "section": {"shape": "rectangle", "width": 0.08, "height": 0.12}},
    {"x": 0.3, "section": {"shape": "rectangle", "width": 0.06, "height": 0.10, "turn": 0.3}},
    {"x": 0.3, "section": {"shape": "tube", "outer": 0.10, "thickness": 0.02}},
    {"x": 0.7, "section": {"shape": "tube", "outer": 0.07, "thickness": 0.015, "offset": [0.01, -0.02]}},
]


def stiffness_matrix() -> list[list[float]]:
    """A 6 x 6 stiffness with bending, twist and stretch coupled."""
    diagonal = np.array([2e5, 6e4, 7e4, 60.0, 120.0, 150.0])
    mixed = np.random.default_rng(8).normal(size=(6, 6)) * 0.12
    scale = np.sqrt(diagonal)
    return (scale[:, None] * (np.eye(6) + mixed @ mixed.T + (mixed + mixed.T) / 4) * scale).tolist()


def mass_matrix() -> list[list[float]]:
    """Of a section whose mass lies off the axis, its inertia turned."""
    m, y, z = 3.0, 0.015, -0.01
    J = np.diag([0.006, 0.0025, 0.0035]) + np.array([[0, 0, 0], [0, 0, 0.0004], [0, 0.0004, 0]])
    c = np.array([[0, -z, y], [z, 0, 0], [-y, 0, 0]])
    return np.block([[m * np.eye(3), -m * c], [m * c, J - m * c @ c]]).tolist()


BEAMS: dict[str, dict[str, Any]] = {
    "thick": {"section": {"shape": "rectangle", "width": 0.08, "height": 0.12}},
    "stations": {"stations": STATIONS},
    "stations without shear": {"stations": STATIONS, "shear": "none"},
    "stiffnesses off the axis": {
        "section": {
            "rhoA": 4.0, "EA": 3e5, "EIy": 90.0, "EIz": 140.0, "GJ": 60.0, "kGAy": 5e4, "kGAz": 7e4, "turn": 0.4,
            "centroid": [0.01, -0.02], "shear_centre": [0.03, 0.015],
        }
    },
    "matrices": {"section": {"stiffness": stiffness_matrix(), "mass": mass_matrix()}},
    "channel": {"section": {"shape": "C", "width": 0.06, "height": 0.1, "flange": 0.015, "web": 0.012}},
    "heated": {
        "section": {"shape": "rectangle", "width": 0.08, "height": 0.12},
        "prestress": {"curvature": [0.05, -0.03], "stretch": 0.002, "tendons": [{"tension": 30.0, "at": [0.02, 0.03]}]},
    },
    "heated plain": {
        "section": {"shape": "rectangle", "width": 0.08, "height": 0.12},
        "shear": "none",
        "prestress": {"curvature": [0.05, -0.03], "twist": 0.04, "tendons": [{"tension": 30.0, "at": [0.02, 0.03]}]},
    },
}  # fmt: skip


def arm(kind: str, stiffening: str) -> dict[str, Any]:
    """A general beam on a hinge, with a mass, that carries a rigid body inside and a second, plain beam at its tip."""
    beam = {
        "length": 0.7, "material": "rubber", "modes": {"y": 2, "z": 2, "torsion": 1, "axial": 1},
        "stiffening": stiffening, "damping": {"stiffness": 2e-3, "mass": 0.1},
        "masses": [{"mass": 0.4, "at": 0.5, "com": [0.02, 0.03, -0.01], "inertia": [1e-3, 2e-3, 1.5e-3]}],
        **BEAMS[kind],
    }  # fmt: skip
    body = {"mass": 0.6, "com": [0.05, 0.02, -0.03], "inertia": [2e-3, 3e-3, 4e-3]}
    plain = {"rhoA": 1.5, "EA": 2e4, "EIy": 40.0, "EIz": 50.0, "GJ": 30.0}
    last = {"length": 0.5, "section": plain, "modes": {"y": 1, "z": 1, "torsion": 1}, "stiffening": stiffening}
    return {
        "lissom": 1, "name": kind, "gravity": [1.0, -2.0, -9.0], "materials": {"rubber": RUBBER},
        "links": [
            {"name": "boom", "joint": {"type": "revolute", "axis": [0.2, 1.0, -0.3]}, "beam": beam},
            {"name": "side", "parent": "boom", "at": 0.35, "joint": {"type": "spherical"}, "body": body,
             "origin": {"xyz": [0, 0.05, 0], "rpy": [0.3, 0.2, 0.1]}},
            {"name": "fore", "parent": "boom", "joint": {"type": "universal", "axes": [[0, 1, 0], [0, 0, 1]]},
             "beam": last},
        ],
    }  # fmt: skip
