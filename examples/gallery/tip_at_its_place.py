"""An arm that sags aims higher: the pose at rest in which its bent tip, not its drawing, is at the target.

Cranes and machines
"""

import numpy as np

import lissom

arm = lissom.load("ella").with_value("gravity", (0, -9.81, 0)).compile()
target = [1.0, 0.5, np.nan]  # m; the third direction is free
drawn = lissom.inverse_kinematics(arm, target)
bent = lissom.inverse_kinetostatics(arm, target)

sagging = lissom.static_equilibrium(arm, drawn.q)
missed = lissom.tip_pose(arm, sagging.q)[:2, 3] - target[:2]
met = lissom.tip_pose(arm, bent.q)[:2, 3] - target[:2]
print(
    f"aimed as drawn the tip is {1e3 * np.linalg.norm(missed):.2f} mm off, with sag {1e3 * np.linalg.norm(met):.5f} mm"
)
assert np.linalg.norm(met) < 1e-6 < 1e-3 < np.linalg.norm(missed)
run = lissom.simulate(arm, 0.4, start=bent.q, progress=False)
