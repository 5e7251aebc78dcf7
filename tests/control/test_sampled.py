"""Sampled controllers: rate, hold, delay, and what they may return."""

from typing import Any

import numpy as np
import pytest

import lissom
from lissom import LissomError
from lissom.control import Sampled, pd

ELLA = lissom.load("ella").compile()
CANADARM = lissom.load("canadarm2").compile()
Q, QD = ELLA.neutral(), np.zeros(ELLA.nv)


class Counter:
    """A controller that returns the number of its samples as the elbow's torque."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def reset(self) -> None:
        self.times.clear()

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        self.times.append(t)
        return {"elbow": float(len(self.times))}


def history(sampled: Sampled, end: float) -> list[tuple[float, float]]:
    """Times when the elbow's torque may change, and its values from then on."""
    hold = sampled.start(ELLA)
    elbow = ELLA.coordinates.index("elbow")
    out, t = [], 0.0
    while t <= end:
        out.append((t, float(hold.update(t, Q, QD)[elbow])))
        assert hold.next_time > t
        t = hold.next_time
    return out


def test_a_sample_is_held_until_the_next() -> None:
    assert history(Sampled(Counter(), rate=100), 0.035) == [(0.0, 1), (0.01, 2), (0.02, 3), (0.03, 4)]


def test_a_delayed_torque_sets_in_later() -> None:
    times, values = zip(*history(Sampled(Counter(), rate=100, delay=0.004), 0.021))
    np.testing.assert_allclose(times, [0, 0.004, 0.01, 0.014, 0.02])
    assert values == (0, 1, 1, 2, 2)


def test_a_delay_may_be_longer_than_the_period() -> None:
    times, values = zip(*history(Sampled(Counter(), rate=100, delay=0.025), 0.046))
    np.testing.assert_allclose(times, [0, 0.01, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045])
    assert values == (0, 0, 0, 1, 1, 2, 2, 3)


def test_a_delay_of_whole_periods_changes_the_torque_at_samples() -> None:
    times, values = zip(*history(Sampled(Counter(), rate=100, delay=0.02), 0.045))
    np.testing.assert_allclose(times, [0, 0.01, 0.02, 0.03, 0.04])
    assert values == (0, 0, 1, 2, 3)


def test_samples_do_not_drift() -> None:
    counter = Counter()
    history(Sampled(counter, rate=3000.0), 1.0 + 1e-12)
    assert len(counter.times) == 3001
    np.testing.assert_allclose(counter.times, np.arange(3001) / 3000, atol=1e-15)


def test_a_function_with_memory_is_reset_for_every_run() -> None:
    sampled = Sampled(Counter(), rate=100)
    assert history(sampled, 0.02) == history(sampled, 0.02)


def test_the_state_a_function_sees_is_its_own() -> None:
    def greedy(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        q += 1.0
        return np.zeros(3)

    Sampled(greedy).start(ELLA).update(0.0, Q, QD)
    np.testing.assert_array_equal(Q, ELLA.neutral())


def output(value: Any, model: Any = ELLA, t: float = 0.125) -> np.ndarray:
    hold = Sampled(lambda t, q, v: value, rate=8).start(model)
    hold.update(0.0, model.neutral(), np.zeros(model.nv))
    return hold.update(t, model.neutral(), np.zeros(model.nv))


def test_torques_by_joint_by_motor_or_by_coordinate() -> None:
    expected = np.zeros(ELLA.nv)
    expected[ELLA.actuated] = [1, 2, 3]
    for value in (
        {"shoulder-yaw": 1, "shoulder": 2.0, "elbow": np.float64(3)},
        {"shoulder-yaw": [1], "shoulder": np.array(2), "elbow": (3,)},
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3]),
        expected,
    ):
        np.testing.assert_array_equal(output(value), expected)


def test_a_torque_acts_on_the_rotor_where_there_is_one() -> None:
    tau = output({"elbow": 5.0}, CANADARM)
    assert tau[CANADARM.coordinates.index("elbow.rotor")] == 5.0
    assert np.count_nonzero(tau) == 1
    assert output([1, 2, 3, 4, 5], CANADARM)[CANADARM.actuated].tolist() == [1, 2, 3, 4, 5]


def test_a_continuous_law_can_be_sampled() -> None:
    law = pd(ELLA, {"elbow": {"p": 10, "d": 1}}, 0.5)
    np.testing.assert_allclose(Sampled(law).start(ELLA).update(0.0, Q, QD), law(0.0, Q, QD))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"elbow": np.nan}, r"returned elbow = nan at t = 0 s; return finite torques"),
        ([0, np.inf, 0], r"returned shoulder = inf at t = 0 s"),
        (
            {"elbo": 1.0},
            r"a torque for 'elbo', which is not a joint that moves \(did you mean 'elbow'\?\) at t = 0 s",
        ),
        ({"elbow": [1, 2]}, r"elbow = \[1, 2\] at t = 0 s; return 1 number"),
        ({"elbow": "1"}, r"elbow = '1' at t = 0 s"),
        ({"elbow": None}, r"elbow = \(empty\) at t = 0 s"),
        ([1, 2], r"an array of shape \(2,\) at t = 0 s; return 3 torques"),
        (5.0, r"an array of shape \(\) at t = 0 s"),
        (None, r"returned None at t = 0 s; return 3 torques"),
        ("torque", r"returned 'torque' at t = 0 s"),
        ([1, [2], 3], r"at t = 0 s; return 3 torques"),
        ([1, 2j, 3], r"at t = 0 s; return 3 torques"),
        (np.zeros((3, 1)), r"an array of shape \(3, 1\)"),
    ],
)
def test_a_wrong_output_is_named_with_time_joint_and_value(value: Any, message: str) -> None:
    with pytest.raises(LissomError, match=message):
        output(value)


def test_the_time_of_a_failure_is_that_of_its_sample() -> None:
    hold = Sampled(lambda t, q, v: {"elbow": np.nan if t > 0.1 else 0.0}, rate=8).start(ELLA)
    hold.update(0.0, Q, QD)
    with pytest.raises(LissomError, match=r"elbow = nan at t = 0\.125 s"):
        hold.update(0.125, Q, QD)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"function": 3}, "must be a function of"),
        ({"function": Counter(), "rate": 0}, "rate = 0: must be positive"),
        ({"function": Counter(), "delay": -1}, "delay = -1: must not be negative"),
        ({"function": Counter(), "rate": np.nan}, "rate = nan: must be a finite number"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(LissomError, match=message):
        Sampled(**arguments)
