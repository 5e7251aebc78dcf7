"""Poses, velocities and Jacobians of points on rigid and bent links belong together."""

import casadi as ca
import numpy as np
import pytest
from random_trees import TREES, tree
from scipy.integrate import simpson
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import lissom
from lissom.dynamics import integrate, point_force
from lissom.lie import so3

OFFSET = (0.1, -0.2, 0.3)
TREE_NUMBERS = range(0, TREES, 3)


@pytest.fixture(params=TREE_NUMBERS)
def case(request):
    return tree(request.param)


def points(case):
    """A few points of every link: (link, x)."""
    for link in case.model.links:
        if link in case.model.flexible:
            length = case.model.flexible[link].length
            yield from ((link, x) for x in (0.0, 0.37 * length, length, None))
        else:
            yield link, None


def close(value, expected, tolerance=1e-12):
    assert np.abs(value - expected).max(initial=0.0) <= tolerance * np.abs(expected).max(initial=1.0)


@pytest.mark.parametrize("frame", ["world", "local"])
def test_jacobian_times_velocity_is_the_velocity_of_the_point(case, frame):
    for link, x in points(case):
        J = lissom.jacobian(case.model, case.q, link, x, OFFSET, frame)
        assert J.shape == (6, case.model.nv)
        close(J @ case.v, lissom.point_velocity(case.model, *case.state, link, x, OFFSET, frame))


def test_velocity_is_the_rate_of_the_pose_along_the_motion(case):
    """By a complex step along the group: dR/dt = omega~ R, dp/dt = v."""
    h = 1e-30
    ahead = integrate(case.model, case.q, 1j * h * case.v)
    for link, x in points(case):
        pose = lissom.point_pose(case.model, ahead, link, x, OFFSET)
        rate, R = pose.imag / h, pose.real[:3, :3]
        twist = lissom.point_velocity(case.model, *case.state, link, x, OFFSET)
        close(twist[3:], rate[:3, 3])
        close(so3.hat(twist[:3]) @ R, rate[:3, :3])


def test_finite_differences_of_the_pose_agree_too(case):
    h = 1e-5
    for link, x in points(case):
        after, before = (
            lissom.point_pose(case.model, integrate(case.model, case.q, s * h * case.v), link, x, OFFSET)
            for s in (1, -1)
        )
        twist = lissom.point_velocity(case.model, *case.state, link, x, OFFSET)
        close(twist[3:], (after - before)[:3, 3] / (2 * h), 1e-6)
        close(twist[:3], so3.log(after[:3, :3] @ before[:3, :3].T) / (2 * h), 1e-6)


def test_velocity_in_the_axes_of_the_point_is_the_same_vector(case):
    for link, x in points(case):
        R = lissom.point_pose(case.model, case.q, link, x)[:3, :3]
        own, world = (lissom.point_velocity(case.model, *case.state, link, x, OFFSET, a) for a in ("local", "world"))
        close(np.concatenate([R @ own[:3], R @ own[3:]]), world)


def test_poses_are_proper_and_offsets_turn_with_the_section(case):
    for link, x in points(case):
        pose = lissom.point_pose(case.model, case.q, link, x)
        R, p = pose[:3, :3], pose[:3, 3]
        close(R @ R.T, np.eye(3), 1e-14)
        assert np.linalg.det(R) > 0
        moved = lissom.point_pose(case.model, case.q, link, x, OFFSET)
        close(moved[:3, :3], R)
        close(moved[:3, 3], p + R @ OFFSET)


def test_sections_inside_a_link_stand_where_the_independent_field_puts_them(case):
    for k, (link, field) in enumerate(zip(case.model.links, case.independent.flexible)):
        if field is None:
            continue
        frame, x = lissom.point_pose(case.model, case.q, link, x=0.0), 0.61 * field.beam.length
        R, r = (ca.evalf(e).full() for e in field.section(x, ca.MX(case.q[case.independent.mode_q[k]])))
        expected = frame @ np.block([[R, r], [np.zeros((1, 3)), np.ones((1, 1))]])
        close(lissom.point_pose(case.model, case.q, link, x), expected)


def test_a_link_sits_on_its_parents_section():
    """A joint frame is the section at `at`, shifted and turned by `origin`; here with the joint at zero."""
    for number in TREE_NUMBERS:
        case = tree(number)
        for link in case.robot.bodies:
            if link.parent not in case.model.flexible:
                continue
            q = case.q.copy()
            at = case.model.link(link.name).joint_q
            q[at] = case.model.neutral()[at]
            section = lissom.point_pose(case.model, q, link.parent, link.at)
            origin = np.eye(4)
            origin[:3, :3], origin[:3, 3] = so3.from_rpy(link.origin.rpy), link.origin.xyz
            x = 0.0 if link.flexible else None
            close(lissom.point_pose(case.model, q, link.name, x), section @ origin)


def test_point_force_does_the_work_of_its_wrench(case):
    wrench = np.array([0.3, -0.5, 0.7, 1.0, -2.0, 3.0])
    for link, x in points(case):
        for frame in ("world", "local"):
            power = wrench @ lissom.point_velocity(case.model, *case.state, link, x, OFFSET, frame)
            force = point_force(case.model, case.q, wrench, link, x, OFFSET, frame)
            assert force @ case.v == pytest.approx(power, rel=1e-11, abs=1e-11)


def test_integrate_moves_along_the_velocity_and_keeps_quaternions_of_unit_length(case):
    q = integrate(case.model, case.q, 0.7 * case.v)
    for link, body in zip(case.robot.bodies, case.model.bodies):
        if link.joint.type in ("spherical", "free"):
            assert np.linalg.norm(q[body.joint_q][:4]) == pytest.approx(1.0, abs=1e-15)
        close(q[body.modes_q], case.q[body.modes_q] + 0.7 * case.v[body.modes_v])
    close(integrate(case.model, case.q, 0 * case.v), case.q)


@pytest.mark.parametrize("angle", [1e-9, 0.5, 1.9, 2.1, 3.5, 6.2, 9.0, 12.6, 1e3])
def test_integrate_turns_by_any_angle_and_glides_along_the_axes_at_the_start(angle):
    model = lissom.load("satellite-two-arm").compile()
    rng = np.random.default_rng(8)
    q = integrate(model, model.neutral(), rng.normal(size=model.nv))
    base = next(body for body in model.bodies if body.joint_q.stop - body.joint_q.start == 7)
    step = rng.normal(size=model.nv)
    turn, v_body = (step[base.joint_v][part] for part in (slice(0, 3), slice(3, 6)))
    turn *= angle / np.linalg.norm(turn)
    moved = integrate(model, q, step)
    before, after = (Rotation.from_quat(np.roll(x[base.joint_q][:4], -1)) for x in (q, moved))
    assert (before.inv() * after).as_matrix() == pytest.approx(expm(so3.hat(turn)), abs=1e-15 * max(10, 10 * angle))
    assert moved[base.joint_q][4:] == pytest.approx(q[base.joint_q][4:] + before.apply(v_body), abs=1e-14)
    rest = np.delete(np.arange(model.nv), base.joint_v)
    at = model.arrays.velocities.coordinate[rest]
    assert moved[at] == pytest.approx(q[at] + step[rest], abs=1e-15)


def test_tip_is_the_end_of_a_beam_or_the_named_tool_point():
    ella, arm = (lissom.load(name).compile() for name in ("ella", "rigid-7-axis"))
    assert lissom.tip_pose(ella, ella.neutral())[:3, 3] == pytest.approx([0.95 + 0.93, 0, 0])
    assert lissom.tip_pose(ella, ella.neutral(), "upper")[:3, 3] == pytest.approx([0.95, 0, 0])
    flange = lissom.point_pose(arm, arm.neutral(), "link7", offset=(0, 0, 0))
    tip = lissom.tip_pose(arm, arm.neutral())
    assert tip[:3, 3] - flange[:3, 3] == pytest.approx(flange[:3, :3] @ [0, 0, 0.045])


def test_a_bent_tip_comes_back_by_half_the_integral_of_its_slope_squared():
    model = lissom.load("spinup-beam").compile()
    q = model.neutral()
    q[model.q_names.index("blade.y1")] = 0.1
    x = np.linspace(0, 8, 2001)
    tip, line = lissom.tip_pose(model, q), model.flexible["blade"].displacement(x, q[1:])
    short = simpson(np.gradient(line[:, 1], x) ** 2, x=x) / 2
    assert 8 - tip[0, 3] == pytest.approx(short, rel=1e-4)
    assert tip[1, 3] == pytest.approx(line[-1, 1], rel=1e-12)
