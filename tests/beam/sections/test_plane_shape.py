"""Sections that solve their own torsion and shear problem agree with closed formulas, and carry derivatives."""

import numpy as np
import pytest

from lissom.beam import Material
from lissom.beam.sections import outlines, plane_shape, polygon, shear_factors, torsion_constants

AWAY = np.array([0.1, 0.2])
STEEL = Material(2.1e11, 0.3, 7850.0)


def rectangle(width, height):
    return outlines.rounded_rectangle(width, height, 0.0)


def test_area_and_moments_of_a_polygon_with_a_hole():
    whole = polygon.moments(rectangle(0.2, 0.3) + AWAY, [rectangle(0.1, 0.1)[::-1] + AWAY])
    assert whole.area == pytest.approx(0.05)
    np.testing.assert_allclose(whole.first, [0.005, 0.01])
    own = np.diag([0.3 * 0.2**3 / 12 - 0.1**4 / 12, 0.2 * 0.3**3 / 12 - 0.1**4 / 12])
    np.testing.assert_allclose(whole.second, own + 0.05 * np.outer([0.1, 0.2], [0.1, 0.2]))


@pytest.mark.parametrize("sides", [(0.1, 0.1), (0.1, 0.2), (0.2, 0.04)])
def test_a_rectangle_has_its_torsion_constant_and_five_sixths_of_its_area_in_shear(sides):
    shape = plane_shape.solve(rectangle(*sides), nu=0.0)
    assert shape.torsion == pytest.approx(torsion_constants.rectangle(*sides), rel=1e-3)
    np.testing.assert_allclose(1 / np.diag(shape.shear) / shape.area, 5 / 6, rtol=1e-3)
    np.testing.assert_allclose(shape.shear_centre, 0, atol=1e-6)


def test_a_box_has_the_torsion_constant_of_its_corners_and_walls():
    shape = plane_shape.solve(rectangle(0.1, 0.2), [rectangle(0.09, 0.19)], 0.3)
    assert shape.torsion == pytest.approx(torsion_constants.box(0.1, 0.2, 0.005), rel=1e-3)
    along_y, along_z = 1 / np.diag(shape.shear) / shape.area
    # Cowper: thin walls, other definition
    assert along_y == pytest.approx(shear_factors.box(0.3, 0.2, 0.1, 0.005), rel=0.06)
    assert along_z == pytest.approx(shear_factors.box(0.3, 0.1, 0.2, 0.005), rel=0.06)


def test_an_ellipse_has_the_closed_torsion_constant():
    a, b = 0.1, 0.05
    shape = plane_shape.solve(outlines.ellipse(2 * a, 2 * b))
    assert shape.torsion == pytest.approx(np.pi * a**3 * b**3 / (a**2 + b**2), rel=3e-3)
    assert shape.area == pytest.approx(np.pi * a * b, rel=1e-12)


def _regular(corners, half=False):
    angle = np.linspace(0, np.pi, 97) if half else 2 * np.pi * np.arange(corners) / corners
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


TORSION = {  # outline of unit size and its torsion constant in textbooks
    "equilateral triangle": (np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]]), np.sqrt(3) / 80, 1e-4),
    "square": (rectangle(1.0, 1.0), 0.14057701, 1e-4),
    "right triangle": (np.array([[0, 0], [1, 0], [0, 1]]), 0.026090, 2e-4),
    "hexagon": (_regular(6), 1.0354, 2e-4),
    "half a circle": (_regular(0, half=True), 0.2976, 1e-3),
}


@pytest.mark.parametrize(("outline", "expected", "tolerance"), TORSION.values(), ids=TORSION)
def test_solid_shapes_have_the_torsion_constants_of_the_textbooks(outline, expected, tolerance):
    assert plane_shape.solve(0.1 * outline).torsion == pytest.approx(1e-4 * expected, rel=tolerance)


def test_a_thin_channel_has_the_shear_centre_of_the_textbooks():
    width, height, t = 0.1, 0.2, 0.004
    shape = plane_shape.solve(outlines.letter_c(width, height, t, t), nu=0.3)
    b, h = width - t / 2, height - t
    from_web = 3 * b**2 / (h + 6 * b)
    found = t / 2 - (shape.centroid + shape.shear_centre)[0]
    assert found == pytest.approx(from_web, rel=5e-3)
    assert shape.shear_centre[1] == pytest.approx(0, abs=1e-6)
    assert shape.torsion == pytest.approx((2 * b + h) * t**3 / 3, rel=0.01)


def test_an_angle_has_its_shear_centre_where_the_legs_meet():
    shape = plane_shape.solve(outlines.letter_l(0.1, 0.1, 0.005), nu=0.3)
    np.testing.assert_allclose(shape.centroid + shape.shear_centre, 0.0025, atol=3e-4)


def test_an_i_turned_by_a_right_angle_is_an_h():
    i, h = (
        plane_shape.solve(letter(*sizes, 0.01, 0.008))
        for letter, sizes in ((outlines.letter_i, (0.1, 0.2)), (outlines.letter_h, (0.2, 0.1)))
    )
    np.testing.assert_allclose(i.second, h.second[::-1, ::-1], rtol=1e-9, atol=1e-15)
    assert i.torsion == pytest.approx(h.torsion, rel=2e-3)
    np.testing.assert_allclose(np.diag(i.shear), np.diag(h.shear)[::-1], rtol=2e-3)


def test_sizes_carry_derivatives():
    def numbers(width):
        shape = plane_shape.solve(outlines.letter_c(width, 0.2, 0.02, 0.015), nu=0.3)
        section = shape.section(STEEL, outlines.letter_c(width, 0.2, 0.02, 0.015), [])
        return np.concatenate([np.diag(section.compliance), section.moments.ravel()])

    step = 1e-6
    exact = numbers(0.1 + 1e-20j).imag / 1e-20
    ahead, behind = numbers(0.1 + step), numbers(0.1 - step)
    np.testing.assert_allclose(exact, (ahead - behind) / (2 * step), rtol=2e-2, atol=1e-9 * np.abs(exact).max())


@pytest.mark.parametrize("holes", [0, 1, 2])
def test_triangles_fill_a_polygon_with_holes(holes):
    outline = np.array([[0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]], float)
    cut = [np.array([[0.2, 0.2], [0.8, 0.2], [0.8, 0.8]]), np.array([[2, 0.2], [3, 0.2], [3, 0.8], [2, 0.8]])][:holes]
    points, triangles = polygon.triangulate(outline, cut)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert np.all(areas > -1e-12)
    assert areas.sum() == pytest.approx(polygon.moments(outline, cut).area)
    assert polygon.inside((a + b + c)[areas > 1e-9] / 3, outline, cut).all()
