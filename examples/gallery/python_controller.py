"""Any Python function controls an arm, sampled 1000 times per second: here with integral action.

Control
"""

import numpy as np

import lissom

boom = lissom.Robot.from_yaml("""
lissom: 1
name: boom
gravity: [0, 0, -9.81]
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
links:
  - name: boom
    joint: {name: luff, type: revolute, axis: [0, -1, 0], transmission: {rotor_inertia: 20}}
    beam: {length: 3 m, material: steel, section: {shape: tube, outer: 80 mm, thickness: 4 mm}, masses: [{mass: 20}]}
""").compile()
luff, errors = boom.coordinates.index("luff"), [0.0]


def control(t, q, v):
    """Hold the boom level: nobody told it what it weighs."""
    errors.append(errors[-1] - q[luff] / 1000)
    tau = np.zeros(boom.nv)
    tau[luff] = -20000 * q[luff] - 4000 * v[luff] + 20000 * errors[-1]
    return tau


run = lissom.simulate(boom, 4.0, controller=control, progress=False)
print(f"it falls by {-np.degrees(run['luff'].min().item()):.2f} degrees and comes back")
assert abs(run["luff"][-1]) < 1e-3 < abs(run["luff"]).max()
figure = run.plot("joints")
