"""Sampled controllers inside FMUs: the torques of every sample, their delay, and the motion are those of lissom."""

from dataclasses import replace

import fmpy
import numpy as np
import pytest

from lissom.errors import LissomError
from lissom.export import to_fmu
from lissom.scenario.scenario_files import parse

PICKER = """
robot:
  lissom: 1
  name: picker
  gravity: [0, 0, -9.81]
  links:
    - name: arm
      joint: {name: turn, type: revolute, axis: [0, 1, 0], damping: 0.3, friction: {coulomb: 0.4, velocity: 0.05},
              transmission: {rotor_inertia: 0.4, stiffness: 2000, damping: 2}}
      body: {mass: 3, com: [0.3, 0, 0], inertia: [0.01, 0.1, 0.1], tip: [0.5, 0, 0]}
    - name: quill
      parent: arm
      joint: {name: slide, type: prismatic, axis: [1, 0, 0], damping: 4}
      body: {mass: 1, com: [0.1, 0, 0], inertia: [0.002, 0.002, 0.002]}
sensors:
  - {name: motor-angle, type: encoder, joint: turn, side: motor, noise: 1.0e-5}
  - {name: quill-place, type: encoder, joint: slide, noise: 1.0e-6}
duration: 0.5
method: radau
rtol: 1.0e-9
atol: 1.0e-11
output: {rate: 100}
"""
REFERENCE = "reference: {type: quintic, to: {turn: 0.5, slide: 0.05}, duration: 0.3}"
GAINS = "gains: {turn: {p: 300, i: 500, d: 25}, slide: {p: 4000, i: 9000, d: 150}}"
STIFF = "gains: {turn: {p: 300, d: 25}, slide: {p: 4000, d: 150}}"
CONTROLS = {
    "pid": f"control: {{type: pid, {GAINS}, {REFERENCE}, side: motor, saturation: {{turn: 16, slide: 40}}, rate: 400, "
    "delay: 0.0037, notches: [{joint: turn, frequency: 11}], derivative: 60}",
    "pid with the model": f"control: {{type: pid, {GAINS}, {REFERENCE}, side: motor, rate: 500, "
    "inverse_dynamics: true}",
    "sampled pd": f"control: {{type: pd, {STIFF}, {REFERENCE}, side: motor, rate: 300, gravity_compensation: true}}",
    "pid on encoders": f"control: {{type: pid, {GAINS}, {REFERENCE}, side: motor, rate: 500, "
    "sensors: [motor-angle, quill-place]}",
    "lqg": f"control: {{type: lqg, {REFERENCE}, sensors: [motor-angle, quill-place], order: 6, rate: 500, "
    "keep: {turn: 0.01, slide: 0.002}, torque: {turn: 20, slide: 30}}",
}


SLOW = ("sampled pd", "pid on encoders", "lqg")


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in CONTROLS])
def test_an_fmu_takes_the_samples_of_the_controller(name, tmp_path):
    scenario = parse(PICKER + CONTROLS[name], "picker.yaml").scenario
    prepared = scenario.prepare()
    ideal = [sensor.model_copy(update={"noise": 0.0}) for sensor in prepared.sensors]
    run = replace(prepared, sensors=tuple(ideal)).simulate(progress=False)
    path = to_fmu(scenario.prepare(), tmp_path / "picker.fmu", name="picker")
    names = ["position.turn", "position.turn.rotor", "position.slide", "torque.turn.rotor", "torque.slide"]
    described = [each.name for each in fmpy.read_model_description(str(path)).modelVariables]
    assert set(names) <= set(described)
    found = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=0.5, output_interval=0.01, output=names)
    at = np.searchsorted(found["time"], run.time + 1e-9) - 1
    for one in names:
        kind, coordinate = one.split(".", 1)
        wanted = (
            run[coordinate].values if kind == "position" else run.raw.tau[:, run.model.coordinates.index(coordinate)]
        )
        assert np.abs(found[one][at][:-1] - wanted[:-1]).max() < 2e-6 * np.abs(wanted).max(), one


@pytest.mark.slow
def test_a_tool_may_give_the_reference_of_a_sampled_controller(tmp_path):
    scenario = parse(PICKER + CONTROLS["pid on encoders"], "picker.yaml").scenario
    path = to_fmu(scenario, tmp_path / "picker.fmu", name="picker")
    start = {"inputs.follow": True, "inputs.reference.turn": -0.2, "inputs.reference.slide": 0.02}
    found = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=3.0, output_interval=0.05, start_values=start,
        output=["position.turn.rotor", "position.slide"],
    )  # fmt: skip
    assert found["position.turn.rotor"][-1] == pytest.approx(-0.2, abs=1e-3)
    assert found["position.slide"][-1] == pytest.approx(0.02, abs=1e-4)


def test_what_an_fmu_cannot_hold_is_told(tmp_path):
    scenario = parse(PICKER + CONTROLS["lqg"], "picker.yaml").scenario
    with pytest.raises(LissomError, match="takes samples between the steps"):
        to_fmu(scenario, tmp_path / "a.fmu", kind="model-exchange")
    slow = scenario.with_value("sensors.0.delay", 0.004)
    with pytest.raises(LissomError, match=r"motor-angle: delay is none in an FMU"):
        to_fmu(slow, tmp_path / "a.fmu")
