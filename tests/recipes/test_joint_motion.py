"""Joints that move as no type of lissom does: along a path that a file gives, or by motions in a row from outside.

A guided joint turns by q and goes along a polynomial of q: cams, spirals, threads of changing pitch. Its numbers are
data of the file, so that nothing is compiled. Turns and slides one after the other are a kind that a package registers.
What the kernel has no step for is refused, and so is what the formulations of papers do not know.
"""

import shutil
import subprocess

import numpy as np
import pytest
from claims import claim_equal
from random_robots import random_robot
from random_trees import Case

import lissom
from lissom.kernel.data.arrays import JointMotion
from lissom.model import Robot
from lissom.model.description import joint_kinds
from lissom.model.description.joint_kinds import FIRST, NORMAL, SECOND, Kind, register_kind
from lissom.theory import entries
from lissom.theory.formulation import Unsupported

TURN = JointMotion.TURN


def arm(joint, name="arm"):
    """A body on a joint, and a second on a hinge."""
    body = {"mass": 2.0, "com": [0.3, 0.02, 0.05], "inertia": [0.02, 0.05, 0.04], "tip": [0.5, 0, 0]}
    links = [
        {"name": "upper", "joint": {"name": "root", **joint}, "body": body},
        {"name": "lower", "joint": {"type": "revolute", "axis": [0, 1, 0]}, "body": body},
    ]
    return Robot.from_dict({"lissom": 1, "name": name, "links": links})


SPIRAL = {"type": "guided", "axis": [0, 1, 0], "path": [[0.2, 0.05, 0], [0.06, 0, -0.1]]}


@pytest.fixture
def gimbal(monkeypatch):
    """Register turns about three axes, for one test."""
    monkeypatch.setattr(joint_kinds, "KINDS", joint_kinds.KINDS)
    before = dict(joint_kinds.KINDS)
    register_kind("gimbal", Kind(((TURN, FIRST), (TURN, SECOND), (TURN, NORMAL)), axes=2))
    yield {"type": "gimbal", "axes": [[0, 0, 1], [0, 1, 0]]}
    joint_kinds.KINDS.clear()
    joint_kinds.KINDS.update(before)


@pytest.mark.parametrize("seed", range(3))
def test_guided_joints_move_as_the_independent_derivation_says(seed):
    rng = np.random.default_rng(seed)
    joints = ("guided", "universal", "guided", "prismatic", "guided")
    case = Case(random_robot(rng, joints, flexible=(True, False, True, False, False)), rng)
    claim_equal(
        lissom.forward_dynamics(case.model, *case.state, case.tau, case.named_wrenches),
        case.independent.forward(*case.state, case.tau, case.wrenches),
        1e-9,
    )
    claim_equal(lissom.mass_matrix(case.model, case.q), case.independent.mass_matrix(case.q), 1e-10)
    claim_equal(
        lissom.joint_wrenches(case.model, *case.state, case.a),
        case.independent.joint_wrenches(*case.state, case.a),
        1e-11,
    )


def test_a_straight_path_along_the_axis_is_a_thread():
    thread = arm({"type": "helical", "axis": [1, 2, 2], "pitch": 0.3}).compile()
    along = np.array([1, 2, 2]) / 3 * 0.3 / (2 * np.pi)
    guided = arm({"type": "guided", "axis": [1, 2, 2], "path": [along.tolist()]}).compile()
    q, v = np.array([0.7, -0.4]), np.array([1.5, 2.0])
    claim_equal(lissom.forward_dynamics(guided, q, v), lissom.forward_dynamics(thread, q, v), 1e-13)


def test_it_is_simulated_linearised_and_derived():
    robot, fine = arm(SPIRAL), {"start": {"root": 0.4}, "rtol": 1e-9, "atol": 1e-11}
    run = lissom.simulate(robot, 1.0, **fine)
    energy = run["kinetic_energy"].values + run["gravity_energy"].values
    np.testing.assert_allclose(energy, energy[0], atol=1e-6)
    assert abs(run.q[-1, 0] - 0.4) > 0.5  # it moves far along its path

    model = robot.compile()
    q, v, step = np.array([0.4, -0.3]), np.array([1.0, 2.0]), 1e-6
    found = lissom.derivatives(model, q, v)
    linear = lissom.linearise(model, q)
    for k in range(2):
        for of, v_at, slope in (("motion", v, found.q), ("rest", 0 * v, linear.A[2:, :2])):
            ends = [lissom.forward_dynamics(model, q + sign * step * np.eye(2)[k], v_at) for sign in (1, -1)]
            np.testing.assert_allclose(slope[:, k], np.subtract(*ends) / (2 * step), rtol=1e-6, atol=1e-6, err_msg=of)

    path = "links.upper.joint.path.1.0"
    slope = lissom.sensitivity(robot, [path], 0.5, **fine)
    ends = [lissom.simulate(robot.with_value(path, 0.06 + d), 0.5, **fine).q[-1] for d in (1e-5, -1e-5)]
    np.testing.assert_allclose(slope.q[0, -1], np.subtract(*ends) / 2e-5, rtol=1e-4)


def test_it_runs_in_batches():
    path = "links.upper.joint.path.0.0"
    lengths = np.linspace(0.1, 0.3, 9)  # more than one pack of vector lanes
    steps = {"method": "radau", "step": 0.01, "cores": 1, "progress": False}
    batch = lissom.simulate_batch(arm(SPIRAL), {path: lengths}, 0.2, outputs=["last position.root"], **steps)
    for run, length in enumerate(lengths[[0, 8]]):
        alone = lissom.simulate(arm(SPIRAL).with_value(path, length), 0.2, method="radau", step=0.01)
        found = batch["last position.root"].values[[0, 8][run]]
        np.testing.assert_allclose(found, alone.q[-1, 0], rtol=1e-9, atol=1e-12)


@pytest.mark.skipif(not (shutil.which("make") and shutil.which("cc")), reason="there is no C compiler here")
@pytest.mark.parametrize("backend", ["straight", "loops"])
def test_exported_code_moves_along_the_path(backend, tmp_path):
    lissom.export.to_c(arm(SPIRAL), tmp_path, functions=["forward_dynamics"], backend=backend)
    done = subprocess.run(["make", "test"], cwd=tmp_path, capture_output=True, text=True)  # compares with Python
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_does_not_know_the_motion_refuses_it_by_name():
    model = arm(SPIRAL).compile()
    for name, entry in entries().items():
        if name != "kernel":
            with pytest.raises(Unsupported, match=r"upper\.joint\.type = 'guided': \w+ knows no such motion"):
                entry.make(model)
    loop = {"name": "closed", "joint": SPIRAL, "between": [{"link": "lower"}, {"link": "world"}]}
    with pytest.raises(lissom.LissomError, match=r"guided joint holds a path, for which loops have no row"):
        Robot.from_dict(arm({"type": "revolute", "axis": [0, 1, 0]}).to_dict() | {"loops": [loop]})


def test_motions_in_a_row_are_a_kind_from_outside(gimbal):
    model = arm(gimbal).compile()
    assert [name for name in model.q_names if name.startswith("root")] == ["root.1", "root.2", "root.3"]
    q, v = np.array([0.3, -0.5, 0.8, 0.2]), np.array([1.0, -2.0, 0.5, 1.5])
    a = lissom.forward_dynamics(model, q, v)
    agreed = []
    for name, entry in entries().items():
        try:
            formulation = entry.make(model)
        except Unsupported:
            continue
        claim_equal(formulation.accelerations(q, v, np.zeros(4)), a, 1e-9)
        agreed.append(name)
    assert {"kernel", "lie_group", "recursive_lagrange", "erls"} <= set(agreed)


def test_what_the_kernel_cannot_step_through_is_no_kind(gimbal):
    for kind, text in (
        (Kind(((7, FIRST),), axes=1), "7 is no elementary motion of the kernel"),
        (Kind(((TURN, FIRST),) * 4, axes=1), "at most 3 motions"),
        (Kind(((JointMotion.BALL, FIRST), (TURN, FIRST)), axes=1), "or one on a group"),
        (Kind(((TURN, SECOND),), axes=1), "an axis that files do not give"),
    ):
        with pytest.raises(lissom.LissomError, match=text):
            register_kind("odd", kind)
    assert "odd" not in joint_kinds.KINDS
