"""What a parameter does to a motion: the exact derivative of the whole path, against the difference of two runs."""

import numpy as np

import lissom
from lissom.control import Reference, pd

robot = lissom.load("ella")
model = robot.compile()
rest = lissom.static_equilibrium(model)
gains = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}
move = Reference.quintic([0.0, 0.0, 0.0], [-0.5, 0.7, 0.4], duration=0.4)
law = pd(model, gains, move, gravity_compensation=True)

paths = ["links.upper.beam.section.EIz", "links.forearm.beam.length"]
found = lissom.sensitivity(robot, paths, 0.4, controller=law, start=rest.q, rate=100, rtol=1e-8, atol=1e-10)
for path, effect in zip(paths, found.relative()[:, -1]):
    print(f"{path:30s} 1 % more moves the tip at the end by {10 * np.linalg.norm(effect):.3f} mm")

# The same by two whole simulations that differ a little. The law is that of the nominal arm in both.
path = paths[1]
length, change = robot.value(path), 1e-4
tips = []
for value in (length - change, length + change):
    other = robot.with_value(path, value)
    run = lissom.simulate(other, 0.4, controller=law, start=rest.q, rtol=1e-9, atol=1e-11)
    tips.append(run.tip("forearm")[-1].values)
difference = (tips[1] - tips[0]) / (2 * change)
print("m per m of the forearm: by differences", difference, "exact", found.output[1, -1])
assert np.abs(found.output[1, -1] - difference).max() < 1e-4 * np.abs(difference).max()
