"""State feedback from encoders and a noisy sensor of the tip damps a push that stiff PD control leaves ringing.

Control
"""

import numpy as np

import lissom
from lissom.control import lqr, pd

model = lissom.load("ella").compile()
pose = {"shoulder-yaw": 0.0, "shoulder": 0.7, "elbow": 0.4}
rest = lissom.static_equilibrium(model, pose)
v = np.zeros(model.nv)
v[[model.coordinates.index(joint) for joint in pose]] = 0.3  # a push
gains = {"shoulder-yaw": {"p": 9000, "d": 1500}, "shoulder": {"p": 20000, "d": 600}, "elbow": {"p": 6000, "d": 150}}
laws = {
    "PD": pd(model, gains, list(pose.values()), gravity_compensation=True),
    "LQR": lqr(model, pose, rate=500, sensors=[{"link": "forearm", "type": "deflection", "noise": 1e-4}]),
}
start = rest.q, v
runs = {name: lissom.simulate(model, 1.5, controller=law, start=start, progress=False) for name, law in laws.items()}
left = {name: float(np.ptp(run.tip("forearm").values[run.time > 1.0], axis=0).max()) for name, run in runs.items()}
print(left)
assert left["LQR"] < 0.3 * left["PD"]
figure = runs["LQR"].beside(PD=runs["PD"]).plot("deflection")
