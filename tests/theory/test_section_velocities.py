"""Appendix B of Cibicik and Egeland (2021): velocities of sections, whole and to first order.

Independently derived: positions in the world by products of rotations, differentiated by complex steps.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import lissom
from lissom.theory.dual_screws import screws
from lissom.theory.dual_screws.section_velocities import (
    Bent,
    linear_velocity_of_third_link,
    velocity_of_second_link,
    velocity_of_third_link,
)

STEP = 1e-30


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3, dtype=complex)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def base(q, q2):
    """Axes of frame 2 in the world: x1, y1, z1 turn about z1 = z0; y1 = z2 and x1 = s2 x2 + c2 y2."""
    first = turn("z", q)
    s, c = np.sin(q2), np.cos(q2)
    return first @ np.array([[s, c, 0], [0, 0, 1], [c, -s, 0]], dtype=complex)


def positions(q, length, end, theta, x, section):
    """Section of link 2 at `length`, displaced by `end`, and section of link 3 at x, displaced by `section`."""
    two = base(q[0], q[1])
    elbow = two @ np.array([length, *end])
    turned = turn("x", theta[0]) @ turn("y", theta[1]) @ turn("z", theta[2]) @ turn("z", q[2])
    return elbow, elbow + two @ turned @ np.array([x, *section]), two.real


def state(seed, size):
    rng = np.random.default_rng(seed)
    q, u = rng.normal(size=(2, 3))
    end, end_rate, section, section_rate = size * rng.normal(size=(4, 2))
    theta, theta_rate = size * rng.normal(size=(2, 3))
    return q, u, Bent(end, end_rate, theta, theta_rate), Bent(section, section_rate)


def derived(q, u, lengths, end, section):
    elbow, tip, two = positions(
        q + 1j * STEP * u,
        lengths[0],
        end.displacement + 1j * STEP * end.rate,
        end.theta + 1j * STEP * end.theta_rate,
        lengths[1],
        section.displacement + 1j * STEP * section.rate,
    )
    return two.T @ elbow.imag / STEP, two.T @ tip.imag / STEP


@pytest.mark.parametrize("seed", range(4))
def test_velocities_of_sections_are_the_derivatives_of_their_positions(seed):
    q, u, end, section = state(seed, 0.3)
    elbow, _ = derived(q, u, (1.1, 0.7), end, section)
    assert_allclose(velocity_of_second_link(q, u, 1.1, end), elbow, atol=1e-14)
    # about one axis, where the order of the angles does not matter, the printed velocity of link 3 is exact
    for axis in np.eye(3):
        one = Bent(end.displacement, end.rate, axis * end.theta, axis * end.theta_rate)
        _, tip = derived(q, u, (1.1, 0.7), one, section)
        assert_allclose(velocity_of_third_link(q, u, (1.1, 0.7), one, section), tip, atol=1e-13)


def test_the_linear_velocity_misses_the_square_of_the_deflection():
    """So does (148) where angles follow each other: its angular velocity takes their rates about fixed axes."""
    linear, printed = [], []
    for size in (1e-2, 1e-3):
        q, u, end, section = state(7, size)
        _, tip = derived(q, u, (1.1, 0.7), end, section)
        linear.append(np.abs(linear_velocity_of_third_link(q, u, (1.1, 0.7), end, section) - tip).max())
        printed.append(np.abs(velocity_of_third_link(q, u, (1.1, 0.7), end, section) - tip).max())
    assert 1.9 < np.log10(linear[0] / linear[1]) < 2.1
    assert 1.9 < np.log10(printed[0] / printed[1]) < 2.1


def by_dual_screws(seed, size):
    """Velocity of a section of link 3 by dual screws, in the axes of frame 2, and by (149)."""
    model = lissom.load("dual-screw-arm").compile()
    rng = np.random.default_rng(seed)
    q, v = np.zeros(model.nq), np.zeros(model.nv)
    joints = [model.coordinates.index(f"joint{k}") for k in range(1, 5)]
    q[joints], v[joints] = rng.normal(size=(2, 4))
    bent = []
    for name, x in (("link2", None), ("link3", 0.7)):
        beam, body = model.flexible[name], model.link(name)
        at = beam.section_map(beam.length if x is None else x)
        across = np.any(at.phi[1:] != 0, axis=0) | np.any(at.psi != 0, axis=0)  # the paper has no extension
        eta, rate = size * rng.normal(size=(2, len(across))) * across
        q[body.modes_q], v[body.modes_v] = eta, rate
        bent.append(Bent((at.phi @ eta)[1:], (at.phi @ rate)[1:], at.psi @ eta, at.psi @ rate))
    frame = screws.projections(model, q, v)["link3"]
    section = screws.section_projection(model, frame, "link3", 0.7, q, v)
    twist = (section.jacobian @ v).reshape(2, 2, 3).sum(axis=1)
    turned = turn("x", bent[0].theta[0]) @ turn("y", bent[0].theta[1]) @ turn("z", bent[0].theta[2])
    found = (turned @ turn("z", q[joints[2]])).real @ twist[1]
    lengths = (model.flexible["link2"].length, 0.7)
    return found, linear_velocity_of_third_link(q[joints[:3]], v[joints[:3]], lengths, *bent)


def test_dual_screws_give_the_linear_velocity_without_the_nonlinear_one():
    """What the paper claims of its procedure: both are of first order, so their difference is of second."""
    apart = [np.abs(np.subtract(*by_dual_screws(3, size))).max() for size in (1e-3, 1e-4)]
    assert apart[1] < 1e-4
    assert 1.9 < np.log10(apart[0] / apart[1]) < 2.1
