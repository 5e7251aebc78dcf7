"""Printed equations of the screw-theoretic paper that cannot be right, each with the number that shows it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import lissom
from lissom.theory.screw_pde import ScrewPDE, check, integrate, printed

SECTION = {"rhoA": 1.2, "EA": 2e4, "EIy": 8.0, "EIz": 12.0, "GJ": 30.0, "Jx": 1e-4, "Jy": 5e-5, "Jz": 5e-5}


def swinging_arm(modes, first):
    """Two undamped links without gravity, turning fast: their energy stays what it is."""
    beam = {"length": 0.8, "section": SECTION, "modes": modes, "stiffening": "none"}
    elbow = {"type": "revolute", "axis": [0, 0, 1]}
    links = [{"name": "upper", "joint": first, "beam": beam}, {"name": "fore", "joint": elbow, "beam": beam}]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "swinging", "gravity": [0, 0, 0], "links": links})
    model = robot.compile()
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.body("fore").joint_q] = 0.7
    v[model.body("upper").joint_v], v[model.body("fore").joint_v] = 2.0, -3.0
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
    wrong = drift(lambda q, v: printed.accelerations(system, q, v, still, equation), 1e-5)
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
    right, wrong = locked_hz(system), locked_hz(printed.without_tip_rotation(system))
    print(f"first frequency: {wrong:.4f} Hz without tip rotation, {right:.4f} Hz with it")
    assert right == pytest.approx(2.7589, rel=1e-3)  # finite elements
    assert wrong > 1.3 * right


def test_the_stacked_system_as_printed_lacks_a_row_for_every_motor():
    model = lissom.load("ella").compile()
    rank, size = printed.stacked_rank(ScrewPDE(model), model.neutral(), np.zeros(model.nv))
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
