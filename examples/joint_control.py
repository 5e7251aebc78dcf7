"""PD control of a two-link arm, and the wrench that its elbow carries meanwhile."""

import numpy as np

import lissom
from lissom.control import Reference, pd

model = lissom.load("ella").compile()
joints = ("shoulder-yaw", "shoulder", "elbow")
gains = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}
move = Reference.quintic([0.0, 0.0, 0.0], [-0.5, 0.7, 0.4], duration=1.0)

law = pd(model, gains, move, gravity_compensation=True)
run = lissom.simulate(model, 3.0, controller=law)
print(run.summary())

# Every quantity has its name: joint angles, motor torques, deflections, wrenches.
for joint, goal in zip(joints, (-0.5, 0.7, 0.4)):
    print(f"{joint:14s} ends {1000 * float(run[joint][-1] - goal):+.2f} mrad from its goal")
peak = float(np.abs(run.deflection("upper")).max())
print(f"the upper arm bends by up to {1000 * peak:.1f} mm")

# The wrench of the upper arm on the forearm, at the elbow, in world axes. At the end it holds the forearm's weight ...
wrench = run.wrench("elbow", frame="world")
print(wrench.isel(time=-1).values.round(2))
weight = 9.81 * (0.93 * 1.6302 + 2.1)  # 0.93 m of 1.63 kg/m and the payload
assert abs(float(wrench.sel(wrench_component="fy")[-1]) / weight - 1) < 1e-3
# ... and about the joint's axis it is what the motor gives.
motor = run.torque("elbow").values
along_axis = run.wrench("elbow").sel(wrench_component="tz").values
assert np.abs(motor - along_axis).max() < 1e-4 * np.abs(motor).max()
