"""Input shaping: the same move without the ringing, at the price of a fraction of a second."""

import numpy as np

import lissom
from lissom.control import Reference, pd, shape, shaper

model = lissom.load("ella").compile()
goal = {"shoulder-yaw": 0.0, "shoulder": 0.7, "elbow": 0.4}
gains = {"shoulder-yaw": {"p": 9000, "d": 1500}, "shoulder": {"p": 20000, "d": 600}, "elbow": {"p": 6000, "d": 150}}
move = Reference.quintic([0.0, 0.0, 0.0], list(goal.values()), duration=0.4)

# Impulses that cancel the vibration of the two slowest modes of the arm under this control, at the end of the move.
sequence = shaper(model, goal, kind="zvd", modes=2, gains=gains)
print(sequence)


def ringing(reference):
    """Peak to peak of the payload's height once the longer move is over, m."""
    run = lissom.simulate(model, 1.8, controller=pd(model, gains, reference, gravity_compensation=True))
    height = run.tip("forearm").sel(axis="y")
    return float(np.ptp(height.values[height.time > 0.4 + sequence.duration]))


plain, shaped = ringing(move), ringing(shape(move, sequence))
print(f"ringing {1000 * plain:.2f} mm, shaped {1000 * shaped:.3f} mm; {sequence.duration:.2f} s later")
assert shaped < 0.1 * plain
