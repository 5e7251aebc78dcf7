"""lissom identify: a fit file in, a robot file, numbers and a figure out."""

import json

import numpy as np
import pytest
from measured_arms import ARMS, guess, record
from typer.testing import CliRunner

import lissom
from lissom.cli import make_app
from lissom.identify.fit_schema import load

FIT = """
lissom: 1
robot: arm.yaml
parameters:
  links.arm.joint.transmission.stiffness: [10, 200]
  links.arm.joint.friction.viscous:
  links.arm.joint.friction.coulomb: {bounds: [0, 1]}
  links.arm.body.inertia.2.2: {prior: {mean: 0.05, deviation: 0.05}}
records:
  - data: run.csv
    outputs:
      rotor_position.hinge: {column: motor, unit: deg}
      position.hinge: {column: link, noise: 0.001}
    torques: {hinge: current}
    window: [0, 2]
    unknown: [offset.torques.hinge]
held_back:
  - data: run.csv
    name: later
    outputs: {rotor_position.hinge: {column: motor, unit: deg}}
    torques: {hinge: current}
    window: [2, 3]
    start: measured
    unknown: [start.hinge, start.hinge.rate, start.hinge.rotor, start.hinge.rotor.rate]
frequencies:
  - {frequency: 3.0, mode: 1, locked: motors, deviation: 1.0}
"""


@pytest.fixture
def folder(tmp_path):
    data = record("elastic joint", 3).data
    columns = [data["time"], np.degrees(data["rotor_position.hinge"]), data["position.hinge"], data["u.hinge"]]
    table = np.column_stack(columns)
    np.savetxt(tmp_path / "run.csv", table, delimiter=",", header="time,motor,link,current", comments="")
    guess("elastic joint").save(tmp_path / "arm.yaml")
    (tmp_path / "hinge.yaml").write_text(FIT)
    return tmp_path


def identify(*words):
    return CliRunner().invoke(make_app(["identify", "list"]), ["identify", *map(str, words)])


def test_a_fit_file_gives_a_robot_numbers_and_a_figure(folder):
    done = identify(folder / "hinge.yaml", "--out", folder / "here")
    assert done.exit_code == 0, done.output
    assert "95% interval" in done.output
    assert "later" in done.output
    robot = lissom.load(folder / "here" / "robot.yaml")
    numbers = json.loads((folder / "here" / "fit.json").read_text())
    for path in ARMS["elastic joint"][3]:
        assert numbers["parameters"][path]["value"] == pytest.approx(robot.value(path), rel=1e-6)
    assert robot.value("links.arm.joint.transmission.stiffness") == pytest.approx(50, rel=0.02)
    assert numbers["validation"]["fitted"][0]["normalised_error"] < 0.02
    assert "# Fitted by lissom" in (folder / "here" / "robot.yaml").read_text()
    assert (folder / "here" / "fit.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "[10, 200]",
            "[200, 10]",
            "hinge.yaml:5: parameters.links.arm.joint.transmission.stiffness.bounds = [200, 10]",
        ),
        ("{bounds: [0, 1]}", "{bound: [0, 1]}", "hinge.yaml:7: parameters.links.arm.joint.friction.coulomb.bound = "),
        ("parameters:\n", "paramters:\n", "did you mean 'parameters'"),
        ("data: run.csv", "data: walk.csv", "no such record"),
        ("column: motor", "column: moter", "did you mean 'motor'"),
        ("unit: deg", "unit: degs", "hinge.yaml:12"),
        ("robot: arm.yaml", "robot: leg.yaml", "leg.yaml"),
        ("window: [0, 2]", "window: [5, 7]", "window"),
    ],
)
def test_a_wrong_file_is_told_in_one_message(folder, old, new, said):
    (folder / "hinge.yaml").write_text(FIT.replace(old, new, 1))
    done = identify(folder / "hinge.yaml", "--out", folder / "here")
    assert done.exit_code == 1
    assert said in " ".join(done.output.split())
    assert not (folder / "here").exists()


def test_a_fit_file_is_read_with_what_it_says(folder):
    asked = load(folder / "hinge.yaml")
    assert asked.name == "hinge"
    assert len(asked.parameters) == 4
    assert asked.parameters["links.arm.body.inertia.2.2"].prior.mean == 0.05
    assert asked.records[0].window == (0.0, 2.0)
    assert asked.frequencies[0].locked == "motors"
