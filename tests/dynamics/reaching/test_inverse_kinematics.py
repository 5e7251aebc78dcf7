"""Inverse kinematics against closed forms, known poses and SciPy's minimum: chains, trees, machines with loops."""

import json
import warnings

import numpy as np
import pytest
from random_robots import random_description
from rigid_arms import planar_arm
from scipy.optimize import minimize
from typer.testing import CliRunner

import lissom
from lissom.cli import app
from lissom.dynamics import integrate, loop_gaps
from lissom.dynamics.reaching.tip_search import apart
from lissom.lie import so3

KINDS = (
    ["revolute"] * 6,
    ["revolute"] * 7,
    ["revolute", "prismatic", "revolute", "revolute", "revolute"],
    ["spherical", "revolute", "revolute"],
    ["revolute"] * 4,
)
RODS = np.deg2rad([0, 120, 240])


def random_arm(seed, kinds):
    made = random_description(np.random.default_rng(seed), kinds, flexible=[False] * len(kinds), passive=0.0)
    for link in made["links"]:
        link["joint"].pop("transmission", None)
    return lissom.Robot.from_dict(made).compile()


def reached(model, q, target, *point):
    T = lissom.point_pose(model, q, *point)
    return np.abs(T - target).max() if np.shape(target) == (4, 4) else np.abs(T[:3, 3] - target).max()


@pytest.mark.parametrize("seed", range(10))
def test_random_arms_reach_poses_by_no_more_motion_than_a_known_one(seed):
    model, rng, point = random_arm(seed, KINDS[seed % 5]), np.random.default_rng(seed), (0.3, 0.1, 0.0)
    start = integrate(model, model.neutral(), rng.uniform(-0.5, 0.5, model.nv))
    known = integrate(model, start, rng.uniform(-0.7, 0.7, model.nv))
    pose = lissom.point_pose(model, known, model.links[-1], None, point)
    for target in (pose, pose[:3, 3]):
        found = lissom.inverse_kinematics(model, target, offset=point, q=start)
        assert reached(model, found.q, target, model.links[-1], None, point) < 1e-9
        slides = np.array([unit == "N" for link in model.robot.bodies for unit in link.joint.kind.force_units])
        if not slides.any():  # whose weight is the robot's size
            ways = [np.linalg.norm(apart(model, start, q)) for q in (found.q, known)]
            assert ways[0] <= ways[1] * (1 + 1e-6)


@pytest.mark.parametrize("place", [(1.2, 0.7), (-0.5, 1.1), (0.3, -1.6)])
def test_two_links_in_a_plane_bend_as_the_law_of_cosines_says(place):
    model = planar_arm(2).compile()
    r = np.hypot(*place)
    for side in (1, -1):
        elbow = side * np.arccos((r**2 - 2) / 2)
        shoulder = np.arctan2(place[1], place[0]) - np.arctan2(np.sin(elbow), 1 + np.cos(elbow))
        begin = [shoulder + 0.1, elbow + 0.1]  # its own side is the nearest then
        found = lissom.inverse_kinematics(model, [*place, 0], offset=(1, 0, 0), q=begin)
        off = np.array([shoulder, elbow]) - found.q
        assert np.abs(np.exp(1j * off) - 1).max() < 1e-9


def test_a_stretched_arm_is_reached_too():
    found = lissom.inverse_kinematics(planar_arm(2), [0, 2, 0], offset=(1, 0, 0), q=[0.3, 0.5])
    assert found.q == pytest.approx([np.pi / 2, 0], abs=1e-4)  # a double root: the way is the root of what is missed


def test_the_motion_of_a_redundant_arm_is_the_least():
    model = planar_arm(5).compile()
    start, target = np.array([0.2, 0.3, 0.1, 0.3, 0.2]), np.array([1.5, 3.0, 0.0])
    found = lissom.inverse_kinematics(model, target, offset=(1, 0, 0), q=start).q

    def tip(q):
        turned = np.cumsum(q)
        return [np.cos(turned).sum() - target[0], np.sin(turned).sum() - target[1]]

    least = minimize(
        lambda q: np.sum((q - start) ** 2), start, constraints={"type": "eq", "fun": tip}, method="SLSQP", tol=1e-12
    )
    assert least.success
    assert found == pytest.approx(least.x, abs=1e-5)
    limits = {"joint2": (0.0, 0.45), "joint3": (-1, 0.4)}
    held = lissom.inverse_kinematics(model, target, offset=(1, 0, 0), q=start, limits=limits).q
    bounds = [(None, None), (0.0, 0.45), (-1, 0.4), (None, None), (None, None)]
    options = {"constraints": {"type": "eq", "fun": tip}, "bounds": bounds, "method": "SLSQP", "tol": 1e-12}
    assert held == pytest.approx(minimize(lambda q: np.sum((q - start) ** 2), start, **options).x, abs=1e-5)
    assert found[1] > 0.45  # so that the limit was in the way


def delta():
    """Three driven arms of 0.3 m at a base of radius 0.2 m; six rods of 0.8 m carry a platform of radius 0.05 m."""
    links, loops = [], []
    for k, angle in enumerate(RODS):
        x, y, turn = 0.2 * np.cos(angle), 0.2 * np.sin(angle), {"rpy": [0, 0, float(angle)]}
        arm = {"name": f"arm{k}", "parent": "world", "origin": {"xyz": [float(x), float(y), 0.0]} | turn}
        arm["joint"] = {"name": f"motor{k}", "type": "revolute", "axis": [0, 1, 0]}
        links.append(arm | {"body": {"mass": 0.5, "inertia": [0.01, 0.01, 0.01], "tip": [0.3, 0, 0]}})
        for side in (-0.05, 0.05):
            eye = [0.05 * np.cos(angle) - side * np.sin(angle), 0.05 * np.sin(angle) + side * np.cos(angle), 0]
            ends = [
                {"link": f"arm{k}", "origin": {"xyz": [0.3, side, 0]}},
                {"link": "platform", "origin": {"xyz": list(map(float, eye))}},
            ]
            loops.append({"name": f"rod{k}{'l' if side < 0 else 'r'}", "distance": 0.8, "between": ends})
    platform = {"name": "platform", "parent": "world", "origin": {"xyz": [0, 0, -0.7]}}
    platform |= {"joint": {"type": "free"}, "body": {"mass": 0.3, "inertia": [1e-3, 1e-3, 1e-3]}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "delta", "links": [*links, platform], "loops": loops})


def delta_angle(place, angle):
    """The motor's angle of a delta robot: the rod's end on a circle and a sphere (the smaller angle is outwards)."""
    x, y = np.cos(angle) * place[0] + np.sin(angle) * place[1], -np.sin(angle) * place[0] + np.cos(angle) * place[1]
    a, z = x + 0.05 - 0.2, place[2]  # elbow (0.3 cos q, -0.3 sin q) to platform (a, z), y aside
    c = (a**2 + z**2 + 0.3**2 + y**2 - 0.8**2) / (2 * 0.3)
    return np.arctan2(-z, a) - np.arccos(c / np.hypot(a, z))


@pytest.mark.parametrize("place", [(0.0, 0.0, -0.75), (0.1, -0.15, -0.7), (-0.2, 0.1, -0.85)])
def test_a_delta_robot_turns_its_motors_as_the_closed_form_says(place):
    model = delta().compile()
    found = lissom.inverse_kinematics(model, place, "platform", q={f"motor{k}": 0.0 for k in range(3)})
    assert reached(model, found.q, place, "platform") < 1e-10
    assert np.abs(loop_gaps(model, found.q)).max() < 1e-10
    q = [found.q[model.joint(f"motor{k}").joint_q.start] for k in range(3)]
    assert q == pytest.approx([delta_angle(place, angle) for angle in RODS], abs=1e-8)


def hexapod(feet, eyes):
    base = [{"link": "world", "origin": {"xyz": list(map(float, foot))}} for foot in feet]
    top = [{"link": "top", "origin": {"xyz": list(map(float, eye))}} for eye in eyes]
    legs = [
        {"name": f"leg{k}", "type": "cylinder", "drive": "length", "between": [a, b], "length": 1.3}
        for k, (a, b) in enumerate(zip(base, top, strict=True))
    ]
    link = {"name": "top", "joint": {"name": "float", "type": "free"}, "origin": {"xyz": [0, 0, 1.2]}}
    link["body"] = {"mass": 40.0, "inertia": [1, 1, 2]}
    tube = {"name": "tube", "parent": "top", "joint": {"name": "tilt", "type": "revolute", "axis": [0, 1, 0]}}
    tube |= {"body": {"mass": 10.0, "inertia": [1, 1, 1], "tip": [0, 0, 1.0]}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "hexapod", "links": [link, tube], "elements": legs})


def test_the_legs_of_a_hexapod_are_as_long_as_their_ends_are_apart():
    rng = np.random.default_rng(3)
    around, aside = np.deg2rad([-10, 10, 110, 130, 230, 250]), np.deg2rad([-50, 50, 70, 170, 190, 290])
    feet = np.stack([np.cos(around), np.sin(around), 0 * around], axis=1)
    eyes = 0.5 * np.stack([np.cos(aside), np.sin(aside), 0 * aside], axis=1)
    model = hexapod(feet, eyes).compile()
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = so3.exp(rng.uniform(-0.2, 0.2, 3)), [0.1, -0.05, 1.25]
    found = lissom.inverse_kinematics(model, T, "top")
    legs = {f"leg{k}": np.linalg.norm(T[:3, :3] @ eyes[k] + T[:3, 3] - feet[k]) for k in range(6)}
    assert found.lengths == pytest.approx(legs, rel=1e-10)
    assert lissom.lengths(model, found.q) == pytest.approx(legs, rel=1e-10)
    assert found.q[model.joint("tilt").joint_q.start] == 0.0
    back = lissom.closed_pose(model, legs)
    assert reached(model, back.q, T, "top") < 1e-8
    tip = lissom.tip_pose(model, found.q)[:3, 3] + [0.05, 0.02, 0]
    held = lissom.inverse_kinematics(model, tip, q=found.q, keep=["tilt"])
    assert reached(model, held.q, tip, "tube") < 1e-9
    assert held.q[model.joint("tilt").joint_q.start] == 0.0


def test_a_crane_is_asked_for_a_height_alone_and_keeps_the_stroke_of_its_cylinder():
    model = lissom.load("luffing-crane").compile()
    found = lissom.inverse_kinematics(model, [np.nan, np.nan, 9], "boom")
    up = found.q[model.joint("pin").joint_q.start]
    assert np.sin(up) == pytest.approx((9 - 2.5) / 14, rel=1e-9)
    raised = [4.0 * np.cos(up) + 0.3 * np.sin(up) - 1.2, 4.0 * np.sin(up) - 0.3 * np.cos(up) + 1.5]
    assert found.lengths == {"lift": pytest.approx(np.linalg.norm(raised), rel=1e-9)}
    assert lissom.lengths(model, {"pin": up})["lift"] == pytest.approx(found.lengths["lift"], rel=1e-9)
    with pytest.raises(lissom.LissomError, match=r"cannot be reached by boom: the nearest pose found misses it by"):
        lissom.inverse_kinematics(model, [np.nan, np.nan, 9], "boom", limits={"lift": (3.0, 3.8)})
    slewed = lissom.inverse_kinematics(model, [0, 12, np.nan], "boom", limits={"lift": (3.0, 4.2)})
    assert slewed.q[model.joint("slew").joint_q.start] == pytest.approx(np.pi / 2, abs=1e-9)
    assert all(np.all(slewed.q[body.modes_q] == 0) for body in model.bodies)
    load = model.joint("swing")
    assert slewed.q[load.joint_q] == pytest.approx(model.neutral()[load.joint_q])  # what hangs is kept


def test_a_five_bar_reaches_what_its_motors_give():
    model = lissom.load("five-bar").compile()
    begin = {"left-motor": 2.0944, "right-motor": 1.0472, "left-elbow.near": -1.3, "right-elbow.near": 1.3}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start = lissom.close_loops(model, begin)
        known = lissom.close_loops(model, start, keep=["left-motor"]).copy()
        turned = known.copy()
        turned[model.joint("left-motor").joint_q] += 0.2
        turned = lissom.close_loops(model, turned, keep=["left-motor", "right-motor"])
        target = lissom.tip_pose(model, turned)[:3, 3]
        found = lissom.inverse_kinematics(model, target, q=start)
    assert found.q == pytest.approx(turned, abs=1e-8)  # two motors, two coordinates


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"target": [1, 2]}, r"target = \[1, 2\]: must be a place"),
        ({"target": [np.nan] * 3}, r"target.*must be a place"),
        ({"target": 2 * np.eye(4)}, r"target.*no rotation"),
        ({"target": [5, 0, 0]}, r"target = \[5, 0, 0\].*cannot be reached by forearm.*misses it by"),
        ({"target": [1, 0, 0], "keep": ["shoulder-yaw", "shoulder", "elbow"]}, "no joint is free to move"),
        ({"target": [1, 0, 0], "limits": {"elbow": (1, 0)}}, r"limits.elbow.*lower below upper"),
        ({"target": [1, 0, 0], "limits": {"elbow": 1}}, r"limits.elbow.*two numbers"),
        ({"target": [1, 0, 0], "limits": {"ellbow": (0, 1)}}, "did you mean 'elbow'"),
    ],
)
def test_targets_and_limits_that_cannot_be_are_told(given, told):
    with pytest.raises(lissom.LissomError, match=told):
        lissom.inverse_kinematics("ella", **given)


def test_the_command_tells_angles_lengths_and_tips():
    done = CliRunner().invoke(app, ["pose", "luffing-crane", "--at", "boom=[., ., 9]", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["tips"]["boom"][2] == pytest.approx(9)
    same = CliRunner().invoke(app, ["pose", "luffing-crane", "--pose", f"lift={found['lengths']['lift']}", "--json"])
    assert json.loads(same.output)["joints"]["pin"] == pytest.approx(found["joints"]["pin"], abs=1e-9)
    text = CliRunner().invoke(app, ["pose", "luffing-crane", "--pose", "pin=30 deg"]).output
    assert "30.000 deg" in text
    assert "lift length" in text
    wrong = CliRunner().invoke(app, ["pose", "ella", "--at", "forearm=3"])
    assert wrong.exit_code == 1
    assert "at.forearm = 3" in wrong.output
