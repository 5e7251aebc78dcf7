"""Quantities with units in files, against SI by hand; units of the wrong kind are refused."""

import gc
import warnings

import numpy as np
import pytest

import lissom
from lissom.dynamics.sensing import Sensing
from lissom.model.schema.number_fields import Number
from lissom.model.schema.units import POSITION, STIFFNESS, fits, parse, quantity
from lissom.scenario import Scenario

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
        assert parse(text).size == size


@pytest.mark.parametrize("text", ["fast", "5", "5 furlong", "1,5 m", "deg 45", "", "1 km999", "1 mm-400"])
def test_other_text_is_no_quantity(text):
    assert quantity(text) is None


def test_kinds_of_units_are_told_apart():
    assert fits(parse("deg"), POSITION)
    assert fits(parse("mm"), POSITION)
    assert not fits(parse("deg"), "metres")
    assert not fits(parse("kg"), POSITION)
    assert not fits(parse("rpm"), POSITION)
    assert not fits(parse("rad/s"), "Hz")
    assert fits(parse("kHz"), "Hz")
    assert fits(parse("N m"), STIFFNESS)
    assert fits(parse("kN/m"), STIFFNESS)
    assert not fits(parse("m"), "")


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
    assert boom.origin.xyz[0] == pytest.approx(0.1)
    assert boom.origin.rpy[2] == pytest.approx(np.pi / 2)
    assert boom.joint.limits.upper == pytest.approx(np.pi / 2)
    assert lissom.Robot.from_yaml(robot.to_yaml()) == robot
    assert "deg" not in robot.to_yaml()


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


JOINTS = {"revolute": "rad", "prismatic": "m", "helical": "rad"}
OF_JOINTS = {  # path: units where it turns, where it slides
    "damping": ("N m s/rad", "N s/m"),
    "friction.coulomb": ("N m", "N"),
    "friction.velocity": ("rpm", "mm/s"),
    "friction.stick": ("kN m", "kN"),
    "friction.stribeck": ("deg/s", "m/s"),
    "friction.viscous": ("N m s/rad", "N s/m"),
    "spring.stiffness": ("N m/deg", "N/mm"),
    "spring.rest": ("deg", "mm"),
    "limits.lower": ("deg", "mm"),
    "limits.upper": ("deg", "mm"),
    "limits.stiffness": ("N m/rad", "N/m"),
    "limits.damping": ("N m s/rad", "N s/m"),
    "limits.width": ("deg", "mm"),
    "transmission.stiffness": ("N m/rad", "N/m"),
    "transmission.rotor_inertia": ("kg m2", "kg"),
    "transmission.damping": ("N m s/rad", "N s/m"),
    "transmission.hysteresis": ("N m", "N"),
    "transmission.curve.backlash": ("deg", "mm"),
}
NEEDED = {
    "limits": {"lower": -9.0, "upper": 9.0, "stiffness": 1.0},
    "transmission": {"stiffness": 1.0, "rotor_inertia": 1.0},
}


def with_joint(kind, path, value):
    """A body on a joint with a value at a path of the joint."""
    joint = {"name": "j", "type": kind, "axis": [0, 0, 1]} | ({"pitch": "5 mm"} if kind == "helical" else {})
    block, here = path.split(".")[0], joint
    if "." in path:
        joint[block] = dict(NEEDED.get(block, {}))
    for key in path.split(".")[:-1]:
        here = here.setdefault(key, {})
    here[path.split(".")[-1]] = value
    link = {"name": "a", "joint": joint, "body": {"mass": 1, "inertia": [1, 1, 1]}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "r", "links": [link]})


@pytest.mark.parametrize("path", OF_JOINTS)
@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_takes_the_units_of_its_kind_and_no_other(kind, path):
    right, wrong = OF_JOINTS[path] if JOINTS[kind] == "rad" else OF_JOINTS[path][::-1]
    size = -1 if path == "limits.lower" else 1
    found = with_joint(kind, path, f"{size} {right}").value(f"links.a.joint.{path}")
    assert found == pytest.approx(size * parse(right).size)
    with pytest.raises(lissom.LissomError, match=rf"{path} = .*unit of the wrong kind.*so this takes"):
        with_joint(kind, path, f"{size} {wrong}")


def test_every_coordinate_of_a_joint_has_its_own_kind():
    text = ARM.replace(
        "type: revolute, axis: [0, 1, 0], limits: {lower: -90 deg, upper: 90 deg, stiffness: 1 kN m/deg}",
        "type: cylindrical, axis: [0, 1, 0], damping: %s",
    )
    assert lissom.Robot.from_yaml(text % "[3 N m s/rad, 2 N s/m]").link("boom").joint.damping == (3, 2)
    for wrong in ("[2 N s/m, 3 N m s/rad]", "2 N s/m", "3 N m s/rad"):
        with pytest.raises(lissom.LissomError, match=r"joint\.damping = .*unit of the wrong kind"):
            lissom.Robot.from_yaml(text % wrong)


TWO = """
lissom: 1
name: two
links:
  - {name: arm, joint: {name: turn, type: revolute, axis: [0, 0, 1]}, body: {mass: 1, inertia: [1, 1, 1]}}
  - {name: tool, joint: {name: slide, type: prismatic, axis: [1, 0, 0]}, body: {mass: 1, inertia: [1, 1, 1]}}
"""
QUINTIC = {"type": "quintic", "duration": 1.0}
PD = {"type": "pd", "reference": {"type": "constant", "to": [0.0]}}
OF_RUNS = {  # name: fields of a scenario for a joint and a value, units where it turns, where it slides
    "start": (lambda joint, x: {"start": {joint: x}}, "deg", "mm"),
    "start of a rate": (lambda joint, x: {"start": {f"{joint}.rate": x}}, "rpm", "mm/s"),
    "motion": (lambda joint, x: {"motion": {joint: QUINTIC | {"to": x}}}, "deg", "mm"),
    "motion by name": (lambda joint, x: {"motion": {joint: QUINTIC | {"to": {joint: x}}}}, "deg", "mm"),
    "p": (lambda joint, x: {"control": PD | {"gains": {joint: {"p": x, "d": 1}}}}, "N m/rad", "N/m"),
    "d": (lambda joint, x: {"control": PD | {"gains": {joint: {"p": 1, "d": x}}}}, "N m s/rad", "N s/m"),
    "torque": (lambda joint, x: {"control": {"type": "torque", "torques": {joint: x}}}, "N m", "N"),
    "saturation": (
        lambda joint, x: {"control": PD | {"gains": {joint: {"p": 1, "d": 1}}, "saturation": {joint: x}}}, "N m", "N"
    ),
    "reference": (
        lambda joint, x: {"control": PD | {"gains": {joint: {"p": 1, "d": 1}}, "reference": QUINTIC | {"to": x}}},
        "deg",
        "mm",
    ),
    "noise": (lambda joint, x: {"sensors": [{"type": "encoder", "joint": joint, "noise": x}]}, "deg", "mm"),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_RUNS)
def test_a_scenario_takes_the_units_of_the_joints_it_names(name):
    make, turning, sliding = OF_RUNS[name]
    robot = lissom.Robot.from_yaml(TWO)
    for joint, right, wrong in (("turn", turning, sliding), ("slide", sliding, turning)):
        prepare(robot, make(joint, f"2 {right}"))
        for other in (wrong, "rpm" if right in ("deg", "mm") else "mm"):
            with pytest.raises(lissom.LissomError, match="a unit of the wrong kind"):
                prepare(robot, make(joint, f"2 {other}"))


def prepare(robot, fields):
    prepared = Scenario(robot=robot, duration=1.0, **fields).prepare()
    if "sensors" in fields:
        Sensing(prepared.model, prepared.sensors)
    return prepared


def test_loads_take_units():
    run = lissom.simulate(lissom.Robot.from_yaml(TWO), 0.01, loads=[{"link": "tool", "force": ["20 N", 0, "1 kN"]}])
    assert run.dataset["load_force"].values[0, 0].tolist() == [20, 0, 1000]
    with pytest.raises(lissom.LissomError, match=r"force.*unit of the wrong kind: this takes a unit of N"):
        lissom.simulate(lissom.Robot.from_yaml(TWO), 0.01, loads=[{"link": "tool", "force": ["20 N m", 0, 0]}])


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("outer: 40 mm, thickness: 2 mm", "outer: 40, thickness: 2", "outer = 40: is more than the beam.*write 40 mm"),
        ("lower: -90 deg, upper: 90 deg", "lower: -90, upper: 90", "upper = 90: is more than one turn.*write 90 deg"),
        ("rpy: [0, 0, 90 deg]", "rpy: [0, 0, 90]", "origin.rpy = 90: is more than one turn"),
    ],
)  # fmt: skip
def test_numbers_that_lack_a_unit_are_asked_about(old, new, question):
    with pytest.warns(UserWarning, match=question):
        lissom.Robot.from_yaml(ARM.replace(old, new))


def test_a_rest_in_degrees_is_asked_about_and_one_of_a_screw_is_not():
    spring = "spring: {stiffness: 1, rest: 90}"
    with pytest.warns(UserWarning, match=r"spring.rest = 90: is more than one turn.*write 90 deg"):
        lissom.Robot.from_yaml(TWO.replace("axis: [0, 0, 1]", f"axis: [0, 0, 1], {spring}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lissom.Robot.from_yaml(TWO.replace("axis: [1, 0, 0]", f"axis: [1, 0, 0], {spring}"))
        turns = f"type: helical, pitch: 2 mm, axis: [0, 0, 1], {spring}"
        lissom.Robot.from_yaml(TWO.replace("type: revolute, axis: [0, 0, 1]", turns))


def test_units_of_fields_are_units():
    """Not words about them: what a field takes is data."""
    for number in (each for each in gc.get_objects() if isinstance(each, Number) and isinstance(each.unit, str)):
        assert not number.unit or parse(number.unit) is not None, number
