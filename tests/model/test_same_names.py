"""A joint may have the name of another link: links are often called after the joint at their far end."""

import numpy as np
import pytest

import lissom
from lissom import control, scenario
from lissom.export.fmu.fmu_variables import prescribed_coordinates

ARM = """\
lissom: 1
name: clash
gravity: [0, 0, 0]
links:
  - name: %s
    joint: {name: %s, type: revolute, axis: [0, 0, 1], damping: 0.1}
    body: {mass: 2, com: [0.2, 0, 0], inertia: [0.02, 0.03, 0.03]}
  - name: %s
    origin: {xyz: [0.4, 0, 0]}
    joint: {name: %s, type: %s}
    body: {mass: 1, com: [0.2, 0, 0], inertia: [0.02, 0.03, 0.03]}
"""
CLASHING, PLAIN = ("shoulder", "base", "elbow", "shoulder"), ("link1", "base", "link2", "shoulder")
REVOLUTE, SPHERICAL = "revolute, axis: [0, 0, 1], damping: 0.1", "spherical"


def arms(joint: str = REVOLUTE) -> list[lissom.Robot]:
    return [lissom.Robot.from_yaml(ARM % (*names, joint)) for names in (CLASHING, PLAIN)]


@pytest.mark.parametrize(
    ("joint", "motion"),
    [
        (REVOLUTE, "{type: quintic, to: 90 deg, duration: 0.5}"),
        (SPHERICAL, "{type: pose, rpy: [0, 0, 1.5707963267948966]}"),
    ],
)
def test_a_motion_drives_the_joint_it_names(joint, motion, tmp_path):
    ends = []
    for robot in arms(joint):
        robot.save(tmp_path / "arm.yaml")
        (tmp_path / "move.yaml").write_text(f"robot: arm.yaml\nduration: 0.5\nmotion: {{shoulder: {motion}}}\n")
        run = scenario.load(tmp_path / "move.yaml").run()
        ends.append(run.q[-1])
    np.testing.assert_array_equal(*ends)
    last = ends[0][1:]  # of the joint that is called shoulder; the first coordinate is free
    assert last == pytest.approx([np.pi / 2] if joint == REVOLUTE else [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_fmus_and_filters_find_joints_by_their_own_names():
    places = [prescribed_coordinates(lissom.compile(robot, prescribed="shoulder")) for robot in arms()]
    assert places[0] == places[1] == ({1}, {1})
    gains = []
    for robot in arms():
        sensors = [{"type": "encoder", "joint": joint, "resolution": 1e-4} for joint in ("base", "shoulder")]
        law = control.lqg(
            robot, sensors=sensors, rate=200, keep={"base": 0.01, "shoulder": 0.01}, torque={"base": 10, "shoulder": 10}
        )
        gains.append(np.asarray(law.function.encoders))
    np.testing.assert_array_equal(*gains)
