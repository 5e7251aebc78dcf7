"""Sensors along a run: samples, delay, low-pass, steps and noise against formulas; controllers that read them."""

import numpy as np
import pytest
from soft_arms import one_body, soft_arm

import lissom
from lissom import control
from lissom.errors import LissomError
from lissom.model import Accelerometer, Encoder, ForceTorque, Gyro, Position, StrainGauge, Tachometer

OMEGA = 12.0  # rad/s of the oscillator below
FINE = {"rtol": 1e-10, "atol": 1e-12}


def oscillator():
    """A mass on a spring whose place is cos(OMEGA t)."""
    data = one_body("prismatic", mass=2.0).robot.to_dict()
    data["links"][0]["joint"]["spring"] = {"stiffness": 2.0 * OMEGA**2}
    return lissom.Robot.from_dict(data)


def swing(*sensors, duration=1.0, **options):
    return lissom.simulate(oscillator(), duration, start={"joint": 1.0}, sensors=sensors, **FINE, **options)


def held(time, rate, delay):
    """Times of the samples that are told."""
    return np.maximum(np.floor((time - delay) * rate + 1e-6), 0.0) / rate


def test_a_sensor_without_faults_tells_the_truth():
    run = swing(Encoder(joint="joint"), Tachometer(joint="joint"))
    assert np.abs(run.reading("encoder-joint").values - np.cos(OMEGA * run.time)).max() < 1e-8
    assert np.array_equal(run.reading("encoder-joint"), run["joint"])
    assert np.array_equal(run.reading("tachometer-joint"), run.velocity("joint"))
    assert run.reading("encoder-joint").attrs["units"] == "m"


@pytest.mark.parametrize(("rate", "delay"), [(100.0, 0.0), (73.0, 0.0), (100.0, 0.0234), (37.0, 0.1), (1000.0, 0.0005)])
def test_samples_are_held_and_told_late(rate, delay):
    run = swing(Encoder(joint="joint", rate=rate, delay=delay))
    wanted = np.cos(OMEGA * held(run.time, rate, delay))
    assert np.abs(run.reading("encoder-joint").values - wanted).max() < 1e-8


def test_without_a_rate_a_delay_is_exact_at_every_output():
    run = swing(Encoder(joint="joint", delay=0.0371))
    wanted = np.cos(OMEGA * np.maximum(run.time - 0.0371, 0.0))
    assert np.abs(run.reading("encoder-joint").values - wanted).max() < 1e-8


def filtered(time, corner):
    """A low-pass of cos(OMEGA t) that is 1 at t = 0."""
    w = 2 * np.pi * corner
    steady = w * (w * np.cos(OMEGA * time) + OMEGA * np.sin(OMEGA * time)) / (w**2 + OMEGA**2)
    return steady + (1 - w**2 / (w**2 + OMEGA**2)) * np.exp(-w * time)


@pytest.mark.parametrize("corner", [0.2, 3.0, 40.0])
@pytest.mark.parametrize(("rate", "delay"), [(None, 0.0), (25.0, 0.0), (200.0, 0.013), (None, 0.013)])
def test_low_passes_are_those_of_the_formula(corner, rate, delay):
    run = swing(Encoder(joint="joint", low_pass=corner, rate=rate, delay=delay))
    times = np.maximum(run.time - delay, 0.0) if rate is None else held(run.time, rate, delay)
    assert np.abs(run.reading("encoder-joint").values - filtered(times, corner)).max() < 1e-8


def test_readings_stand_on_steps_of_the_resolution():
    run = swing(Encoder(joint="joint", resolution=0.03))
    reading, truth = run.reading("encoder-joint").values, run["joint"].values
    assert np.abs(reading / 0.03 - np.round(reading / 0.03)).max() < 1e-9
    assert 0.01 < np.abs(reading - truth).max() <= 0.015 * (1 + 1e-9)


def test_counts_are_per_turn_of_the_joint_or_of_the_motor():
    data = soft_arm().robot.to_dict()
    joint = data["links"][0]["joint"]["name"]
    data["links"][0]["joint"]["transmission"] = {"rotor_inertia": 1e-4, "gear": 20.0}
    sensors = [Encoder(joint=joint, counts=64, name="j"), Encoder(joint=joint, counts=64, side="motor", name="m")]
    run = lissom.simulate(lissom.Robot.from_dict(data), 0.1, start={joint: 0.4}, sensors=sensors)
    for name, step in (("j", 2 * np.pi / 64), ("m", 2 * np.pi / 64 / 20)):
        error = run.reading(name).values - run[joint].values
        assert np.abs(run.reading(name).values / step % 1.0 - 0.5).min() > 0.499
        assert np.abs(error).max() <= step / 2 * (1 + 1e-9)


def test_noise_is_white_seeded_and_each_sensor_has_its_own():
    def noises(**options):
        sensors = [Position(link="body", name=name, noise=[0.1, 0.2, 0.0], rate=1000, **options) for name in "ab"]
        run = swing(*sensors, duration=4.0, rate=1000)
        return [run.reading(n).values - run.reading(n, ideal=True).values for n in "ab"]

    first, again, other = noises(), noises(), noises(seed=1)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    a, b = first
    assert a.std(axis=0)[:2] == pytest.approx([0.1, 0.2], rel=0.05)
    assert np.all(a[:, 2] == 0)
    assert abs(np.corrcoef(a[:, 0], b[:, 0])[0, 1]) < 0.05
    assert abs(np.corrcoef(a[1:, 0], a[:-1, 0])[0, 1]) < 0.05
    assert abs(a[:, 0].mean()) < 0.01


def test_bias_is_added_before_steps():
    run = swing(Encoder(joint="joint", bias=0.4, resolution=0.25))
    wanted = np.round((run["joint"].values + 0.4) / 0.25) * 0.25
    assert np.abs(run.reading("encoder-joint").values - wanted).max() < 1e-12


def test_what_a_sensor_tells_does_not_depend_on_the_outputs_of_the_run():
    sensor = Accelerometer(link="body", rate=60, low_pass=9.0, noise=0.2, delay=0.011)
    few, many = (swing(sensor, rate=rate, duration=0.5).reading("accelerometer-body").values for rate in (20, 200))
    assert np.abs(few - many[::10]).max() < 1e-6


def test_sensors_cost_no_steps():
    plain, seen = swing(), swing(Encoder(joint="joint", rate=5000, low_pass=100))
    assert plain.info.steps == seen.info.steps
    assert np.array_equal(plain.q, seen.q)
    assert np.array_equal(plain.time, seen.time)
    assert np.array_equal(plain.work, seen.work)


def test_force_torque_readings_are_the_wrenches_of_the_run_with_loads_and_payloads():
    model = soft_arm()
    push = lissom.Load(link="fore", force={"type": "steps", "at": [0, 0.1], "to": [[0, 0, 0], [0, 5.0, 0]]})
    carried = lissom.Payload(link="fore", mass=0.3, pick=0.07)
    joint = model.joints[1]
    run = lissom.simulate(model, 0.2, sensors=ForceTorque(joint=joint), loads=[push], payloads=[carried])
    wrench = run.wrench(joint).values
    assert np.abs(run.reading(f"force-torque-{joint}", ideal=True) - wrench).max() < 1e-9
    jumps = np.isclose(run.time, 0.1) | np.isclose(run.time, 0.07)
    assert np.abs(run.reading(f"force-torque-{joint}").values - wrench)[~jumps].max() < 1e-9


def test_sensors_of_a_mechanism_with_loops():
    robot = lissom.load("five-bar")
    loop = robot.loops[0].name
    run = lissom.simulate(robot, 0.05, sensors=[ForceTorque(joint=loop), Gyro(link=robot.links[0].name)])
    assert np.abs(run.reading(f"force-torque-{loop}").values - run.loop_wrench(loop).values).max() < 1e-6
    assert np.abs(run.loop_wrench(loop).values).max() > 0


def test_sensors_of_the_file_are_read_in_every_run_and_readings_are_kept(tmp_path):
    data = oscillator().to_dict() | {"sensors": [{"type": "encoder", "joint": "joint", "rate": 50, "noise": 0.01}]}
    robot = lissom.Robot.from_dict(data)
    assert lissom.Robot.from_yaml(robot.to_yaml()) == robot
    run = lissom.simulate(robot, 0.2, start={"joint": 1.0}, sensors=Gyro(link="body"))
    run.save(tmp_path / "run.nc")
    again = lissom.Trajectory.load(tmp_path / "run.nc")
    assert np.array_equal(again.reading("encoder-joint"), run.reading("encoder-joint"))
    table = run.to_dataframe()
    assert {"reading.encoder-joint", "reading.gyro-body.x", "ideal_reading.encoder-joint"} <= set(table.columns)
    assert table.attrs["units"]["reading.gyro-body.x"] == "rad/s"
    assert run.reading("gyro-body.y").shape == (len(run.time),)


# controllers


def test_a_controller_sees_readings_instead_of_states():
    seen = []

    def law(t, readings):
        seen.append((t, readings["e"], readings["a"]))
        return [0.0]

    sensors = [Encoder(joint="joint", name="e", rate=50, delay=0.007), Accelerometer(link="body", name="a")]
    run = swing(*sensors, controller=control.Sampled(law, rate=100, sensors=["e", "a"]), duration=0.3)
    times, angles = np.array([t for t, _, _ in seen]), np.array([e for _, e, _ in seen])
    assert len(times) == 30
    assert np.abs(angles - np.cos(OMEGA * held(times, 50, 0.007))).max() < 1e-8
    felt = np.array([a for _, _, a in seen])
    assert np.all(felt[0] == 0)  # the first is that of a steady motion
    assert np.abs(felt[1:, 0] + OMEGA**2 * np.cos(OMEGA * times[1:])).max() < 1e-5
    assert np.array_equal(run.reading("a").values[::2][: len(felt)], felt)


def test_without_a_rate_a_sensor_looks_when_its_controller_does():
    seen = []
    law = control.Sampled(lambda t, y: seen.append((t, y["e"])) or 0.0, rate=77.0, sensors="e")
    swing(Encoder(joint="joint", name="e", delay=0.0123), controller=law, duration=0.3)
    for t, angle in seen:
        assert angle == pytest.approx(np.cos(OMEGA * max(t - 0.0123, 0.0)), abs=1e-8)


def test_a_controller_on_good_sensors_does_what_it_does_on_states():
    model, gains = soft_arm(), np.array([40.0, 20.0])
    names = [f"{kind}{k}" for kind in "et" for k in range(2)]
    sensors = [Encoder(joint=j, name=f"e{k}") for k, j in enumerate(model.joints)]
    sensors += [Tachometer(joint=j, name=f"t{k}") for k, j in enumerate(model.joints)]

    def on_state(t, q, v):
        at = [body.joint_q.start for body in model.bodies]
        return dict(zip(model.joints, -gains * q[at] - 0.1 * gains * v[at]))

    def on_readings(t, y):
        return {j: -gains[k] * y[f"e{k}"] - 0.1 * gains[k] * y[f"t{k}"] for k, j in enumerate(model.joints)}

    start = {model.joints[0]: 0.3}
    by_state = lissom.simulate(model, 0.3, start=start, controller=control.Sampled(on_state, 200))
    read = control.Sampled(on_readings, 200, sensors=names)
    by_readings = lissom.simulate(model, 0.3, start=start, controller=read, sensors=sensors)
    assert np.abs(by_state.q - by_readings.q).max() < 1e-9


def test_controllers_of_both_kinds_act_together():
    model = soft_arm()
    joint = model.joints[0]
    read = control.Sampled(lambda t, y: {joint: -y["e"]}, 100, sensors=["e"])
    law = control.pd(model, {joint: {"p": 10.0, "d": 1.0}}, 0.0)
    run = lissom.simulate(model, 0.1, start={joint: 0.3}, controller=law + read, sensors=Encoder(joint=joint, name="e"))
    assert run.torque(joint).values[0] == pytest.approx(-3.0 - 0.3)


# what cannot be


@pytest.mark.parametrize(
    ("sensor", "words"),
    [
        ({"type": "encodr", "joint": "joint"}, "sensors.*type = 'encodr': is unknown.*did you mean 'encoder'"),
        ({"joint": "joint"}, "type: missing; choose encoder, tachometer"),
        ({"type": "encoder"}, "joint: missing; give the joint that it sits at"),
        ({"type": "encoder", "joint": "jiont"}, "joint = 'jiont': is not a joint.*did you mean 'joint'"),
        ({"type": "encoder", "joint": "joint", "rate": 0}, "rate = 0: must be positive; give the samples per second"),
        ({"type": "encoder", "joint": "joint", "delay": -1}, "delay = -1: must not be negative.*seconds"),
        ({"type": "encoder", "joint": "joint", "low_pass": "fast"}, "low_pass = 'fast': must be a number, not text"),
        ({"type": "encoder", "joint": "joint", "noise": -0.1}, "noise = -0.1: must not be negative.*in rad"),
        ({"type": "encoder", "joint": "joint", "noise": [1, 2]}, r"noise = \[1.*has 2 numbers, and the sensor 1"),
        ({"type": "encoder", "joint": "joint", "noise": "3 kg"}, "noise = '3 kg'.*wrong kind"),
        ({"type": "encoder", "joint": "joint", "seed": 1.5}, "seed = 1.5: must be a whole number"),
        ({"type": "encoder", "joint": "joint", "resolution": 0}, "resolution = 0: must be positive"),
        ({"type": "encoder", "joint": "joint", "counts": 100}, "counts = 100.*does not turn.*give its resolution"),
        ({"type": "encoder", "joint": "joint", "side": "both"}, "side = 'both': is unknown; choose.*joint or motor"),
        ({"type": "encoder", "joint": "joint", "colour": 1}, "colour = 1: unknown field.*the fields here are type"),
        ({"type": "gyro", "link": "bdoy"}, "link = 'bdoy': is not a link.*did you mean 'body'"),
        ({"type": "gyro", "link": "world"}, "link = 'world': does not move; name a link"),
        ({"type": "gyro", "link": "body", "at": 0.3}, "at = 0.3: is a place along a beam.*use origin"),
        ({"type": "strain-gauge", "link": "body"}, "link = 'body': is rigid; the robot has no beams"),
        ({"type": "force-torque", "joint": "body"}, "joint = 'body': is not a joint.*the joints are joint"),
    ],
)
def test_what_is_wrong_with_a_sensor_is_said(sensor, words):
    with pytest.raises(LissomError, match=words):
        swing(sensor)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"at": 5.0}, "at = 5: lies beyond the end of 'upper'"),
        ({"face": "x"}, "face = 'x': is unknown.*y, -y, z or -z"),
        ({"fibre": [0.01]}, "fibre.*must be a list of two numbers"),
        ({"fibre": [0.01, 0], "reading": "curvature"}, "fibre.*a curvature has a face"),
        ({}, "fibre: missing; the section has no outline"),
    ],
)
def test_what_is_wrong_with_a_gauge_is_said(changes, words):
    with pytest.raises(LissomError, match=words):
        lissom.simulate(soft_arm(), 0.01, sensors={"type": "strain-gauge", "link": "upper"} | changes)


def test_two_sensors_of_one_name_are_refused():
    with pytest.raises(LissomError, match=r"sensors\[1\].name = 'encoder-joint': is the name of another sensor"):
        swing(Encoder(joint="joint"), Encoder(joint="joint", rate=3))


def test_sensors_that_a_controller_asks_for_must_be_there():
    with pytest.raises(LissomError, match=r"sensors = 'x': the controller reads a sensor that one has not; .*\be\b"):
        swing(Encoder(joint="joint", name="e"), controller=control.Sampled(lambda t, y: 0.0, sensors=["x"]))
    with pytest.raises(LissomError, match=r"two arguments, .t, readings."):
        control.Sampled(lambda t, q, v: 0.0, sensors=["x"])
    with pytest.raises(LissomError, match="sensors = 3: must be names of sensors"):
        control.Sampled(lambda t, y: 0.0, sensors=3)


def test_readings_that_were_not_taken_are_told_apart_from_joints():
    with pytest.raises(LissomError, match="one has no sensor 'gyro-body' in this run"):
        swing().reading("gyro-body")


def test_samples_that_no_memory_holds_are_refused():
    with pytest.raises(LissomError, match=r"sensors\[0\].rate = 1e\+06.*of memory.*lower the rate") as told:
        swing(Encoder(joint="joint", rate=1e6), duration=1e6, rate=1e-3)
    assert told.value.path == ("sensors", 0, "rate")


def test_gauges_take_a_fibre_where_the_section_has_no_outline():
    run = lissom.simulate(soft_arm(), 0.02, sensors=StrainGauge(link="upper", fibre=[0.0, 0.01]))
    assert np.abs(run.reading("strain-gauge-upper").values).max() > 0
