"""Calls with plain arrays give what lists and numbers of other types give, which take the longer way."""

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.dynamics.plain_call import forward_plainly, inverse_plainly

FUNCTIONS = {lissom.forward_dynamics: forward_plainly, lissom.inverse_dynamics: inverse_plainly}


@pytest.fixture(scope="module")
def arm():
    rng = np.random.default_rng(11)
    robot = random_robot(rng, ("revolute", "spherical", "prismatic"), flexible=(True, False, True))
    q, v = random_state(robot, rng)
    return robot, robot.compile(), q, v, rng.normal(size=len(v))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_plain_arrays_give_what_lists_give(arm, function):
    _, model, q, v, x = arm
    found = FUNCTIONS[function](model, q, v, x)
    assert found is not None
    assert np.array_equal(found, function(model, q.tolist(), v.tolist(), x.tolist()))
    assert np.array_equal(function(model, q, v, x), found)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_results_and_arguments_are_the_callers(arm, function):
    _, model, q, v, x = arm
    before = [each.copy() for each in (q, v, x)]
    first = function(model, q, v, x)
    kept = first.copy()
    function(model, q, 2.0 * v, x)
    assert np.array_equal(first, kept)
    assert all(map(np.array_equal, before, (q, v, x)))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_what_is_not_plain_takes_the_longer_way(arm, function):
    robot, model, q, v, x = arm
    plainly = FUNCTIONS[function]
    assert plainly(model, q[:-1], v, x) is None
    assert plainly(model, q.astype(complex), v, x) is None
    assert plainly(model, np.repeat(q, 2)[::2], v, x) is None
    assert plainly(model, q, np.full_like(v, np.nan), x) is None
    with pytest.raises(lissom.LissomError, match="v of"):
        function(model, q, np.full_like(v, np.nan), x)
    body = next(link.name for link in robot.links if link.body is not None)
    changed = robot.with_value(f"links.{body}.body.mass", 1.0 + 1e-40j).compile()
    assert plainly(changed, q, v, x) is None


def test_prescribed_coordinates_do_not_accelerate_unless_told(arm):
    robot, _, q, v, x = arm
    model = robot.compile(prescribed=[robot.links[0].joint.name])
    given = np.ones(model.nv)
    lissom.inverse_dynamics(model, q, v, given)
    found = lissom.forward_dynamics(model, q, v, x)
    at = np.flatnonzero(model.arrays.velocities.prescribed)
    assert len(at) == 1
    assert np.all(found[at] == 0.0)
    assert np.array_equal(found, lissom.forward_dynamics(model, q.tolist(), v, x))


def test_a_model_that_goes_on_in_other_memory_is_met_with_its_own_numbers(arm):
    robot, _, q, v, x = arm
    body = next(link.name for link in robot.links if link.body is not None)
    models = [robot.with_value(f"links.{body}.body.mass", mass).compile() for mass in (1.0, 5.0, 9.0)]
    expected = [lissom.forward_dynamics(model, q.tolist(), v, x) for model in models]
    assert not np.array_equal(expected[0], expected[1])
    assert np.array_equal(lissom.forward_dynamics(models[0], q, v, x), expected[0])
    for k in (1, 2):
        models[k].take_over(models[k - 1])
        assert np.array_equal(lissom.forward_dynamics(models[k], q, v, x), expected[k])
