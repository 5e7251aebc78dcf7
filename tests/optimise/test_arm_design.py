"""Rigid arms of least curvature and of least energy: the paper's conjecture on a two-link arm."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom
from lissom.cli import make_app
from lissom.errors import LissomError
from lissom.optimise import ArmDesign, load
from lissom.optimise.arm_design import measures

ARM = """
lissom: 1
name: planar
gravity: [0, 0, 0]
links:
  - name: upper
    joint: {name: shoulder, type: revolute, axis: [0, 0, 1]}
    body: {mass: 4.0, com: [0.25, 0, 0], inertia: [0.01, 0.08, 0.08]}
  - name: forearm
    origin: {xyz: [0.5, 0, 0]}
    joint: {name: elbow, type: revolute, axis: [0, 0, 1]}
    body: {mass: 3.0, com: [0.15, 0, 0], inertia: [0.01, 0.06, 0.06]}
"""
COM = "links.forearm.body.com.0"
TASK = {"parameters": {COM: (-0.2, 0.3)}, "region": {"elbow": (-1.5, 1.5)}}


def design(least):
    robot = lissom.Robot.from_yaml(ARM)
    return ArmDesign(scenario={"robot": robot, "duration": 1.0}, least=least, **TASK).solve(progress=False)


def test_curvature_is_that_of_brioschis_formula():
    """K of the surface with E = m11, F = m12, G = m22, which depend on the elbow alone; the scalar curvature is 2 K."""
    m1, c1, j1, m2, c2, j2, l1, elbow = 4.0, 0.25, 0.08, 3.0, 0.15, 0.06, 0.5, 0.7
    b, G = m2 * l1 * c2, j2 + m2 * c2**2
    s, c = np.sin(elbow), np.cos(elbow)
    E, F = j1 + m1 * c1**2 + G + m2 * l1**2 + 2 * b * c, G + b * c
    E_v, E_vv, F_v = -2 * b * s, -2 * b * c, -b * s
    first = np.array([[-E_vv / 2, 0.0, -E_v / 2], [F_v, E, F], [0.0, F, G]])
    second = np.array([[0.0, E_v / 2, 0.0], [E_v / 2, E, F], [0.0, F, G]])
    det = E * G - F**2
    K = (np.linalg.det(first) - np.linalg.det(second)) / det**2
    found, _ = measures(lissom.Robot.from_yaml(ARM), np.array([[0.3, elbow]]))
    assert found == pytest.approx(abs(2 * K) * np.sqrt(det), rel=1e-9)


def test_least_curvature_balances_the_forearm_and_is_not_least_energy():
    """A forearm balanced about its joint has a constant inertia matrix, hence no curvature; motions want it further."""
    flat, swift = design("curvature"), design("energy")
    assert abs(flat.values[COM]) < 1e-4
    assert flat.measures[0] < 1e-3 < 0.9 < flat.start_measures[0]
    assert -0.2 < swift.values[COM] < -0.1
    assert swift.measures[1] < 0.9 * flat.measures[1]  # the conjecture fails by more than a tenth
    assert flat.measures[1] < 0.75 * flat.start_measures[1]  # though less curvature is less energy than before


def test_the_command_finds_it_from_a_file(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    text = f"lissom: 1\nscenario: arm.yaml\nleast: energy\nparameters: {{{COM}: [-0.2, 0.3]}}\nposes: 16\n"
    (tmp_path / "flat.yaml").write_text(text)
    assert isinstance(load(tmp_path / "flat.yaml"), ArmDesign)
    out = tmp_path / "out"
    run = CliRunner().invoke(make_app(), ["optimise", str(tmp_path / "flat.yaml"), "--out", str(out), "--json"])
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    assert told["measures"]["energy"] < told["measures_before"]["energy"]
    assert lissom.load(out / "robot.yaml").value(COM) == pytest.approx(told["values"][COM])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"least": "beauty"}, "least"),
        ({"region": {"elbo": (0, 1)}}, "no joint of the arm"),
        ({"parameters": {COM: (0.3, -0.2)}}, "smaller number first"),
        ({"scenario": {"robot": "ella", "duration": 1.0}, "parameters": {"links.hub.body.mass": (1, 2)}}, "rigid arms"),
    ],
)
def test_faults_are_told(changed, words):
    given = {"scenario": {"robot": lissom.Robot.from_yaml(ARM), "duration": 1.0}, **TASK} | changed
    with pytest.raises(LissomError, match=words):
        ArmDesign(**given).solve(progress=False)
