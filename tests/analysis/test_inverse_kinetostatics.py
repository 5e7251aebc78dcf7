"""Where links sag, joints aim higher: the bent tip is at its target, and the pose is at rest."""

import numpy as np
import pytest

import lissom
from lissom.errors import LissomError
from lissom.lie import se3


def check_rest(model, found, **given):
    """The pose is at rest: beginning there, nothing moves."""
    rest = lissom.static_equilibrium(model, found.q, lengths=found.lengths or None, **given)
    np.testing.assert_allclose(rest.q, found.q, atol=1e-6)


@pytest.mark.parametrize("height", [-1.0, 0.5, 2.0])
def test_the_bent_tip_of_a_crane_is_at_its_target(height):
    model = lissom.load("luffing-crane").compile()
    begin, free = lissom.closed_pose(model, {"pin": 0.5}).q, {"hold": ("slew",)}  # the load hangs, the cylinder holds
    tip = lissom.tip_pose(model, begin, "boom")[:3, 3]
    begin[[model.q_names.index(f"swing.{axis}") for axis in "xyz"]] = tip - [0, 0, 3.0]
    target = tip + np.array([0, 0, height])
    wanted = [np.nan, np.nan, target[2]]
    found = lissom.inverse_kinetostatics(model, wanted, "boom", q=begin, **free)
    assert lissom.tip_pose(model, found.q, "boom")[2, 3] == pytest.approx(target[2], abs=1e-6)
    check_rest(model, found, **free)
    unbent = lissom.inverse_kinematics(model, wanted, "boom", q=begin)
    sagging = lissom.static_equilibrium(model, unbent.q, lengths=unbent.lengths or None, **free)
    assert lissom.tip_pose(model, sagging.q, "boom")[2, 3] < target[2] - 0.05  # what aiming at the target would miss


def test_a_cantilever_aims_higher_by_its_sag():
    """A slender rod with a weight at its tip: the tip is level with its joint though the rod is bent down."""
    model = lissom.load("spinup-beam").with_value("gravity", (0, -0.5, 0)).compile()
    load = {"link": (0, 0, 0, 0, -0.2, 0)} if "link" in model.links else {model.links[-1]: (0, 0, 0, 0, -0.2, 0)}
    found = lissom.inverse_kinetostatics(model, [np.nan, 0.0, np.nan], loads=load)
    assert abs(lissom.tip_pose(model, found.q)[1, 3]) < 1e-6
    assert found.q[0] > 1e-3
    check_rest(model, found, loads=load)


def test_a_whole_pose_is_met():
    model = lissom.load("rigid-7-axis").compile()
    goal = lissom.tip_pose(model, np.linspace(0.1, 0.7, model.nq))
    found = lissom.inverse_kinetostatics(model, goal, q=np.linspace(0.15, 0.6, model.nq))
    assert np.linalg.norm(se3.log(se3.inverse(goal) @ lissom.tip_pose(model, found.q))) < 1e-6


def test_what_is_out_of_reach_is_told():
    with pytest.raises(LissomError, match="target"):
        lissom.inverse_kinetostatics("ella", [9.0, 0.0, 0.0])
