"""Steps that are too small to get anywhere, and too coarse to be believed."""

import warnings

import pytest

import lissom
from lissom.simulation import SimulationWarning
from lissom.simulation.settings import RunSettings

PENDULUM = {
    "lissom": 1,
    "name": "pendulum",
    "gravity": [0, 0, -9.81],
    "links": [
        {
            "name": "rod",
            "joint": {"type": "revolute", "axis": [0, 1, 0]},
            "body": {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]},
        }
    ],
}


@pytest.mark.parametrize("step", [1e-25, 1e-17, 1e-12])
def test_a_step_that_never_reaches_the_end_is_refused(step):
    with pytest.raises(lissom.LissomError, match=r"step.*too small.*steps"):
        lissom.simulate(lissom.Robot.from_dict(PENDULUM), 1.0, method="rk4", step=step)


def test_the_least_step_grows_with_the_duration():
    RunSettings.of(1.0, method="rk4", step=1e-9)
    with pytest.raises(lissom.LissomError, match="too small"):
        RunSettings.of(1e5, method="rk4", step=1e-9)


@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_coarse_fixed_steps_are_warned_of_in_every_result(method, tmp_path):
    step = {"euler": 0.02, "rk4": 0.35}[method]
    robot = lissom.Robot.from_dict(PENDULUM)
    with pytest.warns(SimulationWarning, match="the energy does not add up"):
        run = lissom.simulate(robot, 5.0, method=method, step=step)
    assert run.info.status == "finished"
    event = next(event for event in run.warnings if event.kind == "energy")
    assert event.value == pytest.approx(run.energy_audit().relative) and event.value > 0.01
    assert f"{step:g} s" in event.text
    assert event in run.summary().events and "does not add up" in str(run.summary())
    run.save(tmp_path / "run.nc")
    assert event in lissom.Trajectory.load(tmp_path / "run.nc").warnings


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 1e-3}, {"method": "radau"}])
def test_fine_steps_are_not(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = lissom.simulate(lissom.Robot.from_dict(PENDULUM), 2.0, **options)
    assert run.energy_audit().relative < 1e-4


def test_rest_is_not_doubted():
    """Nothing moves: whatever is left over is rounding, however large beside nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lissom.simulate(lissom.Robot.from_dict(PENDULUM | {"gravity": [0, 0, 0]}), 1.0, method="rk4", step=0.1)
