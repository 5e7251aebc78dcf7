"""Where and when is the boom stressed most, and how far from yielding?

Cranes and machines
"""

import lissom

robot = lissom.Robot.from_yaml("""
lissom: 1
name: jib
gravity: [0, 0, -9.81]
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850, yield_stress: 355 MPa}}
links:
  - name: jib
    parent: world
    joint: {type: fixed}
    beam:
      length: 6 m
      material: steel
      section: {shape: box, width: 150 mm, height: 250 mm, thickness: 6 mm}
      masses: [{mass: 500}]
""")
run = lissom.simulate(robot, 1.0, progress=False)  # the load is dropped onto the jib
(peak,) = run.stress_peaks()
print(f"{peak.stress / 1e6:.0f} MPa at {peak.at}, t = {peak.time:.2f} s; safety {peak.safety:.2f}")

rest = 500 * 9.81 * 6 * 0.125 / ((0.15 * 0.25**3 - 0.138 * 0.238**3) / 12)  # of the load alone, at rest
assert 1.9 < peak.stress / rest < 2.6  # suddenly applied, and its own weight
figure = run.plot("sections")
