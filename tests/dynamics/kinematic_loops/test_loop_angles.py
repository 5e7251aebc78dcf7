"""Loops close as their joints are described, however far they start: no axis reversed or exchanged, no thread off."""

import warnings

import numpy as np
import pytest
from cut_joints import carried_over, cut
from random_robots import EVERY, random_description, random_state

import lissom
from lissom.dynamics import integrate, loop_gaps
from lissom.dynamics.kinematic_loops.loop_angles import angles_off
from lissom.dynamics.kinematic_loops.loop_closing import LoopWarning
from lissom.lie import quaternion, so3

KINDS = tuple(kind for kind in EVERY if kind != "free")
JOINTS = {
    "fixed": {},
    "prismatic": {"axis": [1, 0, 0]},
    "revolute": {"axis": [0, 0, 1]},
    "cylindrical": {"axis": [0, 1, 0]},
    "helical": {"axis": [0, 0, 1], "pitch": 0.2},
    "universal": {"axes": [[0, 0, 1], [0, 1, 0]]},
    "planar": {},
    "spherical": {},
}


def floating(kind):
    """A body that floats, and a joint between it and the world."""
    body = {"mass": 1.0, "inertia": [0.1, 0.2, 0.25]}
    links = [{"name": "a", "joint": {"name": "f", "type": "free"}, "body": body}]
    loops = [{"name": "held", "joint": {"type": kind, **JOINTS[kind]}, "between": [{"link": "world"}, {"link": "a"}]}]
    return lissom.Robot.from_dict({"lissom": 1, "name": "x", "links": links, "loops": loops}).compile()


def reachable(kind, R, p):
    """How far a pose is from all those that the joint has, by its definition."""
    turn = np.arctan2(R[1, 0], R[0, 0])
    about_z = np.abs(R - so3.exp([0, 0, turn])).max()
    return {
        "fixed": lambda: max(np.abs(R - np.eye(3)).max(), np.abs(p).max()),
        "prismatic": lambda: max(np.abs(R - np.eye(3)).max(), np.abs(p[1:]).max()),
        "revolute": lambda: max(about_z, np.abs(p).max()),
        "cylindrical": lambda: max(np.abs(R @ [0, 1, 0] - [0, 1, 0]).max(), np.abs(p[[0, 2]]).max()),
        "helical": lambda: max(about_z, np.abs(p[:2]).max(), abs(np.sin((turn - 2 * np.pi * p[2] / 0.2) / 2))),
        "universal": lambda: max(abs((R @ [0, 1, 0])[2]), np.abs(p).max()),
        "planar": lambda: max(about_z, abs(p[2])),
        "spherical": lambda: np.abs(p).max(),
    }[kind]()


@pytest.mark.parametrize("kind", KINDS)
def test_a_floating_body_is_put_into_its_joint_as_described_from_any_side(kind):
    rng, model = np.random.default_rng(KINDS.index(kind)), floating(kind)
    for angle in np.radians([30, 60, 80, 80, 80, 90, 100, 120, 140, 179] * 6):
        axis = rng.normal(size=3)
        turn = quaternion.exp(angle * axis / np.linalg.norm(axis))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LoopWarning)
            q = lissom.close_loops(model, {"f.near": [*turn, *0.3 * rng.normal(size=3)]})
        assert reachable(kind, quaternion.to_matrix(q[:4]), q[4:]) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_loops_of_random_arms_close_as_the_trees_that_they_were_cut_from(kind):
    """A joint of a tree is cut, its link floats off: it finds back, and what the joint allows is a pose of the tree."""
    for seed in range(6):
        rng = np.random.default_rng(100 * KINDS.index(kind) + seed)
        joints = [str(rng.choice(KINDS)) for _ in range(3)]
        joints[1] = kind
        data = random_description(rng, joints, 0.3, "none", transmissions=0.0, passive=0.0)
        robot = lissom.Robot.from_dict(data)
        tree, other = robot.compile(), cut(data, 1).compile()
        q = carried_over(tree, *random_state(robot, rng), other, "link1")[0]
        step = np.zeros(other.nv)
        step[other.link("link1").joint_v] = 1.2 * rng.normal(size=6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LoopWarning)
            closed = lissom.close_loops(other, integrate(other, q, step))
        assert np.abs(loop_gaps(other, closed)).max(initial=0.0) < 1e-11
        assert angles_off(other, closed).max() < 1e-9


def test_a_start_that_is_turned_far_is_told():
    model = floating("fixed")
    with pytest.warns(LoopWarning, match="loops.held starts turned by 120 degrees"):
        q = lissom.close_loops(model, {"f.near": [0.5, 0.5, 0.5, 0.5, 0, 0, 0]})
    assert q == pytest.approx([1, 0, 0, 0, 0, 0, 0], abs=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lissom.close_loops(model, {"f.near": [*quaternion.exp([0.8, 0.8, 0]), 0, 0, 0]})


def test_a_run_that_starts_on_another_branch_is_put_right():
    model = floating("prismatic")
    with pytest.warns(LoopWarning):
        run = lissom.simulate(model, 0.01, start=np.array([0.5, 0.5, 0.5, 0.5, 0, 0, 0]))
    assert np.abs(run.q[:, :4] - [1, 0, 0, 0]).max() < 1e-9
