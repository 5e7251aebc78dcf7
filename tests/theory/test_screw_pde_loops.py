"""Loops in the stacked system: the closure and its wrench as unknowns, against the kernel's loops."""

import numpy as np
import pytest
from cut_joints import carried_over, cut
from loop_problems import five_bar
from random_robots import random_description, random_state

import lissom
from lissom import theory
from lissom.dynamics import loop_jacobian
from lissom.model.description.joint_kinds import KINDS
from lissom.theory.screw_pde import ScrewPDE, integrate

SOFT = {"length": 0.6, "section": {"rhoA": 0.8, "EA": 2e4, "EIy": 8.0, "EIz": 12.0, "GJ": 5.0, "Jx": 1e-3}}
SOFT |= {"modes": {"y": 1, "z": 1}, "ends": "legendre", "stiffening": "none"}  # with `first` loops bring more terms
HAND = {"mass": 1.0, "com": [0.2, 0, 0], "inertia": [0.01, 0.02, 0.02]}


def same(x, y, tolerance=1e-9):
    np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * np.abs(y).max())


def moving(model, q, seed=0):
    """Random velocities that keep the loops closed."""
    v, G = 0.3 * np.random.default_rng(seed).normal(size=model.nv), loop_jacobian(model, q)
    return v - np.linalg.pinv(G) @ (G @ v)


@pytest.mark.parametrize("stiffening", ["none", "first"])
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.closes_loops])
def test_every_kind_of_joint_closes_a_loop_as_in_the_kernel(kind, stiffening):
    rng = np.random.default_rng(3)
    data = random_description(rng, ["revolute", kind, "spherical"], 0.6, stiffening, transmissions=0.0, passive=0.0)
    tree, model = lissom.Robot.from_dict(data).compile(), cut(data, 1).compile()
    q, v = carried_over(tree, *random_state(tree.robot, rng), model, "link1")
    tau = rng.normal(size=model.nv)
    ours, kernel = theory.build("screw_pde", model).system(q, v, tau).solve(), lissom.closed_loops(model, q, v, tau)
    same(ours.accelerations, kernel.a)
    same(ours.closures, kernel.wrenches)
    joints = lissom.joint_wrenches(model, q, v, kernel.a, multipliers=kernel.multipliers)
    same(ours.wrenches, joints)


def gripping_satellite():
    """A free bus, two arms that hold each other by a universal joint, and a rod from the world to a beam."""
    links = [
        {"name": "bus", "joint": {"name": "base", "type": "free"}, "body": {"mass": 5, "inertia": [0.5, 0.6, 0.7]}}
    ]
    for side, y in (("left", 0.3), ("right", -0.3)):
        links.append(
            {"name": side, "parent": "bus", "origin": {"xyz": [0.1, y, 0]}, "joint": "spherical", "beam": SOFT}
        )
        hinge = {"type": "revolute", "axis": [0, 0.3, 1]}
        links.append({"name": f"{side}-hand", "parent": side, "joint": hinge, "body": HAND})
    tips = [{"link": f"{side}-hand", "origin": {"xyz": [0.4, 0, 0], "rpy": [0, 0, turn]}}
            for side, turn in (("left", 0.0), ("right", 0.3))]  # fmt: skip
    stay = [{"link": "world", "origin": {"xyz": [0.2, 0, 1.5]}}, {"link": "left", "at": 0.4}]
    loops = [
        {"name": "grip", "joint": {"type": "universal", "axes": [[1, 0, 0], [0, 1, 0]]}, "between": tips},
        {"name": "stay", "distance": 1.5, "between": stay},
    ]
    return lissom.Robot.from_dict({"name": "gripping", "gravity": [0, 0, -9.81], "links": links, "loops": loops})


def test_loops_of_a_floating_robot_move_as_the_kernel_moves_them():
    model = gripping_satellite().compile()
    q = lissom.close_loops(model, {"left-hand.near": -0.6, "right-hand.near": 0.6})
    start = q, moving(model, q)
    motion = integrate(ScrewPDE(model), 0.04, start=start, rate=50, step=1e-3)
    run = lissom.simulate(model, 0.04, start=start, rate=50, rtol=1e-11, atol=1e-11, progress=False)
    np.testing.assert_allclose(motion.q, run.q, atol=1e-8)
    for k, name in enumerate(("grip", "stay")):
        same(motion.closures[:, k], run.loop_wrench(name).values, 1e-6)
    assert motion.position_drift.max() < 1e-12
    assert motion.velocity_drift.max() < 1e-12
    drifting = integrate(ScrewPDE(model), 0.02, start=start, rate=50, step=1e-3, method="exponential")
    assert motion.velocity_drift.max() < drifting.velocity_drift.max() < 1e-8


@pytest.mark.parametrize("ends", ["legendre", "auto"])
def test_a_loop_that_is_held_too_often_has_the_least_wrench(ends):
    robot, start, _, _ = five_bar(y=2, axial=1, stiffening="none", ends=ends)
    model = robot.model_copy(update={"gravity": (0.0, -9.81, 0.0)}).compile()
    q = lissom.close_loops(model, start)
    v, tau = moving(model, q), np.zeros(model.nv)
    ours, kernel = ScrewPDE(model), lissom.closed_loops(model, q, v)
    assert kernel.rank == 2  # of five
    solution = ours.system(q, v, tau).solve()
    same(solution.accelerations, kernel.a)
    same(solution.closures, kernel.wrenches)
    np.testing.assert_allclose(ours.tip(q), lissom.tip_pose(model, q), atol=1e-12)


def test_the_time_loop_moves_closed_robots_by_the_formulations_own_wrenches():
    model = gripping_satellite().compile()
    q = lissom.close_loops(model, {"left-hand.near": -0.6, "right-hand.near": 0.6})
    start = q, moving(model, q)
    run, kernel = (theory.simulate(theory.build(name, model), 0.03, start=start) for name in ("screw_pde", "kernel"))
    np.testing.assert_allclose(run.q, kernel.q, atol=1e-7)
    wrench = kernel.numbers["wrench"]
    assert np.abs(run.numbers["wrench"] - wrench).max() < 1e-3 * np.abs(wrench).max()


@pytest.mark.parametrize("name", ["slider-crank", "five-bar", "two-arms-one-beam"])
def test_closed_robots_of_the_library_move_as_shipped(name):
    """With geometrically exact links, bowed ones, and prescribed motors."""
    prepared = lissom.scenario.load(name).prepare()
    model = prepared.model
    given = {"controller": prepared.controller, "start": prepared.start, "motion": prepared.motion or None}
    seconds = {"slider-crank": 4e-4, "five-bar": 0.02, "two-arms-one-beam": 0.05}[name]
    run, kernel = (theory.simulate(theory.build(each, model), seconds, **given) for each in ("screw_pde", "kernel"))
    np.testing.assert_allclose(run.q, kernel.q, atol=1e-6)
    assert np.abs(kernel.q[-1] - kernel.q[0]).max() > 1e-5
    rng = np.random.default_rng(2)
    tau = np.zeros(model.nv)
    tau[[model.joint(joint).joint_v.start for joint in model.joints[:2]]] = rng.normal(size=2)
    q, v, a = kernel.q[-1], kernel.v[-1], lissom.forward_dynamics(model, kernel.q[-1], kernel.v[-1], tau)
    same(ScrewPDE(model).driven_accelerations(q, v, tau, a), a)


@pytest.mark.parametrize("name", [name for name in theory.names() if name not in ("kernel", "lie_group", "screw_pde")])
def test_links_that_bow_between_their_ends_are_refused_by_name(name):
    beam = SOFT | {"frame": "chord", "stiffening": "first"}
    robot = lissom.Robot.from_dict(
        {"name": "bowed", "links": [{"name": "rod", "joint": {"type": "revolute", "axis": [0, 0, 1]}, "beam": beam}]}
    )
    formulation = name.removesuffix("_nonlinear")
    with pytest.raises(theory.Unsupported, match=f"beam.stiffening: {formulation} has no terms of fourth order"):
        theory.build(name, robot)
