"""A sensor from outside: its fields and one record, and everything that takes sensors takes it, or says why not.

The sensor is a tilt meter: how far the x axis of its frame points up, the sine of the inclination.
"""

from typing import ClassVar, Literal

import fmpy
import numpy as np
import pytest

import lissom
from lissom import control
from lissom.dynamics import sense
from lissom.dynamics.sensor_kinds import Pass, Reading, SensorKind, register
from lissom.errors import LissomError
from lissom.export import to_fmu
from lissom.model.description.sensor import AtPoint
from lissom.model.schema.base_model import FORM
from lissom.scenario.scenario_files import parse

# --- what its author writes ------------------------------------------------------------------------------------------


class TiltMeter(AtPoint):
    """Sine of the inclination of a frame's x axis against the horizontal."""

    form: ClassVar[str] = FORM + "tilt-meter"
    unit: ClassVar[str] = ""
    type: Literal["tilt-meter"] = "tilt-meter"


def mount(sensing, sensor, path):
    row = sensing.row(sensor)
    return Reading(("",), ("1",), lambda moment: moment.work.world_rotation[row, 2, :1])


TILT = SensorKind(TiltMeter, mount, passes=Pass.VELOCITIES | Pass.WORLD)

# --- that it works ---------------------------------------------------------------------------------------------------

SCENARIO = """
lissom: 1
duration: 0.4
output: {rate: 100}
robot:
  name: pendulum
  gravity: [0, 0, -9.81]
  links:
    - name: arm
      joint: {name: hinge, type: revolute, axis: [0, -1, 0], damping: 0.5}
      body: {mass: 2, com: [0.4, 0, 0], inertia: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], tip: [0.8, 0, 0]}
  sensors:
    - {name: tilt, type: tilt-meter, link: arm, rate: 100, delay: 0.02, noise: 1.0e-4}
"""


@pytest.fixture(scope="module", autouse=True)
def _registered():
    register(TILT)


@pytest.fixture
def scenario():
    return parse(SCENARIO, "tilt.yaml").scenario


def test_it_reads_the_sine_of_the_angle_of_real_and_complex_states(scenario):
    robot = scenario.load_robot()
    assert sense(robot, [0.3])["tilt"] == pytest.approx(np.sin(0.3), rel=1e-14)
    assert np.imag(sense(robot, np.array([0.3 + 1e-20j]))["tilt"]) / 1e-20 == pytest.approx(np.cos(0.3), rel=1e-14)


def test_a_run_tells_it_late(scenario):
    quiet = scenario.with_value("robot.sensors.tilt.noise", 0.0)
    run = quiet.run(progress=False)
    np.testing.assert_allclose(run.reading("tilt", ideal=True), np.sin(run["hinge"]), atol=1e-12)
    np.testing.assert_allclose(run.reading("tilt")[5:], np.sin(run["hinge"])[3:-2], atol=1e-12)


def test_files_name_its_fields_in_errors():
    with pytest.raises(LissomError, match=r"is unknown \(did you mean 'tilt-meter'\?\); choose encoder, .*tilt-meter"):
        parse(SCENARIO.replace("tilt-meter", "tilt-metre"), "tilt.yaml")
    with pytest.raises(LissomError, match=r"sensors\.tilt\.lonk.*unknown field \(did you mean 'link'"):
        parse(SCENARIO.replace("link: arm", "lonk: arm"), "tilt.yaml")


def test_a_linear_model_has_it_as_an_output(scenario):
    model = scenario.load_robot().compile()
    rest = lissom.static_equilibrium(model, {"hinge": 0.3})
    linear = lissom.linearise(model, rest, outputs=["tilt"])
    np.testing.assert_allclose(linear.C, [[np.cos(0.3), 0.0]], atol=1e-12)


def test_designs_from_sensors_use_it(scenario):
    model = scenario.load_robot().compile()
    law = control.lqg(model, {"hinge": 0.3}, sensors=["tilt"], keep={"hinge": 0.01}, torque=20.0, order=2)
    run = lissom.simulate(model, 1.5, start={"hinge": 0.25}, controller=law, progress=False)
    assert abs(float(run["hinge"][-1]) - 0.3) < 2e-3
    seen = TiltMeter(link="arm", noise=1e-3)
    feedback = control.lqr(model, {"hinge": 0.3}, sensors=[seen]).function
    assert np.abs(feedback.estimator_poles).max() < 1
    with pytest.raises(LissomError, match=r"sensors\[0\]\.rate = 100.*: is no part of this design"):
        control.lqr(model, sensors=["tilt"])


def test_laws_of_joints_refuse_it_by_name(scenario):
    model = scenario.load_robot().compile()
    law = control.pd(model, {"hinge": {"p": 1.0, "d": 0.0}}, 0.0)
    with pytest.raises(LissomError, match=r"is of type tilt-meter, and laws of joints read encoders and tachometers"):
        control.on_sensors(model, law, ["tilt"])


def test_an_fmu_tells_its_ideal_reading(scenario, tmp_path):
    path = str(to_fmu(scenario, tmp_path / "tilt.fmu"))
    found = fmpy.simulate_fmu(path, stop_time=0.4, output_interval=0.1, output=["reading.tilt", "position.hinge"])
    np.testing.assert_allclose(found["reading.tilt"], np.sin(found["position.hinge"]), atol=1e-10)


def test_fields_without_a_record_are_refused_by_name(scenario):
    class Unread(TiltMeter):
        form: ClassVar[str] = FORM + "unread"

    class Alone(AtPoint):
        form: ClassVar[str] = FORM + "alone"

    robot = scenario.load_robot()
    assert sense(robot, [0.3], sensors=[Unread(link="arm")])["unread-arm"] == pytest.approx(np.sin(0.3))
    with pytest.raises(LissomError, match="sensors of type alone read nothing: register a SensorKind for them"):
        sense(robot, [0.3], sensors=[Alone(link="arm")])
