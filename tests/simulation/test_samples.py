"""Samples between steps: wrenches, accelerations and multipliers there are as accurate as the steps."""

import numpy as np
import pytest

import lissom

MECHANISMS = {"slider-crank": 0.01, "luffing-crane": 1.0}  # s


@pytest.mark.parametrize("method", ["radau", "dop853"])
@pytest.mark.parametrize("rtol", [1e-5, 1e-9])
def test_nothing_holds_a_free_base(method, rtol):
    """Its wrench is zero by definition; between steps it was 1e-5 of the others, more or less as steps fell."""
    run = (
        lissom.scenario.load("satellite-two-arm")
        .with_values([("duration", 0.5), ("method", method), ("rtol", rtol)])
        .run()
    )
    wrench = run.dataset["wrench"].values
    assert np.abs(wrench[:, 0]).max() < 1e-11 * np.abs(wrench).max()


def relative(found, exact):
    return np.abs(found.values - exact.values).max() / np.abs(exact.values).max()


@pytest.mark.parametrize("name", MECHANISMS)
def test_forces_in_loops_between_steps_follow_the_tolerance(name):
    def run(rtol):
        changes = [("duration", MECHANISMS[name]), ("method", "radau"), ("rtol", rtol)]
        return lissom.scenario.load(name).with_values(changes).run()

    exact = run(1e-12)
    errors = []
    for rtol in (1e-4, 1e-7, 1e-10):
        found = run(rtol)
        assert np.abs(found.dataset["loop_gap"].values).max() < 1e-9
        assert not found.warnings
        errors.append(max(relative(found.dataset[key], exact.dataset[key]) for key in ("loop_wrench", "wrench")))
    assert errors[1] < 0.1 * errors[0], errors
    assert errors[2] < max(0.1 * errors[1], 1e-6), errors  # what a cylinder's first jerk rings is left out by design
