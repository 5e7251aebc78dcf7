"""`modes: {to: ...}` takes as many functions as the wanted frequencies need, and no more."""

import re

import numpy as np
import pytest

import lissom

TAPER = [
    {"x": 0, "section": {"shape": "tube", "outer": 0.10, "thickness": 0.005}},
    {"x": 1.5, "section": {"shape": "tube", "outer": 0.05, "thickness": 0.005}},
]
STRIP = {"shape": "rectangle", "width": 0.02, "height": 0.06}
SECTIONS = {
    "uniform": {"section": {"shape": "rectangle", "width": 0.03, "height": 0.05}},
    "tapered": {"stations": TAPER},
    "shear-rigid": {"section": {"shape": "tube", "outer": 0.06, "thickness": 0.004}, "shear": "none"},
    "off its axis": {"section": {"shape": "tube", "outer": 0.06, "thickness": 0.004, "offset": [0.1, 0.05]}},
    "twisted": {"stations": [{"x": x, "section": STRIP | {"turn": turn}} for x, turn in ((0, 0), (1.5, 1.57))]},
    "thin channel": {"section": {"shape": "C", "width": 0.1, "height": 0.1, "flange": 0.006, "web": 0.006}},
}
HEAVY = {"mass": 5.0, "com": [0, 0, 0.1], "inertia": [0.05, 0.05, 0.05]}


def link(section, modes, length=1.5, **fields):
    beam = {"length": length, "material": "steel", "stiffening": "none", "modes": modes} | SECTIONS[section]
    data = {"lissom": 1, "name": "bar", "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}}}
    return lissom.Robot.from_dict(data | {"links": [{"name": "bar", "joint": "fixed", "beam": beam} | fields]})


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(("reach", "accuracy"), [(200.0, 0.01), (800.0, 0.001)])
def test_frequencies_up_to_the_wanted_one_are_right(section, reach, accuracy):
    fine = lissom.natural_modes(link(section, {"y": 18, "z": 18, "torsion": 24, "axial": 6})).frequencies
    robot = link(section, {"to": reach, "accuracy": accuracy})
    found = lissom.natural_modes(robot).frequencies
    wanted = fine[fine <= reach]
    assert len(wanted) >= 2
    assert np.all(found[: len(wanted)] < (1 + accuracy) * wanted)  # both come from above
    assert len(found) < (4 if accuracy == 0.01 else 8) * len(wanted) + 10  # as few as any load on the tip allows


LOADS = {
    "heavy": HEAVY,
    "off the axis": {"mass": 5.0, "com": [0.2, 0.1, 0.1], "inertia": [0.05, 0.05, 0.05]},
    "a point": {"mass": 20.0},
    "a wheel": {"mass": 3.0, "inertia": [0.5, 0.26, 0.26]},
}


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize(
    ("section", "length"), [("uniform", 0.3), ("uniform", 1.0), ("off its axis", 1.0), ("twisted", 1.5)]
)
def test_they_are_right_too_when_the_tip_carries_a_body(section, length, load):
    """A short link alone is stiff; what it carries turns it far below its own frequencies, torsion above all."""
    fine = link(section, {"y": 12, "z": 12, "torsion": 6, "axial": 6}, length, payload=LOADS[load])
    few = link(section, {"to": 200.0}, length, payload=LOADS[load])
    wanted = lissom.natural_modes(fine).frequencies
    wanted = wanted[wanted <= 200.0]
    assert len(wanted) >= 2
    np.testing.assert_allclose(lissom.natural_modes(few).frequencies[: len(wanted)], wanted, rtol=0.01)


def test_more_is_wanted_more_functions_are_taken():
    counts = [len(lissom.natural_modes(link("tapered", {"to": f"{reach} Hz"})).frequencies) for reach in (100, 2000)]
    assert counts[0] < counts[1]


def test_describe_says_that_shear_lowers_every_frequency():
    """In an angle every mode moves along y, along z and about x; shear lowers all of them all the same."""
    angle = {"section": {"shape": "L", "width": 0.1, "height": 0.1, "thickness": 0.01}}
    beam = {"length": 1.0, "material": "steel", "modes": {"y": 4, "z": 4, "torsion": 4, "axial": 1}} | angle
    data = {"lissom": 1, "name": "bar", "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}}}
    text = lissom.Robot.from_dict(data | {"links": [{"name": "bar", "joint": "fixed", "beam": beam}]}).describe()
    row = next(line for line in text[text.index("What shear does") :].splitlines() if line.startswith("  bar"))
    shifts = [float(part) for part in row.replace("%", " ").split()[1:]]
    assert len(shifts) >= 3
    assert all(-60 < shift < 0 for shift in shifts), row


@pytest.mark.parametrize("at", [0.3, 0.72, 1.2])
def test_described_frequencies_are_right_with_a_mass_that_resists_turning(at):
    """Shear force and moment jump where the mass is. The reference: 25 beam elements with a node there."""
    beam = {"length": 1.5, "material": "steel", "shear": "none"} | SECTIONS["uniform"]
    beam["masses"] = [{"mass": 4.0, "at": at, "inertia": [0.1, 0.1, 0.1]}]
    data = {"lissom": 1, "name": "bar", "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}}}
    few, fine = (
        lissom.Robot.from_dict(data | {"links": [{"name": "bar", "joint": "fixed", "beam": beam | how}]})
        for how in ({"modes": {"y": 3}}, {"modes": {"y": 50}, "ends": "hermite"})
    )
    wanted = lissom.natural_modes(fine).frequencies[:3]
    row = re.search(r"^ *bar +([\d. \[\]]+)$", few.describe().split("Natural")[1], re.MULTILINE)
    found = [float(part) for part in row[1].split() if part[0] != "["]  # not those of its own few functions
    np.testing.assert_allclose(found, wanted, rtol=1e-3)


def test_described_shifts_by_shear_are_as_many_as_frequencies():
    text = link("uniform", {"y": 1, "z": 2}).describe()
    assert text.split("What shear does")[1].count("%") == 3
    assert "What shear does" not in link("shear-rigid", {"y": 2}).describe()
