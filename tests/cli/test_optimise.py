"""lissom optimise: a task in, references and a scenario, or a robot, out."""

import json

import pytest
from moving_arms import slewing_beam
from typer.testing import CliRunner

import lissom
from lissom.cli import make_app

pytest.importorskip("casadi")

MOTION = {
    "scenario": {"robot": slewing_beam(), "duration": 1.0},
    "to": {"hub": 1.0},
    "duration": 0.6,
    "limits": {"torque": 30},
    "intervals": 16,
}
SIZING = {
    "scenario": {"robot": slewing_beam(gravity=(0, -9.81, 0)), "duration": 1.0},
    "sizes": {"links.beam.beam.section.outer": [0.01, 0.05], "links.beam.beam.section.thickness": [0.0005, 0.004]},
    "limits": {"deflection": {"beam": 0.005}, "slenderness": 30},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slew.yaml").write_text(json.dumps(MOTION))
    (tmp_path / "light.yaml").write_text(json.dumps(SIZING))
    return tmp_path


def optimise(*words):
    return CliRunner().invoke(make_app(["optimise"]), ["optimise", *words])


def test_a_motion_goes_to_a_folder_of_its_name(folder):
    done = optimise("slew.yaml")
    assert done.exit_code == 0, done.output
    assert "slew: least vibration" in done.output
    assert "vibration of the tip afterwards" in done.output
    written = {path.name for path in (folder / "out" / "slew").iterdir()}
    assert written == {"motion.csv", "scenario.yaml", "motion.png", "check.png"}
    lissom.scenario.load(folder / "out" / "slew" / "scenario.yaml").prepare()


def test_json_for_machines(folder):
    told = json.loads(optimise("slew.yaml", "--json", "--no-figures", "--out", "here").stdout)
    assert told["simulated"]["ratio"] > 50
    assert told["torque of hub"]["limit"] == 30
    assert (folder / "here" / "motion.csv").is_file()
    assert not (folder / "here" / "motion.png").exists()


def test_sections_become_a_robot_file(folder):
    done = optimise("light.yaml", "--no-check")
    assert done.exit_code == 0, done.output
    assert "light:" in done.output
    assert "robot.yaml" in done.output
    assert lissom.load(folder / "out" / "light" / "robot.yaml").name == "slewing-beam"
    assert (folder / "out" / "light" / "sizing.png").is_file()


@pytest.mark.parametrize(
    ("change", "text"),
    [({"too": 1}, "too"), ({"to": {"hob": 1}}, "did you mean 'hub'"), ({"least": "tim"}, "slew.yaml:1: least")],
)
def test_mistakes_in_the_file_are_told(folder, change, text):
    (folder / "slew.yaml").write_text(json.dumps(MOTION | change))
    done = optimise("slew.yaml")
    assert done.exit_code == 1
    assert text in done.output
    assert not (folder / "out").exists()


@pytest.mark.parametrize("task", ["slew.yaml", "light.yaml"])
def test_a_folder_that_cannot_be_written_is_told_before_the_search(folder, monkeypatch, task):
    (folder / "taken").write_text("a file")
    for kind in (lissom.optimise.Motion, lissom.optimise.Sizing):
        monkeypatch.setattr(kind, "solve", lambda self, **_: pytest.fail("searched"))
    done = optimise(task, "--out", "taken/here")
    assert done.exit_code == 1
    assert "cannot write" in done.stderr
    assert "--out" in done.stderr


def test_a_second_search_leaves_the_first_one_alone(folder):
    for name in ("light", "light-2"):
        assert optimise("light.yaml", "--no-check", "--no-figures").exit_code == 0
        assert (folder / "out" / name / "robot.yaml").is_file()
