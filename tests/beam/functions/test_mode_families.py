"""Mode families: roots against published figures, functions against their equations up to mode 50."""

import numpy as np
import pytest

from lissom.beam.functions import mode_families as families
from lissom.beam.functions import shape_functions
from lissom.beam.functions.eigenmodes import eigenmodes
from lissom.beam.functions.mode_families import bending, extension, torsion
from lissom.beam.functions.quadrature import Quadrature
from lissom.errors import LissomError

# fmt: off
ROOTS = {
    "clamped-free": [1.8751040687119611, 4.694091132974175, 7.854757438237629,
                     10.995540734875457, 14.137168391046494, 17.278759532088248],
    "free-free": [4.730040744862709, 7.853204624095851, 10.995607838001686,
                  14.137165491257484, 17.278759657399483, 20.42035224562606],
    "pinned-free": [3.9266023120479185, 7.068582745628737, 10.210176122813031,
                    13.351768777754085, 16.493361431346386, 19.634954084936208],
}
TIP_MASS_ROOTS = {
    0.1: [1.722741520593259, 4.399522816156012, 7.4510566733039, 10.52178475595251],
    1.0: [1.2479174096064696, 4.03113943671496, 7.134132240939746, 10.25662107371403],
    2.0: [1.0761956640792454, 3.982573287761904, 7.102650186049932, 10.234015008469802],
    10.0: [0.7357819193896505, 3.9384658332518128, 7.075616367031705, 10.21504647842602],
}
# fmt: on
LOADS = [(0.0, 0.0), (1.0, 0.0), (0.0, 0.3), (2.0, 0.5), (100.0, 10.0), (1e-6, 1e-6)]
BENDING = [(name, 0.0, 0.0) for name in families.BENDING if name != "clamped-mass"]
BENDING += [("clamped-mass", mass, inertia) for mass, inertia in LOADS]


@pytest.mark.parametrize("name", ROOTS)
def test_bending_roots_are_the_textbooks_to_the_last_digits(name):
    np.testing.assert_allclose(bending(name, 6).roots, ROOTS[name], rtol=4e-15)


def test_beams_with_exchanged_end_conditions_share_their_roots():
    np.testing.assert_array_equal(bending("clamped-clamped", 50).roots, bending("free-free", 50).roots)
    np.testing.assert_array_equal(bending("clamped-pinned", 50).roots, bending("pinned-free", 50).roots)


@pytest.mark.parametrize("mass", TIP_MASS_ROOTS)
def test_bending_roots_with_a_tip_mass_are_the_published_ones(mass):
    np.testing.assert_allclose(bending("clamped-mass", 4, mass).roots, TIP_MASS_ROOTS[mass], rtol=2e-14)


def test_a_tip_mass_of_nothing_leaves_the_clamped_free_roots():
    np.testing.assert_array_equal(bending("clamped-mass", 50).roots, bending("clamped-free", 50).roots)


def test_a_huge_tip_mass_and_inertia_clamp_the_tip_and_leave_two_slow_modes():
    beta = bending("clamped-mass", 20, 1e8, 1e8).roots
    np.testing.assert_allclose(beta[2:], bending("clamped-clamped", 18).roots, rtol=1e-7)
    # a massless beam under mass m and inertia j: det(K - beta^4 diag(m, j)) = 0, K = [[12, -6], [-6, 4]]
    squares = np.linalg.eigvals(np.array([[12.0, -6.0], [-6.0, 4.0]]) / 1e8)
    np.testing.assert_allclose(np.sort(beta[:2] ** 4), np.sort(squares), rtol=1e-6)


def test_high_roots_approach_their_asymptotes():
    k = np.arange(1, 51)
    np.testing.assert_allclose(bending("clamped-free", 50).roots[5:], (k - 0.5)[5:] * np.pi, rtol=1e-7)
    np.testing.assert_allclose(bending("pinned-free", 50).roots[5:], (k + 0.25)[5:] * np.pi, rtol=1e-15)


@pytest.mark.parametrize(("name", "mass", "inertia"), BENDING)
def test_fifty_bending_modes_are_orthogonal_and_diagonalise_the_stiffness(name, mass, inertia):
    family = bending(name, 50, mass, inertia)
    rule = Quadrature.resolving(family.degree)
    f, _, f2 = family.values(rule.nodes)
    tip, slope, _ = (g[0] for g in family.values(1.0))
    M = f.T @ (rule.weights[:, None] * f) + mass * np.outer(tip, tip) + inertia * np.outer(slope, slope)
    K = f2.T @ (rule.weights[:, None] * f2)
    size = np.sqrt(np.diag(M))
    np.testing.assert_allclose(M / np.outer(size, size), np.eye(50), atol=1e-10)
    omega = size * family.roots**2
    np.testing.assert_allclose(K / np.outer(omega, omega), np.eye(50), atol=1e-11)
    np.testing.assert_allclose(rule.weights @ f**2, 1, rtol=1e-13)


@pytest.mark.parametrize(("name", "mass", "inertia"), BENDING)
def test_bending_modes_up_to_fifty_satisfy_their_boundary_conditions(name, mass, inertia):
    family = bending(name, 50, mass, inertia)
    beta = family.roots
    base, tip = ([family.derivative(end, d)[0] / beta**d for d in range(4)] for end in (0.0, 1.0))
    ends = {"clamped": (0, 1), "pinned": (0, 2), "free": (2, 3)}
    at_base, at_tip = name.split("-")
    for d in ends[at_base]:
        assert np.abs(base[d]).max() < 1e-12
    if at_tip == "mass":  # moment EI f'' = J omega^2 f', shear EI f''' = -m omega^2 f
        moment, shear = inertia * beta**3, -mass * beta
        assert (np.abs(tip[2] - moment * tip[1]) < 1e-12 * (1 + np.abs(moment))).all()
        assert (np.abs(tip[3] - shear * tip[0]) < 1e-12 * (1 + np.abs(shear))).all()
    else:
        for d in ends[at_tip]:
            assert np.abs(tip[d]).max() < 1e-12


@pytest.mark.parametrize(("mass", "inertia"), LOADS)
def test_no_root_of_a_loaded_beam_is_missed(mass, inertia):
    """Ritz's method with polynomials knows no frequency equation, and finds every mode."""
    polynomials = shape_functions.legendre(30, bending=True)
    f, _, f2 = polynomials.values(polynomials.rule.nodes)
    tip, slope, _ = polynomials.values(1.0)
    weights = polynomials.rule.weights[:, None]
    M = f.T @ (weights * f) + mass * tip.T @ tip + inertia * slope.T @ slope
    omega, _ = eigenmodes(M, f2.T @ (weights * f2))
    roots = bending("clamped-mass", 50, mass, inertia).roots
    np.testing.assert_allclose(roots[:12], np.sqrt(omega[:12]), rtol=1e-8)
    assert (np.abs(np.diff(roots[10:]) - np.pi) < 0.3).all()


@pytest.mark.parametrize(
    "family",
    [bending("clamped-mass", 50, 0.7, 0.1), bending("free-free", 50), torsion("clamped-inertia", 50, 0.4)],
    ids=lambda f: f.name,
)
def test_derivatives_are_derivatives(family):
    xi = np.linspace(0, 1, 23)
    for order in range(3):
        step = family.derivative(xi + 1e-30j, order).imag * 1e30
        exact = family.derivative(xi, order + 1)
        np.testing.assert_allclose(step, exact, atol=1e-12 * np.abs(exact).max())


def test_modes_start_upwards_from_the_base():
    assert (bending("clamped-free", 50).derivative(0.0, 2) > 0).all()
    assert (bending("pinned-free", 50).derivative(0.0, 1) > 0).all()
    assert (bending("free-free", 50).derivative(0.0, 0) > 0).all()
    assert (torsion("clamped-free", 50).derivative(0.0, 1) > 0).all()


def test_rods_have_their_closed_form_roots():
    k = np.arange(1, 51)
    np.testing.assert_allclose(torsion("clamped-free", 50).roots, (k - 0.5) * np.pi, rtol=1e-15)
    np.testing.assert_allclose(extension("free-free", 50).roots, k * np.pi, rtol=1e-15)
    np.testing.assert_allclose(torsion("clamped-inertia", 1, 1.0).roots, [0.8603335890193797], rtol=1e-15)


@pytest.mark.parametrize("family", [torsion("clamped-inertia", 50, 0.3), extension("clamped-mass", 50, 5.0)])
def test_fifty_rod_modes_with_a_load_are_orthogonal_and_balance_it(family):
    rule = Quadrature.resolving(family.degree)
    f, f1, _ = family.values(rule.nodes)
    tip, slope, _ = (g[0] for g in family.values(1.0))
    M = f.T @ (rule.weights[:, None] * f) + family.tip_mass * np.outer(tip, tip)
    K = f1.T @ (rule.weights[:, None] * f1)
    size = np.sqrt(np.diag(M))
    np.testing.assert_allclose(M / np.outer(size, size), np.eye(50), atol=1e-12)
    np.testing.assert_allclose(K / np.outer(size * family.roots, size * family.roots), np.eye(50), atol=1e-12)
    np.testing.assert_allclose(slope / family.roots, family.tip_mass * family.roots * tip, atol=1e-13)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bending("clamped-glued", 3),
        lambda: bending("clamped-free", 0),
        lambda: bending("clamped-free", 3, tip_mass=1.0),
        lambda: bending("clamped-mass", 3, tip_mass=-1.0),
        lambda: torsion("clamped-mass", 3),
        lambda: extension("clamped-mass", 3, tip_mass=float("nan")),
    ],
)
def test_impossible_families_are_refused(make):
    with pytest.raises(LissomError):
        make()
