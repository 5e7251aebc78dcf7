"""Inverse kinematics of a redundant arm: of all poses the one that moves its joints least.

Robots
"""

import numpy as np

import lissom

arm = lissom.load("rigid-7-axis").compile()
begin = np.linspace(0.2, 0.8, arm.nq)
target = lissom.tip_pose(arm, begin)[:3, 3] + [0.03, -0.03, 0.02]
found = lissom.inverse_kinematics(arm, target, q=begin).q
assert np.linalg.norm(lissom.tip_pose(arm, found)[:3, 3] - target) < 1e-8

# Any other pose that reaches it is farther away: along the motions that leave the tip where it is, nothing is gained.
J = lissom.jacobian(arm, found, arm.links[-1])[3:]
still = np.linalg.svd(J)[2][3:]
print("left to gain by moving on:", np.abs(still @ (found - begin)).max())
assert np.abs(still @ (found - begin)).max() < 1e-5
run = lissom.simulate(arm, 0.5, start=found, progress=False)
