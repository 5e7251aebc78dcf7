"""State feedback with an estimator: encoders and a sensor of the tip's deflection, 500 samples per second."""

import numpy as np

import lissom
from lissom.control import lqr, pd

model = lissom.load("ella").compile()
pose = {"shoulder-yaw": 0.0, "shoulder": 0.7, "elbow": 0.4}
rest = lissom.static_equilibrium(model, pose)
sensor = {"link": "forearm", "type": "deflection", "noise": 1e-4}
regulator = lqr(model, pose, rate=500, sensors=[sensor])

# Everything but the joints is at rest when the arm is pushed: each joint moves at 0.3 rad/s.
v = np.zeros(model.nv)
for joint in pose:
    v[model.coordinates.index(joint)] = 0.3


def swing(controller):
    """How far the payload still swings after a second, peak to peak, m."""
    run = lissom.simulate(model, 2.0, controller=controller, start=(rest.q, v))
    path = run.tip("forearm").values[run.time > 1.0]
    return float(np.ptp(path, axis=0).max())


gains = {"shoulder-yaw": {"p": 9000, "d": 1500}, "shoulder": {"p": 20000, "d": 600}, "elbow": {"p": 6000, "d": 150}}
stiff = pd(model, gains, list(pose.values()), gravity_compensation=True)
print(f"PD: {1000 * swing(stiff):.2f} mm, state feedback: {1000 * swing(regulator):.2f} mm")
assert swing(regulator) < 0.2 * swing(stiff)
