"""Axes of joints are directions, or x, y and z by their names."""

import json

import pytest

import lissom
from lissom.cli.file_schemas import file_schema
from lissom.errors import LissomError


def hinged(axis):
    """A body on a hinge."""
    body = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
    joint = {"name": "hinge", "type": "revolute", "axis": axis}
    return lissom.Robot.from_dict({"name": "one", "links": [{"name": "arm", "joint": joint, "body": body}]})


@pytest.mark.parametrize(
    ("name", "axis"), [("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)), ("-y", (0, -1, 0)), ("+z", (0, 0, 1))]
)
def test_an_axis_may_be_named(name, axis):
    assert hinged(name).link("arm").joint.axis == axis == hinged(axis).link("arm").joint.axis


@pytest.mark.parametrize("wrong", ["w", "zz", "", "--z", "Z"])
def test_other_words_are_no_axes(wrong):
    with pytest.raises(LissomError, match=r"axis.*or as x, y, z or -z"):
        hinged(wrong)


def test_editors_take_them():
    assert "^[-+]?[xyz]$" in json.dumps(file_schema("robot")).replace("\\\\", "\\")
