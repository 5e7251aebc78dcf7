"""Broken elements, contacts, loads and payloads: one clear message each, that names field, value and remedy."""

import pytest

import lissom
from lissom.errors import LissomError
from lissom.model import Robot
from lissom.scenario import Scenario

ROBOT = """\
lissom: 1
name: crane
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7800}}
links:
  - {name: column, joint: {type: revolute, axis: [0, 0, 1]}, body: {mass: 100, inertia: [10, 10, 10]}}
  - name: boom
    joint: {type: revolute, axis: [0, 1, 0]}
    beam: {length: 5, material: steel, section: {shape: box, width: 0.2, height: 0.3, thickness: 0.01}}
  - {name: hook, parent: world, joint: free, body: {mass: 50, inertia: [1, 1, 1]}}
elements:
  - {name: hoist, type: rope, between: [{link: boom}, {link: hook}], stiffness: 2.0e6, damping: 500, length: 4.0}
  - {name: lift, type: cylinder, between: [{link: column}, {link: boom, at: 2.0}], force: 1000}
  - {name: mount, type: bushing, between: [{link: column}, {link: hook}], stiffness: [1, 1, 1, 2, 2, 2]}
contacts:
  - name: ground
    sphere: {link: hook, radius: 0.2}
    surface: {link: world, shape: plane}
    stiffness: 1.0e6
"""
HOIST = "{name: hoist, type: rope, between: [{link: boom}, {link: hook}], stiffness: 2.0e6, damping: 500, length: 4.0}"
LIFT = "{name: lift, type: cylinder, between: [{link: column}, {link: boom, at: 2.0}], force: 1000}"
PLANE = "surface: {link: world, shape: plane}"

# What to replace in the good file, by what, and what the message must say: line, field, value, remedy.
BROKEN = {
    "length of a cylinder driven by force": (
        "force: 1000",
        "length: 2",
        ["elements.lift.length", "2", "does not belong", "drive: length"],
    ),
    "cylinder driven by length without one": (
        "force: 1000",
        "drive: length",
        ["elements.lift.length", "missing", "metres"],
    ),
    "cylinder driven by both": (
        "force: 1000",
        "drive: length, length: 2, force: 1000",
        ["elements.lift.force", "1000", "result", "remove it"],
    ),
    "damping of a cylinder driven by length": (
        "force: 1000",
        "drive: length, length: 2, damping: 5",
        ["elements.lift.damping", "5", "remove it"],
    ),
    "cylinder without a length": ("force: 1000", "drive: length, length: 0", ["elements.lift.length", "0", "positive"]),
    "misspelt length": ("force: 1000", "drive: lenght", ["elements.lift.drive", "'lenght'", "did you mean", "length"]),
    "cylinder named as a joint": (
        LIFT,
        LIFT.replace("force: 1000", "drive: length, length: 2").replace("name: lift", "name: boom"),
        ["elements.boom.name", "joints", "give each its own"],
    ),
    "unknown type": ("type: rope", "type: ropes", [":11:", "elements.hoist.type", "'ropes'", "rope"]),
    "no type": ("type: rope, ", "", ["elements.hoist.type", "missing", "rope"]),
    "unknown link": (
        "[{link: boom}, {link: hook}]",
        "[{link: bom}, {link: hook}]",
        ["elements.hoist.between[0].link", "'bom'", "did you mean", "boom"],
    ),
    "one end": (
        "[{link: boom}, {link: hook}]",
        "[{link: boom}]",
        ["elements.hoist.between", "two frames", "1 of them"],
    ),
    "three ends": (
        "[{link: boom}, {link: hook}]",
        "[{link: boom}, {link: hook}, {link: world}]",
        ["elements.hoist.between", "two frames", "3 of them"],
    ),
    "ends as text": ("[{link: boom}, {link: hook}]", "boom", ["elements.hoist.between", "two frames", "text"]),
    "end without link": (
        "[{link: boom}, {link: hook}]",
        "[{at: 2}, {link: hook}]",
        ["elements.hoist.between[0].link", "missing"],
    ),
    "both ends on one rigid link": (
        "[{link: boom}, {link: hook}]",
        "[{link: hook}, {link: hook}]",
        ["elements.hoist.between[1].link", "hook", "does nothing"],
    ),
    "both ends on the world": (
        "[{link: boom}, {link: hook}]",
        "[{link: world}, {link: world}]",
        ["elements.hoist.between[1].link", "the world", "does nothing"],
    ),
    "place beyond the beam": (
        "at: 2.0",
        "at: 7.0",
        ["elements.lift.between[1].at", "= 7", "beyond the end", "length 5"],
    ),
    "place on a rigid link": (
        "{link: column}, {link: boom, at: 2.0}",
        "{link: column, at: 1}, {link: boom}",
        ["elements.lift.between[0].at", "rigid link 'column'", "origin"],
    ),
    "interface of a beam": ("at: 2.0", "at: flange", ["elements.lift.between[1].at", "'flange'", "finite elements"]),
    "negative stiffness": (
        "stiffness: 2.0e6",
        "stiffness: -2.0e6",
        ["elements.hoist.stiffness", "-2e+06", "positive", "N/m"],
    ),
    "no stiffness": ("stiffness: 2.0e6, ", "", ["elements.hoist.stiffness", "missing", "N/m"]),
    "no length": (", length: 4.0", "", ["elements.hoist.length", "missing", "metres"]),
    "misspelt field": ("damping: 500", "dampng: 500", ["elements.hoist.dampng", "did you mean", "damping"]),
    "unknown drive": ("force: 1000}", "drive: forc}", ["elements.lift.drive", "'forc'", "did you mean", "force"]),
    "five numbers": ("[1, 1, 1, 2, 2, 2]", "[1, 1, 1, 2, 2]", ["elements.mount.stiffness", "six", "list of 5"]),
    "bushing that is not symmetric": (
        "[1, 1, 1, 2, 2, 2]",
        str([[float(j in (k, k + 1)) for j in range(6)] for k in range(6)]),
        ["elements.mount.stiffness", "not symmetric"],
    ),
    "negative bushing": (
        "[1, 1, 1, 2, 2, 2]",
        "[-1, 1, 1, 2, 2, 2]",
        ["elements.mount.stiffness", "negative eigenvalue"],
    ),
    "same name twice": ("name: lift", "name: hoist", ["elements[1].name", "'hoist'", "give each its own"]),
    "name of a contact": (
        "name: ground",
        "name: hoist",
        ["contacts.hoist.name", "'hoist'", "elements", "give each its own"],
    ),
    "unknown shape": (
        "shape: plane",
        "shape: plain",
        ["contacts.ground.surface.shape", "'plain'", "did you mean", "plane"],
    ),
    "box without size": (
        PLANE,
        "surface: {link: world, shape: box}",
        ["contacts.ground.surface.size", "missing", "box"],
    ),
    "flat box": (
        PLANE,
        "surface: {link: world, shape: box, size: [1, 0, 1]}",
        ["contacts.ground.surface.size", "positive"],
    ),
    "plane with a radius": (
        PLANE,
        "surface: {link: world, shape: plane, radius: 1}",
        ["contacts.ground.surface.radius", "does not belong", "plane"],
    ),
    "cylinder without length": (
        PLANE,
        "surface: {link: world, shape: cylinder, radius: 1}",
        ["contacts.ground.surface.length", "missing"],
    ),
    "no radius": ("radius: 0.2", "at: null", ["contacts.ground.sphere.radius", "missing", "metres"]),
    "contact on itself": (
        PLANE,
        "surface: {link: hook, shape: plane}",
        ["contacts.ground.surface.link", "does nothing"],
    ),
    "contact with unknown link": (
        "{link: hook, radius: 0.2}",
        "{link: hok, radius: 0.2}",
        ["contacts.ground.sphere.link", "'hok'", "did you mean", "hook"],
    ),
    "odd exponent": (
        "stiffness: 1.0e6",
        "stiffness: 1.0e6\n    exponent: 1.7",
        ["contacts.ground.exponent", "1.7", "1.5"],
    ),
    "negative friction": (
        "stiffness: 1.0e6",
        "stiffness: 1.0e6\n    friction: -0.2",
        ["contacts.ground.friction", "-0.2", "negative"],
    ),
    "speed of no friction": (
        "stiffness: 1.0e6",
        "stiffness: 1.0e6\n    friction_speed: 0",
        ["contacts.ground.friction_speed", "positive", "m/s"],
    ),
}


def test_the_good_file_is_read_and_written_back():
    robot = Robot.from_yaml(ROBOT)
    assert Robot.from_yaml(robot.to_yaml()) == robot
    assert robot.value("elements.hoist.stiffness") == 2.0e6
    assert robot.with_value("elements.hoist.stiffness", 1.0e6).elements[0].stiffness == 1.0e6
    assert robot.with_value("contacts.ground.friction", 0.3).contacts[0].friction == 0.3


@pytest.mark.parametrize("name", BROKEN)
def test_broken_robot_files_are_told_by_field_value_and_remedy(name, tmp_path):
    old, new, parts = BROKEN[name]
    assert old in ROBOT
    file = tmp_path / "crane.yaml"
    file.write_text(ROBOT.replace(old, new, 1))
    with pytest.raises(LissomError) as caught:
        lissom.load(file)
    text = str(caught.value)
    assert all(part in text for part in parts), text
    assert text.count("\n") <= 2


SCENARIO = """\
robot: ella
duration: 0.5
loads:
  - {link: forearm, at: 0.5, force: {type: steps, at: [0, 0.1], to: [[0, 0, 0], [0, 0, -20]]}, frame: world}
payloads:
  - {link: forearm, mass: 2, pick: 0.1, drop: 0.3}
"""
STEPS = "{type: steps, at: [0, 0.1], to: [[0, 0, 0], [0, 0, -20]]}"
BROKEN_SCENARIOS = {
    "steps that leave open what acts before": (
        "at: [0, 0.1], to: [[0, 0, 0], [0, 0, -20]]",
        "at: [0.1], to: [[0, 0, -20]]",
        ["loads[0].force.at[0]", "must be 0", "at: [0, 0.1]"],
    ),
    "unknown link of a load": (
        "{link: forearm, at: 0.5",
        "{link: forarm, at: 0.5",
        ["loads[0].link", "'forarm'", "did you mean", "forearm"],
    ),
    "load on the world": ("{link: forearm, at: 0.5", "{link: world", ["loads[0].link", "world", "name a link"]),
    "load without a link": ("link: forearm, at: 0.5, ", "", ["loads[0].link", "missing", "element"]),
    "load without a force": (f"force: {STEPS}, ", "", ["loads[0].force", "missing", "torque"]),
    "two numbers": (STEPS, "[1, 2]", ["loads[0].force", "2 numbers", "3 numbers"]),
    "force as text": (STEPS, "strong", ["loads[0].force", "numbers", "text"]),
    "unknown series": ("type: steps", "type: step", ["loads[0].force.type", "'step'", "steps"]),
    "falling times": ("at: [0, 0.1]", "at: [0.1, 0]", ["loads[0].force.at", "later than"]),
    "one value too few": (
        "to: [[0, 0, 0], [0, 0, -20]]",
        "to: [[0, 0, 0]]",
        ["loads[0].force.to", "1 entries for 2 times"],
    ),
    "short row": ("[0, 0, -20]]", "[0, -20]]", ["loads[0].force.to[1]", "3 numbers"]),
    "unknown axes": ("frame: world", "frame: wrld", ["loads[0].frame", "'wrld'", "did you mean", "world"]),
    "place beyond the link": ("at: 0.5", "at: 50", ["loads[0].at", "beyond the end", "forearm"]),
    "missing table": (STEPS, "{type: csv, path: gust.csv}", ["loads[0].force", "gust.csv", "no such CSV file"]),
    "cylinder that is not there": (
        "link: forearm, at: 0.5",
        "element: lift",
        ["loads[0].element", "'lift'", "no cylinder"],
    ),
    "link and element": ("link: forearm, at: 0.5", "link: forearm, element: lift", ["loads[0].link", "not both"]),
    "no mass": ("mass: 2, ", "", ["payloads[0].mass", "missing", "kg"]),
    "negative mass": ("mass: 2", "mass: -2", ["payloads[0].mass", "-2", "positive"]),
    "dropped before picked up": ("drop: 0.3", "drop: 0.05", ["payloads[0].drop", "later than pick = 0.1"]),
    "payload of an unknown link": (
        "{link: forearm, mass",
        "{link: forearn, mass",
        ["payloads[0].link", "'forearn'", "did you mean"],
    ),
    "unknown motion of a payload": ("drop: 0.3", "motion: flying", ["payloads[0].motion", "'flying'", "rest"]),
}


def test_the_good_scenario_is_read_and_written_back():
    scenario = Scenario.from_yaml(SCENARIO)
    assert Scenario.from_yaml(scenario.to_yaml()).to_dict() == scenario.to_dict()
    assert len(scenario.prepare().loads) == len(scenario.prepare().payloads) == 1


@pytest.mark.parametrize("name", BROKEN_SCENARIOS)
def test_broken_scenario_files_are_told_by_field_value_and_remedy(name):
    old, new, parts = BROKEN_SCENARIOS[name]
    assert old in SCENARIO
    with pytest.raises(LissomError) as caught:
        Scenario.from_yaml(SCENARIO.replace(old, new, 1)).prepare()
    text = str(caught.value)
    assert all(part in text for part in parts), text


def test_poses_of_the_wrong_joint_and_jumping_poses_are_refused():
    ship = "{name: s, links: [{name: hull, joint: free, body: {mass: 1, inertia: [1, 1, 1]}}]}"
    roll = "{type: pose, rpy: {type: sine, amplitude: [0.1, 0, 0], frequency: 0.2}}"
    good = f"robot: {ship}\nduration: 1\nmotion: {{hull: {roll}}}\n"
    assert Scenario.from_yaml(good).prepare().motion["hull"].channels == 7
    broken = {
        "frequency: 0.2": ("frequency: -1", ["motion.hull.rpy.frequency", "positive"]),
        "amplitude: [0.1, 0, 0]": ("amplitude: [0.1, 0]", ["motion.hull.rpy", "3 numbers"]),
        "type: sine, amplitude: [0.1, 0, 0], frequency: 0.2": (
            "type: steps, at: [0], to: [[0, 0, 0]]",
            ["motion.hull.rpy.type", "jumps"],
        ),
        "sine, amplitude: [0.1, 0, 0], frequency: 0.2": (
            "spline, at: [0, 1.0e+9], to: [[0, 0, 0], [1, 0, 0]]",
            ["motion.hull.rpy", "lasts 1e+09 s", "at most 10000 s", "shorten it"],
        ),
        "rpy: {type: sine, amplitude: [0.1, 0, 0], frequency: 0.2}": ("speed: 3", ["motion.hull.speed"]),
        "type: pose": ("type: quintic", ["motion.hull"]),
        "joint: free": ("joint: {type: revolute, axis: [0, 0, 1]}", ["motion.hull.type", "spherical and free"]),
    }
    for old, (new, parts) in broken.items():
        with pytest.raises(LissomError) as caught:
            Scenario.from_yaml(good.replace(old, new, 1)).prepare()
        assert all(part in str(caught.value) for part in parts), str(caught.value)
