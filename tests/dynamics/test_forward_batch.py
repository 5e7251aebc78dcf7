"""Forward dynamics of many states in lanes: equal to one after the other, for all kinds of robots."""

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.errors import LissomError
from lissom.kernel.packs import LANES, covers


def states(model, count, seed=0):
    rng = np.random.default_rng(seed)
    found = [random_state(model.robot, rng) for _ in range(count)]
    q, v = (np.array(part) for part in zip(*found, strict=True))
    return q, v, rng.uniform(-5, 5, (count, model.nv))


def one_by_one(model, q, v, tau):
    return np.array([lissom.forward_dynamics(model, *state) for state in zip(q, v, tau, strict=True)])


def close_enough(found, expected):
    """To rounding, relative to the largest acceleration of each state."""
    size = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(found / size, expected / size, rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stiffening", ["none", "first"])
def test_random_trees_in_lanes_equal_single_states(seed, stiffening):
    """Trees of all joint kinds, with friction, stops and elastic gears."""
    model = random_robot(np.random.default_rng(seed), 5, stiffening=stiffening).compile()
    q, v, tau = states(model, 2 * LANES + 1, seed)
    close_enough(lissom.forward_dynamics_batch(model, q, v, tau), one_by_one(model, q, v, tau))


@pytest.mark.parametrize("name", ["ella", "canadarm2", "dual-screw-arm"])
@pytest.mark.parametrize("count", [1, 3, 600])
def test_built_in_robots_by_name_in_any_number(name, count):
    model = lissom.compile(name)
    q, v, tau = states(model, count)
    some = slice(None, None, max(1, count // 8))
    found = lissom.forward_dynamics_batch(name, q, v, tau)
    assert found.shape == (count, model.nv)
    close_enough(found[some], one_by_one(model, q[some], v[some], tau[some]))


def test_large_angles_and_threads_change_nothing():
    model = lissom.compile("ella")
    q, v, tau = states(model, 700)
    q[:, 0] += np.linspace(-1e5, 1e5, 700)
    q[:, 1] += np.linspace(0, 300, 700)
    found = lissom.forward_dynamics_batch(model, q, v, tau, cores=1)
    np.testing.assert_array_equal(lissom.forward_dynamics_batch(model, q, v, tau, cores=2), found)
    close_enough(found[::50], one_by_one(model, q[::50], v[::50], tau[::50]))


def test_prescribed_accelerations_are_kept():
    model = lissom.compile("ella", prescribed="elbow")
    q, v, tau = states(lissom.compile("ella"), 5)
    given = np.zeros((5, model.nv))
    at = model.coordinates.index("elbow")
    given[:, at] = np.arange(5.0)
    found = lissom.forward_dynamics_batch(model, q, v, tau, a=given)
    np.testing.assert_array_equal(found[:, at], np.arange(5.0))
    expected = [lissom.forward_dynamics(model, q[k], v[k], tau[k], a=given[k]) for k in range(5)]
    close_enough(found, np.array(expected))


def test_robots_with_branches_are_computed_one_by_one():
    closed = lissom.compile("five-bar")
    q = np.tile(lissom.close_loops(closed), (2, 1))
    v = np.zeros((2, closed.nv))
    np.testing.assert_array_equal(lissom.forward_dynamics_batch(closed, q, v), one_by_one(closed, q, v, v))
    exact = lissom.load("ella").with_value("links.upper.beam.stiffening", "exact").compile()
    assert not covers(exact.arrays)
    q, v, tau = states(exact, 3)
    np.testing.assert_array_equal(lissom.forward_dynamics_batch(exact, q, v, tau), one_by_one(exact, q, v, tau))


def test_no_states_and_no_forces():
    model = lissom.compile("ella")
    assert lissom.forward_dynamics_batch(model, np.zeros((0, model.nq)), np.zeros((0, model.nv))).shape == (0, model.nv)
    q, v, _ = states(model, 2)
    close_enough(lissom.forward_dynamics_batch(model, q, v), one_by_one(model, q, v, np.zeros((2, model.nv))))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"q": np.zeros(23)}, "q: must have the shape (states, 23), not (23,)"),
        ({"v": np.zeros((4, 23))}, "v: must have the shape (3 states, 23), not (4, 23)"),
        ({"tau": "much"}, "tau = 'much': must be an array of numbers"),
        ({"q": np.full((3, 23), np.nan)}, "q: must hold finite numbers"),
        ({"cores": 0}, "cores = 0: must be a whole number"),
    ],
)
def test_what_is_no_state_is_refused(change, text):
    given = {"q": np.zeros((3, 23)), "v": np.zeros((3, 23))} | change
    with pytest.raises(LissomError) as error:
        lissom.forward_dynamics_batch("ella", **given)
    assert text in str(error.value)
