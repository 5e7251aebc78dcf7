"""Momentum of whole robots: by hand, by its balance with the forces from outside, and its conservation in space."""

import numpy as np
import pytest

import lissom
from lissom.results.momentum import momentum


def bar(kind, **more):
    """A rigid bar, 2 kg, its centre 0.4 m out."""
    joint = {"type": kind} | more
    body = {"mass": 2.0, "com": [0.4, 0, 0], "inertia": [0.01, 0.03, 0.03]}
    return lissom.Robot.from_dict(
        {"lissom": 1, "name": "bar", "links": [{"name": "bar", "joint": joint, "body": body}]}
    )


def test_a_turning_bar_by_hand():
    model = bar("revolute", axis=[0, 0, 1]).compile()
    angle, rate = 0.7, 3.0
    found = momentum(model, np.array([[angle]]), np.array([[rate]]))
    out, across = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
    assert found.centre[0] == pytest.approx(0.4 * out)
    assert found.linear[0] == pytest.approx(2.0 * 0.4 * rate * across)
    assert found.angular[0] == pytest.approx([0, 0, 0.03 * rate])


def test_a_free_body_by_hand():
    model = bar("free").compile()
    q, v = model.neutral(), np.array([0.1, -0.2, 0.3, 1.0, 2.0, 3.0])
    q[4:] = 5.0, 6.0, 7.0
    found = momentum(model, q[None], v[None])
    arm = np.array([0.4, 0, 0])
    assert found.centre[0] == pytest.approx(arm + q[4:])
    assert found.linear[0] == pytest.approx(2.0 * (v[3:] + np.cross(v[:3], arm)))
    assert found.angular[0] == pytest.approx([0.01, 0.03, 0.03] * v[:3])


@pytest.mark.parametrize("name", ["ella", "canadarm2"])
def test_what_the_base_gives_changes_the_momentum(name):
    """d/dt of both momenta, by differences, is what gravity and the wrench of the ground give."""
    run = lissom.simulate(name, 0.2, rate=2000, progress=False)
    found, dt = momentum(run.model, run.q, run.v), run.time[1] - run.time[0]
    mass = float(np.real(sum(link.mass for link in run.model.flexible.values())))
    mass += sum(float(link.body.mass) for link in run.model.robot.links if link.body is not None)
    wrench = run.wrench(run.model.joints[0], "world").values
    origin = run.dataset["link_position"].values[:, 0]
    force = wrench[:, 3:] + mass * np.array(run.model.robot.gravity)
    torque = wrench[:, :3] + np.cross(origin - found.centre, wrench[:, 3:])
    middle = slice(2, -2)
    for change, given in ((found.linear, force), (found.angular, torque)):
        slope = (change[2:] - change[:-2]) / (2 * dt)
        assert slope[middle] == pytest.approx(given[1:-1][middle], abs=2e-2 * np.abs(given).max())
    speed = (found.centre[2:] - found.centre[:-2]) / (2 * dt)
    assert mass * speed == pytest.approx(found.linear[1:-1], abs=1e-2 * np.abs(found.linear).max())


def test_a_satellite_keeps_its_momentum():
    from lissom.scenario import load

    run = load("satellite-two-arm").run(duration=0.5, rtol=1e-8, progress=False)
    data = run.dataset
    assert data["momentum"].dims == ("time", "axis")
    assert np.abs(data["momentum"]).max() < 1e-6 * np.abs(run.v).max()
    assert np.abs(data["angular_momentum"]).max() < 1e-5 * np.abs(run.v).max()
    assert np.ptp(data["centre_of_mass"].values, axis=0).max() < 1e-6
    assert "momentum" not in lissom.simulate("ella", 0.01, progress=False).dataset


def test_forces_on_a_free_base_by_name():
    """20 N along x for 0.1 s on the bus, and 3 N m about z: impulse and angular impulse are theirs."""
    model = lissom.load("satellite-two-arm").compile()
    thrusters = lissom.control.torques(model, {"base.vx": 20.0})
    run = lissom.simulate(model, 0.1, controller=thrusters, progress=False)
    assert run.dataset["momentum"].values[-1] == pytest.approx([2.0, 0, 0], abs=1e-5)
    wheel = lissom.control.torques(model, {"base": [0, 0, 3.0, 0, 0, 0]})
    run = lissom.simulate(model, 0.1, controller=wheel, progress=False)
    assert run.dataset["angular_momentum"].values[-1] == pytest.approx([0, 0, 0.3], abs=1e-4)
    with pytest.raises(lissom.LissomError, match="not a single angle"):
        lissom.control.pd(model, {"base.vx": {"p": 1.0, "d": 1.0}}, 0.0)


def test_the_summary_names_every_end_effector():
    model = lissom.load("satellite-two-arm").compile()
    assert model.ends == ("left-gripper", "right-gripper")
    run = lissom.simulate(model, 0.02, progress=False)
    assert [row.tip_of for row in run.summary().settling if row.tip_of] == list(model.ends)


def test_payloads_are_part_of_the_momentum_while_they_are_carried():
    robot = bar("free").model_copy(update={"gravity": (0.0, 0.0, 0.0)})
    held = {"link": "bar", "origin": {"xyz": [0.8, 0, 0]}, "mass": 1.0, "com": [0, 0.1, 0]}
    held |= {"inertia": [0.02, 0.01, 0.02], "pick": 0.3, "drop": 0.7}
    start = {"bar": [1, 0, 0, 0, 0, 0, 0], "bar.rate": [0.3, -0.5, 2.0, 1.0, 0.5, 0.2]}
    run = lissom.simulate(robot, 1.0, start=start, payloads=[held], rate=20, progress=False)
    found, during = run.momentum(), (run.time > 0.3) & (run.time < 0.7 - 1e-9)
    linear, spin = found.linear, found.angular + np.cross(found.centre, found.linear)  # about the world's origin
    for kept in (linear[run.time < 0.7 - 1e-9], spin[run.time < 0.7 - 1e-9]):
        assert np.abs(kept - kept[0]).max() < 1e-6
    assert np.abs(linear[run.time > 0.7] - linear[0]).max() > 0.1  # it takes some along
    speed = np.gradient(found.centre[during], run.time[during], axis=0)
    np.testing.assert_allclose(3.0 * speed[1:-1], linear[during][1:-1], rtol=1e-5, atol=1e-5)
