"""Why a PD controller sags, and what gravity compensation does about it: on the joints, and on links that bend."""

import numpy as np

import lissom
from lissom.control import pd

model = lissom.load("ella").compile()
goal = {"shoulder-yaw": 0.0, "shoulder": 0.7, "elbow": 0.4}
gains = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}


def settled(**options):
    """Errors of the joints after 4 s, in rad."""
    law = pd(model, gains, list(goal.values()), **options)
    run = lissom.simulate(model, 4.0, controller=law, start=goal)
    return np.array([float(run[joint][-1]) - angle for joint, angle in goal.items()])


plain, compensated = settled(), settled(gravity_compensation=True)
print("errors in mrad, PD alone:          ", (1000 * plain).round(2))
print("errors in mrad, gravity compensated:", (1000 * compensated).round(2))

# PD alone settles where p times the error holds the arm up.
at_rest = lissom.static_equilibrium(model, {joint: goal[joint] + e for joint, e in zip(goal, plain)})
for joint, error in zip(goal, plain):
    assert abs(-gains[joint]["p"] * error - at_rest.torques[joint]) < 0.05

# The compensation knows the arm as a rigid one: what is left is the weight's lever, which bending moves.
assert np.abs(compensated).max() < 0.02 * np.abs(plain).max()
