"""The time loop around the integrators: output at any rate, driving torques, sampled control, events."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm
from soft_arms import SUNDIALS, needs, one_body, soft_arm

import lissom
from lissom.control import Reference, Sampled, pd, torques
from lissom.dynamics import energy
from lissom.simulation import SimulationWarning
from lissom.simulation.stepping.time_loop import simulate_raw

# output


@pytest.mark.parametrize("method", ["radau", "dop853", "dopri5", "generalised-alpha", *SUNDIALS])
def test_output_does_not_depend_on_its_rate(method):
    needs(method)
    model = soft_arm()
    coarse, fine = (simulate_raw(model, 0.5, start={"elbow": 0.4}, method=method, rate=rate) for rate in (50, 1000))
    assert len(fine.time) == 501
    assert np.allclose(fine.time[::20], coarse.time)
    tolerance = 1e-5 if method in SUNDIALS else 1e-12  # whose steps are told apart by outputs
    assert np.max(np.abs(fine.q[::20] - coarse.q)) < tolerance
    assert np.max(np.abs(fine.v[::20] - coarse.v)) < 30 * tolerance
    assert np.allclose(fine.work[::20], coarse.work, atol=1e-9)


@pytest.mark.parametrize("method", ["radau", "dop853", "dopri5"])
def test_output_between_steps_is_as_good_as_at_their_ends(method):
    model = soft_arm()
    result = simulate_raw(model, 0.5, start={"elbow": 0.4}, method=method, rate=1000)
    precise = simulate_raw(model, 0.5, start={"elbow": 0.4}, method="dop853", step=1e-3, rate=1000)
    assert result.steps < 250
    assert np.max(np.abs(result.q - precise.q)) < 5e-6
    assert np.max(np.abs(result.a - precise.a)) < 2e-3 * np.max(np.abs(precise.a))


def test_end_of_the_run_is_an_output_whatever_the_rate():
    model = soft_arm()
    assert simulate_raw(model, 0.25, rate=30).time[-1] == 0.25
    assert simulate_raw(model, 0.3, rate=10).time.tolist() == pytest.approx([0, 0.1, 0.2, 0.3])


def test_output_at_a_jump_shows_what_follows_it():
    model = soft_arm()
    law = pd(model, {"elbow": {"p": 10, "d": 0}}, Reference.step([0], [0.5], at=0.1))
    result = simulate_raw(model, 0.2, controller=law, rate=100)
    elbow, at = model.coordinates.index("elbow"), 10
    assert result.time[at] == pytest.approx(0.1)
    assert result.tau[at, elbow] == pytest.approx(10 * (0.5 - result.q[at, elbow]))
    assert result.tau[at - 1, elbow] == pytest.approx(-10 * result.q[at - 1, elbow])


# prescribed motion


def test_prescribed_motion_returns_the_torque_that_makes_it():
    robot = lissom.load("ella")
    motion = {"shoulder": Reference.quintic([0.0], [0.6], 0.5), "shoulder-yaw": Reference.quintic([0.0], [-0.4], 0.4)}
    start = {"elbow": 0.3}
    driven = lissom.simulate(robot, 0.6, motion=motion, start=start, rate=1000, rtol=1e-7, atol=1e-9)
    for joint, reference in motion.items():
        assert np.allclose(driven[joint], reference(driven.time)[0][:, 0], rtol=0, atol=1e-9)
    exchanged = np.ptp(driven["kinetic_energy"].values) + np.ptp(driven["gravity_energy"].values)
    assert np.max(np.abs(driven["energy_residual"])) < 1e-6 * exchanged

    model = robot.compile()
    found = {joint: Reference.from_samples(driven.time, driven.torque(joint).values) for joint in motion}
    free = lissom.simulate(model, 0.6, controller=torques(model, found), start=start, rate=1000)
    for joint in ("shoulder-yaw", "shoulder", "elbow"):
        assert np.max(np.abs(free[joint].values - driven[joint].values)) < 2e-5, joint


def test_prescribed_motion_with_a_jump_in_acceleration():
    model = soft_arm()
    ramp = Reference.trapezoid([0.0], [0.4], speed=1.0, acceleration=5.0)
    result = simulate_raw(model, 0.8, motion={"shoulder": ramp}, rate=200)
    assert result.status == "finished"
    at = result.model.coordinates.index("shoulder")
    assert np.allclose(result.v[:, at], ramp(result.time)[1][:, 0], rtol=0, atol=1e-9)
    balance = [energy(result.model, q, v).total for q, v in zip(result.q, result.v)] - result.work + result.dissipated
    assert abs(balance[-1] - balance[0]) < 1e-6 * np.ptp(result.work)
    assert np.ptp(balance) < 1e-4 * np.ptp(result.work)  # between steps it is as good as their interpolation


# sampled and saturated control


def exact_samples(mass, gains, rate, delay, start, goal, count):
    """Position and speed of a mass at the samples, by matrix exponentials over every piece of constant force."""
    forces, times = [], []
    x, history = np.array(start, float), [np.array(start, float)]
    A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0 / mass], [0.0, 0.0, 0.0]])
    for k in range(count):
        forces.append(gains[0] * (goal - x[0]) - gains[1] * x[1])
        times.append(k / rate + delay)
        begin, end = k / rate, (k + 1) / rate
        inside = [t for t in times if begin < t < end]
        for a, b in pairwise([begin, *inside, end]):
            acting = [force for force, t in zip(forces, times) if t <= a + 1e-12]
            x = (expm(A * (b - a)) @ [*x, acting[-1] if acting else 0.0])[:2]
        history.append(x)
    return np.array(history)


@pytest.mark.parametrize("method", ["auto", "radau", "rk4"])
@pytest.mark.parametrize("delay", [0.0, 0.004, 0.01, 0.025])
def test_sampled_controller_acts_as_the_exact_discrete_system(method, delay):
    rate, gains, goal = 100.0, (30.0, 8.0), 0.5
    model = one_body("prismatic")
    controller = Sampled(lambda t, q, v: gains[0] * (goal - q) - gains[1] * v, rate=rate, delay=delay)
    step = 2e-3 if method == "rk4" else None
    result = simulate_raw(model, 0.5, controller=controller, start=([0.1], [0.2]), method=method, step=step, rate=rate)
    exact = exact_samples(2.0, gains, rate, delay, (0.1, 0.2), goal, 50)
    assert np.max(np.abs(result.q[:, 0] - exact[:, 0])) < 1e-9
    assert np.max(np.abs(result.v[:, 0] - exact[:, 1])) < 1e-8


def test_torque_of_a_sampled_controller_is_held_between_samples():
    model = soft_arm()
    controller = Sampled(lambda t, q, v: {"elbow": np.sin(30 * t)}, rate=50)
    result = simulate_raw(model, 0.2, controller=controller, rate=1000)
    elbow = model.coordinates.index("elbow")
    sample = np.floor(result.time * 50 + 1e-9) / 50
    assert np.allclose(result.tau[:-1, elbow], np.sin(30 * sample[:-1]))


def test_saturation_limits_the_torque_and_the_mass_accelerates_evenly_under_it():
    model = one_body("prismatic")
    law = pd(model, {"joint": {"p": 1000, "d": 10}}, [1.0], saturation=4.0)
    result = simulate_raw(model, 0.5, controller=law)
    assert np.max(np.abs(result.tau)) <= 4.0
    assert np.allclose(result.q[:, 0], 0.5 * 4.0 / 2.0 * result.time**2, atol=1e-9)


def test_arm_with_saturated_motors_balances_its_energy():
    model = soft_arm()
    law = pd(model, {"shoulder": {"p": 300, "d": 20}, "elbow": {"p": 100, "d": 5}}, [-0.3, 0.4], saturation=12.0)
    with pytest.warns(SimulationWarning, match="deflected"):
        result = lissom.simulate(model, 1.0, controller=law)
    assert np.isclose(np.abs(result.torque("shoulder")).max(), 12.0)
    assert np.max(np.abs(result["energy_residual"])) < 1e-5 * np.ptp(result["work"].values)


# events


def test_limit_reached_is_told_with_time_and_joint():
    model = soft_arm(limit=0.3)
    with pytest.warns(SimulationWarning, match="elbow reached its limit 0.3 at t ="):
        result = lissom.simulate(model, 1.0, controller=torques(model, {"elbow": 4.0}), rate=1000)
    (event,) = [event for event in result.warnings if event.kind == "limit"]
    first = result.time[np.flatnonzero(result["elbow"].values > 0.3)[0]]
    assert event.link_or_joint == "elbow"
    assert event.value > 0.3
    assert event.time == pytest.approx(first, abs=1.1e-3)


def test_large_deflection_is_told_with_time_and_link():
    model = soft_arm()
    with pytest.warns(SimulationWarning, match="upper: its tip is deflected by 10.* % of its length"):
        result = lissom.simulate(model, 0.6, controller=pd(model, {"shoulder": {"p": 500, "d": 20}}, [0.0]), rate=1000)
    event = next(event for event in result.warnings if event.link_or_joint == "upper")
    bent = np.linalg.norm(result.deflection("upper").values[:, 1:], axis=1)
    assert event.kind == "deflection"
    assert event.time == pytest.approx(result.time[np.argmax(bent > 0.1)], abs=2e-3)
