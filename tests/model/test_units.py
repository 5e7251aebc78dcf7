"""Quantities with units in files, against SI by hand; units of the wrong kind are refused."""

import numpy as np
import pytest

import lissom
from lissom.model.units import fits, parsed, quantity

SI = {
    "45 deg": np.pi / 4,
    "500 mm": 0.5,
    "2.5cm": 0.025,
    "210 GPa": 2.1e11,
    "7.85 g/cm3": 7850.0,
    "30 rpm": np.pi,
    "2 kN m/rad": 2e3,
    "1 N m/deg": 180 / np.pi,
    "3 t": 3e3,
    "20 ms": 0.02,
    "-1.5e2 mrad": -0.15,
}


@pytest.mark.parametrize("text", SI)
def test_quantities_are_turned_to_si(text):
    number, unit = quantity(text)
    assert number * unit.size == pytest.approx(SI[text], rel=1e-12)


def test_decimal_units_leave_decimal_numbers():
    """So that files that are written again show 7850, not 7849.999999999999."""
    for text, size in {"g/cm3": 1e3, "N/mm2": 1e6, "kg/mm": 1e3, "cm2": 1e-4, "deg": np.pi / 180}.items():
        assert parsed(text).size == size


@pytest.mark.parametrize("text", ["fast", "5", "5 furlong", "1,5 m", "deg 45", "", "1 km999", "1 mm-400"])
def test_other_text_is_no_quantity(text):
    assert quantity(text) is None


def test_kinds_of_units_are_told_apart():
    assert fits(parsed("deg"), "rad or metres") and fits(parsed("mm"), "rad or metres")
    assert not fits(parsed("deg"), "metres") and not fits(parsed("kg"), "rad or metres")
    assert not fits(parsed("rad/s"), "Hz") and fits(parsed("kHz"), "Hz")  # a Hz is a turn, not a radian, per second
    assert fits(parsed("N m"), "N m/rad (N/m when sliding)") and fits(parsed("kN/m"), "N m/rad (N/m when sliding)")
    assert not fits(parsed("m"), "")


ARM = """
lissom: 1
name: arm
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7.85 g/cm3}}
links:
  - name: boom
    joint: {type: revolute, axis: [0, 1, 0], limits: {lower: -90 deg, upper: 90 deg, stiffness: 1 kN m/deg}}
    origin: {xyz: [10 cm, 0, 0], rpy: [0, 0, 90 deg]}
    beam:
      length: 500 mm
      material: steel
      section: {shape: tube, outer: 40 mm, thickness: 2 mm}
      shear: none
      modes: {z: 1}
"""


def test_robot_files_take_units_and_write_si():
    robot = lissom.Robot.from_yaml(ARM)
    boom = robot.link("boom")
    assert (boom.beam.length, robot.materials["steel"].E) == (0.5, 2.1e11)
    assert boom.origin.xyz[0] == pytest.approx(0.1) and boom.origin.rpy[2] == pytest.approx(np.pi / 2)
    assert boom.joint.limits.upper == pytest.approx(np.pi / 2)
    assert lissom.Robot.from_yaml(robot.to_yaml()) == robot and "deg" not in robot.to_yaml()


def test_a_unit_of_the_wrong_kind_names_field_and_value():
    with pytest.raises(lissom.LissomError, match=r"links\.boom\.beam\.length = '500 kg': has a unit of the wrong kind"):
        lissom.Robot.from_yaml(ARM.replace("500 mm", "500 kg"))


def test_principal_inertias_take_units():
    links = [{"name": "hub", "joint": "fixed", "body": {"mass": "500 g", "inertia": ["2 kg cm2", 3e-4, "4 kg cm2"]}}]
    inertia = lissom.Robot(name="top", links=links).link("hub").body.inertia
    np.testing.assert_allclose(np.diag(inertia), [2e-4, 3e-4, 4e-4], rtol=1e-12)


def test_bounds_hold_in_any_unit():
    with pytest.raises(lissom.LissomError, match=r"length = '101 km': is beyond any physical size \(at most 100000\)"):
        lissom.Robot.from_yaml(ARM.replace("500 mm", "101 km"))
