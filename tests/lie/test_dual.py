"""Claims about dual numbers, the groups G1 and G2, and dual screws (Cibicik and Egeland 2021)."""

from math import factorial, pi

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from lissom.lie import se3, so3
from lissom.lie.dual import (
    Dual,
    Line,
    Rotation,
    Screw,
    Transform,
    Twist,
    Wrench,
    coordinate_transformation,
    g1,
    g2,
    reference_transformation,
    swap_parts,
)

SIZE = {g1: 6, g2: 12}
ANGLES = [0.0, 1e-160, 1e-9, 1e-5, 1e-3, 0.5, 0.999999, 1.000001, 2.0, 3.0, pi - 1e-3, pi - 1e-7, pi - 1e-12]

groups = pytest.mark.parametrize("group", [g1, g2], ids=["G1", "G2"])
angles = pytest.mark.parametrize("angle", ANGLES)


@pytest.fixture
def rng():
    return np.random.default_rng(2021)


def tangents(group, rng, shape=(), angle=None):
    """Random tangent vectors whose rigid rotation has the given angle, or any below pi."""
    x = rng.normal(size=(*shape, SIZE[group]))
    length = np.linalg.norm(x[..., :3], axis=-1, keepdims=True)
    x[..., :3] *= (rng.uniform(0, pi, size=(*shape, 1)) if angle is None else angle) / length
    return x


def elements(group, rng, shape=()):
    return group.exp(tangents(group, rng, shape))


def dual_vector(rng, shape=()):
    return Dual(rng.normal(size=(*shape, 3)), rng.normal(size=(*shape, 3)))


@groups
@pytest.mark.parametrize("shape", [(), (3,), (2, 4)], ids=str)
def test_group_axioms_hold(group, shape, rng):
    a, b, c = (elements(group, rng, shape) for _ in range(3))
    one = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    assert_allclose(group.exp(np.zeros(SIZE[group])), np.eye(a.shape[-1]), atol=0)
    assert_allclose((a @ b) @ c, a @ (b @ c), atol=1e-12)
    assert_allclose(a @ group.inverse(a), one, atol=1e-12)
    assert_allclose(group.inverse(a) @ a, one, atol=1e-12)
    assert_allclose(group.inverse(a @ b), group.inverse(b) @ group.inverse(a), atol=1e-12)
    assert_allclose(group.from_parts(*group.parts(a @ b)), a @ b, atol=1e-12)  # closed under products


@groups
@angles
def test_exp_of_log_gives_the_element_back(group, angle, rng):
    X = group.exp(tangents(group, rng, (50,), angle))
    assert_allclose(group.exp(group.log(X)), X, atol=1e-12)


@groups
@angles
def test_log_of_exp_gives_the_tangent_back(group, angle, rng):
    x = tangents(group, rng, (50,), angle)
    assert_allclose(group.log(group.exp(x)), x, atol=1e-12)


@groups
@angles
def test_exp_is_the_matrix_exponential_of_hat(group, angle, rng):
    x = tangents(group, rng, (3,), angle)
    assert_allclose(group.exp(x), [expm(group.hat(v)) for v in x], atol=1e-12)
    assert_allclose(group.vee(group.hat(x)), x, atol=0)


@groups
def test_adjoints_satisfy_their_definitions(group, rng):
    X, a, b = elements(group, rng), tangents(group, rng), tangents(group, rng)
    assert_allclose(group.hat(group.Ad(X) @ a), X @ group.hat(a) @ group.inverse(X), atol=1e-12)
    bracket = group.hat(a) @ group.hat(b) - group.hat(b) @ group.hat(a)
    assert_allclose(group.hat(group.ad(a) @ b), bracket, atol=1e-12)
    assert_allclose(group.Ad(group.exp(a)), expm(group.ad(a)), atol=1e-12)


@groups
def test_action_is_a_group_action(group, rng):
    X, Y, a = elements(group, rng), elements(group, rng), rng.normal(size=6)
    assert_allclose(group.act(X @ Y, a), group.act(X, group.act(Y, a)), atol=1e-12)


def printed_Q(phi_vector, gamma_vector):
    """(144) as printed."""
    phi, P, G = np.linalg.norm(phi_vector), so3.hat(phi_vector), so3.hat(gamma_vector)
    sine, versine = (phi - np.sin(phi)) / phi**3, (1 - phi**2 / 2 - np.cos(phi)) / phi**4
    rest = (phi - np.sin(phi) - phi**3 / 6) / phi**5
    return (
        G / 2
        + sine * (P @ G + G @ P + P @ G @ P)
        - versine * (P @ P @ G + G @ P @ P - 3 * P @ G @ P)
        - 0.5 * (versine - 3 * rest) * (P @ G @ P @ P + P @ P @ G @ P)
    )


@angles
def test_left_jacobian_of_G1_equals_its_series(angle, rng):
    omega = tangents(g1, rng, angle=angle)
    W = g1.hat(omega)
    series = sum(np.linalg.matrix_power(W, k) / factorial(k + 1) for k in range(60))
    assert_allclose(g1.left_jacobian(omega), series, atol=1e-12)
    assert_allclose(g1.left_jacobian_inverse(omega) @ g1.left_jacobian(omega), np.eye(6), atol=1e-12)


@pytest.mark.parametrize("angle", [0.5, 1.0, 2.0, 3.0, 5.0])
def test_equation_144_as_printed_is_right(angle, rng):
    omega = tangents(g1, rng, angle=angle)
    assert_allclose(g1.left_jacobian(omega)[3:, :3], printed_Q(omega[:3], omega[3:]), atol=1e-12)


def test_right_velocity_of_a_dual_rotation_is_the_dual_angular_velocity(rng):
    """(10), (11): the derivative is taken by the complex step."""
    phi, theta, phidot, thetadot = rng.normal(size=(4, 3))
    h = 1e-30
    X = g1.from_parts(so3.exp(phi + 1j * h * phidot), theta + 1j * h * thetadot)
    velocity = g1.vee(g1.inverse(X.real) @ X.imag / h)
    A = so3.exp(phi)
    assert_allclose(velocity[:3], so3.right_jacobian(phi) @ phidot, atol=1e-14)
    assert_allclose(velocity[3:], A.T @ thetadot, atol=1e-14)


def test_dual_arithmetic_drops_the_second_order(rng):
    a, b = Dual(2.0, 0.5), Dual(-3.0, 0.25)
    for eps in (1e-4, 1e-5):
        for value, exact in [
            (a * b, a.value(eps) * b.value(eps)),
            (a / b, a.value(eps) / b.value(eps)),
            (1 - a, 1 - a.value(eps)),
            (2 / a, 2 / a.value(eps)),
            (a.sqrt(), np.sqrt(a.value(eps))),
            (a.exp() + a.cos() - a.sin(), np.exp(a.value(eps)) + np.cos(a.value(eps)) - np.sin(a.value(eps))),
        ]:
            assert abs(value.value(eps) - exact) < 5 * eps**2


def test_blocks_multiply_like_dual_matrices(rng):
    A, B = (Dual(rng.normal(size=(2, 3, 3)), rng.normal(size=(2, 3, 3))) for _ in range(2))
    x = dual_vector(rng)
    assert_allclose((A @ B).block, A.block @ B.block, atol=1e-14)
    assert_allclose((A @ x[..., None])[..., 0].stacked, so3.act(A.block, x.stacked), atol=1e-14)
    assert_allclose((A.T @ B.T).dual, (B @ A).T.dual, atol=1e-14)
    assert_allclose((np.eye(3) @ A).dual, A.dual, atol=0)


def test_dual_rotations_are_rotations_to_first_order(rng):
    """(26): R R^T = 1 as a dual matrix, though the 6x6 matrix is not orthogonal."""
    R = Rotation.of(so3.exp(rng.normal(size=3)), rng.normal(size=3))
    assert_allclose((R.dual @ R.dual.T).block, np.eye(6), atol=1e-14)
    assert_allclose(R.inverse().dual.block, R.dual.T.block, atol=1e-14)
    assert_allclose(R.deflection, (Rotation.small(R.deflection) @ Rotation.of(R.rigid)).deflection, atol=1e-14)
    assert_allclose(Rotation.exp(R.log()).matrix, R.matrix, atol=1e-12)


def test_dual_transformations_follow_finite_motions_to_first_order(rng):
    """The dual pose of two deflected links misses the exact product of exponentials by second order only."""
    T, delta = se3.exp(rng.normal(size=(2, 6))), rng.normal(size=(2, 6))
    pose = Transform.deflected(T[0], delta[0]) @ Transform.deflected(T[1], delta[1])
    point = dual_vector(rng)
    errors = []
    for eps in (1e-3, 1e-4):
        exact = se3.exp(eps * delta[0]) @ T[0] @ se3.exp(eps * delta[1]) @ T[1]
        misses = (pose @ point).value(eps) - se3.act(exact, point.value(eps))
        errors.append(np.linalg.norm(misses))
    assert 1.9 < np.log10(errors[0] / errors[1]) < 2.1
    assert_allclose((pose.inverse() @ (pose @ point)).stacked, point.stacked, atol=1e-12)
    assert_allclose(Transform.exp(pose.log()).matrix, pose.matrix, atol=1e-12)


def test_screws_change_reference_and_coordinates_as_printed(rng):
    """(59)-(66): the methods, the 12x12 matrices and the adjoint of G2 agree."""
    screw = Screw.of(rng.normal(size=12))
    R = Rotation.of(so3.exp(rng.normal(size=3)), rng.normal(size=3))
    p = dual_vector(rng)
    assert_allclose(screw.referenced(p).stacked, reference_transformation(p) @ screw.stacked, atol=1e-14)
    assert_allclose(screw.expressed(R).stacked, coordinate_transformation(R) @ screw.stacked, atol=1e-14)
    T = Transform.of(R, p)
    assert_allclose(screw.transformed(T).stacked, g2.Ad(T.matrix) @ screw.stacked, atol=1e-14)
    assert_allclose(reference_transformation(p) @ reference_transformation(-p), np.eye(12), atol=1e-14)


def test_power_of_a_wrench_on_a_twist_does_not_depend_on_the_frame(rng):
    twist, wrench = Twist.of(rng.normal(size=12)), Wrench.of(rng.normal(size=12))
    T = Transform(g2.exp(rng.normal(size=12)))
    moved = wrench.transformed(T).product(twist.transformed(T))
    assert_allclose([moved.real, moved.dual], [wrench.product(twist).real, wrench.product(twist).dual], atol=1e-12)


def test_real_parts_transform_like_twists_and_wrenches_of_se3(rng):
    xi, W, V = rng.normal(size=(3, 6))
    T = Transform.deflected(se3.exp(xi), np.zeros(6))
    twist = Twist(Dual.of(V[:3]), Dual.of(V[3:])).transformed(T)
    assert_allclose(np.r_[twist.omega.real, twist.v.real], se3.transform_twist(se3.exp(xi), V), atol=1e-14)
    moved = Wrench.from_wrench(W).transformed(T)
    assert_allclose(moved.wrench(), se3.transform_wrench(se3.exp(xi), W), atol=1e-14)
    assert_allclose(moved.force.dual, 0, atol=0)


def test_a_line_carries_rotations_and_forces(rng):
    axis, point = np.array([0.0, 0.0, 1.0]), np.array([2.0, 0.0, 0.0])
    line = Line.through(axis, point)
    assert_allclose(line.twist(3.0).v.real, [0, -6, 0])  # the origin moves on a circle about the line
    assert_allclose(line.wrench(3.0).torque.real, [0, -6, 0])
    elastic = Twist.elastic(np.arange(6.0))
    assert_allclose(swap_parts(elastic.stacked)[[0, 1, 2, 6, 7, 8]], np.arange(6.0))
    assert_allclose(swap_parts(swap_parts(elastic.stacked)), elastic.stacked)
    total = line.twist(np.array([1.0, 2.0]))
    assert total.stacked.shape == (2, 12)
