"""A motor behind an elastic gear: the link lags and rings, as a spring between two inertias must.

Robots
"""

import numpy as np

import lissom

arm = lissom.Robot.from_yaml("""
lissom: 1
name: flexible-joint
gravity: [0, 0, 0]
links:
  - name: arm
    parent: world
    joint:
      {name: shoulder, type: revolute, axis: [0, 0, 1], transmission: {stiffness: 400, rotor_inertia: 0.2}}
    body: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
""")
modes = lissom.natural_modes(arm, locked=False)
link = 0.1 + 2 * 0.5**2
expected = np.sqrt(400 * (1 / link + 1 / 0.2)) / (2 * np.pi)  # both swing against each other
print(f"{modes.frequencies[-1]:.4f} Hz, by hand {expected:.4f} Hz")
assert abs(modes.frequencies[-1] / expected - 1) < 1e-6

law = lissom.control.pd(arm, {"shoulder": {"p": 60, "d": 12}}, reference=[1.0], side="motor")
run = lissom.simulate(arm, 2.0, controller=law, progress=False)
figure = run.plot("joints")
