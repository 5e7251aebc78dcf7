"""An arm picks up a payload in passing: momentum is shared, and energy lost, as in every plastic impact.

Space
"""

import lissom

arm = lissom.Robot.from_yaml("""
lissom: 1
name: arm
gravity: [0, 0, 0]
links:
  - name: arm
    parent: world
    joint: {name: shoulder, type: revolute, axis: [0, 0, 1]}
    body: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
""")
payload = {"link": "arm", "mass": 1.0, "com": [1.0, 0, 0], "pick": 0.5}  # lies in its way
run = lissom.simulate(arm, 1.0, start={"shoulder.rate": 2.0}, payloads=[payload], progress=False)
before, after = float(run.velocity("shoulder")[0]), float(run.velocity("shoulder")[-1])
inertia = 0.1 + 2 * 0.5**2
print(f"{before:.3f} rad/s before, {after:.3f} after")
assert abs(after / before - inertia / (inertia + 1.0)) < 1e-9
figure = run.plot("joints")
