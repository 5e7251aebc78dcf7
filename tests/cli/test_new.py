"""`lissom new`: what it writes is right as it stands, and says where to go on."""

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom
from lissom import scenario
from lissom.cli import make_app


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(make_app(), ["new", *words])


@pytest.mark.parametrize("drive", ["pd", "torque", "none"])
@pytest.mark.parametrize("links", ["1", "2", "4"])
def test_new_files_run(call, links, drive):
    assert call("arm", "--links", links, "--rigid", "--drive", drive).exit_code == 0
    run = scenario.load("arm-run.yaml").run(duration=0.05, progress=False)
    assert run.info.status == "finished"
    assert not run.warnings


def test_links_bend_and_joints_arrive(call, tmp_path):
    answer = call("arm", "--links", "2", "--bend", "--drive", "pd")
    assert "next: lissom run arm-run.yaml" in answer.stdout
    run = scenario.load("arm-run.yaml").run(progress=False)
    assert run["joint2"][-1] == pytest.approx(0.5, abs=0.05)
    assert 0 < float(np.abs(run.deflection("link2")).max()) < 0.05
    for file, kind in {"arm.yaml": "robot", "arm-run.yaml": "scenario"}.items():
        assert f"$schema=schemas/{kind}.json" in (tmp_path / file).read_text()
        assert (tmp_path / f"schemas/{kind}.json").is_file()


def test_answers_are_asked_for_at_a_terminal(call, monkeypatch):
    monkeypatch.setattr("lissom.cli.commands.files.at_a_terminal", lambda: True)
    answer = CliRunner().invoke(make_app(), ["new", "arm"], input="1\nn\nnone\n")
    assert answer.exit_code == 0, answer.output
    assert len(lissom.load("arm.yaml").links) == 1
    assert not lissom.load("arm.yaml").links[0].flexible


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--links", "0"], "--links = 0: must be from 1 to 20"),
        (["--drive", "pid"], "is unknown (did you mean 'pd'?)"),
        (["--links", "1"], "arm.yaml is there already; give another name"),
    ],
)
def test_what_cannot_be_is_told(call, tmp_path, words, text):
    (tmp_path / "arm.yaml").write_text("mine")
    answer = call("arm", "--rigid", *words)
    assert answer.exit_code == 1
    assert text in " ".join(answer.stderr.split())
    assert (tmp_path / "arm.yaml").read_text() == "mine"


@pytest.mark.parametrize("name", ["my arm", "../arm", ""])
def test_a_name_must_serve_as_one(call, name):
    answer = call(name)
    assert answer.exit_code == 1
    assert "made of letters, digits" in " ".join(answer.stderr.split())
