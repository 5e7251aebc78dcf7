"""Tolerances keep their promise: a smaller one never makes a run less accurate, whichever of them it is.

Errors are those of the whole motion, against a run by the same method family with tolerances far smaller.
"""

from functools import cache, partial

import numpy as np
import pytest
from random_robots import random_robot, random_state
from rigid_mechanisms import rigid_four_bar
from soft_arms import needs

import lissom
from lissom.simulation import RunSettings
from lissom.simulation.stepping.time_loop import simulate_raw

RTOLS = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
NOISE = 3.0  # times that an error may grow from one tolerance to the next: errors of one sign may cancel by chance
ROUNDING = 1e-11  # of the largest value


def of_scenario(name, duration):
    made = lissom.scenario.load(name).with_values([("duration", duration)]).prepare()
    return made.model, {"duration": duration, "rate": made.settings.rate, **made.drive}


def falling_four_bar():
    robot = rigid_four_bar()
    return robot.compile(), {"duration": 0.5, "start": lissom.close_loops(robot, {"crank": 1.0})}


def tree(seed):
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, 3)
    q, v = random_state(robot, rng)
    return robot.compile(), {"duration": 0.02, "rate": 2000, "start": (q, 0.1 * v)}


SYSTEMS = {
    "ella": lambda: of_scenario("ella", 0.5),
    "four-bar": falling_four_bar,
    "slider-crank": lambda: of_scenario("slider-crank", 0.01),
    "luffing-crane": lambda: of_scenario("luffing-crane", 1.0),
    "tree 1": lambda: tree(1),
    "tree 2": lambda: tree(2),
}
SYSTEMS |= {f"tree {seed}": partial(tree, seed) for seed in range(3, 13)}
FEW = list(SYSTEMS)[:6]


@cache
def system(name):
    model, drive = SYSTEMS[name]()
    return model, drive, simulate_raw(model, **drive, method="radau", rtol=1e-13)


def worked(name, method, **tolerances):
    """Largest error of coordinates and velocities, relative to the largest value, and the number of steps."""
    model, drive, exact = system(name)
    found = simulate_raw(model, **drive, method=method, **tolerances)
    assert found.status == "finished", found.message
    parts = ((found.q, exact.q), (found.v, exact.v))
    return max(np.abs(a - b).max() / np.abs(b).max() for a, b in parts), found.steps


def assert_tighter_is_better(errors, steps):
    for k in range(1, len(errors)):
        assert errors[k] <= NOISE * errors[k - 1] + ROUNDING, (errors, steps)
        assert steps[k] >= 0.8 * steps[k - 1], (errors, steps)


@pytest.mark.parametrize("name", FEW)
def test_radau_is_never_less_accurate_with_a_smaller_rtol(name):
    errors, steps = zip(*(worked(name, "radau", rtol=rtol) for rtol in RTOLS))
    assert_tighter_is_better(errors, steps)
    assert errors[-1] < 1e-2 * errors[0] + ROUNDING and steps[-1] > 2 * steps[0], (errors, steps)


@pytest.mark.parametrize("name", FEW)
def test_radau_is_never_less_accurate_with_one_smaller_tolerance(name):
    """`rtol` alone, `atol` as it was, took fewer and fewer steps."""
    assert_tighter_is_better(*zip(*(worked(name, "radau", rtol=rtol, atol=1e-8) for rtol in RTOLS)))
    assert_tighter_is_better(*zip(*(worked(name, "radau", rtol=1e-6, atol=atol) for atol in (1e-5, 1e-7, 1e-9, 1e-11))))


@pytest.mark.parametrize("method", ["dop853", "dopri5", "generalised-alpha", "cvode-adams", "cvode-bdf"])
@pytest.mark.parametrize("name", ["four-bar", "tree 1"])
def test_other_methods_are_never_less_accurate_with_a_smaller_rtol(name, method):
    needs(method)
    rtols = (1e-3, 1e-4, 1e-5) if method == "generalised-alpha" else (1e-4, 1e-6, 1e-8)
    assert_tighter_is_better(*zip(*(worked(name, method, rtol=rtol) for rtol in rtols)))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["radau", "dop853", "dopri5", "cvode-adams", "cvode-bdf"])
@pytest.mark.parametrize("name", list(SYSTEMS)[6:])
def test_random_trees_are_never_less_accurate_with_any_tolerance_smaller(name, method):
    """Both tolerances, and each alone while the other stays."""
    needs(method)
    sizes = (1e-4, 1e-6, 1e-8)
    assert_tighter_is_better(*zip(*(worked(name, method, rtol=rtol) for rtol in sizes)))
    assert_tighter_is_better(*zip(*(worked(name, method, rtol=rtol, atol=1e-8) for rtol in sizes)))
    assert_tighter_is_better(*zip(*(worked(name, method, rtol=1e-6, atol=atol) for atol in (1e-6, 1e-8, 1e-10))))


def test_absolute_error_follows_rtol_unless_given():
    assert RunSettings(duration=1.0).absolute_error == pytest.approx(1e-8)
    assert RunSettings.of(RunSettings(duration=1.0), rtol=1e-9).absolute_error == pytest.approx(1e-11)
    assert RunSettings.of(RunSettings(duration=1.0, atol=1e-7), rtol=1e-9).absolute_error == 1e-7
