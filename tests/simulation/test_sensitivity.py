"""Exact sensitivities along a motion equal differences of whole simulations."""

import numpy as np
import pytest

import lissom
from lissom.control import Reference, computed_torque, pd, torques

STIFFNESS, INERTIA, BENDING = PATHS = (
    "links.rod.joint.transmission.stiffness",
    "links.rod.joint.transmission.rotor_inertia",
    "links.rod.beam.section.EIz",
)
DURATION = 0.3
pytestmark = pytest.mark.filterwarnings("ignore:rod. its tip is deflected")  # a soft rod, so that all terms matter


def robot():
    section = {"rhoA": 1.0, "EA": 1e5, "EIy": 5.0, "EIz": 5.0, "GJ": 4.0}
    beam = {"length": 1.0, "section": section, "modes": {"y": 1}, "damping": 0.05}
    gear = {"stiffness": 30.0, "rotor_inertia": 0.02, "gear": 2.0, "damping": 0.2}
    joint = {"name": "hinge", "type": "revolute", "axis": [0, 0, 1], "transmission": gear}
    links = [{"name": "rod", "joint": joint, "beam": beam}]
    return lissom.Robot.from_dict({"lissom": 1, "name": "rod", "gravity": [0, -9.81, 0], "links": links})


def by_differences(path, what, controller=None):
    value = robot().value(path)
    ends = []
    for sign in (-1, 1):
        other = robot().with_value(path, value * (1 + sign * 1e-3))
        ends.append(what(lissom.simulate(other, DURATION, controller=controller, rtol=1e-11, atol=1e-13)))
    return (ends[1] - ends[0]) / (2e-3 * value)


def test_tip_follows_stiffness_inertia_and_section_as_differences_say():
    exact = lissom.sensitivity(robot(), PATHS, DURATION, rate=400, rtol=1e-10)
    assert exact.output.shape == (3, len(exact.time), 3) and exact.values.tolist() == [30.0, 0.02, 5.0]
    for path, row in zip(PATHS, exact.output):
        expected = by_differences(path, lambda run: run.tip().values[-1])
        assert np.abs(row[-1] - expected).max() < 2e-5 * np.abs(expected).max(), path
    assert np.all(exact.output[:, 0] == 0)  # the start is given
    assert np.allclose(exact.relative()[1], 0.02 * exact.output[1])


def test_any_coordinate_or_function_of_the_state_can_be_derived():
    angle = lissom.sensitivity(robot(), INERTIA, DURATION, output="hinge", rate=400, rtol=1e-10)
    expected = by_differences(INERTIA, lambda run: run["hinge"].values[-1])
    assert abs(angle.output[0, -1] - expected) < 2e-5 * abs(expected)

    def strain(model, q, v):
        return lissom.energy(model, q, v).strain

    energy = lissom.sensitivity(robot(), BENDING, DURATION, output=strain, rate=400, rtol=1e-10)
    expected = by_differences(BENDING, lambda run: run["strain_energy"].values[-1])
    assert abs(energy.output[0, -1] - expected) < 1e-4 * abs(expected)


GAINS = {"hinge": {"p": 20.0, "d": 1.5}}
STEPS = Reference.steps([(0.0, 0.0), (0.1037, 0.4)])  # between two outputs
LAWS = {
    "pd": lambda model: pd(model, GAINS, Reference.quintic(0.0, 0.5, 0.2), gravity_compensation=True),
    "pd on the motor's side, with a step": lambda model: pd(model, GAINS, STEPS, side="motor"),
    "pd within limits": lambda model: pd(model, GAINS, 0.5, saturation=6.0),
    "computed torque": lambda model: computed_torque(model, {"hinge": {"p": 100.0, "d": 20.0}}, STEPS),
    "torques": lambda model: torques(model, {"hinge": Reference.quintic(0.0, 8.0, 0.2)}),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_controlled_motion_follows_its_parameters_as_differences_say(name):
    law = LAWS[name](robot().compile())
    exact = lissom.sensitivity(robot(), (STIFFNESS, BENDING), DURATION, controller=law, rate=400, rtol=1e-10)
    for path, row in zip((STIFFNESS, BENDING), exact.output):
        expected = by_differences(path, lambda run: run.tip().values[-1], law)
        allowed = 1e-2 if "limits" in name else 5e-5  # where limits are reached, right to about an output interval
        assert np.abs(row[-1] - expected).max() < allowed * np.abs(expected).max(), path


def test_a_sampled_controller_is_refused():
    with pytest.raises(lissom.LissomError, match="need a continuous law, not a function; give one"):
        lissom.sensitivity(robot(), INERTIA, 0.1, controller=lambda t, q, v: [0.0, 0.0])


def test_wrong_names_are_refused():
    with pytest.raises(lissom.LissomError, match="'elbow' is not a coordinate; there are hinge"):
        lissom.sensitivity(robot(), INERTIA, 0.1, output="elbow")
    with pytest.raises(lissom.LissomError, match="is not a number"):
        lissom.sensitivity(robot(), "links.rod.name", 0.1)
