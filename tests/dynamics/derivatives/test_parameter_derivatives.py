"""Derivatives by numbers of a robot file, by the complex step, equal central differences."""

from functools import cache

import numpy as np
import pytest
from random_robots import Case

import lissom
from lissom.dynamics import (
    energy,
    forward_dynamics,
    inverse_derivatives,
    inverse_dynamics,
    mass_matrix,
    parameter_derivatives,
)
from lissom.errors import LissomError

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
    assert value[models[0].joint("shoulder").rotor_v] == 0.0  # its gear is elastic: the motor follows the motion


def test_any_function_of_a_model_can_be_differentiated():
    """The tip of a straight beam moves along x with the beam's length."""
    robot = lissom.load("spinup-beam")
    (link,) = robot.links
    q = np.zeros(robot.nq)
    path = f"links.{link.name}.beam.length"
    tip = parameter_derivatives(robot, [path], q, function=lissom.tip_pose)[0]
    assert tip[:3, 3] == pytest.approx([1, 0, 0], abs=1e-12)


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
