"""A beam with a mass at its tip that swings from a damped hinge, for tests of error bars."""

import lissom

ARM = """
lissom: 1
name: swinging
gravity: [0, -9.81, 0]
materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}
links:
  - name: upper
    joint: {name: shoulder, type: revolute, axis: [0, 0, 1], damping: 0.2}
    beam:
      length: 1.0
      material: aluminium
      section: {shape: tube, outer: 20 mm, thickness: 1 mm}
      modes: MODES
      damping: 0.02
      stiffening: FIELD
  - name: hand
    joint: fixed
    body: {mass: 0.5}
"""


def arm(modes="{y: 1}", field="first"):
    return lissom.Robot.from_yaml(ARM.replace("MODES", modes).replace("FIELD", field))


def swing(robot, **options):
    return lissom.simulate(robot, 0.6, start={"shoulder": 0.4}, progress=False, **options)
