"""`auto` sees what makes steps short: springs, dampers, ropes, bushings and contacts beside links, joints and gains."""

import numpy as np
import pytest
from random_robots import random_description, random_state
from touching import ball

import lissom
from lissom.dynamics import derivatives, energy
from lissom.model import Robot
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.spectral_radius import spectral_radius
from lissom.simulation.stepping.time_loop import TimeLoop


def fastest(robot, **start):
    """Rate that a run of the robot finds at its start, 1/s."""
    run = RunMemory(robot, RunSettings(duration=1.0), **start)
    run.accelerate(0.0)
    return spectral_radius(run.model, run.packed, run.scratch, run.state)


def block(**element):
    """A free body of 2 kg on one element."""
    between = [{"link": "world"}, {"link": "block", "origin": {"xyz": [0, 0, 1.0]}}]
    return Robot.from_dict(
        {
            "name": "block",
            "gravity": [0, 0, 0],
            "links": [
                {"name": "block", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "body": {"mass": 2.0}},
            ],
            "elements": [{"name": "e", "between": between} | element],
        }
    )


@pytest.mark.parametrize(
    ("element", "rate"),
    [
        ({"type": "spring", "stiffness": 8e4, "length": 1.0}, 200.0),
        ({"type": "spring", "length": 1.0, "curve": {"polynomial": [8e4, 0, 1e5]}}, 200.0),
        ({"type": "rope", "stiffness": 8e4, "length": 2.0}, 200.0),
        ({"type": "damper", "damping": 800.0}, 400.0),
        ({"type": "bushing", "stiffness": [1, 1, 1, 1e4, 1e4, 8e4]}, 200.0),
    ],
)
def test_the_rate_of_one_element_is_exact(element, rate):
    assert fastest(block(**element)) == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_stiff_springs_in_random_trees_are_found(number):
    rng = np.random.default_rng(number)
    data = random_description(rng, 4, flexible=0.5)
    ends = [{"link": "world", "origin": {"xyz": [0.3, 0.2, 3.0]}}, {"link": data["links"][-1]["name"]}]

    def sprung(stiffness, length):
        spring = {"name": "s", "type": "spring", "stiffness": stiffness, "length": length, "between": ends}
        return Robot.from_dict(data | {"elements": [spring]})

    plain = sprung(2.0, 0.0)
    q, _ = random_state(plain, rng)
    rest = np.zeros(plain.nv)
    robot = sprung(1e9, float(np.sqrt(energy(plain, q, rest).elements)))  # without force where it is
    exact = np.sqrt(np.abs(np.linalg.eigvals(derivatives(robot, q, rest, rest).q)).max())
    assert fastest(robot, start=(q, rest)) == pytest.approx(exact, rel=0.02)


def test_a_ball_that_will_fall_on_a_hard_floor_is_taken_as_stiff():
    robot = ball(9.81, stiffness=1e9)
    falls = fastest(robot, start={"ball": [1, 0, 0, 0, 0, 0, 0.6]})
    deepest = (2.0 * 9.81 * 0.5 * 2.5 / 1e9) ** 0.4
    assert falls == pytest.approx(np.sqrt(1.5e9 * deepest**0.5 / 2.0), rel=1e-6)


@pytest.mark.parametrize("rtol", [1e-4, 1e-6])
def test_a_ball_that_slides_begins_to_roll_whatever_the_tolerance(rtol):
    start = {"ball": [1, 0, 0, 0, 0, 0, 0.1], "ball.rate": [0, 0, 0, 0.5, 0, 0]}
    run = lissom.simulate(ball(9.81, friction=0.4), 0.4, rtol=rtol, atol=0.01 * rtol, start=start)
    assert run.info.method == "radau"
    assert run.info.steps < 1000
    spin, speed = run.dataset["tip_twist"].values[-1, 0, [1, 3]]
    kept = 0.008 / (2.0 * 0.1**2)  # share of the impulse of friction that turns it
    assert speed == pytest.approx(0.5 / (1 + kept), rel=1e-2)  # it sinks in a little, so its arm is shorter
    assert float(run.dataset["contact_sliding"].values[-1, 0]) < 1e-6
    assert spin == pytest.approx(speed / 0.1, rel=1e-2)
    assert run.energy_audit().relative < 1e-4


def test_an_implicit_method_that_follows_every_vibration_hands_over_to_an_explicit_one():
    spring = block(type="spring", stiffness=8e4, length=1.0)
    excited = lissom.simulate(spring, 20.0, start={"block": 0.1}, rtol=1e-9, atol=1e-9, rate=50)
    assert excited.info.method == "dop853"
    assert "took over at t" in excited.info.reason
    np.testing.assert_allclose(excited["block"], 0.1 * np.cos(200.0 * excited.time), atol=1e-6)
    stored = excited.dataset["stored_energy"].values
    late = stored[excited.time > 10.0]
    assert abs(late[-100:].mean() / late[:100].mean() - 1) < 1e-7  # since it took over
    still = lissom.simulate(spring, 20.0, start={"block": 1e-12}, rtol=1e-9, atol=1e-9, rate=50)
    assert still.info.method == "radau"


STEPS = {"rk4": 2e-5, "generalised-alpha": 2e-4, "cvode-adams": None, "cvode-bdf": None}


@pytest.mark.parametrize(("method", "step"), STEPS.items())
def test_steps_of_one_size_and_those_of_cvode_find_the_touch(method, step):
    if method.startswith("cvode"):
        pytest.importorskip("sksundae")
    start = {"ball": [1, 0, 0, 0, 0, 0, 0.35], "ball.rate": [0, 0, 0, 0, 0, -2.0]}
    touched = 0.25 / 2.0
    robot = ball(damping=0.0)
    more = {"step": step} if step else {"rtol": 1e-9, "atol": 1e-11}
    memory = RunMemory(robot, RunSettings(duration=0.2, method=method, **more), start=start)
    loop = TimeLoop(memory)
    times = []
    inner = loop._feel

    def feel(*arguments):
        code = inner(*arguments)
        times.append(float(memory.state.clock[0]))
        return code

    loop._feel = feel
    raw = loop.run(None)
    assert np.abs(np.array(times) - touched).min() < 1e-9
    assert raw.v[-1, 5] == pytest.approx(2.0, rel=1e-3)
