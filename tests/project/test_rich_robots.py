"""Features beside each other: every use of an arm that mixes them works."""

import pickle
from functools import cache

import matplotlib
import numpy as np
import pytest
from rich_robots import RICH, rich_robot

matplotlib.use("Agg")

import lissom
from lissom.control import pd
from lissom.dynamics import symbolic

DURATION = 0.03


@cache
def moving(name):
    robot = rich_robot(name)
    return robot, lissom.simulate(robot, DURATION, progress=False)


def hinge(robot):
    """A joint that turns about one axis."""
    return next(link.joint.name for link in robot.links if link.joint.type == "revolute")


def loaded(robot):
    link = robot.links[-1].name
    push = lissom.Load(link=link, force=[0, 0, 5.0])
    carried = lissom.Payload(link=link, mass=0.2, pick=DURATION / 3, drop=2 * DURATION / 3)
    return lissom.simulate(robot, DURATION, loads=[push], payloads=[carried], progress=False)


USES = {
    "description": lambda robot, run: robot.describe(),
    "file": lambda robot, run: lissom.Robot.from_yaml(robot.to_yaml()) == robot or pytest.fail("differs"),
    "text": lambda robot, run: str(run) + repr(run) + str(robot),
    "pickle": lambda robot, run: pickle.loads(pickle.dumps((run.model, run)))[1].dataset,
    "modes": lambda robot, run: lissom.natural_modes(robot).frequencies,
    "equilibrium": lambda robot, run: lissom.static_equilibrium(robot, hold="joints").q,
    "linear model": lambda robot, run: lissom.linearise(robot).A,
    "response": lambda robot, run: lissom.frequency_response(
        robot, outputs=hinge(robot), inputs=hinge(robot), frequencies=[3.0]
    ),
    "derivatives": lambda robot, run: lissom.derivatives(run.model, run.q[-1], run.v[-1]).q,
    "wrenches": lambda robot, run: lissom.joint_wrenches(run.model, run.q[-1], run.v[-1], run.a[-1]),
    "sensitivity": lambda robot, run: str(lissom.sensitivity(robot, "gravity.2", DURATION)),
    "formulations": lambda robot, run: str(lissom.compare(robot, ["dual_screw"], duration=0.005)),
    "batch": lambda robot, run: lissom.simulate_batch(
        robot, {"gravity.2": [-9.81, -1.6]}, 0.01, cores=1, progress=False
    ),
    "symbols": lambda robot, run: symbolic.inverse_dynamics(robot),
    "explicit": lambda robot, run: lissom.simulate(robot, 0.005, method="dop853", progress=False).q,
    "control": lambda robot, run: (
        lissom.simulate(robot, 0.01, controller=pd(robot, {hinge(robot): {"p": 9.0, "d": 1.0}}, 0.0), progress=False).q
    ),
    "loads": lambda robot, run: loaded(robot).dataset,
}


@pytest.mark.parametrize("name", RICH)
def test_results_are_finite_and_balanced(name):
    _, run = moving(name)
    for quantity, values in run.dataset.data_vars.items():
        assert values.dtype.kind != "f" or np.all(np.isfinite(values)), quantity
    assert np.abs(run.dataset["energy_residual"]).max() < 1e-4 * (1 + np.abs(run.dataset["kinetic_energy"]).max())


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", RICH)
def test_every_use_works(name, use):
    made = USES[use](*moving(name))
    assert not isinstance(made, np.ndarray) or np.all(np.isfinite(made))


@pytest.mark.parametrize("name", RICH)
def test_files_and_reports(name, tmp_path):
    _, run = moving(name)
    run.save(tmp_path / "run.nc")
    np.testing.assert_array_equal(lissom.Trajectory.load(tmp_path / "run.nc").q, run.q)
    run.report(tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size > 10_000
