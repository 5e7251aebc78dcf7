"""CasADi functions made from the kernel's source, and C code made from these, equal the compiled kernel."""

import shutil
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from random_robots import random_robot, random_state

import lissom
from lissom.dynamics import operation_counts, symbolic
from lissom.errors import LissomError

casadi = pytest.importorskip("casadi")

BUILT_IN = ("ella", "rigid-7-axis", "satellite-two-arm")
TREES = {
    "tree-on-groups": ("free", "spherical", "universal", "revolute", "fixed"),
    "tree-of-axes": ("cylindrical", "planar", "prismatic", "revolute", "universal"),
    "tree-of-balls": ("spherical", "revolute", "free", "prismatic"),
    "exact-tree": ("revolute", "universal"),
}


@cache
def model_of(name):
    if name in BUILT_IN:
        return lissom.load(name).compile()
    rng, joints = np.random.default_rng(len(name)), TREES[name]
    flexible = [k % 2 == 1 for k in range(len(joints))]
    field = "exact" if name.startswith("exact") else "first"
    return random_robot(rng, joints, flexible=flexible, stiffening=field, transmissions=1.0, passive=1.0).compile()


@pytest.fixture(params=[*BUILT_IN, *TREES])
def model(request):
    return model_of(request.param)


@pytest.fixture
def state(model):
    """q, v and a third vector, forces or accelerations."""
    rng = np.random.default_rng(1)
    return *random_state(model.robot, rng, 0.01), rng.normal(size=model.nv)


def numbers(value):
    array = np.array(value)
    return array[:, 0] if array.shape[1] == 1 else array


def assert_equal(value, expected, relative=1e-13):
    assert np.abs(numbers(value) - expected).max() <= relative * np.abs(expected).max()


def test_forward_dynamics(model, state):
    assert_equal(symbolic.forward_dynamics(model)(*state), lissom.forward_dynamics(model, *state), 1e-11)


def test_inverse_dynamics(model, state):
    assert_equal(symbolic.inverse_dynamics(model)(*state), lissom.inverse_dynamics(model, *state))


def test_mass_matrix(model, state):
    assert_equal(symbolic.mass_matrix(model)(state[0]), lissom.mass_matrix(model, state[0]))


def test_energy(model, state):
    kinetic, potential = symbolic.energy(model)(*state[:2])
    expected = lissom.energy(model, *state[:2])
    assert float(kinetic) == pytest.approx(expected.kinetic, rel=1e-13)
    assert float(potential) == pytest.approx(expected.potential, rel=1e-13)


def test_poses_of_points(model, state):
    q = state[0]
    assert_equal(symbolic.tip_pose(model)(q), lissom.tip_pose(model, q))
    for link in model.links:
        x = 0.3 * model.flexible[link].length if link in model.flexible else None
        point = (link, x, (0.1, -0.2, 0.3))
        assert_equal(symbolic.point_pose(model, *point)(q), lissom.point_pose(model, q, *point))


@pytest.mark.parametrize("frame", ["world", "local"])
def test_velocities_of_points(model, state, frame):
    q, v, _ = state
    for link in model.links[-2:]:
        point = (link, None, (0.1, -0.2, 0.3), frame)
        value = symbolic.point_velocity(model, *point)(q, v)
        assert_equal(value, lissom.point_velocity(model, q, v, *point))


def test_configuration_rate_is_the_rate_of_integration(model, state):
    q, v, _ = state
    step = 1e-6
    ahead, behind = (lissom.dynamics.integrate(model, q, h * v) for h in (step, -step))
    expected = (ahead - behind) / (2 * step)
    assert_equal(symbolic.configuration_rate(model)(q, v), expected, 1e-8)


def test_external_wrenches_are_an_input(model, state):
    links = model.links[-1], model.links[0]
    wrenches = np.random.default_rng(2).normal(size=(2, 6))
    named = dict(zip(links, wrenches))
    value = symbolic.forward_dynamics(model, links)(*state, wrenches.T)
    assert_equal(value, lissom.forward_dynamics(model, *state, named), 1e-11)
    value = symbolic.inverse_dynamics(model, links)(*state, wrenches.T)
    assert_equal(value, lissom.inverse_dynamics(model, *state, named))


def test_accelerations_of_prescribed_joints_are_an_input():
    model = lissom.load("ella").compile(prescribed=["shoulder"])
    rng = np.random.default_rng(3)
    q, v = random_state(model.robot, rng, 0.002)
    tau, given = rng.normal(size=(2, model.nv))
    function = symbolic.forward_dynamics(model)
    assert function.name_in() == ["q", "v", "tau", "given"]
    value = numbers(function(q, v, tau, given))
    assert_equal(value[:, None], lissom.forward_dynamics(model, q, v, tau, a=given), 1e-11)
    assert value[model.joint("shoulder").joint_v] == given[model.joint("shoulder").joint_v]


def test_inputs_and_outputs_are_named():
    function = symbolic.inverse_dynamics(model_of("rigid-7-axis"), ["link7"])
    assert function.name_in() == ["q", "v", "a", "wrenches"]
    assert function.name_out() == ["tau"]


def test_a_robot_without_degrees_of_freedom_has_functions_too():
    pole = {"name": "pole", "joint": "fixed", "body": {"mass": 1.0}}
    model = lissom.Robot.from_dict({"lissom": 1, "name": "pole", "links": [pole]}).compile()
    none = np.zeros(0)
    assert symbolic.forward_dynamics(model)(none, none, none).shape == (0, 1)
    assert_equal(symbolic.tip_pose(model)(none), np.eye(4))


def test_structural_zeros_keep_expressions_small():
    """Where the counter sees all operations, symbols leave out those with zeros, round-off included."""
    model = model_of("ella")
    instructions = symbolic.forward_dynamics(model).n_instructions()
    assert instructions < 0.5 * operation_counts.count(model, "forward_dynamics").total


def test_round_off_becomes_zero_and_small_numbers_stay():
    from lissom.kernel.numbers.rebind import structural_zeros

    arrays = model_of("ella").arrays
    turned = arrays.joints.origin_rotation.copy()
    turned[1] = [[6e-17, -1, 0], [1, 6e-17, 0], [0, 0, 1]]
    spring = np.array([1e-20, 1.0])
    joints, passive = arrays.joints._replace(origin_rotation=turned), arrays.passive._replace(spring=spring)
    cleaned = structural_zeros(arrays._replace(joints=joints, passive=passive))
    assert np.count_nonzero(cleaned.joints.origin_rotation[1]) == 3
    assert cleaned.passive.spring[0] == 1e-20


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", ["rigid-7-axis", "tree-on-groups"])
def test_c_code_computes_the_same(name, tmp_path):
    model = model_of(name)
    rng = np.random.default_rng(4)
    state = *random_state(model.robot, rng, 0.01), rng.normal(size=model.nv)
    forward, pose = symbolic.forward_dynamics(model), symbolic.tip_pose(model)
    code = symbolic.c_code([forward, pose], tmp_path / "arm.c")
    assert code.with_suffix(".h").exists()
    library = code.with_suffix(".so")
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", code, "-o", library, "-lm"], check=True)
    value = casadi.external("forward_dynamics", str(library))(*state)
    assert_equal(value, lissom.forward_dynamics(model, *state), 1e-11)
    assert_equal(casadi.external("tip_pose", str(library))(state[0]), lissom.tip_pose(model, state[0]))


@pytest.mark.parametrize(
    ("path", "message"), [("arm", "arm.c"), ("my-arm.c", "arm.c"), ("nowhere/arm.c", "there is no folder")]
)
def test_a_bad_path_for_c_code_is_refused(path, message, tmp_path):
    function = symbolic.tip_pose(model_of("rigid-7-axis"))
    with pytest.raises(LissomError, match=message):
        symbolic.c_code(function, tmp_path / path)


def test_bad_arguments_are_refused():
    model = model_of("rigid-7-axis")
    for wrenches, message in (
        ("link7", "list of link names"),
        (["link77"], "link7"),
        (["link7"] * 2, "twice"),
    ):
        with pytest.raises(LissomError, match=message):
            symbolic.forward_dynamics(model, wrenches)
    with pytest.raises(LissomError, match=r"frame = .body.: must be"):
        symbolic.point_velocity(model, "link7", frame="body")
    moved = model.robot.with_value("gravity.2", -9.81 + 1e-40j).compile()
    with pytest.raises(LissomError, match="real model"):
        symbolic.mass_matrix(moved)


def test_without_casadi_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(LissomError, match=r'pip install "lissom\[symbolic\]"'):
        symbolic.forward_dynamics(model_of("rigid-7-axis"))
    with pytest.raises(LissomError, match=r"lissom\[symbolic\]"):
        symbolic.c_code([], "arm.c")


def test_casadi_loads_only_when_used():
    code = "import sys, lissom.dynamics.symbolic, lissom.dynamics.operation_counts; assert 'casadi' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_wrenches_and_deflections_are_those_of_the_kernel(model, state):
    from lissom.analysis.equilibrium.deflection import tip_deflections

    q, v, a = state
    found, expected = numbers(symbolic.joint_wrenches(model)(q, v, a)).T, lissom.joint_wrenches(model, q, v, a)
    np.testing.assert_allclose(found, expected, atol=1e-11 * max(np.abs(expected).max(), 1.0))
    for link, bent in tip_deflections(model, q).items():
        moved = numbers(symbolic.tip_deflection(model, link)(q)).ravel()
        np.testing.assert_allclose(moved, bent.displacement, atol=1e-13)


def test_a_link_that_does_not_bend_has_no_deflection():
    with pytest.raises(LissomError, match="link = 'hub': does not bend; there are upper, forearm"):
        symbolic.tip_deflection("ella", "hub")
