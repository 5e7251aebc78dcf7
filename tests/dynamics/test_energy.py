"""Energy and momentum over time, and power at random states: nothing is lost but by damping and friction."""

import numpy as np
import pytest
from claims import claim
from random_robots import random_robot, random_state
from random_trees import TREES, tree
from runge_kutta import Swing

import lissom
from lissom.dynamics import integrate


def spatial_arm(damping=0.0):
    """Two links with bending in both planes, torsion and extension, skew axes, masses at the tips."""
    section = {
        "rhoA": 1.0,
        "EA": 1e5,
        "EIy": 150.0,
        "EIz": 250.0,
        "GJ": 40.0,
        "Jx": 0.02,
        "Jy": 0.01,
        "Jz": 0.01,
    }
    beam = {
        "section": section,
        "modes": {"y": 2, "z": 2, "torsion": 1, "axial": 1},
        "masses": [{"mass": 0.5}],
    }
    beam |= {"damping": damping}
    shoulder = {"name": "shoulder", "type": "universal", "axes": [[0, 0, 1], [0, 1, 0]]}
    elbow = {"name": "elbow", "type": "revolute", "axis": [0, 1, 0]}
    links = [
        {"name": "upper", "joint": shoulder, "beam": beam | {"length": 1.0}},
        {"name": "forearm", "origin": {"rpy": [0.5, 0, 0]}, "joint": elbow, "beam": beam | {"length": 0.8}},
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "spatial", "links": links})


def thrown(robot):
    """The arm raised, elbow bent, turning about the vertical; then left alone."""
    model = robot.compile()
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.q_names.index("shoulder.2")] = 0.3
    q[model.q_names.index("elbow")] = -0.8
    v[model.coordinates.index("shoulder.1")] = 1.5
    return Swing(model, q, v)


def energies(swing, step, pieces, count):
    """Total and kinetic energy before and after each of `pieces` runs of `count` steps."""
    out = [lissom.energy(swing.model, swing.q, swing.v)]
    for _ in range(pieces):
        swing.advance(step, count)
        out.append(lissom.energy(swing.model, swing.q, swing.v))
    return np.array([e.total for e in out]), np.array([e.kinetic for e in out])


def test_energy_is_conserved_over_five_seconds_of_free_swing():
    swing = thrown(spatial_arm())
    assert all(link.beam.stiffening == "first" for link in swing.model.robot.links)
    start = (swing.q, swing.v)
    run = lissom.simulate(swing.model, 5.0, start=start, method="rk4", step=1e-4, rate=10, audit=False)
    found = [lissom.energy(swing.model, q, v) for q, v in zip(run.q, run.v)]
    total, kinetic = np.array([(e.total, e.kinetic) for e in found]).T
    assert kinetic.max() > 20.0  # of the 27 J that the swing exchanges
    claim(np.ptp(total) / kinetic.max(), 1e-8)


def test_what_drift_there_is_comes_from_the_integrator():
    """Energy error of a fourth-order step on a vibrating system falls with the fifth power of the step."""
    drift = [np.ptp(energies(thrown(spatial_arm()), 0.5 / n, 1, n)[0]) for n in (1250, 2500)]
    assert 20 < drift[0] / drift[1] < 45


def test_damping_takes_energy_from_a_free_swing_at_every_sample():
    total, _ = energies(thrown(spatial_arm(damping=0.02)), 2e-4, 20, 100)
    assert (np.diff(total) < 0).all()


def satellite(lossless):
    plain = lissom.load("satellite-two-arm").to_dict()
    for link in plain["links"]:
        if lossless:
            link["joint"].pop("damping", None) if isinstance(link["joint"], dict) else None
            link.get("beam", {}).pop("damping", None)
    return lissom.Robot.from_dict(plain)


def momenta(model, q, v):
    """Angular momentum about the world's origin and linear momentum, in world axes."""
    h = lissom.mass_matrix(model, q)[:6] @ v  # conjugate to the twist of the floating base
    pose = lissom.point_pose(model, q, model.links[0])
    R, p = pose[:3, :3], pose[:3, 3]
    linear = R @ h[3:]
    return R @ h[:3] + np.cross(p, linear), linear


@pytest.mark.parametrize("lossless", [True, False])
def test_a_floating_satellite_keeps_its_momentum_and_without_damping_its_energy(lossless):
    robot = satellite(lossless)
    model, rng = robot.compile(), np.random.default_rng(12)
    q, v = random_state(robot, rng, deflection=0.0)
    q[4:7], v[3:6] = (3.0, -2.0, 1.0), (0.4, -0.3, 0.2)
    swing = Swing(model, q, v)
    before, start = momenta(model, q, v), swing.q[:7].copy()
    total, kinetic = energies(swing, 2e-4, 10, 200)
    angular, linear = momenta(model, swing.q, swing.v)
    assert np.abs(swing.q[:7] - start).max() > 0.1  # it does move and turn
    assert np.linalg.norm(swing.q[:4]) == pytest.approx(1.0, abs=1e-15)
    assert linear == pytest.approx(before[1], abs=1e-12 * np.abs(before[1]).max())
    assert angular == pytest.approx(before[0], abs=1e-12 * np.abs(before[0]).max())
    if lossless:
        claim(np.ptp(total) / kinetic.max(), 1e-8)
    else:
        assert (np.diff(total) < 0).all()


def power(model, q, v, a):
    """dE/dt along the motion, by a complex step."""
    h = 1e-30
    return lissom.energy(model, integrate(model, q, 1j * h * v), v + 1j * h * a).total.imag / h


@pytest.mark.parametrize("number", range(0, TREES, 2))
def test_energy_changes_by_the_power_of_applied_forces_wrenches_and_losses(number):
    case = tree(number)
    a = lissom.forward_dynamics(case.model, *case.state, case.tau, case.named_wrenches)
    losses_and_wrenches = case.independent.applied_force(*case.state, case.wrenches)
    expected = case.v @ (case.tau + losses_and_wrenches)
    scale = np.abs(case.v) @ np.abs(lissom.mass_matrix(case.model, case.q) @ a)
    assert power(case.model, *case.state, a) == pytest.approx(expected, abs=1e-11 * scale)


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_damping_and_friction_only_ever_dissipate(stiffening):
    rng = np.random.default_rng(13)
    joints = ("universal", "revolute", "planar", "spherical", "cylindrical")
    robot = random_robot(rng, joints, flexible=0.6, stiffening=stiffening, passive=1.0)
    model = robot.compile()
    for _ in range(50):
        q, v = random_state(robot, rng)
        assert power(model, q, v, lissom.forward_dynamics(model, q, v)) < 0


def test_without_losses_power_is_zero_at_any_state():
    rng = np.random.default_rng(14)
    plain = random_robot(rng, ("free", "revolute", "spherical", "prismatic"), passive=0.0).to_dict()
    for link in plain["links"]:
        link.get("beam", {}).pop("damping", None)
        link["joint"].get("transmission", {}).pop("damping", None)
    robot = lissom.Robot.from_dict(plain)
    model = robot.compile()
    for _ in range(20):
        q, v = random_state(robot, rng)
        a = lissom.forward_dynamics(model, q, v)
        scale = np.abs(v) @ np.abs(lissom.mass_matrix(model, q) @ a)
        assert abs(power(model, q, v, a)) < 1e-11 * scale


def test_kinetic_energy_is_half_the_velocities_by_their_momenta():
    for number in range(0, TREES, 3):
        case = tree(number)
        kinetic = case.v @ lissom.mass_matrix(case.model, case.q) @ case.v / 2
        assert lissom.energy(case.model, *case.state).kinetic == pytest.approx(kinetic, rel=1e-12)


def test_gravity_energy_rises_with_the_weight():
    robot = lissom.Robot.from_dict(lissom.load("satellite-two-arm").to_dict() | {"gravity": [0, 0, -3.0]})
    model = robot.compile()
    q, _ = random_state(robot, np.random.default_rng(15))
    high = q.copy()
    high[6] += 2.0
    mass = model.arrays.inertia.mass.sum()
    rise = lissom.energy(model, high, np.zeros(model.nv)).gravity - lissom.energy(model, q, np.zeros(model.nv)).gravity
    assert rise == pytest.approx(2.0 * 3.0 * mass, rel=1e-12)
