"""Helical joints: the lead screw in the kernel, its derivatives, its symbols and every formulation."""

from functools import cache

import numpy as np
import pytest
from claims import claim_equal
from independent import Independent
from random_robots import random_robot, random_state

import lissom
from lissom.dynamics import integrate, inverse_derivatives
from lissom.model import Robot
from lissom.theory.formulation import Unsupported, build, names

PITCH = 0.02
PLANS = [
    (["helical"], [False]),
    (["helical", "revolute", "helical"], [False, True, False]),
    (["helical", "helical", "spherical", "helical"], [True, True, False, False]),
    (["free", "helical", "universal", "helical"], [False, False, True, True]),
]


@cache
def case(k):
    rng = np.random.default_rng(40 + k)
    joints, flexible = PLANS[k]
    robot = random_robot(rng, joints, flexible=flexible, transmissions=0.7)
    q, v = random_state(robot, rng)
    model = robot.compile()
    return robot, model, q, v, rng.normal(size=model.nv)


every = pytest.mark.parametrize("k", range(len(PLANS)))


@every
def test_dynamics_equal_the_independent_derivation(k):
    robot, model, q, v, tau = case(k)
    other = Independent(robot, order=12)
    claim_equal(lissom.mass_matrix(model, q), other.mass_matrix(q), 1e-10)
    claim_equal(lissom.forward_dynamics(model, q, v, tau), other.forward(q, v, tau), 1e-9)
    a = lissom.forward_dynamics(model, q, v, tau)
    claim_equal(lissom.inverse_dynamics(model, q, v, a), tau, 1e-9)
    claim_equal(lissom.joint_wrenches(model, q, v, a), other.joint_wrenches(q, v, a), 1e-9)
    kinetic, potential = other.energy(q, v)
    mine = lissom.energy(model, q, v)
    assert mine.kinetic == pytest.approx(kinetic, rel=1e-11)
    assert mine.potential == pytest.approx(potential, rel=1e-9)


@every
def test_derivatives_equal_differences(k):
    _, model, q, v, tau = case(k)
    exact = lissom.derivatives(model, q, v, tau)
    h = 1e-5
    for j in range(model.nv):
        step = np.zeros(model.nv)
        step[j] = h
        by_q = lissom.forward_dynamics(model, integrate(model, q, step), v, tau)
        by_q = (by_q - lissom.forward_dynamics(model, integrate(model, q, -step), v, tau)) / (2 * h)
        np.testing.assert_allclose(exact.q[:, j], by_q, rtol=1e-5, atol=1e-6 * np.abs(exact.q).max())
    assert np.isfinite(inverse_derivatives(model, q, v, exact[0]).q).all()


@every
def test_symbols_equal_numbers(k):
    pytest.importorskip("casadi")
    from lissom.dynamics import symbolic

    _, model, q, v, tau = case(k)
    value = np.array(symbolic.forward_dynamics(model)(q, v, tau)).ravel()
    claim_equal(value, lissom.forward_dynamics(model, q, v, tau), 1e-10)


@every
@pytest.mark.parametrize("name", [name for name in names() if name not in ("kernel", "dual_screw")])
def test_every_formulation_equals_the_kernel_or_refuses_by_name(k, name):
    _, model, q, v, tau = case(k)
    try:
        other = build(name, model)
    except Unsupported as refused:
        assert any(body.joint in str(refused) or body.link in str(refused) for body in model.bodies)
        return
    a = lissom.forward_dynamics(model, q, v, tau)
    if name != "erls" or not model.flexible:  # erls is of first order in the deflection
        claim_equal(other.accelerations(q, v, tau), a, 1e-8)
        claim_equal(other.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a), 1e-8)


def nut(**joint):
    """A nut of 3 kg on a vertical screw of 20 mm pitch."""
    body = {"mass": 3.0, "com": [0, 0, 0], "inertia": [0.01, 0.01, 0.02]}
    link = {"name": "nut", "joint": {"type": "helical", "axis": [0, 0, 1], "pitch": PITCH, **joint}, "body": body}
    return Robot.from_dict({"lissom": 1, "name": "lead-screw", "gravity": [0, 0, -9.81], "links": [link]})


def test_a_nut_slides_down_its_screw_as_the_textbook_says():
    """Inertia I + m h^2 and torque m g h, with h = pitch / 2 pi."""
    model, h = nut().compile(), PITCH / (2 * np.pi)
    assert lissom.mass_matrix(model, [0.3])[0, 0] == pytest.approx(0.02 + 3 * h**2, rel=1e-14)
    assert lissom.bias(model, [0.3], [2.0])[0] == pytest.approx(3 * 9.81 * h, rel=1e-13)
    assert lissom.tip_pose(model, [2 * np.pi])[2, 3] == pytest.approx(PITCH, rel=1e-14)
    wrench = lissom.joint_wrenches(model, [0.3], [2.0], [0.0])[0]
    assert wrench[5] == pytest.approx(3 * 9.81, rel=1e-13)  # the thread carries the weight
    assert wrench[2] == pytest.approx(0.0, abs=1e-12)  # which needs no torque while nothing turns faster
    assert lissom.energy(model, [1.0], [2.0]).kinetic == pytest.approx(2 * (0.02 + 3 * h**2), rel=1e-13)


def test_energy_stays_in_a_free_fall_on_the_screw():
    run = lissom.simulate(nut(), 2.0, start=([0.0], [1.0]), rtol=1e-9)
    assert run.energy_audit().relative < 1e-8
    h = PITCH / (2 * np.pi)
    expected = 2.0 - 0.5 * 3 * 9.81 * h / (0.02 + 3 * h**2) * 4
    assert run.q[-1, 0] == pytest.approx(expected, rel=1e-9)


def test_the_pitch_has_a_derivative():
    from lissom.dynamics import parameter_derivatives

    robot, path = nut(), "links.nut.joint.pitch"
    exact = parameter_derivatives(robot, [path], [0.3], [2.0])[0, 0]
    step = 1e-6
    ends = [
        lissom.forward_dynamics(robot.with_value(path, PITCH + s).compile(), [0.3], [2.0])[0] for s in (step, -step)
    ]
    assert exact == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


def test_files_round_trip(tmp_path):
    robot = nut(damping=0.1)
    robot.save(tmp_path / "screw.yaml")
    assert lissom.load(tmp_path / "screw.yaml").link("nut").joint.pitch == PITCH
    assert "m per turn" in str(robot.describe())
