"""Actuators that no machine could have: each is refused in one clear message with its field, value and remedy."""

import copy

import pytest

from lissom.errors import LissomError
from lissom.model import Robot

ARM = {
    "name": "arm",
    "joint": {"name": "elbow", "type": "revolute", "axis": [0, 1, 0]},
    "body": {"mass": 5.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.5, 0.5]},
}
ROD = {
    "name": "rod",
    "joint": "fixed",
    "beam": {"length": 1.0, "section": {"shape": "circle", "diameter": 0.01}, "material": "steel"},
}
BALL = {"name": "ball", "joint": {"type": "spherical"}, "body": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}}
FORK = {
    "name": "fork",
    "joint": {"type": "universal", "axes": [[1, 0, 0], [0, 1, 0]]},
    "body": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]},
}
POINTS = [{"link": "world", "origin": {"xyz": [0, 0, 0.5]}}, {"link": "arm", "origin": {"xyz": [0.5, 0, 0]}}]
MOTOR = {"type": "motor", "name": "m", "joint": "elbow", "torque_constant": 0.05, "resistance": 0.5}
TENDON = {"type": "tendon", "name": "t", "through": POINTS}
ALONG = {"type": "tendon", "name": "t", "along": [{"link": "rod", "offset": [0.0, 0.01]}]}
WINCH = {"type": "winch", "name": "w", "through": POINTS, "length": 2.0, "stiffness": 1e5}
CHAMBER = {"type": "chamber", "name": "c", "through": POINTS, "area": 1e-3}
THRUSTER = {"type": "thruster", "name": "jet", "link": "arm"}
RAM = {
    "type": "hydraulic",
    "name": "ram",
    "through": POINTS,
    "bore": 0.04,
    "rod": 0.02,
    "retracted": 0.4,
    "stroke": 0.3,
    "supply": 1e7,
    "valve": {"flow": 3e-4, "drop": 5e5},
}
STEEL = {"steel": {"E": 2.1e11, "rho": 7850.0}}
GONE = object()
# what is broken, and words that the message must have
BROKEN = {
    "unknown type": (MOTOR, {"type": "moter"}, ["actuators", "type", "motor"]),
    "no type": (MOTOR, {"type": GONE}, ["actuators", "type"]),
    "no name": (MOTOR, {"name": GONE}, ["actuators", "name", "missing"]),
    "unknown field": (MOTOR, {"torqe_constant": 1.0}, ["torqe_constant", "torque_constant"]),
    "name of a joint": (MOTOR, {"name": "elbow"}, ["name", "elbow", "joints"]),
    "name of a link": (MOTOR, {"name": "rod"}, ["name", "rod", "links"]),
    "bad name": (MOTOR, {"name": "a motor"}, ["name", "a motor", "letters"]),
    "joint that is not there": (MOTOR, {"joint": "elbo"}, ["joint", "elbo", "did you mean", "elbow"]),
    "fixed joint": (MOTOR, {"joint": "rod"}, ["joint", "rod", "not a joint that moves"]),
    "joint in space": (MOTOR, {"joint": "ball"}, ["joint", "ball", "spherical", "single angle"]),
    "joint of two angles": (MOTOR, {"joint": "fork"}, ["joint", "fork", "several coordinates", "fork.1"]),
    "no constant": (MOTOR, {"torque_constant": GONE}, ["torque_constant", "missing", "speed_constant"]),
    "two constants": (MOTOR, {"speed_constant": 20.0}, ["speed_constant", "remove one"]),
    "no resistance": (MOTOR, {"resistance": GONE}, ["resistance", "missing", "ohm"]),
    "zero resistance": (MOTOR, {"resistance": 0.0}, ["resistance", "positive", "ohm"]),
    "resistance in henry": (MOTOR, {"resistance": "2 mH"}, ["resistance", "wrong kind", "ohm"]),
    "negative inductance": (MOTOR, {"inductance": -1e-3}, ["inductance", "positive"]),
    "voltage in amperes": (MOTOR, {"voltage": "24 A"}, ["voltage", "wrong kind", "V"]),
    "efficiency above one": (MOTOR, {"efficiency": 1.2}, ["efficiency", "less than 1"]),
    "lasting above peak": (MOTOR, {"peak_current": 5, "continuous_current": 9}, ["continuous_current", "peak_current"]),
    "unknown drive": (MOTOR, {"drive": "torque"}, ["drive", "torque", "voltage", "current"]),
    "response without regulation": (MOTOR, {"response": 1e-3}, ["response", "drive: current"]),
    "negative gear": (MOTOR, {"gear": -3.0}, ["gear", "positive"]),
    "bristles without stiffness": (MOTOR, {"bristles": {"coulomb": 1.0}}, ["bristles", "stiffness", "missing"]),
    "tendon without path": (TENDON, {"through": GONE}, ["through", "missing", "along"]),
    "tendon with one point": (TENDON, {"through": POINTS[:1]}, ["through", "one point", "two or more"]),
    "tendon both ways": (TENDON, {"along": ALONG["along"]}, ["along", "through", "the one or the other"]),
    "tendon in the world": (TENDON, {"through": [POINTS[0], POINTS[0]]}, ["through", "the world", "never changes"]),
    "tendon on one body": (TENDON, {"through": [POINTS[1], POINTS[1]]}, ["through", "a rigid link", "never changes"]),
    "point on no link": (TENDON, {"through": [POINTS[0], {"link": "arn"}]}, ["link", "arn", "did you mean", "arm"]),
    "point beyond a beam": (TENDON, {"through": [POINTS[0], {"link": "rod", "at": 1.5}]}, ["at", "1.5", "beyond"]),
    "limits swapped": (TENDON, {"lowest": 5.0, "highest": 1.0}, ["highest", "lowest"]),
    "negative rate": (TENDON, {"rate": -1.0}, ["rate", "positive"]),
    "zero response": (TENDON, {"response": 0.0}, ["response", "positive", "seconds"]),
    "negative friction": (TENDON, {"friction": -0.1}, ["friction", "not be negative"]),
    "follows no joint": (TENDON, {"follows": "elbw"}, ["follows", "elbw", "elbow"]),
    "route on a body": (ALONG, {"along": [{"link": "arm", "offset": [0, 0.1]}]}, ["link", "arm", "not a beam", "rod"]),
    "route beyond its beam": (ALONG, {"along": [ALONG["along"][0] | {"end": 2.0}]}, ["end", "2", "beyond", "length 1"]),
    "route that ends at its begin": (
        ALONG,
        {"along": [ALONG["along"][0] | {"begin": 0.5, "end": 0.5}]},
        ["begin", "before its end"],
    ),
    "route of one point": (ALONG, {"along": [ALONG["along"][0] | {"points": 1}]}, ["points", "1", "too small"]),
    "route without offset": (ALONG, {"along": [{"link": "rod"}]}, ["offset", "missing"]),
    "offset of three": (ALONG, {"along": [{"link": "rod", "offset": [0, 0, 1]}]}, ["offset", "[y, z]"]),
    "winch without length": (WINCH, {"length": GONE}, ["length", "missing", "metres"]),
    "winch with half a fall": (WINCH, {"parts": 1.5}, ["parts", "whole number"]),
    "winch by force": (WINCH, {"drive": "force"}, ["drive", "force", "speed", "length"]),
    "winch without stiffness": (WINCH, {"stiffness": 0}, ["stiffness", "positive"]),
    "chamber without area": (CHAMBER, {"area": GONE}, ["area", "missing", "m2"]),
    "thruster without direction": (THRUSTER, {"direction": [0, 0, 0]}, ["direction", "zero length"]),
    "thruster on no link": (THRUSTER, {"link": "arn"}, ["link", "arn", "did you mean", "arm"]),
    "thruster along a body": (THRUSTER, {"at": 0.3}, ["at", "0.3", "origin"]),
    "rod thicker than its bore": (RAM, {"rod": 0.05}, ["rod", "0.05", "bore"]),
    "tank above supply": (RAM, {"tank": 2e7}, ["tank", "supply"]),
    "relief below tank": (RAM, {"tank": 5e5, "relief": 1e5}, ["relief", "tank"]),
    "cylinder of three points": (RAM, {"through": [*POINTS, POINTS[1]]}, ["through", "two points"]),
    "valve without flow": (RAM, {"valve": {"drop": 5e5}}, ["valve", "flow", "missing"]),
    "deadband of all": (RAM, {"valve": {"flow": 3e-4, "drop": 5e5, "deadband": 1.0}}, ["deadband", "less than 1"]),
    "supply in metres": (RAM, {"supply": "100 mm"}, ["supply", "wrong kind", "Pa"]),
    "no stroke": (RAM, {"stroke": 0}, ["stroke", "positive"]),
}
FRICTION = {
    "bristles in smooth friction": ({"coulomb": 1.0, "bristle_stiffness": 1e4}, ["bristle_stiffness", "law: lugre"]),
    "lugre without stiffness": ({"law": "lugre", "coulomb": 1.0}, ["bristle_stiffness", "positive", "smooth"]),
    "lugre without friction": ({"law": "lugre", "bristle_stiffness": 1e4}, ["coulomb", "positive"]),
    "dahl with stick": (
        {"law": "dahl", "coulomb": 1.0, "bristle_stiffness": 1e4, "stick": 0.2},
        ["stick", "Dahl", "law: lugre"],
    ),
    "unknown law": ({"law": "stribeck"}, ["law", "stribeck", "lugre"]),
}


def refused(**parts):
    """The message with which a robot is refused."""
    with pytest.raises(LissomError) as error:
        Robot(name="machine", materials=STEEL, **parts)
    return str(error.value)


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_actuator_is_refused_in_one_clear_message(case):
    whole, changes, words = BROKEN[case]
    broken = {key: value for key, value in (copy.deepcopy(whole) | changes).items() if value is not GONE}
    text = refused(links=[ARM, ROD, BALL, FORK], actuators=[broken])
    assert all(word in text for word in words), text
    assert len(text.splitlines()) == 1, text


@pytest.mark.parametrize("whole", [MOTOR, TENDON, ALONG, WINCH, CHAMBER, THRUSTER, RAM], ids=lambda one: one["name"])
def test_what_the_broken_ones_were_made_of_is_whole(whole):
    Robot(name="machine", materials=STEEL, links=[ARM, ROD, BALL, FORK], actuators=[whole]).compile()


@pytest.mark.parametrize("case", FRICTION)
def test_friction_of_a_wrong_law_is_refused(case):
    friction, words = FRICTION[case]
    text = refused(links=[ARM | {"joint": ARM["joint"] | {"friction": friction}}])
    assert all(word in text for word in words), text


def test_two_actuators_of_one_name_are_refused():
    assert "actuators" in refused(links=[ARM], actuators=[MOTOR, MOTOR])
