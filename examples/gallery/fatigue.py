"""How many such swings does a weld last? Rainflow counting and the Woehler line of EN 1993-1-9.

Cranes and machines
"""

import lissom

robot = lissom.Robot.from_yaml("""
lissom: 1
name: jib
gravity: [0, 0, -9.81]
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
links:
  - name: jib
    parent: world
    joint: {type: fixed}
    beam:
      length: 6 m
      material: steel
      section: {shape: box, width: 150 mm, height: 250 mm, thickness: 6 mm}
      damping: 0.02
      masses: [{mass: 500}]
""")
run = lissom.simulate(robot, 2.0, progress=False)
weld, better = (run.fatigue("jib", category) for category in (71e6, 112e6))
print(weld)
assert abs(better.damage / weld.damage - (71 / 112) ** 3) < 0.2 * (71 / 112) ** 3  # the slope of the line is 3
figure = run.plot("deflection")
