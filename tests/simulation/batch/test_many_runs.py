"""Runs one after the other: the same numbers from memory used again, results when asked for, warnings once."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.io import loadmat
from soft_arms import soft_arm

import lissom
from lissom.simulation import SimulationWarning
from lissom.simulation.status.run_warnings import EndedEarly

ELLA = lissom.load("ella").compile()
START = {"elbow": 0.4}


@pytest.fixture(scope="module")
def run():
    return lissom.simulate(ELLA, 0.1, start=START)


def test_a_second_run_repeats_the_first_to_the_bit(run):
    other = lissom.simulate(ELLA, 0.05, start={"elbow": -1.0}, rate=50)
    lissom.simulate(ELLA, 0.02, start={"elbow": -1.0}, follow=50.0)
    lissom.sensitivity(ELLA, "start.elbow", 0.02, start={"elbow": -1.0})
    again = lissom.simulate(ELLA, 0.1, start=START)
    fresh = lissom.simulate(lissom.load("ella").compile(), 0.1, start=START)
    assert other.info.method == again.info.method == "radau"
    assert again.info.newton == fresh.info.newton == run.info.newton
    for name in ("time", "q", "v", "a"):
        assert np.array_equal(getattr(run, name), getattr(again, name))
        assert np.array_equal(getattr(run, name), getattr(fresh, name))


def test_a_controller_may_simulate_the_same_model():
    def plain(t, q, v):
        return {"elbow": 0.1}

    def looks_ahead(t, q, v):
        lissom.simulate(ELLA, 0.01, start=(q, v))
        return {"elbow": 0.1}

    sampled = [lissom.control.Sampled(function, rate=100) for function in (plain, looks_ahead)]
    one, other = (lissom.simulate(ELLA, 0.03, controller=controller, start=START) for controller in sampled)
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(one.v, other.v)


def test_results_are_made_when_asked_for(run):
    fresh = lissom.simulate(ELLA, 0.02, start=START)
    assert "dataset" not in vars(fresh)
    assert "samples" in repr(fresh)
    assert "dataset" not in vars(fresh)
    assert fresh.wrench("elbow").shape == (5, 6)
    assert np.array_equal(fresh.dataset["time"].values, fresh.time)
    assert np.array_equal(fresh["elbow"].values, fresh.q[:, ELLA.joint("elbow").joint_q.start])


def test_models_and_trajectories_can_be_pickled(run):
    model = pickle.loads(pickle.dumps(ELLA))
    state = ELLA.neutral(), np.full(ELLA.nv, 0.1)
    assert np.array_equal(lissom.forward_dynamics(model, *state), lissom.forward_dynamics(ELLA, *state))
    law = lissom.control.torques(ELLA, {"elbow": 0.1})
    for source in (run, lissom.simulate(ELLA, 0.02, controller=law)):
        copy = pickle.loads(pickle.dumps(source))
        assert copy.info == source.info
        assert copy.dataset.identical(source.dataset)
        assert np.array_equal(copy.q, source.q)
        assert np.array_equal(copy.a, source.a)


def test_arrays_for_matlab(run, tmp_path):
    run.to_mat(tmp_path / "run.mat")
    found = loadmat(tmp_path / "run.mat", simplify_cells=True)
    assert np.array_equal(found["time"], run.time)
    assert np.array_equal(found["wrench"], run.dataset["wrench"].values)
    assert list(found["labels"]["joint"]) == list(ELLA.joints)
    assert found["robot"] == "ella"
    assert found["units"]["kinetic_energy"] == "J"


@pytest.fixture
def limited():
    """Runs of an arm whose elbow is pushed to its limit, by torques that differ."""
    model = soft_arm(limit=0.3)
    return lambda torque: lissom.simulate(model, 0.5, controller=lissom.control.torques(model, {"elbow": torque}))


def test_a_loop_of_runs_warns_once_of_each_kind(limited):
    with warnings.catch_warnings(record=True) as told:
        warnings.resetwarnings()
        runs = [limited(torque) for torque in (4.0, 5.0, 6.0)]
    assert all(run.warnings for run in runs)
    kinds = {(event.link_or_joint, event.kind) for run in runs for event in run.warnings}
    assert len([w for w in told if w.category is SimulationWarning]) == len(kinds)


def test_whoever_asks_for_all_warnings_gets_them(limited):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        runs = [limited(torque) for torque in (4.0, 5.0)]
    assert len([w for w in told if w.category is SimulationWarning]) == sum(len(run.warnings) for run in runs)


RACER = """
lissom: 1
name: arm
gravity: [0, 0, 0]
links:
  - name: a
    joint: {name: j, type: revolute, axis: [0, 0, 1]}
    body: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
"""


def test_robots_of_one_name_are_told_apart_and_an_early_end_is_told_every_time():
    robots = [lissom.Robot.from_yaml(RACER) for _ in range(2)]
    with warnings.catch_warnings(record=True) as told:
        warnings.resetwarnings()  # as outside of tests: a line tells the same text once
        for robot in robots * 2:
            run = lissom.simulate(robot, 1.0, controller=lambda t, q, v: [1e4 * v[0] + 1])
            assert run.info.status == "diverged"
    assert [w.category for w in told].count(EndedEarly) == 4
    assert [w.category for w in told].count(SimulationWarning) == 2
    assert {w.filename for w in told} == {__file__}
