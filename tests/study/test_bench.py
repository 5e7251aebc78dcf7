"""Runs of a batch in the memory of the run before: each is the same as alone, whatever came before it."""

import numpy as np
import pytest

import lissom
from lissom.control.schema.controller_builder import needs_model
from lissom.scenario.prepare import prepare
from lissom.simulation.postprocess import Wanted, observe_run
from lissom.simulation.stepping.time_loop import simulate_raw
from lissom.study.execution.run_reuse import RunReuse

MASS = "links.forearm.beam.masses.0.mass"
FEW = {"y": 2, "z": 2, "torsion": 1, "axial": 0}


@pytest.fixture(scope="module")
def ella():
    scenario = lissom.scenario.load("ella").with_values([("duration", 0.3), ("output.rate", 100)])
    return scenario.with_values([(f"links.{link}.beam.modes", FEW) for link in ("upper", "forearm")])


def test_runs_that_differ_in_numbers_share_all_but_the_model(ella):
    before = prepare(ella)
    after = prepare(ella.with_value(MASS, 1.0), before)
    assert after.controller is before.controller
    assert after.start is before.start
    assert after.model is not before.model
    assert after.model.arrays.joints is before.model.arrays.joints
    for path, value in (("start.elbow", 0.1), ("control.gains.elbow.p", 100.0), ("duration", 0.2)):
        other = prepare(ella.with_value(path, value), before)
        assert other.start is not before.start
        assert other.model is before.model  # of the same robot


@pytest.mark.parametrize("audit", [True, False])
def test_a_series_of_runs_equals_runs_alone(ella, audit):
    """Numbers of the robot, gains and starts; a run that is refused and one that fails on the way."""
    bench = RunReuse(audit)
    rows = [
        [(MASS, 0.7)],
        [(MASS, 2.9), ("links.upper.beam.section.EIz", 2000.0)],
        [("start.elbow.rate", 2e6)],  # diverges
        [(MASS, 0.7), ("links.upper.beam.length", 1.1)],
        [("start.elbow", 0.2), ("control.gains.elbow.p", 500.0)],
        [("control.gains.elbow.p", 700.0), ("control.saturation", 20.0)],
        [("control.reference.duration", 0.2), (MASS, 0.9)],
        [("control.reference.duration", 0.1)],
        [("control.gravity_compensation", True)],
        [("control", None), (MASS, 1.0)],
        [("sensors", [{"type": "encoder", "joint": "elbow", "rate": 100}])],
        [("loads", [{"link": "forearm", "force": [0, 0, -20]}])],
        [("payloads", [{"link": "forearm", "mass": 1.0, "pick": 0.1}])],
        [("method", "dopri5"), ("duration", 0.05)],
        [("method", "rk4"), ("step", 1e-4), ("duration", 0.02)],
        [(MASS, 1.1)],
        [("links.upper.beam.modes", FEW | {"y": 3})],
        [(MASS, 1.2)],
        [(MASS, 1.3), ("duration", 1e-3)],  # so short that an explicit method is chosen
        [(MASS, 1.4), ("duration", 1e-3)],
    ]
    for changes in rows:
        scenario = ella.with_values(changes)
        raw, start = bench.run(scenario)
        prepared = prepare(scenario)
        settings = prepared.settings.model_copy(update={"audit": audit})
        expected = simulate_raw(prepared.model, settings, **prepared.drive)
        for name in ("status", "message", "method", "reason", "steps", "rejected", "evaluations", "newton", "warnings"):
            assert getattr(raw, name) == getattr(expected, name), (name, changes)
        for name in ("time", "q", "v", "a", "tau", "work", "dissipated"):
            np.testing.assert_array_equal(getattr(raw, name), getattr(expected, name), err_msg=f"{name} {changes}")
        np.testing.assert_array_equal(start, prepared.start[0])
        seen, looked = bench.observe(raw, Wanted.FORCES), observe_run(expected)
        for name, values in looked._asdict().items():
            np.testing.assert_array_equal(getattr(seen, name), values, err_msg=f"{name} {changes}")
    endings = {"finished", "diverged"}
    assert endings <= {bench.run(ella.with_values(changes))[0].status for changes in rows}


def test_a_method_that_another_takes_over_from_leaves_no_trace():
    """radau gives way to dop853 where it follows every vibration."""
    wheel = {"name": "wheel", "body": {"mass": 1.0, "inertia": [0.6, 0.6, 1.0]}}
    wheel["joint"] = {"name": "pin", "type": "revolute", "axis": [0, 0, 1], "spring": {"stiffness": 4e4}}
    robot = {"lissom": 1, "name": "wheel", "links": [wheel]}
    settings = {"duration": 8.0, "rtol": 1e-9, "atol": 1e-9, "output": {"rate": 20}}
    scenario = lissom.scenario.Scenario.from_dict({"robot": robot, "start": {"pin": 0.1}} | settings)
    bench = RunReuse(audit=False)
    for stiffness in (4e4, 3e4, 5e4):
        one = scenario.with_value("links.wheel.joint.spring.stiffness", stiffness)
        raw, _ = bench.run(one)
        prepared = prepare(one)
        expected = simulate_raw(prepared.model, prepared.settings.model_copy(update={"audit": False}), **prepared.drive)
        assert raw.method == "dop853"
        assert "took over" in raw.reason
        np.testing.assert_array_equal(raw.q, expected.q)
        assert (raw.steps, raw.reason) == (expected.steps, expected.reason)


@pytest.mark.parametrize(
    ("control", "asks"),
    [
        (None, False),
        ({"type": "pd", "gains": {"elbow": {"p": 1, "d": 1}}}, False),
        ({"type": "pd", "gains": {"elbow": {"p": 1, "d": 1}}, "gravity_compensation": True}, True),
        ({"type": "pd", "gains": {"elbow": {"p": 1, "d": 1}}, "shaper": {"type": "zv"}}, True),
        ({"type": "pd", "gains": {"elbow": {"p": 1, "d": 1}}, "shaper": {"type": "zv", "frequency": 3.0}}, False),
        ({"type": "computed-torque", "gains": {"elbow": {"p": 1, "d": 1}}}, True),
        ([{"type": "torque", "torques": {"elbow": 1}}, {"type": "none"}], False),
    ],
)
def test_controllers_that_ask_for_masses_are_made_for_every_run(ella, control, asks):
    scenario = ella.with_value("control", control)
    assert needs_model(scenario.control) == asks
    before = prepare(scenario)
    after = prepare(scenario.with_value(MASS, 1.0), before)
    assert (after.start is before.start) == (not asks)


def test_a_robot_held_by_weight_starts_where_its_own_weight_bends_it(ella):
    scenario = ella.with_value("start", "equilibrium")
    before = prepare(scenario)
    after = prepare(scenario.with_value(MASS, 3.0), before)
    assert np.abs(after.start[0] - before.start[0]).max() > 1e-4


@pytest.mark.parametrize("name", ["two-link-rig", "five-bar", "satellite-two-arm"])
def test_batches_of_other_robots_equal_single_runs(name):
    robot = lissom.load(name)
    link = robot.links[-1]
    path = f"links.{link.name}.beam.length" if link.beam else f"links.{link.name}.body.mass"
    values = [robot.value(path) * factor for factor in (1.0, 1.02, 0.98)]
    data = lissom.simulate_batch(robot, {path: values}, 0.05, outputs=["position", "tip_position"], cores=1)
    for k, value in enumerate(values):
        single = lissom.simulate(robot.with_value(path, value), 0.05, progress=False).dataset
        for quantity in ("position", "tip_position"):
            np.testing.assert_array_equal(data[quantity][k], single[quantity])
