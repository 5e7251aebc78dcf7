"""Rigid arms move as in Pinocchio, and flexible arms held straight are rigid arms.

The arms: the built-in seven-axis arm; a six-axis arm with offsets, full inertias and geared motors; a tree
with sliding, turning and fixed links; a floating body with ball joints; random trees of every joint type.
"""

from functools import cache

import numpy as np
import pytest
from claims import claim_equal
from random_robots import EVERY, random_state
from rigid_arms import random_rigid

import lissom

pytest.importorskip("pinocchio")
from pinocchio_arm import PinocchioArm

pytestmark = pytest.mark.bench

STATES = 3


def assert_equal(value, expected, relative=1e-12):
    """Equal within `relative` of the largest expected value."""
    claim_equal(value, expected, relative)


def six_axis_arm():
    """Offsets between skew axes, full inertias, a rotor behind every gear."""
    rng = np.random.default_rng(6)
    axes = ([0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0])
    offsets = (
        [0, 0, 0.33],
        [0.05, 0.02, 0.4],
        [0.1, -0.03, 0.45],
        [0.4, 0, 0.03],
        [0.1, 0, 0],
        [0.09, 0, 0.01],
    )
    links = []
    for k, (axis, offset) in enumerate(zip(axes, offsets)):
        spread = 0.1 * rng.normal(size=(3, 3))
        second = spread @ spread.T
        links.append(
            {
                "name": f"link{k + 1}",
                "origin": {"xyz": offset, "rpy": (0.2 * rng.normal(size=3)).tolist()},
                "joint": {
                    "name": f"joint{k + 1}",
                    "type": "revolute",
                    "axis": axis,
                    "damping": 0.1 * k,
                    "transmission": {"rotor_inertia": 2e-4, "gear": 100 - 10 * k},
                },
                "body": {
                    "mass": 12.0 / (k + 1),
                    "com": (0.1 * rng.normal(size=3)).tolist(),
                    "inertia": (np.trace(second) * np.eye(3) - second).tolist(),
                    "tip": [0.05, 0.01, 0.1],
                },
            }
        )
    return lissom.Robot.from_dict({"lissom": 1, "name": "six-axis", "links": links})


ARMS = {
    "seven-axis": lambda: lissom.load("rigid-7-axis"),
    "six-axis": six_axis_arm,
    "tree": lambda: random_rigid(
        ("prismatic", "revolute", "fixed", "prismatic", "revolute", "revolute"), 1, transmissions=1.0
    ),
    "floating": lambda: random_rigid(("free", "spherical", "revolute", "spherical"), 2),
    "every-joint": lambda: random_rigid(EVERY, 3),
    "every-joint-from-the-tip": lambda: random_rigid(EVERY[::-1], 4),
}


class Case:
    def __init__(self, robot):
        self.robot, self.model, self.pin = robot, robot.compile(), PinocchioArm(robot)

    def states(self):
        """Random q, v, and a third vector: forces or accelerations; external wrenches on every link."""
        rng = np.random.default_rng(0)
        for _ in range(STATES):
            q, v = random_state(self.robot, rng)
            yield (
                q,
                v,
                3 * rng.normal(size=self.model.nv),
                dict(zip(self.model.links, rng.normal(size=(99, 6)))),
            )


@cache
def arm(name):
    return Case(ARMS[name]())


@pytest.fixture(params=ARMS)
def case(request):
    return arm(request.param)


def test_the_arms_are_at_least_three_and_differ():
    assert len(ARMS) >= 3
    assert arm("six-axis").model.arrays.velocities.armature.min() > 0
    assert {link.joint.type for name in ARMS for link in arm(name).robot.links} == set(EVERY)


def test_inverse_dynamics_equals_pinocchio(case):
    for q, v, a, wrenches in case.states():
        value = lissom.inverse_dynamics(case.model, q, v, a, wrenches)
        assert_equal(value, case.pin.inverse(q, v, a, wrenches))


def test_forward_dynamics_equals_pinocchio(case):
    for q, v, tau, wrenches in case.states():
        value = lissom.forward_dynamics(case.model, q, v, tau, wrenches)
        assert_equal(value, case.pin.forward(q, v, tau, wrenches))


def test_mass_matrix_equals_pinocchio(case):
    for q, *_ in case.states():
        assert_equal(lissom.mass_matrix(case.model, q), case.pin.mass_matrix(q))


def test_bias_and_gravity_forces_equal_pinocchio(case):
    for q, v, *_ in case.states():
        assert_equal(lissom.bias(case.model, q, v), case.pin.bias(q, v))
        assert_equal(lissom.bias(case.model, q, 0 * v), case.pin.bias(q, 0 * v))


def test_joint_wrenches_equal_pinocchio(case):
    for q, v, a, wrenches in case.states():
        value = lissom.joint_wrenches(case.model, q, v, a, wrenches)
        case.pin.inverse(q, v, a, wrenches)
        for link, wrench in zip(case.model.links, value):
            if case.robot.link(link).joint.nv:
                assert_equal(wrench, case.pin.joint_wrench(link))


def test_poses_and_jacobians_equal_pinocchio(case):
    offset = np.array([0.1, -0.2, 0.3])
    for q, v, *_ in case.states():
        for link in case.model.links:
            pose, jacobian = case.pin.pose(q, link, offset)
            assert_equal(lissom.point_pose(case.model, q, link, offset=offset), pose)
            assert_equal(lissom.jacobian(case.model, q, link, offset=offset), jacobian)
            velocity = lissom.point_velocity(case.model, q, v, link, offset=offset)
            assert_equal(velocity, jacobian @ v)
        pose, _ = case.pin.pose(q, case.model.links[-1], case.robot.links[-1].body.tip or (0, 0, 0))
        assert_equal(lissom.tip_pose(case.model, q), pose)


@pytest.mark.parametrize("name", ["ella", "dual-screw-arm", "satellite-two-arm", "l-mechanism-torque"])
def test_a_flexible_arm_held_straight_is_the_rigid_arm_of_the_same_mass(name):
    robot = lissom.load(name)
    model, pin = robot.compile(), PinocchioArm(robot)
    joints = np.concatenate([np.arange(b.joint_v.start, b.joint_v.stop) for b in model.bodies])
    joints_q = np.concatenate([np.arange(b.joint_q.start, b.joint_q.stop) for b in model.bodies])
    rng = np.random.default_rng(1)
    for _ in range(STATES):
        q, v = random_state(robot, rng, deflection=0.0)
        a = np.zeros(model.nv)
        a[joints] = rng.normal(size=len(joints))
        expected = pin.inverse(q[joints_q], v[joints], a[joints], {})
        assert_equal(lissom.inverse_dynamics(model, q, v, a)[joints], expected)
        assert_equal(lissom.mass_matrix(model, q)[np.ix_(joints, joints)], pin.mass_matrix(q[joints_q]))
