"""Claims of Park, Bobrow and Ploen (1995), checked by complex steps, by the kernel and by geometry."""

from functools import cache

import numpy as np
import pytest
from claims import claim
from numpy.testing import assert_allclose
from rigid_arms import ARMS, chain, planar_arm, polar_arm, scara_arm

import lissom
from lissom import theory
from lissom.lie import se3
from lissom.theory import Unsupported
from lissom.theory import lie_group as lg

H = 1e-30


@cache
def built(name):
    model = ARMS[name]().compile()
    return model, lg.arm(model)


@pytest.fixture(params=ARMS)
def case(request):
    return built(request.param)


def states(arm, count=3, seed=0):
    return np.random.default_rng(seed).normal(size=(3, count, arm.n))


def complex_step(function, x):
    """Derivative along every coordinate, appended as the last axis."""
    return np.stack([function(x + 1j * H * e).imag / H for e in np.eye(x.shape[-1])], axis=-1)


def assert_equal(value, expected, tolerance):
    error = np.abs(value - expected).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0))
    claim(error, tolerance)


def test_equations_of_motion_equal_the_kernel(case):
    model, arm = case
    formulation = theory.build("lie_group", model)
    for q, v, a in zip(*states(arm)):
        assert_equal(formulation.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a), 1e-12)
        assert_equal(formulation.accelerations(q, v, a), lissom.forward_dynamics(model, q, v, a), 1e-11)
        assert_equal(formulation.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a), 1e-12)
        assert_equal(formulation.tip(q), lissom.tip_pose(model, q), 1e-13)
        assert_equal(np.array(formulation.energy(q, v)), np.array(lissom.energy(model, q, v)), 1e-12)


def test_the_time_loop_is_given_the_same_equations(case):
    model, arm = case
    formulation = theory.build("lie_group", model)
    inverse, forward, own, *_ = formulation.dynamics
    found, unloaded = np.zeros(model.nv), np.zeros((model.rows, 6))
    for q, v, a in zip(*states(arm)):
        inverse(model.struct, own, q, v, a, unloaded, found)
        assert_equal(found, formulation.inverse_dynamics(q, v, a), 1e-12)
        forward(model.struct, own, q, v, a, unloaded, found)
        assert_equal(found, formulation.accelerations(q, v, a), 1e-11)


def test_the_three_products_of_exponentials_agree(case):
    _, arm = case
    x = states(arm)[0]
    for form in ("joint", "space", "body"):
        assert_equal(lg.product_of_exponentials(arm, x, form), lg.tip_pose(arm, x), 1e-13)


def test_jacobians_are_the_tip_twists(case):
    _, arm = case
    x, xd, _ = states(arm)
    pose = lg.tip_pose(arm, x + 1j * H * xd)
    f, fdot = pose.real, pose.imag / H
    body = se3.vee(se3.inverse(f) @ fdot)
    assert_equal(np.einsum("tij,tj->ti", lg.body_jacobian(arm, x), xd), body, 1e-13)
    assert_equal(np.einsum("tij,tj->ti", lg.space_jacobian(arm, x), xd), se3.vee(fdot @ se3.inverse(f)), 1e-13)


def test_both_factorisations_give_the_inertia_matrix(case):
    model, arm = case
    x = states(arm)[0]
    M = lg.mass_matrix(arm, x)
    for factors in (lg.factors_space, lg.factors_body):
        A, L, D = factors(arm, x)
        assert_equal(A.T @ np.swapaxes(L, -1, -2) @ D @ L @ A + np.diag(arm.armature), M, 1e-12)
    assert_equal(M[0], lissom.mass_matrix(model, x[0]), 1e-12)


def test_the_factors_are_related_as_printed():
    """A = Q S, L = Q G Q^-1, D = Q^-T J Q^-1 below (51)."""
    _, arm = built("scara")
    x = states(arm, 1)[0][0]
    A, L, D = lg.factors_space(arm, x)
    S, G, J = lg.factors_body(arm, x)
    Q = np.zeros((6 * arm.n, 6 * arm.n))
    for k, home in enumerate(arm.home):
        Q[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = se3.Ad(home)
    assert_equal(A, Q @ S, 1e-14)
    assert_equal(L, Q @ G @ np.linalg.inv(Q), 1e-13)
    assert_equal(D, np.linalg.inv(Q).T @ J @ np.linalg.inv(Q), 1e-13)


def test_propositions_1_and_2_equal_complex_steps():
    rng = np.random.default_rng(4)
    A, x, B = rng.normal(size=(4, 6)), rng.normal(size=4), rng.normal(size=6)
    for i in range(1, 5):
        for j in range(i, 5):
            for k in range(1, 5):
                along = 1j * H * np.eye(4)[k - 1]
                value = lg.adjoint_derivative(A, x, i, j, k, B)
                assert_equal(value, (lg.adjoint_map(A, x + along, i, j) @ B).imag / H, 1e-12)
                for m in range(1, 5):
                    nudge = 1j * H * np.eye(4)[m - 1]
                    second = lg.adjoint_second_derivative(A, x, i, j, k, m, B)
                    assert_equal(second, lg.adjoint_derivative(A, x + nudge, i, j, k, B).imag / H, 1e-11)


def test_derivatives_of_the_inertia_matrix_equal_complex_steps(case):
    _, arm = case
    for x in states(arm, 2)[0]:
        exact = complex_step(lambda z: lg.mass_matrix(arm, z), x)
        assert_equal(lg.mass_matrix_derivative(arm, x), exact, 1e-12)
        exact = complex_step(lambda z: lg.mass_matrix_derivative(arm, z), x)
        assert_equal(lg.mass_matrix_second_derivative(arm, x), exact, 1e-12)
        exact = complex_step(lambda z: lg.christoffel(arm, z), x)
        assert_equal(lg.christoffel_derivative(arm, x), exact, 1e-12)


def printed_christoffel(A, D, x):
    """(55)-(57) as printed, for a serial arm."""
    n = len(A)
    adjoint = cache(lambda i, j: lg.adjoint_map(A, x, i, j))
    Ad = lambda i, j, H: adjoint(i, j) @ H  # noqa: E731

    def bracketed(i, j, k, l):  # <Ad_l^j([Ad_{j-1}^{i+1}(A_i), A_j]), Ad_l^{k+1}(A_k)>_l
        inner = se3.ad(Ad(i + 1, j - 1, A[i - 1])) @ A[j - 1]
        return Ad(j, l, inner) @ D[l - 1] @ Ad(k + 1, l, A[k - 1])

    G = np.zeros((n, n, n))
    for i in range(1, n + 1):
        for j in range(i, n + 1):
            for k in range(1, n + 1):
                span = range(max(j, k), n + 1)
                if k <= i:
                    terms = [bracketed(k, i, j, l) + bracketed(k, j, i, l) + bracketed(i, j, k, l) for l in span]
                elif k <= j:
                    terms = [bracketed(k, j, i, l) + bracketed(i, j, k, l) - bracketed(i, k, j, l) for l in span]
                else:
                    terms = [bracketed(i, j, k, l) - bracketed(i, k, j, l) - bracketed(j, k, i, l) for l in span]
                G[i - 1, j - 1, k - 1] = G[j - 1, i - 1, k - 1] = 0.5 * sum(terms)
    return G


@pytest.mark.parametrize("name", ["seven-axis", "scara"])
def test_christoffel_symbols_equal_the_three_printed_cases(name):
    _, arm = built(name)
    x = states(arm, 1)[0][0]
    assert_equal(lg.christoffel(arm, x), printed_christoffel(arm.A, arm.D[arm.node], x), 1e-13)


def test_mass_rate_minus_twice_coriolis_is_skew(case):
    _, arm = case
    x, xd, xdd = states(arm)
    C = lg.coriolis_matrix(arm, x, xd)
    rate = lg.mass_matrix(arm, x + 1j * H * xd).imag / H
    N = rate - 2 * C
    claim(np.abs(N + np.swapaxes(N, -1, -2)).max(), 1e-10, "kg m2/s")
    forces = np.einsum("tij,tj->ti", C, xd) + lg.gravity_forces(arm, x)
    assert_equal(forces, lg.newton_euler(arm, x, xd, 0 * xdd).tau, 1e-12)


def test_gravity_is_the_slope_of_its_energy(case):
    _, arm = case
    x = states(arm, 1)[0][0]
    assert_equal(lg.gravity_forces(arm, x), complex_step(lambda z: lg.gravity_energy(arm, z), x), 1e-12)
    assert_equal(lg.gravity_derivative(arm, x), complex_step(lambda z: lg.gravity_forces(arm, z), x), 1e-12)


def test_derivatives_of_joint_forces_equal_complex_steps(case):
    _, arm = case
    x, xd, xdd = states(arm, 1)[:, 0]
    found = lg.inverse_dynamics_derivatives(arm, x, xd, xdd)
    assert_equal(found.x, complex_step(lambda z: lg.inverse_dynamics(arm, z, xd, xdd), x), 1e-12)
    assert_equal(found.xd, complex_step(lambda z: lg.inverse_dynamics(arm, x, z, xdd), xd), 1e-12)
    assert_equal(found.xdd, complex_step(lambda z: lg.inverse_dynamics(arm, x, xd, z), xdd), 1e-12)


def test_linear_model_about_a_trajectory_equals_the_exact_jacobians_of_the_kernel(case):
    model, arm = case
    formulation = lg.LieGroup(model)
    q, v, tau = states(arm, 4)
    a = formulation.accelerations(q, v, tau)
    linear = formulation.linearise(q, v, a)
    n = model.nv
    for k in range(4):
        exact = lissom.derivatives(model, q[k], v[k], tau[k])
        assert_equal(linear.A[k, n:, :n], exact.q, 1e-10)
        assert_equal(linear.A[k, n:, n:], exact.v, 1e-10)
        assert_equal(linear.B[k, n:], exact.tau, 1e-10)


def printed_curvature(arm, x):
    """(66) with its derivatives by complex step."""
    G = lg.christoffel(arm, x)
    dG = complex_step(lambda z: lg.christoffel(arm, z), x)
    raised = np.einsum("kh,ijh->ijk", np.linalg.inv(lg.mass_matrix(arm, x)), G)
    product = np.einsum("ilr,jkr->ijkl", G, raised) - np.einsum("ikr,jlr->ijkl", G, raised)
    return np.einsum("jlik->ijkl", dG) - np.einsum("jkil->ijkl", dG) + product


def test_curvature_equals_complex_steps_and_has_its_symmetries(case):
    _, arm = case
    x = states(arm, 1)[0][0]
    R = lg.curvature(arm, x)
    assert np.abs(R).max() > 1e-4
    assert_equal(R, printed_curvature(arm, x), 1e-12)
    assert_equal(R, -np.einsum("ijkl->jikl", R), 1e-12)
    assert_equal(R, -np.einsum("ijkl->ijlk", R), 1e-12)
    assert_equal(R, np.einsum("ijkl->klij", R), 1e-12)
    assert_equal(R + np.einsum("ijkl->iklj", R) + np.einsum("ijkl->iljk", R), 0 * R, 1e-12)


def test_a_point_in_polar_coordinates_is_flat_though_its_inertia_matrix_varies():
    arm = lg.arm(polar_arm().compile())
    x = np.array([0.3, 0.8])
    assert np.abs(lg.christoffel(arm, x)).max() > 1
    claim(np.abs(lg.curvature(arm, x)).max(), 1e-12, "kg m2")


def test_a_pendulum_sphere_has_the_curvature_of_a_sphere():
    """A point of 2 kg on a massless arm of 0.5 m: a sphere in the metric m ds^2, of curvature 1/(m r^2)."""
    sphere = chain(
        [(0, 0, 1), (0, 1, 0)], [(0, 0, 0)] * 2, ["revolute"] * 2, [0.0, 2.0], [(0, 0, 0), (0.5, 0, 0)], [(0, 0, 0)] * 2
    )
    arm = lg.arm(sphere.compile())
    x = np.array([[0.3, 0.4], [1.0, -0.7]])
    kappa = lg.sectional_curvature(arm, x, [1.0, 0.0], [0.0, 1.0])
    assert_allclose(kappa, 1 / (2.0 * 0.5**2), rtol=1e-12)
    assert_allclose(lg.scalar_curvature(arm, x), 2 / (2.0 * 0.5**2), rtol=1e-12)


def test_joint_forces_are_linear_in_the_inertial_parameters(case):
    _, arm = case
    x, xd, xdd = states(arm)
    Y = lg.regressor(arm, x, xd, xdd)
    assert_equal(Y @ arm.parameters + arm.armature * xdd, lg.inverse_dynamics(arm, x, xd, xdd), 1e-12)


@pytest.mark.parametrize(
    ("robot", "count"),
    [
        (planar_arm(1), 3),  # inertia about the axis and two first moments
        (planar_arm(2, gravity=(0, 0, -9.81)), 4),  # no work against gravity: Izz, Izz, two first moments
        (planar_arm(2), 6),
        (scara_arm(), 8),
    ],
    ids=["pendulum", "planar-level", "planar-upright", "scara"],
)
def test_minimal_parameters_are_as_many_as_the_arm_shows(robot, count):
    arm = lg.arm(robot.compile())
    minimal = lg.minimal_parameters(arm)
    assert len(minimal.chosen) == count
    x, xd, xdd = states(arm, 5, seed=3)
    Y = lg.regressor(arm, x, xd, xdd)
    assert_equal(minimal.regressor(Y) @ minimal.values(arm.parameters), Y @ arm.parameters, 1e-10)
    assert np.linalg.matrix_rank(minimal.regressor(lg.regressor(arm, *states(arm, 40))).reshape(-1, count)) == count


def test_a_general_six_axis_arm_has_the_36_minimal_parameters_of_the_literature():
    """7 n - 6 for n revolute joints, the first along gravity (Mayeda et al. 1990; skew offsets, no rotors counted)."""
    rng = np.random.default_rng(8)
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)]
    inertias = [(0.1, 0.12, 0.09)] * 6
    robot = chain(axes, rng.normal(size=(6, 3)), ["revolute"] * 6, [2.0] * 6, rng.normal(size=(6, 3)), inertias)
    assert len(lg.minimal_parameters(lg.arm(robot.compile())).chosen) == 7 * 6 - 6


def test_gradient_of_the_minimum_energy_objective_equals_differences():
    arm = lg.arm(planar_arm(3).compile())
    objective = lg.MinimumEnergy(arm, lg.Path(np.zeros(3), np.array([1.0, -0.5, 2.0]), 1.5, count=3))
    c = 0.3 * np.random.default_rng(1).normal(size=9)
    value, gradient = objective(c)
    h = 1e-6
    differences = [(objective.value(c + h * e) - objective.value(c - h * e)) / (2 * h) for e in np.eye(9)]
    assert value == pytest.approx(objective.value(c), rel=1e-13)
    assert_allclose(gradient, differences, atol=1e-7)


def test_bad_arms_are_refused_by_name():
    with pytest.raises(Unsupported, match=r"links\.upper: lie_group covers rigid arms"):
        theory.build("lie_group", lissom.load("ella").compile())
    plain = planar_arm(2).to_dict()
    plain["links"][1]["joint"] = {"type": "spherical", "name": "ball"}
    with pytest.raises(Unsupported, match=r"joint\.type = 'spherical'"):
        theory.build("lie_group", lissom.Robot.from_dict(plain).compile())
    plain["links"][1]["joint"] = {"type": "revolute", "name": "soft", "axis": [0, 0, 1]} | {
        "transmission": {"stiffness": 10.0, "rotor_inertia": 0.1}
    }
    with pytest.raises(Unsupported, match=r"joint\.transmission: lie_group has rigid gears"):
        theory.build("lie_group", lissom.Robot.from_dict(plain).compile())
