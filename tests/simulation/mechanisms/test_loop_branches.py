"""Loops keep their branch: where links are in line a mechanism can go on in more ways than one."""

from functools import cache

import numpy as np
import pytest
from loop_problems import revolute

import lissom

WINDOWS = 3


def windows():
    """The N-four-bar of the IFToMM library of benchmarks: rods of 1 m and 1 kg, every window a parallelogram."""

    def rod(name, parent, xyz, turn):
        body = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [1e-3, 1 / 12, 1 / 12]}
        return {
            "name": name,
            "parent": parent,
            "origin": {"xyz": xyz, "rpy": [0, 0, turn]},
            "joint": revolute(),
            "body": body,
        }

    links = [rod(f"post{k}", "world", [k, 0, 0], np.pi / 2) for k in range(WINDOWS + 1)]
    links += [rod(f"beam{k}", f"post{k}", [1, 0, 0], -np.pi / 2) for k in range(WINDOWS)]
    tip = {"xyz": [1, 0, 0]}
    loops = [
        {
            "name": f"pin{k}",
            "joint": revolute(),
            "between": [{"link": f"beam{k}", "origin": tip}, {"link": f"post{k + 1}", "origin": tip}],
        }
        for k in range(WINDOWS)
    ]
    robot = {"name": "windows", "gravity": [0, -9.81, 0], "links": links, "loops": loops}
    return lissom.Robot.from_dict(robot).compile()


def fall(method, rtol):
    """Ten seconds from upright, the upper points at 1 m/s: rods pass the horizontal, all in line, ten times."""
    turning = np.concatenate([-np.ones(WINDOWS + 1), np.ones(WINDOWS)])
    return lissom.simulate(windows(), 10.0, start=(np.zeros(2 * WINDOWS + 1), turning), method=method, rtol=rtol)


@cache
def one_bar():
    """The angle of the posts after ten seconds: all turn alike, so the mechanism is one pendulum."""
    rods, beams = (WINDOWS + 1) / 3, WINDOWS  # inertia, and mass that goes along at the upper ends
    weight = (WINDOWS + 1) / 2 + WINDOWS
    h, x = 1e-3, np.array([0.0, -1.0])

    def rate(x):
        return np.array([x[1], 9.81 * weight / (rods + beams) * np.sin(x[0])])

    for _ in range(10_000):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3))
    return x[0]


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-9])
def test_auto_keeps_the_branch_at_singular_positions(rtol):
    run = fall("auto", rtol)
    assert run.info.status == "finished"
    assert not run.warnings
    assert np.abs(run.q[-1, : WINDOWS + 1] - one_bar()).max() < 1e-2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["dop853", "dopri5", "cvode-adams"])
@pytest.mark.parametrize("rtol", [1e-8, 1e-9])
def test_a_change_of_branch_is_told(method, rtol):
    if method.startswith("cvode"):
        pytest.importorskip("sksundae", reason="CVODE comes with the extra `sundials`")
    run = fall(method, rtol)
    finished = run.info.status == "finished"  # else the run ended early, which its status tells
    reached = finished and np.abs(run.q[-1, : WINDOWS + 1] - one_bar()).max() < 1e-2
    told = not finished or any(event.kind == "branch" for event in run.warnings)
    assert reached != told


@pytest.mark.parametrize("method", ["dop853", "radau", "cvode-bdf"])
def test_loops_stay_closed_around_a_ball_joint_that_follows_a_pose(method):
    """The pose was put in place after loops were closed around where the steps had brought the joint: 3e-9 off."""
    if method.startswith("cvode"):
        pytest.importorskip("sksundae", reason="CVODE comes with the extra `sundials`")
    body = {"mass": 1.0, "com": [0, 0, 0.5], "inertia": [0.1, 0.1, 0.02]}
    links = [
        {"name": "plate", "joint": {"name": "ball", "type": "spherical"}, "body": body},
        {"name": "arm", "parent": "world", "origin": {"xyz": [1.5, 0, 0]}, "joint": revolute((0, 1, 0)), "body": body},
    ]
    ends = [{"link": "plate", "origin": {"xyz": [0.3, 0, 1]}}, {"link": "arm", "origin": {"xyz": [0, 0, 1]}}]
    robot = {"name": "ball", "links": links, "loops": [{"name": "rod", "distance": 1.2, "between": ends}]}
    rpy = {"type": "sine", "amplitude": [0.3, 0.2, 0.4], "frequency": 0.5}
    scenario = {"robot": robot, "duration": 2.0, "motion": {"ball": {"type": "pose", "rpy": rpy}}, "method": method}
    run = lissom.scenario.Scenario.from_dict(scenario).run()
    assert run.info.status == "finished", run.info.message
    assert np.abs(run.dataset["loop_gap"].values).max() < 1e-11
