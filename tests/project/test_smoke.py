"""A little of everything, on every platform: `pytest -m smoke tests/project`."""

import subprocess
import sys

import numpy as np
import pytest

import lissom

pytestmark = pytest.mark.smoke
ELLA = "ella"


def command(*arguments, folder):
    """What a command of lissom prints, in a process of its own."""
    call = [sys.executable, "-m", "lissom", *arguments]
    done = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_forward_and_inverse_dynamics_agree():
    model = lissom.load(ELLA).compile()
    v, a = 0.1 * np.random.default_rng(1).normal(size=(2, model.nv))
    q = model.neutral()
    tau = lissom.inverse_dynamics(model, q, v, a)
    np.testing.assert_allclose(lissom.forward_dynamics(model, q, v, tau), a, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_energy_is_conserved_along_a_run(method):
    run = lissom.simulate(ELLA, 0.1, method=method, progress=False)
    assert run.info.status.word == "finished"
    audit = lissom.analysis.energy_audit(run)
    assert np.abs(audit.residual).max() < 1e-5 * audit.scale


def test_a_run_is_the_one_that_was_saved(tmp_path):
    run = lissom.simulate(ELLA, 0.05, progress=False)
    run.save(tmp_path / "run.nc")
    np.testing.assert_array_equal(lissom.Trajectory.load(tmp_path / "run.nc").q, run.q)


def test_the_command_line_runs_a_robot_and_writes_its_data(tmp_path):
    assert ELLA in command("list", folder=tmp_path)
    command("run", ELLA, "--set", "duration=0.1", "--out", "out", folder=tmp_path)
    assert len(lissom.Trajectory.load(tmp_path / "out" / "trajectory.nc").time) > 10


def test_a_figure_is_drawn(tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    figure = lissom.simulate(ELLA, 0.05, progress=False).plot()
    figure.savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000


def test_bad_input_is_refused_by_name():
    with pytest.raises(lissom.LissomError, match="did you mean 'elbow'"):
        lissom.simulate(ELLA, 0.1, start={"elbo": 0.1}, progress=False)
