"""Derivatives by recursion equal those by the complex step, which knows nothing of it, on random trees."""

import numpy as np
import pytest
from claims import claim
from random_robots import EVERY, random_robot, random_state

import lissom
from lissom.dynamics import state_derivatives
from lissom.dynamics.state_derivatives import derivatives, inverse_derivatives, recursive

KINDS = (*EVERY, "guided")
USUAL, MANY = 24, 1000
ROUNDING = 1e-12  # of the largest entry of a row
SOLVED = 1e-9  # the same, solved with a mass matrix that rounds off as many digits more as its condition has


def tree(number):
    """A tree of one to six links on all kinds of joints, every second without stiffness, which would hide the rest."""
    rng = np.random.default_rng(number)
    kinds = [KINDS[number % len(KINDS)], *map(str, rng.choice(KINDS, int(rng.integers(0, 6))))]
    robot = random_robot(rng, kinds, stiffening=str(rng.choice(["none", "first"])))
    prescribed = [link.joint.name for link in robot.links if link.joint.type != "fixed" and rng.random() < 0.15]
    model = robot.compile(prescribed=prescribed).copy()
    if number % 2:
        model.memory.strain.stiffness[...] = 0.0
    q, v = random_state(robot, rng, 0.03)
    a, tau = rng.normal(size=(2, model.nv))
    return model, q, v, a, tau, {name: rng.normal(size=6) for name in model.links}


def both_ways(monkeypatch, compute):
    """What the recursion gives, then the complex step."""
    by_recursion = compute()
    with monkeypatch.context() as changed:
        changed.setattr(state_derivatives, "recursive", lambda model: False)
        return by_recursion, compute()


def assert_equal(found, expected, relative):
    """Equal within `relative` of the largest entry of a row; rows of zeros within that of a hundredth of the whole.

    Where a joint moves no inertia, rows hold what is left when forces of size one cancel: 1e-16 to 2e-15.
    """
    for x, y in zip(found, expected, strict=True):
        assert x.shape == y.shape
        if not x.size:  # a robot that does not move
            continue
        x, y = x.reshape(len(x), -1), y.reshape(len(y), -1)
        largest = np.abs(y).max(axis=1, initial=0.0)
        scale = np.maximum(largest, 1e-2 * max(largest.max(initial=0.0), 1.0))
        claim((np.abs(x - y).max(axis=1, initial=0.0) / scale).max(initial=0.0), relative)


def check(number, monkeypatch):
    model, q, v, a, tau, wrenches = tree(number)
    assert recursive(model)
    by_recursion, by_steps = both_ways(monkeypatch, lambda: inverse_derivatives(model, q, v, a, wrenches))
    assert_equal(by_recursion, by_steps, ROUNDING)
    M = lissom.mass_matrix(model, q.astype(complex)).real  # by another algorithm
    assert_equal((lissom.mass_matrix(model, q), by_recursion.a), (M, M), ROUNDING)
    assert_equal(*both_ways(monkeypatch, lambda: derivatives(model, q, v, tau, wrenches, a)), SOLVED)


@pytest.mark.parametrize("number", range(USUAL))
def test_derivatives_of_random_trees(number, monkeypatch):
    check(number, monkeypatch)


@pytest.mark.slow
def test_derivatives_of_a_thousand_random_trees(monkeypatch):
    for number in range(USUAL, MANY):
        check(number, monkeypatch)


def test_wrenches_on_frames_of_links_that_bend(monkeypatch):
    from lissom.model.description.frame import Frame

    rng = np.random.default_rng(5)
    robot = random_robot(rng, ("revolute", "spherical"), flexible=(True, True))
    frames = [Frame(link=link.name, at=0.4 * link.beam.length) for link in robot.links]
    model = robot.compile().with_loads(frames, [False] * 2)
    loads = {model.frame_row(k): rng.normal(size=6) for k in range(2)}
    q, v = random_state(robot, rng, 0.03)
    a = rng.normal(size=model.nv)
    assert recursive(model)
    assert_equal(*both_ways(monkeypatch, lambda: inverse_derivatives(model, q, v, a, loads)), ROUNDING)


@pytest.mark.parametrize("robot", ["ella", "canadarm2", "rigid-7-axis"])
def test_robots_that_come_along_are_within_reach(robot):
    assert recursive(lissom.load(robot).compile())


def test_what_is_beyond_its_reach_goes_by_the_complex_step():
    rng = np.random.default_rng(3)
    bent = random_robot(rng, ("revolute",), flexible=(True,), stiffening="exact").compile()
    assert not recursive(bent)
    assert np.all(np.isfinite(derivatives(bent, bent.neutral(), np.ones(bent.nv)).q))


def test_a_state_without_numbers_leaves_nothing_behind():
    model = random_robot(np.random.default_rng(2), ("revolute", "free", "universal", "prismatic")).compile()
    q, v = model.neutral(), np.ones(model.nv)
    before = derivatives(model, q, v)
    with pytest.raises(lissom.LissomError):
        derivatives(model, q, np.full(model.nv, np.nan))
    for x, y in zip(before, derivatives(model, q, v), strict=True):
        assert np.array_equal(x, y)


def test_where_a_free_body_is_and_how_fast_it_goes_rounds_nothing_off(monkeypatch):
    robot = random_robot(np.random.default_rng(4), ("free", "revolute", "revolute"), flexible=(True, False, True))
    model = robot.compile()
    q, v = random_state(robot, np.random.default_rng(4))
    near = inverse_derivatives(model, q, v, v)
    q[4:7] += 7e6  # m
    assert_equal(inverse_derivatives(model, q, v, v), near, ROUNDING)
    v[3:6] = 1e4  # m/s
    assert_equal(*both_ways(monkeypatch, lambda: inverse_derivatives(model, q, v, v)), ROUNDING)
