"""Derivatives by the complex step equal CasADi's and central differences: by state and force."""

import itertools
from functools import cache

import numpy as np
import pytest
from claims import claim
from random_robots import JOINTS, Case, random_robot

import lissom
from lissom.dynamics import (
    forward_dynamics,
    integrate,
    inverse_derivatives,
    inverse_dynamics,
    mass_matrix,
)

TREES = {
    "groups": ("free", "spherical", "universal", "revolute"),
    "axes": ("cylindrical", "planar", "prismatic", "fixed", "revolute"),
}
VARIANTS = list(itertools.product(TREES, ("odd", "even"), ("none", "first")))  # which links bend, stiffening
CASES = ["ella", *map("/".join, VARIANTS), "groups/odd/exact", "axes/odd/exact"]


@cache
def case_of(name):
    if name == "ella":
        return Case(lissom.load("ella"), deflection=0.002)
    tree, bending, stiffening = name.split("/")
    joints = TREES[tree]
    bends = [k % 2 == (bending == "odd") for k in range(len(joints))]
    rng = np.random.default_rng(len(name))
    return Case(random_robot(rng, joints, flexible=bends, stiffening=stiffening, transmissions=1.0, passive=1.0))


@pytest.fixture(params=CASES)
def case(request):
    return case_of(request.param)


def assert_equal(value, expected, relative):
    """Equal within `relative` of the largest entry in the same row, rows of almost zero of the whole."""
    value, expected = (np.asarray(a).reshape(len(a), -1) for a in (value, expected))
    size = np.abs(expected)
    scale = np.maximum(size.max(axis=1, initial=0.0), 1e-6 * size.max(initial=0.0))
    claim((np.abs(value - expected).max(axis=1, initial=0.0) / scale).max(initial=0.0), relative)


STEPS = {"dq": 1e-5, "dv": 1e-4, "df": 1.0, "da": 1.0}  # forces and accelerations enter linearly


def differences(function, name, size):
    """Central differences of function(name=step vector) along every coordinate, as columns."""
    step = STEPS[name]
    columns = [function(**{name: step * e}) - function(**{name: -step * e}) for e in np.eye(size)]
    return np.array(columns).T / (2 * step)


def casadi_jacobians(model, function, *arguments):
    """CasADi's Jacobians by the first three inputs, the one by q along velocity coordinates."""
    casadi = pytest.importorskip("casadi")
    from lissom.dynamics import symbolic

    inputs = function.sx_in()
    result = function(*inputs)
    jacobians = casadi.Function("J", inputs, [casadi.jacobian(result, x) for x in inputs[:3]])
    by_q, *others = (np.array(J) for J in jacobians(*arguments))
    rate = symbolic.configuration_rate(model)
    q, v = rate.sx_in()
    tangent = casadi.Function("N", [q], [casadi.jacobian(rate(q, v), v)])
    return by_q @ np.array(tangent(arguments[0])), *others


# by state and forces


def test_the_trees_hold_every_joint_type_stops_friction_and_both_transmissions():
    links = [link for name in CASES[1:] for link in case_of(name).robot.links]
    assert {(link.joint.type, link.flexible) for link in links} == set(itertools.product(JOINTS, (False, True)))
    gears = [link.joint.transmission for link in links if link.joint.transmission]
    assert {gear.stiffness is None for gear in gears} == {True, False}
    assert any(link.joint.limits for link in links)
    assert any(link.joint.friction for link in links)


def test_forward_derivatives_equal_casadi(case):
    from lissom.dynamics import symbolic

    value = lissom.derivatives(case.model, *case.state, case.tau, case.wrenches)
    function = symbolic.forward_dynamics(case.model, [*case.wrenches])
    wrench = next(iter(case.wrenches.values()))
    expected = casadi_jacobians(case.model, function, *case.state, case.tau, wrench)
    for a, b in zip(value[1:], expected, strict=True):
        assert_equal(a, b, 1e-9)


def test_inverse_derivatives_equal_casadi(case):
    from lissom.dynamics import symbolic

    value = inverse_derivatives(case.model, *case.state, case.a, case.wrenches)
    function = symbolic.inverse_dynamics(case.model, [*case.wrenches])
    wrench = next(iter(case.wrenches.values()))
    expected = casadi_jacobians(case.model, function, *case.state, case.a, wrench)
    for a, b in zip(value[1:], expected, strict=True):
        assert_equal(a, b, 1e-9)


def test_forward_derivatives_equal_differences(case):
    model, (q, v), tau = case.model, case.state, case.tau

    def accelerations(dq=0.0, dv=0.0, df=0.0):
        moved = integrate(model, q, dq + np.zeros(model.nv))
        return forward_dynamics(model, moved, v + dv, tau + df, case.wrenches)

    value = lissom.derivatives(model, q, v, tau, case.wrenches)
    assert_equal(value.a[:, None], accelerations()[:, None], 1e-11)
    for block, name in ((value.q, "dq"), (value.v, "dv"), (value.tau, "df")):
        assert_equal(block, differences(accelerations, name, model.nv), 1e-6)


def test_inverse_derivatives_equal_differences(case):
    model, (q, v), a = case.model, case.state, case.a

    def forces(dq=0.0, dv=0.0, da=0.0):
        moved = integrate(model, q, dq + np.zeros(model.nv))
        return inverse_dynamics(model, moved, v + dv, a + da, case.wrenches)

    value = inverse_derivatives(model, q, v, a, case.wrenches)
    assert_equal(value.tau[:, None], forces()[:, None], 1e-12)
    for block, name in ((value.q, "dq"), (value.v, "dv"), (value.a, "da")):
        assert_equal(block, differences(forces, name, model.nv), 1e-6)


def test_derivatives_by_force_are_the_inverse_of_the_mass_matrix(case):
    inverse = lissom.derivatives(case.model, *case.state, case.tau).tau
    product = inverse @ mass_matrix(case.model, case.q)
    assert np.abs(product - np.eye(case.model.nv)).max() < 1e-8


# with prescribed joints


@pytest.fixture(params=["ella", "groups/odd/first", "axes/even/first"])
def prescribed(request):
    """The same robots with one joint's motion given."""
    joint = {"ella": "shoulder", "groups/odd/first": "joint1", "axes/even/first": "joint0"}[request.param]
    base = case_of(request.param)
    return Case(base.robot, deflection=0.002 if request.param == "ella" else 0.02, prescribed=[joint])


def given_and_free(case):
    mask = case.model.arrays.velocities.prescribed == 1
    assert mask.any()
    return mask, ~mask


def test_prescribed_accelerations_are_kept_and_the_others_balance(prescribed):
    case = prescribed
    given, free = given_and_free(case)
    a = forward_dynamics(case.model, *case.state, case.tau, case.wrenches, case.a)
    assert np.array_equal(a[given], case.a[given])
    tau = inverse_dynamics(case.model, *case.state, a, case.wrenches)
    forces = np.abs(mass_matrix(case.model, case.q)) @ np.abs(a)
    assert np.abs((tau - case.tau)[free]).max() <= 1e-10 * forces.max()


def test_the_force_of_a_prescribed_joint_gives_the_same_motion_to_the_free_robot(prescribed):
    case = prescribed
    given, _ = given_and_free(case)
    a = forward_dynamics(case.model, *case.state, case.tau, case.wrenches, case.a)
    needed = inverse_dynamics(case.model, *case.state, a, case.wrenches)
    tau = np.where(given, needed, case.tau)
    again = forward_dynamics(case.robot.compile(), *case.state, tau, case.wrenches)
    M = mass_matrix(case.model, case.q)
    rounding = np.finfo(float).eps * np.abs(np.linalg.inv(M)) @ np.abs(M) @ np.abs(a)  # of solving with M (Skeel)
    claim((np.abs(again - a) / rounding).max(), 10.0, "rounding errors")


def test_derivatives_with_prescribed_joints_equal_differences(prescribed):
    case, model = prescribed, prescribed.model
    given, _ = given_and_free(case)

    def accelerations(dq=0.0, dv=0.0, df=0.0):
        moved = integrate(model, case.q, dq + np.zeros(model.nv))
        return forward_dynamics(model, moved, case.v + dv, case.tau + df, case.wrenches, case.a)

    value = lissom.derivatives(model, *case.state, case.tau, case.wrenches, case.a)
    assert_equal(value.a[:, None], accelerations()[:, None], 1e-11)
    for block, name in ((value.q, "dq"), (value.v, "dv"), (value.tau, "df")):
        assert not block[given].any()
        assert_equal(block, differences(accelerations, name, model.nv), 1e-6)
    assert not value.tau[:, given].any()


def test_derivatives_with_prescribed_joints_equal_casadi(prescribed):
    from lissom.dynamics import symbolic

    case, function = prescribed, symbolic.forward_dynamics(prescribed.model)
    expected = casadi_jacobians(case.model, function, *case.state, case.tau, case.a)
    value = lissom.derivatives(case.model, *case.state, case.tau, a=case.a)
    for a, b in zip(value[1:], expected, strict=True):
        assert_equal(a, b, 1e-9)
