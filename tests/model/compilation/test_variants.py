"""Robots that differ in a few numbers: checked and compiled along the differences, the same as anew."""

import numpy as np
import pytest

from lissom.errors import LissomError
from lissom.kernel.data.table_operations import tables
from lissom.model import Robot, builtin_names, load
from lissom.model.compilation.tip_frames import follow, tips
from lissom.model.compilation.variants import variants
from lissom.model.io.robot_paths import _check_along

FIELDS = (
    *("beam.length", "beam.section.EIy", "body.mass", "joint.damping", "origin.xyz.2", "payload.mass"),
    *("beam.section.outer", "beam.damping", "beam.masses.0.mass", "joint.transmission.gear"),
)
MASS, EIZ = "links.forearm.beam.masses.0.mass", "links.upper.beam.section.EIz"


def numbers(robot):
    """Paths and values of numbers of a robot."""
    found = []
    for link in robot.links:
        for field in FIELDS:
            path = f"links.{link.name}.{field}"
            try:
                value = robot.value(path)
            except LissomError:
                continue
            if isinstance(value, float) and value != 0.0:  # what is there may be more or less
                found.append((path, value))
    return found + [(f"materials.{name}.E", material.E) for name, material in robot.materials.items()]


def assert_same(one, other):
    for (name, a), (_, b) in zip(tables(one), tables(other), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)
        assert a.tobytes() == b.tobytes(), name


@pytest.mark.parametrize("name", builtin_names())
def test_numbers_that_differ_give_what_a_new_robot_gives(name):
    robot = load(name)
    before = robot.compile()
    points = tips(before)
    for path, value in numbers(robot):
        changed = robot.with_value(path, 1.01 * value)
        assert _check_along(robot, [(path, 1.01 * value)]) == changed
        anew = Robot.from_dict(changed.to_dict())
        assert anew == changed
        model, expected = changed.compile(before=before), anew.compile()
        assert_same(model.arrays, expected.arrays)
        model.take_over(before)
        if model.arrays is before.arrays:  # not where a number brings in further terms
            follow(points, model)
            assert_same(points.arrays, tips(expected).arrays)
        else:
            points = tips(model)
        before = model


@pytest.mark.parametrize(
    ("name", "fields"),
    {
        "ella": {MASS: 2.0, EIZ: 900.0, "links.upper.beam.section.EIy": 1100.0, "links.hub.body.mass": 3.0},
        "dual-screw-arm": {"links.link2.beam.section.outer": 0.06, "links.link4.body.mass": 0.8},
        "canadarm2": {"links.boom1.beam.section.GJ": 1e6, "links.wrist3.body.mass": 50.0},
        "satellite-two-arm": {"links.left-upper.beam.damping": 0.02, "materials.carbon.E": 1e11},
    }.items(),
)
def test_robots_compiled_together_are_those_compiled_alone(name, fields):
    """Numbers of several links at once; some robots share what others change."""
    robot = load(name)
    rng = np.random.default_rng(3)
    rows = [{path: value * rng.uniform(0.8, 1.2) for path, value in fields.items()} for _ in range(5)]
    rows += [{path: value} for path, value in list(rows[0].items())[:1]]
    robots = [robot.with_values(row.items()) for row in rows]
    made = variants(robots, robot.compile())
    for model, each in zip(made, robots, strict=True):
        assert model is not None
        assert model.robot is each
        expected = Robot.from_dict(each.to_dict()).compile()
        assert_same(model.arrays, expected.arrays)
        for link, beam in expected.flexible.items():
            np.testing.assert_array_equal(model.flexible[link].stiffness(), beam.stiffness())


def test_what_is_not_alike_is_left_to_be_compiled_by_itself():
    """Other functions, another joint, loops, an inertia that is not sound: the others are made all the same."""
    robot = load("ella")
    before, more = robot.compile(), {"y": 4, "z": 2, "torsion": 1, "axial": 1}
    changes = [
        {MASS: 1.5},
        {"links.upper.beam.modes": more},
        {"links.upper.joint.damping": 0.3},
        {"links.hub.body.mass": 1e-25, "links.hub.body.inertia": [1e-25] * 3},  # nothing beside what it carries
        {MASS: 2.5},
        {"links.upper.beam.length": 1.1},
        {"links.forearm.beam.masses.0.com": [0.0, 0.0, 0.1]},  # bending and torsion move the mass alike
    ]
    robots = [robot.with_values(change.items()) for change in changes]
    made = variants(robots, before)
    assert [model is not None for model in made] == [True, False, False, False, True, True, False]
    for model, each in zip(made, robots, strict=True):
        if model is not None:
            assert_same(model.arrays, each.compile().arrays)
    with pytest.raises(LissomError, match="is lost beside"):
        robots[3].compile(before=before)
    assert variants([load("five-bar")], before) == [None]


def test_several_values_are_checked_together():
    robot = load("ella")
    changed = robot.with_values([("links.upper.beam.length", 0.1), ("links.upper.beam.masses.0.mass", 1.0)])
    assert (changed.value("links.upper.beam.length"), changed.value("links.upper.beam.masses.0.mass")) == (0.1, 1.0)
    assert changed.link("hub") is robot.link("hub")  # others are the same objects


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("links.upper.beam.length", -1.0, "links.upper.beam.length = -1: must be positive"),
        ("links.upper.beam.lenght", 1.0, "unknown path at 'lenght'"),
        ("links.upper.beam.length.x", 1.0, "there is nothing below"),
        ("links.hub.body.mass", -1, "links.hub.body.mass"),
        ("gravity.5", 1.0, "unknown path at '5'"),
        ("links", 3.0, "links"),
    ],
)
def test_what_is_wrong_is_said_as_of_a_new_robot(path, value, message):
    with pytest.raises(LissomError) as caught:
        load("ella").with_value(path, value)
    assert message in str(caught.value)
