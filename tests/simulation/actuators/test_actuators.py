"""Actuators in runs: closed forms, energy, derivatives."""

import numpy as np
import pytest
from driven_arms import HOOK, KINDS, MOTOR, PENDULUM, WINCH, driven, machine
from scipy.linalg import expm

import lissom
from lissom.kernel.forces.actuator_forces import wrap_angle
from lissom.model import Robot

WHEEL = {
    "name": "wheel",
    "joint": {"type": "revolute", "axis": [0, 0, 1]},
    "body": {"mass": 1.0, "inertia": [0.02, 0.02, 0.02], "com": [0, 0, 0]},
}
K, R, L, GEAR = 0.05, 0.5, 2e-3, 10.0
PLAIN = {"type": "motor", "name": "drive", "joint": "wheel", "torque_constant": K, "resistance": R, "inductance": L}


def wheel(**more):
    return Robot(name="dc", gravity=(0, 0, 0), links=[WHEEL], actuators=[PLAIN | {"gear": GEAR} | more])


def step_response(times, volts):
    """Speed of the shaft and current of a motor with an inertia, from rest."""
    J = 0.02 / GEAR**2
    A, b = np.array([[0, K / J], [-K / L, -R / L]]), np.array([0, volts / L])
    return np.array([np.linalg.solve(A, (expm(A * t) - np.eye(2)) @ b) for t in times])


@pytest.mark.parametrize(
    ("method", "allowed"),
    [("radau", 1e-5), ("dopri5", 1e-5), ("dop853", 1e-4), ("rk4", 1e-10), ("generalised-alpha", 1e-4)],
)
def test_a_motor_answers_a_step_of_voltage_as_its_two_equations_do(method, allowed):
    model = wheel().compile()
    step = {"step": 2e-5} if method == "rk4" else {}
    run = lissom.simulate(model, 0.1, controller=lissom.control.torques(model, {"drive": 12.0}), method=method, **step)
    exact = step_response(run.time, 12.0)
    assert np.abs(run.velocity("wheel") * GEAR - exact[:, 0]).max() < allowed * exact[:, 0].max()
    assert np.abs(run["drive.current"] - exact[:, 1]).max() < allowed * exact[:, 1].max()


def test_poles_of_a_motor_are_those_of_its_two_equations():
    model = wheel().compile()
    linear = lissom.linearise(model)
    assert linear.states == ("wheel", "wheel.rate", "drive.current") and linear.inputs == ("drive.current",)
    J = 0.02 / GEAR**2
    exact = np.linalg.eigvals([[0, K / J], [-K / L, -R / L]])
    found = linear.poles().values
    assert np.abs(np.sort_complex(found[np.abs(found) > 1e-9]) - np.sort_complex(exact)).max() < 1e-9


def test_a_motor_stalls_at_the_torque_and_runs_free_at_the_speed_of_its_curve():
    robot = wheel(voltage=24.0, no_load_current=0.4, efficiency=0.9)
    curve = robot.actuators[0].torque_speed_curve(robot)
    model = robot.compile()
    run = lissom.simulate(model, 3.0, controller=lissom.control.torques(model, {"drive": 100.0}))
    assert run.velocity("wheel")[-1] == pytest.approx(curve.speed[-1], rel=1e-6)
    assert curve.torque[0] == pytest.approx(0.9 * GEAR * K * 24.0 / R)


def test_a_current_drive_holds_the_current_until_its_supply_ends():
    model = wheel(drive="current", voltage=24.0, response=1e-3).compile()
    run = lissom.simulate(model, 0.3, controller=lissom.control.torques(model, {"drive": 10.0}))
    current, omega = np.asarray(run["drive.current"]), np.asarray(run.velocity("wheel")) * GEAR
    early = (run.time > 0.01) & (R * 10.0 + K * omega < 23.9)
    assert np.abs(current[early] - 10.0).max() < 1e-3
    assert omega[-1] < 24.0 / K and current[-1] < 9.0
    volts = np.asarray(run.quantities["torque"])[:, 1]
    assert volts.max() <= 24.0 * (1 + 1e-12)


def test_a_peak_current_is_not_exceeded():
    model = wheel(peak_current=5.0).compile()
    run = lissom.simulate(model, 0.05, controller=lissom.control.torques(model, {"drive": 24.0}))
    assert 4.99 < run["drive.current"].max() <= 5.0 * (1 + 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_what_goes_into_an_actuator_is_work_and_losses_and_what_it_stores(kind):
    robot, command = machine(kind)
    model = robot.compile()
    run = lissom.simulate(model, 0.6, controller=lissom.control.torques(model, {"drive": command}), rtol=1e-8)
    stored, work, lost, left = (
        np.asarray(run[name]) for name in ("stored_energy", "work", "dissipated", "energy_residual")
    )
    size = np.ptp(stored) + np.abs(work).max() + np.abs(lost).max()
    assert np.abs(left).max() < 2e-6 * size
    assert np.abs(work).max() > 1e-3 * size


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_of_actuators_are_those_of_differences(kind):
    robot, command = machine(kind)
    model = robot.compile()
    rng = np.random.default_rng(3)
    q = model.neutral() + 0.1
    typical = [state.typical for own in model.states for state in own.states]
    v = np.concatenate([[0.3], 0.2 * np.array(typical) * rng.uniform(0.5, 1.0, len(typical))])
    tau = np.concatenate([[1.0], command * np.ones(model.nv - 1)])
    exact = lissom.derivatives(model, q, v, tau)
    sizes = np.concatenate([[1.0], typical])
    for k in range(model.nv):
        step = 1e-5 * sizes[k] * np.eye(model.nv)[k]
        by_v = (lissom.forward_dynamics(model, q, v + step, tau) - lissom.forward_dynamics(model, q, v - step, tau)) / (
            2e-5 * sizes[k]
        )
        assert np.abs((exact.v[:, k] - by_v) * sizes[k] / (1 + np.abs(exact.a))).max() < 1e-6
    by_q = (lissom.forward_dynamics(model, q + 1e-6, v, tau) - lissom.forward_dynamics(model, q - 1e-6, v, tau)) / 2e-6
    assert np.abs((exact.q[:, 0] - by_q) / (1 + np.abs(by_q) + np.abs(exact.a))).max() < 1e-5
    assert not exact.q[:, 1:].any()


@pytest.mark.parametrize("kind", KINDS)
def test_inverse_dynamics_undo_forward_dynamics(kind):
    robot, command = machine(kind)
    model = robot.compile()
    v, tau = np.full(model.nv, 0.1), np.full(model.nv, command)
    a = lissom.forward_dynamics(model, model.neutral(), v, tau)
    found = lissom.inverse_dynamics(model, model.neutral(), v, a)
    assert np.all(np.abs(found - tau) <= 1e-12 * (1 + np.abs(tau) + np.abs(a)))


def test_two_falls_lift_at_half_the_speed_of_the_rope():
    model = driven(HOOK, WINCH).compile()
    run = lissom.simulate(model, 2.0, controller=lissom.control.torques(model, {"drive": 0.4}))
    sag = 100 * 9.81 / 2 / 1e6 / 2  # half the weight in the rope, half its stretch at the hook
    assert run["hook"][-1] == pytest.approx(-0.2 * (2.0 - 0.05) - sag, abs=1e-5)
    assert run["actuator_effort"].isel(time=-1).item() == pytest.approx(-100 * 9.81 / 2, rel=1e-3)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, 2.8, np.pi])
def test_angles_between_segments_are_those_of_their_cosine(angle):
    found = wrap_angle.py_func((1.0, 0.0, 0.0), (np.cos(angle), np.sin(angle), 0.0))
    assert found == pytest.approx(angle, abs=1e-12)


def test_a_rope_about_a_post_loses_its_pull_by_the_angle_of_its_wrap():
    slide = {"name": "slide", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"mass": 2.0}}
    post = {"link": "world"}
    far = {"link": "world", "origin": {"xyz": [0, 1, 0]}}
    rope = {"type": "tendon", "name": "drive", "through": [far, post, {"link": "slide", "origin": {"xyz": [1, 0, 0]}}]}
    model = driven(slide, rope | {"friction": 0.3}, gravity=(0, 0, 0)).compile()
    for rate, share in ((-0.1, np.exp(-0.3 * np.pi / 2)), (0.1, np.exp(0.3 * np.pi / 2))):
        a = lissom.forward_dynamics(model, [0.0], [rate, 10.0], [0.0, 10.0])
        assert a[0] == pytest.approx(-10.0 * share / 2.0, rel=1e-5)


def test_a_law_on_an_actuator_measures_its_joint():
    robot = driven(PENDULUM, MOTOR | {"voltage": 48.0})
    model = robot.compile()
    law = lissom.control.pd(model, {"drive": {"p": 400.0, "d": 20.0}}, [-0.3])
    run = lissom.simulate(model, 3.0, controller=law)
    needed = 5.0 * 9.81 * 0.5 * np.cos(0.3)
    assert run["arm"][-1] == pytest.approx(-0.3, abs=0.02)
    assert abs(float(run["drive.current"][-1])) * 0.05 * 50.0 == pytest.approx(
        needed, rel=0.3
    )  # gear losses, dry friction
    with pytest.raises(lissom.LissomError, match="is turned by the actuator 'drive'; give its command instead"):
        lissom.control.pd(model, {"arm": {"p": 1.0, "d": 1.0}}, [0.0])
    with pytest.raises(lissom.LissomError, match="computes torques, but 'drive' takes commands in V"):
        lissom.control.computed_torque(model, {"drive": {"p": 1.0, "d": 1.0}}, [0.0])


def test_tensions_hold_an_arm_where_statics_says():
    robot, _ = machine("tendon")
    model = robot.compile()
    rest = lissom.static_equilibrium(model, {"arm": 0.4}, tau={"drive": 60.0}, hold=())
    run = lissom.simulate(model, 0.5, start=(rest.q, rest.v), controller=lissom.control.torques(model, {"drive": 60.0}))
    assert np.abs(run["arm"] - rest.q[0]).max() < 1e-6
    linear = lissom.linearise(model, rest)
    assert np.abs(linear.a).max() < 1e-6
