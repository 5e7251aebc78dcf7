"""A start at rest has everything that acts at t = 0: payloads, loads in any axes, the thrust of cylinders."""

import numpy as np
import pytest

import lissom
from lissom.scenario import Scenario

EI, L, G = 2e3, 2.0, 9.81
BEAM = f"""\
lissom: 1
name: boom
links:
  - name: boom
    joint: {{name: foot, type: revolute, axis: [0, -1, 0]}}
    beam:
      length: {L}
      stiffening: none
      section: {{rhoA: 1.0, EA: 1.0e7, EIy: {EI}, EIz: {EI}, GJ: 800, Jx: 1.0e-3}}
      modes: {{z: 4}}
"""
OWN = -G * L**4 / (8 * EI)  # sag of the tip by the beam's own weight
HELD = {"foot": {"type": "constant", "to": 0.0}}
DROPPED = {"type": "steps", "at": [0, 0.1], "to": [[0, 0, -50], [0, 0, 0]]}
CASES = {
    "payload": ({"payloads": [{"link": "boom", "mass": 5.0}]}, OWN - 5 * G * L**3 / (3 * EI)),
    "picked up later": ({"payloads": [{"link": "boom", "mass": 5.0, "pick": 0.2}]}, OWN),
    "force": ({"loads": [{"link": "boom", "force": [0, 0, -50]}]}, OWN - 50 * L**3 / (3 * EI)),
    "couple": ({"loads": [{"link": "boom", "torque": [0, -8, 0], "frame": "local"}]}, OWN + 8 * L**2 / (2 * EI)),
    "halfway": ({"loads": [{"link": "boom", "at": 1.0, "force": [0, 0, -50]}]}, OWN - 50 * 5 * L**3 / (48 * EI)),
    "steps": ({"loads": [{"link": "boom", "force": DROPPED}]}, OWN - 50 * L**3 / (3 * EI)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_tip_starts_where_it_rests(name):
    more, sag = CASES[name]
    robot = lissom.Robot.from_yaml(BEAM)
    made = Scenario(robot=robot, duration=0.05, start="equilibrium", motion=HELD, **more).prepare()
    assert lissom.tip_pose(made.model, made.start[0])[2, 3] == pytest.approx(sag, rel=1e-3)


def test_it_stays_there_however_it_is_asked_for():
    robot, load = lissom.Robot.from_yaml(BEAM), {"link": "boom", "force": [0, 0, -50]}
    held, carried = {"foot": lissom.control.Reference.constant(0.0)}, [{"link": "boom", "mass": 5.0}]
    runs = [
        lissom.simulate(robot, 0.1, start="equilibrium", motion=held, loads=[load], payloads=carried),
        Scenario(robot=robot, duration=0.1, hold="joints", motion=HELD, loads=[load], payloads=carried).run(),
    ]
    for run in runs:
        z = run.tip("boom").values[:, 2]
        assert z[0] == pytest.approx(OWN - (50 + 5 * G) * L**3 / (3 * EI), rel=1e-3)
        assert np.ptp(z) < 1e-9


def test_cylinders_push_from_the_start():
    robot = lissom.Robot.from_yaml(
        """
lissom: 1
name: jack
gravity: [0, 0, 0]
links:
  - name: sledge
    joint: {name: slide, type: prismatic, axis: [1, 0, 0], spring: {stiffness: 400}}
    body: {mass: 3, inertia: [1, 1, 1]}
elements:
  - {name: ram, type: cylinder, drive: force, between: [{link: world, origin: {xyz: [-1, 0, 0]}}, {link: sledge}]}
"""
    )
    scenario = Scenario(robot=robot, duration=0.1, hold=(), loads=[{"element": "ram", "force": 20.0}])
    assert scenario.prepare().start[0] == pytest.approx([20 / 400], rel=1e-9)
