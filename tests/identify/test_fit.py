"""lissom.fit on arms whose parameters are known."""

import re

import numpy as np
import pytest
from measured_arms import ARMS, guess, record, truth

import lissom
from lissom.errors import LissomError
from lissom.identify import MeasuredFrequency, Record, Residuals
from lissom.identify.estimation import search
from lissom.identify.fit_parameters import unknowns

QUIET = {"progress": False}
STIFFNESS, VISCOUS, COULOMB, INERTIA = ARMS["elastic joint"][3]


@pytest.mark.parametrize("name", ARMS)
def test_values_come_back(name):
    found = lissom.fit(guess(name), ARMS[name][3], record(name, 3), **QUIET)
    assert found.message == "converged"
    for path, (low, high) in found.intervals.items():
        true = truth(name).value(path)
        assert abs(found.values[path] - true) < 1.7 * (high - low) / 2  # 3.4 deviations
        assert high - low < 0.4 * true
    for output, sigma in ARMS[name][2].items():
        assert found.noise["record 1"][output] == pytest.approx(sigma, rel=0.15)
    assert found.unidentifiable == ()


def test_data_without_noise_gives_the_values_as_well_as_runs_are_computed():
    exact = record("elastic joint", 0, 0.0)
    found = lissom.fit(guess("elastic joint"), ARMS["elastic joint"][3], exact, **QUIET)
    for path, value in found.values.items():
        assert value == pytest.approx(truth("elastic joint").value(path), rel=2e-3)
    assert found.message == "converged"


def covered(name, seeds):
    """How often each parameter's 95 % interval holds its true value, in how many data sets."""
    path_of = ARMS[name][3]
    hits = dict.fromkeys(path_of, 0)
    for seed in seeds:
        found = lissom.fit(guess(name, 1.05), path_of, record(name, 1000 + seed), **QUIET)
        for path, (low, high) in found.intervals.items():
            hits[path] += low <= truth(name).value(path) <= high
    return hits


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_intervals_cover_the_truth_in_95_of_100_data_sets(name):
    hits = covered(name, range(100))
    assert all(90 <= count <= 99 for count in hits.values()), hits


def test_intervals_cover_the_truth_in_most_of_a_few_data_sets():
    """Five sets of four parameters: with 95 % coverage, fewer than 16 of 20 are a matter of 3 in 1000."""
    assert sum(covered("elastic joint", range(5)).values()) >= 16


def test_a_pair_that_cannot_be_told_apart_is_named():
    """A hinge feels the mass only through the inertia about its axis."""
    found = lissom.fit(
        guess("elastic joint"), [*ARMS["elastic joint"][3], "links.arm.body.mass"], record("elastic joint", 1), **QUIET
    )
    assert found.unidentifiable == ((INERTIA, "links.arm.body.mass"),)
    assert any("cannot tell" in text and "links.arm.body.mass" in text for text in found.warnings)
    assert found.intervals["links.arm.body.mass"] == (-np.inf, np.inf)
    low, high = found.intervals[STIFFNESS]
    assert low < 50 < high
    assert high - low < 1
    about = found.values[INERTIA] + 0.09 * found.values["links.arm.body.mass"]
    assert about == pytest.approx(0.05 + 0.09, rel=2e-3)


def test_a_parameter_that_nothing_shows_is_named():
    robot = truth("elastic joint").with_value(STIFFNESS, 43.0)
    found = lissom.fit(robot, [STIFFNESS, "links.arm.body.inertia.0.0"], record("elastic joint", 1), **QUIET)
    assert found.unidentifiable == (("links.arm.body.inertia.0.0",),)
    assert any("says nothing of links.arm.body.inertia.0.0" in text for text in found.warnings)


def test_a_prior_decides_what_the_data_leaves_open():
    parameters = {INERTIA: None, "links.arm.body.mass": {"prior": {"mean": 1.0, "deviation": 0.01}}}
    found = lissom.fit(truth("elastic joint"), parameters, record("elastic joint", 1), **QUIET)
    assert found.unidentifiable == ()
    low, high = found.intervals["links.arm.body.mass"]
    assert (high - low) / 2 == pytest.approx(1.96 * 0.01, rel=0.02)


def test_tied_fields_move_together():
    robot = truth("two links")
    first, second = (f"links.{link}.beam.section.width" for link in ("upper", "lower"))
    start = robot.with_value(first, 0.0063).with_value(second, 0.00525)
    found = lissom.fit(start, {first: {"ties": {second: 5 / 6}}}, record("two links", 5), **QUIET)
    assert found.robot.value(second) == pytest.approx(5 / 6 * found.robot.value(first), rel=1e-12)
    assert found.values[first] == pytest.approx(0.006, rel=2e-3)


def test_bounds_hold_and_are_told():
    robot = truth("elastic joint").with_value(STIFFNESS, 43.0)
    found = lissom.fit(robot, {STIFFNESS: [10, 45]}, record("elastic joint", 1), **QUIET)
    assert found.values[STIFFNESS] == 45
    assert any("at its bound 45" in text for text in found.warnings)


def nuisance_record():
    paths = [
        "start.hinge", "start.hinge.rate", "offset.position.hinge", "scale.rotor_position.hinge",
        "delay.rotor_position.hinge", "offset.torques.hinge", "scale.torques.hinge", "delay.torques.hinge",
    ]  # fmt: skip
    return record("elastic joint", 2, start={"hinge": 0.05}, window=(0.0, 1.0), unknown=paths)


def check_gradient(misfit, x, steps=2e-4):
    misfit.first_guess()
    exact, found = misfit.gradient(x), np.zeros(len(x))
    for j, entry in enumerate(misfit.entries):

        def cost(by, j=j):
            moved = x.copy()
            moved[j] += by
            return 0.5 * float(np.sum(misfit.residuals(moved) ** 2))

        h = steps * entry.size
        found[j] = (8 * (cost(h) - cost(-h)) - cost(2 * h) + cost(-2 * h)) / (12 * h)
    assert found == pytest.approx(exact, rel=1e-6)


EXACT = {"step": 0.005, "rtol": 1e-11, "atol": 1e-13}


def test_gradient_equals_differences():
    """By fields, start values, and offsets, scales and delays of outputs and torques."""
    given = {"r": nuisance_record()}
    misfit = Residuals(guess("elastic joint"), unknowns(ARMS["elastic joint"][3]), given, settings=EXACT)
    x = misfit.start
    x[-8:] += [0.01, 0.02, 0.01, -0.1, 0.013, 0.1, 0.2, 0.007]
    check_gradient(misfit, x)


def test_gradient_by_fields_of_flexible_links_and_by_frequencies_equals_differences():
    seen = {"position.elbow": "position.elbow", "deflection.upper.y": "deflection.upper.y"}
    rotation = {"rotation.lower.z": "deflection.upper.y", "tip_position.lower.x": "position.elbow"}
    given = {"r": record("two links", 2, outputs=seen | rotation, window=(0.0, 0.6))}
    measured = [MeasuredFrequency(frequency=4.0), MeasuredFrequency(frequency=20.0, mode=2, pose={"elbow": 0.7})]
    settings = EXACT | {"step": 0.01}
    misfit = Residuals(guess("two links"), unknowns(ARMS["two links"][3][:2]), given, measured, settings=settings)
    check_gradient(misfit, misfit.start)


def test_frequencies_alone_give_the_stiffness():
    robot = truth("two links")
    paths = [f"links.{link}.beam.section.width" for link in ("upper", "lower")]
    poses = [{}, {"elbow": 1.0}]
    measured = [
        {"frequency": float(lissom.natural_modes(robot, pose).frequencies[k]), "mode": k + 1, "pose": pose}
        for pose in poses for k in (0, 1)
    ]  # fmt: skip
    start = robot.with_value(paths[0], 0.007).with_value(paths[1], 0.0044)
    found = lissom.fit(start, paths, frequencies=measured, **QUIET)
    assert found.values[paths[0]] == pytest.approx(0.006, rel=1e-4)
    assert found.values[paths[1]] == pytest.approx(0.005, rel=1e-4)


def test_a_fit_of_frequencies_alone_is_drawn_and_told(tmp_path):
    measured = [{"frequency": 3.0, "mode": 1, "locked": "motors", "deviation": 0.05}]
    found = lissom.fit(guess("elastic joint"), [STIFFNESS], frequencies=measured, **QUIET)
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 10_000
    before = np.sqrt(50 / 1.15 / (1.15 * 0.05 + 0.09)) / (2 * np.pi)
    assert found.frequencies[0] == pytest.approx([3.0, before, 3.0], abs=2e-4)
    assert f"mode 1, 3 Hz: {before:.4g} Hz before, 3 Hz found" in str(found)
    low, high = found.intervals[STIFFNESS]
    assert (high - low) / 2 == pytest.approx(1.96 * 2 * found.values[STIFFNESS] * 0.05 / 3.0, rel=1e-3)  # k as f^2
    assert found.to_dict()["frequencies"][0]["value"] == pytest.approx(3.0, abs=1e-4)


def test_start_offset_and_delay_are_found_beside_the_fields():
    t = np.arange(301) / 100
    plain = record("elastic joint", 4).data
    data = dict(plain) | {"position.hinge": np.interp(t - 0.02, t, plain["position.hinge"]) + 0.03}
    seen = record(
        "elastic joint", 4, data=data, unknown=["delay.position.hinge", "offset.position.hinge", "start.hinge"]
    )
    robot = truth("elastic joint").with_value(STIFFNESS, 43.0).with_value(VISCOUS, 0.35)
    found = lissom.fit(robot, [STIFFNESS, VISCOUS], seen, **QUIET)
    assert found.values["record 1: delay.position.hinge"] == pytest.approx(0.02, abs=1e-3)
    assert found.values["record 1: offset.position.hinge"] == pytest.approx(0.03, abs=1e-3)
    assert found.values[STIFFNESS] == pytest.approx(50, rel=0.02)


def test_the_known_law_is_as_good_an_input_as_the_torque():
    """A closed loop: gains and set-point are known, torques are not measured."""
    robot = truth("four joints")
    model = robot.compile()
    gains = {"j2": {"p": 100.0, "d": 8.0}}
    law = {"type": "pd", "gains": gains, "reference": {"type": "quintic", "to": {"j2": 0.6}, "duration": 1.0}}
    known = lissom.control.from_config(model, law, until=3.0)
    run = lissom.simulate(model, 3.0, controller=known, rate=100, rtol=1e-8, progress=False)
    rng = np.random.default_rng(7)
    noisy = {f"position.j{k}": run.q[:, k - 1] + 1e-3 * rng.standard_normal(301) for k in (2, 3)}
    seen = Record(data={"time": run.time, **noisy}, outputs=dict.fromkeys(noisy), control=law)
    paths = ["links.hand.body.mass", "links.lower.joint.spring.stiffness"]
    start = robot.with_value(paths[0], 0.7).with_value(paths[1], 35.0)
    found = lissom.fit(start, paths, seen, **QUIET)
    for path, (low, high) in found.intervals.items():
        assert abs(found.values[path] - robot.value(path)) < (high - low)
        assert high - low < 0.2 * robot.value(path)


def test_several_records_and_one_held_back():
    first, second, third = (record("elastic joint", seed, name=f"run {seed}") for seed in (1, 2, 3))
    alone = lissom.fit(guess("elastic joint"), ARMS["elastic joint"][3], first, **QUIET)
    both = lissom.fit(guess("elastic joint"), ARMS["elastic joint"][3], [first, second], held_back=third, **QUIET)
    assert both.uncertainty.deviations == pytest.approx(alone.uncertainty.deviations / np.sqrt(2), rel=0.15)
    held = both.validation
    assert held.best == "fitted"
    assert held.factor("fitted", "before") > 20
    assert held.error("fitted") < 0.01
    assert "run 3" in str(held)


def test_records_have_their_own_rates_and_noise():
    """A coarse record with ten times the noise must not blur a fine one, nor share its deviation."""
    fine = record("elastic joint", 1, name="fine")
    data = {name: values[::3] for name, values in record("elastic joint", 2, 10.0).data.items()}
    coarse = record("elastic joint", 2, data=data, name="coarse")
    alone = lissom.fit(guess("elastic joint"), ARMS["elastic joint"][3], fine, **QUIET)
    both = lissom.fit(guess("elastic joint"), ARMS["elastic joint"][3], [fine, coarse], **QUIET)
    assert [len(block.time) for block in both.blocks] == [301, 301, 101, 101]
    for output, sigma in ARMS["elastic joint"][2].items():
        assert both.noise["fine"][output] == pytest.approx(sigma, rel=0.15)
        assert both.noise["coarse"][output] == pytest.approx(10 * sigma, rel=0.25)
    assert both.uncertainty.deviations == pytest.approx(alone.uncertainty.deviations, rel=0.1)
    given = {name: {"column": name, "noise": 1e-3} for name in ARMS["elastic joint"][2]}
    start, quiet = truth("elastic joint").with_value(STIFFNESS, 43.0), record("elastic joint", 1, outputs=given)
    told = lissom.fit(start, [STIFFNESS], [quiet, coarse], **QUIET)
    assert told.noise["record 1"] == dict.fromkeys(ARMS["elastic joint"][2], 1e-3)
    assert told.noise["coarse"]["position.hinge"] == pytest.approx(1e-2, rel=0.25)


def test_the_new_robot_file_says_where_its_values_come_from(tmp_path):
    found = lissom.fit(guess("elastic joint"), [STIFFNESS], record("elastic joint", 1, name="bench"), **QUIET)
    found.save(tmp_path / "new.yaml")
    text = (tmp_path / "new.yaml").read_text()
    assert lissom.load(tmp_path / "new.yaml") == found.robot
    assert "# Record bench" in text
    assert f"# {STIFFNESS} = " in text
    assert "was 43.47826" in text
    assert found.to_dict()["parameters"][STIFFNESS]["value"] == found.values[STIFFNESS]


RINGING = """
lissom: 1
name: ringing
gravity: [0, 0, 0]
links:
  - name: arm
    joint: {name: hinge, type: revolute, axis: [0, 0, 1], spring: {stiffness: 300}, damping: 0.02}
    body: {mass: 1, com: [0.3, 0, 0], inertia: [0.03, 0.04, 0.05]}
"""


@pytest.fixture(scope="module")
def ringing():
    """A record of 15 periods of a hinge on a spring, from rest at 0.1 rad."""
    robot = lissom.Robot.from_yaml(RINGING)
    run = lissom.simulate(robot, 2.0, start={"hinge": 0.1}, rate=200, rtol=1e-8, progress=False)
    noise = 1e-4 * np.random.default_rng(5).standard_normal(len(run.time))
    return Record(
        data={"time": run.time, "angle": run["hinge"] + noise}, outputs={"position.hinge": "angle"}, start="measured"
    )


@pytest.mark.parametrize("factor", [0.5, 1.7])
def test_a_search_that_ends_in_a_local_minimum_starts_again_with_short_windows(ringing, factor):
    """With half the stiffness the model loses five of fifteen periods: the misfit has a minimum for each of them."""
    spring = "links.arm.joint.spring.stiffness"
    wrong = lissom.Robot.from_yaml(RINGING).with_value(spring, factor * 300)
    misfit = Residuals(wrong, unknowns([spring]), {"run": ringing})
    ended, _ = search(misfit, 50)
    assert abs(ended[0] / 300 - 1) > 0.05  # from the whole record alone
    found = lissom.fit(wrong, [spring], ringing, **QUIET)
    assert found.message == "converged"
    assert found.values[spring] == pytest.approx(300, rel=1e-3)


def test_a_fit_with_large_errors_that_are_no_noise_does_not_say_converged(ringing):
    wrong = lissom.Robot.from_yaml(RINGING).with_value("links.arm.joint.spring.stiffness", 150.0)
    found = lissom.fit(wrong, ["links.arm.joint.damping"], ringing, **QUIET)
    assert re.match("poor fit: errors of position.hinge in record 1 are .* begin nearer", found.message)
    assert "poor fit" in str(found.table().title)


def test_missing_dynamics_widen_intervals_and_are_told():
    """A model without Coulomb friction: its errors follow each other."""
    wrong = truth("elastic joint").with_value(COULOMB, 0.0)
    found = lissom.fit(wrong, [STIFFNESS, VISCOUS], record("elastic joint", 1), **QUIET)
    assert found.uncertainty.memory > 5
    assert any("misses something" in text for text in found.warnings)


def test_a_picture_of_a_fit(tmp_path):
    found = lissom.fit(guess("elastic joint"), [STIFFNESS], record("elastic joint", 1), **QUIET)
    found.plot(tmp_path / "fit.png")
    assert (tmp_path / "fit.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ([], "parameters: is empty"),
        (["links.arm.body.mas"], "did you mean 'mass'"),
        (["links.arm.joint.type"], "not a number"),
        ({STIFFNESS: [60, 40]}, "smaller number first"),
        ({STIFFNESS: [60, 70]}, "starts outside the bounds"),
        ({STIFFNESS: {"prior": {"mean": 50}}}, "deviation"),
        ({STIFFNESS: {"ties": [VISCOUS]}, VISCOUS: None}, "name it once"),
        ({STIFFNESS: "50"}, "must be [low, high]"),
    ],
)
def test_parameters_that_cannot_be(parameters, said):
    with pytest.raises(LissomError) as caught:
        lissom.fit(truth("elastic joint"), parameters, record("elastic joint", 1), **QUIET)
    assert said in str(caught.value)
