"""A hinge with an elastic gear: its friction sticks near rest, and the gear has hysteresis."""

import lissom

TEXT = """
lissom: 1
name: hinge
gravity: [0, 0, 0]
links:
  - name: arm
    joint:
      name: hinge
      type: revolute
      axis: [0, 0, 1]
      friction: {coulomb: 0.4, velocity: 0.02, stick: 0.3, stribeck: 0.2, viscous: 0.5}
      transmission: {stiffness: 50, rotor_inertia: 0.02, damping: 0.1, hysteresis: 0.25, hysteresis_velocity: 0.05}
    body: {mass: 1, com: [0.3, 0, 0], inertia: [0.03, 0.04, 0.05]}
"""
ROBOT = lissom.Robot.from_yaml(TEXT)
