"""The Princeton beam: a slender strip under a tip load at an angle bends far both ways and twists."""

import numpy as np
import pytest
from links_reference import PRINCETON
from scipy.optimize import fsolve

from lissom.beam import BeamLink, Profile, Section, own_basis

P = PRINCETON["parameters"]
STRIP = Section(
    rhoA=0.1, EA=P["EA"], EIy=P["EI_about_y"], EIz=P["EI_about_z"], GJ=P["GJ"], Jx=1e-6, Jy=1e-7, Jz=1e-6,
    kGAy=P["kGAy"], kGAz=P["kGAz"],
)  # fmt: skip
LENGTH = P["L"]


def tip_pose(count, force, angle):
    """Pose of the tip at rest: the minimum of strain energy less the work of the load, by complex steps."""
    profile = Profile.uniform(STRIP, LENGTH)
    basis = own_basis(profile, {"y": count, "z": count, "torsion": count, "axial": 1})
    link = BeamLink(LENGTH, profile, basis, stiffening="exact")
    load = force * np.array([0.0, -np.cos(angle), np.sin(angle)])
    scale = 1 / np.sqrt(np.diag(link.stiffness()))

    def slope(amplitudes, share):
        eta = (amplitudes * scale)[None] + 1e-30j * np.diag(scale)
        return (link.strain_energy(eta) - link.pose(LENGTH, eta)[:, :3, 3] @ load * share).imag / 1e-30

    amplitudes = np.zeros(link.count)
    for share in (0.4, 1.0):
        amplitudes, _, found, _ = fsolve(slope, amplitudes, (share,), full_output=True, xtol=1e-11)
    assert found == 1
    return link.pose(LENGTH, amplitudes * scale)


def error(count, case):
    T = tip_pose(count, case["F"], np.radians(case["beta_deg"]))
    moved = np.abs(T[:3, 3] - [LENGTH, 0, 0] - case["u"]).max() / np.abs(case["u"]).max()
    return moved, abs(np.arctan2(T[2, 1], T[1, 1]) - case["twist"])


@pytest.mark.parametrize("name", ["8.896_30", "13.345_45", "13.345_75"])
def test_four_functions_per_direction_are_within_a_thousandth(name):
    moved, twisted = error(4, PRINCETON["cases"][name])
    assert moved < 1e-3
    assert twisted < 1e-4


def test_it_converges_with_the_number_of_functions():
    errors = [error(count, PRINCETON["cases"]["13.345_45"])[0] for count in (2, 3, 5)]
    assert errors[1] < errors[0] / 3
    assert errors[2] < errors[1] / 3


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINCETON["cases"])
def test_seven_functions_per_direction_are_within_a_few_parts_in_ten_thousand(name):
    moved, twisted = error(7, PRINCETON["cases"][name])
    assert moved < 3e-4
    assert twisted < 5e-5
