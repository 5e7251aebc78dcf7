"""Loops: a joint of a tree moved to a loop changes nothing; derivatives, redundant rows, actuators."""

from __future__ import annotations

import numpy as np
import pytest
from cut_joints import carried_over, cut
from loop_problems import five_bar
from random_robots import EVERY, random_description, random_state
from rigid_mechanisms import rigid_four_bar

import lissom
from lissom.dynamics import close_loops, closed_loops, integrate, loop_gaps, loop_jacobian
from lissom.dynamics.kinematic_loops.loop_closing import closed_velocity

KINDS = tuple(kind for kind in EVERY if kind != "free")


@pytest.mark.parametrize("stiffening", ["none", "exact"])  # `first` has terms of fourth order on closed rings alone
@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_of_the_tree_may_as_well_close_a_loop(kind, stiffening):
    rng = np.random.default_rng(KINDS.index(kind))
    for k in (1, 3):
        joints = [str(rng.choice(KINDS)) for _ in range(5)]
        joints[k] = kind
        data = random_description(rng, joints, 0.6, stiffening, transmissions=0.0, passive=0.0)
        robot = lissom.Robot.from_dict(data)
        tree, other = robot.compile(), cut(data, k).compile()
        q, v = random_state(robot, rng)
        tau = rng.normal(size=tree.nv)
        tau[tree.link(f"link{k}").joint_v] = 0.0
        q1, v1 = carried_over(tree, q, v, other, f"link{k}")
        tau1 = np.zeros(other.nv)
        for name in tree.links:
            body, there = tree.link(name), other.link(name)
            tau1[there.modes_v] = tau[body.modes_v]
            if name != f"link{k}":
                tau1[there.joint_v] = tau[body.joint_v]
        assert np.abs(loop_gaps(other, q1)).max(initial=0.0) < 1e-12
        a = lissom.forward_dynamics(tree, q, v, tau)
        closed = closed_loops(other, q1, v1, tau1)
        size = np.abs(a).max()
        for name in tree.links:
            body, there = tree.link(name), other.link(name)
            np.testing.assert_allclose(closed.a[there.modes_v], a[body.modes_v], atol=1e-9 * size)
            if name != f"link{k}":
                np.testing.assert_allclose(closed.a[there.joint_v], a[body.joint_v], atol=1e-9 * size)
        wrench = lissom.joint_wrenches(tree, q, v, a)[k]
        np.testing.assert_allclose(closed.wrenches[0], wrench, atol=1e-9 * np.abs(wrench).max())
        theirs = lissom.joint_wrenches(other, q1, v1, closed.a, multipliers=closed.multipliers)
        ours = lissom.joint_wrenches(tree, q, v, a)
        for name in tree.links:
            if name != f"link{k}":
                row = ours[tree.row(name) - 1]
                np.testing.assert_allclose(theirs[other.row(name) - 1], row, atol=1e-8 * np.abs(ours).max())


def test_redundant_rows_are_found_and_their_reactions_least():
    model = rigid_four_bar().compile()
    q = close_loops(model, {"crank": 0.7})
    v = closed_velocity(model, q, np.array([2.0, 0.0, 0.0]), {0})
    closed = closed_loops(model, q, v)
    assert closed.rank == 2
    assert closed.redundant == ("pin: force along z", "pin: torque about y", "pin: torque about x")
    np.testing.assert_allclose(closed.multipliers[2:], 0.0, atol=1e-12)
    G, M = loop_jacobian(model, q), lissom.mass_matrix(model, q)
    force = M @ closed.a + lissom.bias(model, q, v)
    np.testing.assert_allclose(force, G.T @ closed.multipliers, atol=1e-10)
    h = 1e-6
    rate = (loop_jacobian(model, integrate(model, q, h * v)) - loop_jacobian(model, integrate(model, q, -h * v))) / (
        2 * h
    )
    np.testing.assert_allclose(G @ closed.a + rate @ v, 0.0, atol=1e-7)


def test_the_same_accelerations_however_the_loop_is_held():
    """A ball joint closes a planar four-bar as well as a hinge: the rest of the hinge has nothing to do."""
    robot = rigid_four_bar()
    data = robot.to_dict()
    data["loops"][0]["joint"] = "spherical"
    q = close_loops(robot, {"crank": 0.7})
    model, ball = robot.compile(), lissom.Robot.from_dict(data).compile()
    v = closed_velocity(model, q, np.array([2.0, 0.0, 0.0]), {0})
    one, other = closed_loops(model, q, v), closed_loops(ball, q, v)
    np.testing.assert_allclose(one.a, other.a, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(one.wrenches[0, 3:], other.wrenches[0, 3:], rtol=1e-9, atol=1e-9)


def test_derivatives_equal_differences():
    robot, start, _, _ = five_bar(y=2, stiffening="exact")
    model = robot.compile()
    rng = np.random.default_rng(3)
    q = close_loops(model, start, keep=())
    v = closed_velocity(model, q, 0.5 * rng.normal(size=model.nv), set())
    tau = rng.normal(size=model.nv)
    exact = lissom.derivatives(model, q, v, tau)
    h, size = 1e-6, np.abs(exact.a).max()
    for k in range(model.nv):
        e = h * np.eye(model.nv)[k]
        for got, plus, minus in (
            (
                exact.q,
                closed_loops(model, integrate(model, q, e), v, tau),
                closed_loops(model, integrate(model, q, -e), v, tau),
            ),
            (exact.v, closed_loops(model, q, v + e, tau), closed_loops(model, q, v - e, tau)),
            (exact.tau, closed_loops(model, q, v, tau + e), closed_loops(model, q, v, tau - e)),
        ):
            column = (plus.a - minus.a) / (2 * h)
            np.testing.assert_allclose(got[:, k], column, atol=1e-5 * max(size, np.abs(column).max()))
    by_length = lissom.dynamics.parameter_derivatives(model, ["links.far0.beam.length"], q, v, tau)[0]
    step = 1e-6
    sides = [
        lissom.forward_dynamics(robot.with_value("links.far0.beam.length", 0.4 + s).compile(), q, v, tau)
        for s in (step, -step)
    ]
    np.testing.assert_allclose(by_length, (sides[0] - sides[1]) / (2 * step), atol=1e-4 * np.abs(by_length).max())


def test_chosen_actuators_do_what_forces_on_all_joints_do():
    model = rigid_four_bar().compile()
    q = close_loops(model, {"crank": 0.7})
    v = closed_velocity(model, q, np.array([2.0, 0.0, 0.0]), {0})
    tau = np.array([3.0, -1.0, 0.5])
    a = lissom.forward_dynamics(model, q, v, tau)
    for motor in ("crank", "coupler", "rocker"):
        alone = lissom.inverse_dynamics(model, q, v, a, actuators=[motor])
        assert np.count_nonzero(alone) == 1
        np.testing.assert_allclose(lissom.forward_dynamics(model, q, v, alone), a, rtol=1e-9)
    with pytest.raises(lissom.LissomError, match="these accelerations would open pin by"):
        lissom.inverse_dynamics(model, q, v, a + np.array([0.0, 1.0, 0.0]), actuators=["crank"])
    flexible, start, _, _ = five_bar(y=1, axial=0, stiffening="first")
    bent = flexible.compile()
    q = close_loops(bent, start, keep=())
    still = np.zeros(bent.nv)
    needed = lissom.forward_dynamics(bent, q, still, np.eye(bent.nv)[bent.coordinates.index("far0.y1")])
    with pytest.raises(lissom.LissomError, match="cannot produce these accelerations"):
        lissom.inverse_dynamics(bent, q, still, needed, actuators=["near0", "near1"])


def test_wrenches_of_a_robot_with_loops_need_its_multipliers():
    model = rigid_four_bar().compile()
    q = close_loops(model, {"crank": 0.7})
    with pytest.raises(lissom.LissomError, match="multipliers=closed_loops"):
        lissom.joint_wrenches(model, q, np.zeros(3), np.zeros(3))


def test_symbols_see_the_same_loops():
    pytest.importorskip("casadi")
    from lissom.dynamics import symbolic

    robot, start, _, _ = five_bar(y=1, axial=0, stiffening="first")
    model = robot.compile()
    q = close_loops(model, start, keep=())
    rng = np.random.default_rng(0)
    v, tau = rng.normal(size=(2, model.nv))
    closed = closed_loops(model, q, v, tau)
    force, rows = symbolic.closed_dynamics(model)(q, v, tau, closed.a, closed.multipliers)
    np.testing.assert_allclose(np.array(force), 0.0, atol=1e-9 * np.abs(closed.a).max())
    np.testing.assert_allclose(np.array(rows)[:2], 0.0, atol=1e-9 * np.abs(closed.a).max())
    np.testing.assert_allclose(np.array(symbolic.loop_gaps(model)(q)).ravel(), loop_gaps(model, q), atol=1e-14)
    with pytest.raises(lissom.LissomError, match="closed_dynamics"):
        symbolic.forward_dynamics(model)
