"""Derivatives by the complex step equal CasADi's and central differences: by state, force and parameter."""

import itertools
from functools import cache

import numpy as np
import pytest
from claims import claim
from random_robots import JOINTS, random_robot, random_state

import lissom
from lissom.dynamics import (
    energy,
    forward_dynamics,
    integrate,
    inverse_derivatives,
    inverse_dynamics,
    mass_matrix,
    parameter_derivatives,
)
from lissom.errors import LissomError

TREES = {
    "groups": ("free", "spherical", "universal", "revolute"),
    "axes": ("cylindrical", "planar", "prismatic", "fixed", "revolute"),
}
VARIANTS = list(itertools.product(TREES, ("odd", "even"), ("none", "first")))  # which links bend, stiffening
CASES = ["ella", *map("/".join, VARIANTS), "groups/odd/exact", "axes/odd/exact"]


class Case:
    """A robot at a random state, under random forces and a wrench on its last link."""

    def __init__(self, robot, seed=7, deflection=0.02, **options):
        rng = np.random.default_rng(seed)
        self.robot, self.model = robot, robot.compile(**options)
        self.q, self.v = random_state(robot, rng, deflection)
        self.tau, self.a = rng.normal(size=(2, self.model.nv))
        self.wrenches = {self.model.links[-1]: rng.normal(size=6)}

    @property
    def state(self):
        return self.q, self.v


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


# by physical parameters


ARM = {
    "lissom": 1,
    "name": "arm",
    "gravity": [0.5, -1.0, -9.81],
    "materials": {"plastic": {"E": 2.0e9, "nu": 0.35, "rho": 1200.0}},
    "links": [
        {
            "name": "upper",
            "origin": {"rpy": [0.4, 0.5, 0.6]},
            "joint": {
                "name": "shoulder",
                "type": "revolute",
                "axis": [0, 0, 1],
                "damping": 0.3,
                "friction": {"coulomb": 0.5, "velocity": 0.2, "viscous": 0.1},
                "spring": {"stiffness": 3.0, "rest": 0.1},
                "limits": {"lower": -0.3, "upper": 0.2, "stiffness": 10, "damping": 1, "width": 0.1},
                "transmission": {"stiffness": 150.0, "rotor_inertia": 0.004, "gear": 5.0, "damping": 0.2},
            },
            "beam": {
                "length": 1.1,
                "material": "plastic",
                "section": {"shape": "rectangle", "width": 0.04, "height": 0.03},
                "shear": "none",
                "modes": {"y": 2, "z": 2, "torsion": 1, "axial": 1},
                "damping": 0.02,
                "masses": [
                    {"mass": 0.4, "at": 0.7, "com": [0.0, 0.02, 0.01], "inertia": [0.002, 0.003, 0.004]}
                ],
            },
        },
        {
            "name": "fore",
            "joint": {
                "name": "elbow",
                "type": "universal",
                "axes": [[0, 1, 0], [0, 0, 1]],
                "damping": [0.1, 0.2],
            },
            "beam": {
                "length": 0.9,
                "material": "plastic",
                "section": {"shape": "tube", "outer": 0.03, "thickness": 0.003},
                "shear": "none",
                "modes": {"y": 2, "z": 1, "torsion": 1},
                "damping": {"stiffness": 1e-3, "mass": 0.1},
            },
        },
        {
            "name": "payload",
            "joint": "fixed",
            "body": {"mass": 0.8, "com": [0.05, 0.01, 0.02], "inertia": [0.004, 0.005, 0.006]},
        },
        {
            "name": "camera",
            "parent": "upper",
            "at": 0.5,
            "origin": {"xyz": [0.1, 0.2, 0.3], "rpy": [0.4, 0.5, 0.6]},
            "joint": {"name": "pan", "type": "prismatic", "axis": [0, 0, 1],
                      "transmission": {"rotor_inertia": 0.01, "gear": 3.0}},
            "body": {"mass": 0.2},
        },
    ],
}  # fmt: skip

PARAMETERS = [
    "gravity.0",
    "gravity.2",
    "materials.plastic.E",
    "materials.plastic.nu",
    "materials.plastic.rho",
    "links.upper.origin.rpy.1",
    "links.upper.joint.damping",
    "links.upper.joint.friction.coulomb",
    "links.upper.joint.friction.velocity",
    "links.upper.joint.spring.rest",
    "links.upper.joint.limits.upper",
    "links.upper.joint.limits.width",
    "links.upper.joint.transmission.stiffness",
    "links.upper.joint.transmission.rotor_inertia",
    "links.upper.joint.transmission.gear",
    "links.upper.joint.transmission.damping",
    "links.upper.beam.length",
    "links.upper.beam.section.width",
    "links.upper.beam.section.height",
    "links.upper.beam.damping",
    "links.upper.beam.masses.0.mass",
    "links.upper.beam.masses.0.at",
    "links.upper.beam.masses.0.com.1",
    "links.upper.beam.masses.0.inertia.0.0",
    "links.fore.joint.damping.1",
    "links.fore.beam.length",
    "links.fore.beam.section.outer",
    "links.fore.beam.section.thickness",
    "links.fore.beam.damping.stiffness",
    "links.fore.beam.damping.mass",
    "links.payload.body.mass",
    "links.payload.body.com.0",
    "links.payload.body.inertia.1.2",
    "links.camera.at",
    "links.camera.origin.xyz.0",
    "links.camera.joint.transmission.gear",
]


@cache
def arm():
    return Case(lissom.Robot.from_dict(ARM), deflection=0.01)


def moved_arms(path, step):
    """The arm with the parameter moved up and down, compiled, and how far apart they are."""
    value = arm().robot.value(path)
    h = step * max(abs(value), 1e-2)
    return [arm().robot.with_value(path, value + h).compile() for h in (h, -h)], 2 * h


def assert_derivative_by(path, function, *state):
    value = parameter_derivatives(arm().robot, [path], *state, function=function)[0]
    (above, below), width = moved_arms(path, 1e-5)
    high, low = (np.asarray(function(model, *state)) for model in (above, below))
    noise = 1e-13 * np.abs(high).max() / width
    assert value.shape == high.shape
    assert np.abs(value - (high - low) / width).max() <= 1e-6 * np.abs(value).max() + noise


@pytest.mark.parametrize("path", PARAMETERS)
def test_forward_dynamics_by_parameter(path):
    assert_derivative_by(path, forward_dynamics, *arm().state, arm().tau)


@pytest.mark.parametrize("path", PARAMETERS)
def test_inverse_dynamics_by_parameter(path):
    assert_derivative_by(path, inverse_dynamics, *arm().state, arm().a)


@pytest.mark.parametrize("path", PARAMETERS)
def test_mass_matrix_by_parameter(path):
    assert_derivative_by(path, mass_matrix, arm().q)


@pytest.mark.parametrize("path", PARAMETERS)
def test_energy_by_parameter(path):
    assert_derivative_by(path, energy, *arm().state)


def test_every_parameter_matters_to_the_forces():
    rows = parameter_derivatives(arm().robot, PARAMETERS, *arm().state, arm().a, function=inverse_dynamics)
    assert rows.shape == (len(PARAMETERS), arm().model.nv)
    assert np.all(np.abs(rows).max(axis=1) > 0)


def test_parameters_that_are_zero_have_derivatives_too():
    """A damping of zero cannot be moved down; its force is linear, so one step up gives the derivative."""
    plain = {**ARM, "links": [dict(link) for link in ARM["links"]]}
    plain["links"][1] = {**plain["links"][1], "joint": {**plain["links"][1]["joint"], "damping": 0}}
    robot = lissom.Robot.from_dict(plain)
    path = "links.fore.joint.damping"
    state = *arm().state, arm().a
    value = parameter_derivatives(robot, [path], *state, function=inverse_dynamics)[0]
    damped = robot.with_value(path, 1.0).compile()
    expected = inverse_dynamics(damped, *state) - inverse_dynamics(robot.compile(), *state)
    assert value == pytest.approx(expected, abs=1e-10)
    assert np.abs(value).max() > 0.1


def test_parameter_derivatives_with_prescribed_joints():
    case, path = arm(), "links.payload.body.mass"
    prescribed = ["shoulder", "pan"]
    value = parameter_derivatives(case.robot, [path], *case.state, case.tau, prescribed=prescribed)[0]
    mass, h = case.robot.value(path), 1e-5
    models = [case.robot.with_value(path, mass + s * h).compile(prescribed=prescribed) for s in (1, -1)]
    high, low = (forward_dynamics(model, *case.state, case.tau) for model in models)
    assert value == pytest.approx((high - low) / (2 * h), abs=1e-6 * np.abs(value).max())
    assert value[models[0].body("shoulder").joint_v] == 0.0


def test_any_function_of_a_model_can_be_differentiated():
    """The tip of a straight beam moves along x with the beam's length."""
    robot = lissom.load("spinup-beam")
    (link,) = robot.links
    q = np.zeros(robot.nq)
    path = f"links.{link.name}.beam.length"
    tip = parameter_derivatives(robot, [path], q, function=lissom.tip_pose)[0]
    assert tip[:3, 3] == pytest.approx([1, 0, 0], abs=1e-12)


# refusals


def test_a_parameter_that_is_no_number_is_refused():
    for path in ("materials.plastic.G", "gravity", "links.upper.name"):
        with pytest.raises(LissomError, match="not a number"):
            parameter_derivatives(arm().robot, [path], *arm().state, arm().tau)


def test_derivatives_of_a_complex_model_or_state_are_refused():
    case = arm()
    for derive in (lissom.derivatives, inverse_derivatives):
        with pytest.raises(LissomError, match="real"):
            derive(case.model, case.q + 0j, case.v, case.tau)
        with pytest.raises(LissomError, match="real"):
            derive(case.robot.with_value("gravity.0", 1e-40j).compile(), *case.state, case.tau)
