"""Laws of joints on what encoders and tachometers tell, in Python and in scenarios."""

import numpy as np
import pytest
from soft_arms import soft_arm

import lissom
from lissom import control
from lissom.errors import LissomError
from lissom.model import Encoder, Gyro, Tachometer
from lissom.scenario import Scenario

MODEL = soft_arm()
FIRST, SECOND = MODEL.joints
GAINS = {FIRST: {"p": 40.0, "d": 4.0}, SECOND: {"p": 20.0, "d": 2.0}}
ALL = [kind(joint=joint) for kind in (Encoder, Tachometer) for joint in MODEL.joints]


@pytest.mark.parametrize("make", [control.pd, control.computed_torque])
def test_good_sensors_make_no_difference(make):
    law = make(MODEL, GAINS, [0.0, 0.0])
    on_state = lissom.simulate(MODEL, 0.1, start={FIRST: 0.03}, controller=control.Sampled(law, 1000))
    read = control.on_sensors(MODEL, law, ALL, rate=1000)
    on_readings = lissom.simulate(MODEL, 0.1, start={FIRST: 0.03}, controller=read, sensors=ALL)
    assert on_state.info.status.word == "finished"
    assert np.abs(on_state.q - on_readings.q).max() < 1e-8


def test_rates_without_tachometers_are_differences_of_angles():
    law = control.pd(MODEL, {FIRST: {"p": 0.0, "d": 2.0}}, 0.0)
    made = control.on_sensors(MODEL, law, Encoder(joint=FIRST, name="e"), rate=100)
    at = law.force[0]
    assert made.function(0.0, {"e": 0.5})[at] == 0.0
    assert made.function(0.01, {"e": 0.53})[at] == pytest.approx(-2.0 * 3.0)
    made.reset()
    assert made.function(0.02, {"e": 0.9})[at] == 0.0


def test_motors_of_elastic_joints_have_encoders_of_their_own():
    data = MODEL.robot.to_dict()
    data["links"][0]["joint"]["transmission"] = {"rotor_inertia": 1e-3, "gear": 10.0, "stiffness": 200.0}
    robot = lissom.Robot.from_dict(data)
    law = control.pd(robot, {FIRST: {"p": 5.0, "d": 0.5}}, 0.0, side="motor")
    control.on_sensors(robot, law, Encoder(joint=FIRST, side="motor"))
    with pytest.raises(
        LissomError, match=rf"sensors: none of them tells {FIRST}.rotor, which the law needs; name an encoder"
    ):
        control.on_sensors(robot, law, Encoder(joint=FIRST))


@pytest.mark.parametrize(
    ("sensors", "words"),
    [
        ([], r"sensors = \[\]: must be a list of sensors"),
        (["angle"], r"sensors\[0\] = 'angle': is not a sensor of soft; the robot's file has none"),
        ([Gyro(link="upper")], r"sensors\[0\] = 'gyro-upper': is of type gyro, and laws of joints read encoders"),
        ([Encoder(joint="elbw")], "joint = 'elbw': is not a joint"),
        ([Encoder(joint=FIRST)], f"none of them tells {SECOND}"),
        (ALL[2:], f"none of them tells {FIRST}, which the law needs"),
    ],
)
def test_sensors_that_do_not_tell_what_a_law_needs_are_refused(sensors, words):
    with pytest.raises(LissomError, match=words):
        control.on_sensors(MODEL, control.pd(MODEL, GAINS, 0.0), sensors)
    with pytest.raises(LissomError, match="law = 3: must be a law"):
        control.on_sensors(MODEL, 3, ALL)


def scenario(**changes):
    sensors = [
        {"name": f"{joint}-angle", "type": "encoder", "joint": joint, "counts": 2**20}
        for joint in ("shoulder", "elbow")
    ]
    gains = {"shoulder": {"p": 500, "d": 1}, "elbow": {"p": 150, "d": 0.2}}
    block = {"type": "pd", "gains": gains, "rate": 1000, "sensors": ["shoulder-angle", "elbow-angle"]}
    data = {"robot": "ella", "duration": 0.05, "start": {"elbow": 0.2}, "sensors": sensors}
    return data | {"control": block | changes}


def test_scenarios_name_the_sensors_of_a_law():
    made = Scenario.from_dict(scenario())
    assert Scenario.from_yaml(made.to_yaml()) == made
    run = made.run(progress=False)
    assert run.reading("elbow-angle").values[0] == pytest.approx(0.2, abs=2 * np.pi / 2**20)
    step = 2 * np.pi / 2**20
    before = np.round(0.2 / step) * step
    assert run.torque("elbow").values[0] == pytest.approx(150 * (0.2 - before), abs=1e-9)  # it holds 0.2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sensors": ["elbow-angel"]}, r"control.sensors\[0\] = 'elbow-angel': is not a sensor; .*elbow-angle"),
        ({"sensors": ["elbow-angle"]}, "control.sensors: none of them tells shoulder"),
        ({"rate": None}, "control.rate.*missing, and sensors are read by sampled controllers"),
    ],
)
def test_scenarios_say_what_is_wrong_with_the_sensors_of_a_law(changes, words):
    with pytest.raises(LissomError, match=words):
        Scenario.from_dict(scenario(**changes)).prepare()


def test_scenarios_say_what_is_wrong_with_sensors():
    data = scenario() | {"sensors": [{"type": "gyro", "link": "forarm"}]}
    with pytest.raises(LissomError, match=r"sensors\[0\].link = 'forarm': is not a link .did you mean 'forearm'"):
        Scenario.from_dict(data).prepare()
