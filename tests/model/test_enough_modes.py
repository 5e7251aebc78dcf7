"""`modes: {to: ...}` takes as many functions as the wanted frequencies need, and no more."""

import numpy as np
import pytest

import lissom

TAPER = [
    {"x": 0, "section": {"shape": "tube", "outer": 0.10, "thickness": 0.005}},
    {"x": 1.5, "section": {"shape": "tube", "outer": 0.05, "thickness": 0.005}},
]
SECTIONS = {
    "uniform": {"section": {"shape": "rectangle", "width": 0.03, "height": 0.05}},
    "tapered": {"stations": TAPER},
    "shear-rigid": {"section": {"shape": "tube", "outer": 0.06, "thickness": 0.004}, "shear": "none"},
}


def link(section, modes):
    beam = {"length": 1.5, "material": "steel", "stiffening": "none", "modes": modes} | SECTIONS[section]
    data = {"lissom": 1, "name": "bar", "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}}}
    return lissom.Robot.from_dict(data | {"links": [{"name": "bar", "joint": "fixed", "beam": beam}]})


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(("reach", "accuracy"), [(200.0, 0.01), (800.0, 0.001)])
def test_frequencies_up_to_the_wanted_one_are_right(section, reach, accuracy):
    fine = lissom.natural_modes(link(section, {"y": 14, "z": 14, "torsion": 8, "axial": 8})).frequencies
    robot = link(section, {"to": reach, "accuracy": accuracy})
    found = lissom.natural_modes(robot).frequencies
    wanted = fine[fine <= reach]
    assert len(wanted) >= 2
    np.testing.assert_allclose(found[: len(wanted)], wanted, rtol=1.1 * accuracy)
    assert len(found) < 4 * len(wanted) + 8  # as few as it takes


def test_more_is_wanted_more_functions_are_taken():
    counts = [len(lissom.natural_modes(link("tapered", {"to": f"{reach} Hz"})).frequencies) for reach in (100, 2000)]
    assert counts[0] < counts[1]
