"""Two bodies that dock and part in time: momentum kept, energy accounted for, one run of all phases."""

import numpy as np
import pytest

import lissom
from lissom import LissomError, Phase


def body(name, mass, inertia, **more):
    return {"name": name, "parent": "world", "joint": {"name": f"{name}-base", "type": "free"},
            "body": {"mass": mass, "com": [0, 0, 0], "inertia": inertia}, **more}  # fmt: skip


ROBOT = lissom.Robot.from_dict(
    {
        "lissom": 1,
        "name": "docking",
        "gravity": [0, 0, 0],
        "links": [body("chaser", 10.0, [1.0, 2.0, 2.0]), body("target", 30.0, [4.0, 5.0, 6.0])],
        "loops": [{"name": "dock", "between": [{"link": "chaser", "origin": {"xyz": [0.5, 0, 0]}}, {"link": "target"}],
                   "joint": {"type": "fixed"}}],
    }
)  # fmt: skip
MODEL = ROBOT.model_copy(update={"loops": ()}).compile()


def begin():
    q, v = MODEL.neutral(), np.zeros(MODEL.nv)
    places = {name: k for k, name in enumerate(MODEL.coordinates)}
    q[MODEL.joint("target-base").joint_q.start + 4 :][:3] = [1.6, 0.1, 0.0]
    v[places["chaser-base.vx"]], v[places["target-base.vx"]] = 0.3, -0.1
    v[places["target-base.wz"]], v[places["target-base.wx"]] = 0.2, 0.1
    return q, v


@pytest.fixture(scope="module")
def run():
    phases = [Phase(1.5), Phase(2.0, ["dock"]), Phase(1.0)]
    return lissom.run_phases(ROBOT, phases, start=begin(), rate=200.0, rtol=1e-8, progress=False)


def about_origin(found):
    return found.angular + np.cross(found.centre, found.linear)


def test_momentum_stays_through_docking_and_parting(run):
    assert run.time[-1] == pytest.approx(4.5)
    assert np.all(np.diff(run.time) > 0)
    found = run.momentum()
    np.testing.assert_allclose(found.linear, np.broadcast_to([0, 0, 0], found.linear.shape), atol=2e-6)
    whole = about_origin(found)
    np.testing.assert_allclose(whole, np.broadcast_to(whole[0], whole.shape), atol=2e-6)


def test_docked_bodies_move_as_one_and_part_without_a_jump(run):
    twist = {name: run.velocity(f"{name}-base").values for name in ("chaser", "target")}
    docked = (run.time > 1.5 + 1e-9) & (run.time < 3.5 - 1e-9)
    speed = {name: np.linalg.norm(one[:, :3], axis=1) for name, one in twist.items()}
    np.testing.assert_allclose(speed["chaser"][docked], speed["target"][docked], atol=1e-7)
    assert np.abs(speed["chaser"] - speed["target"])[run.time < 1.4].min() > 0.1
    apart = run.tip("target").values[:, :3] - run.tip("chaser").values[:, :3]
    np.testing.assert_allclose(np.linalg.norm(apart[docked], axis=1), np.linalg.norm(apart[docked][0]), atol=1e-6)
    k = int(np.searchsorted(run.time, 3.5 - 1e-9))
    np.testing.assert_allclose(run.raw.v[k - 1], run.raw.v[k], atol=2e-3)


def test_the_energy_of_the_impact_is_told_and_accounted_for(run):
    event = next(event for event in run.warnings if event.kind == "latch" and event.value > 0)
    assert event.time == 1.5
    kinetic = run.dataset["kinetic_energy"].values
    k = int(np.searchsorted(run.time, 1.5 - 1e-9))
    assert kinetic[k - 1] - kinetic[k] == pytest.approx(event.value, rel=1e-6)
    assert run.energy_audit().relative < 1e-6


def test_the_dock_carries_a_wrench_while_it_is_closed_alone(run):
    wrench = np.abs(run.dataset["loop_wrench"].values).reshape(len(run.time), -1).max(axis=1)
    assert wrench[run.time < 1.49].max() == 0
    assert wrench[run.time > 3.51].max() == 0
    assert wrench[(run.time > 1.6) & (run.time < 3.4)].min() > 1e-6


def test_wrong_phases_are_told():
    with pytest.raises(LissomError, match=r"closed.*is not a loop of docking"):
        lissom.run_phases(ROBOT, [Phase(1.0, ["hook"])])
    with pytest.raises(LissomError, match=r"closes a second time"):
        lissom.run_phases(ROBOT, [Phase(1.0, ["dock"]), Phase(1.0), Phase(1.0, ["dock"])])
