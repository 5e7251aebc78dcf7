"""First steps with an arm: what it is, what holds it, what its joints carry, how it vibrates, how it falls.

The first run compiles the dynamics, which takes a little while; later runs start at once.
"""

import numpy as np

import lissom

robot = lissom.load("ella")  # two slender steel links on three joints, 1.9 m long
model = robot.compile()
print(robot.describe())

# Stretched out level and at rest: `hold` are the forces on joints and modes that keep it there.
q, still = model.neutral(), np.zeros(model.nv)
hold = lissom.inverse_dynamics(model, q, still, still)
for k, name in enumerate(model.coordinates):
    if name in model.joints:
        print(f"{name:14s} {hold[k]:8.2f} N m to hold it")

# What each joint carries: the wrench of the parent on the child, torque first, in world axes.
wrenches = lissom.joint_wrenches(model, q, still, still, frame="world")
print(f"the base carries {wrenches[0, 4]:.1f} N")

# Natural frequencies with the joints locked; a finite-element model of the same arm has 2.759 Hz.
modes = lissom.natural_modes(model, q, locked=True)
print(modes)
assert abs(modes.frequencies[0] / 2.759 - 1) < 1e-3

# Let go, it falls; energy is kept but for what the links' own damping takes.
run = lissom.simulate(model, 0.5)
print(run.summary())
height = run.tip("forearm").sel(axis="y")
assert height[-1] < height[0] - 0.8
