"""Arms whose parameters are known, and what noisy sensors would record of them."""

from functools import cache

import numpy as np

import lissom
from lissom.control import Reference, torques

JOINT = """
lissom: 1
name: elastic-joint
gravity: [0, 0, 0]
links:
  - name: arm
    joint:
      name: hinge
      type: revolute
      axis: [0, 0, 1]
      friction: {coulomb: 0.1, velocity: 0.05, viscous: 0.3}
      transmission: {stiffness: 50, rotor_inertia: 0.02, damping: 0.1}
    body: {mass: 1, com: [0.3, 0, 0], inertia: [0.03, 0.04, 0.05], tip: [0.5, 0, 0]}
"""
UPPER = """
lissom: 1
name: two-links
gravity: [0, -9.81, 0]
materials: {steel: {E: 2.0e11, nu: 0.3, rho: 7800}}
links:
  - name: upper
    joint: {name: shoulder, type: revolute, axis: [0, 0, 1], friction: {viscous: 1.0}, spring: {stiffness: 40}}
    beam:
      length: 0.6
      material: steel
      section: {shape: rectangle, width: 0.006, height: 0.03}
      modes: {y: 1}
      damping: {stiffness: 1.0e-3}
"""
TWO_LINKS = (
    UPPER
    + """\
  - name: lower
    joint: {name: elbow, type: revolute, axis: [0, 0, 1], friction: {viscous: 0.4}, spring: {stiffness: 15}}
    beam:
      length: 0.5
      material: steel
      section: {shape: rectangle, width: 0.005, height: 0.03}
      modes: {y: 1}
      damping: {stiffness: 1.0e-3}
      masses: [{mass: 0.3}]
"""
)
FOUR = """
lissom: 1
name: four-joints
gravity: [0, 0, -9.81]
links:
  - name: base
    joint: {name: j1, type: revolute, axis: [0, 0, 1], damping: 2.0, spring: {stiffness: 30}}
    body: {mass: 4, com: [0, 0, 0.1], inertia: [0.05, 0.05, 0.04], tip: [0, 0, 0.2]}
  - name: upper
    joint: {name: j2, type: revolute, axis: [0, 1, 0], damping: 1.5, spring: {stiffness: 80}}
    body: {mass: 2.5, com: [0.2, 0, 0], inertia: [0.01, 0.04, 0.04], tip: [0.4, 0, 0]}
  - name: lower
    joint: {name: j3, type: revolute, axis: [0, 1, 0], damping: 0.8, spring: {stiffness: 40}}
    body: {mass: 1.5, com: [0.15, 0, 0], inertia: [0.005, 0.02, 0.02], tip: [0.3, 0, 0]}
  - name: hand
    joint: {name: j4, type: revolute, axis: [1, 0, 0], damping: 0.1, spring: {stiffness: 5}}
    body: {mass: 0.6, com: [0.05, 0.03, 0], inertia: [0.002, 0.003, 0.003], tip: [0.1, 0, 0]}
"""
ARMS = {  # text, torque per joint, outputs with their noise, parameters
    "elastic joint": (
        JOINT,
        {"hinge": 2.0},
        {"rotor_position.hinge": 1e-3, "position.hinge": 1e-3},
        ("links.arm.joint.transmission.stiffness", "links.arm.joint.friction.viscous",
         "links.arm.joint.friction.coulomb", "links.arm.body.inertia.2.2"),
    ),
    "two links": (
        TWO_LINKS,
        {"shoulder": 6.0, "elbow": 2.0},
        {"position.shoulder": 1e-3, "position.elbow": 1e-3, "deflection.upper.y": 1e-4},
        ("links.upper.beam.section.width", "links.lower.beam.masses.0.mass",
         "links.upper.joint.friction.viscous", "links.lower.joint.friction.viscous"),
    ),
    "four joints": (
        FOUR,
        {"j1": 5.0, "j2": 8.0, "j3": 4.0, "j4": 0.5},
        {f"position.j{k}": 2e-3 for k in (1, 2, 3, 4)},
        ("links.hand.body.mass", "links.base.joint.damping", "links.upper.joint.damping",
         "links.lower.joint.spring.stiffness", "links.hand.body.inertia.0.0"),
    ),
}  # fmt: skip
DURATION, RATE = 3.0, 100.0


def truth(arm):
    return lissom.Robot.from_yaml(ARMS[arm][0])


@cache
def clean(arm):
    """Time, torques and outputs without noise."""
    _, drive, outputs, _ = ARMS[arm]
    model = truth(arm).compile()
    t = np.arange(round(DURATION * RATE) + 1) / RATE
    u = {
        joint: size * (np.sin(2 * np.pi * (0.5 + 0.3 * k) * t) + 0.6 * np.sin(2 * np.pi * (1.9 + 0.7 * k) * t + k))
        for k, (joint, size) in enumerate(drive.items())
    }
    law = torques(model, {joint: Reference.from_samples(t, values, "linear") for joint, values in u.items()})
    run = lissom.simulate(model, DURATION, controller=law, rate=RATE, rtol=1e-8, atol=1e-10, progress=False)
    table = run.to_dataframe()
    known = {"rotor_position.hinge": "rotor_position.hinge.rotor"}
    return t, u, {output: table[known.get(output, output)].to_numpy() for output in outputs}


def record(arm, seed, noise=1.0, **more):
    """A record with white noise."""
    t, u, outputs = clean(arm)
    rng = np.random.default_rng(seed)
    data = {"time": t, **{f"u.{joint}": values for joint, values in u.items()}}
    for output, sigma in ARMS[arm][2].items():
        data[output] = outputs[output] + noise * sigma * rng.standard_normal(len(t))
    given = {"data": data, "outputs": dict.fromkeys(ARMS[arm][2]), "torques": {joint: f"u.{joint}" for joint in u}}
    return lissom.identify.Record(**(given | more))


def guess(arm, by=1.15):
    """The robot with wrong values where they are to be found."""
    robot = truth(arm)
    for k, path in enumerate(ARMS[arm][3]):
        robot = robot.with_value(path, robot.value(path) * (by if k % 2 else 1 / by))
    return robot
