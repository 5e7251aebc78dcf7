"""Sensors as outputs of a fit: they read what `simulate` says they tell, and their own numbers can be found."""

import numpy as np
import pytest
from measured_arms import UPPER

import lissom
from lissom.identify import Record, Residuals
from lissom.identify.fit_parameters import unknowns

ARM = (
    UPPER
    + """\
  - name: lower
    joint:
      name: elbow
      type: revolute
      axis: [0, 0, 1]
      friction: {viscous: 0.4}
      transmission: {stiffness: 60, rotor_inertia: 0.01, damping: 0.05, gear: 20}
    body: {mass: 0.4, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01], tip: [0.4, 0, 0]}
sensors:
  - {name: angle, type: encoder, joint: elbow}
  - {name: motor, type: encoder, joint: elbow, side: motor}
  - {name: speed, type: tachometer, joint: shoulder}
  - {name: gauge, type: strain-gauge, link: upper, at: 0.05, low_pass: 12, bias: 2.0e-5, delay: 0.013}
  - {name: imu, type: accelerometer, link: lower, origin: {xyz: [0.3, 0, 0]}, low_pass: 30}
  - {name: gyro, type: gyro, link: upper, delay: 0.02, bias: [0, 0, 0.1]}
  - {name: tip, type: position, link: lower}
  - {name: flange, type: force-torque, joint: elbow, low_pass: 25, delay: 0.005}
"""
)
ROBOT = lissom.Robot.from_yaml(ARM)
START = {"shoulder": 0.2, "elbow": -0.3, "elbow.rotor": -0.3}
EVERY = ("angle", "motor", "speed", "gauge", "imu.x", "imu.y", "gyro.z", "tip.x", "flange.tz", "flange.fy")
FINE = {"rtol": 1e-9, "atol": 1e-11}


@pytest.fixture(scope="module")
def run():
    return lissom.simulate(ROBOT, 0.6, start=START, rate=200, progress=False, **FINE)


def seen(run, outputs, **more):
    data = {"time": run.time} | {name: run.reading(name).values for name in outputs}
    return Record(data=data, outputs=dict.fromkeys(outputs), start=START, **more)


def test_every_sensor_reads_in_a_fit_what_it_tells_in_a_run(run):
    """Low-pass, delay and bias included; the splines between the samples are the error."""
    misfit = Residuals(ROBOT, unknowns(["links.lower.body.mass"]), {"r": seen(run, EVERY)}, settings=FINE)
    for block in misfit.blocks(misfit.start):
        late = {"gauge": 0.013, "gyro.z": 0.02, "flange.tz": 0.005, "flange.fy": 0.005}.get(block.output, 0.0)
        began = block.time > late + 0.03  # accelerations of the first instant are no smooth curve
        size = np.abs(block.measured).max()
        assert np.abs(block.errors[began]).max() < 2e-3 * size, block.output


def test_names_of_results_are_names_of_outputs(run):
    misfit = Residuals(
        ROBOT,
        unknowns(["links.lower.body.mass"]),
        {"r": Record(data=run, outputs={"reading.gyro.z": None}, start=START)},
    )
    assert misfit.blocks(misfit.start)[0].normalised < 1e-3


OWN = ("sensors.gauge.low_pass", "sensors.gauge.delay", "sensors.gauge.bias")


def test_gradients_of_readings_equal_differences(run):
    paths = ["links.lower.body.mass", "links.upper.beam.section.width", *OWN]
    steps = {"step": 0.005, "rtol": 1e-11, "atol": 1e-13}
    misfit = Residuals(
        ROBOT, unknowns(paths), {"r": seen(run, ("gauge", "imu.y", "gyro.z", "flange.tz"))}, settings=steps
    )
    x = misfit.start * np.array([1.1, 0.95, 1.2, 0.8, 1.3])
    exact = np.concatenate([block.jacobian for block in misfit.blocks(x)])
    for j, size in enumerate(np.abs(x)):
        h = 1e-4 * size * np.eye(len(x))[j]
        ahead, behind = (np.concatenate([b.modelled for b in misfit.blocks(x + s * h)]) for s in (1, -1))
        near = (ahead - behind) / (2e-4 * size)
        assert np.abs(exact[:, j] - near).max() < 1e-6 * np.abs(near).max(), paths[j]


def test_filter_delay_and_bias_of_a_gauge_are_found(run):
    start = ROBOT.with_values([(OWN[0], 16.0), (OWN[1], 0.008), (OWN[2], 1e-5)])
    rng = np.random.default_rng(1)
    given = seen(run, ("gauge",))
    noisy = dict(given.data) | {"gauge": given.data["gauge"] + 1e-6 * rng.standard_normal(len(run.time))}
    found = lissom.fit(start, OWN, given.model_copy(update={"data": noisy}), progress=False)
    for path, (low, high) in found.intervals.items():
        true = ROBOT.value(path)
        assert abs(found.values[path] - true) < 1.7 * (high - low) / 2 + 0.01 * true  # splines at the start
        assert high - low < 0.3 * true
