"""The summary of a run: peaks, settling, balance, and the same as plain data."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_loops import random_loop
from sample_runs import ella_run, satellite_run

import lissom
from lissom.results.summaries.summary import settling_time


def test_peaks_are_the_largest_norms_and_their_times():
    run = ella_run()
    summary = run.summary()
    assert [joint.joint for joint in summary.joints] == ["shoulder-yaw", "shoulder", "elbow"]
    size = np.linalg.norm(run.wrench("elbow").values[:, 3:], axis=1)
    assert summary.joints[2].force == (size.max(), run.time[size.argmax()])
    size = np.linalg.norm(run.deflection("upper").values, axis=1)
    assert summary.links[0].deflection.value == size.max()
    assert summary.links[0].percent == pytest.approx(100 * size.max() / 0.95)


def test_speed_is_motion_over_computing_time():
    assert ella_run().summary().speed == pytest.approx(1 / 0.05)
    assert satellite_run().summary().speed is None


def test_an_exponential_settles_after_four_time_constants():
    t = np.linspace(0, 4, 4001)
    final, when, moved = settling_time(t, 2 - 2 * np.exp(-t / 0.2))
    assert moved
    assert_allclose(final, 2, rtol=1e-6)
    assert_allclose(when, 0.2 * np.log(50), atol=2e-3)


def test_what_swings_to_the_end_has_not_settled():
    t = np.linspace(0, 4, 401)
    assert settling_time(t, 1 - np.cos(12 * t) * np.exp(-0.1 * t))[1] is None


def test_what_stays_has_not_moved():
    t = np.linspace(0, 4, 401)
    assert settling_time(t, np.full(401, 0.3))[1:] == (None, False)
    assert settling_time(t, np.exp(-((t - 2) ** 2) / 0.1))[2] is False


def test_the_printed_summary_names_everything():
    text = str(ella_run().summary())
    for part in (
        "ella: finished, 1 s of motion by lsoda",
        "20.00 times real time",
        "shoulder-yaw",
        "% of length",
        "tip of forearm",
        "dissipated",
        "of the energy exchanged",
        "upper is bent by 1.8 % of its length",
    ):
        assert part in text, part
    assert max(map(len, text.splitlines())) <= 100


def test_the_summary_is_plain_data_for_json():
    data = json.loads(json.dumps(satellite_run().summary().to_dict(), allow_nan=False))
    assert data["robot"] == "satellite-two-arm"
    assert set(data["joints"][1]["torque"]) == {"value", "time"}
    assert data["energy"]["relative"] < 1e-6
    assert data["speed"] is None
    event = json.loads(json.dumps(ella_run().summary().to_dict()))["events"][0]
    assert event["time"] == 0.25
    assert event["link_or_joint"] == "upper"


def test_a_rod_between_tips_of_links_pulls_and_pushes_with_its_force():
    model, start = random_loop(5, "spatial with a rod", True)
    rod = lissom.simulate(model, 0.03, start=start, progress=False).summary().loops[0]
    assert rod.force.value == pytest.approx(max(rod.pull.value, rod.push.value), rel=1e-9)
