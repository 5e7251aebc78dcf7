"""`lissom bode`, and controllers of scenarios as C: what an engineer asks of a file."""

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lissom import control
from lissom.cli import make_app

ROBOT = """
lissom: 1
name: swing
gravity: [0, 0, 0]
links:
  - name: disc
    joint: {name: hub, type: revolute, axis: [0, 0, 1], damping: 0.1}
    body: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 2]}
"""
SCENARIO = """
robot: swing.yaml
duration: 1
control: {type: pid, gains: {hub: {p: 200, i: 300, d: 40}}, rate: 500, reference: {type: step, to: {hub: 0.3}}}
"""


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("swing.yaml").write_text(ROBOT)
    Path("turn.yaml").write_text(SCENARIO)
    return lambda *words: CliRunner().invoke(make_app(), list(words))


def test_the_margins_of_a_scenario_are_those_of_its_controller(call):
    answer = call("bode", "turn.yaml", "--loop", "--json")
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)["margins"]
    law = control.pid("swing.yaml", {"hub": {"p": 200.0, "i": 300.0, "d": 40.0}}, 0.3, rate=500.0)
    wanted = control.open_loop("swing.yaml", law).margins()
    assert told["stable"]
    assert told["phase"] == pytest.approx(wanted.phase, rel=1e-9)
    assert told["distance"] == pytest.approx(wanted.distance, rel=1e-9)


@pytest.mark.parametrize("kind", ["bode", "nyquist", "root-locus", "step"])
def test_figures_are_written(call, kind):
    answer = call("bode", "swing.yaml", "--output", "hub.rate", "--kind", kind)
    assert answer.exit_code == 0, answer.output
    assert Path(f"out/swing/{kind}.png").stat().st_size > 5000


def test_a_scenario_hands_out_its_controller_as_c(call):
    answer = call("export", "turn.yaml", "--to", "c", "--controller", "--out", "code")
    assert answer.exit_code == 0, answer.output
    done = subprocess.run(["make", "-C", "code", "test"], capture_output=True, text=True, check=False)
    assert "all equal" in done.stdout, done.stderr
    refused = call("export", "swing.yaml", "--to", "fmu", "--controller")
    assert refused.exit_code == 2


def test_a_robot_without_scenario_has_no_loop(call):
    answer = call("bode", "swing.yaml", "--loop")
    assert answer.exit_code == 1
    assert "needs a scenario" in answer.output
