"""Friction with bristles: LuGre's and Dahl's closed forms, and other programs' numbers on the same equations."""

import numpy as np
import pytest
from driven_arms import KINDS, machine

import lissom
from lissom.dynamics import symbolic
from lissom.model import Robot

FC, FS, VS, S0, S1, S2 = 10.0, 15.0, 0.05, 1e4, 10.0, 2.0
LUGRE = {"law": "lugre", "coulomb": FC, "stick": FS - FC, "stribeck": VS}
LUGRE |= {"bristle_stiffness": S0, "bristle_damping": S1, "viscous": S2}
DAHL = {"law": "dahl", "coulomb": FC, "bristle_stiffness": S0}


def block(friction):
    joint = {"type": "prismatic", "axis": [1, 0, 0], "friction": friction}
    return Robot(name="block", gravity=(0, 0, 0), links=[{"name": "block", "joint": joint, "body": {"mass": 2.0}}])


@pytest.mark.parametrize("v", [-0.3, 0.01, 0.05, 0.2])
def test_steady_sliding_follows_stribecks_curve(v):
    model = block(LUGRE).compile()
    level = FC + (FS - FC) * np.exp(-((v / VS) ** 2))
    a = lissom.forward_dynamics(model, [0.0], [v, np.sign(v) * level / S0], [0.0, 0.0])
    assert a[1] == pytest.approx(0.0, abs=1e-12)
    assert -2.0 * a[0] == pytest.approx(np.sign(v) * level + S2 * v, rel=1e-12)


def test_what_hangs_on_bent_bristles_stays():
    model = block(LUGRE).compile()
    push = lissom.control.torques(model, {"block": 5.0})
    run = lissom.simulate(model, 2.0, start={"block.friction.bristle": 5.0 / S0}, controller=push)
    assert np.abs(np.asarray(run["block"])).max() < 1e-9


def test_dahls_friction_rises_exponentially_with_the_way():
    model = block(DAHL).compile()
    run = lissom.simulate(
        model, 0.01, start={"block.rate": 1.0}, controller=lissom.control.torques(model, {"block": 0.0}), rtol=1e-9
    )
    x = np.asarray(run["block"])
    exact = FC / S0 * (1 - np.exp(-S0 * x / FC))
    assert np.abs(np.asarray(run["block.friction.bristle"]) - exact).max() < 1e-6 * FC / S0 * 10


@pytest.mark.parametrize("kind", KINDS)
def test_casadi_expressions_equal_the_kernel(kind):
    pytest.importorskip("casadi")
    robot, command = machine(kind)
    model = robot.compile()
    q, v, tau = model.neutral() + 0.1, np.full(model.nv, 0.1), np.full(model.nv, command)
    exact = lissom.forward_dynamics(model, q, v, tau)
    found = np.array(symbolic.forward_dynamics(model)(q, v, tau)).ravel()
    assert np.abs(found - exact).max() <= 1e-12 * np.abs(exact).max()
