"""Places on a rigid link with a tip, one convention: the tip unless given, and counted from the link's own frame."""

import numpy as np
import pytest

import lissom

TIP, HIGH = (1.0, 0.2, 0.0), (0.3, 0.0, 0.5)
ARM = """\
lissom: 1
name: arm
gravity: [0, 0, 0]
links:
  - name: hand
    joint: {name: j, type: revolute, axis: [0, -1, 0]}
    body: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.01, 0.01], tip: [1, 0.2, 0]}
"""
INERTIA = 0.01 + 0.25  # of the hand about its joint
PLACES = [({}, TIP), ({"origin": {"xyz": HIGH}}, HIGH), ({"origin": {"xyz": [0, 0, 0]}}, (0, 0, 0))]
PLACES += [({"origin": {"rpy": [0, 0, 1.0]}}, TIP)]  # a turn says nothing of the place
FORCE = np.array([1.0, 2.0, 10.0])


def hand(more: str = "") -> lissom.Robot:
    return lissom.Robot.from_yaml(ARM + more)


def moment(place: tuple[float, ...]) -> float:
    """Of the force about the joint's axis, by hand."""
    return float(np.cross(place, FORCE) @ [0, -1, 0])


@pytest.mark.parametrize(("given", "place"), PLACES)
def test_a_load_acts_there(given, place):
    run = lissom.simulate(hand(), 1e-3, loads=[{"link": "hand", "force": FORCE.tolist(), **given}])
    assert run.dataset["acceleration"].values[0] == pytest.approx([moment(place) / INERTIA], rel=1e-9)


@pytest.mark.parametrize(("given", "place"), PLACES)
def test_a_payload_hangs_there(given, place):
    gravity = hand().with_value("gravity", [0, 0, -9.81])
    run = lissom.simulate(gravity, 1e-3, payloads=[{"link": "hand", "mass": 2, **given}])
    x, _, z = place
    turning = -9.81 * (0.5 + 2 * x) / (INERTIA + 2 * (x * x + z * z))
    assert run.dataset["acceleration"].values[0] == pytest.approx([turning], rel=1e-9)


@pytest.mark.parametrize(("given", "place"), PLACES)
def test_a_child_a_loop_an_element_and_a_sensor_sit_there(given, place):
    child = {"name": "tool", "joint": "fixed", "body": {"mass": 1, "inertia": [1, 1, 1]}, **given}
    frames = [{"link": "hand", **given}, {"link": "world"}]
    data = hand().to_dict()
    data["links"].append(child)
    data["elements"] = [{"name": "spring", "type": "spring", "between": frames, "stiffness": 1, "length": 0.1}]
    robot = lissom.Robot.from_dict(data)
    for each in (robot, lissom.Robot.from_yaml(robot.to_yaml())):  # what is said stays said
        assert lissom.point_pose(each, [0.0], "tool")[:3, 3] == pytest.approx(place)
        model = lissom.compile(each)
        assert model.arrays.joints.origin_position[model.frame_row(0)] == pytest.approx(place)
        run = lissom.simulate(each, 1e-3, sensors=[{"name": "eye", "type": "position", "link": "hand", **given}])
        assert run.reading("eye").values[0] == pytest.approx(place)
    data["loops"] = [{"name": "pin", "joint": "spherical", "between": frames}]
    loop = lissom.compile(lissom.Robot.from_dict(data)).loops[0]
    assert loop.between[0].origin.xyz == pytest.approx(place)


def test_points_count_an_offset_from_the_frame_of_a_rigid_link():
    assert lissom.tip_pose(hand(), [0.0])[:3, 3] == pytest.approx(TIP)
    assert lissom.point_pose(hand(), [0.0], "hand")[:3, 3] == pytest.approx(TIP)
    for place in (HIGH, (0.0, 0.0, 0.0)):
        assert lissom.point_pose(hand(), [0.0], "hand", None, place)[:3, 3] == pytest.approx(place)
        moving = lissom.jacobian(hand(), [0.0], "hand", offset=place)[3:, 0]
        assert moving == pytest.approx(np.cross([0, -1, 0], place))
    rest = lissom.static_equilibrium(hand(), {"j": 0}, loads={"hand": [0, 0, 0, *FORCE]})
    assert rest.tau == pytest.approx([-moment(TIP)])


def test_what_sits_at_a_tip_follows_it():
    child = "  - {name: tool, joint: fixed, body: {mass: 1, inertia: [1, 1, 1]}}\n"
    moved = hand(child).with_value("links.hand.body.tip.0", 1.5)
    assert lissom.tip_pose(moved, [0.0])[:3, 3] == pytest.approx([1.5, 0.2, 0])
    derivative = hand(child).with_value("links.hand.body.tip.0", 1.0 + 1e-20j)
    assert np.imag(lissom.tip_pose(derivative, [0.0])[:3, 3]) / 1e-20 == pytest.approx([1, 0, 0])
    with pytest.raises(
        lissom.LissomError, match=r"the tip of hand is meant; give origin: \{xyz: \[1, 0.2, 0\]\} first"
    ):
        hand(child).with_value("links.tool.origin.xyz.0", 0.5)


BOOM = """
lissom: 1
name: boom
materials: {{steel: {{E: 2.1e11, nu: 0.3, rho: 7850}}}}
links:
  - name: boom
    joint: {{name: j, type: revolute, axis: [0, 1, 0]}}
    beam: {{length: {length}, material: steel, {section}, masses: [{{mass: 1, at: {at}}}], attachments: [{at}]}}
  - {{name: tool, at: {at}, joint: fixed, body: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}}}
elements: [{{name: e, type: spring, stiffness: 1, length: 1, between: [{{link: boom, at: {at}}}, {{link: world}}]}}]
sensors: [{{name: s, type: strain-gauge, link: boom, at: {at}}}, {{name: p, type: position, link: boom, at: {at}}}]
"""
TUBE = "{shape: tube, outer: 60 mm, thickness: 3 mm}"
FORMS = {"uniform": f"section: {TUBE}", "tapered": f"stations: [{{x: 0, section: {TUBE}}}, {{x: AT, section: {TUBE}}}]"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("at", "length"), [("182.2 cm", "1.822"), ("1.822", "182.2 cm"), ("333 mm", "33.3 cm"), ("0.333", "33.3 cm")]
)
def test_the_tip_is_on_a_link_in_any_unit(form, at, length):
    """One of 1.822 m and 182.2 cm is larger by rounding."""
    robot = lissom.Robot.from_yaml(BOOM.format(at=at, length=length, section=FORMS[form].replace("AT", at)))
    x = robot.links[1].at
    assert x == pytest.approx(robot.links[0].beam.length, rel=1e-15)
    model = robot.compile()
    tip = lissom.point_pose(model, model.neutral(), "boom")
    np.testing.assert_allclose(lissom.point_pose(model, model.neutral(), "boom", x), tip, atol=1e-14)
    there = {"link": "boom", "at": at if at.endswith("m") else float(at)}
    run = lissom.simulate(robot, 1e-3, loads=[there | {"force": [0, 0, 1]}], payloads=[there | {"mass": 1}])
    assert run.shape("boom", [0.0, x]).sizes["x"] == 2
    robot.describe()


def frequencies(**beam):
    """The lowest of a steel beam alone."""
    beam |= {"length": 1, "material": "steel"}
    data = {"lissom": 1, "name": "b", "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}}}
    robot = lissom.Robot.from_dict(data | {"links": [{"name": "b", "joint": "fixed", "beam": beam}]})
    return robot.flexible_links()["b"].natural_modes().frequencies[:4]


@pytest.fixture(scope="module")
def plain():
    return frequencies(section={"shape": "tube", "outer": 0.06, "thickness": 0.003}, masses=[{"mass": 1.0, "at": 0.5}])


@pytest.mark.parametrize("gap", [1e-15, -1e-15, 1e-12, -1e-9, 1e-7])
def test_places_that_rounding_parts_are_one(gap, plain):
    """A mass and two stations; pieces of the beam between them would be too short for functions of their own."""
    section = [{"x": x, "section": {"shape": "tube", "outer": 0.06, "thickness": 0.003}} for x in (0, 0.5, 1)]
    section.insert(1, dict(section[1], x=0.5 - abs(gap)))
    found = frequencies(stations=section, masses=[{"mass": 1.0, "at": 0.5 + gap}])
    np.testing.assert_allclose(found, plain, rtol=1e-3)
