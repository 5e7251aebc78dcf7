"""Stresses in sections against the formulas of textbooks: bending, torsion and shear of every shape."""

import numpy as np
import pytest
from pydantic import TypeAdapter

from lissom.beam import Material
from lissom.beam.sections import torsion_constants
from lissom.beam.sections.section_stress import SectionStress, section_stress
from lissom.model.flexible.section import AnySection
from lissom.model.flexible.section_base import solve_shape

STEEL = Material(2.1e11, 0.3, 7850.0)
N, QY, QZ, T, MY, MZ = np.eye(6)
HIGHEST, LOWEST, SHEAR, VON_MISES = range(4)


def stress(**section):
    return TypeAdapter(AnySection).validate_python(section).stress(STEEL)


def peaks(found, force):
    return found.peaks(np.array([force]))[0]


def test_a_rectangle():
    b, h = 0.04, 0.06
    found = stress(shape="rectangle", width=b, height=h)
    assert peaks(found, N)[[HIGHEST, LOWEST, VON_MISES]] == pytest.approx(np.full(3, 1 / (b * h)))
    assert peaks(found, MY)[[HIGHEST, LOWEST]] == pytest.approx(np.array([1, -1]) * 6 / (b * h**2))
    assert peaks(found, MZ)[[HIGHEST, LOWEST]] == pytest.approx(np.array([1, -1]) * 6 / (h * b**2))
    both = peaks(found, MY - MZ)[HIGHEST]  # in a corner they add up
    assert both == pytest.approx(6 / (b * h**2) + 6 / (h * b**2))
    odd = np.arange(1, 40, 2)  # Timoshenko and Goodier, section 109
    largest = (
        b
        / torsion_constants.rectangle(b, h)
        * (1 - 8 / np.pi**2 * (1 / odd**2 / np.cosh(odd * np.pi * h / b / 2)).sum())
    )
    assert peaks(found, T)[SHEAR] == pytest.approx(largest, rel=1e-2)
    assert peaks(found, T)[VON_MISES] == pytest.approx(np.sqrt(3) * peaks(found, T)[SHEAR])


def test_a_narrow_rectangle_has_three_halves_of_the_mean_shear_stress():
    b, h = 0.01, 0.1
    assert peaks(stress(shape="rectangle", width=b, height=h), QZ)[SHEAR] == pytest.approx(1.5 / (b * h), rel=5e-3)


@pytest.mark.parametrize("inner", [0.0, 0.03, 0.055, 0.058])
def test_round_bars_and_tubes(inner):
    R, r, nu = 0.03, inner / 2, STEEL.nu
    shape = {"shape": "tube", "outer": 0.06, "inner": inner} if inner else {"shape": "circle", "diameter": 0.06}
    found, A, I = stress(**shape), np.pi * (R**2 - r**2), np.pi * (R**4 - r**4) / 4
    assert peaks(found, MY)[HIGHEST] == pytest.approx(R / I)
    turned = np.cos(0.3) * MY + np.sin(0.3) * MZ
    assert peaks(found, turned)[HIGHEST] == pytest.approx(R / I, rel=6e-4)
    assert peaks(found, T)[SHEAR] == pytest.approx(R / (2 * I), rel=5e-3)
    if inner == 0.0:  # Love, Timoshenko and Goodier, section 122: in the middle
        assert peaks(found, QZ)[SHEAR] == pytest.approx((3 + 2 * nu) / (2 * (1 + nu)) / A, rel=1e-2)
    if inner == 0.058:  # of a thin tube twice the mean
        assert peaks(found, QZ)[SHEAR] == pytest.approx(2 / A, rel=3e-2)
    # normal and shear stress together at the outer fibre
    together = peaks(found, 2.0 * MY + 3.0 * T)[VON_MISES]
    assert together == pytest.approx(np.hypot(2 * R / I, np.sqrt(3) * 3 * R / (2 * I)), rel=5e-3)


def test_a_box_follows_bredt_and_an_i_its_web():
    b, h, t = 0.1, 0.2, 0.005
    box = stress(shape="box", width=b, height=h, thickness=t)
    Iy = (b * h**3 - (b - 2 * t) * (h - 2 * t) ** 3) / 12
    assert peaks(box, MY)[HIGHEST] == pytest.approx(h / 2 / Iy)
    on_wall = np.abs(box.places[:, 1]) < 0.06  # of Bredt, over the wall's thickness: its mean
    wall = box.at(T)[on_wall & (box.places[:, 0] > 0)]
    assert np.mean(wall[:, 2]) == pytest.approx(1 / (2 * (b - t) * (h - t) * t), rel=2e-2)
    b, h, flange, web = 0.1, 0.2, 0.0085, 0.0056
    letter = stress(shape="I", width=b, height=h, flange=flange, web=web)
    Iy = (b * h**3 - (b - web) * (h - 2 * flange) ** 3) / 12
    static = b * flange * (h - flange) / 2 + web * (h / 2 - flange) ** 2 / 2
    assert peaks(letter, QZ)[SHEAR] == pytest.approx(static / (Iy * web), rel=1e-2)
    assert peaks(letter, MY)[HIGHEST] == pytest.approx(h / 2 / Iy, rel=1e-9)


@pytest.mark.parametrize(
    "section",
    [
        {"shape": "rectangle", "width": 0.03, "height": 0.05},
        {"shape": "L", "width": 0.06, "height": 0.1, "thickness": 0.012},
        {"shape": "C", "width": 0.06, "height": 0.1, "flange": 0.01, "web": 0.012},
        {"shape": "ellipse", "width": 0.06, "height": 0.1, "thickness": 0.01},
        {"shape": "polygon", "outline": [[0, 0], [0.1, 0], [0.03, 0.08]], "turn": 0.4, "offset": [0.02, -0.01]},
    ],
)
def test_stresses_add_up_to_the_forces(section):
    """Of every shape, wherever it sits: integrals over the section of what the six forces cause."""
    spec = TypeAdapter(AnySection).validate_python(section)
    functions = solve_shape(*spec.rings(), STEEL.nu).functions
    corners = functions.points[functions.nodes[:, :3]]
    side = corners[:, 1:] - corners[:, :1]
    area = (side[:, 0, 0] * side[:, 1, 1] - side[:, 0, 1] * side[:, 1, 0]) / 2
    everywhere = section_stress(spec.own(STEEL), STEEL, functions, [])  # the middles of the triangles come last
    found = SectionStress(*(part[-len(area) :] for part in everywhere)).placed(spec.turn, spec.offset)
    (y, z), s = found.places.T, found.per_force
    xx, xy, xz = (np.einsum("p,pk->pk", area, s[:, k]) for k in range(3))
    sums = [xx.sum(0), xy.sum(0), xz.sum(0), y @ xz - z @ xy, z @ xx, -y @ xx]
    scale = np.array([1, 1, 1, 0.05, 0.05, 0.05])  # N against N m
    assert np.stack(sums) / np.outer(scale, 1 / scale) == pytest.approx(np.eye(6), abs=2e-2)


def test_a_turned_and_shifted_section_has_the_stresses_of_its_own_axes():
    plain = stress(shape="rectangle", width=0.02, height=0.05)
    moved = stress(shape="rectangle", width=0.02, height=0.05, turn=np.pi / 2, offset=[0.0, 0.1])
    assert peaks(moved, MZ)[HIGHEST] == pytest.approx(peaks(plain, MY)[HIGHEST])
    pulled = peaks(moved, N)  # off its centroid by 0.1 m
    assert pulled[HIGHEST] == pytest.approx(1 / 1e-3 + 0.1 * 6 / (0.05 * 0.02**2))


def test_sections_of_stiffnesses_have_no_stresses():
    assert stress(rhoA=1.0, EA=1e7, EIy=1e3, EIz=1e3, GJ=1e3) is None
    assert stress(stiffness=np.diag([1e7, 1e6, 1e6, 1e3, 1e3, 1e3]).tolist(), mass=np.eye(6).tolist()) is None
