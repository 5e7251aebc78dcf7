"""Claims about SO(3), SE(3) and unit quaternions: the group axioms, and independent formulas for the rest."""

from fractions import Fraction
from math import factorial, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from lissom.lie import coefficients, quaternion, se3, so3

DIMENSION = {so3: 3, se3: 6}
SHAPES = [(), (3,), (2, 4)]
ANGLES = [0.0, 1e-160, 1e-12, 1e-7, 1e-3, 0.4, 0.999999, 1.0, 1.000001, 2.0, 3.0, pi, 4.0, 6.0]

groups = pytest.mark.parametrize("group", [so3, se3], ids=["so3", "se3"])
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)
angles = pytest.mark.parametrize("angle", ANGLES)


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


def unit_vectors(rng, shape=()):
    axis = rng.normal(size=(*shape, 3))
    return axis / np.linalg.norm(axis, axis=-1, keepdims=True)


def tangents(group, rng, shape=(), angle=None):
    """Random tangent vectors, their rotation of the given angle or of any angle below pi."""
    if angle is None:
        angle = rng.uniform(0, pi, size=(*shape, 1))
    w = angle * unit_vectors(rng, shape)
    return w if group is so3 else np.concatenate([w, rng.normal(size=(*shape, 3))], axis=-1)


def elements(group, rng, shape=()):
    return group.exp(tangents(group, rng, shape))


def expm_each(X):
    flat = X.reshape(-1, *X.shape[-2:])
    return np.array([expm(matrix) for matrix in flat]).reshape(X.shape)


@groups
@shapes
def test_group_axioms_hold(group, shape, rng):
    a, b, c = (elements(group, rng, shape) for _ in range(3))
    unit = group.exp(np.zeros(DIMENSION[group]))
    assert_allclose(unit, np.eye(unit.shape[-1]), atol=0)
    assert_allclose((a @ b) @ c, a @ (b @ c), atol=1e-14)
    assert_allclose(a @ group.inverse(a), np.broadcast_to(unit, a.shape), atol=1e-14)
    assert_allclose(group.inverse(a) @ a, np.broadcast_to(unit, a.shape), atol=1e-14)
    assert_allclose(group.inverse(a @ b), group.inverse(b) @ group.inverse(a), atol=1e-14)


@groups
@shapes
def test_action_on_points_is_a_group_action(group, shape, rng):
    a, b = elements(group, rng, shape), elements(group, rng, shape)
    x = rng.normal(size=(*shape, 3))
    assert_allclose(group.act(a @ b, x), group.act(a, group.act(b, x)), atol=1e-14)
    assert_allclose(group.act(group.inverse(a), group.act(a, x)), x, atol=1e-14)


@groups
@shapes
def test_exp_is_the_matrix_exponential_of_hat(group, shape, rng):
    x = tangents(group, rng, shape)
    assert_allclose(group.exp(x), expm_each(group.hat(x)), atol=2e-14)
    assert_allclose(group.exp(-x), group.inverse(group.exp(x)), atol=1e-14)
    assert_allclose(group.exp(0.3 * x) @ group.exp(0.7 * x), group.exp(x), atol=1e-14)


@shapes
def test_rotations_are_orthonormal_with_determinant_one(shape, rng):
    R = elements(so3, rng, shape)
    assert_allclose(so3.inverse(R) @ R, np.broadcast_to(np.eye(3), R.shape), atol=2e-15)
    assert_allclose(np.linalg.det(R), 1, atol=2e-15)


@groups
@shapes
def test_vee_inverts_hat(group, shape, rng):
    x = tangents(group, rng, shape)
    assert_allclose(group.vee(group.hat(x)), x, atol=0)


@groups
@shapes
def test_log_inverts_exp(group, shape, rng):
    x = tangents(group, rng, shape)
    assert group.log(group.exp(x)).shape == x.shape
    assert_allclose(group.log(group.exp(x)), x, atol=1e-14)


@groups
@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-160, 1e-20, 1e-9, 1e-5, 1e-2])
def test_log_keeps_every_digit_of_small_angles(group, angle, rng):
    x = tangents(group, rng, (50,), angle)
    assert_allclose(group.log(group.exp(x)), x, rtol=1e-14, atol=1e-16 * angle)


@groups
@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12, 1e-14])
def test_log_is_accurate_close_to_half_a_turn(group, gap, rng):
    x = tangents(group, rng, (200,), pi - gap)
    assert_allclose(group.log(group.exp(x)), x, atol=1e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (0, 0, 1), (0.6, -0.8, 0), (0.6, 0, 0.8)])
def test_log_of_exactly_half_a_turn_is_that_half_turn(axis):
    R = 2 * np.outer(axis, axis) - np.eye(3)
    w = so3.log(R)
    assert_allclose(np.linalg.norm(w), pi, rtol=1e-15)
    assert_allclose(np.abs(w), pi * np.abs(axis), atol=1e-15)
    assert_allclose(so3.exp(w), R, atol=1e-15)


def test_log_of_a_long_rotation_vector_is_the_short_way_round(rng):
    axis = unit_vectors(rng)
    assert_allclose(so3.log(so3.exp(4.0 * axis)), (4.0 - 2 * pi) * axis, atol=1e-14)


@groups
@shapes
def test_bracket_is_the_commutator(group, shape, rng):
    x, y, z = (tangents(group, rng, shape) for _ in range(3))

    def bracket(u, v):
        return np.einsum("...ij,...j->...i", group.ad(u), v)

    X, Y = group.hat(x), group.hat(y)
    assert_allclose(bracket(x, y), group.vee(X @ Y - Y @ X), atol=1e-14)
    jacobi = bracket(x, bracket(y, z)) + bracket(y, bracket(z, x)) + bracket(z, bracket(x, y))
    assert_allclose(jacobi, 0, atol=1e-13)


@groups
@shapes
def test_adjoint_represents_the_group(group, shape, rng):
    x, y = tangents(group, rng, shape), tangents(group, rng, shape)
    a, b = group.exp(x), group.exp(y)
    assert_allclose(group.Ad(a @ b), group.Ad(a) @ group.Ad(b), atol=1e-13)
    assert_allclose(group.Ad(a), expm_each(group.ad(x)), atol=5e-14)
    conjugated = group.vee(a @ group.hat(y) @ group.inverse(a))
    assert_allclose(np.einsum("...ij,...j->...i", group.Ad(a), y), conjugated, atol=1e-14)


@groups
@angles
def test_jacobians_are_the_derivatives_of_exp(group, angle, rng):
    x = tangents(group, rng, angle=angle)
    step = 1e-200
    a_inverse = group.inverse(group.exp(x))
    basis = np.eye(DIMENSION[group])
    slopes = np.imag(group.exp(x + 1j * step * basis)) / step
    assert_allclose(group.left_jacobian(x), group.vee(slopes @ a_inverse).T, atol=1e-14)
    assert_allclose(group.right_jacobian(x), group.vee(a_inverse @ slopes).T, atol=1e-14)


@groups
def test_jacobians_agree_with_finite_differences(group, rng):
    x = tangents(group, rng, (20,))
    dx = 1e-5 * tangents(group, rng, (20,))
    a_inverse = group.inverse(group.exp(x))
    moved = 0.5 * (group.log(group.exp(x + dx) @ a_inverse) - group.log(group.exp(x - dx) @ a_inverse))
    assert_allclose(np.einsum("...ij,...j->...i", group.left_jacobian(x), dx), moved, atol=1e-13)


@groups
@angles
def test_left_jacobian_is_the_mean_of_the_adjoint_along_the_motion(group, angle, rng):
    x = tangents(group, rng, (5,), angle)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    along = group.Ad(group.exp(0.5 * (nodes[:, None, None] + 1) * x))
    assert_allclose(group.left_jacobian(x), np.einsum("k,kbij->bij", 0.5 * weights, along), atol=1e-14)


@groups
@shapes
def test_left_and_right_jacobian_differ_by_the_adjoint(group, shape, rng):
    x = tangents(group, rng, shape)
    left, right = group.left_jacobian(x), group.right_jacobian(x)
    assert left.shape == (*shape, DIMENSION[group], DIMENSION[group])
    assert_allclose(left, group.Ad(group.exp(x)) @ right, atol=1e-14)
    assert_allclose(np.einsum("...ij,...j->...i", left, x), x, atol=1e-14)


@groups
@angles
def test_jacobian_inverses_invert(group, angle, rng):
    x = tangents(group, rng, (20,), angle)
    unit = np.broadcast_to(np.eye(DIMENSION[group]), (20, DIMENSION[group], DIMENSION[group]))
    accuracy = 1e-14 if angle < 5 else 1e-12
    assert_allclose(group.left_jacobian_inverse(x) @ group.left_jacobian(x), unit, atol=accuracy)
    assert_allclose(group.right_jacobian_inverse(x) @ group.right_jacobian(x), unit, atol=accuracy)


@groups
def test_inverse_jacobian_is_the_derivative_of_log(group, rng):
    x = tangents(group, rng, (20,))
    d = 1e-5 * tangents(group, rng, (20,))
    a = group.exp(x)
    change = 0.5 * (group.log(group.exp(d) @ a) - group.log(group.exp(-d) @ a))
    assert_allclose(np.einsum("...ij,...j->...i", group.left_jacobian_inverse(x), d), change, atol=1e-11)


@pytest.mark.parametrize("x", [0.0, 1e-30, 1e-6, 0.01, 0.5, 0.9999, 1.0, 1.0001, 3.0, 9.0])
def test_coefficients_equal_their_exact_power_series(x):
    def series(term):
        return float(sum(term(k) * Fraction(x) ** k for k in range(40)))

    def sign(k):
        return Fraction((-1) ** k)

    exact = {
        coefficients.sine: series(lambda k: sign(k) / factorial(2 * k + 1)),
        coefficients.versine: series(lambda k: sign(k) / factorial(2 * k + 2)),
        coefficients.sine_rest: series(lambda k: sign(k) / factorial(2 * k + 3)),
        coefficients.versine_slope: series(lambda k: -sign(k) * (2 * k + 2) / factorial(2 * k + 4)),
        coefficients.sine_rest_slope: series(lambda k: -sign(k) * (2 * k + 2) / factorial(2 * k + 5)),
    }
    for function, value in exact.items():
        assert_allclose(function(x), value, rtol=5e-15, atol=5e-17, err_msg=function.__name__)


@shapes
def test_power_does_not_depend_on_the_frame(shape, rng):
    T_ab = elements(se3, rng, shape)
    V_b, W_b = rng.normal(size=(2, *shape, 6))
    V_a, W_a = se3.transform_twist(T_ab, V_b), se3.transform_wrench(T_ab, W_b)
    assert_allclose(np.sum(V_a * W_a, axis=-1), np.sum(V_b * W_b, axis=-1), atol=1e-13)
    assert_allclose(V_a, np.einsum("...ij,...j->...i", se3.Ad(T_ab), V_b), atol=1e-14)
    assert_allclose(W_b, np.einsum("...ji,...j->...i", se3.Ad(T_ab), W_a), atol=1e-13)


def test_a_force_gains_its_moment_when_it_moves_to_another_frame():
    T_ab = se3.from_parts(np.eye(3), [2.0, 0.0, 0.0])
    assert_allclose(se3.transform_wrench(T_ab, [0, 0, 0, 0, 3.0, 0]), [0, 0, 6.0, 0, 3.0, 0])


def test_one_motion_acts_on_many_points_twists_and_wrenches(rng):
    T = elements(se3, rng)
    many = rng.normal(size=(7, 6))
    R, p = se3.parts(T)
    assert_allclose(se3.act(T, many[:, :3]), many[:, :3] @ R.T + p, atol=1e-14)
    assert se3.transform_twist(T, many).shape == se3.transform_wrench(T, many).shape == (7, 6)
    assert se3.transform_wrench(elements(se3, rng, (7,)), many[0]).shape == (7, 6)


def test_plain_lists_of_integers_are_accepted():
    assert_allclose(so3.act(so3.exp([0, 0, 0]), [1, 2, 3]), [1, 2, 3])
    assert_allclose(se3.log(se3.exp([0, 0, 1, 2, 0, 0])), [0, 0, 1, 2, 0, 0], atol=1e-15)
    assert_allclose(se3.ad([1, 0, 0, 0, 0, 0])[2, 1], 1)


@groups
def test_complex_steps_pass_through_exp_and_adjoints(group, rng):
    x, dx = tangents(group, rng), tangents(group, rng)
    step, h = 1e-200, 1e-6
    for function in (lambda y: group.Ad(group.exp(y)), group.ad, group.left_jacobian_inverse):
        exact = np.imag(function(x + 1j * step * dx)) / step
        assert_allclose(exact, (function(x + h * dx) - function(x - h * dx)) / (2 * h), atol=1e-7)


@shapes
def test_quaternions_and_matrices_describe_the_same_rotation(shape, rng):
    w = tangents(so3, rng, shape)
    q = quaternion.exp(w)
    reference = Rotation.from_rotvec(w.reshape(-1, 3)).as_quat(scalar_first=True).reshape(*shape, 4)
    assert_allclose(q, reference, atol=1e-15)
    assert_allclose(quaternion.to_matrix(q), so3.exp(w), atol=2e-15)
    assert_allclose(quaternion.from_matrix(so3.exp(w)), q, atol=1e-15)
    assert_allclose(quaternion.log(q), w, atol=1e-14)
    assert_allclose(quaternion.log(-3.0 * q), w, atol=1e-14)


@shapes
def test_quaternion_product_is_composition(shape, rng):
    p, q = (quaternion.exp(tangents(so3, rng, shape)) for _ in range(2))
    composed = quaternion.to_matrix(p) @ quaternion.to_matrix(q)
    assert_allclose(quaternion.to_matrix(quaternion.product(p, q)), composed, atol=2e-15)
    unit = np.broadcast_to(quaternion.identity(), q.shape)
    assert_allclose(quaternion.product(q, quaternion.conjugate(q)), unit, atol=1e-15)


def test_a_quaternion_of_any_length_gives_a_proper_rotation(rng):
    q = rng.normal(size=(10, 4))
    assert_allclose(quaternion.to_matrix(q), quaternion.to_matrix(quaternion.normalise(q)), atol=2e-15)


def test_quaternion_rate_is_the_derivative_of_integration(rng):
    q = quaternion.exp(tangents(so3, rng, (5,)))
    omega = rng.normal(size=(5, 3))
    h = 1e-5
    slope = (quaternion.integrate(q, omega, h) - quaternion.integrate(q, omega, -h)) / (2 * h)
    assert_allclose(quaternion.rate(q, omega), slope, atol=1e-9)


def test_integration_with_a_constant_angular_velocity_is_exact(rng):
    q, omega = quaternion.exp(tangents(so3, rng)), rng.normal(size=3)
    many = q
    for _ in range(100):
        many = quaternion.integrate(many, omega, 0.02)
    assert_allclose(many, quaternion.integrate(q, omega, 2.0), atol=1e-13)
    R = quaternion.to_matrix(q) @ so3.exp(2.0 * omega)
    assert_allclose(quaternion.to_matrix(many), R, atol=1e-13)


@shapes
def test_roll_pitch_yaw_turn_about_fixed_axes(shape, rng):
    rpy = rng.uniform(-1, 1, size=(*shape, 3)) * [pi, pi / 2, pi]
    reference = Rotation.from_euler("xyz", rpy.reshape(-1, 3)).as_matrix().reshape(*shape, 3, 3)
    assert_allclose(so3.from_rpy(rpy), reference, atol=1e-15)
    assert_allclose(so3.to_rpy(so3.from_rpy(rpy)), rpy, atol=1e-13)


@pytest.mark.parametrize("pitch", [pi / 2, -pi / 2, pi / 2 - 1e-9, 1e-9 - pi / 2])
def test_roll_pitch_yaw_reproduce_the_rotation_at_gimbal_lock(pitch):
    R = so3.from_rpy([0.3, pitch, -1.1])
    assert_allclose(so3.from_rpy(so3.to_rpy(R)), R, atol=1e-15)
    exact = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    assert_allclose(so3.to_rpy(exact), [0, pi / 2, 0], atol=0)


def vectors(bound, size=3):
    number = st.floats(-bound, bound, allow_nan=False, allow_infinity=False)
    return st.lists(number, min_size=size, max_size=size).map(np.array)


@given(vectors(1.8), vectors(100.0))
def test_any_motion_survives_log_and_exp(w, v):
    xi = np.concatenate([w, v])
    assert_allclose(se3.log(se3.exp(xi)), xi, rtol=1e-13, atol=1e-14 * (1 + np.linalg.norm(v)))


@given(vectors(50.0))
def test_any_rotation_vector_gives_a_rotation_whose_log_is_short(w):
    R = so3.exp(w)
    assert_allclose(R.T @ R, np.eye(3), atol=1e-13)
    short = so3.log(R)
    assert np.linalg.norm(short) <= pi * (1 + 1e-15)
    assert_allclose(so3.exp(short), R, atol=1e-13)


@given(vectors(2.0, size=4).filter(lambda q: np.linalg.norm(q) > 1e-3))
def test_any_quaternion_survives_the_matrix(q):
    back = quaternion.from_matrix(quaternion.to_matrix(q))
    unit = quaternion.normalise(q)
    assert min(np.max(np.abs(back - unit)), np.max(np.abs(back + unit))) < 5e-15


@given(vectors(10.0))
def test_any_roll_pitch_yaw_survive_the_matrix(rpy):
    R = so3.from_rpy(rpy)
    assert_allclose(so3.from_rpy(so3.to_rpy(R)), R, atol=5e-15)
