"""Sections: areas, moments and torsion constants against known values; derivatives by the complex step."""

import numpy as np
import pytest

from lissom.beam import Material, Section
from lissom.beam.sections import torsion_constants
from lissom.errors import LissomError

STEEL = Material(E=2.1e11, nu=0.3, rho=7800.0)


def test_shear_modulus_follows_from_poissons_ratio_unless_given():
    assert pytest.approx(2.1e11 / 2.6) == STEEL.G
    assert Material(E=2.1e11, nu=0.3, rho=7800.0, G=8e10).G == 8e10


@pytest.mark.parametrize(
    ("ratio", "constant"),  # J = constant * long * short^3; Timoshenko and Goodier, Theory of Elasticity
    [(1.0, 0.1406), (1.2, 0.166), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (5.0, 0.291), (10.0, 0.312)],
)
def test_torsion_constant_of_rectangles_is_the_textbooks(ratio, constant):
    assert torsion_constants.rectangle(ratio, 1.0) / ratio == pytest.approx(constant, abs=6e-4)


def test_torsion_constant_of_a_square_is_known_to_full_precision():
    assert torsion_constants.rectangle(1.0, 1.0) == pytest.approx(0.140577014955153, rel=1e-14)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.3, 1.0), (7.0, 1.0), (1.0, 400.0)])
def test_torsion_constant_of_a_rectangle_equals_the_plain_series(a, b):
    long, short = max(a, b), min(a, b)
    n = np.arange(1, 4001, 2)
    terms = np.tanh(n * np.pi * long / (2 * short)) / n**5
    plain = long * short**3 * (1 / 3 - 64 * short / (np.pi**5 * long) * terms.sum())
    assert torsion_constants.rectangle(a, b) == pytest.approx(plain, rel=1e-13)


@pytest.mark.parametrize(
    ("width", "height", "J", "accuracy"),
    # Unit wall; J from finite-difference solutions of Poisson's equation, extrapolated to zero step.
    [
        (2.5, 2.5, 5.4783607, 6e-3),
        (3.0, 3.0, 11.1886313, 2e-3),
        (4.0, 4.0, 33.0576706, 1e-4),
        (6.0, 6.0, 139.4812408, 1e-7),
        (10.0, 10.0, 770.9340909, 1e-8),
        (20.0, 10.0, 2164.9771234, 1e-8),
        (8.0, 3.0, 51.7396005, 4e-4),
    ],
)
def test_torsion_constant_of_a_box_solves_poissons_equation(width, height, J, accuracy):
    assert torsion_constants.box(width, height, 1.0) == pytest.approx(J, rel=accuracy)


def test_a_thin_box_follows_bredt_and_batho():
    b, h, t = 0.2, 0.1, 1e-5
    bredt = 4 * (b * h) ** 2 * t / (2 * (b + h))
    assert torsion_constants.box(b, h, t) == pytest.approx(bredt, rel=3e-4)


def test_a_box_without_a_hole_is_nearly_the_solid_bar():
    for ratio in np.linspace(1, 10, 30):
        assert torsion_constants.box(ratio, 1.0, 0.5) == pytest.approx(
            torsion_constants.rectangle(ratio, 1.0), rel=0.013
        )


def test_a_rectangle_resists_bending_in_its_own_planes():
    b, h = 0.02, 0.05  # width along y, height along z
    s = Section.rectangle(STEEL, width=b, height=h)
    assert s.EIz == pytest.approx(STEEL.E * h * b**3 / 12)  # deflection along y
    assert s.EIy == pytest.approx(STEEL.E * b * h**3 / 12)  # deflection along z
    assert pytest.approx(STEEL.E * b * h) == s.EA
    assert s.rhoA == pytest.approx(STEEL.rho * b * h)
    assert pytest.approx(STEEL.G * torsion_constants.rectangle(b, h)) == s.GJ
    assert (s.Jy, s.Jz) == pytest.approx((STEEL.rho * b * h**3 / 12, STEEL.rho * h * b**3 / 12))
    assert s.Jx == pytest.approx(s.Jy + s.Jz)
    assert np.ptp(s.outline, axis=0) == pytest.approx([b, h])


def test_a_box_is_a_rectangle_less_its_hole():
    outer, hole = Section.rectangle(STEEL, 0.05, 0.08), Section.rectangle(STEEL, 0.044, 0.074)
    box = Section.box(STEEL, 0.05, 0.08, thickness=0.003)
    for name in ("rhoA", "EA", "EIy", "EIz", "Jx", "Jy", "Jz"):
        assert getattr(box, name) == pytest.approx(getattr(outer, name) - getattr(hole, name))


def test_round_sections_have_the_polar_moment_as_torsion_constant():
    circle = Section.circle(STEEL, radius=0.01)
    assert pytest.approx(STEEL.G * np.pi * 0.01**4 / 2) == circle.GJ
    assert circle == Section.circle(STEEL, diameter=0.02)
    tube = Section.tube(STEEL, outer=0.06, inner=0.05)
    assert pytest.approx(STEEL.G * np.pi * (0.06**4 - 0.05**4) / 32) == tube.GJ
    by_wall = Section.tube(STEEL, outer=0.06, thickness=0.005)
    assert [by_wall.EIy, by_wall.rhoA] == pytest.approx([tube.EIy, tube.rhoA])


def test_a_section_from_stiffnesses_takes_its_rotary_inertia_from_the_second_moments():
    s = Section.from_stiffness(STEEL, area=2.09e-4, EIy=2120.0, EIz=3670.0, GJ=1533.0, EA=4.38e7)
    assert s.rhoA == pytest.approx(7800 * 2.09e-4)
    assert (s.Jy, s.Jz) == pytest.approx((7.874285714e-05, 1.363142857e-04))
    assert s.Jx == pytest.approx(s.Jy + s.Jz)
    bare = Section.from_stiffness(rhoA=s.rhoA, EIy=2120.0, EIz=3670.0, GJ=1533.0, EA=STEEL.E * 2.09e-4)
    assert bare.Jz == pytest.approx(s.Jz)


def test_a_boom_may_have_more_inertia_about_its_axis_than_its_section_explains():
    s = Section.from_stiffness(rhoA=50.0, EIy=1e6, EIz=1e6, GJ=1e6, EA=1e9, Jx=2.17, Jy=0.147, Jz=0.147)
    E = s.second_moments
    np.testing.assert_allclose(np.trace(E) * np.eye(3) - E, np.diag([2.17, 0.147, 0.147]), atol=1e-15)


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda u: Section.rectangle(STEEL, u, 0.03), 0.02),
        (lambda u: Section.rectangle(STEEL, 0.02, u), 0.02),
        (lambda u: Section.box(STEEL, u, 0.08, 0.004), 0.05),
        (lambda u: Section.box(STEEL, 0.05, 0.08, u), 0.004),
        (lambda u: Section.circle(STEEL, diameter=u), 0.02),
        (lambda u: Section.tube(STEEL, 0.06, thickness=u), 0.004),
        (lambda u: Section.rectangle(Material(2.1e11, u, 7800.0), 0.02, 0.03), 0.3),
        (lambda u: Section.from_stiffness(STEEL, area=u, EIy=2e3, EIz=3e3, GJ=1e3), 2e-4),
    ],
)
def test_complex_steps_through_a_section_are_its_derivatives(make, size):
    h = 1e-5 * size
    exact, up, down = make(size + 1e-30j), make(size + h), make(size - h)
    for name in ("rhoA", "EA", "EIy", "EIz", "GJ", "Jx", "Jy", "Jz"):
        slope = (getattr(up, name) - getattr(down, name)) / (2 * h)
        assert np.imag(getattr(exact, name)) * 1e30 == pytest.approx(slope, rel=1e-7, abs=1e-6 * abs(slope) + 1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Section.rectangle(STEEL, -0.02, 0.03),
        lambda: Section.rectangle(STEEL, 0.02, float("nan")),
        lambda: Section.box(STEEL, 0.05, 0.08, 0.025),
        lambda: Section.circle(STEEL),
        lambda: Section.circle(STEEL, radius=0.01, diameter=0.02),
        lambda: Section.tube(STEEL, outer=0.05, inner=0.06),
        lambda: Section.tube(STEEL, outer=0.05),
        lambda: Section.from_stiffness(EIy=1.0, EIz=1.0, GJ=1.0),
        lambda: Section.from_stiffness(rhoA=1.0, EIy=1.0, EIz=1.0, GJ=1.0),
        lambda: Section.from_stiffness(rhoA=1.0, EA=1.0, EIy=0.0, EIz=1.0, GJ=1.0),
        lambda: Material(E=0.0, nu=0.3, rho=7800.0),
        lambda: Material(E=2.1e11, nu=0.7, rho=7800.0),
    ],
)
def test_impossible_sections_and_materials_are_refused(make):
    with pytest.raises(LissomError):
        make()
