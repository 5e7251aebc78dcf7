"""The Lie-group formulation against Pinocchio: every quantity to 1e-9 on arms that turn and slide."""

from functools import cache

import numpy as np
import pytest
from claims import claim
from rigid_arms import ARMS

from lissom.theory import lie_group as lg

pin = pytest.importorskip("pinocchio")
from pinocchio_arm import PinocchioArm  # noqa: E402

pytestmark = pytest.mark.bench
NAMES = ("seven-axis", "scara", "tree")


class Case:
    """An arm both ways; every link of these moves, or is fixed on one that does."""

    def __init__(self, robot):
        self.arm, self.pin = lg.arm(robot.compile()), PinocchioArm(robot)
        self.model, self.data, self.index = self.pin.model, self.pin.data, self.pin.index()

    def square(self, matrix):
        return matrix[np.ix_(self.index, self.index)]


@cache
def built(name):
    return Case(ARMS[name]())


@pytest.fixture(params=NAMES)
def case(request):
    return built(request.param)


def states(case):
    for row in np.random.default_rng(5).normal(size=(3, 3, case.arm.n)):
        yield row, [case.pin.v(x) for x in row]


def assert_equal(value, expected):
    error = np.abs(value - expected).max() / max(1.0, np.abs(expected).max())
    claim(error, 1e-9)


def test_one_of_the_arms_slides():
    assert any(link.joint.type == "prismatic" for name in NAMES for link in ARMS[name]().links)


def test_inverse_dynamics_and_inertia_matrix(case):
    for (x, xd, xdd), (q, v, a) in states(case):
        tau = pin.rnea(case.model, case.data, q, v, a)
        assert_equal(lg.inverse_dynamics(case.arm, x, xd, xdd), case.pin.back(tau))
        assert_equal(lg.mass_matrix(case.arm, x), case.pin.mass_matrix(x))


def test_coriolis_matrix_and_gravity(case):
    for (x, xd, _), (q, v, _) in states(case):
        C = case.square(pin.computeCoriolisMatrix(case.model, case.data, q, v))
        assert_equal(lg.coriolis_matrix(case.arm, x, xd), C)
        gravity = pin.computeGeneralizedGravity(case.model, case.data, q)
        assert_equal(lg.gravity_forces(case.arm, x), case.pin.back(gravity))


def test_jacobians(case):
    for (x, *_), (q, *_) in states(case):
        pin.computeJointJacobians(case.model, case.data, q)
        link = case.arm.names[-1]
        joint, frame = case.pin.place[link]
        local = frame.inverse().toActionMatrix() @ pin.getJointJacobian(
            case.model, case.data, joint, pin.ReferenceFrame.LOCAL
        )
        tip = pin.SE3(np.eye(3), case.arm.tip[:3, 3])
        body = tip.inverse().toActionMatrix() @ local
        assert_equal(lg.body_jacobian(case.arm, x), np.roll(body[:, case.index], 3, axis=0))
        world = pin.getJointJacobian(case.model, case.data, joint, pin.ReferenceFrame.WORLD)
        assert_equal(lg.space_jacobian(case.arm, x), np.roll(world[:, case.index], 3, axis=0))


def test_regressor(case):
    """Of links with a joint of their own: in Pinocchio a fixed link is part of the body that carries it."""
    robot, names = case.pin.robot, case.arm.names
    own = [k for k, name in enumerate(names) if robot.link(name).joint.nv]
    whole = [k for k in own if not any(link.parent == names[k] and not link.joint.nv for link in robot.links)]
    joints = {k: case.pin.place[names[k]][0] for k in own}
    for (x, xd, xdd), (q, v, a) in states(case):
        Y = pin.computeJointTorqueRegressor(case.model, case.data, q, v, a)[case.index]
        found = lg.regressor(case.arm, x, xd, xdd)
        for k, joint in joints.items():
            assert_equal(found[:, 10 * k : 10 * k + 10], Y[:, 10 * joint - 10 : 10 * joint])
        inertias = [inertia.toDynamicParameters() for inertia in case.model.inertias[1:]]
        assert_equal(found @ case.arm.parameters, Y @ np.concatenate(inertias))
    assert len(whole) >= 4
    for k in whole:
        parameters = case.model.inertias[joints[k]].toDynamicParameters()
        assert_equal(case.arm.parameters[10 * k : 10 * k + 10], parameters)


def test_derivatives_of_inverse_dynamics(case):
    for (x, xd, xdd), (q, v, a) in states(case):
        by_q, by_v, by_a = pin.computeRNEADerivatives(case.model, case.data, q, v, a)
        found = lg.inverse_dynamics_derivatives(case.arm, x, xd, xdd)
        assert_equal(found.x, case.square(by_q))
        assert_equal(found.xd, case.square(by_v))
        by_a = np.triu(by_a) + np.triu(by_a, 1).T
        assert_equal(found.xdd, case.square(by_a))
