"""Robots that differ in a few numbers: checked and compiled along the differences, the same as anew."""

import numpy as np
import pytest

from lissom.errors import LissomError
from lissom.kernel.arrays import tables
from lissom.model import Robot, builtin_names, load
from lissom.model.paths import _checked_along
from lissom.model.probe import follow, tips

FIELDS = ("beam.length", "beam.section.EIy", "body.mass", "joint.damping", "origin.xyz.2", "payload.mass")


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
    return found


def assert_same(one, other):
    for (name, a), (_, b) in zip(tables(one), tables(other), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


@pytest.mark.parametrize("name", builtin_names())
def test_numbers_that_differ_give_what_a_new_robot_gives(name):
    robot = load(name)
    before = robot.compile()
    points = tips(before)
    for path, value in numbers(robot):
        changed = robot.with_value(path, 1.01 * value)
        assert _checked_along(robot, [(path, 1.01 * value)]) == changed
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
