"""A control law from outside: one kernel and one record, and everything that takes a law takes it, or says why not.

The law is PD whose torque saturates softly: tau = s tanh((kp e + kd e') / s), with s in its constants.
"""

from functools import partial
from typing import Annotated, ClassVar, Literal

import fmpy
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom
from lissom import control
from lissom.control.laws.control_kernel import evaluate
from lissom.control.laws.law_kinds import LawKind
from lissom.control.schema.control_schema import OfJoints
from lissom.control.schema.controller_builder import register
from lissom.errors import LissomError
from lissom.export import to_fmu
from lissom.kernel.compile import kernel
from lissom.kernel.maths.elementary_functions import tanh
from lissom.model.schema.base_model import FORM
from lissom.model.schema.number_fields import Number
from lissom.scenario.scenario_files import parse
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.run_memory import RunMemory

# --- what its author writes ------------------------------------------------------------------------------------------


@kernel
def soft_torques(law, part, t, q, v, torque):
    """Set torque = s tanh((kp e + kd e') / s) of every coordinate of a part."""
    s = law.constants[part, 0]
    for k in range(law.begin[part], law.begin[part + 1]):
        r, rd, _ = evaluate(law.breaks, law.coefficients, k, t)
        push = law.kp[k] * (r - q[law.measured_q[k]]) + law.kd[k] * (rd - v[law.measured_v[k]])
        torque[k] = s * tanh(push / s)


SOFT = LawKind("soft PD", torques=soft_torques)


def soft_pd(robot, gains, reference, softness, **options):
    return control.joint_law(robot, SOFT, gains, reference, constants=[softness], **options)


class SoftPd(OfJoints):
    """PD with a soft limit."""

    form: ClassVar[str] = FORM + "soft-pd"
    type: Literal["soft-pd"] = "soft-pd"
    softness: Annotated[float, Number("the largest torque", "N m", above=0)]


def build(setting, block):
    return setting.joint_law(block, partial(soft_pd, softness=block.softness))


# --- that it works ---------------------------------------------------------------------------------------------------

MASS, LENGTH = 2.0, 0.8
GAINS, SOFTNESS = {"hinge": {"p": 60.0, "d": 8.0}}, 12.0
INERTIA = MASS * LENGTH**2
SCENARIO = """
lissom: 1
duration: 0.6
robot:
  name: pendulum
  gravity: [0, 0, -9.81]
  links:
    - name: arm
      joint: {name: hinge, type: revolute, axis: [0, -1, 0]}
      body: {mass: 2, com: [0.8, 0, 0], tip: [0.8, 0, 0]}
control:
  type: soft-pd
  gains: {hinge: {p: 60, d: 8}}
  softness: 12
  reference: {type: constant, to: {hinge: 0.5}}
"""


@pytest.fixture(scope="module")
def robot():
    return parse(SCENARIO.replace("soft-pd", "pd").replace("  softness: 12\n", ""), "pd.yaml").scenario.load_robot()


@pytest.fixture(scope="module", autouse=True)
def registered():
    register(SoftPd, build)


def law(robot, goal=0.5, gains=GAINS, **options):
    return soft_pd(robot, gains, goal, SOFTNESS, **options)


def formula(q, v, goal=0.5, p=60.0):
    return SOFTNESS * np.tanh((p * (goal - q) - 8.0 * v) / SOFTNESS)


def scenario(**fields):
    return parse(SCENARIO, "soft.yaml").scenario.with_values(fields.items())


def test_python_calls_its_kernel_for_real_and_complex_states(robot):
    assert law(robot)(0.0, [0.1], [-0.4]) == pytest.approx(formula(0.1, -0.4), rel=1e-14)
    slope = law(robot)(0.0, np.array([0.1 + 1e-20j]), np.array([-0.4])).imag / 1e-20
    assert slope == pytest.approx(-60 * (1 - (formula(0.1, -0.4) / SOFTNESS) ** 2), rel=1e-12)


@pytest.mark.parametrize("method", ["dop853", "radau", "generalised-alpha"])
def test_a_run_is_that_of_the_pendulums_equation(robot, method):
    step = 2e-4 if method == "generalised-alpha" else None
    tight = {} if step else {"rtol": 1e-10, "atol": 1e-12}
    run = lissom.simulate(robot, 0.6, controller=law(robot), method=method, step=step, progress=False, **tight)

    def rate(t, y):
        return [y[1], (formula(*y) - MASS * 9.81 * LENGTH * np.cos(y[0])) / INERTIA]

    exact = solve_ivp(rate, (0, 0.6), [0, 0], rtol=1e-11, atol=1e-13).y[0, -1]
    assert float(run["hinge"][-1]) == pytest.approx(exact, abs=2e-6 if step else 1e-8)


def test_poles_of_the_closed_loop_have_its_stiffness(robot):
    memory = RunMemory(robot, RunSettings(duration=0.1), controller=law(robot), start={"hinge": 0.2})
    share = 1 - (formula(0.2, 0.0) / SOFTNESS) ** 2
    k = 60 * share - MASS * 9.81 * LENGTH * np.sin(0.2)
    wanted = np.roots([INERTIA, 8 * share, k])
    np.testing.assert_allclose(np.sort_complex(memory.poles()), np.sort_complex(wanted), rtol=1e-9)


def test_derivatives_by_its_gains_are_those_of_runs(robot):
    found = lissom.sensitivity(robot, "gains.hinge.p", 0.4, controller=law(robot), rtol=1e-9, atol=1e-11)

    def angle(p):
        own = law(robot, gains={"hinge": {"p": p, "d": 8.0}})
        run = lissom.simulate(robot, 0.4, controller=own, method="radau", rtol=1e-11, atol=1e-13, progress=False)
        return float(run["hinge"][-1])

    assert found.q[0, -1, 0] == pytest.approx((angle(60.01) - angle(59.99)) / 0.02, rel=1e-5)


def test_feedforward_and_saturation_are_added_behind_it(robot):
    fed = law(robot, feedforward={"hinge": 3.0}, saturation=5.0)
    assert fed(0.0, [0.5], [0.0])[0] == pytest.approx(3.0)
    assert fed(0.0, [0.1], [0.0])[0] == pytest.approx(5.0)


def test_it_adds_to_others_but_not_to_a_second_kernel(robot):
    both = law(robot) + control.pd(robot, GAINS, 0.2)
    assert both(0.0, [0.1], [0.0])[0] == pytest.approx(formula(0.1, 0.0) + 60 * 0.1)
    other = LawKind("other", torques=kernel(lambda law, part, t, q, v, torque: None))
    with pytest.raises(LissomError, match="one law with a kernel of its own, not soft PD and other"):
        law(robot) + control.joint_law(robot, other, GAINS, 0.0)


def test_a_scenario_takes_it_and_its_errors_name_the_field():
    made = scenario()
    assert made.prepare().controller.names == ("hinge",)
    run = made.run(progress=False)
    by_hand = lissom.simulate(made.load_robot(), 0.6, controller=law(made.load_robot()), progress=False)
    np.testing.assert_allclose(run["hinge"][-1], by_hand["hinge"][-1], atol=1e-12)
    with pytest.raises(LissomError, match=r"control\.softness = -1: must be positive"):
        made.with_value("control.softness", -1)
    with pytest.raises(LissomError, match=r"is unknown \(did you mean 'soft-pd'\?\); choose none, torque, .*soft-pd"):
        parse(SCENARIO.replace("soft-pd", "soft-pid"), "soft.yaml")


def test_many_runs_of_it_are_those_of_one():
    softness = [6.0, 9.0, 12.0]
    together = lissom.simulate_batch(scenario(), {"control.softness": softness}, outputs=["position.hinge"])
    for x, found in zip(softness, together["position.hinge"].values, strict=True):
        alone = scenario(**{"control.softness": x}).run(progress=False)
        np.testing.assert_allclose(found, alone["hinge"], atol=1e-10)


def test_sensors_may_tell_it_the_state(robot):
    model = robot.compile()
    angle = lissom.model.Encoder(joint="hinge")
    sampled = control.on_sensors(model, law(model), [angle], rate=1000)
    told = lissom.simulate(model, 0.3, controller=sampled, sensors=[angle], progress=False)
    seen = lissom.simulate(model, 0.3, controller=law(model), progress=False)
    assert float(told["hinge"][-1]) == pytest.approx(float(seen["hinge"][-1]), abs=2e-3)


def test_shapers_hold_its_joints_as_its_gains_are_no_stiffness(robot):
    assert len(control.light_modes(robot, gains=control.pd(robot, {"hinge": {"p": 60, "d": 0}}, 0)).frequencies) == 1
    assert len(control.light_modes(robot, gains=law(robot)).frequencies) == 0


def test_an_fmu_holds_its_machine_code(tmp_path):
    made = scenario(rtol=1e-9, atol=1e-11)
    path = str(to_fmu(made, tmp_path / "soft.fmu"))
    found = fmpy.simulate_fmu(path, stop_time=0.6, output_interval=0.1, output=["position.hinge"])
    run = made.run(progress=False)
    assert found["position.hinge"][-1] == pytest.approx(float(run["hinge"][-1]), abs=1e-7)
