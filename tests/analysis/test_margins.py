"""Bode diagrams, margins, root loci and step responses of linear models whose answers are known."""

import numpy as np
import pytest

import lissom
from lissom import LissomError
from lissom.analysis import LinearModel, frequency_response

THIRD = LinearModel.of([[-3, -3, -1], [1, 0, 0], [0, 1, 0]], [[1], [0], [0]], [[0, 0, 4]])  # 4 / (s + 1)^3
SERVO = LinearModel.of([[0, 1], [0, -2]], [[0], [1]], [[4, 0]])  # 4 / (s (s + 2))


def oscillator(omega: float, zeta: float) -> LinearModel:
    return LinearModel.of([[0, 1], [-(omega**2), -2 * zeta * omega]], [[0], [omega**2]], [[1, 0]])


def test_margins_of_a_triple_lag_are_those_of_the_closed_form() -> None:
    found = THIRD.margins()
    assert found.stable
    assert found.gain == pytest.approx(2, rel=1e-12)  # |4 / (1 + 3)^(3/2)| = 1/2 at sqrt(3) rad/s
    assert found.gain_frequency == pytest.approx(np.sqrt(3) / (2 * np.pi), rel=1e-12)
    omega = np.sqrt(4 ** (2 / 3) - 1)
    assert found.phase_frequency == pytest.approx(omega / (2 * np.pi), rel=1e-12)
    assert found.phase == pytest.approx(180 - 3 * np.degrees(np.arctan(omega)), rel=1e-10)
    assert found.delay == pytest.approx(np.radians(found.phase) / omega, rel=1e-10)


def test_the_phase_margin_of_a_servo_is_that_of_the_closed_form() -> None:
    found = SERVO.margins()
    omega = np.sqrt(-2 + np.sqrt(4 + 16))  # 16 = w^2 (w^2 + 4)
    assert found.phase == pytest.approx(90 - np.degrees(np.arctan(omega / 2)), rel=1e-10)
    assert found.gain == np.inf
    assert found.closed.damping_ratios[0] == pytest.approx(0.5)  # s^2 + 2 s + 4


def test_a_loop_beyond_its_gain_margin_is_unstable_and_says_how_far_it_may_shrink() -> None:
    found = LinearModel.of(THIRD.A, 3 * THIRD.B, THIRD.C).margins()
    assert not found.stable
    assert found.least_gain == pytest.approx(2 / 3, rel=1e-12)
    assert found.phase < 0


@pytest.mark.parametrize("seed", range(8))
def test_margins_and_distance_equal_those_of_python_control(seed: int) -> None:
    control = pytest.importorskip("control")
    rng = np.random.default_rng(seed)
    poles = np.concatenate([-rng.uniform(0.5, 5, 3), [-0.3 + 6j, -0.3 - 6j]])
    system = control.zpk(-rng.uniform(1, 8, 1), poles, 10 * rng.uniform(1, 5))
    space = control.ss(system)
    ours = LinearModel.of(space.A, space.B, space.C, space.D).margins()
    gain, phase, distance, _, at_phase, _ = control.stability_margins(system)
    assert ours.gain == pytest.approx(gain, rel=1e-6)
    if np.isfinite(phase):
        assert ours.phase == pytest.approx(phase, rel=1e-6)
        assert 2 * np.pi * ours.phase_frequency == pytest.approx(at_phase, rel=1e-6)
    assert ours.distance == pytest.approx(distance, rel=1e-6)


def test_the_margin_of_delay_is_what_makes_the_sampled_loop_ring() -> None:
    """The loop comes late by a little less and a little more than the margin: stable, unstable."""
    found = SERVO.margins()
    step = found.delay / 200
    for count, stable in ((197, True), (203, False)):
        held = SERVO.discretise(step)
        late = np.zeros((count + 1, count + 1))
        late[1:, :-1] = np.eye(count)
        delay = LinearModel.of(
            late, np.eye(count + 1)[:, :1], [[*[0.0] * count, 1.0]], dt=step
        )  # the hold adds half a step
        assert delay.after(held).feedback().poles().stable == stable


@pytest.mark.parametrize(("omega", "zeta"), [(10.0, 0.01), (3.0, 0.2), (50.0, 0.7)])
def test_a_step_overshoots_as_the_damping_says(omega: float, zeta: float) -> None:
    found = oscillator(omega, zeta).step_response()
    assert found.final[0] == pytest.approx(1)
    assert found.overshoot[0] == pytest.approx(np.exp(-np.pi * zeta / np.sqrt(1 - zeta**2)), rel=2e-3)
    wanted = 1 - np.exp(-zeta * omega * found.time) / np.sqrt(1 - zeta**2) * np.sin(
        omega * np.sqrt(1 - zeta**2) * found.time + np.arccos(zeta)
    )
    np.testing.assert_allclose(found.values[:, 0], wanted, atol=1e-10)


def test_branches_of_a_root_locus_are_the_roots_of_the_polynomial() -> None:
    locus = THIRD.root_locus([0, 0.5, 2.0, 3.0])
    for k, row in zip(locus.gains, locus.poles, strict=True):
        np.testing.assert_allclose(np.sort_complex((row + 1) ** 3), np.full(3, -4 * k), atol=1e-4)
    assert locus.stable.tolist() == [True, True, False, False] or locus.stable.tolist() == [True, True, True, False]
    assert len(locus.zeros) == 0


@pytest.mark.parametrize("zeta", [1e-5, 1e-3, 0.05])
def test_the_default_grid_shows_a_resonance_however_sharp(zeta: float) -> None:
    seen = oscillator(10.0, zeta).bode()
    if zeta > 1e-4:
        assert seen.magnitude.max() == pytest.approx(1 / (2 * zeta * np.sqrt(1 - zeta**2)), rel=1e-2)
    assert 2 * np.pi * seen.frequencies[seen.magnitude.argmax()] == pytest.approx(
        10 * np.sqrt(1 - 2 * zeta**2), rel=1e-3
    )


def test_a_sampled_model_is_looked_at_up_to_half_its_rate() -> None:
    seen = oscillator(10.0, 0.1).discretise(0.01).bode()
    assert seen.frequencies.max() == pytest.approx(50.0)


@pytest.mark.parametrize("kind", ["bode", "nyquist"])
def test_responses_of_a_robot_are_drawn(kind: str) -> None:
    linear = lissom.linearise("ella", outputs=["forearm.tip.y", "elbow"], inputs=["elbow"])
    figure = frequency_response(linear).plot(kind)  # type: ignore[arg-type]
    labels = {curve.get_label() for axes in figure.axes for curve in axes.lines}
    assert {"forearm.tip.y by elbow", "elbow by elbow"} <= labels


def test_several_signals_have_no_margins_and_are_told_so() -> None:
    with pytest.raises(LissomError, match=r"has 1 inputs and 2 outputs; choose one of each"):
        lissom.linearise("ella", outputs=["forearm.tip.y", "elbow"], inputs=["elbow"]).margins()


@pytest.mark.parametrize("step", [None, 1e-4])
def test_a_crossing_far_above_all_poles_and_zeros_is_found(step: float | None) -> None:
    """L = 4e6 / (s (s + 2)) crosses at 2000 rad/s, a thousand times its pole."""
    loop = LinearModel.of(SERVO.A, 1e6 * SERVO.B, SERVO.C)
    found = (loop if step is None else loop.discretise(step)).margins()
    assert 2 * np.pi * found.phase_frequency == pytest.approx(2000, rel=1e-4 if step is None else 5e-3)
    late = 0.0 if step is None else np.degrees(0.5 * step * 2000)  # the hold
    assert found.phase == pytest.approx(np.degrees(np.arctan(2 / 2000)) - late, abs=0.05)
