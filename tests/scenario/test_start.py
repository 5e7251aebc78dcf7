"""Starts at rest: nothing moves that is held as it was; what is free hangs where statics says."""

import warnings

import numpy as np
import pytest

import lissom
from lissom.control import Reference
from lissom.model.angle_warnings import AngleWarning
from lissom.scenario import Scenario

ARM = """
robot:
  name: arm
  links:
    - {name: upper, joint: {type: revolute, axis: [0, 1, 0]}, body: {mass: 2, com: [0.5, 0, 0], tip: [1, 0, 0]}}
    - name: fore
      joint: {type: revolute, axis: [0, 1, 0], name: elbow, damping: 1}
      body: {mass: 1, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1], tip: [1, 0, 0]}
duration: 0.2
"""
STILL = "{type: constant}"
LOCKED = f"motion: {{shoulder-yaw: {STILL}, shoulder: {STILL}, elbow: {STILL}}}\n"
ELLA = "robot: ella\nduration: 0.1\n" + LOCKED


def swing(run: lissom.Trajectory) -> float:
    """Largest change of any coordinate."""
    return float(np.abs(run.q - run.q[0]).max())


def test_an_arm_that_starts_at_equilibrium_does_not_swing() -> None:
    at_rest = Scenario.from_yaml(ELLA + "start: equilibrium").run(progress=False)
    straight = Scenario.from_yaml(ELLA).run(progress=False)
    assert swing(straight) > 1e-3
    assert swing(at_rest) < 1e-6 * swing(straight)


def test_held_joints_keep_their_start_and_links_sag_there() -> None:
    scenario = Scenario.from_yaml(ELLA + "start: {shoulder: 45 deg, elbow: -20 deg}\nhold: joints")
    q, v = scenario.prepare().start
    model = scenario.load_robot().compile()
    assert q[model.joint("shoulder").joint_q] == pytest.approx(np.pi / 4)
    np.testing.assert_array_equal(q, lissom.static_equilibrium(model, {"shoulder": np.pi / 4, "elbow": -np.pi / 9}).q)
    assert not v.any()
    assert swing(scenario.run(progress=False)) < 1e-8


def test_what_is_not_held_hangs_down() -> None:
    scenario = Scenario.from_yaml(ARM + "start: {upper: 0.3, elbow: 0.2}\nhold: [upper]")
    q, _ = scenario.prepare().start
    # about y a positive angle turns x towards -z: the fore arm hangs where both together make a quarter turn
    np.testing.assert_allclose(q, [0.3, np.pi / 2 - 0.3], atol=1e-12)


def test_a_prescribed_joint_is_held_where_its_motion_begins() -> None:
    motion = "motion: {upper: {type: quintic, from: 0.5, to: 0.6, duration: 0.1}}"
    q, _ = Scenario.from_yaml(ARM + "start: {elbow: 0.2}\nhold: []\n" + motion).prepare().start
    np.testing.assert_allclose(q, [0.5, np.pi / 2 - 0.5], atol=1e-12)


def test_equilibrium_is_short_for_held_joints_and_comes_back_from_its_text() -> None:
    scenario = Scenario.from_yaml(ELLA + "start: equilibrium")
    assert (scenario.start, scenario.hold) == ({}, "joints")
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario
    assert Scenario.from_yaml(ELLA + "start: equilibrium\nhold: motors").hold == "motors"
    assert scenario.with_value("start.elbow", 0.1).hold == "joints"


def test_simulate_takes_the_word_and_the_result_of_statics() -> None:
    rest = lissom.static_equilibrium("ella")
    still = {joint: Reference.constant([0.0]) for joint in ("shoulder-yaw", "shoulder", "elbow")}
    for start in ("equilibrium", rest):
        run = lissom.simulate("ella", 0.05, start=start, motion=still, progress=False)
        np.testing.assert_allclose(run.q[0], rest.q, atol=1e-12)
        assert swing(run) < 1e-8
    with pytest.raises(lissom.LissomError, match=r"start = 'equilibrum': .*did you mean 'equilibrium'"):
        lissom.simulate("ella", 0.05, start="equilibrum")


def test_motors_that_hold_with_the_torque_of_statics_keep_elastic_joints_still() -> None:
    robot = lissom.load("canadarm2").with_value("gravity", [0, 0, -0.05])
    rest = lissom.static_equilibrium(robot, hold="motors")

    def held(start: object) -> float:
        return swing(lissom.simulate(robot, 0.05, start=start, controller=lambda t, q, v: rest.tau, progress=False))

    assert held(None) > 1e-5
    assert held(rest) < 1e-5 * held(None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("start: {elbow: 45}", r"start\.elbow = 45: .*write 45 deg"),
        ("motion: {elbow: {type: quintic, to: -90, duration: 1}}", r"motion\.elbow\.to\.elbow = -90: .*write -90 deg"),
        ("motion: {elbow: {type: via, points: [0, 30], times: [0, 1]}}", r"points\[1\]\.elbow = 30: .*write 30 deg"),
    ],
)
def test_angles_that_look_like_degrees_get_a_hint(text: str, said: str) -> None:
    with pytest.warns(AngleWarning, match=said):
        Scenario.from_yaml(ARM + text).prepare()


@pytest.mark.parametrize(
    "text",
    [
        "start: {elbow: 720 deg, upper: 6.28, upper.rate: 45}",
        "motion: {elbow: {type: quintic, to: 4 deg, duration: 1}}",
        "motion: {elbow: {type: spin-up, speed: 50, duration: 1}}",
    ],
)
def test_turns_with_a_unit_and_speeds_get_none(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", AngleWarning)
        Scenario.from_yaml(ARM + text).prepare()


def test_lengths_get_no_hint() -> None:
    text = ARM.replace("type: revolute, axis: [0, 1, 0], name: elbow", "type: prismatic, axis: [1, 0, 0], name: elbow")
    with warnings.catch_warnings():
        warnings.simplefilter("error", AngleWarning)
        Scenario.from_yaml(text + "start: {elbow: 45}").prepare()
