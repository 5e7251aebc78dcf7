"""An L of two beams, hinged at one end: it swings down, bends and twists as geometrically exact beams do.

Figures in tests/data/reference_figures.json, by another program; natural frequencies by a frame finite-element model.
"""

from functools import cache

import numpy as np
import pytest
from claims import claim, claim_close
from places import reference_figures

import lissom

FIGURES = reference_figures()["l_mechanism"]
SIZES = {"tall": (0.01, 0.03), "flat": (0.03, 0.01)}  # width in the plane of the L, height across it


@cache
def swing(orientation):
    """Released from horizontal, up to 0.5 s."""
    robot = lissom.load("l-mechanism")
    for link in ("arm", "finger"):
        for name, size in zip(("width", "height"), SIZES[orientation]):
            robot = robot.with_value(f"links.{link}.beam.section.{name}", size)
    return lissom.simulate(robot, 0.5)


@pytest.mark.parametrize("orientation", SIZES)
def test_swing_angle_agrees(orientation):
    angle = np.rad2deg(swing(orientation)["hinge"].values[-1])
    claim(abs(angle - FIGURES["swing"][orientation]["degrees"]), 0.01, "deg")


@pytest.mark.parametrize("orientation", SIZES)
def test_elbow_and_tip_are_where_they_should_be(orientation):
    run, figures = swing(orientation), FIGURES["swing"][orientation]
    for link, point in (("arm", "elbow"), ("finger", "tip")):
        claim(np.max(np.abs(run.tip(link)[-1].values - figures[point])), 5e-5, "m")


@pytest.mark.parametrize("orientation", SIZES)
def test_undamped_swing_keeps_its_energy(orientation):
    run = swing(orientation)
    assert np.max(np.abs(run["energy_residual"])) < 1e-6 * np.max(run["kinetic_energy"].values)
    assert np.max(np.abs(run["work"])) == np.max(np.abs(run["dissipated"])) == 0


def test_tall_section_bends_out_of_the_plane_less_than_in_it():
    """What the two orientations exchange: 0.03 m of height against gravity, or 0.01 m."""
    sag = {name: np.abs(swing(name).deflection("arm").values[:, 2]).max() for name in SIZES}
    assert sag["flat"] > 3 * sag["tall"]


def test_natural_frequencies_of_the_motor_driven_mechanism_agree():
    modes = lissom.natural_modes(lissom.load("l-mechanism-torque"), locked=False, gravity=False)
    frequencies = modes.frequencies[modes.oscillating]
    figures = np.array(FIGURES["frequencies_hz"])
    claim_close(frequencies[: len(figures)], figures, 0.003)
