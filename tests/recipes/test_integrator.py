"""An integrator that comes from outside, by one record, works wherever the built-in ones do (`sdirk2.py`)."""

import re
import sys
from importlib import metadata
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from soft_arms import one_body, soft_arm
from typer.testing import CliRunner

import lissom
from lissom import plugins
from lissom.cli import app
from lissom.model import Robot
from lissom.simulation.integrators import register, registry

SPEC = spec_from_file_location("sdirk2", Path(__file__).with_name("sdirk2.py"))
SDIRK2 = module_from_spec(SPEC)
sys.modules["sdirk2"] = SDIRK2
SPEC.loader.exec_module(SDIRK2)
STEP = {"method": "sdirk2", "step": 1e-3}
CRANK = {
    "lissom": 1,
    "name": "crank",
    "links": [
        {"name": "crank", "joint": {"type": "revolute", "axis": [0, 1, 0]}, "body": {"mass": 1, "tip": [0.1, 0, 0]}},
        {
            "name": "rod",
            "origin": {"xyz": [0.1, 0, 0]},
            "joint": {"name": "pin", "type": "revolute", "axis": [0, 1, 0]},
            "body": {"mass": 1, "com": [0.2, 0, 0], "tip": [0.4, 0, 0]},
        },
        {"name": "slider", "parent": "world", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"mass": 1}},
    ],
    "loops": [
        {
            "name": "wrist",
            "joint": {"type": "revolute", "axis": [0, 1, 0]},
            "between": [{"link": "slider"}, {"link": "rod"}],
        },
    ],
}


@pytest.fixture(autouse=True)
def known():
    register(SDIRK2.SDIRK2)
    yield
    registry.unregister("sdirk2")


def errors(model, start, precise, steps):
    """Largest errors at the end of runs over 0.2 s with so many steps."""
    runs = [
        lissom.simulate(model, 0.2, start=start, method="sdirk2", step=0.2 / n, rtol=1e-11, atol=1e-12, rate=5)
        for n in steps
    ]
    return [np.abs(run.q[-1] - precise.q[-1]).max() for run in runs]


def moving_start(model):
    rng = np.random.default_rng(1)
    return model.neutral() + 0.02 * rng.standard_normal(model.nq), 0.5 * rng.standard_normal(model.nv)


def test_its_order_is_two_on_a_flexible_arm():
    model = soft_arm()
    start = moving_start(model)
    precise = lissom.simulate(model, 0.2, start=start, method="dop853", rtol=1e-12, atol=1e-13, rate=5)
    coarse, fine = errors(model, start, precise, (100, 200))
    assert abs(np.log2(coarse / fine) - 2) < 0.3


def test_its_order_is_two_where_a_body_tumbles():
    model = one_body("free")
    start = (model.neutral(), np.array([3.0, 1.0, -2.0, 0.5, 0, 0]))
    precise = lissom.simulate(model, 0.2, start=start, method="dop853", rtol=1e-12, atol=1e-13, rate=5)
    coarse, fine = errors(model, start, precise, (50, 100))
    assert abs(np.log2(coarse / fine) - 2) < 0.3


def test_results_are_those_of_the_default_method():
    run, other = (lissom.simulate("ella", 0.2, start={"elbow": 0.4}, **how) for how in (STEP, {"rtol": 1e-8}))
    assert run.info.method == "sdirk2"
    assert run.info.steps >= 200
    assert run.info.newton["matrix"]["recursive"]["steps"] == run.info.steps
    assert np.abs(run.q - other.q).max() < 2e-5
    force = np.abs(other.wrench("shoulder")).max()
    assert np.abs(run.wrench("shoulder")[-1] - other.wrench("shoulder")[-1]).max() < 1e-2 * force
    assert np.abs(run["energy_residual"]).max() < 1e-2 * np.abs(run["kinetic_energy"]).max()


def test_steps_beyond_the_explicit_limit_stay_stable():
    run = lissom.simulate("ella", 1.0, start={"elbow": 0.4}, method="sdirk2", step=5e-3)
    assert run.info.status == "finished"
    assert run.info.steps < 250
    assert np.abs(run.q).max() < 4.0


def test_loops_stay_closed():
    robot = Robot.from_dict(CRANK)
    run, other = (lissom.simulate(robot, 0.3, start={"crank": 0.7}, **how) for how in (STEP, {"rtol": 1e-8}))
    gaps = [np.abs(lissom.dynamics.loop_gaps(run.model, q)).max() for q in run.q]
    assert max(gaps) < 1e-12
    assert np.abs(run.q - other.q).max() < 1e-4


def test_it_rings_at_the_frequency_of_the_linear_model():
    spring = {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "spring": {"stiffness": 200.0}}
    robot = Robot.from_dict(
        {"lissom": 1, "name": "ringing", "links": [{"name": "body", "joint": spring, "body": {"mass": 2.0}}]}
    )
    omega = np.abs(np.linalg.eigvals(lissom.linearise(robot).A)).max()
    run = lissom.simulate(robot, 1.0, start={"slide": 0.1}, **STEP)
    assert np.abs(run.q[:, 0] - 0.1 * np.cos(omega * run.time)).max() < 1e-4


def test_a_batch_gives_what_single_runs_give():
    masses = [0.5, 1.0]
    path = "links.forearm.beam.masses.0.mass"
    data = lissom.simulate_batch("ella", {path: masses}, 0.05, outputs=["position.elbow"], cores=1, **STEP)
    for k, mass in enumerate(masses):
        one = lissom.simulate_batch("ella", [{path: mass}], 0.05, outputs=["position.elbow"], cores=1, **STEP)
        assert np.array_equal(data["position.elbow"][k], one["position.elbow"][0])
    assert np.ptp(data["position.elbow"].values[:, -1]) > 0


def test_the_command_line_takes_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["run", "ella", "--method", "sdirk2", "--step", "0.001", "--duration", "0.05", "--no-figures"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "sdirk2" in result.output


def test_what_it_does_not_do_is_refused_by_name():
    with pytest.raises(lissom.LissomError, match="sdirk2 takes fixed steps"):
        lissom.simulate("ella", 0.1, method="sdirk2")
    with pytest.raises(lissom.LissomError, match="sdirk2 follows all vibrations; take radau, or auto"):
        lissom.simulate("ella", 0.1, follow=100, **STEP)
    with pytest.raises(lissom.LissomError, match=r"'sdirk2'.*choose generalised-alpha or radau"):
        lissom.sensitivity("ella", "links.upper.beam.length", 0.1, **STEP)


def test_a_name_that_is_unknown_is_told_what_there_is():
    with pytest.raises(lissom.LissomError, match=re.escape("(did you mean 'sdirk2'?)")):
        lissom.simulate("ella", 0.1, method="sdirk3")
    with pytest.raises(lissom.LissomError, match=r"there are .*radau.* and sdirk2"):
        registry.integrator("none")


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(lissom.LissomError, match="name of another integrator"):
        registry.register(registry.Integrator("radau", "mine", "1", SDIRK2.prepare))
    assert registry.integrator("radau").order == "5"


def test_an_installed_package_registers_its_own_when_its_name_is_asked_for(monkeypatch):
    registry.unregister("sdirk2")
    point = SimpleNamespace(load=lambda: lambda: registry.register(SDIRK2.SDIRK2))
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point] if group == plugins.GROUP else [])
    plugins.load_plugins.cache_clear()
    assert "radau" in registry.METHODS
    assert "sdirk2" not in registry.names()
    assert lissom.simulate("ella", 0.01, **STEP).info.method == "sdirk2"
    plugins.load_plugins.cache_clear()
