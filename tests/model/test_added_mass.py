"""Pipes, hoses and cables go along with a beam: mass per length beside its section's shape, without stiffness."""

import numpy as np
import pytest

import lissom
from lissom.errors import LissomError

LENGTH, ADDED = 4.0, 30.0
TUBE = {"shape": "tube", "outer": 0.1, "thickness": 0.005}


def boom(section, end=None, **beam):
    """A clamped boom of steel."""
    stations = [{"x": 0.0, "section": section}, {"x": LENGTH, "section": end}] if end else ()
    where = {"stations": stations} if end else {"section": section}
    link = {"name": "boom", "parent": "world", "joint": {"type": "fixed"}}
    link["beam"] = {"length": LENGTH, "material": "steel", "shear": "none", **where, **beam}
    steel = {"E": 210e9, "nu": 0.3, "rho": 7850.0}
    return lissom.Robot.from_dict({"name": "boom", "materials": {"steel": steel}, "links": [link]})


def own(robot):
    """Stiffness and mass per length of its section alone."""
    section = robot.link("boom").beam.section.model_copy(update={"added_mass": 0.0})
    return section.build(robot.materials["steel"].build())


@pytest.mark.parametrize("shape", [TUBE, {"shape": "L", "width": 0.1, "height": 0.1, "thickness": 0.01}])
def test_mass_is_added_and_stiffness_is_not(shape):
    plain, carrying = boom(shape), boom(shape | {"added_mass": "30 kg/m"})
    masses = [robot.compile().flexible["boom"].mass for robot in (plain, carrying)]
    assert masses[1] - masses[0] == pytest.approx(ADDED * LENGTH, rel=1e-12)
    load = {("boom", None): (0, 0, 0, 0, 0, -1000.0)}
    bent = []
    for robot in (plain, carrying):
        model = robot.with_value("gravity", (0, 0, 0)).compile()
        bent.append(lissom.static_equilibrium(model, loads=load).deflections["boom"].displacement)
    np.testing.assert_allclose(bent[0], bent[1], rtol=1e-8)  # of functions that differ a little


def test_frequencies_are_those_of_a_heavier_beam():
    """f1 = 1.875104^2 / (2 pi L^2) sqrt(EI / m), by Euler and Bernoulli."""
    robot = boom(TUBE | {"added_mass": ADDED})
    section = own(robot)
    m = float(section.rhoA) + ADDED
    expected = 1.8751040687**2 / (2 * np.pi * LENGTH**2) * np.sqrt(float(section.EIy) / m)
    # rotary inertia of the tube itself lowers it by 1e-4
    assert lissom.natural_modes(robot.compile(), locked=True).frequencies[0] == pytest.approx(expected, rel=5e-4)


def test_a_pipe_beside_the_axis_twists_the_boom_by_its_weight():
    """A line load of w = 30 g N/m, 0.2 m beside the axis, twists a cantilever by w e L^2 / (2 GJ)."""
    robot = boom(TUBE | {"added_mass": ADDED, "added_at": [0.2, 0.0]})
    section = own(robot)
    rest = lissom.static_equilibrium(robot.compile())
    twist = -ADDED * 9.81 * 0.2 * LENGTH**2 / 2 / float(section.GJ)
    assert abs(rest.deflections["boom"].rotation[0]) == pytest.approx(abs(twist), rel=5e-3)


def test_mass_tapers_with_the_section():
    """From 30 kg/m to nothing: half of it all along."""
    robot = boom(TUBE | {"added_mass": ADDED}, end=TUBE)
    mass = robot.compile().flexible["boom"].mass - boom(TUBE).compile().flexible["boom"].mass
    assert mass == pytest.approx(ADDED * LENGTH / 2, rel=1e-9)


def test_it_is_written_and_read():
    robot = boom(TUBE | {"added_mass": "30 kg/m", "added_at": ["10 cm", 0]})
    again = lissom.Robot.from_yaml(robot.to_yaml())
    assert again == robot and "added_mass: 30" in robot.to_yaml()
    with pytest.raises(LissomError, match="added_mass"):
        boom(TUBE | {"added_mass": -1.0})
    with pytest.raises(LissomError, match=r"kg/m"):
        boom(TUBE | {"added_mass": "3 kg"})
