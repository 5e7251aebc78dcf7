"""The same move with and without input shaping: the ringing is gone, a fraction of a second later.

Control
"""

import numpy as np

import lissom
from lissom.control import Reference, pd, shape, shaper

model = lissom.load("ella").compile()
goal = {"shoulder-yaw": 0.0, "shoulder": 0.7, "elbow": 0.4}
gains = {"shoulder-yaw": {"p": 9000, "d": 1500}, "shoulder": {"p": 20000, "d": 600}, "elbow": {"p": 6000, "d": 150}}
move = Reference.quintic([0.0, 0.0, 0.0], list(goal.values()), duration=0.4)
sequence = shaper(model, goal, kind="zvd", modes=2, gains=gains)

plain, shaped = (
    lissom.simulate(model, 1.6, controller=pd(model, gains, path, gravity_compensation=True), progress=False)
    for path in (move, shape(move, sequence))
)
late = plain.time > 0.4 + sequence.duration
ringing = [float(np.ptp(run.tip("forearm").values[late, 1])) for run in (plain, shaped)]
print(f"ringing {1e3 * ringing[0]:.2f} mm, shaped {1e3 * ringing[1]:.3f} mm")
assert ringing[1] < 0.1 * ringing[0]
figure = shaped.beside(plain=plain).plot("deflection")
