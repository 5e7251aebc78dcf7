"""The functions on a model: what they take, what they give back, how they refuse."""

import inspect
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from random_robots import random_state

import lissom
from lissom import LissomError, dynamics

ELLA = lissom.load("ella").compile()
FLOATING = lissom.load("satellite-two-arm").compile()


def forces(model, q, a):
    """The size of the largest forces that cancel in the equations of motion: the scale of round-off."""
    return (np.abs(lissom.mass_matrix(model, q)) @ np.abs(a)).max()


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return *random_state(model.robot, rng, deflection=0.01), rng.normal(size=model.nv)


CALLS = {  # function: its array arguments, in order
    "forward_dynamics": ("q", "v", "tau"),
    "inverse_dynamics": ("q", "v", "a"),
    "bias": ("q", "v"),
    "joint_wrenches": ("q", "v", "a"),
    "mass_matrix": ("q",),
    "energy": ("q", "v"),
    "derivatives": ("q", "v", "tau"),
    "tip_pose": ("q",),
}


@pytest.mark.parametrize(
    ("function", "k", "name"), [(f, k, name) for f, names in CALLS.items() for k, name in enumerate(names)]
)
@pytest.mark.parametrize("model", [ELLA, FLOATING], ids=["ella", "satellite"])
def test_an_array_of_the_wrong_size_is_refused_with_its_name_and_what_it_should_hold(model, function, k, name):
    arguments = list(state(model)[: len(CALLS[function])])
    arguments[k] = arguments[k][:-1]
    size = model.nq if name == "q" else model.nv
    first = model.q_names[0] if name == "q" else model.coordinates[0]
    text = rf"^{name}: must have shape \({size},\) for {model.robot.name}, got \({size - 1},\); .* {first}, "
    with pytest.raises(lissom.LissomError, match=text):
        getattr(lissom, function)(model, *arguments)


def test_a_mapping_is_refused_with_the_function_that_makes_an_array_of_it():
    named = {"shoulder": 1.0}
    with pytest.raises(lissom.LissomError, match=r"make it by name with lissom.dynamics.configuration\(model"):
        lissom.tip_pose(ELLA, named)
    q = lissom.dynamics.configuration(ELLA, named)
    assert q[ELLA.q_names.index("shoulder")] == 1.0
    assert q.sum() == 1.0


@pytest.mark.parametrize("bad", [None, 3.0, [[0.0]]])
def test_other_things_than_a_vector_are_refused(bad):
    with pytest.raises(lissom.LissomError, match=r"^v: must have shape \(23,\) for ella"):
        lissom.forward_dynamics(ELLA, ELLA.neutral(), bad)


def test_words_are_refused():
    with pytest.raises(lissom.LissomError, match="q must hold numbers, got"):
        lissom.mass_matrix(ELLA, ["zero"] * ELLA.nq)


@pytest.mark.parametrize("call", [lissom.tip_pose, lissom.point_pose, lissom.jacobian])
def test_an_unknown_link_is_refused_with_the_nearest_name(call):
    with pytest.raises(lissom.LissomError, match="ella has no link 'forarm'; did you mean 'forearm'"):
        call(ELLA, ELLA.neutral(), "forarm")
    with pytest.raises(lissom.LissomError, match="has no link 'tail'; there are hub, upper, forearm"):
        call(ELLA, ELLA.neutral(), "tail")


def test_an_unknown_link_or_joint_of_a_model_is_refused():
    assert ELLA.joint("elbow") is ELLA.link("forearm")
    with pytest.raises(lissom.LissomError, match="no joint 'elbo'; did you mean 'elbow'"):
        ELLA.joint("elbo")
    with pytest.raises(lissom.LissomError, match="no link 'elbow'; there are hub, upper, forearm"):
        ELLA.link("elbow")


@pytest.mark.parametrize(
    ("wrenches", "text"),
    [
        ({"forarm": np.zeros(6)}, "no link 'forarm'; did you mean 'forearm'"),
        (
            {"forearm": np.zeros(3)},
            r"wrench on forearm must be \(torque, force\), 6 numbers, got shape \(3,\)",
        ),
        ({"forearm": ["a"] * 6}, "wrench on forearm must hold numbers"),
        (np.zeros((4, 6)), "must be a mapping from link name"),
    ],
)
def test_wrong_wrenches_are_refused(wrenches, text):
    with pytest.raises(lissom.LissomError, match=text):
        lissom.forward_dynamics(ELLA, *state(ELLA)[:2], wrenches=wrenches)


@pytest.mark.parametrize(
    ("link", "options", "text"),
    [
        ("forearm", {"x": 1.2}, "x = 1.2: is not on forearm, which is 0.93 m long"),
        ("forearm", {"x": -0.1}, "x = -0.1: is not on forearm"),
        ("forearm", {"x": np.nan}, "x = nan: is not on forearm"),
        ("forearm", {"x": [0.1, 0.2]}, "x: must be one number"),
        ("forearm", {"x": "tip"}, "x must hold numbers"),
        ("hub", {"x": 0.1}, "x = 0.1: hub is rigid; give offset"),
        ("hub", {"offset": (1, 2)}, r"offset: must be \(x, y, z\), 3 numbers, not of shape \(2,\)"),
    ],
)
def test_points_that_are_not_on_a_link_are_refused(link, options, text):
    with pytest.raises(lissom.LissomError, match=text):
        lissom.point_pose(ELLA, ELLA.neutral(), link, **options)


def test_unknown_axes_and_wrong_point_wrenches_are_refused():
    with pytest.raises(lissom.LissomError, match="frame = 'body': must be 'world' or 'local'"):
        lissom.jacobian(ELLA, ELLA.neutral(), "upper", frame="body")
    with pytest.raises(lissom.LissomError, match=r"wrench must be \(torque, force\), 6 numbers"):
        dynamics.point_force(ELLA, ELLA.neutral(), [1.0, 2.0], "upper")


def test_lists_integers_and_strided_arrays_will_do():
    q, v, tau = state(ELLA)
    expected = lissom.forward_dynamics(ELLA, q, v, tau)
    strided = np.repeat(q, 2)[::2]
    assert np.array_equal(lissom.forward_dynamics(ELLA, strided, v.tolist(), tuple(tau)), expected)
    still = lissom.forward_dynamics(ELLA, np.zeros(ELLA.nv), np.zeros(ELLA.nv))
    assert np.array_equal(lissom.forward_dynamics(ELLA, [0] * ELLA.nv, np.zeros(ELLA.nv, int)), still)


def test_arguments_stay_as_they_were_and_results_are_the_callers_own():
    arguments = state(FLOATING)
    copies = [a.copy() for a in arguments]
    results = []
    for function, names in CALLS.items():
        result = getattr(lissom, function)(FLOATING, *arguments[: len(names)])
        results += [r for r in (result if isinstance(result, tuple) else (result,))]
    kept = [np.copy(r) for r in results]
    for function, names in CALLS.items():
        getattr(lissom, function)(FLOATING, *state(FLOATING, seed=1)[: len(names)])
    assert all(np.array_equal(a, b) for a, b in zip(arguments, copies))
    assert all(np.array_equal(a, b) for a, b in zip(results, kept))


def test_no_forces_means_zero_forces():
    q, v, _ = state(ELLA)
    assert np.array_equal(lissom.forward_dynamics(ELLA, q, v), lissom.forward_dynamics(ELLA, q, v, np.zeros(ELLA.nv)))


def test_mass_matrix_and_bias_make_up_the_equations_of_motion():
    q, v, tau = state(FLOATING)
    a = lissom.forward_dynamics(FLOATING, q, v, tau)
    sum_ = lissom.mass_matrix(FLOATING, q) @ a + lissom.bias(FLOATING, q, v)
    assert sum_ == pytest.approx(tau, abs=1e-12 * forces(FLOATING, q, a))


def test_a_complex_state_or_wrench_carries_a_derivative_through():
    q, v, tau = state(ELLA)
    h, load = 1e-30, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    by_tau = lissom.forward_dynamics(ELLA, q, v, tau + 1j * h * np.eye(ELLA.nv)[2]).imag / h
    assert by_tau == pytest.approx(np.linalg.inv(lissom.mass_matrix(ELLA, q))[2], rel=1e-8)
    by_load = lissom.forward_dynamics(ELLA, q, v, tau, {"upper": 1j * h * load}).imag / h
    expected = lissom.forward_dynamics(ELLA, q, v, tau, {"upper": load}) - lissom.forward_dynamics(ELLA, q, v, tau)
    assert by_load == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_not_a_number_is_refused():
    q, v, tau = state(ELLA)
    tau[0] = np.nan
    with pytest.raises(LissomError, match="tau of shoulder-yaw is nan"):
        lissom.forward_dynamics(ELLA, q, v, tau)


def test_threads_do_not_disturb_each_other():
    states = [state(FLOATING, seed) for seed in range(40)]
    expected = [lissom.forward_dynamics(FLOATING, *s) for s in states]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            found = list(pool.map(lambda s: lissom.forward_dynamics(FLOATING, *s), states))
            assert all(np.array_equal(a, b) for a, b in zip(found, expected))


def test_a_prescribed_joint_moves_as_told_and_its_force_comes_from_inverse_dynamics():
    robot = lissom.load("ella")
    model = robot.compile(prescribed="shoulder")
    q, v, tau = state(model)
    at = model.coordinates.index("shoulder")
    told = np.zeros(model.nv)
    told[at] = 1.7
    a = lissom.forward_dynamics(model, q, v, tau, a=told)
    assert a[at] == 1.7
    force = lissom.inverse_dynamics(model, q, v, a)
    others = np.arange(model.nv) != at
    assert force[others] == pytest.approx(tau[others], abs=1e-12 * forces(model, q, a))
    assert lissom.forward_dynamics(ELLA, q, v, force) == pytest.approx(a, abs=1e-10 * np.abs(a).max())


def test_a_prescribed_joint_that_is_not_there_is_refused():
    with pytest.raises(lissom.LissomError, match="prescribed = 'elbo': is not a joint that moves; choose from"):
        lissom.load("ella").compile(prescribed=["elbo"])


def test_results_are_named():
    q, v, _ = state(ELLA)
    energy = lissom.energy(ELLA, q, v)
    assert energy.total == pytest.approx(energy.kinetic + energy.gravity + energy.strain + energy.joints)
    slopes = lissom.derivatives(ELLA, q, v)
    assert slopes.a == pytest.approx(lissom.forward_dynamics(ELLA, q, v))
    assert {slopes.q.shape, slopes.v.shape, slopes.tau.shape} == {(ELLA.nv, ELLA.nv)}


def test_every_public_function_is_documented_with_its_shapes():
    for name in dynamics.__all__:
        text = inspect.getdoc(getattr(dynamics, name))
        assert text and len(text) > 20, name
