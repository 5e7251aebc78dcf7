"""Springs along a curve, in joints and in gears: tables, polynomials and play."""

import numpy as np
import pytest
from claims import claim_equal
from curved_arm import BODY, CURVES, GEAR, TABLE, arm
from independent import Independent
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator

import lissom
from lissom.dynamics import inverse_derivatives, parameter_derivatives
from lissom.model import Robot
from lissom.theory.formulation import Unsupported, build, names

every = pytest.mark.parametrize("shape", CURVES)


def states(model, count=6):
    rng = np.random.default_rng(5)
    for _ in range(count):
        q, v = 0.4 * rng.normal(size=model.nq), rng.normal(size=model.nv)
        for body in model.bodies:
            q[body.modes_q] *= 0.03
        yield q, v, rng.normal(size=model.nv)


def spring(curve, **more):
    joint = {"type": "revolute", "axis": [0, 0, 1], "spring": {"curve": curve, **more}}
    link = {"name": "link", "joint": joint, "body": BODY}
    return Robot.from_dict({"lissom": 1, "name": "one", "gravity": [0, 0, 0], "links": [link]}).compile()


def torque(model, x):
    return -lissom.bias(model, [x], [0.0])[0]


@every
@pytest.mark.parametrize("bends", [False, True])
def test_dynamics_equal_the_independent_derivation(shape, bends):
    robot = arm(CURVES[shape], bends=bends)
    model, other = robot.compile(), Independent(robot, order=12)
    for q, v, tau in states(model):
        claim_equal(lissom.forward_dynamics(model, q, v, tau), other.forward(q, v, tau), 1e-9)
        mine = lissom.energy(model, q, v)
        assert sum(other.energy(q, v)) == pytest.approx(mine.total, rel=1e-10, abs=1e-10)


def test_a_table_is_followed_by_cubics_and_left_along_straight_lines():
    model = spring({"table": TABLE})
    x, y = np.array(TABLE).T
    wanted = PchipInterpolator(x, y)
    for at in [*x, *np.linspace(-0.59, 0.69, 41)]:
        assert torque(model, at) == pytest.approx(-wanted(at), rel=1e-12, abs=1e-12)
    assert torque(model, 1.7) == pytest.approx(-(y[-1] + wanted.derivative()(x[-1])), rel=1e-12)
    assert torque(model, -1.6) == pytest.approx(-(y[0] - wanted.derivative()(x[0])), rel=1e-12)


def test_a_table_away_from_zero_begins_with_its_own_force():
    model = spring({"table": [[1.0, 5.0], [2.0, 9.0], [3.0, 10.0]]})
    wanted = PchipInterpolator([1.0, 2.0, 3.0], [5.0, 9.0, 10.0])
    slope = wanted.derivative()(1.0)
    assert torque(model, 0.0) == pytest.approx(slope - 5.0, rel=1e-12)
    assert torque(model, 2.5) == pytest.approx(-wanted(2.5), rel=1e-12)


def test_within_its_play_a_spring_does_nothing_and_beyond_it_is_linear():
    model = spring({"backlash": 0.2, "width": 0.02}, stiffness=50.0)
    for x in (-0.08, 0.0, 0.05, 0.089):
        assert torque(model, x) == pytest.approx(0.0, abs=1e-13)
    for x in (0.12, 0.5):
        assert torque(model, x) == pytest.approx(-50.0 * (x - 0.1), rel=1e-12)
        assert torque(model, -x) == pytest.approx(50.0 * (x - 0.1), rel=1e-12)


@every
def test_energy_is_the_integral_of_the_force(shape):
    model = spring(CURVES[shape], stiffness=3.0, rest=0.05)
    start = lissom.energy(model, [0.05], [0.0]).joints
    breaks = [0.05 + x for x in (-0.6, -0.3, -0.125, -0.1, -0.075, 0.075, 0.1, 0.125, 0.35, 0.7)]
    for end in (-1.0, -0.2, 0.3, 1.1):
        inner = [x for x in breaks if min(0.05, end) < x < max(0.05, end)]
        work = quad(lambda x: torque(model, x), 0.05, end, points=inner or None, epsabs=1e-13, epsrel=1e-13)[0]
        assert lissom.energy(model, [end], [0.0]).joints - start == pytest.approx(-work, rel=1e-11)


@every
def test_derivatives_equal_differences(shape):
    model, h = arm(CURVES[shape], bends=True).compile(), 1e-6
    for q, v, tau in states(model):
        exact = lissom.derivatives(model, q, v, tau).q
        for k in range(model.nv):
            step = h * np.eye(model.nv)[k]
            ends = [lissom.forward_dynamics(model, q + s * step, v, tau) for s in (1, -1)]
            difference = (ends[0] - ends[1]) / (2 * h)
            np.testing.assert_allclose(exact[:, k], difference, atol=2e-6 * np.abs(exact).max())


@every
def test_the_slope_has_no_jumps(shape):
    model, h = spring(CURVES[shape], stiffness=3.0), 1e-9
    for x in (-0.6, -0.3, -0.125, -0.075, 0.0, 0.075, 0.125, 0.35, 0.7):
        below, above = (inverse_derivatives(model, [x + s * h], [0.0], [0.0]).q[0, 0] for s in (-1, 1))
        assert below == pytest.approx(above, abs=1e-4)


@every
def test_symbols_equal_numbers(shape):
    pytest.importorskip("casadi")
    from lissom.dynamics import symbolic

    model = arm(CURVES[shape]).compile()
    function = symbolic.forward_dynamics(model)
    energy = symbolic.energy(model)
    for q, v, tau in states(model):
        claim_equal(np.array(function(q, v, tau)).ravel(), lissom.forward_dynamics(model, q, v, tau), 1e-10)
        assert float(energy(q, v)[1]) == pytest.approx(lissom.energy(model, q, v).potential, rel=1e-11)


@every
@pytest.mark.parametrize("name", [name for name in names() if name not in ("kernel", "dual_screw")])
def test_every_formulation_equals_the_kernel_or_refuses_by_name(shape, name):
    model = arm(CURVES[shape]).compile()
    try:
        other = build(name, model)
    except Unsupported as refused:
        assert "fore" in str(refused)
        return
    for q, v, tau in states(model):
        claim_equal(other.accelerations(q, v, tau), lissom.forward_dynamics(model, q, v, tau), 1e-9)


@every
def test_energy_balance_of_a_fall(shape):
    run = lissom.simulate(arm(CURVES[shape]), 1.0, start=([0.4, 0.3, 0.3], [0.0, 0.0, 0.0]), method="rk4", step=2e-4)
    assert run.info.status == "finished"
    assert run.energy_audit().relative < 1e-8  # steps so short that outputs between them cost nothing


@every
def test_a_held_joint_winds_its_gear_up_by_the_torque_it_carries(shape):
    model = arm({"polynomial": [1.0]}, gear=CURVES[shape]).compile()
    rest = lissom.static_equilibrium(model, {"upper": 0.2, "fore": 0.3})
    assert np.abs(rest.residual).max() < 1e-9
    assert abs(rest.q[2] - rest.q[1]) > 0.01


def test_a_gear_of_a_curve_alone_is_elastic():
    joint = {"type": "revolute", "axis": [0, 0, 1], "transmission": {**GEAR, "curve": {"table": TABLE}}}
    robot = Robot.from_dict({"lissom": 1, "name": "one", "links": [{"name": "link", "joint": joint, "body": BODY}]})
    assert robot.compile().nv == 2


def test_the_polynomial_has_derivatives_by_its_stiffness():
    robot, path = arm(CURVES["play"]), "links.upper.joint.spring.stiffness"
    state = ([0.5, 0.2, 0.3], [0.1, 0.2, 0.3])
    exact = parameter_derivatives(robot, [path], *state)[0]
    ends = [lissom.forward_dynamics(robot.with_value(path, 4.0 + s).compile(), *state) for s in (1e-5, -1e-5)]
    claim_equal(exact, (ends[0] - ends[1]) / 2e-5, 1e-6)


def test_files_round_trip(tmp_path):
    robot = arm(CURVES["table"])
    robot.save(tmp_path / "curved.yaml")
    again = lissom.load(tmp_path / "curved.yaml")
    assert again.link("upper").joint.spring.curve.table == tuple(map(tuple, TABLE))
    assert "table of 6" in str(robot.describe())
