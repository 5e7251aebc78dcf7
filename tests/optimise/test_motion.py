"""Optimal motions: what they promise holds when the whole robot is simulated."""

import numpy as np
import pytest
from moving_arms import crane, rod, slewing_beam

import lissom
from lissom.optimise import Motion

pytest.importorskip("casadi")

GEAR = {"stiffness": 200, "rotor_inertia": 4e-4, "gear": 50, "damping": 0.1}  # 1 kg m2 at the joint


def scenario(robot, **more):
    return {"robot": robot, "duration": 1.0, **more}


def solve(robot, to, **fields):
    return Motion(scenario=scenario(robot), to=to, **fields).solve(progress=False)


def test_a_slewing_beam_stands_still_at_the_end_within_its_torque():
    best = solve(slewing_beam(), {"hub": 1.0}, duration=0.6, limits={"torque": 27})
    seen = best.verify(after=0.5)
    assert seen.ratio > 1000
    assert seen.residuals[0] > 1e-3
    assert np.abs(best.best.torque).max() <= 27 + 1e-6
    assert np.abs(best.before.torque).max() > 27  # the limit is felt
    assert float(np.abs(seen.after.torque("hub")).max()) <= 27
    assert float(seen.after["hub"][-1]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("intervals", [20, 40])
def test_the_least_time_of_a_rod_is_that_of_bang_bang(intervals):
    best = solve(rod(), {"pin": 1.0}, least="time", limits={"torque": 10}, intervals=intervals)
    exact = 2 * np.sqrt(2.5 * 1.0 / 10)  # inertia 2.5 kg m2, 1 rad
    assert exact < best.duration < exact * (1 + 0.15 / intervals)


def test_a_hook_hangs_still_after_its_trolley_stopped():
    best = solve(crane(), {"rail": 2.0}, duration=2.5, passive=["swing"], limits={"torque": {"rail": 60}})
    seen = best.verify(after=1.0)
    assert best.joints == ("rail",)
    assert seen.ratio > 500
    assert "force of rail" in str(best)
    assert "N m" not in str(best)


def test_what_cannot_come_to_rest_in_time_says_so():
    """The hook needs about the time of its own swing."""
    asked = {"to": {"rail": 2.0}, "passive": ["swing"], "limits": {"torque": 40}, "intervals": 20}
    hurried = solve(crane(), duration=1.5, **asked)
    assert hurried.best.residual > 1.0
    assert "cannot come to rest in 1.5 s" in hurried.left
    assert hurried.left.split(":")[0] in " ".join(str(hurried).split())
    assert solve(crane(), duration=2.5, **asked).left == ""


def test_a_motor_behind_an_elastic_gear_leaves_no_swing():
    best = solve(rod(transmission=GEAR), {"pin": 1.0}, duration=0.8, limits={"torque": 30}, intervals=60)
    seen = best.verify(after=0.5)
    assert seen.ratio > 100
    assert np.abs(best.best.torque).max() <= 30 + 1e-6
    t = np.linspace(0, 0.8, 50)
    wound = best.motors(t)[0] - best.reference(t)[0]
    assert 0.05 < np.abs(wound).max() < 0.3  # rad: the gear is wound up on the way


def test_limits_of_deflection_wrench_speed_and_position_hold_all_along():
    limits = {
        "torque": 30,
        "deflection": {"beam": 0.0105},
        "wrench": {"hub": {"force": 25, "torque": 19}},
        "speed": 1.6,
        "position": {"hub": [-0.01, 1.0]},
    }
    robot = slewing_beam(gravity=(0, -9.81, 0))
    best = solve(robot, {"hub": 1.0}, duration=1.0, limits=limits)
    run = best.simulate(after=0.2)
    assert float(np.linalg.norm(run.deflection("beam").values, axis=-1).max()) <= 0.0105 * 1.001
    wrench = run.wrench("hub").values
    assert np.linalg.norm(wrench[:, :3], axis=1).max() <= 19 * 1.001
    assert np.linalg.norm(wrench[:, 3:], axis=1).max() <= 25 * 1.001
    assert float(np.abs(run.velocity("hub")).max()) <= 1.6 * 1.001
    free = solve(robot, {"hub": 1.0}, duration=1.0, limits={"torque": 30})
    assert free.best.deflections["beam"].max() > 0.0105
    assert np.abs(free.best.v[:, 0]).max() > 1.6


def test_a_via_point_is_passed_where_asked_at_a_time_given_or_chosen():
    for time in (0.7, None):
        via = [{"to": {"hub": 0.8}} | ({} if time is None else {"time": time})]
        best = solve(slewing_beam(), {"hub": 0.2}, via=via, duration=1.2, limits={"torque": 30})
        passed = best.best.breaks[best.task.intervals[0]]
        assert time is None or passed == pytest.approx(time)
        assert best.duration == pytest.approx(1.2)
        assert float(best.reference(passed)[0][0]) == pytest.approx(0.8, abs=1e-9)
        for order, size in ((1, 1e-9), (2, 1e-6)):  # without a jump
            before, after = best.reference(passed - 1e-12)[order], best.reference(passed + 1e-12)[order]
            np.testing.assert_allclose(before, after, atol=size * 100)
        assert best.verify(after=0.5).ratio > 100


def test_reference_and_torque_belong_together():
    """Without feedback the torques alone make the motion, until small errors grow."""
    best = solve(slewing_beam(), {"hub": 1.0}, duration=0.6, limits={"torque": 30})
    law = lissom.control.torques(best.task.model, {"hub": best.torque})
    run = lissom.simulate(best.task.model, 0.6, controller=law, start=(best.task.start.q, 0 * best.task.start.q))
    np.testing.assert_allclose(run["hub"].values, best.reference(run.time)[0][:, 0], atol=2e-5)


def test_what_is_saved_runs_as_a_scenario(tmp_path):
    best = solve(slewing_beam(gravity=(0, -9.81, 0)), {"hub": 1.0}, duration=0.6, limits={"torque": 60})
    path = best.save(tmp_path / "slew")
    again = lissom.scenario.load(path)
    assert "motion.csv" in path.read_text()
    assert str(tmp_path) not in path.read_text()
    run, own = again.run(progress=False), best.simulate(rate=200)
    np.testing.assert_allclose(run["hub"].values, own["hub"].values, atol=1e-6)
    np.testing.assert_allclose(run.deflection("beam").values, own.deflection("beam").values, atol=1e-5)


def test_results_print_and_draw():
    best = solve(slewing_beam(), {"hub": 1.0}, duration=0.6, limits={"torque": 30}, intervals=12)
    assert "least vibration, slewing-beam" in str(best)
    assert best._repr_html_().startswith("<table>")
    assert best.to_dict()["torque of hub"]["limit"] == 30
    seen = best.verify(after=0.2)
    assert "vibration of the tip afterwards" in str(seen)
    assert seen.to_dict()["ratio"] == seen.ratio
    assert len(best.plot().axes) == 3
    assert len(seen.plot().axes) == 2


REFUSED = [
    ({"to": {"hubb": 1}}, r"to: slewing-beam has no joint 'hubb' .did you mean 'hub'"),
    ({"to": {"hub": 0.0}}, "to: nothing moves"),
    ({"duration": None}, "duration: missing; give the time of the motion"),
    ({"least": "tme"}, "least = 'tme'.*did you mean 'time'"),
    ({"least": "time", "duration": None, "limits": {}}, "limits.torque: missing; without one the least time is none"),
    ({"intervals": 3}, "intervals = 3: is too few; 4 is the least here"),
    ({"limits": {"torque": 1.0}}, r"limits.torque = 1: holding hub at the start alone takes 1\d.*raise its limit"),
    ({"limits": {"torque": {"hub": [5, 1]}}}, "limits.torque.hub = .*lower must be below upper"),
    ({"limits": {"deflection": {"beam": 1e-5}}}, "limits.deflection.beam = 1e-05: its weight alone bends it"),
    ({"limits": {"deflection": {"bem": 1e-5}}}, "limits.deflection.bem: does not bend; the links that do are beam"),
    ({"limits": {"wrench": {"hub": {"force": 1}}}}, "limits.wrench.hub.force = 1: its load at the start alone"),
    ({"limits": {"wrench": {"hob": {"force": 1}}}}, "limits.wrench.hob: slewing-beam has no such joint"),
    ({"limits": {"position": {"hub": [0.0, 0.5]}}}, "to: hub is at 1 at the end, beyond its limits 0 to 0.5"),
    ({"limits": {"position": {"hub": [0.5, 0.0]}}}, "limits.position.hub = .*must be .lower, upper."),
    (
        {"duration": 0.05, "limits": {"torque": 20}, "intervals": 8},
        "limits: no motion keeps the limits in 0.05 s; the smooth motion is beyond the torque of hub by .*more time",
    ),
    ({"via": [{"to": {"hub": 0.5}, "time": 2.0}]}, r"via\[0\].time = 2: must be earlier"),
    ({"passive": ["hug"]}, "passive: slewing-beam has no joint 'hug' .did you mean 'hub'"),
]


@pytest.mark.parametrize(("change", "text"), REFUSED, ids=[text[:40] for _, text in REFUSED])
def test_what_cannot_be_is_refused(change, text):
    given = {"scenario": scenario(slewing_beam(gravity=(0, -9.81, 0))), "to": {"hub": 1.0}, "duration": 1.0}
    with pytest.raises(lissom.LissomError, match=text):
        Motion(**(given | change)).solve(progress=False)


def test_robots_with_loops_and_free_bodies_are_refused_by_name():
    for name, text in (("five-bar", "five-bar has loops"), ("satellite-two-arm", "turns freely in space")):
        with pytest.raises(lissom.LissomError, match=text):
            Motion(scenario=name, to=0.1, duration=1.0).solve(progress=False)


def test_without_casadi_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "casadi", None)
    with pytest.raises(lissom.LissomError, match=r"pip install \"lissom\[symbolic\]\""):
        solve(slewing_beam(), {"hub": 1.0}, duration=0.6)
