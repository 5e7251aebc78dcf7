"""The L of two beams as one link of finite elements: it swings and vibrates as other programs' beams do.

Figures in tests/data/reference_figures.json; compare test_l_mechanism, where it consists of two beams.
"""

from functools import cache

import numpy as np
import pytest
from claims import claim, claim_close
from places import reference_figures

import lissom

FIGURES = reference_figures()["l_mechanism"]
SIZES = {"tall": (0.01, 0.03), "flat": (0.03, 0.01)}  # width in the plane of the L, height across it


def mechanism(width, height, E, rho, modes, **joint):
    """An L of frame elements, hinged at its root."""
    section = {"shape": "rectangle", "width": width, "height": height}
    members = [{"between": pair, "section": section, "elements": 10} for pair in (["root", "elbow"], ["elbow", "tip"])]
    points = {"root": [0, 0, 0], "elbow": [0.5, 0, 0], "tip": [0.5, 0.5, 0]}
    elements = {
        "frame": {"points": points, "members": members},
        "material": "metal",
        "interfaces": {"root": {}, "elbow": {}, "tip": {}},
        "modes": modes,
        "augmented": False,
    }
    hinge = {"name": "hinge", "type": "revolute", "axis": [0, 1, 0], **joint}
    return {
        "lissom": 1,
        "name": "l-mechanism",
        "gravity": [0, 0, -9.81],
        "materials": {"metal": {"E": E, "nu": 0.33, "rho": rho}},
        "links": [{"name": "ell", "joint": hinge, "finite_elements": elements}],
    }


@cache
def swing(orientation):
    return lissom.simulate(lissom.Robot.from_dict(mechanism(*SIZES[orientation], 2e11, 7800, modes=6)), 0.5)


@pytest.mark.parametrize("orientation", SIZES)
def test_swing_agrees_with_geometrically_exact_beams(orientation):
    run, figures = swing(orientation), FIGURES["swing"][orientation]
    claim(abs(np.rad2deg(run["hinge"].values[-1]) - figures["degrees"]), 0.01, "deg")
    elbow = lissom.point_pose(run.model, run.q[-1], "ell", x="elbow")[:3, 3]
    for place, expected in ((run.tip("ell").values[-1], figures["tip"]), (elbow, figures["elbow"])):
        claim(np.abs(place - expected).max(), 5e-5, "m")


@pytest.mark.parametrize("orientation", SIZES)
def test_undamped_swing_keeps_its_energy(orientation):
    run = swing(orientation)
    assert np.max(np.abs(run["energy_residual"])) < 1e-5 * np.max(run["kinetic_energy"].values)


def test_natural_frequencies_of_the_motor_driven_mechanism_agree():
    data = mechanism(0.008, 0.008, 7e10, 2700, modes=12, transmission={"rotor_inertia": 0.005569})
    data["links"].append({"name": "bracket", "at": "elbow", "joint": "fixed", "body": {"mass": 0.017}})
    modes = lissom.natural_modes(lissom.Robot.from_dict(data), locked=False, gravity=False)
    figures = np.array(FIGURES["frequencies_hz"])
    frequencies = modes.frequencies[modes.oscillating]
    claim_close(frequencies[: len(figures)], figures, 0.003)
    assert np.allclose(frequencies[: len(figures)], figures, rtol=3e-4)  # what it reaches
