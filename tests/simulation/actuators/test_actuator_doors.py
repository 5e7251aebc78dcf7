"""Driven arms through every door of lissom: C, FMUs, sensitivities, modes, environments, reports, sweeps."""

import subprocess

import numpy as np
import pytest
import yaml
from c_programs import COMPILERS, built
from driven_arms import CYLINDER, MOTOR, PENDULUM, driven, machine

import lissom
from lissom.errors import LissomError
from lissom.kernel.algorithms import composite_body
from lissom.scenario.scenario_files import parse

KINDS = ("motor", "cylinder", "tendon")


def scenario(kind, **more):
    robot, command = machine(kind)
    block = {"robot": robot.to_dict(), "duration": 0.2, "method": "radau", "rtol": 1e-9, "atol": 1e-11}
    return parse(
        yaml.safe_dump(block | {"control": {"type": "torque", "torques": {"drive": command}}} | more),
        "driven.yaml",
    ).scenario


@pytest.mark.parametrize("kind", KINDS)
def test_states_stand_on_the_diagonal_of_the_mass_matrix_alone(kind):
    model = machine(kind)[0].compile()
    M = lissom.mass_matrix(model, [0.1])
    exact = np.zeros_like(M)
    composite_body.mass_matrix(model.struct, model.workspace(), np.array([0.1]), np.zeros(model.nv), exact)
    assert np.abs(M - exact).max() < 1e-14
    assert not np.any(M[0, 1:])
    assert np.diag(M)[1:] == pytest.approx(model.arrays.actuators.inertia)


@pytest.mark.skipif(not COMPILERS, reason="needs gcc or clang")
@pytest.mark.parametrize("backend", ["straight", "loops"])
@pytest.mark.parametrize("kind", KINDS)
def test_c_equals_python(kind, backend, tmp_path):
    pytest.importorskip("casadi")
    lissom.export.to_c(machine(kind)[0], tmp_path, backend=backend)
    said = subprocess.run([built(tmp_path, "-O0")], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
    assert "ok    derivatives a_v" in said.stdout


def test_a_closed_loop_step_in_c_is_refused(tmp_path):
    with pytest.raises(LissomError, match="functions = 'step'"):
        lissom.export.to_c(machine("motor")[0], tmp_path, ["step"])


@pytest.mark.parametrize(
    ("robot", "path", "command"),
    [
        (driven(PENDULUM, {k: v for k, v in MOTOR.items() if k != "efficiency"}), "actuators.drive.resistance", 12.0),
        (driven(PENDULUM, MOTOR), "links.arm.body.mass", 12.0),
        (driven(PENDULUM, CYLINDER), "actuators.drive.bore", 0.1),
        (driven(PENDULUM, CYLINDER), "actuators.drive.through.1.origin.xyz.0", 0.1),
        (machine("tendon")[0], "actuators.drive.response", 60.0),
        (machine("tendon")[0], "links.arm.body.mass", 60.0),
    ],
    ids=["resistance", "mass under a motor", "bore", "place of a cylinder", "response", "mass under a tendon"],
)
def test_sensitivities_equal_differences(robot, path, command):
    def run(value):
        model = robot.with_value(path, value).compile()
        law = lissom.control.torques(model, {"drive": command})
        return lissom.simulate(model, 0.1, controller=law, rtol=1e-11, atol=1e-13)["arm"].values[-1]

    value = robot.value(path)
    step = 2e-4 * value
    expected = (run(value + step) - run(value - step)) / (2 * step)
    law = lissom.control.torques(robot, {"drive": command})
    exact = lissom.sensitivity(robot, path, 0.1, controller=law, rtol=1e-11, atol=1e-13, output="arm")
    assert exact.output[0, -1] == pytest.approx(expected, rel=1e-5)


def test_modes_hold_what_drives():
    rod = lissom.natural_modes("tendon-arm", number=2)
    assert rod.frequencies[0] == pytest.approx(rod.frequencies[1], rel=1e-6)
    assert sum(share[0] for share in rod.participation.links.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_scenarios_take_commands_of_every_kind(kind):
    robot, command = machine(kind)
    run = scenario(kind).prepare().simulate(progress=False)
    law = lissom.control.torques(robot, {"drive": command})
    own = lissom.simulate(robot, 0.2, controller=law, method="radau", rtol=1e-9, atol=1e-11)
    assert run["arm"].values[-1] == own["arm"].values[-1]


def test_numbers_of_actuators_are_swept():
    data = lissom.simulate_batch(
        scenario("motor", duration=0.05), {"actuators.drive.resistance": [0.5, 1.0]}, outputs=["last position.arm"]
    )
    found = data["last position.arm"].values
    assert found[0] > found[1]


def test_agents_give_commands_within_their_limits():
    pytest.importorskip("gymnasium")
    from lissom.study.learning import Environment

    env = Environment(driven(PENDULUM, MOTOR | {"voltage": 24.0}))
    env.reset()
    env.step(np.ones(1))
    assert env.joints == ["drive"]
    assert env.trajectory().quantities["torque"][-1, 1] == 24.0
    with pytest.raises(LissomError, match="command has no limits; give the largest here"):
        Environment(driven(PENDULUM, MOTOR))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["motor", "current", "tendon"])
def test_fmus_follow_drives(kind, tmp_path):
    fmpy = pytest.importorskip("fmpy")
    run = scenario(kind).with_value("output.rate", 50.0).prepare().simulate(progress=False)
    path = lissom.export.to_fmu(scenario(kind), tmp_path / "driven.fmu")
    state = machine(kind)[0].compile().coordinates[1]
    names = ["position.arm", state]
    found = fmpy.simulate_fmu(str(path), stop_time=0.2, output_interval=0.02, output=names)
    for name, values in zip(names, (run["arm"].values, run[state].values), strict=True):
        assert np.abs(found[name] - values).max() < 1e-6 * np.abs(values).max()


def test_fmus_that_cannot_follow_drives_are_refused(tmp_path):
    with pytest.raises(LissomError, match="drives of actuators are part of"):
        lissom.export.to_fmu(scenario("motor"), tmp_path / "none.fmu", kind="model-exchange")
    with pytest.raises(LissomError, match="is a hydraulic cylinder, whose pressures an FMU does not follow"):
        lissom.export.to_fmu(scenario("cylinder"), tmp_path / "none.fmu")


def test_a_cylinder_by_force_is_a_thrust_without_lag():
    ends = [{"link": "world", "origin": {"xyz": [0.2, 0, 0.5]}}, {"link": "arm", "origin": {"xyz": [0.9, 0, 0.05]}}]
    element = lissom.Robot(
        name="plain",
        links=[PENDULUM],
        elements=[{"name": "drive", "type": "cylinder", "drive": "force", "force": -80.0, "between": ends}],
    )
    thrust = driven(PENDULUM, {"type": "thrust", "name": "drive", "through": ends})
    law = lissom.control.torques(thrust, {"drive": -80.0})
    one = lissom.simulate(element, 0.5, rtol=1e-9)
    two = lissom.simulate(thrust, 0.5, controller=law, start={"drive.thrust": -80.0}, rtol=1e-9)
    assert np.abs(one["arm"].values - two["arm"].values).max() < 1e-7
    plainly = lissom.forward_dynamics(element, [0.3], [0.5], [0.0])
    assert lissom.forward_dynamics(thrust, [0.3], [0.5, -80.0], [0.0, -80.0])[0] == pytest.approx(plainly[0], rel=1e-13)


@pytest.mark.filterwarnings("ignore:drive takes")
def test_a_motor_that_gets_too_hot_is_told():
    for continuous, told in ((6.0, True), (1000.0, False)):
        robot = driven(PENDULUM, MOTOR | {"continuous_current": continuous, "drive": "current"})
        law = lissom.control.torques(robot, {"drive": 10.0})
        run = lissom.simulate(robot, 0.2, controller=law)
        assert [event.link_or_joint for event in run.warnings if event.kind == "current"] == (["drive"] if told else [])
