"""`payload:` of a link is a body fixed to its tip, and changes as one number in robots, scenarios and studies."""

import copy

import numpy as np
import pytest
from random_robots import random_state

import lissom
from lissom.scenario import Scenario

BODY = {"mass": 2.5, "com": [0.1, 0.02, -0.03], "inertia": [0.02, 0.03, 0.04]}
BAR = {"length": 0.8, "material": "steel", "section": {"shape": "tube", "outer": 0.05, "thickness": 0.004}}
HINGE = {"type": "revolute", "axis": [0, 1, 0]}
ARM = {
    "lissom": 1,
    "name": "arm",
    "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}},
    "links": [
        {"name": "upper", "joint": HINGE, "beam": BAR | {"modes": {"y": 2, "z": 2, "torsion": 1}}},
        {"name": "fore", "joint": HINGE, "body": {"mass": 3.0, "com": [0.2, 0, 0], "tip": [0.4, 0, 0.05]}},
    ],
}
FIXED = {"name": "load", "joint": "fixed", "body": BODY}


def with_payload(link, **fields):
    data = copy.deepcopy(ARM)
    data["links"][link]["payload"] = BODY | fields
    return lissom.Robot.from_dict(data)


@pytest.mark.parametrize(("link", "place"), [(0, {}), (1, {"origin": {"xyz": [0.4, 0, 0.05]}})])
def test_a_payload_is_a_body_fixed_to_the_tip(link, place):
    data = copy.deepcopy(ARM)
    data["links"].append(FIXED | place | {"parent": ("upper", "fore")[link]})
    joined, carrying = lissom.Robot.from_dict(data).compile(), with_payload(link).compile()
    q, v = random_state(with_payload(link), np.random.default_rng(3), 0.02)
    for function in (lissom.inverse_dynamics, lissom.forward_dynamics):
        np.testing.assert_allclose(function(carrying, q, v, v), function(joined, q, v, v), rtol=1e-12)


def test_a_payload_changes_by_its_path():
    heavier = with_payload(1).with_value("links.fore.payload.mass", 4.0)
    q, _ = random_state(heavier, np.random.default_rng(4), 0.02)
    expected = lissom.mass_matrix(with_payload(1, mass=4.0), q)
    np.testing.assert_array_equal(lissom.mass_matrix(heavier, q), expected)
    assert np.max(np.abs(expected - lissom.mass_matrix(with_payload(1), q))) > 0.1


def test_a_scenario_and_a_batch_change_the_payload():
    scenario = Scenario(robot=with_payload(1), duration=0.05)
    path, masses = "links.fore.payload.mass", [1.0, 4.0]
    batch = lissom.simulate_batch(scenario, {path: masses}, outputs=["position.fore"], cores=1, progress=False)
    angles = batch["position.fore"].values
    for mass, angle in zip(masses, angles, strict=True):
        alone = scenario.with_value(path, mass).run(progress=False)
        np.testing.assert_array_equal(angle, alone.q[:, alone.model.link("fore").joint_q][:, 0])
    assert np.max(np.abs(angles[0] - angles[1])) > 1e-5


def test_the_payload_is_the_end_effector_of_the_link_that_carries_it():
    """So that a run does not tell of one place twice."""
    assert with_payload(1).compile().ends == ("fore-payload",)
    run = lissom.simulate(with_payload(1), 0.01, progress=False)
    assert [row.tip_of for row in run.summary().settling if row.tip_of] == ["fore-payload"]
