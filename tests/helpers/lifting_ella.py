"""ELLA in the middle of its lift, for tests of deformation fields."""

from functools import cache

import numpy as np

import lissom
from lissom.control import Reference, pd
from lissom.theory.screw_pde import ScrewPDE

GAINS = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}


@cache
def lifting(n):
    """ELLA after 0.6 s of its lift, with n functions per bending plane: formulation, q, v, tau."""
    robot = lissom.load("ella")
    for link in ("upper", "forearm"):
        for direction, count in (("y", n), ("z", n), ("torsion", max(1, n - 1)), ("axial", max(1, n - 1))):
            robot = robot.with_value(f"links.{link}.beam.modes.{direction}", count)
    model = robot.compile()
    law = pd(model, GAINS, Reference.quintic(np.zeros(3), np.array([-0.4928, 0.6922, 0.427]), 1.5))
    run = lissom.simulate(model, 0.6, controller=law)
    q, v = run.q[-1], run.v[-1]
    return ScrewPDE(model), q, v, law(0.6, q, v)
