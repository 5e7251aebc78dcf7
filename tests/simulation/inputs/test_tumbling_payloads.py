"""Bodies that fly and tumble when a link grasps them: momentum kept, energy accounted for, drawn while carried."""

import numpy as np
import pytest

import lissom
from lissom import LissomError, Payload
from lissom.lie import so3
from lissom.view.drawing.arm_drawing import Drawing

INERTIA = np.diag([3.0, 4.0, 6.0])
CAUGHT = {"link": "left-forearm", "mass": 40.0, "inertia": INERTIA.tolist(), "com": [0.3, 0.1, -0.05]}
CAUGHT |= {"pick": 0.4, "velocity": [0.05, -0.1, 0.02], "spin": [0.1, 0.3, -0.2]}


def catch(**changes):
    return lissom.simulate(
        "satellite-two-arm", 1.0, payloads=[Payload(**(CAUGHT | changes))], rate=1000.0, rtol=1e-8, progress=False
    )


def test_a_free_robot_that_catches_a_tumbling_body_has_the_momentum_of_both():
    run = catch()
    found = run.momentum()
    assert np.abs(found.linear[run.time < 0.399]).max() < 1e-9
    np.testing.assert_allclose(found.linear[-1], 40 * np.array(CAUGHT["velocity"]), atol=2e-5)
    # about the world's origin: the body's own spin, and its flight past the origin
    k = int(np.searchsorted(run.time, 0.4 - 1e-9))
    pose = run.tip("left-forearm").values[k]
    R = lissom.tip_pose(run.model, run.q[k], "left-forearm")[:3, :3]
    centre = pose[:3] + R @ np.array(CAUGHT["com"])
    wanted = R @ INERTIA @ R.T @ np.array(CAUGHT["spin"]) + np.cross(centre, 40 * np.array(CAUGHT["velocity"]))
    for at in (k, -1):
        about_origin = found.angular[at] + np.cross(found.centre[at], found.linear[at])
        np.testing.assert_allclose(about_origin, wanted, atol=5e-5)


def test_the_energy_that_comes_with_it_is_accounted_for():
    run = catch()
    assert run.energy_audit().relative < 1e-4
    text = next(event.text for event in run.warnings if event.kind == "payload")
    lost = float(text.split("costs ")[1].split(" J")[0])
    k = int(np.searchsorted(run.time, 0.4 - 1e-9))
    spin, speed = np.array(CAUGHT["spin"]), np.array(CAUGHT["velocity"])
    R = lissom.tip_pose(run.model, run.q[k], "left-forearm")[:3, :3]
    flight = 0.5 * (40 * speed @ speed + spin @ R @ INERTIA @ R.T @ spin)
    kinetic = float(run.dataset["kinetic_energy"].values[k])
    assert lost == pytest.approx(flight - kinetic, rel=2e-3)


def test_a_body_caught_by_one_that_moves_alike_costs_nothing():
    """A single body drifts and turns about its centre; the payload at that centre has its very motion."""
    body = {"mass": 10.0, "com": [0, 0, 0], "inertia": [1.0, 2.0, 2.0]}
    links = [{"name": "bus", "joint": {"name": "base", "type": "free"}, "body": body}]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "puck", "gravity": [0, 0, 0], "links": links})
    start = (robot.compile().neutral(), np.array([0.3, 0, 0, 0.1, 0.2, 0.0]))
    for velocity, free in (([0.1, 0.2, 0.0], True), ([0.1, -0.2, 0.0], False)):
        held = Payload(link="bus", mass=5.0, inertia=[0.4, 0.5, 0.5], pick=1e-3, velocity=velocity, spin=[0.3, 0, 0])
        run = lissom.simulate(robot, 0.5, start=start, payloads=[held], progress=False)
        text = next(event.text for event in run.warnings if event.kind == "payload")
        lost = float(text.split("costs ")[1].split(" J")[0])
        # plastic: half the reduced mass times the square of the relative speed
        assert lost == pytest.approx(0.0 if free else 0.5 * (50 / 15) * 0.4**2, abs=2e-4)


def test_a_payload_that_is_carried_has_no_motion_of_its_own():
    with pytest.raises(LissomError, match=r"velocity.*leave one of the two out"):
        Payload(link="hand", mass=1.0, pick=1.0, motion="carried", velocity=[1, 0, 0])
    with pytest.raises(LissomError, match=r"spin.*give pick"):
        Payload(link="hand", mass=1.0, spin=[1, 0, 0])


def test_what_is_carried_is_drawn_while_it_is_carried_and_space_has_no_ground():
    run = catch(drop=0.8)
    arm = Drawing(run.model, carried=run.payloads)
    piece = next(piece for piece in arm.pieces if piece.role == "payload" and piece.shown is not None)
    assert [piece.there(t) for t in (0.0, 0.41, 0.79, 0.9)] == [False, True, True, False]
    q = run.q[450:451]
    points = arm.points(piece, arm.frames(arm.motion(q)), arm.motion(q).eta[0])
    T = lissom.tip_pose(run.model, q[0], "left-forearm")
    np.testing.assert_allclose(points.mean(axis=0), T[:3, :3] @ CAUGHT["com"] + T[:3, 3], atol=1e-9)
    assert not arm.grounded
    assert Drawing(lissom.load("ella").compile()).grounded


def test_the_frame_of_the_payload_may_be_turned_on_the_link():
    turn = [0.3, -0.2, 0.5]
    R = so3.from_rpy(np.array(turn))
    a = catch(origin={"rpy": turn}, com=(R.T @ CAUGHT["com"]).tolist(), inertia=(R.T @ INERTIA @ R).tolist())
    np.testing.assert_allclose(a.raw.v[-1], catch().raw.v[-1], atol=1e-8)
