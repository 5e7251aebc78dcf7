"""A couple at its tip rolls a straight rod into half a circle, exactly.

Research and teaching
"""

import numpy as np

import lissom

rod = lissom.Robot.from_yaml("""
lissom: 1
name: rod
gravity: [0, 0, 0]
links:
  - name: rod
    parent: world
    joint: {type: fixed}
    beam:
      length: 1.0
      section: {rhoA: 0.1, EA: 1.0e4, EIy: 1.0, EIz: 1.0, GJ: 1.0}
      stiffening: exact
      modes: {y: 6, z: 6}
""")
rest = lissom.static_equilibrium(rod, loads={"rod": (0, 0, np.pi, 0, 0, 0)})
tip = lissom.tip_pose(rod.compile(), rest.q)
print("tip at", tip[:2, 3].round(9), "; half a circle ends at (0, 2 / pi)")
assert np.abs(tip[:2, 3] - [0, 2 / np.pi]).max() < 1e-6
run = lissom.simulate(rod, 0.3, start=rest.q, progress=False)  # let go
