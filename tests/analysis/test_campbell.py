"""Frequencies of blades and discs over their speed, against published numbers and linear models."""

import json

import numpy as np
import pytest
import textbook_spinning as spinning
from typer.testing import CliRunner

import lissom
from lissom.cli import app

# Wright, Smith, Thresher and Wang 1982, table 1: flap frequencies omega sqrt(rhoA L^4 / EI) over speed, no hub.
FLAP = {0: (3.5160, 22.0345, 61.6972), 6: (7.3604, 26.8091, 66.6840), 12: (13.1702, 37.6031, 79.6145)}


def blade():
    section = {"shape": "circle", "diameter": 0.02}
    beam = {"length": 2.0, "material": "steel", "section": section, "modes": {"y": 7, "z": 7, "axial": 2}}
    hub = {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}
    data = {"lissom": 1, "name": "blade", "gravity": [0, 0, 0], "links": [{"name": "rod", "joint": hub, "beam": beam}]}
    return lissom.Robot.from_dict(data | {"materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}}})


UNIT = np.sqrt(2.1e11 * 0.01**2 / 4 / (7850.0 * 2.0**4))


def test_a_blade_flaps_and_lags_as_published():
    """Lag has the square of the speed less (Southwell); rotary inertia of the rod takes up to 7e-4."""
    found = lissom.campbell(blade(), "hub", UNIT * np.arange(0, 13, 2.0))
    flap = [k for k, label in enumerate(found.labels) if "bending z" in label]
    lag = [k for k, label in enumerate(found.labels) if "bending y" in label]
    assert len(flap) == len(lag) == 3
    squares = (2 * np.pi * found.frequencies / UNIT) ** 2
    for speed, expected in FLAP.items():
        assert np.sqrt(squares[speed // 2, flap]) == pytest.approx(expected, rel=1e-3)
        assert np.sqrt(squares[speed // 2, lag]) == pytest.approx(np.sqrt(np.square(expected) - speed**2), rel=1e-3)
    assert not found.growth.any()


def test_a_blade_without_stiffening_lags_away_where_it_turns_too_fast():
    """Without the pull of rotation, lag has the square of the speed less than at rest."""
    robot = blade().with_value("links.rod.beam.stiffening", "none")
    found = lissom.campbell(robot, "hub", [0.0, 4 * UNIT], number=2)
    lag = [k for k, label in enumerate(found.labels) if "bending y" in label]
    assert found.growth[0, lag] == pytest.approx([0.0])
    assert found.growth[1, lag] / UNIT == pytest.approx([np.sqrt(16 - 3.516**2)], rel=2e-3)
    assert "unstable" in str(found)


def test_modes_that_functions_do_not_follow_are_marked():
    found = lissom.campbell("spinup-beam", "shaft", [0.0, 2.0], number=3)
    assert found.resolved.tolist() == [True, True, False]  # 15.4 Hz where the beam has 8.16 Hz
    assert "may be too high" in str(found)


def test_a_disc_on_a_shaft_whirls_both_ways():
    disc = next(case for case in spinning.CASES if case.name.startswith("shaft with a heavy disc"))
    model = disc.robot.compile()
    joint = next(body.joint for body in model.bodies if body.joint_v.stop > body.joint_v.start)
    found = lissom.campbell(model, joint, [0.0, 10.0, 20.0], number=3)
    bending = [k for k, label in enumerate(found.labels) if "bending" in label]
    assert 2 * np.pi * np.sort(found.frequencies[-1, bending]) == pytest.approx(np.sort(disc.expected), rel=3e-3)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"speeds": []}, "speeds"),
        ({"speeds": [np.nan]}, "must be a list of finite numbers in rad/s"),
        ({"number": 0}, "must be a whole number of modes from 1 on"),
        ({"joint": "axle"}, "axle"),
    ],
)
def test_what_makes_no_sense_is_refused(options, text):
    with pytest.raises(lissom.LissomError, match=text):
        lissom.campbell(blade(), **({"joint": "hub", "speeds": [1.0]} | options))


def test_the_command_writes_the_diagram(tmp_path):
    path = tmp_path / "campbell.png"
    common = ["campbell", "spinup-beam", "--to", "4", "--steps", "3", "-n", "2"]
    shown = CliRunner().invoke(app, [*common, "--out", str(path)])
    assert shown.exit_code == 0
    assert path.stat().st_size > 5000
    data = json.loads(CliRunner().invoke(app, [*common, "--json"]).stdout)
    assert data["speeds"] == [0.0, 2.0, 4.0]
    assert np.all(np.diff(np.array(data["frequencies"])[:, 1]) > 0)
