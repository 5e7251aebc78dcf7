"""Loops in robot files: what is read is written again, and what is wrong gets one clear message."""

from __future__ import annotations

import numpy as np
import pytest

import lissom
from lissom.errors import RobotError
from lissom.model import Robot

GOOD = """\
lissom: 1
name: four-bar
materials:
  steel: {E: 2.1e11, nu: 0.3, rho: 7800}
links:
  - name: crank
    joint: {type: revolute, axis: [0, 0, 1]}
    body: {mass: 1.0, com: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - name: coupler
    origin: {xyz: [0.3, 0, 0]}
    joint: {name: knee, type: revolute, axis: [0, 0, 1]}
    beam: {length: 0.9, material: steel, section: {shape: tube, outer: 0.04, thickness: 0.002}, modes: {y: 2}}
  - name: rocker
    parent: world
    origin: {xyz: [0.8, 0, 0]}
    joint: {type: revolute, axis: [0, 0, 1]}
    body: {mass: 1.0, com: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}
loops:
  - name: pin
    joint: {type: revolute, axis: [0, 0, 1]}
    between: [{link: coupler, at: 0.85}, {link: rocker, origin: {xyz: [0.6, 0, 0]}}]
"""
JOINT = "joint: {type: revolute, axis: [0, 0, 1]}\n    between"
FRAMES = "between: [{link: coupler, at: 0.85}, {link: rocker, origin: {xyz: [0.6, 0, 0]}}]"


def hinge(more):
    return JOINT.replace("}", f", {more}}}")


# What to replace, by what, and what the message must say.
BROKEN = {
    "no name": ("- name: pin\n    joint", "- joint", ["loops", "name", "missing"]),
    "name of a joint": ("name: pin", "name: knee", ["loops.knee.name", "'knee'", "joint of link 'coupler'"]),
    "name with blanks": ("name: pin", "name: the pin", ["loops", "name", "letters, digits"]),
    "no joint": (JOINT, "between", ["loops.pin.joint", "missing", "distance in metres"]),
    "joint and distance": (JOINT, f"distance: 1.0\n    {JOINT}", ["loops.pin.distance", "conflicts with joint"]),
    "negative distance": (JOINT, "distance: -1.0\n    between", ["loops.pin.distance", "-1", "positive"]),
    "distance as text": (JOINT, "distance: long\n    between", ["loops.pin.distance", "'long'", "number"]),
    "free joint": (JOINT, "joint: free\n    between", ["loops.pin.joint.type", "holds nothing", "choose fixed"]),
    "unknown joint": (JOINT, "joint: hinge\n    between", ["loops.pin.joint.type", "'hinge'", "revolute"]),
    "axis missing": (JOINT, "joint: {type: revolute}\n    between", ["loops.pin.joint.axis", "missing"]),
    "axis zero": (JOINT, "joint: {type: revolute, axis: [0, 0, 0]}\n    between", ["loops.pin.joint.axis", "zero"]),
    "damping": (JOINT, hinge("damping: 0.1"), ["loops.pin.joint.damping", "0.1", "cut the loop at another joint"]),
    "spring": (JOINT, hinge("spring: {stiffness: 3}"), ["loops.pin.joint.spring", "cut the loop at another joint"]),
    "limits": (JOINT, hinge("limits: {lower: -1, upper: 1, stiffness: 9}"), ["loops.pin.joint.limits", "cut the loop"]),
    "gear": (JOINT, hinge("transmission: {rotor_inertia: 1e-4}"), ["loops.pin.joint.transmission", "cut the loop"]),
    "another name for its joint": (JOINT, hinge("name: bolt"), ["loops.pin.joint.name", "'bolt'", "loop's name"]),
    "one frame": (FRAMES, "between: [{link: coupler}]", ["loops.pin.between", "two frames, not 1"]),
    "three frames": (FRAMES, "between: [{link: coupler}, {link: rocker}, {link: crank}]", ["two frames, not 3"]),
    "no frames": (f"\n    {FRAMES}", "", ["loops.pin.between", "missing"]),
    "unknown link": ("{link: rocker, origin", "{link: roker, origin", ["link", "'roker'", "did you mean 'rocker'"]),
    "link missing": ("{link: coupler, at: 0.85}", "{at: 0.85}", ["between", "link", "missing"]),
    "place beyond the end": ("at: 0.85", "at: 0.95", ["at", "0.95", "beyond the end of 'coupler' (length 0.9)"]),
    "negative place": ("at: 0.85", "at: -0.1", ["at", "-0.1"]),
    "place on a rigid link": ("{link: rocker, origin", "{link: rocker, at: 0.3, origin", ["0.3", "rigid link"]),
    "place on the world": ("{link: rocker, origin", "{link: world, at: 0.3, origin", ["at", "0.3", "the world"]),
    "interface of a beam": ("at: 0.85", "at: flange", ["at", "'flange'", "finite elements"]),
    "both on one rigid link": ("{link: coupler, at: 0.85}", "{link: rocker}", ["'rocker'", "moves as one"]),
    "both on the world": (FRAMES, "between: [{link: world}, {link: world}]", ["the world", "moves as one"]),
    "unknown field": ("name: pin", "name: pin\n    closed: true", ["loops.pin.closed", "unknown field"]),
    "a mapping": ("loops:\n  - name: pin", "loops:\n    name: pin", ["loops"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_loop_is_told_in_one_message(case):
    old, new, said = BROKEN[case]
    text = GOOD.replace(old, new)
    assert text != GOOD
    with pytest.raises(RobotError) as caught:
        Robot.from_yaml(text)
    message = str(caught.value)
    assert len(message) < 400
    for part in said:
        assert part in message, message


def test_two_loops_of_one_name_are_told_apart():
    more = GOOD + "  - {name: pin, distance: 1.0, between: [{link: crank}, {link: rocker}]}\n"
    with pytest.raises(RobotError, match="name of an earlier loop"):
        Robot.from_yaml(more)


def test_a_file_with_loops_comes_back_as_it_was():
    robot = Robot.from_yaml(GOOD)
    assert Robot.from_yaml(robot.to_yaml()) == robot
    assert robot.value("loops.pin.between") == robot.loops[0].between
    assert lissom.dynamics.loop_rows(robot)[0] == "pin: force along x"


def test_what_cannot_close_says_which_loop_how_far_and_what_to_free():
    robot = Robot.from_yaml(GOOD)
    q = lissom.close_loops(robot, {"crank": 1.0})
    assert np.abs(lissom.dynamics.loop_gaps(robot, q)).max() < 1e-12
    with pytest.raises(lissom.LissomError, match=r"loops.pin cannot be closed.*free crank or rocker"):
        lissom.close_loops(robot, {"crank": 1.0, "rocker": -2.0})
    far = Robot.from_yaml(GOOD.replace("[0.8, 0, 0]", "[9, 0, 0]"))
    with pytest.raises(lissom.LissomError, match=r"its gap is still .* m or rad; check lengths"):
        lissom.simulate(far, 0.1, progress=False)
    with pytest.raises(lissom.LissomError, match="cannot stay closed with the given velocities"):
        lissom.simulate(robot, 0.1, start={"crank": 1.0, "crank.rate": 1.0, "rocker.rate": -9.0}, progress=False)
