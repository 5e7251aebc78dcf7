"""Every public function takes a robot's name, its description or its compiled model, with one and the same result."""

import inspect

import numpy as np
import pytest

import lissom
from lissom import analysis, control, dynamics, simulation, theory
from lissom.control.laws import law_kinds
from lissom.dynamics import operation_counts, symbolic
from lissom.errors import LissomError
from lissom.model import as_model, as_robot

ROBOT = lissom.Robot.from_yaml("""
lissom: 1
name: two-link
materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}
links:
  - name: upper
    joint: {name: shoulder, type: revolute, axis: [0, 1, 0]}
    beam:
      length: 0.8
      material: aluminium
      section: {shape: tube, outer: 0.03, thickness: 0.002}
      shear: none
      modes: {z: 1}
  - name: forearm
    joint: {name: elbow, type: revolute, axis: [0, 1, 0], damping: 0.1}
    body: {mass: 1.0, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02], tip: [0.4, 0, 0]}
""")
MODEL = ROBOT.compile()
REST = MODEL.neutral()
ZERO = np.zeros(MODEL.nv)
LAST = MODEL.links[-1]
JOINT = MODEL.joints[0]
GAINS = {JOINT: {"p": 10.0, "d": 1.0}}
ENCODERS = [{"type": "encoder", "joint": joint, "noise": 1e-4} for joint in MODEL.joints]
LQG = {"sensors": ENCODERS, "keep": {joint: 0.01 for joint in MODEL.joints}, "torque": 5.0, "order": 6}
FALLING = lissom.simulate(ROBOT, 0.4, progress=False)
NOISE = 1e-4 * np.sin(100 * np.arange(len(FALLING.time)))
FALL = {
    "data": {"time": FALLING.time, "angle": FALLING["elbow"] + NOISE},
    "outputs": {"position.elbow": {"column": "angle", "unit": "rad"}},
}

# what each function is given after the robot; a function that takes a robot must be listed here
ARGUMENTS = {
    lissom.compile: (),
    lissom.forward_dynamics: (REST, ZERO),
    lissom.forward_dynamics_batch: ([REST], [ZERO]),
    lissom.inverse_dynamics: (REST, ZERO, ZERO),
    lissom.mass_matrix: (REST,),
    lissom.bias: (REST, ZERO),
    lissom.joint_wrenches: (REST, ZERO, ZERO),
    lissom.energy: (REST, ZERO),
    lissom.tip_pose: (REST,),
    lissom.inverse_kinematics: (lissom.tip_pose(MODEL, REST)[:3, 3],),
    lissom.inverse_kinetostatics: ([0.9, 0.0, 0.4],),
    lissom.point_pose: (REST, LAST),
    lissom.point_velocity: (REST, ZERO, LAST),
    lissom.jacobian: (REST, LAST),
    lissom.sense: (REST, ZERO, ZERO, [{"type": "accelerometer", "link": LAST}]),
    lissom.derivatives: (REST, ZERO),
    lissom.linearise: (),
    lissom.natural_modes: (),
    lissom.buckling: ({LAST: [0, 0, 0, -1, 0, 0]},),
    lissom.campbell: (MODEL.bodies[0].joint, [1.0]),
    lissom.static_equilibrium: (),
    lissom.steady_motion: (),
    lissom.frequency_response: (),
    lissom.compare: (["kernel"],),
    lissom.sensitivity: ("gravity.2", 0.02),
    lissom.simulate: (0.02,),
    lissom.fit: (["links.forearm.joint.damping"], FALL),
    lissom.run_phases: ([lissom.Phase(0.02)],),
    lissom.simulate_batch: ({"gravity.2": [-9.81, -1.62]}, 0.02),
    dynamics.configuration: (),
    dynamics.rates: (),
    dynamics.forces: (),
    dynamics.integrate: (REST, ZERO),
    dynamics.inverse_derivatives: (REST, ZERO, ZERO),
    dynamics.parameter_derivatives: (["gravity.2"], REST, ZERO, ZERO),
    dynamics.point_force: (REST, np.ones(6), LAST),
    symbolic.forward_dynamics: (),
    symbolic.inverse_dynamics: (),
    symbolic.joint_wrenches: (),
    symbolic.tip_deflection: (MODEL.links[0],),
    symbolic.mass_matrix: (),
    symbolic.energy: (),
    symbolic.tip_pose: (),
    symbolic.point_pose: (LAST,),
    symbolic.point_velocity: (LAST,),
    symbolic.configuration_rate: (),
    operation_counts.count: (),
    operation_counts.evaluate: ("mass_matrix", REST, ZERO),
    control.pd: (GAINS, 0.0),
    control.computed_torque: (GAINS, 0.0),
    control.joint_law: (law_kinds.PD, GAINS, 0.0),
    control.impedance: (LAST, 100.0, 10.0),
    control.pid: (GAINS, 0.0),
    control.schedule: (control.lqr, [{JOINT: 0.0}, {JOINT: 0.5}]),
    control.open_loop: (control.pd(ROBOT, GAINS, 0.0),),
    control.noise_budget: (control.lqg(ROBOT, **LQG),),
    control.torques: ({JOINT: 1.0},),
    control.lqr: (),
    control.lqg: (),
    control.on_sensors: (control.pd(ROBOT, GAINS, 0.0), [{"type": "encoder", "joint": JOINT}]),
    control.shaper: (),
    control.light_modes: (),
    control.rigid_twin: (),
    control.from_config: (
        {"type": "pd", "gains": GAINS, "reference": {"type": "quintic", "to": {JOINT: 0.1}, "duration": 1.0}},
    ),
}

OPTIONS = {
    lissom.frequency_response: {"outputs": JOINT, "inputs": JOINT, "frequencies": [3.0]},
    lissom.compare: {"duration": 0.02},
    control.lqg: LQG,
    control.noise_budget: {"outputs": [JOINT]},
}

# functions of loops are given a robot that has some
SPRING = {
    "name": "stay",
    "type": "spring",
    "stiffness": 1.0,
    "length": 0.5,
    "between": [{"link": "world"}, {"link": "left-far"}],
}
CLOSED = lissom.Robot.from_dict(lissom.load("five-bar").to_dict() | {"elements": [SPRING]})
BENT = dynamics.close_loops(CLOSED)
STILL = np.zeros(CLOSED.compile().nv)
OF_LOOPS = {
    dynamics.close_loops: (),
    dynamics.closed_pose: (),
    dynamics.lengths: (BENT,),
    dynamics.closed_loops: (BENT, STILL),
    dynamics.loop_gaps: (BENT,),
    dynamics.loop_jacobian: (BENT,),
    dynamics.loop_rows: (),
    symbolic.closed_dynamics: (),
    symbolic.loop_gaps: (),
}


def public_functions():
    for module in (lissom, dynamics, symbolic, operation_counts, analysis, control, simulation, theory):
        for name in getattr(module, "__all__", dir(module)):
            made = getattr(module, name)
            if inspect.isfunction(made) and made.__module__.startswith("lissom") and not name.startswith("_"):
                yield made


def takes_a_robot(function):
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and first.name in ("robot", "model", "what")


def numbers(result):
    """Whatever a function returned, as one flat array."""
    if isinstance(result, dict):
        return numbers(list(result.values()))
    if hasattr(result, "data_vars"):
        return np.ravel(result["position"])
    for name in ("x", "deviations", "function", "law", "K", "A", "output", "q", "frequencies", "kp"):
        result = getattr(result, name, result)
    if hasattr(result, "name_in"):  # of CasADi
        return np.array([result.n_instructions()])
    if isinstance(result, tuple | list):
        return np.concatenate([numbers(part) for part in result])
    if hasattr(result, "designs"):
        return numbers([design.D for design in result.designs])
    if hasattr(result, "nv"):
        return np.array([result.nv, result.nq])
    if hasattr(result, "links"):
        return np.array([len(result.links)])
    if hasattr(result, "rows"):
        return np.array([row["tip"] for row in result.rows])
    return np.ravel(np.asarray(getattr(result, "times", result), float))


def test_every_public_function_of_a_robot_is_tested_here():
    of_a_robot = {function for function in public_functions() if takes_a_robot(function)}
    outside = {operation_counts.integrate, operation_counts.vector, as_model}  # imported there
    assert of_a_robot - outside - set(ARGUMENTS) - set(OF_LOOPS) == set()


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """The robot as the path of its file, as a description and compiled."""
    path = tmp_path_factory.mktemp("robots") / "two-link.yaml"
    ROBOT.save(path)
    return str(path), ROBOT, MODEL


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_names_descriptions_and_models_are_taken_alike(function, forms):
    options = OPTIONS.get(function, {})
    named, described, compiled = (numbers(function(robot, *ARGUMENTS[function], **options)) for robot in forms)
    assert len(named)
    assert np.array_equal(named, described)
    assert np.array_equal(named, compiled)


@pytest.mark.parametrize("function", OF_LOOPS, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_functions_of_loops_take_every_form_too(function, tmp_path):
    CLOSED.save(tmp_path / "closed.yaml")
    forms = (str(tmp_path / "closed.yaml"), CLOSED, CLOSED.compile())
    named, described, compiled = (function(robot, *OF_LOOPS[function]) for robot in forms)
    if function is dynamics.loop_rows:
        assert len(named)
        assert named == described == compiled
        return
    if function is dynamics.closed_loops:
        named, described, compiled = named.a, described.a, compiled.a
    assert len(numbers(named))
    assert np.array_equal(numbers(named), numbers(described))
    assert np.array_equal(numbers(named), numbers(compiled))


@pytest.mark.parametrize("name", theory.names())
def test_formulations_take_every_form(name, forms):
    found = []
    for robot in forms:
        try:
            found.append(theory.build(name, robot).accelerations(REST, ZERO, ZERO))
        except theory.Unsupported as error:
            found.append(str(error))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[1], found[2])


def test_a_robot_is_compiled_once():
    assert as_model(ROBOT) is as_model(ROBOT)
    assert as_model("ella") is as_model("ella")
    assert as_model(ROBOT) is not as_model(ROBOT.model_copy())
    driven = as_model(ROBOT, [JOINT])
    assert driven.prescribed == as_model(driven).prescribed == (JOINT,)
    assert as_model(driven, []).prescribed == ()
    assert as_robot(MODEL) is ROBOT


def test_a_changed_robot_is_compiled_anew():
    heavy = ROBOT.with_value("gravity.2", -20.0)
    assert lissom.bias(heavy, REST, ZERO) == pytest.approx(lissom.bias(heavy.compile(), REST, ZERO), rel=1e-15)
    assert as_model(heavy) is not as_model(ROBOT)


def test_anything_else_is_refused():
    for wrong in (3, None, {"name": "arm"}):
        with pytest.raises(LissomError, match=r"robot = .*: must be its name"):
            lissom.mass_matrix(wrong, REST)
