"""How long must the cylinder be for the boom to stand at 10, 30 and 60 degrees? And what angle gives 4 m?

Cranes and machines
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom

crane = lissom.load("luffing-crane").compile()
angles = np.radians([10, 20, 30, 40, 50, 60])
lengths = [lissom.closed_pose(crane, {"pin": angle}).lengths["lift"] for angle in angles]
back = lissom.closed_pose(crane, {"lift": 4.0}).q[crane.q_names.index("pin")]
print("lengths", np.round(lengths, 3), "m; at 4 m the boom stands at", round(np.degrees(back), 2), "degrees")

assert abs(np.interp(4.0, lengths, np.degrees(angles)) - np.degrees(back)) < 0.5

figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.plot(np.degrees(angles), lengths, "o-", color="#0072B2")
axes.set(xlabel="boom angle [deg]", ylabel="cylinder length [m]")
