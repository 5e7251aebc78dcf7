"""Runs of mechanisms with closed loops against the figures of others, and what every such run must hold."""

from __future__ import annotations

import numpy as np
import pytest
from cut_joints import carried_over, cut
from loop_problems import (
    at_times,
    crane,
    crane_columns,
    five_bar,
    five_bar_columns,
    four_bar,
    four_bar_columns,
    misaligned,
    slider_crank,
    slider_crank_columns,
    worst,
)
from random_robots import random_description, random_state
from rigid_mechanisms import bricard, rigid_four_bar, squeezer

import lissom
from lissom.control import Reference
from lissom.dynamics import loop_gaps, loop_jacobian
from lissom.lie import so3


def agrees(problem, columns, tolerance, rate, converged=False, **beam):
    """Simulate a problem and compare every column with the published one."""
    robot, start, motion, reference = problem(**beam)
    end = reference["t"][-1]
    run = lissom.simulate(robot, end, start=start, motion=motion, rate=rate, rtol=tolerance, atol=tolerance)
    assert run.info.status.value == "finished", run.info.message
    rule, strict = worst(reference, columns(run, reference["t"]))
    assert max(rule.values()) < 1.0, rule
    if converged:
        assert max(strict.values()) < 1.0, strict
    assert run.dataset["loop_gap"].max() < 1e-12
    rates = [loop_jacobian(run.model, q) @ v for q, v in zip(run.q, run.v)]
    assert np.abs(rates).max() < 1e-9 * max(1.0, np.abs(run.v).max())
    return run


either = pytest.mark.parametrize("ends", ["legendre", "auto"])  # auto knows what holds a link


@either
@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_five_bar_with_four_functions(ends, stiffening):
    agrees(five_bar, five_bar_columns, 1e-10, 25, y=4, ends=ends, stiffening=stiffening)


def test_five_bar_converged():
    agrees(five_bar, five_bar_columns, 1e-11, 25, converged=True, y=7, axial=2)


@pytest.mark.parametrize(
    ("ends", "stiffening", "frame"),
    [("legendre", "exact", "base"), ("auto", "exact", "base"), ("auto", "first", "chord")],
)
def test_four_bar_with_six_functions(ends, stiffening, frame):
    beams = {"ends": ends, "stiffening": stiffening}
    agrees(lambda **beam: on_chords(four_bar(**beam), frame), four_bar_columns, 1e-10, 50, y=6, **beams)


def test_four_bar_converged():
    agrees(four_bar, four_bar_columns, 1e-11, 50, converged=True, y=8, axial=2)


def on_chords(problem, frame="chord"):
    """The problem with the frames of coupler and rocker, which nothing drives, on their chords."""
    robot, *rest = problem
    links = [f"links.{name}.beam.frame" for name in ("coupler", "rocker")]
    return robot.with_values([(path, frame) for path in links]), *rest


def test_a_coupler_that_bows_is_right_from_its_base_and_finer_from_its_chord():
    """The coupler bows by 3 %: of second order forces are a third off, terms of fourth order make them right."""
    errors = {}
    for frame in ("base", "chord"):
        robot, start, motion, reference = on_chords(four_bar(y=6, stiffening="first"), frame)
        run = lissom.simulate(robot, reference["t"][-1], start=start, motion=motion, rate=50, rtol=1e-9, atol=1e-9)
        found = four_bar_columns(run, reference["t"])
        true = {name: np.array(values) for name, values in reference["values"].items() if name.startswith("F_")}
        errors[frame] = max(np.abs(found[name] - true[name]).max() / np.abs(true[name]).max() for name in true)
        middle = np.abs(found["defl_coupler_mid"])
        at = at_times(run, reference["t"])[np.argmax(middle)]
        assert run.bow("coupler").values[at] == pytest.approx(middle.max(), rel=0.03)
        assert run.summary().links[1].bow.value == run.bow("coupler").max() == pytest.approx(0.0171, rel=0.01)
    assert errors["base"] < 0.01
    assert errors["chord"] < 0.2 * errors["base"]


@either
@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_slider_crank_with_four_functions(ends, stiffening):
    agrees(slider_crank, slider_crank_columns, 1e-10, 200, y=4, ends=ends, stiffening=stiffening)


def test_slider_crank_converged():
    agrees(slider_crank, slider_crank_columns, 1e-11, 200, converged=True, y=6)


@either
@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_luffing_crane_with_three_functions(ends, stiffening):
    robot, start, motion, reference = crane(y=3, ends=ends, stiffening=stiffening)
    model = robot.compile(prescribed=["rod"])
    rest = lissom.static_equilibrium(model, start, hold=())
    assert abs(rest.tau[model.coordinates.index("rod")] - 181182) < (1 if stiffening == "exact" else 20)
    run = lissom.simulate(model, 5.0, start=rest, motion=motion, rate=1, rtol=1e-9, atol=1e-9)
    rule, strict = worst(reference, crane_columns(run, reference["t"]))
    assert max(rule.values()) < 1.0, rule
    assert stiffening == "first" or max(strict.values()) < 1.0, strict


def test_bricard_runs_though_it_is_held_too_often():
    robot, data = bricard()
    run = lissom.simulate(robot, 3.0, rate=5, rtol=1e-10, atol=1e-10)
    for t, point in data["cases"].items():
        at = int(np.argmin(abs(run.time - float(t))))
        np.testing.assert_allclose(run.tip("rod2").values[at], point, atol=data["abs_tol"]["P3"])
    stored = run.dataset["stored_energy"].values
    assert np.abs(stored - stored[0]).max() < data["abs_tol"]["energy"]
    assert lissom.closed_loops(run.model, run.q[-1], run.v[-1]).rank == 4


@pytest.mark.parametrize("method", ["auto", "radau"])
def test_the_squeezing_mechanism_of_andrews(method):
    robot, data = squeezer()
    motor = lissom.control.torques(robot.compile(), {"beta": data["parameters"]["mom"]})
    start, tight = data["initial"]["q"], {"rtol": 1e-11, "atol": 1e-11}
    run = lissom.simulate(robot, 0.03, start=start, controller=motor, rate=500, method=method, **tight)
    for t, case in data["cases"].items():
        at = int(np.argmin(abs(run.time - float(t))))
        for name, value in case["q"].items():
            assert abs(run[name].values[at] - value) < data["abs_tol"]["q"], name
        rates = {name: float(run.velocity(name).values[at]) for name in case["v"]}
        fastest = max(map(abs, case["v"].values()))
        assert max(abs(rates[name] - value) for name, value in case["v"].items()) < data["abs_tol"]["v_rel"] * fastest
    assert lissom.closed_loops(run.model, run.q[-1], run.v[-1]).rank == 6


def misaligned_columns(model, q, multipliers):
    """What is published of the misaligned four-bar, at rest."""
    still = np.zeros(model.nv)
    force = lissom.joint_wrenches(model, q, still, still, frame="world", multipliers=multipliers)[0][3:]
    C = lissom.point_pose(model, q, "bar2")[:3, 3]
    columns = {"phi_D": q[model.link("bar3").joint_q][0]}
    columns |= {f"C_{axis}": C[k] for k, axis in enumerate("xyz")}
    return columns | {f"F_A_{axis}": force[k] for k, axis in enumerate("xyz")}


def test_misaligned_four_bar_is_pushed_out_of_its_plane():
    robot, motion, data = misaligned(y=4)
    model = robot.compile(prescribed=["bar1"])
    q, times = model.neutral(), np.arange(0.5, 2.51, 0.25)
    reference = data["cases"]["slow_before_dead_centre"]["reference"]
    for t in times:
        q[model.link("bar1").joint_q] = motion["bar1"](t)[0]
        rest = lissom.static_equilibrium(model, q, hold=())
        q, case = rest.q.copy(), reference.get(f"{t:g}")
        if t >= 1.0 and case is not None:  # it has started with hardly any inertia
            for name, value in misaligned_columns(model, q, rest.multipliers).items():
                assert abs(value - case["values"][name]) < case["abs_tol"][name], (t, name)


def test_misaligned_four_bar_moves_out_of_its_plane():
    robot, motion, data = misaligned()
    run = lissom.simulate(robot, 2.0, motion=motion, rate=2, rtol=1e-8, atol=1e-8)
    case = data["cases"]["slow_before_dead_centre"]["reference"]["2"]
    at = int(np.argmin(abs(run.time - 2.0)))
    C, force = run.dataset["loop_position"].sel(loop="C").values[at], run.wrench("bar1", frame="world").values[at, 3:]
    columns = {"phi_D": run["bar3"].values[at]} | {f"C_{axis}": C[k] for k, axis in enumerate("xyz")}
    for name, value in columns.items():
        wanted = case["values"][name]
        assert abs(value - wanted) < max(case["abs_tol"][name], 1e-3 * abs(wanted)), name
    wanted = np.array([case["values"][f"F_A_{axis}"] for axis in "xyz"])
    assert np.abs(force - wanted).max() < 1e-3 * np.abs(wanted).max()


def test_a_dead_centre_is_passed_and_what_comes_after_is_known():
    robot, motion, data = misaligned(damping=0.05)
    run = lissom.simulate(robot, 4.0, motion=motion, rate=5, rtol=1e-6, atol=1e-7)  # bars in line at 3.118 s
    case = data["cases"]["slow_after_snap"]["reference"]["4"]["values"]
    C, force = run.dataset["loop_position"].values[-1, 0], run.wrench("bar1", frame="world").values[-1, 3:]
    assert abs(run["bar3"].values[-1] - case["phi_D"]) < 1e-5
    np.testing.assert_allclose(C, [case["C_x"], case["C_y"], case["C_z"]], atol=1e-6)
    np.testing.assert_allclose(force, [case["F_A_x"], case["F_A_y"], case["F_A_z"]], atol=0.05)


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        ({"crank": Reference.quintic(0.7, 1.2, 0.5), "rocker": None}, "loops.pin opens.*cannot follow crank or rocker"),
        ({"rocker": -3.0}, "loops.pin is close to a dead centre.*cannot follow rocker as prescribed"),
    ],
)
def test_motions_that_a_loop_cannot_follow_are_told_by_its_name(motion, said):
    robot = rigid_four_bar()
    q = lissom.close_loops(robot, {"crank": 0.7})
    rocker = {None: Reference.constant([q[2]]), -3.0: Reference.quintic(q[2], q[2] - 3.0, 1.0)}
    motion = motion | {"rocker": rocker[motion["rocker"]]}
    with pytest.warns(lissom.simulation.SimulationWarning, match=said):
        run = lissom.simulate(robot, 1.0, start=q, motion=motion, progress=False)
    assert run.time[-1] < 0.2


def test_a_loop_between_the_world_and_a_base_that_moves():
    """A tethered buoy on a ship whose pose and twist are not zero at the start."""
    body = {"mass": 1.0, "com": [0.3, 0, 0], "inertia": [0.01, 0.02, 0.02]}
    links = [
        {"name": "ship", "joint": {"name": "sea", "type": "free"}, "body": {"mass": 100, "inertia": [10.0] * 3}},
        {"name": "arm", "joint": "spherical", "body": body},
    ]
    ends = [{"link": "world", "origin": {"xyz": [0, 0, 1.0]}}, {"link": "arm", "origin": {"xyz": [0.6, 0, 0]}}]
    robot = lissom.Robot.from_dict(
        {"name": "buoy", "links": links, "loops": [{"name": "tether", "distance": 1.0, "between": ends}]}
    )
    t = np.linspace(0, 2, 41)
    roll, heave = np.stack([0.1 * np.cos(t), 0 * t, 0.2 * t], 1), np.stack([0 * t + 0.2, 0.1 * t, 0.1 * np.cos(t)], 1)
    motion = {"sea": lissom.control.pose_motion(t, rpy=roll, position=heave)}
    run = lissom.simulate(robot, 1.0, motion=motion, rate=50, rtol=1e-8, atol=1e-9, progress=False)
    assert run.dataset["loop_gap"].max() < 1e-12
    assert run.energy_audit().relative < 1e-5
    rates = [loop_jacobian(run.model, q) @ v for q, v in zip(run.q, run.v)]
    assert np.abs(rates).max() < 1e-9


def test_six_cylinders_carry_a_platform_where_they_should():
    """A Stewart platform: the plate is where inverse kinematics of the lengths say, its weight in the legs."""
    base, plate = (
        r * np.stack([np.cos(a), np.sin(a), 0 * a], axis=1)
        for r, a in ((1.0, np.radians([-10, 10, 110, 130, 230, 250])), (0.6, np.radians([-50, 50, 70, 170, 190, 290])))
    )
    t = np.linspace(0, 1, 101)
    s = t**3 * (10 - 15 * t + 6 * t**2)
    place = np.array([0, 0, 1.2]) + np.outer(s, [0.1, 0.05, 0.15])
    turn = np.outer(s, [0.1, -0.05, 0.2])
    joints = np.array([p + plate @ so3.from_rpy(r).T for p, r in zip(place, turn)])  # (times, 6, 3)
    lengths = np.linalg.norm(joints - base, axis=2)
    ends = [
        [{"link": "world", "origin": {"xyz": a.tolist()}}, {"link": "plate", "origin": {"xyz": b.tolist()}}]
        for a, b in zip(base, plate)
    ]
    legs = [
        {"name": f"leg{k}", "type": "cylinder", "drive": "length", "length": float(lengths[0, k]), "between": pair}
        for k, pair in enumerate(ends)
    ]
    link = {"name": "plate", "joint": "free", "body": {"mass": 20.0, "inertia": [2.0, 2.0, 4.0]}}
    robot = lissom.Robot.from_dict({"name": "stewart", "links": [link], "elements": legs})
    motion = {f"leg{k}": Reference.from_samples(t, lengths[:, k]) for k in range(6)}
    run = lissom.simulate(robot, 1.0, start={"plate.near": [1, 0, 0, 0, 0, 0, 1.2]}, motion=motion, rate=50)
    np.testing.assert_allclose(run["plate"].values[-1, 4:], place[-1], atol=1e-12)
    assert run.dataset["loop_gap"].max() < 1e-12
    along = (joints[0] - base) / lengths[0][:, None]
    weight = -run.dataset["element_force"].values[0] @ along - 20.0 * run.acceleration("plate").values[0, 3:]
    np.testing.assert_allclose(weight, [0, 0, 20.0 * 9.81], atol=1e-6)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "universal", "prismatic"])
def test_a_joint_moved_to_a_loop_changes_no_motion(kind):
    rng = np.random.default_rng(5)
    data = random_description(rng, ["revolute", kind, "revolute"], 0.6, "first", transmissions=0.0, passive=0.0)
    tree, other = lissom.Robot.from_dict(data).compile(), cut(data, 1).compile()
    q, v = random_state(tree.robot, rng)
    starts = {tree: (q, v), other: carried_over(tree, q, v, other, "link1")}
    tight = {"rtol": 1e-9, "atol": 1e-9, "method": "radau"}
    runs = [lissom.simulate(model, 0.1, start=start, rate=50, **tight) for model, start in starts.items()]
    for link in tree.links:
        np.testing.assert_allclose(runs[1].tip(link), runs[0].tip(link), atol=1e-6)


@pytest.mark.parametrize("method", ["dop853", "generalised-alpha", "cvode-adams"])
def test_other_methods_follow_the_same_motion(method):
    if method == "cvode-adams":
        pytest.importorskip("sksundae")
    robot, start, motion, _ = five_bar(y=1, axial=0, stiffening="first")
    step = {"step": 1e-4} if method == "generalised-alpha" else {}
    both = [
        lissom.simulate(robot, 0.1, start=start, motion=motion, rate=50, method=name, rtol=1e-9, atol=1e-9, **more)
        for name, more in (("radau", {}), (method, step))
    ]
    atol = 2e-5 if step else 1e-7
    np.testing.assert_allclose(both[1].tip("far0"), both[0].tip("far0"), atol=atol)
    assert all(np.abs(loop_gaps(run.model, q)).max() < 1e-12 for run in both for q in run.q)


@pytest.mark.slow
def test_energy_of_an_undamped_five_bar_stays():
    robot, start, _, _ = five_bar(y=2, axial=0, stiffening="first")
    robot = robot.model_copy(update={"gravity": (0.0, -9.81, 0.0)})
    run = lissom.simulate(robot, 10.0, start=start, rate=20, rtol=1e-10, atol=1e-10)
    stored, kinetic = run.dataset["stored_energy"].values, run.dataset["kinetic_energy"].values
    assert np.abs(stored - stored[0]).max() < 1e-7 * kinetic.max()
