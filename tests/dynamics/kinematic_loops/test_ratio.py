"""Joints that follow others by a ratio: the dynamics are those of the tree in the coordinates that are left."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom
from lissom.control import Reference

TREE = """
lissom: 1
name: pair
links:
  - {name: a, joint: {name: ja, type: revolute, axis: [0, 1, 0]},
     body: {mass: 2, com: [0.3, 0, 0], inertia: [0.02, 0.02, 0.02]}}
  - {name: b, origin: {xyz: [0.6, 0, 0]}, joint: {name: jb, type: revolute, axis: [0, 1, 0]},
     body: {mass: 1, com: [0.2, 0, 0.05], inertia: [0.02, 0.02, 0.02]}}
  - {name: c, parent: world, joint: {name: jc, type: prismatic, axis: [1, 0, 1]}, body: {mass: 1.5}}
"""
RATIOS = """
loops:
  - {name: mimic, ratio: -2.5, offset: 0.3, between: [{link: a}, {link: b}]}
  - {name: rack, ratio: 0.2, between: [{link: b}, {link: c}]}
"""
S = np.array([1.0, -2.5, -0.5])  # velocities per velocity of ja


def at(x):
    """Return the configuration whose first joint is at x."""
    return np.array([x, 0.3 - 2.5 * x, 0.2 * (0.3 - 2.5 * x)])


@pytest.fixture(scope="module")
def model():
    return lissom.Robot.from_yaml(TREE + RATIOS).compile()


@pytest.fixture(scope="module")
def tree():
    return lissom.Robot.from_yaml(TREE).compile()


def reduced(tree, x, rate, tau=0.0):
    """Return the acceleration of ja by Lagrange's equations in that coordinate alone."""
    M, h = lissom.mass_matrix(tree, at(x)), lissom.bias(tree, at(x), S * rate)
    return S @ (tau - h) / (S @ M @ S)


def test_accelerations_are_those_of_the_coordinates_left(model, tree):
    q, v, tau = at(0.2), 0.7 * S, np.array([0.4, -0.3, 2.0])
    found = lissom.closed_loops(model, q, v, tau)
    np.testing.assert_allclose(found.a, S * reduced(tree, 0.2, 0.7, tau), rtol=1e-12)
    # what drives the followers, as a wrench on their links: about the axis of jb, along that of jc
    torque, force = found.multipliers
    along = np.array([1, 0, 1]) / np.sqrt(2)
    np.testing.assert_allclose(found.wrenches, [[0, torque, 0, 0, 0, 0], [0, 0, 0, *(force * along)]], atol=1e-12)
    left = lissom.mass_matrix(tree, q) @ found.a + lissom.bias(tree, q, v) - tau
    np.testing.assert_allclose(left, [2.5 * torque, torque - 0.2 * force, force], atol=1e-12)


def test_a_run_is_that_of_one_coordinate_and_keeps_its_energy(model, tree):
    run = lissom.simulate(model, 2.0, start={"ja": 0.2}, rtol=1e-8, atol=1e-10)
    motion = solve_ivp(lambda t, y: [y[1], reduced(tree, *y)], (0, 2), [0.2, 0.0], rtol=1e-10, atol=1e-12)
    assert run.q[-1, 0] == pytest.approx(motion.y[0, -1], abs=1e-5)
    np.testing.assert_allclose(run.q, np.array([at(x) for x in run.q[:, 0]]), atol=1e-12)
    assert run.warnings == []


def test_a_driven_joint_moves_what_follows_it(model, tree):
    run = lissom.simulate(model, 1.0, motion={"ja": Reference.quintic([0.2], [1.0], 1.0)})
    k = len(run.time) // 3
    q, v, a = run.q[k], run.v[k], run.a[k]
    np.testing.assert_allclose(v, S * v[0], atol=1e-9)
    needed = S @ (lissom.mass_matrix(tree, q) @ a + lissom.bias(tree, q, v))
    assert float(run.torque("ja")[k]) == pytest.approx(needed, rel=1e-6)


def test_small_motions_have_the_frequency_of_one_coordinate(model, tree):
    rest = lissom.static_equilibrium(model, {"ja": 1.2}, hold=())
    x, step = rest.q[0], 1e-5
    stiffness = -(reduced(tree, x + step, 0) - reduced(tree, x - step, 0)) / (2 * step)
    assert abs(reduced(tree, x, 0)) < 1e-9
    (frequency,) = lissom.natural_modes(model, rest, locked=False).frequencies
    assert (2 * np.pi * frequency) ** 2 == pytest.approx(stiffness, rel=1e-6)


def test_formulations_refuse_ratios_by_name(model):
    for name in lissom.theory.names()[1:]:
        with pytest.raises(lissom.LissomError, match=r"loops = 'mimic'.*ratio"):
            lissom.theory.build(name, model)


def test_a_robot_with_ratios_comes_back_from_its_file(model, tmp_path):
    model.robot.save(tmp_path / "pair.yaml")
    assert lissom.load(tmp_path / "pair.yaml") == model.robot


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ratio: -2.5, offset", "offset", "loops.mimic.joint: missing"),
        ("ratio: -2.5", "ratio: -2.5, distance: 1", "loops.mimic.ratio = -2.5: conflicts with distance"),
        ("{link: b}, {link: c}", "{link: b}, {link: world}", "has no joint; name two links"),
        ("{link: b}, {link: c}", "{link: b}, {link: b}", "cannot follow itself"),
        ("{link: b}, {link: c}", "{link: b}, {link: c, origin: {xyz: [1, 0, 0]}}", "give the link alone"),
        ("type: prismatic, axis: [1, 0, 1]", "type: spherical", "joints of one coordinate each"),
        ("ratio: 0.2", "ratio: 0.2, offset: 3 kg", "offset = '3 kg'"),
    ],
)
def test_a_wrong_ratio_is_told_by_its_field(old, new, message):
    with pytest.raises(lissom.LissomError) as caught:
        lissom.Robot.from_yaml((TREE + RATIOS).replace(old, new))
    assert message in str(caught.value)
