"""Motors behind elastic gears: whose torque a joint's is, and what a prescribed motion moves."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom
from lissom.control import Reference
from lissom.scenario import Scenario

J, K, ROTOR, GEAR = 2.0, 100.0, 0.01, 10.0  # of the link, of the gear, of the motor
ARM = f"""\
lissom: 1
name: arm
gravity: [0, 0, 0]
links:
  - name: link
    joint:
      name: j
      type: revolute
      axis: [0, 0, 1]
      transmission: {{stiffness: {K}, rotor_inertia: {ROTOR}, gear: {GEAR}}}
    body: {{mass: 1, inertia: [{J}, {J}, {J}]}}
"""
WAY = Reference.quintic(0.0, 1.0, 0.5)


def behind(t, begin=0.0):
    """Angle of the link behind a motor that follows WAY, and the motor's torque, by SciPy."""

    def rates(t, y):
        return [y[1], K * (float(np.squeeze(WAY(t)[0])) - y[0]) / J]

    found = solve_ivp(rates, (0, t[-1]), [begin, 0.0], t_eval=t, rtol=1e-11, atol=1e-12, max_step=0.05)
    theta, _, thetadd = (np.array([float(np.squeeze(WAY(each)[k])) for each in t]) for k in range(3))
    return found.y[0], ROTOR * GEAR**2 * thetadd + K * (theta - found.y[0])


def test_a_motion_moves_the_motor_and_its_torque_is_the_result():
    run = lissom.simulate(lissom.Robot.from_yaml(ARM), 1.0, motion={"j": WAY}, rate=100, rtol=1e-9, atol=1e-11)
    angle, torque = behind(run.time)
    assert run["j"].values == pytest.approx(angle, abs=1e-7)
    assert run["j.rotor"].values == pytest.approx([float(np.squeeze(WAY(t)[0])) for t in run.time], abs=1e-12)
    assert run.torque("j").values == pytest.approx(torque, abs=1e-5)
    assert np.abs(torque).max() > 50  # it was 0 at all times
    told = [event for event in run.warnings if event.kind == "gear"]
    assert len(told) == 1
    assert "is that of its motor" in told[0].text
    assert told[0].value == pytest.approx(np.abs(angle - run["j.rotor"].values).max(), rel=1e-6)


def test_the_joint_begins_where_its_motor_does_unless_told_otherwise():
    robot, still = lissom.Robot.from_yaml(ARM), {"j": Reference.constant(0.7)}
    run = lissom.simulate(robot, 0.2, motion=still)
    assert np.abs(run["j"].values - 0.7).max() < 1e-12
    assert run.warnings == []
    named = lissom.simulate(robot, 0.2, motion=still, start={"j": 0.6}, rtol=1e-9, atol=1e-11)
    swing = 0.7 - 0.1 * np.cos(np.sqrt(K / J) * named.time)
    assert named["j"].values == pytest.approx(swing, abs=1e-6)
    block = {"type": "constant", "to": 0.7}
    prepared = Scenario(robot=robot, duration=0.2, motion={"j": block}).prepare()
    assert prepared.start[0].tolist() == [0.7, 0.7]


def test_weight_winds_up_the_gear_of_a_motor_that_is_held_by_a_motion():
    heavy = ARM.replace("[0, 0, 0]", "[0, -9.81, 0]").replace("mass: 1,", "mass: 1, com: [0.5, 0, 0],")
    run = Scenario(
        robot=lissom.Robot.from_yaml(heavy),
        duration=0.2,
        motion={"j": {"type": "constant", "to": 0.0}},
        start="equilibrium",
    ).run(progress=False)
    angle = run["j"].values
    assert angle == pytest.approx(-9.81 * 0.5 * np.cos(angle[0]) / K * np.ones(len(angle)), rel=1e-7)
    assert run.torque("j").values == pytest.approx(9.81 * 0.5 * np.cos(angle), rel=1e-6)


def test_outputs_of_studies_have_the_torque_of_the_motor():
    pd = {"type": "pd", "gains": {"j": {"p": 400, "d": 40}}, "reference": {"type": "constant", "to": [0.1]}}
    scenario = Scenario(robot=lissom.Robot.from_yaml(ARM), duration=0.2, control=pd | {"side": "motor"})
    run = scenario.run(progress=False)
    runs = lissom.simulate_batch(scenario, {"control.gains.j.d": [40.0]}, outputs=["peak torque.j", "rms torque.j"])
    peak = float(np.abs(run.torque("j").values).max())
    assert peak > 30
    assert float(runs["peak torque.j"][0]) == pytest.approx(peak, rel=1e-6)
    assert float(runs["rms torque.j"][0]) > 1
