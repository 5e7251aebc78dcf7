"""Samples between steps: wrenches, accelerations and multipliers there are as accurate as the steps."""

import itertools

import numpy as np
import pytest
from random_loops import KINDS, random_loop

import lissom

MECHANISMS = {"slider-crank": 0.01, "luffing-crane": 1.0}  # s


@pytest.mark.parametrize("rtol", [1e-3, 1e-6])
def test_nothing_holds_a_free_base_between_steps(rtol):
    changes = [("duration", 0.5), ("method", "radau"), ("rtol", rtol)]
    wrench = lissom.scenario.load("satellite-two-arm").with_values(changes).run().dataset["wrench"].values
    assert np.abs(wrench[:, 0]).max() < 1e-12 * np.abs(wrench).max()


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


def samples_follow_the_tolerance(seed, kind, bends, duration):
    """A thousand samples per second of a loop: forces converge everywhere, and belong to the state beside them."""
    model, start = random_loop(seed, kind, bends)

    def run(rtol):
        return lissom.simulate(model, duration, start=start, method="radau", rtol=rtol, rate=1000, progress=False)

    exact, errors = run(1e-12), []
    for rtol in (1e-4, 1e-7, 1e-10):
        found = run(rtol)
        assert found.info.status == "finished" and not found.warnings
        assert np.abs(found.dataset["loop_gap"].values).max() < 1e-12
        for k in range(0, len(found.time), 97):
            expected = lissom.forward_dynamics(model, found.q[k], found.v[k], np.zeros(model.nv))
            np.testing.assert_allclose(found.a[k], expected, atol=1e-9 * np.abs(found.a).max())
        errors.append(max(relative(found.dataset[key], exact.dataset[key]) for key in ("loop_wrench", "wrench")))
    assert errors[1] < 0.2 * errors[0] and errors[2] < 0.2 * errors[1] and errors[2] < 1e-3, errors


@pytest.mark.parametrize("bends", [False, True], ids=["rigid", "bends"])
@pytest.mark.parametrize("kind", KINDS)
def test_samples_of_random_loops_follow_the_tolerance(kind, bends):
    samples_follow_the_tolerance(1, kind, bends, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kind"), [*itertools.product(range(2, 8), KINDS)])
def test_samples_of_long_runs_of_random_loops_follow_the_tolerance(seed, kind):
    samples_follow_the_tolerance(seed, kind, bool(seed % 2), 10.0)
