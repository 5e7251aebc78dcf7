"""Scenario files: a broken one gives one clear error, a good one simulates what it says."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from broken_scenarios import BROKEN, GOOD

import lissom
from lissom.control import ControlLaw, Reference
from lissom.errors import LissomError, ScenarioError
from lissom.model import Robot
from lissom.model import builtin_names as robot_names
from lissom.scenario import Scenario, builtin_names, load
from lissom.scenario.scenario_files import find


def scenario(**changes: object) -> Scenario:
    return Scenario.from_dict({"robot": "ella", "duration": 0.5} | changes)


@pytest.mark.parametrize(("old", "new", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_scenario_gives_one_error_with_place_value_and_remedy(
    old: str, new: str, said: list[str], tmp_path: Path
) -> None:
    assert old in GOOD
    path = tmp_path / "lift.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(LissomError) as caught:
        loaded = find(path)
        try:
            loaded.scenario.prepare()
        except ScenarioError as error:
            raise loaded.located(error) from None
    message = str(caught.value)
    for part in said:
        assert part in message, f"{part!r} is not in: {message}"
    assert len(message.splitlines()) == 1
    assert not re.search(r"pydantic|http|Traceback|Error:|validator|union|input_", message)


def test_the_good_scenario_says_what_to_simulate() -> None:
    good = Scenario.from_yaml(GOOD)
    prepared = good.prepare()
    q, v = prepared.start
    elbow = prepared.model.coordinates.index("elbow")
    assert (q[elbow], v[elbow]) == (-0.2, 0.3)
    assert isinstance(prepared.controller, ControlLaw)
    assert prepared.settings.rate == 100
    assert prepared.settings.rtol == 1e-5
    # joints that the reference does not name stay where they start
    np.testing.assert_allclose(prepared.controller.reference(1.0)[0], [0, 0.6, 0.4])


def test_a_scenario_comes_back_from_its_own_text() -> None:
    good = Scenario.from_yaml(GOOD)
    assert Scenario.from_yaml(good.to_yaml()) == good
    control = {"type": "pd", "gains": {"elbow": {"p": 600, "d": 40}}, "gravity_compensation": True}
    inline = scenario(robot=lissom.load("ella"), control=control)
    assert Scenario.from_yaml(inline.to_yaml()) == inline


def test_a_scenario_cannot_be_changed() -> None:
    with pytest.raises(ScenarioError, match="make a new scenario with with_value"):
        Scenario.from_yaml(GOOD).duration = 3.0


@pytest.mark.parametrize("name", builtin_names())
def test_a_built_in_scenario_is_its_robot_in_motion(name: str) -> None:
    built_in = load(name)
    prepared = built_in.prepare()
    robot = prepared.model.robot.name
    assert robot in robot_names()
    assert name.startswith(robot)
    assert Scenario.from_yaml(built_in.to_yaml()) == built_in


def test_a_robot_alone_is_a_free_motion(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    lissom.load("ella").save(path)
    for name in ("l-mechanism-torque", path):
        free = load(name)
        assert free.control is None
        assert not free.motion
        assert free.duration == 2.0


def test_files_are_looked_for_beside_the_scenario(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    lissom.load("spinup-beam").save(folder / "beam.yaml")
    (folder / "turn.csv").write_text("t,a\n0,0\n1,0\n2,1\n3,1\n4,1\n")
    (folder / "run.yaml").write_text("robot: beam.yaml\nduration: 1\nmotion: {shaft: {type: csv, path: turn.csv}}\n")
    prepared = load(folder / "run.yaml").prepare()
    assert prepared.model.robot.name == "spinup-beam"
    np.testing.assert_allclose(prepared.motion["shaft"]([0, 2])[0][:, 0], [0, 1], atol=1e-12)


# values by path


def test_a_scenario_changes_values_of_its_robot() -> None:
    changed = Scenario.from_yaml(GOOD + "\nchange: {links.upper.beam.length: 1.2, gravity: [0, 0, -1.62]}")
    assert changed.load_robot() == Scenario.from_yaml(GOOD).load_robot().with_values(
        [("links.upper.beam.length", 1.2), ("gravity", [0, 0, -1.62])]
    )
    assert Scenario.from_yaml(changed.to_yaml()) == changed
    again = changed.with_value("links.upper.beam.length", 1.3)  # what is said later counts
    assert again.load_robot().link("upper").beam.length == 1.3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("{links.uper.beam.length: 1.2}", r"change.*uper.*did you mean"),
        ("{links.upper.beam.length: -1}", r"change\.links\.upper\.beam\.length = -1: must be positive"),
        ("[1, 2]", "change"),
        ("{links.upper.beam.length: 1.2, gravity: 3}", r"change\.gravity"),
    ],
)
def test_broken_changes_are_told(change: str, told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        Scenario.from_yaml(GOOD + f"\nchange: {change}")


def test_values_of_the_robot_and_of_the_scenario_change_by_path() -> None:
    changed = Scenario.from_yaml(GOOD)
    for path, value in {
        "links.upper.beam.length": 1.2,
        "robot.gravity": [0, 0, 0],
        "duration": 2,
        "control.gains.elbow.p": 100,
        "start.elbow.rate": 0.7,
        "output.rate": 50,
    }.items():
        changed = changed.with_value(path, value)
    robot = changed.load_robot()
    assert (robot.value("links.upper.beam.length"), robot.gravity) == (1.2, (0, 0, 0))
    assert (changed.duration, changed.output.rate, changed.start["elbow.rate"]) == (2, 50, 0.7)
    assert (changed.control.gains["elbow"].p, changed.control.gains["elbow"].d) == (100, 40)
    assert Scenario.from_yaml(GOOD).control.gains["elbow"].p == 600  # the original is as it was


def test_a_path_finds_items_of_lists_and_names_with_dots() -> None:
    base = load("dual-screw-arm").with_value("control.reference.points.2.joint1", 0.5)
    assert base.control.reference.points[2] == {"joint1": 0.5}
    dotted = scenario(control={"type": "pd", "gains": {"shoulder.1": {"p": 1, "d": 2}}})
    assert dotted.with_value("control.gains.shoulder.1.p", 3).control.gains["shoulder.1"].p == 3


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("durations", "did you mean 'duration'"),
        ("link.upper.beam.length", "did you mean 'links'"),
        ("links.uper.beam.length", "did you mean 'upper'"),
        ("control.gains.elbw.p", "did you mean 'elbow'"),
        ("duration.x", "nothing below"),
        ("control.reference.points.9.joint1", "items 0 to 2"),
    ],
)
def test_an_unknown_path_is_named(path: str, said: str) -> None:
    with pytest.raises(LissomError, match=said):
        load("dual-screw-arm" if "points" in path else "ella").with_value(path, 1.0)


def test_values_that_need_each_other_change_together() -> None:
    fixed = scenario().with_values([("method", "rk4"), ("step", 1e-4)])
    assert fixed.with_values([("step", None), ("method", "radau")]).step is None


def test_a_changed_value_is_checked() -> None:
    with pytest.raises(LissomError, match=r"duration = -1: must be positive"):
        scenario().with_value("duration", -1)
    with pytest.raises(LissomError, match=r"links.upper.beam.length = -1: must be positive"):
        scenario().with_value("links.upper.beam.length", -1)


# prescribed motion


def test_the_spin_up_law_is_that_of_the_reference_file() -> None:
    T, w = 15.0, 2.0
    block = {"type": "spin-up", "speed": w, "duration": T}
    law = scenario(robot="spinup-beam", duration=20.0, motion={"shaft": block}).prepare().motion["shaft"]
    t = np.array([0.0, 2.5, 7.5, 12.5, 15.0, 17.5, 20.0])
    inside = np.minimum(t, T)
    rate = w / T * (inside - T / (2 * math.pi) * np.sin(2 * math.pi * inside / T))
    np.testing.assert_allclose(law(t)[1][:, 0], rate, atol=1e-7)
    np.testing.assert_allclose(law(20.0)[0], w * T / 2 + w * 5, rtol=1e-12)
    np.testing.assert_allclose(law(T - 1e-9)[0], law(T + 1e-9)[0], atol=1e-6)


def test_a_prescribed_joint_follows_its_motion_and_reports_the_torque() -> None:
    run = scenario(
        robot="spinup-beam", duration=0.2, motion={"shaft": {"type": "quintic", "to": 0.01, "duration": 0.1}}
    )
    trajectory = run.run(progress=False)
    expected = Reference.quintic(0.0, 0.01, 0.1)(trajectory.time)[0][:, 0]
    np.testing.assert_allclose(trajectory["shaft"].values, expected, atol=1e-12)
    assert np.abs(trajectory.torque("shaft").values).max() > 0


def test_a_prescribed_speed_that_jumps_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ramp.csv").write_text("t,a\n0,0\n1,1\n2,1\n")
    block = {"type": "csv", "path": str(tmp_path / "ramp.csv"), "interpolation": "linear"}
    with pytest.raises(LissomError, match=r"motion.shaft: .*jumps at t = 1 s.*infinite torque"):
        scenario(robot="spinup-beam", duration=2.0, motion={"shaft": block}).prepare()


def test_one_coordinate_of_a_joint_cannot_be_prescribed_alone() -> None:
    motion = {"left-shoulder.1": {"type": "quintic", "to": 1, "duration": 1}}
    with pytest.raises(LissomError, match=r"^motion\.left-shoulder\.1: a joint is prescribed as a whole"):
        scenario(robot="satellite-two-arm", motion=motion).prepare()


def test_a_joint_may_be_prescribed_beside_a_controller() -> None:
    control = {"type": "pd", "gains": {"shoulder": {"p": 2000, "d": 200}, "shoulder-yaw": {"p": 900, "d": 157}}}
    motion = {"elbow": {"type": "quintic", "to": 0.4, "duration": 0.4}}
    prepared = scenario(control=control, motion=motion).prepare()
    assert prepared.controller is not None
    assert list(prepared.motion) == ["elbow"]


def test_a_scenario_in_python_is_the_run_of_its_file() -> None:
    short = load("ella").with_value("duration", 0.05)
    trajectory = short.run(progress=False)
    assert trajectory.time[-1] == pytest.approx(0.05)
    assert isinstance(trajectory.model.robot, Robot)


# the built-in scenarios against numbers of others (geometrically exact beams of a third-party program)


@pytest.mark.parametrize(
    ("name", "angles", "tip"),
    [
        ("ella", [-0.492799998, 0.657216618, 0.405419124], [1.072795528, 1.38270436, 0.57608062]),
        (
            "dual-screw-arm",
            [0.785416928, 1.230272186, 1.205616653, 0.990428912],
            [1.463864526, 1.463926202, -0.308504625],
        ),
        ("l-mechanism", [math.radians(127.976)], [-0.310681, 0.49816, -0.397559]),
    ],
)
def test_a_built_in_scenario_ends_where_the_reference_does(name: str, angles: list[float], tip: list[float]) -> None:
    run = load(name).run(progress=False)
    moving = [body.joint for body in run.model.bodies if body.joint_q.stop > body.joint_q.start]
    np.testing.assert_allclose([run[joint].values[-1] for joint in moving], angles, atol=1e-4)
    np.testing.assert_allclose(run.tip().values[-1], tip, atol=5e-5)


def test_the_satellite_turns_against_its_arm() -> None:
    run = load("satellite-two-arm").run(progress=False)
    turned = 2 * np.arctan2(run["base.qz"].values[-1], run["base.qw"].values[-1])
    assert run["left-shoulder"].values[-1, 0] > 1.19
    assert turned < math.radians(-2)


def test_the_seven_axes_arrive_at_the_last_via_point() -> None:
    run = load("rigid-7-axis").run(progress=False)
    last = load("rigid-7-axis").control.reference.points[-1]
    for joint, angle in last.items():
        assert run[joint].values[-1] == pytest.approx(angle, abs=2e-3)
