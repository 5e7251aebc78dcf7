"""Recursive Lagrange with 4 x 4 matrices: equal to the kernel at zero and first order, to Lagrange's equations by
automatic differentiation at high order; its limits, its balance of energy, and the reference manoeuvres."""

from functools import cache

import numpy as np
import pytest
from independent import Independent
from independent_high import HighField
from places import reference_figures
from random_robots import JOINTS, random_robot, random_state
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import lissom
from lissom import theory
from lissom.control import Reference
from lissom.theory.recursive_lagrange import RecursiveLagrange

FIGURES = reference_figures()
CANADARM2, SPINUP = FIGURES["manoeuvres"]["canadarm2"], FIGURES["spinup"]


def far(value, expected):
    """Largest difference relative to the largest expected value."""
    return np.abs(np.asarray(value) - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), 1e-300)


def elastic_chain(seed, stiffening):
    """Revolute chain of two beams and a body on elastic joints with rotors, at a random state."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, ("revolute",) * 3, flexible=(True, True, False), stiffening=stiffening, transmissions=1.0)
    plain = robot.to_dict()
    for link in plain["links"]:
        link["joint"]["transmission"] = {"stiffness": 80.0, "rotor_inertia": 0.005, "gear": 4.0, "damping": 0.1}
    robot = lissom.Robot.from_dict(plain)
    return robot.compile(), *random_state(robot, rng), *rng.normal(size=(2, robot.compile().nv))


def random_tree(seed, stiffening):
    rng = np.random.default_rng(seed)
    joints = [JOINTS[k] for k in rng.permutation(len(JOINTS))[:4]]
    robot = random_robot(rng, joints, flexible=(True, False, True, True), stiffening=stiffening)
    model = robot.compile()
    return model, *random_state(robot, rng), *rng.normal(size=(2, model.nv))


@pytest.mark.parametrize("stiffening", ["none", "first"])
@pytest.mark.parametrize("make", [elastic_chain, random_tree])
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_equals_the_kernel_at_zero_and_first_order(make, seed, stiffening):
    model, q, v, tau, a = make(seed, stiffening)
    own = theory.build("recursive_lagrange", model)
    assert far(own.mass_matrix(q), lissom.mass_matrix(model, q)) < 1e-12
    assert far(own.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a)) < 1e-12
    assert far(own.accelerations(q, v, tau), lissom.forward_dynamics(model, q, v, tau)) < 1e-9
    assert far(own.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a)) < 1e-12
    assert far(own.tip(q), lissom.tip_pose(model, q)) < 1e-12
    assert far(own.energy(q, v), np.array(lissom.energy(model, q, v))) < 1e-12


def test_the_order_overrides_the_field_of_the_links():
    model, q, v, tau, _ = elastic_chain(4, "first")
    robot = model.robot
    for name in model.flexible:
        robot = robot.with_value(f"links.{name}.beam.stiffening", "none")
    linear = robot.compile()
    ours = RecursiveLagrange(model, order="zero").accelerations(q, v, tau)
    assert far(ours, lissom.forward_dynamics(linear, q, v, tau)) < 1e-9
    ours = RecursiveLagrange(linear, order="first").accelerations(q, v, tau)
    assert far(ours, lissom.forward_dynamics(model, q, v, tau)) < 1e-9


@pytest.mark.parametrize("seed", [0, 2])
def test_high_order_equals_an_independent_derivation(seed):
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, ("revolute", "universal"), flexible=(True, True), transmissions=1.0)
    (q, v), independent = random_state(robot, rng, 0.01), Independent(robot, order=14, field=HighField)
    own = RecursiveLagrange(robot.compile(), order="high")
    tau, a = rng.normal(size=(2, own.model.nv))
    assert far(own.mass_matrix(q), independent.mass_matrix(q)) < 1e-9
    assert far(own.inverse_dynamics(q, v, a), independent.inverse(q, v, a)) < 1e-9
    assert far(own.accelerations(q, v, tau), independent.forward(q, v, tau)) < 1e-9
    assert far(own.wrenches(q, v, a), independent.joint_wrenches(q, v, a)) < 1e-9
    kinetic, potential = independent.energy(q, v)
    assert far([own.energy(q, v).kinetic, own.energy(q, v).potential], np.array([kinetic, potential])) < 1e-9


def test_linear_rotation_differs_by_the_square_of_the_deflection():
    """Forces for a motion whose deflections, rates, accelerations and weight all shrink together."""
    model, q, v, _, a = elastic_chain(5, "first")
    sizes, differences = 0.5 ** np.arange(5), []
    modes = np.concatenate([np.arange(b.modes_v.start, b.modes_v.stop) for b in model.bodies])
    for size in sizes:
        scaled = q.copy()
        scaled[modes] *= size
        gravity = [size * g for g in model.robot.gravity]
        light = model.robot.with_value("gravity", gravity).compile()
        state = scaled, size * v, size * a
        proper, linear = (RecursiveLagrange(light, rotation=kind) for kind in ("proper", "linear"))
        differences.append(np.abs(proper.inverse_dynamics(*state) - linear.inverse_dynamics(*state)).max())
    orders = np.diff(np.log2(differences)) / np.diff(np.log2(sizes))
    assert np.all(np.abs(orders[-2:] - 2) < 0.1)


def pendulum(modes=1, EI=30.0, **joint):
    """A beam on a revolute joint under gravity, without damping."""
    section = {"rhoA": 1.0, "EA": 1e5, "EIy": EI, "EIz": EI, "GJ": 20.0}
    beam = {"length": 1.0, "section": section, "modes": {"y": modes}}
    links = [{"name": "rod", "joint": {"name": "hinge", "type": "revolute", "axis": [0, 0, 1], **joint}, "beam": beam}]
    return {"lissom": 1, "name": "pendulum", "gravity": [0, -9.81, 0], "links": links}


def swing(robot, torque=None, rtol=1e-9, **options):
    """The formulation and its states (2 nv, 61) in a swing of 0.3 s from the horizontal, from rest."""
    own = RecursiveLagrange(robot.compile(), **options)
    n, still = own.model.nv, np.zeros(own.model.nv)

    def rates(t, x):
        tau = still if torque is None else torque(x[:n], x[n:])
        return np.concatenate([x[n:], own.accelerations(x[:n], x[n:], tau)])

    times = np.linspace(0, 0.3, 61)
    solution = solve_ivp(rates, (0, 0.3), np.zeros(2 * n), method="DOP853", t_eval=times, rtol=rtol, atol=1e-12)
    return own, solution.y


def test_infinite_joint_stiffness_is_a_rigid_joint():
    gear = {"rotor_inertia": 0.02, "gear": 3.0}
    _, rigid = swing(lissom.Robot.from_dict(pendulum(transmission=gear)))
    stiffness, errors = np.array([5e2, 2e3, 8e3]), []
    for k in stiffness:
        _, states = swing(lissom.Robot.from_dict(pendulum(transmission=gear | {"stiffness": float(k)})))
        errors.append(np.abs(states[0] - rigid[0]).max())
    orders = -np.diff(np.log(errors)) / np.diff(np.log(stiffness))
    assert errors[-1] < 2e-3
    assert np.all(np.abs(orders - 1) < 0.2)


def test_without_rotor_inertia_motor_and_gear_are_springs_in_series():
    gear, motor = 40.0, 60.0
    _, spring = swing(lissom.Robot.from_dict(pendulum(spring={"stiffness": gear * motor / (gear + motor)})))
    inertia, errors = np.array([4e-3, 1e-3, 2.5e-4]), []
    for J in inertia:
        transmission = {"stiffness": gear, "rotor_inertia": float(J), "gear": 1.0}

        def servo(q, v):
            return np.array([0.0, 0.0, -motor * q[-1]])

        _, states = swing(lissom.Robot.from_dict(pendulum(transmission=transmission)), torque=servo)
        errors.append(np.abs(states[0] - spring[0]).max())
    orders = np.diff(np.log(errors)) / np.diff(np.log(inertia))
    assert errors[-1] < 1e-3
    assert np.all(np.abs(orders - 1) < 0.2)


@pytest.mark.parametrize("order", ["first", "high"])
def test_energy_is_conserved(order):
    """A soft rod on an elastic joint swings and bends by a twentieth of its length."""
    gear = {"stiffness": 50.0, "rotor_inertia": 0.01, "gear": 2.0}
    robot = lissom.Robot.from_dict(pendulum(modes=2, EI=1.0, transmission=gear))
    own, states = swing(robot, rtol=1e-11, order=order)
    n = own.model.nv
    energies = [own.energy(x[:n], x[n:]) for x in states.T]
    total = np.array([e.total for e in energies])
    assert abs(own.tip_in_link(states[:n, -1], "rod")[1, 3]) > 0.04
    assert np.ptp(total) < 1e-8 * np.ptp([e.kinetic for e in energies])


@cache
def spin_up(speed, order, modes):
    """Deflection of the tip of the spinning beam, from shortly before its largest lag to shortly after."""
    shaft = Reference.spin_up(speed, SPINUP["ramp"], 20.0)
    robot = lissom.load("spinup-beam").with_value("links.blade.beam.modes.y", modes)
    own = RecursiveLagrange(robot.compile(prescribed="shaft"), order=order)
    run = theory.simulate(own, 7.5, motion={"shaft": shaft}, rate=50)
    return np.array([own.tip_in_link(q, "blade")[1, 3] for q in run.q])


@pytest.mark.parametrize("speed", ["8", "10"])
def test_high_order_lags_as_the_nonlinear_beam_does(speed):
    expected = SPINUP["cases"][speed]["minimum"]
    first, high = (spin_up(float(speed), order, 3).min() for order in ("first", "high"))
    assert abs(high - expected) < 0.2 * abs(first - expected)


@pytest.mark.slow
@pytest.mark.parametrize("speed", SPINUP["cases"])
def test_high_order_converges_to_the_nonlinear_beam(speed):
    expected = SPINUP["cases"][speed]["minimum"]
    assert abs(spin_up(float(speed), "high", 6).min() - expected) < 3e-4 * abs(expected)


@cache
def falling():
    own = RecursiveLagrange(lissom.load("canadarm2").compile(), order="high")
    return own, theory.simulate(own, 2.0, start=CANADARM2["start"])


def test_the_beam_at_rest_has_the_frequency_that_the_paper_prints():
    """0.464 Hz in print; a clamped beam with its numbers has 0.4633 Hz."""
    area, inertia, density, modulus, length = 7.2968e-5, 8.2189e-9, 2766.7, 6.8952e10, 8.0
    closed = 1.875104068711961**2 / (2 * np.pi * length**2) * np.sqrt(modulus * inertia / (density * area))
    assert abs(closed - 0.464) < 1e-3
    beam = lissom.load("spinup-beam").with_value("links.blade.beam.ends", "clamped-free")
    found = lissom.natural_modes(beam.compile(prescribed="shaft"))
    assert 0 < 1 - found.frequencies[0] / closed < 1e-5  # by the rotary inertia of the section


def test_canadarm2_falls_as_geometrically_exact_beams_do():
    """At high order also at 2 s, where boom 2 whips straight."""
    own, run = falling()
    for spot in CANADARM2["spots"]:
        k = round(200 * spot["t"])
        assert np.abs(run.q[k, own.model.arrays.gears.joint_q] - spot["position"]).max() < 2e-5
        assert np.abs(own.tip(run.q[k])[:3, 3] - spot["tip"]).max() < 2e-5
        for joint, figures in spot["wrench"].items():
            wrench = run.dataset["wrench"].values[:, own.model.joints.index(joint)]
            for part, name in ((slice(3), "moment"), (slice(3, 6), "force")):
                peak = np.linalg.norm(wrench[:, part], axis=1).max()
                assert np.abs(wrench[k, part] - figures["child"][name]).max() < 1e-3 * peak


@pytest.mark.parametrize(
    ("held", "figures"),
    [
        ("joints", (0.403023, 0.435244, 1.73475, 2.29671, 7.63342, 8.67722, 15.6714, 16.0792)),
        ("rotors", (0.374208, 0.402944, 1.36639, 2.29143, 6.6933, 8.23996, 12.8587, 15.0478)),
    ],
)
def test_natural_frequencies_of_canadarm2(held, figures):
    model = lissom.load("canadarm2").with_value("gravity", [0, 0, 0]).compile()
    own, q, still = RecursiveLagrange(model), model.neutral(), np.zeros(model.nv)
    gears = model.arrays.gears
    q[gears.joint_q[:2]] = q[gears.rotor_q[:2]] = CANADARM2["start"]["shoulder"]
    q[gears.joint_q[1]] = q[gears.rotor_q[1]] = CANADARM2["start"]["elbow"]
    fixed = gears.rotor_v if held == "rotors" else np.concatenate([gears.rotor_v, gears.joint_v])
    free = np.setdiff1d(np.arange(model.nv), fixed)
    h = 1e-6 * np.eye(model.nv)
    stiffness = np.array(
        [own.inverse_dynamics(q + d, still, still) - own.inverse_dynamics(q - d, still, still) for d in h]
    )
    stiffness = (stiffness + stiffness.T) / 4e-6
    squares = eigh(stiffness[np.ix_(free, free)], own.mass_matrix(q)[np.ix_(free, free)], eigvals_only=True)
    assert np.abs(np.sqrt(squares[:8]) / (2 * np.pi) / figures - 1).max() < 5e-3


@pytest.mark.slow
def test_complex_parameters_pass_through():
    robot = lissom.Robot.from_dict(pendulum(modes=2))
    q, v, tau = np.array([0.3, 0.05, 0.01]), np.array([1.0, 0.2, -0.1]), np.zeros(3)
    for order in ("first", "high"):

        def accelerations(length, order=order):
            robot_ = robot.with_value("links.rod.beam.length", length)
            return RecursiveLagrange(robot_.compile(), order=order).accelerations(q, v, tau)

        exact = accelerations(1.0 + 1e-30j).imag / 1e-30
        assert far((accelerations(1 + 1e-5) - accelerations(1 - 1e-5)) / 2e-5, exact) < 1e-7


def test_unknown_options_are_refused_with_a_remedy():
    model = lissom.Robot.from_dict(pendulum()).compile()
    with pytest.raises(lissom.LissomError, match="order = 'second': is unknown; choose from zero, first, high"):
        RecursiveLagrange(model, order="second")
    with pytest.raises(lissom.LissomError, match="choose 'proper' or 'linear'"):
        RecursiveLagrange(model, rotation="euler")


@pytest.mark.slow
def test_adams_integrates_the_fall_of_canadarm2_as_radau_does():
    pytest.importorskip("sksundae")
    model, runs = lissom.load("canadarm2").compile(), []
    for method, rtol, atol in (("radau", 1e-10, 1e-12), ("cvode-adams", 1e-11, 1e-13)):
        options = {"method": method, "rtol": rtol, "atol": atol, "audit": False}
        runs.append(lissom.simulate(model, 2.0, start=CANADARM2["start"], **options))
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-8
    assert np.abs(runs[0].tip().values - runs[1].tip().values).max() < 1e-8
