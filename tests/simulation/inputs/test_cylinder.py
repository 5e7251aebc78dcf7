"""Cylinders driven by their length: the length is held, and the force is what the motion takes."""

from __future__ import annotations

import numpy as np
import pytest
from loop_problems import crane, crane_columns, worst
from random_robots import random_description, random_state

import lissom
from lissom.control import Reference
from lissom.dynamics import energy, loop_rows
from lissom.lie import quaternion, so3
from lissom.model import Robot
from lissom.scenario import Scenario

STROKE = Reference.quintic(2.0, 2.4, 0.8)


def ram(**cylinder):
    """A mass on an upright cylinder."""
    slide = {"type": "prismatic", "axis": [0, 0, 1], "damping": 30.0}
    lift = {"name": "lift", "type": "cylinder", "between": [{"link": "world"}, {"link": "ram"}]}
    return Robot.from_dict(
        {
            "name": "ram",
            "links": [{"name": "ram", "joint": slide, "body": {"mass": 50.0, "inertia": [1, 1, 1]}}],
            "elements": [lift | (cylinder or {"drive": "length", "length": 2.0})],
        }
    )


@pytest.mark.parametrize("method", ["auto", "radau", "generalised-alpha", "dop853"])
def test_the_force_is_what_the_motion_takes(method):
    step = {"step": 1e-3} if method == "generalised-alpha" else {}
    run = lissom.simulate(ram(), 1.0, motion={"lift": STROKE}, rate=100, method=method, **step)
    length, rate, acceleration = (part[:, 0] for part in STROKE(run.time))
    thrust = 50.0 * (9.81 + acceleration) + 30.0 * rate
    data = run.dataset
    np.testing.assert_allclose(data["element_length"].sel(element="lift"), length, atol=1e-12)
    np.testing.assert_allclose(data["element_rate"].sel(element="lift"), rate, atol=1e-11)
    np.testing.assert_allclose(-data["element_force"].sel(element="lift"), thrust, rtol=1e-9)
    raised = 50.0 * 9.81 * 0.4 + 30.0 * 1.4285714285714286 * 0.4**2 / 0.8  # weight, and damping of a quintic
    assert abs(run.dataset["work"].values[-1] / raised - 1) < 1e-6
    assert run.energy_audit().relative < 1e-6


@pytest.mark.parametrize(("number", "stiffening"), [(1, "none"), (2, "exact"), (3, "exact")])
def test_a_cylinder_that_pushes_with_that_force_moves_a_random_tree_alike(number, stiffening):
    rng = np.random.default_rng(number)
    data = random_description(rng, 4, flexible=0.6, stiffening=stiffening)
    first, second = data["links"][-1]["name"], data["links"][0]["name"]
    lift = {"name": "lift", "type": "cylinder", "between": [{"link": first}, {"link": second}]}
    held = Robot.from_dict(data | {"elements": [lift | {"drive": "length", "length": 1.0}]})
    q, v = random_state(held, rng)
    tau = rng.normal(size=held.nv)
    closed = lissom.closed_loops(held, q, v, tau)
    assert loop_rows(held) == ("lift: force along the line",)
    pushed = Robot.from_dict(data | {"elements": [lift | {"force": float(closed.multipliers[0])}]})
    a = lissom.forward_dynamics(pushed, q, v, tau)
    np.testing.assert_allclose(closed.a, a, atol=1e-9 * np.abs(a).max())
    np.testing.assert_allclose(np.linalg.norm(closed.wrenches[0, 3:]), abs(closed.multipliers[0]))


def test_the_published_crane_driven_by_its_cylinder():
    robot, start, motion, reference = crane(y=3)
    rod = robot.links[3].joint.name
    foot = {"link": "world", "origin": {"xyz": [1.2, -1.5, 0.0]}}
    lug = {"link": "inner", "origin": {"xyz": [0.0, -0.3, 0.0]}}
    lift = {"name": "lift", "type": "cylinder", "drive": "length", "length": start[rod], "between": [foot, lug]}
    robot = Robot.from_dict(robot.to_dict() | {"elements": [lift]})
    rest = lissom.static_equilibrium(robot, start, hold=())
    run = lissom.simulate(robot, 5.0, start=rest, motion={"lift": motion["rod"]}, rate=1, rtol=1e-9, atol=1e-9)
    columns = crane_columns(run, reference["t"])
    at = [int(np.argmin(abs(run.time - t))) for t in reference["t"]]
    columns |= {"cyl_force": -run.dataset["element_force"].values[at, 0]}
    through_both = ("F_L", "F_Q", "cyl_force")  # the published cylinder has mass, its drive acts within it
    rule, _ = worst(reference, {name: values for name, values in columns.items() if not name.startswith(through_both)})
    assert max(rule.values()) < 1.0, rule


def test_static_force_equals_the_slope_of_the_energy_by_the_length():
    robot, sizes = lissom.load("luffing-crane"), (3.599, 3.6, 3.601)
    start = {"pin": 0.3, "swing": [1, 0, 0, 0, 13.4, 0, 2.85]}
    rests = [lissom.static_equilibrium(robot, start, hold=["slew"], lengths={"lift": size}) for size in sizes]
    below, _, above = (energy(rest.model, rest.q, np.zeros(rest.model.nv)).potential for rest in rests)
    force = np.linalg.norm(rests[1].loop_wrenches["lift"][3:])
    assert abs((above - below) / 0.002 / force - 1) < 1e-6


@pytest.fixture(scope="module")
def crane_run():
    return lissom.scenario.load("luffing-crane").run(duration=12.0, progress=False)


def test_the_built_in_crane_carries_its_load(crane_run):
    run, data = crane_run, crane_run.dataset
    assert run.info.status.value == "finished"
    assert data["loop_gap"].max() < 1e-12
    hoist, lift = (data["element_force"].sel(element=name).values for name in ("hoist", "lift"))
    assert abs(hoist[0] / (2000 * 9.81) - 1) < 1e-6
    pin, tip, load = data["link_position"].values[0, 2], run.tip("boom").values[0], run.tip("load").values[0]
    foot, lug = np.array([1.2, 0, 1.0]), data["loop_position"].sel(loop="lift").values[0]
    along = (lug - foot) / np.linalg.norm(lug - foot)
    arm = np.cross(lug - pin, along)[1]
    beam = 7850 * (0.45 * 0.3 - 0.434 * 0.284) * 14.0 * 9.81
    lever = (hoist[0] * (tip - pin)[0] + beam * (tip - pin)[0] / 2) / -arm
    assert abs(-lift[0] / lever - 1) < 1e-3  # as rigid
    assert abs(load[0] - tip[0]) < 1e-6
    assert abs(tip[2] - load[2] - 3.6 - 2000 * 9.81 / 4e6) < 2e-5
    assert run.energy_audit().relative < 1e-5


def test_the_crane_on_a_ship_that_rolls(crane_run):
    run = lissom.scenario.load("luffing-crane-at-sea").run(duration=6.0, progress=False)
    assert run.info.status.value == "finished"
    assert run.energy_audit().relative < 1e-6
    assert run.dataset["loop_gap"].max() < 1e-12
    sea, t = run["sea"].values, run.time
    np.testing.assert_allclose(sea[:, 6], 0.5 * (1 - np.cos(0.2 * np.pi * t)), atol=1e-9)  # heaves as it should
    sideways = run.tip("load").values[:, 1] - crane_run.tip("load").values[: len(t), 1]
    assert np.abs(sideways).max() > 0.2
    pull = run.dataset["element_force"].sel(element="hoist").values
    assert abs(pull.max() / 20515 - 1) < 1e-3
    q, v, a = (part("swing").values for part in (run.__getitem__, run.velocity, run.acceleration))
    own = a[:, 3:] + np.cross(v[:, :3], v[:, 3:])
    up = so3.act(quaternion.to_matrix(q[:, :4]), own) + np.array([0, 0, 9.81])
    np.testing.assert_allclose(pull, 2000 * np.linalg.norm(up, axis=1), rtol=1e-6)  # the rope alone holds the load


def test_lengths_in_scenarios_begin_at_their_own():
    data = {"robot": ram(), "duration": 1.0, "motion": {"lift": {"type": "quintic", "to": 2.5, "duration": 0.5}}}
    run = Scenario.from_dict(data).run(progress=False)
    np.testing.assert_allclose(run.dataset["element_length"].values[[0, -1], 0], [2.0, 2.5], atol=1e-12)
    data["motion"]["lift"]["from"] = 2.2
    run = Scenario.from_dict(data).run(progress=False)
    np.testing.assert_allclose(run.dataset["element_length"].values[[0, -1], 0], [2.2, 2.5], atol=1e-12)


BROKEN = {
    "shrinking to nothing": ({"lift": {"type": "quintic", "to": -0.1, "duration": 0.5}}, ["motion.lift", "above 0"]),
    "a pose": ({"lift": {"type": "pose", "position": [0, 0, 1]}}, ["motion.lift.type", "spherical and free"]),
    "two lengths": ({"lift": {"type": "quintic", "to": [2, 3], "duration": 0.5}}, ["motion.lift.to", "2 values"]),
    "misspelt": ({"lft": {"type": "quintic", "to": 2.5, "duration": 0.5}}, ["motion", "lft"]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_motions_of_lengths_are_told(name):
    motion, parts = BROKEN[name]
    with pytest.raises(lissom.LissomError) as caught:
        Scenario.from_dict({"robot": ram(), "duration": 1.0, "motion": motion}).prepare()
    assert all(part in str(caught.value) for part in parts), str(caught.value)


def test_a_loop_closed_by_a_joint_has_no_length():
    with pytest.raises(lissom.LissomError, match=r"motion\.tip-pin.*closed by a joint"):
        lissom.simulate("five-bar", 0.1, motion={"tip-pin": STROKE})


def test_a_cylinder_driven_by_length_takes_no_load():
    with pytest.raises(lissom.LissomError, match="not a cylinder driven by force"):
        lissom.simulate(ram(), 0.1, loads=[lissom.Load(element="lift", force=10.0)])
