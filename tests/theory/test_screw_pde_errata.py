"""Printed equations of the screw-theoretic paper that cannot be right, each with the number that shows it."""

import numpy as np
import pytest
from lifting_ella import lifting
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import lissom
from lissom.lie import se3, so3
from lissom.theory.screw_pde import ScrewPDE, check, integrate
from lissom.theory.screw_pde.field import boundary_moments
from lissom.theory.screw_pde.printed import slips

SECTION = {"rhoA": 1.2, "EA": 2e4, "EIy": 8.0, "EIz": 12.0, "GJ": 30.0, "Jx": 1e-4, "Jy": 5e-5, "Jz": 5e-5}


def swinging_arm(modes, first):
    """Two undamped links without gravity, turning fast: their energy stays what it is."""
    beam = {"length": 0.8, "section": SECTION, "modes": modes, "stiffening": "none"}
    elbow = {"type": "revolute", "axis": [0, 0, 1]}
    links = [{"name": "upper", "joint": first, "beam": beam}, {"name": "fore", "joint": elbow, "beam": beam}]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "swinging", "gravity": [0, 0, 0], "links": links})
    model = robot.compile()
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.link("fore").joint_q] = 0.7
    v[model.link("upper").joint_v], v[model.link("fore").joint_v] = 2.0, -3.0
    return model, q, v


@pytest.mark.parametrize(
    ("equation", "least", "modes", "first"),
    [
        (17, 1e-3, {"y": 1, "z": 1}, {"type": "universal", "axes": [[1, 0, 0], [0, 0, 1]]}),
        (59, 0.1, {"y": 2}, {"type": "revolute", "axis": [0, 0, 1]}),
    ],
)
def test_the_printed_deformation_equations_do_not_keep_the_energy(equation, least, modes, first):
    model, q, v = swinging_arm(modes, first)
    system, still, n = ScrewPDE(model), np.zeros(model.nv), model.nv

    def drift(acceleration, rtol):
        found = solve_ivp(lambda t, x: np.concatenate([x[n:], acceleration(x[:n], x[n:])]), (0, 0.5),
                          np.concatenate([q, v]), rtol=rtol, atol=1e-2 * rtol)  # fmt: skip
        total = [system.energy(x[:n], x[n:]).total for x in found.y.T]
        return np.abs(np.array(total) / total[0] - 1).max()

    right = drift(lambda q, v: system.accelerations(q, v, still), 1e-8)
    wrong = drift(lambda q, v: slips.accelerations(system, q, v, still, equation), 1e-5)
    print(f"({equation}): energy drift {wrong:.3g} as printed, {right:.3g} right")
    assert right < 1e-6
    assert wrong > least


def locked_hz(system):
    """Lowest frequency of ELLA with all joints welded."""
    n, still = system.model.nv, np.zeros(system.model.nv)
    q0, K = system.model.neutral(), np.zeros((n, n))
    for k in range(n):
        ahead, behind = (system.accelerations(q0 + s * 1e-7 * np.eye(n)[k], still, still) for s in (1, -1))
        K[:, k] = (ahead - behind) / 2e-7
    return np.sqrt(np.sort(-np.linalg.eigvals(K).real)[0]) / (2 * np.pi)


def test_without_the_rotation_of_the_tip_ella_is_too_stiff():
    robot = lissom.load("ella")
    for link in ("hub", "upper", "forearm"):
        robot = robot.with_value(f"links.{link}.joint", "fixed")
    system = ScrewPDE(robot.with_value("gravity", [0, 0, 0]).compile())
    right, wrong = locked_hz(system), locked_hz(slips.without_tip_rotation(system))
    print(f"first frequency: {wrong:.4f} Hz without tip rotation, {right:.4f} Hz with it")
    assert right == pytest.approx(2.7589, rel=1e-3)  # finite elements
    assert wrong > 1.3 * right


def test_the_stacked_system_as_printed_lacks_a_row_for_every_motor():
    model = lissom.load("ella").compile()
    rank, size = slips.stacked_rank(ScrewPDE(model), model.neutral(), np.zeros(model.nv))
    assert (rank, size) == (53, 56)


def test_the_step_limit_is_not_that_of_forward_euler():
    limit = 2 * 0.93**2 / 1.8751**2 * np.sqrt(7800 * 2.09e-4 / 3670)
    assert limit == pytest.approx(10.37e-3, rel=1e-3)  # (89) prints 10.04e-3 for the same data
    robot = lissom.load("ella")
    for link in ("upper", "forearm"):
        robot = robot.with_value(f"links.{link}.beam.damping", 0.0)
        robot = robot.with_value(f"links.{link}.beam.ends", "clamped-free")
        for direction, count in (("y", 1), ("z", 1), ("torsion", 0), ("axial", 0)):
            robot = robot.with_value(f"links.{link}.beam.modes.{direction}", count)
    model = robot.compile()
    system = ScrewPDE(model)
    report = check(system, model.neutral(), np.zeros(model.nv))
    print(f"limits in ms: {1e3 * report.steps.printed:.3g} by (89), {1e3 * report.steps.central:.3g} of the arm")
    assert report.steps.printed > 4 * report.steps.central > 0 == report.steps.euler
    with pytest.raises(lissom.LissomError, match="grew without bound"):
        integrate(system, 0.5, method="euler", step=1e-3)


def test_the_printed_shape_functions_are_slopes_of_the_modes():
    beta = brentq(lambda b: np.cos(b) * np.cosh(b) + 1, 1.5, 2.5)
    ratio = (np.sinh(beta) - np.sin(beta)) / (np.cosh(beta) + np.cos(beta))

    def bending(x):  # (85) with a_y = 1, L = 1
        return beta * (np.sinh(beta * x) + np.sin(beta * x) - ratio * (np.cosh(beta * x) - np.cos(beta * x)))

    def mode(x):
        return np.cosh(beta * x) - np.cos(beta * x) - ratio * (np.sinh(beta * x) - np.sin(beta * x))

    x, h = np.linspace(0.1, 0.9, 5), 1e-6
    assert np.allclose((mode(x + h) - mode(x - h)) / (2 * h), bending(x), rtol=1e-6)
    assert (bending(h) - bending(0)) / h == pytest.approx(2 * beta**2, rel=1e-3)  # a clamped beam has no slope there
    assert np.pi / 2 * np.cos(0) == pytest.approx(1.571, rel=1e-3)  # (84) at the clamped end, where it must vanish


def test_internal_forces_and_a_distant_weight_turn_no_free_link():
    strain = np.array([1e-3, 0.02, 0.01])  # a', v', w'
    torque = np.cross(strain, [4.38e7 * strain[0], 0, 0])  # (12), per length, from stretching alone
    assert np.abs(torque).max() == pytest.approx(876, rel=1e-3)
    weight = 7800 * 2.09e-4 * 0.93 * 9.81
    assert weight * 0.95 == pytest.approx(14.13, rel=1e-3)  # m r~ R^T g in (12), for the forearm of the stretched arm


def test_the_inertia_of_a_line_is_only_semi_definite():
    x = np.linspace(0, 0.95, 50)
    inertia = sum(np.diag([0.0, s * s, s * s]) for s in x)
    assert np.linalg.eigvalsh(inertia)[0] == 0.0  # (14) about the link's own axis


def stretched_ella(rate=0.6):
    """ELLA stretched out and undeformed, its elbow turning at `rate` (rad/s)."""
    model = lissom.load("ella").compile()
    v = np.zeros(model.nv)
    v[model.joint("elbow").joint_v] = rate
    return ScrewPDE(model), model.neutral(), v


def test_spatial_twists_of_two_links_differ_by_more_than_their_joint_allows():
    """(25), (33): of a hinge only the turn about its axis may be left."""
    system, q, v = stretched_ella()
    system.place(q, v)
    upper, forearm = system.row("upper"), system.row("forearm")
    T, V = system.frame_poses(), system.work.V
    spatial = se3.Ad(T[forearm]) @ V[forearm] - se3.Ad(T[upper]) @ V[upper]
    at_joint = V[forearm] - se3.Ad(se3.inverse(T[forearm]) @ T[upper]) @ V[upper]
    assert np.linalg.norm(spatial[3:]) == pytest.approx(0.57, rel=1e-9)  # m/s, 0.6 rad/s times 0.95 m
    assert np.abs(at_joint[3:]).max() < 1e-12
    assert np.linalg.norm(at_joint[:3]) == pytest.approx(0.6)


def test_inertia_belongs_to_the_column_of_accelerations():
    """(36), (44) with M* in the column of the wrench and the unit matrix in that of the twist's rate."""
    system, q, v = stretched_ella()
    stacked = system.system(q, v, np.zeros(system.model.nv))
    exact = stacked.solve().accelerations
    assert np.allclose(exact, lissom.forward_dynamics(system.model, q, v), rtol=1e-9, atol=1e-9 * np.abs(exact).max())
    matrix = stacked.matrix.toarray()
    for body in system.model.bodies:
        row = next(b.slice for b in stacked.rows if b.name == f"{body.link}: twist")
        rate = next(b.slice for b in stacked.columns if b.name == f"{body.link}: twist acceleration")
        wrench = next(b.slice for b in stacked.columns if b.name == f"{body.joint}: wrench")
        matrix[row, rate], matrix[row, wrench] = matrix[row, wrench].copy(), matrix[row, rate].copy()
    wrong = stacked.sorted(np.linalg.solve(matrix, stacked.right)).accelerations
    assert np.abs(wrong - exact).max() > 0.5 * np.abs(exact).max()


def test_what_a_joint_holds_is_across_its_axes():
    """Section 7: I - A A^T of (26) is not what is printed, which holds the axes that motors turn."""
    for axes, printed_as in (([1, 2], [0.0, 1.0, 1.0]), ([2], [0.0, 0.0, 1.0])):
        A = np.eye(3)[:, axes]
        held = np.eye(3) - A @ A.T
        assert np.all(held @ A == 0)
        assert np.array_equal(np.diag(printed_as) @ A, A)


def test_with_the_printed_sign_of_gravity_a_body_let_go_would_rise():
    """(12), (17): +R^T g on the left is the weight of a world in which things fall up."""
    body = {"mass": 2.0, "com": [0.1, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    for gravity, fall in ([0, 0, -9.81], -9.81), ([0, 0, 9.81], 9.81):
        links = [{"name": "stone", "joint": {"name": "air", "type": "free"}, "body": body}]
        data = {"lissom": 1, "name": "stone", "gravity": gravity, "links": links}
        model = lissom.Robot.from_dict(data).compile()
        a = ScrewPDE(model).accelerations(model.neutral(), np.zeros(6), np.zeros(6))
        assert a[5] == pytest.approx(fall)
        assert np.abs(a[:5]).max() < 1e-12


def test_a_bent_link_has_the_inertia_of_its_bent_shape():
    """(10), (11) leave the deformation out of the moments of (97): energy of a link that turns about its base."""
    beam = {"length": 1.0, "section": SECTION, "modes": {"y": 1}, "stiffening": "none"}
    links = [{"name": "rod", "joint": {"name": "hinge", "type": "revolute", "axis": [0, 0, 1]}, "beam": beam}]
    model = lissom.Robot.from_dict({"lissom": 1, "name": "rod", "links": links}).compile()
    system, q, v = ScrewPDE(model), np.zeros(model.nq), np.zeros(model.nv)
    q[1], v[0] = 0.2, 1.0
    kinetic = lissom.energy(model, q, v).kinetic
    inertia = []
    for state in (q, 0 * q):  # bent, and as (10), (11) have it
        system.evaluate(state, v, 0 * v)
        inertia.append(system.work.mass[0, 2, 2])
    assert inertia[0] / 2 == pytest.approx(kinetic, rel=1e-12)
    assert inertia[1] / 2 < 0.98 * kinetic


def test_a_section_turns_by_minus_the_slope_of_w():
    """(20)-(22): -EI_y w'' against the torque of the joint at the base of ELLA's upper link in its lift."""
    ends = boundary_moments(*lifting(5))["upper"]
    field, torque = ends.base_field[1], -ends.base_wrench[1]
    assert field == pytest.approx(12.81, abs=0.01)
    assert torque == pytest.approx(-12.81, abs=0.03)


def test_rates_of_a_rotation_vector_need_the_inverse_of_the_jacobian():
    """(74): theta' = J^-1 omega, against the rotation itself a moment later."""
    rng = np.random.default_rng(1)
    theta = rng.normal(size=3)
    theta *= 2.0 / np.linalg.norm(theta)
    omega, h = rng.normal(size=3), 1e-6
    J = so3.left_jacobian(theta)
    change = (so3.log(so3.exp(h * omega) @ so3.exp(theta)) - so3.log(so3.exp(-h * omega) @ so3.exp(theta))) / (2 * h)
    assert np.allclose(np.linalg.solve(J, omega), change, rtol=1e-7)
    assert np.linalg.norm(J - np.linalg.inv(J), 2) == pytest.approx(1.7, abs=0.05)
