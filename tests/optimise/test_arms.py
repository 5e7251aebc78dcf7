"""Optimal motions of the built-in arms: what is promised of them, and the rigid limit."""

import numpy as np
import pytest
from claims import claim

import lissom
from lissom.optimise import Motion
from lissom.reproductions.optimal_motion import DURATION, POSES, minimise, three_joint_arm

pytest.importorskip("casadi")

TO = {"shoulder-yaw": -0.4928, "shoulder": 0.6922, "elbow": 0.4270}


@pytest.mark.parametrize("title", ["three joints", "seven joints"])
def test_the_least_energy_of_a_rigid_arm_is_that_of_park_bobrow_and_ploen(title):
    robot = three_joint_arm() if title == "three joints" else lissom.load("rigid-7-axis")
    model, (start, to) = robot.compile(), POSES[title]
    reference = minimise(title, robot, POSES[title], 30 // model.nv + 4)
    starts, ends = (dict(zip(model.coordinates, pose, strict=True)) for pose in (start, to))
    scenario = {"robot": robot, "duration": 1.0, "start": starts}
    motion = Motion(scenario=scenario, to=ends, duration=DURATION, least="energy", ends="free", intervals=10)
    best = motion.solve(progress=False)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    q, v, _ = best.reference(DURATION * (nodes + 1) / 2)
    twice = np.array([rate @ lissom.mass_matrix(model, pose) @ rate for pose, rate in zip(q, v, strict=True)])
    claim(abs(weights @ twice / 2 * DURATION / reference.best - 1), 1e-6)
    claim(np.ptp(twice) / twice.mean(), 1e-3)  # a geodesic: constant kinetic energy
    path, _ = reference.objective.path.at(reference.coefficients, DURATION * (nodes + 1) / 2)
    claim(np.abs(q - path).max(), 3e-4, "rad")


@pytest.mark.slow
def test_ella_vibrates_fifty_times_less_than_after_the_quintic_of_the_same_time():
    limits = {"torque": {"shoulder-yaw": 60, "shoulder": 120, "elbow": 40}}
    seen = Motion(scenario="ella", to=TO, duration=1.5, limits=limits).solve(progress=False).verify()
    claim(1 / seen.ratio, 1 / 50)
    for name, most in limits["torque"].items():
        claim(float(np.abs(seen.after.torque(name)).max()) / most, 1 + 1e-9)


@pytest.mark.slow
def test_ella_vibrates_fifty_times_less_where_no_limit_cuts_the_quintic():
    limits = {"torque": {"shoulder-yaw": 60, "shoulder": 200, "elbow": 80}}
    seen = Motion(scenario="ella", to=TO, duration=1.5, limits=limits, intervals=30).solve(progress=False).verify()
    assert float(np.abs(seen.before.torque("shoulder")).max()) < 200
    claim(1 / seen.ratio, 1 / 50)


@pytest.mark.slow
def test_the_least_time_of_ella_is_that_of_a_finer_grid():
    limits = {"torque": {"shoulder-yaw": 60, "shoulder": 150, "elbow": 60}}
    times = [
        Motion(scenario="ella", to=TO, least="time", limits=limits, intervals=n).solve(progress=False).duration
        for n in (25, 50)
    ]
    claim(abs(times[0] / times[1] - 1), 0.05)
    assert times[1] < times[0]
