"""Friction that sticks near rest, and hysteresis inside gears."""

import numpy as np
import pytest
from sticking_hinge import ROBOT, TEXT

import lissom
from lissom.kernel.algorithms.complex_step import STEP

REST = np.zeros(2)


def forces(rates, robot=ROBOT, q=REST):
    return lissom.inverse_dynamics(robot, q, np.asarray(rates), 0 * np.asarray(rates))


@pytest.mark.parametrize("speed", [-2.0, -0.2, -0.01, 0.0, 0.03, 0.2, 5.0])
def test_friction_follows_the_curve_of_stribeck(speed):
    dry = (0.4 + 0.3 / (1 + (speed / 0.2) ** 2)) * np.tanh(speed / 0.02)
    assert forces([speed, speed])[0] == pytest.approx(0.5 * speed + dry, rel=1e-13, abs=1e-15)


def test_friction_peaks_near_rest_and_falls_to_coulomb():
    speeds = np.geomspace(1e-3, 20, 400)
    dry = np.array([forces([v, v])[0] for v in speeds]) - 0.5 * speeds
    assert dry.max() > 0.6
    assert 0.02 < speeds[dry.argmax()] < 0.1
    assert dry[-1] == pytest.approx(0.4, abs=1e-4)


def test_a_gear_with_hysteresis_goes_round_a_loop():
    """Winding back and forth by A loses 4 A times its half height per round, beside the damper's share."""
    t = np.linspace(0, 2 * np.pi, 4001)
    wound, rate = 0.3 * np.sin(t), 0.3 * np.cos(t)
    torque = np.array([forces([0.0, r], q=np.array([0.0, w]))[1] for w, r in zip(wound, rate)])
    lost = np.trapezoid(torque * rate, t)
    damper = 0.1 * np.pi * 0.3**2
    assert lost == pytest.approx(4 * 0.3 * 0.25 + damper, rel=0.02)  # the smoothed corners
    up, down = torque[np.abs(wound) < 2e-4][[0, len(torque[np.abs(wound) < 2e-4]) // 2]]
    assert up - down == pytest.approx(2 * (0.25 + 0.1 * 0.3), rel=1e-3)


@pytest.mark.parametrize("speed", [0.0, 1e-8, 0.03, 10.0, 1e6])
def test_derivatives_are_finite_at_every_speed(speed):
    v = np.array([speed, 2 * speed]) + 1j * STEP * np.array([1.0, 0.3])
    slope = forces(v, q=REST.astype(complex)).imag / STEP
    assert np.all(np.isfinite(slope))
    h = 1e-6 * max(speed, 1e-2)
    move = h * np.array([1.0, 0.3])
    near = (forces(v.real + move) - forces(v.real - move)) / (2 * h)
    assert slope == pytest.approx(near, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("method", "rtol"), [("radau", 1e-7), ("generalised-alpha", 1e-8), ("dop853", 1e-7)])
def test_energy_is_accounted_for(method, rtol):
    """Generalised-alpha is of second order, and its error is larger for the same tolerance."""
    start = {"hinge": 0.5, "hinge.rotor": 0.0}
    run = lissom.simulate(ROBOT, 1.0, start=start, method=method, rtol=rtol, atol=rtol / 100, progress=False)
    data = run.dataset
    assert float(np.abs(data["energy_residual"]).max()) < 1e-5 * float(data["dissipated"][-1])
    assert float(data["dissipated"][-1]) > 1.0


def test_hysteresis_needs_a_gear_that_gives_way():
    with pytest.raises(lissom.LissomError, match="acts across a stiffness, which is missing"):
        lissom.Robot.from_yaml(TEXT.replace("stiffness: 50, ", "").replace("damping: 0.1, ", ""))
