"""Exact sensitivities along a motion equal differences of whole simulations."""

import numpy as np
import pytest

import lissom
from lissom.control import Reference, computed_torque, pd, torques

STIFFNESS, INERTIA, BENDING = PATHS = (
    "links.rod.joint.transmission.stiffness",
    "links.rod.joint.transmission.rotor_inertia",
    "links.rod.beam.section.EIz",
)
DURATION = 0.3
pytestmark = pytest.mark.filterwarnings("ignore:rod. its tip is deflected")  # a soft rod, so that all terms matter


def robot():
    section = {"rhoA": 1.0, "EA": 1e5, "EIy": 5.0, "EIz": 5.0, "GJ": 4.0}
    beam = {"length": 1.0, "section": section, "modes": {"y": 1}, "damping": 0.05}
    gear = {"stiffness": 30.0, "rotor_inertia": 0.02, "gear": 2.0, "damping": 0.2}
    joint = {"name": "hinge", "type": "revolute", "axis": [0, 0, 1], "transmission": gear}
    links = [{"name": "rod", "joint": joint, "beam": beam}]
    return lissom.Robot.from_dict({"lissom": 1, "name": "rod", "gravity": [0, -9.81, 0], "links": links})


def by_differences(path, what, controller=None, of=robot, step=1e-3):
    value = of().value(path)
    ends = []
    for sign in (-1, 1):
        other = of().with_value(path, value * (1 + sign * step))
        ends.append(what(lissom.simulate(other, DURATION, controller=controller, rtol=1e-11, atol=1e-13)))
    return (ends[1] - ends[0]) / (2 * step * value)


def test_tip_follows_stiffness_inertia_and_section_as_differences_say():
    exact = lissom.sensitivity(robot(), PATHS, DURATION, rate=400, rtol=1e-10, atol=1e-12)
    assert exact.output.shape == (3, len(exact.time), 3)
    assert exact.values.tolist() == [30.0, 0.02, 5.0]
    for path, row in zip(PATHS, exact.output):
        expected = by_differences(path, lambda run: run.tip().values[-1])
        assert np.abs(row[-1] - expected).max() < 2e-5 * np.abs(expected).max(), path
    assert np.all(exact.output[:, 0] == 0)  # the start is given
    assert np.allclose(exact.relative()[1], 0.02 * exact.output[1])


def round_rod():
    """A rod that bends equally both ways, and twists: third-order terms of its strain energy cancel."""
    rod = robot().with_values([("gravity", [0, -9.81, 5.0]), ("links.rod.beam.modes", {"y": 1, "z": 1, "torsion": 1})])
    eccentric = {"mass": 0.1, "com": [0.0, 0.1, 0.1]}
    return rod.with_value("links.rod.payload", eccentric)


def test_terms_that_a_robot_lacks_and_its_derivatives_have_are_not_lost():
    path, length = BENDING, "links.rod.beam.length"
    assert not len(round_rod().compile().arrays.strain.cubic)
    assert len(round_rod().with_value(path, 5.001).compile().arrays.strain.cubic)
    exact = lissom.sensitivity(
        round_rod(), (path, length), DURATION, output="rod.torsion1", rate=400, rtol=1e-10, atol=1e-12
    )
    for row, name in zip(exact.output, (path, length)):
        expected = by_differences(name, lambda run: run["rod.torsion1"].values[-1], of=round_rod, step=1e-4)
        assert abs(row[-1] - expected) < 2e-5 * abs(expected), name


def test_any_coordinate_or_function_of_the_state_can_be_derived():
    angle = lissom.sensitivity(robot(), INERTIA, DURATION, output="hinge", rate=400, rtol=1e-10, atol=1e-12)
    expected = by_differences(INERTIA, lambda run: run["hinge"].values[-1])
    assert abs(angle.output[0, -1] - expected) < 2e-5 * abs(expected)

    def strain(model, q, v):
        return lissom.energy(model, q, v).strain

    energy = lissom.sensitivity(robot(), BENDING, DURATION, output=strain, rate=400, rtol=1e-10, atol=1e-12)
    expected = by_differences(BENDING, lambda run: run["strain_energy"].values[-1])
    assert abs(energy.output[0, -1] - expected) < 1e-4 * abs(expected)


GAINS = {"hinge": {"p": 20.0, "d": 1.5}}
STEPS = Reference.steps([(0.0, 0.0), (0.1037, 0.4)])  # between two outputs
LAWS = {
    "pd": lambda model: pd(model, GAINS, Reference.quintic(0.0, 0.5, 0.2), gravity_compensation=True),
    "pd on the motor's side, with a step": lambda model: pd(model, GAINS, STEPS, side="motor"),
    "pd within limits": lambda model: pd(model, GAINS, 0.5, saturation=6.0),
    "computed torque": lambda model: computed_torque(model, {"hinge": {"p": 100.0, "d": 20.0}}, STEPS),
    "torques": lambda model: torques(model, {"hinge": Reference.quintic(0.0, 8.0, 0.2)}),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_controlled_motion_follows_its_parameters_as_differences_say(name):
    law = LAWS[name](robot().compile())
    exact = lissom.sensitivity(
        robot(), (STIFFNESS, BENDING), DURATION, controller=law, rate=400, rtol=1e-10, atol=1e-12
    )
    for path, row in zip((STIFFNESS, BENDING), exact.output):
        expected = by_differences(path, lambda run: run.tip().values[-1], law)
        allowed = 1e-2 if "limits" in name else 5e-5  # where limits are reached, right to about an output interval
        assert np.abs(row[-1] - expected).max() < allowed * np.abs(expected).max(), path


def test_a_sampled_controller_is_refused():
    with pytest.raises(lissom.LissomError, match="need a continuous law, not a function; give one"):
        lissom.sensitivity(robot(), INERTIA, 0.1, controller=lambda t, q, v: [0.0, 0.0])


def test_wrong_names_are_refused():
    with pytest.raises(
        lissom.LissomError, match="output = 'elbow': is neither a coordinate nor a link; there are hinge"
    ):
        lissom.sensitivity(robot(), INERTIA, 0.1, output="elbow")
    with pytest.raises(lissom.LissomError, match="is not a number"):
        lissom.sensitivity(robot(), "links.rod.name", 0.1)
    with pytest.raises(lissom.LissomError, match=r"start\.elbow: is unknown; there are hinge"):
        lissom.sensitivity(robot(), "start.elbow", 0.1)
    with pytest.raises(lissom.LissomError, match="the motion has no controller with gains"):
        lissom.sensitivity(robot(), "gains.hinge.p", 0.1)
    with pytest.raises(lissom.LissomError, match="choose generalised-alpha or radau"):
        lissom.sensitivity(robot(), INERTIA, 0.1, method="dop853")


def test_the_run_is_the_one_that_simulate_makes():
    settings = {"rate": 400, "rtol": 1e-7, "audit": False}
    derived, plain = (
        lissom.sensitivity(robot(), PATHS, DURATION, **settings),
        lissom.simulate(robot(), DURATION, method="radau", **settings),
    )
    assert derived.run.info.steps == plain.info.steps
    assert np.array_equal(derived.run.q, plain.q)
    assert np.array_equal(derived.time, plain.time)


def test_starts_and_gains_are_parameters_too():
    names = ("start.hinge", "start.hinge.rate", "start.rod.y1", "gains.hinge.p", "gains.hinge.d")
    start = {"hinge": 0.2, "hinge.rate": -0.3, "rod.y1": 0.01}
    gains = {"p": 20.0, "d": 1.5}

    def end(name, change):
        place, changed = dict(start), dict(gains)
        kind, key = name.split(".", 1)
        if kind == "start":
            place[key] += change
        else:
            changed[key[-1]] += change
        law = pd(robot().compile(), {"hinge": changed}, 0.5)
        return lissom.simulate(robot(), DURATION, controller=law, start=place, rtol=1e-11, atol=1e-13).tip().values[-1]

    law = pd(robot().compile(), {"hinge": gains}, 0.5)
    found = lissom.sensitivity(robot(), names, DURATION, controller=law, start=start, rtol=1e-10, atol=1e-12)
    assert found.values.tolist() == [0.2, -0.3, 0.01, 20.0, 1.5]
    for name, row in zip(names, found.output):
        step = 1e-3 if name.startswith("gains") else 1e-4
        expected = (end(name, step) - end(name, -step)) / (2 * step)
        assert np.abs(row[-1] - expected).max() < 1e-6 * np.abs(expected).max(), name


def test_a_start_at_rest_moves_with_the_parameters():
    found = lissom.sensitivity(robot(), (BENDING, STIFFNESS), 0.05, start="equilibrium", rtol=1e-10, atol=1e-12)
    for path, q in zip((BENDING, STIFFNESS), found.q):
        value = robot().value(path)
        rest = [lissom.static_equilibrium(robot().with_value(path, value * (1 + s))).q for s in (-1e-4, 1e-4)]
        assert np.allclose(q[0], (rest[1] - rest[0]) / (2e-4 * value), rtol=1e-6, atol=1e-14)


def test_histories_of_rates_accelerations_and_forces_are_derivatives_of_the_numbers_of_the_run():
    law = pd(robot().compile(), GAINS, Reference.quintic(0.0, 0.5, 0.2))
    options = {"controller": law, "rate": 130, "method": "radau", "step": 4e-3, "rtol": 1e-12, "atol": 1e-14}
    found = lissom.sensitivity(robot(), STIFFNESS, DURATION, **options)
    change = 0.003
    before, after = (
        lissom.simulate(robot().with_value(STIFFNESS, 30.0 + d), DURATION, **options) for d in (-change, change)
    )
    for name, what in {
        "hinge.rate": lambda run: run.velocity("hinge"),
        "rod.y1.acceleration": lambda run: run.a[:, run.model.coordinates.index("rod.y1")],
        "hinge.torque": lambda run: run.torque("hinge"),
    }.items():
        expected = np.asarray(what(after) - what(before)) / (2 * change)
        assert np.abs(found.of(name)[0] - expected).max() < 1e-6 * np.abs(expected).max(), name
    both = found.jacobian("hinge", "rod")
    assert both.shape == (4 * len(found.time), 1)
    assert np.array_equal(both[: len(found.time), 0], found.of("hinge")[0])


def spatial(joint, field="first"):
    """Two links, the first on a joint that moves in many directions."""
    section = {"rhoA": 1.0, "EA": 1e6, "EIy": 40.0, "EIz": 30.0, "GJ": 20.0}
    beam = {"length": 0.8, "section": section, "modes": {"y": 1, "z": 1}, "damping": 0.01, "stiffening": field}
    hinge = {"type": "revolute", "axis": [0, 0, 1], "name": "elbow", "damping": 0.1}
    links = [
        {"name": "upper", "joint": {"name": "root", **joint}, "beam": beam},
        {"name": "lower", "joint": hinge, "beam": {**beam, "length": 0.5}},
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "arm", "gravity": [1.0, -9.81, 2.0], "links": links})


@pytest.mark.parametrize("method", ["radau", "generalised-alpha"])
@pytest.mark.parametrize("joint", ["spherical", "free", "universal"])
def test_on_groups_and_by_both_methods_it_is_the_derivative_of_the_run(joint, method):
    axes = {"axes": [[0, 0, 1], [0, 1, 0]]} if joint == "universal" else {}
    arm = spatial({"type": joint, **axes})
    model = arm.compile()
    rng = np.random.default_rng(3)
    start = (model.neutral(), 0.5 * rng.normal(size=model.nv))
    names = ("links.upper.beam.length", "gravity.1", "start.elbow")
    options = {"rate": 20, "method": method, "step": 2e-3, "rtol": 1e-12, "atol": 1e-14}
    found = lissom.sensitivity(arm, names, 0.2, start=start, **options)

    def tips(name, change):
        if name.startswith("start"):
            q = start[0].copy()
            q[model.q_names.index("elbow")] += change
            return lissom.simulate(arm, 0.2, start=(q, start[1]), **options).tip().values
        other = arm.with_value(name, arm.value(name) + change)
        return lissom.simulate(other, 0.2, start=start, **options).tip().values

    for name, row in zip(names, found.output):
        expected = (tips(name, 1e-4) - tips(name, -1e-4)) / 2e-4
        assert np.abs(row - expected).max() < 1e-6 * np.abs(expected).max(), name


def pendulum(hand=None):
    body = {"mass": 1.0, "com": [0.3, 0, 0], "inertia": [0.1, 0.2, 0.25], "tip": [1.0, 0, 0]}
    arm = {"name": "arm", "joint": {"name": "j", "type": "revolute", "axis": [0, -1, 0]}, "body": body}
    if hand is None:
        arm["payload"] = {"mass": 2.0}
    return lissom.Robot.from_dict({"lissom": 1, "name": "arm", "links": [arm] if hand is None else [arm, hand]})


HAND = {"name": "hand", "origin": {"xyz": [1.0, 0, 0]}, "body": {"mass": 1.0, "com": [0.3, 0, 0], "inertia": [0.1] * 3}}
PIN = {"name": "k", "type": "revolute", "axis": [0, -1, 0]}


@pytest.mark.parametrize("method", ["radau", "generalised-alpha"])
@pytest.mark.parametrize(
    ("arm", "path"),
    [
        (pendulum(), "links.arm.body.tip.0"),
        (pendulum(HAND | {"joint": PIN}), "links.hand.origin.xyz.0"),
        (pendulum(HAND | {"joint": "fixed"}), "links.arm.body.com.0"),
    ],
)
def test_rigid_arms_that_fall_from_rest_follow_their_sizes(arm, path, method):
    """The first step is foreseen to the last digit: its corrections are rounding, and no measure of anything."""
    exact = lissom.sensitivity(arm, path, DURATION, output="j", method=method, rtol=1e-8)
    expected = by_differences(path, lambda run: run.q[-1, 0], of=lambda: arm)
    assert exact.output[0, -1] == pytest.approx(expected, rel=2e-5)


def test_exact_links_and_prescribed_joints():
    arm = spatial({"type": "revolute", "axis": [0, 1, 0]}, "exact")
    swing = {"root": Reference.quintic(0.0, 0.8, 0.2)}
    names = ("links.upper.beam.section.EIy", "links.lower.beam.length")
    found = lissom.sensitivity(arm, names, 0.2, motion=swing, rate=50, rtol=1e-9, atol=1e-12)
    assert np.all(found.of("root") == 0)
    assert np.abs(found.of("root.torque")).max() > 0
    for name, row in zip(names, found.output):
        value, ends = arm.value(name), []
        for sign in (-1, 1):
            other = arm.with_value(name, value * (1 + sign * 1e-4))
            run = lissom.simulate(other, 0.2, motion=swing, rate=50, rtol=1e-10, atol=1e-13, method="radau")
            ends.append(run.tip().values)
        expected = (ends[1] - ends[0]) / (2e-4 * value)
        assert np.abs(row - expected).max() < 2e-6 * np.abs(expected).max(), name
