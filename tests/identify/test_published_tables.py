"""Published tables as data: the parameter that was changed is found, with an interval that holds it."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom
from lissom.cli import make_app
from lissom.errors import LissomError
from lissom.identify import PrintedValue, PublishedTable, RobotTables, explain

ARM = """
lissom: 1
name: swing
gravity: [0, -9.81, 0]
materials: {steel: {E: 2.0e+11, nu: 0.3, rho: 7800}}
links:
  - name: hub
    joint: {name: hinge, type: revolute, axis: [0, 0, 1]}
    body: {mass: 1.5, com: [0.3, 0, 0], inertia: [0.02, 0.03, 0.04]}
  - name: rod
    origin: {xyz: [0.6, 0, 0]}
    joint: {name: elbow, type: revolute, axis: [0, 0, 1], spring: {stiffness: 8}}
    body: {mass: 0.8, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.015]}
"""
WAYS = {
    "heavier rod": {"links.rod.body.mass": [0.2, 5.0]},
    "other spring": {"links.rod.joint.spring.stiffness": [2.0, 40.0]},
    "longer hub": {"links.rod.origin.xyz.0": [0.3, 1.2]},
}
TRUTH = {"heavier rod": 1.37, "other spring": 11.3, "longer hub": 0.81}


def beam(at):
    """First three frequencies in Hz of a clamped beam, by its closed form."""
    E, rho, length, height = (at.get(name, x) for name, x in (("E", 7e10), ("rho", 2700), ("L", 1.0), ("h", 0.02)))
    roots = np.array([1.87510407, 4.69409113, 7.85475744])
    return roots**2 / (2 * np.pi * length**2) * np.sqrt(E * height**2 / (12 * rho))


def as_printed(values, digits):
    return {f"value {k}": f"{x:.{digits}f}" for k, x in enumerate(values, 1)}


@pytest.mark.parametrize(
    ("text", "value", "half"), [("113.50", 113.5, 0.005), ("11", 11, 0.5), (-0.0637, -0.0637, 5e-5)]
)
def test_rounding_is_half_a_unit_of_the_last_digit_trailing_zeros_count(text, value, half):
    read = PrintedValue.read(text)
    assert (read.value, read.half) == (value, pytest.approx(half))
    assert read.met_by(value + 0.99 * half)
    assert not read.met_by(value + 1.1 * half)


def test_a_bound_is_missed_on_one_side_only():
    over = PrintedValue.read("> 0.02")
    assert over.miss(0.5) == 0
    assert over.miss(0.015) == pytest.approx(-0.005)
    with pytest.raises(LissomError, match="no printed number"):
        PrintedValue.read("about 3")


def test_what_a_table_cannot_tell_apart_shares_its_confidence():
    """Frequencies of a beam hold E / rho and h / L^2 alone: a softer one is a denser, a thinner and a longer one."""
    ways = {"E": {"E": [1e9, 1e12]}, "rho": {"rho": [100, 1e5]}, "h": {"h": [1e-3, 1.0]}, "first": {"E": 7.1e10}}
    found = explain(beam, as_printed(beam({"E": 3.1e10}), 2), ways, progress=False)
    assert {found.best.name, *(each.name for each in found.rivals)} == {"E", "rho", "h"}
    for each in (found["E"], found["rho"], found["h"]):
        assert each.met == 3
        assert each.confidence == pytest.approx(1 / 3, abs=0.01)
    assert abs(found["E"].values["E"] - 3.1e10) < found["E"].half["E"] < 0.01 * 3.1e10
    assert found["rho"].values["rho"] == pytest.approx(2700 * 70 / 31, rel=2e-3)
    both = explain(
        beam, as_printed(beam({"E": 3.1e10}), 2), {"two": {"E": [1e9, 1e12], "rho": [100, 1e5]}}, progress=False
    )
    assert both["two"].half == {"E": np.inf, "rho": np.inf}  # the table tells their ratio only


def test_a_right_table_needs_no_explanation():
    found = explain(beam, as_printed(beam({}), 2), {"E": {"E": [1e9, 1e12]}}, progress=False)
    assert found.best.name == "as stated"
    assert found.best.met == 3


@pytest.mark.parametrize("way", ["longer hub"])
def test_the_parameter_that_was_changed_explains_a_table_of_a_motion(way):
    (path,) = WAYS[way]
    robot = lissom.Robot.from_yaml(ARM)
    values = {"position.hinge": 4, "position.elbow": 4, "tip_position.rod.y": 4, "velocity.hinge": 3}
    true = RobotTables(robot, [PublishedTable(time=0.3, values=dict.fromkeys(values, "0"))])({path: TRUTH[way]})
    printed = {name: f"{x:.{n}f}" for (name, n), x in zip(values.items(), true, strict=True)}
    tables = RobotTables(robot, [PublishedTable(time=0.3, values=printed)])
    found = explain(tables, tables.printed, WAYS, progress=False)
    assert found.best.name == way
    assert found.best.confidence > 0.99
    assert found.best.met == 4
    assert abs(found.best.values[path] - TRUTH[way]) < 1.7 * found.best.half[path] < 0.01  # 3.4 deviations


def test_the_command_ranks_explanations_of_a_file(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    robot = lissom.Robot.from_yaml(ARM).with_value("links.rod.joint.spring.stiffness", 11.3)
    run = lissom.simulate(robot, 0.3, rate=1 / 0.3, rtol=1e-9, progress=False)
    (tmp_path / "table.yaml").write_text(
        "lissom: 1\nrobot: arm.yaml\ntables:\n  - time: 0.3\n    values:\n"
        f"      position.hinge: {{value: '{np.degrees(run['hinge'].values[-1]):.2f}', unit: deg}}\n"
        f"      position.elbow: '{run['elbow'].values[-1]:.4f}'\n"
        "explanations:\n  spring: {links.rod.joint.spring.stiffness: [2, 40]}\n  mass: {links.rod.body.mass: 0.9}\n"
    )
    shown = CliRunner().invoke(make_app(), ["identify", str(tmp_path / "table.yaml"), "--out", str(tmp_path / "a")])
    assert shown.exit_code == 0, shown.output
    assert "What explains the table" in shown.output
    told = json.loads((tmp_path / "a" / "explanations.json").read_text())["explanations"]
    assert [row["explanation"] for row in told] == ["spring", "as stated", "mass"]
    assert told[0]["values"]["links.rod.joint.spring.stiffness"] == pytest.approx(11.3, abs=0.05)


def test_faults_of_tables_are_told_with_field_and_remedy():
    robot = lissom.Robot.from_yaml(ARM)
    for table, words in (
        ({"values": {"position.hinge": "1.0"}}, "give the instant"),
        ({"time": 0.1, "values": {"position.hinge": {"value": "1", "unit": "mm"}}}, "is not a unit of this quantity"),
        ({"values": {"frequency.9": "1"}, "locked": False}, "the arm has frequency.1 to"),
    ):
        with pytest.raises(LissomError, match=words):
            RobotTables(robot, [PublishedTable(**table)])({})
    with pytest.raises(LissomError, match="smaller number first"):
        explain(beam, as_printed(beam({}), 2), {"E": {"E": [2, 1]}}, progress=False)
