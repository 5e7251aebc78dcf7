"""State feedback with an estimator."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import lissom
from lissom import LissomError
from lissom.analysis import Equilibrium, LinearModel, natural_modes
from lissom.control import Reference, StateFeedback, lqr
from lissom.control.design.design_model import held_by_motors, modal_model, sampled_model
from lissom.control.laws.channels import channels
from lissom.dynamics.coordinates import configuration
from lissom.model import Deflection, Gyro, Position

ELLA = lissom.load("ella").compile()
SPIN = lissom.load("spinup-beam").compile()
DEFLECTION = Deflection(link="blade", noise=1e-3)


def feedback(*args: Any, **options: Any) -> StateFeedback:
    function = lqr(*args, **options).function
    assert isinstance(function, StateFeedback)
    return function


@pytest.mark.parametrize("name", ["ella", "canadarm2", "dual-screw-arm", "rigid-7-axis", "spinup-beam"])
def test_feedback_and_estimator_are_stable(name: str) -> None:
    law = feedback(lissom.load(name).compile())
    assert np.abs(law.poles).max() < 1
    assert np.abs(law.estimator_poles).max() < 1


@pytest.mark.parametrize("delay", [0.0, 0.0004, 0.002, 0.0053])
def test_a_delay_is_part_of_the_design(delay: float) -> None:
    law = feedback(SPIN, rate=500, delay=delay)
    assert np.abs(law.poles).max() < 1
    assert np.abs(law.estimator_poles).max() < 1
    assert len(law.A) == 8 + np.ceil(delay * 500)


def test_feedback_damps_what_the_beam_alone_would_not() -> None:
    law = feedback(SPIN, deflection=0.02, bandwidth=0.4)
    natural = np.log(np.linalg.eigvals(law.A).astype(complex)).real * 1000
    controlled = np.log(law.poles.astype(complex)).real * 1000
    assert np.abs(natural).max() < 1e-6  # no damping of its own
    assert controlled.max() < -0.3  # 1/s


def linear_run(law: StateFeedback, x: np.ndarray, rate: float, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Elastic and joint motion of the continuous linear model under the sampled controller."""
    n = law.modal.count
    held = expm(np.block([[law.modal.linear.A, law.modal.linear.B], [np.zeros((1, 2 * n + 1))]]) / rate)
    qs = []
    law.reset()
    for k in range(int(seconds * rate)):
        q = law.at.q + law.modal.shapes @ x[:n]
        qs.append(q)
        u = law(k / rate, q, np.zeros(SPIN.nv))[law.force] - law.at.tau[law.force]
        x = held[: 2 * n] @ np.append(x, u)
    return np.array(qs), x


def test_a_disturbed_arm_comes_to_rest_though_only_angle_and_deflection_are_seen() -> None:
    law = feedback(SPIN, sensors=[DEFLECTION], rate=100, deflection=0.1)
    n = law.modal.count
    kick = np.zeros(2 * n)
    kick[n:] = law.modal.inverse @ np.array([0.1, 0.05, 0.0, 0.0])
    qs, _ = linear_run(law, kick, 100, 20.0)
    start, end = np.abs(qs[:200]).max(axis=0), np.abs(qs[-100:]).max(axis=0)
    assert np.all(end[:2] < 1e-2 * start[:2])


def test_the_reference_is_reached() -> None:
    law = feedback(SPIN, reference=Reference.quintic(0.0, 0.3, 4.0), sensors=[DEFLECTION], rate=100)
    qs, _ = linear_run(law, np.zeros(2 * law.modal.count), 100, 20.0)
    assert qs[-1, 0] == pytest.approx(0.3, abs=1e-3)
    assert np.abs(qs[:, 0] - law.reference(np.arange(len(qs)) / 100)[0][:, 0]).max() < 0.05


def test_it_starts_from_where_the_joints_are() -> None:
    law = feedback(SPIN, reference=0.2)
    tau = law(0.0, np.array([0.2, 0, 0, 0]), np.zeros(4))
    np.testing.assert_allclose(tau, 0, atol=1e-9)


def test_a_run_can_be_repeated_after_reset() -> None:
    law = feedback(SPIN, reference=0.2)
    state = np.array([0.1, 0.01, 0, 0]), np.zeros(4)
    first = [law(k * 1e-3, *state) for k in range(5)]
    law.reset()
    np.testing.assert_array_equal([law(k * 1e-3, *state) for k in range(5)], first)


def test_torque_is_cut_at_its_limits() -> None:
    law = feedback(SPIN, reference=2.0, saturation=0.5)
    assert law(0.0, np.zeros(4), np.zeros(4))[0] == 0.5


def test_weights_trade_torque_for_error() -> None:
    cheap = feedback(SPIN, torque=100.0).K
    dear = feedback(SPIN, torque=1.0).K
    assert np.linalg.norm(cheap) > 5 * np.linalg.norm(dear)


def at_rest(q: dict[str, float]) -> Equilibrium:
    return held_by_motors(ELLA, configuration(ELLA, q), channels(ELLA, ["shoulder-yaw", "shoulder", "elbow"], ""))


def test_at_the_equilibrium_nothing_accelerates() -> None:
    at = at_rest({"shoulder": 0.4, "elbow": -0.9})
    a = lissom.forward_dynamics(ELLA, at.q, np.zeros(ELLA.nv), at.tau)
    assert np.abs(a).max() < 1e-5 * np.abs(lissom.forward_dynamics(ELLA, at.q, np.zeros(ELLA.nv))).max()
    assert at.q[1] == 0.4
    assert at.tau[1] > 10
    assert abs(at.q[ELLA.coordinates.index("upper.y1")]) > 1e-4  # bent by it


def test_the_equilibrium_of_an_elastic_joint_winds_up_its_gear() -> None:
    arm = lissom.load("canadarm2").compile()
    at = held_by_motors(arm, arm.neutral(), channels(arm, arm.joints, ""))
    a = lissom.forward_dynamics(arm, at.q, np.zeros(arm.nv), at.tau)
    assert np.abs(a).max() < 1e-6
    shoulder = arm.joint("shoulder")
    assert at.q[shoulder.rotor_q] == pytest.approx(at.tau[shoulder.rotor_v] / 2.66e6, rel=1e-6)


def oscillator() -> LinearModel:
    """x'' + 0.1 x' + 4 x = u."""
    A, B, none = np.array([[0.0, 1.0], [-4.0, -0.1]]), np.array([[0.0], [1.0]]), np.zeros(1)
    names = ("x", "x.rate")
    return LinearModel(A, B, np.eye(2), np.zeros((2, 1)), names, ("u",), names, q=none, v=none, tau=none, a=none)


def test_a_delay_of_one_period_equals_an_input_kept_back() -> None:
    plain = sampled_model(oscillator(), 10.0, 0.0)
    late = sampled_model(oscillator(), 10.0, 0.1)
    np.testing.assert_allclose(late.A[:2], np.hstack([plain.A, plain.B]))
    np.testing.assert_allclose(late.B, [[0], [0], [1]])


@pytest.mark.parametrize("delay", [0.03, 0.1, 0.13, 0.27])
def test_a_delayed_input_acts_as_it_does_in_continuous_time(delay: float) -> None:
    plant = sampled_model(oscillator(), 10.0, delay)
    inputs = np.random.default_rng(0).normal(size=8)
    x = np.zeros(len(plant.A))
    for u in inputs:
        x = plant.A @ x + plant.B[:, 0] * u
    exact = np.zeros(2)
    fine = 1000
    step = sampled_model(oscillator(), 10.0 * fine, 0.0)
    for k in range(8 * fine):
        sample = int(np.floor((k / fine - delay * 10) + 1e-9))
        exact = step.A @ exact + step.B[:, 0] * (inputs[sample] if sample >= 0 else 0.0)
    np.testing.assert_allclose(x[:2], exact, atol=1e-9)


def test_the_linear_model_keeps_the_slow_modes() -> None:
    at = at_rest({})
    selected = channels(ELLA, ["shoulder-yaw", "shoulder", "elbow"], "")
    whole, cut = modal_model(ELLA, at, selected, 1e9), modal_model(ELLA, at, selected, 100.0)
    assert whole.count == 23
    assert 3 < cut.count < 15
    np.testing.assert_allclose(whole.inverse @ whole.shapes, np.eye(23), atol=1e-9)
    slow = np.linalg.eigvals(cut.linear.A)
    every = np.linalg.eigvals(whole.linear.A)
    lowest = min(abs(p) for p in slow if abs(p.imag) > 1)
    assert min(abs(every - lowest * 1j)) < 0.05 * lowest


PENDULUM = {"name": "pendulum", "links": [
    {"name": "cart", "joint": {"name": "rail", "type": "prismatic", "axis": [1, 0, 0]}, "body": {"mass": 1}},
    {
        "name": "pole",
        "joint": {"name": "pivot", "type": "revolute", "axis": [0, 1, 0]},
        "body": {"mass": 0.2, "com": [0, 0, 0.5], "inertia": [0.01, 0.01, 0.001]},
    },
]}  # fmt: skip


def test_an_inverted_pendulum_is_balanced_by_its_cart() -> None:
    model = lissom.Robot.from_dict(PENDULUM).compile()
    law = feedback(model, joints=["rail"], torque=10.0, sensors=[Position(link="pole", noise=1e-4)])
    assert np.abs(np.linalg.eigvals(law.A)).max() > 1.001  # it falls by itself
    assert np.abs(law.poles).max() < 1
    assert np.abs(law.estimator_poles).max() < 1


def test_a_pendulum_cannot_rest_on_its_side() -> None:
    model = lissom.Robot.from_dict(PENDULUM).compile()
    with pytest.raises(LissomError, match=r"pivot is not at rest at this pose: .* would have to hold it"):
        lqr(model, {"pivot": 0.5}, joints=["rail"], torque=10.0)


def test_a_mode_out_of_reach_is_named() -> None:
    """A motor about x moves no bending: an undamped beam goes on vibrating."""
    robot = SPIN.robot.with_value("links.blade.joint.axis", (1.0, 0.0, 0.0)).with_value(
        "links.blade.joint.axes", ((1.0, 0.0, 0.0),)
    )
    with pytest.raises(LissomError, match=r"motors cannot reach an undamped mode \(mainly blade.y"):
        lqr(robot.compile(), torque=1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"joints": ["elbo"]}, "joints: ella has no joint 'elbo'"),
        ({"angle": 0}, "angle = .*: must be positive"),
        ({"angle": {"elbow": 0.1}}, "angle: nothing for shoulder-yaw and shoulder"),
        ({"torque": -1}, "torque = .*: must be positive"),
        ({"deflection": 0}, "deflection = 0: must be positive"),
        ({"rate": 0}, "rate = 0: must be positive"),
        ({"delay": -1}, "delay = -1: must not be negative"),
        ({"bandwidth": 0}, "bandwidth = 0: must be positive"),
        ({"side": "x"}, "side = 'x': is unknown"),
        ({"sensors": ["tip"]}, r"sensors\[0\] = 'tip': is not a sensor of ella"),
        ({"sensors": [Deflection(link="foream", noise=1)]}, r"link = 'foream': is not a link \(did you mean 'forearm'"),
        ({"sensors": [Deflection(link="hub", noise=1)]}, "link = 'hub': is rigid; the links that bend are"),
        ({"sensors": [Gyro(link="forearm", noise=1)]}, r"sensors\[0\] = .*of type gyro, which reads more than a conf"),
        ({"sensors": [Position(link="forearm")]}, r"sensors\[0\].noise: missing; a filter must know"),
        ({"sensors": [Position(link="forearm", delay=1e-3)]}, r"sensors\[0\].delay = 0.001: is no part of this design"),
        ({"reference": [1, 2]}, "reference = .*has 2 values, not 3"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(LissomError, match=message):
        lqr(ELLA, **options)


def test_a_floating_base_follows_the_arms_and_is_no_part_of_the_design() -> None:
    model = lissom.load("satellite-two-arm").compile()
    law = feedback(model)
    assert np.abs(law.poles).max() < 1
    assert law.modal.count <= model.nv - 6
    free = natural_modes(model, locked=False).frequencies
    poles = np.sort(np.abs(np.linalg.eigvals(law.modal.linear.A).imag)) / (2 * np.pi)
    elastic = poles[poles > 1]
    np.testing.assert_allclose(elastic[:8:2], free[free > 1][:4], rtol=1e-3)  # those of the whole, which floats


def test_a_base_that_falls_is_refused() -> None:
    robot = lissom.load("satellite-two-arm").with_value("gravity", [0, 0, -9.81])
    with pytest.raises(LissomError, match=r"would have to hold it"):
        lqr(robot)
