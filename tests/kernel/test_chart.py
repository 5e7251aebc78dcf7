"""Charts of a step: the kernel's series and the public function move a configuration alike."""

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.kernel.maths.chart import chart_rate, chart_velocity, difference, move
from lissom.lie import quaternion


@pytest.mark.parametrize("turn", [0.0, 1e-9, 1e-3, 0.5, 1.0, 1.9, 2.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_step_below_two_radians_ends_where_integrate_says(turn, seed):
    """`kernel.maths.chart.move` sums a series that is exact to rounding there; `dynamics.integrate` takes any turn."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, ["free", "spherical", "revolute", "helical", "planar"], flexible=0.5)
    model = robot.compile()
    q, step = random_state(robot, rng)
    for body, link in zip(model.bodies, robot.bodies, strict=True):
        if link.joint.kind.on_group:
            turns = slice(body.joint_v.start, body.joint_v.start + 3)
            step[turns] *= turn / np.linalg.norm(step[turns])
    moved, back = np.zeros(model.nq), np.zeros(model.nv)
    move(model.struct, q, step, moved)
    assert moved == pytest.approx(lissom.dynamics.integrate(model, q, step), rel=0, abs=3e-14)
    difference(model.struct, q, moved, back)
    assert back == pytest.approx(step, rel=0, abs=1e-13)


def test_beyond_the_series_integrate_still_turns_exactly():
    model = random_robot(np.random.default_rng(2), ["spherical"], flexible=[False]).compile()
    half, whole = np.array([0.0, 0.0, 3.0]), np.array([0.0, 0.0, 6.0])
    twice = lissom.dynamics.integrate(model, lissom.dynamics.integrate(model, model.neutral(), half), half)
    once = lissom.dynamics.integrate(model, model.neutral(), whole)
    assert quaternion.to_matrix(once) == pytest.approx(quaternion.to_matrix(twice), abs=1e-14)


@pytest.mark.parametrize("turn", [0.0, 1e-3, 0.5, 1.0, 2.0])
def test_rates_within_a_step_are_those_of_turns_in_closed_form(turn):
    """The inverse right Jacobian of SO(3) with its cotangent, and `chart_velocity` its inverse."""
    rng = np.random.default_rng(3)
    model = random_robot(rng, ["spherical"], flexible=[False]).compile()
    axis, w = rng.normal(size=(2, 3))
    th = turn * axis / np.linalg.norm(axis)
    cross = np.cross(th, np.eye(3)).T
    last = 1 / 12 if turn < 1e-2 else (1 - turn / 2 / np.tan(turn / 2)) / turn**2
    rate, back = np.zeros(3), np.zeros(3)
    chart_rate(model.struct, th, w, rate)
    assert rate == pytest.approx(w + cross @ w / 2 + last * cross @ cross @ w, abs=1e-12 if turn < 1e-2 else 3e-15)
    chart_velocity(model.struct, th, rate, back)
    assert back == pytest.approx(w, abs=1e-14)
