"""The operation counter: exact on a case counted by hand, linear in the number of links."""

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.dynamics import operation_counts
from lissom.errors import LissomError

FUNCTIONS = ("forward_dynamics", "inverse_dynamics", "mass_matrix")


def chain(links):
    """Equal flexible links one after the other."""
    section = {
        "rhoA": 1.0,
        "EA": 2e4,
        "EIy": 50.0,
        "EIz": 60.0,
        "GJ": 40.0,
        "Jx": 0.01,
        "Jy": 0.005,
        "Jz": 0.006,
    }
    beam = {"length": 1.0, "section": section, "modes": {"y": 2, "z": 1, "torsion": 1, "axial": 1}}
    joint = {"type": "revolute", "axis": [0, 0, 1], "damping": 0.1}
    names = [f"link{k}" for k in range(links)]
    plain = {
        "lissom": 1,
        "name": "chain",
        "links": [{"name": n, "joint": joint, "beam": beam} for n in names],
    }
    return lissom.Robot.from_dict(plain).compile()


def slider():
    """One rigid body on a prismatic joint."""
    link = {"name": "slider", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "body": {"mass": 2.0}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "slider", "links": [link]}).compile()


def test_inverse_dynamics_of_a_slider_counted_by_hand():
    add, scale, cross, rotate = np.array([(3, 0), (0, 3), (3, 6), (6, 9)])  # (additions, multiplications)
    one_add, multiply_add = np.array([(1, 0), (1, 1)])
    shift = 3 * cross + 6 * add + scale  # velocity and drift of a shifted frame
    outward = (
        one_add  # a unit number
        + add + shift  # to the parent's section
        + scale + rotate + add + scale + shift  # along the axis
        + 2 * add  # motion subspace
        + add  # from the section to the frame
    )  # fmt: skip
    gravity = add
    acceleration = cross + add + 2 * rotate + 2 * add + 6 * multiply_add  # carried over, turned, drift, joint
    inertia = (
        add + add + add  # first moment, tr(G) - G, mass
        + cross + rotate  # omega x J omega
        + 2 * cross  # omega x (omega x mc)
    )  # fmt: skip
    wrench = 36 * multiply_add + 2 * add  # inertia times acceleration, external wrench
    force = multiply_add + 6 * multiply_add  # armature and passive force, projection on the axis
    to_parent = 2 * rotate + cross + add + 2 * add  # turned, moved to the parent's origin, added
    additions, multiplications = outward + gravity + acceleration + inertia + wrench + force + to_parent
    count = operation_counts.count(slider(), "inverse_dynamics")
    assert count == (additions, multiplications, 0, 0)
    assert count.total == additions + multiplications


def test_a_turn_counts_one_sine_and_one_cosine_and_friction_one_more_function():
    joint = {"type": "revolute", "axis": [0, 0, 1]}
    counts = []
    for extra in ({}, {"friction": {"coulomb": 0.1, "velocity": 0.1}}):
        link = {"name": "wheel", "joint": joint | extra, "body": {"mass": 1.0, "inertia": [1, 1, 1]}}
        model = lissom.Robot.from_dict({"lissom": 1, "name": "wheel", "links": [link]}).compile()
        counts.append(operation_counts.count(model))
    assert [count.functions for count in counts] == [2, 3]
    assert [count.divisions for count in counts] == [1, 4]  # by the pivot; of friction: smoothing, and Stribeck's curve


@pytest.mark.parametrize("function", ["forward_dynamics", "inverse_dynamics"])
def test_operations_grow_linearly_with_the_number_of_links(function):
    totals = [operation_counts.count(chain(links), function).total for links in (1, 2, 3, 4, 5)]
    assert np.all(np.diff(totals, 2) == 0)
    assert np.diff(totals)[0] > 1000


def test_operations_of_the_mass_matrix_grow_with_the_square():
    totals = [operation_counts.count(chain(links), "mass_matrix").total for links in (1, 2, 3, 4, 5)]
    assert np.all(np.diff(totals, 2) > 0)
    assert np.all(np.diff(totals, 3) == 0)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_count_is_the_same_at_every_state(function):
    rng = np.random.default_rng(0)
    model = random_robot(rng, ("free", "spherical", "universal", "prismatic"), passive=1.0).compile()
    state = random_state(model.robot, rng)
    assert operation_counts.count(model, function) == operation_counts.count(model, function, *state)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_counting_run_computes_the_dynamics(function):
    rng = np.random.default_rng(1)
    model = random_robot(rng, ("free", "cylindrical", "planar", "revolute"), passive=1.0, transmissions=1.0).compile()
    q, v = random_state(model.robot, rng)
    forcing = rng.normal(size=model.nv)
    _, value = operation_counts.evaluate(model, function, q, v, forcing)
    state = (q,) if function == "mass_matrix" else (q, v, forcing)
    expected = getattr(lissom, function)(model, *state)
    assert np.abs(value - expected).max() <= 1e-11 * np.abs(expected).max()


def test_bad_arguments_are_refused():
    model = slider()
    with pytest.raises(LissomError, match="choose from forward_dynamics"):
        operation_counts.count(model, "forward")
    with pytest.raises(LissomError, match="q: must have shape"):
        operation_counts.count(model, q=[0.0, 1.0])
    with pytest.raises(LissomError, match="real"):
        operation_counts.count(model, q=[1j])
