"""Poses of machines with cylinders: lengths follow joint angles, or are given like them; no link bends for a loop."""

import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom
from lissom.cli import app
from lissom.dynamics import closed_pose, loop_gaps
from lissom.dynamics.kinematic_loops.loop_closing import LoopWarning

PUMP = """
lissom: 1
name: pump
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}
links:
  - {name: turret, joint: {name: slew, type: revolute, axis: [0, 0, 1]}, body: {mass: 900, inertia: [200, 200, 200]}}
  - name: boom1
    joint: {name: a1, type: revolute, axis: [0, -1, 0]}
    beam: {length: 6, material: steel, modes: {z: 2}, section: {shape: box, height: 0.3, width: 0.2, thickness: 0.008}}
  - name: boom2
    joint: {name: a2, type: revolute, axis: [0, -1, 0]}
    beam: {length: 5, material: steel, modes: {z: 2}, section: {shape: box, height: 0.2, width: 0.15, thickness: 0.006}}
  - name: rocker
    parent: boom1
    at: 5.2
    joint: {name: k2, type: revolute, axis: [0, -1, 0]}
    body: {mass: 20, com: [0, 0, 0.3], inertia: [0.8, 0.8, 0.1]}
loops:
  - name: tie
    distance: 1.4318
    between: [{link: rocker, origin: {xyz: [0, 0, 0.6]}}, {link: boom2, at: 0.6, origin: {xyz: [0, 0, 0.3]}}]
elements:
  - name: c1
    type: cylinder
    drive: length
    length: 0.9
    between: [{link: turret, origin: {xyz: [0.8, 0, -0.5]}}, {link: boom1, at: 1.5, origin: {xyz: [0, 0, -0.2]}}]
  - name: c2
    type: cylinder
    drive: length
    length: 1.7
    between: [{link: boom1, at: 3.5, origin: {xyz: [0, 0, 0.2]}}, {link: rocker, origin: {xyz: [0, 0, 0.6]}}]
"""


@pytest.fixture(scope="module")
def pump():
    return lissom.Robot.from_yaml(PUMP).compile()


def turned(angle, x, z):
    """A point (x, z) turned upwards by an angle about -y."""
    return np.array([x * np.cos(angle) - z * np.sin(angle), x * np.sin(angle) + z * np.cos(angle)])


def lengths_by_hand(a1, k2):
    """Lengths of both cylinders in the plane of the booms."""
    c1 = turned(a1, 1.5, -0.2) - [0.8, -0.5]
    c2 = turned(k2, 0, 0.6) - [3.5 - 5.2, 0.2]
    return np.linalg.norm(c1), np.linalg.norm(c2)


def straight(model, q):
    return not any(np.any(q[body.modes_q]) for body in model.bodies)


@pytest.mark.parametrize(("a1", "a2"), [(0.3, -0.4), (0.0, 0.0), (0.8, -1.2), (-0.1, 0.3)])
def test_lengths_follow_a_pose_by_joint_angles(pump, a1, a2):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q, lengths = closed_pose(pump, {"a1": a1, "a2": a2})
    angles = {body.joint: q[body.joint_q.start] for body in pump.bodies}
    assert angles["a1"] == a1
    assert angles["a2"] == a2
    assert straight(pump, q)
    assert [lengths["c1"], lengths["c2"]] == pytest.approx(lengths_by_hand(a1, angles["k2"]), rel=1e-9)
    tie = turned(a2, 0.6, 0.3) - [5.2 - 6, 0.0] - turned(angles["k2"], 0, 0.6)
    assert np.linalg.norm(tie) == pytest.approx(1.4318, rel=1e-9)


def test_only_cylinders_that_contradict_the_pose_follow(pump):
    q, lengths = closed_pose(pump, {"a1": 0.3})
    assert set(lengths) == {"c1"}
    assert straight(pump, q)
    assert np.abs(loop_gaps(pump, q)[[0, 2]]).max() < 1e-11  # tie and c2 hold their own
    assert set(closed_pose(pump, {"slew": 1.0}).lengths) == set()
    q, lengths = closed_pose(pump, {"a2": -0.5})
    assert set(lengths) == {"c2"}


@pytest.mark.parametrize("length", [0.7, 0.9, 1.2])
def test_a_cylinder_is_named_like_a_joint(pump, length):
    q, lengths = closed_pose(pump, {"c1": length})
    assert lengths == {"c1": length}
    assert straight(pump, q)
    a1 = q[pump.joint("a1").joint_q.start]
    assert lengths_by_hand(a1, 0.0)[0] == pytest.approx(length, rel=1e-9)
    again = lissom.natural_modes(pump, {"c1": length}, number=2)
    given = lissom.natural_modes(pump, lengths={"c1": length}, number=2)
    np.testing.assert_allclose(again.frequencies, given.frequencies, rtol=1e-9)


def test_modes_statics_and_linear_models_stand_where_the_pose_says(pump):
    modes = lissom.natural_modes(pump, {"a1": 0.3}, number=2)
    assert not modes.growth.any()
    assert straight(pump, modes.q)
    length = closed_pose(pump, {"a1": 0.3}).lengths["c1"]
    longer = pump.robot.with_value("elements.c1.length", length).compile()
    assert lissom.natural_modes(longer, number=2).frequencies == pytest.approx(modes.frequencies, rel=1e-6)
    assert lissom.linearise(pump, {"a1": 0.3}).q == pytest.approx(modes.q, abs=1e-9)
    rest = lissom.static_equilibrium(pump, {"a1": 0.3})
    assert rest.lengths == {"c1": pytest.approx(length)}
    assert abs(rest.deflections["boom1"].displacement[2]) < 0.06
    sagging = lissom.natural_modes(pump, {"a1": 0.3}, number=2, at="equilibrium")
    assert sagging.q == pytest.approx(rest.q, abs=1e-9)


def test_a_pose_that_bends_a_link_is_told(pump):
    with pytest.warns(LoopWarning, match="loops close only by bending boom1 by .*free a1, or give other lengths"):
        lissom.close_loops(pump, {"a1": 0.2})


def test_an_unknown_length_is_refused(pump):
    with pytest.raises(lissom.LissomError, match=r"lengths.c3.*those that do are c1, c2, tie"):
        closed_pose(pump, lengths={"c3": 1.0})
    with pytest.raises(lissom.LissomError, match=r"c1.*metres above zero"):
        closed_pose(pump, {"c1": -1.0})


@pytest.mark.parametrize(
    ("pose", "told"),
    [
        (["c1=1.1"], "c1 1.1,"),
        (["c1=1100 mm", "c2=1.72"], "c1 1.1, c2 1.72"),
        (["a1=0.3"], "a1 0.3"),
        ([], "c1 0.9, c2 1.7"),
    ],
)
def test_modes_takes_poses_by_length_and_tells_the_pose_that_is_there(tmp_path, pose, told):
    file = tmp_path / "pump.yaml"
    file.write_text(PUMP)
    found = CliRunner().invoke(app, ["modes", str(file), *(part for text in pose for part in ("--pose", text))])
    assert found.exit_code == 0, found.output
    text = " ".join(found.output.split())
    assert told in text
    assert "at zero" not in text
    assert "unstable" not in text


def test_the_luffing_crane_stands_by_its_pin_or_its_cylinder():
    model = lissom.load("luffing-crane").compile()
    q, lengths = closed_pose(model, {"pin": 0.4})
    up = turned(0.4, 4.0, -0.3) - [1.2, 1.0 - 2.5]
    assert lengths == {"lift": pytest.approx(np.linalg.norm(up), rel=1e-9)}
    assert straight(model, q)
    assert closed_pose(model, lengths).q[model.joint("pin").joint_q.start] == pytest.approx(0.4, abs=1e-9)
