"""Beams as they are built, from robot files: stations, shapes, matrices, shear; and what is wrong with a broken one."""

import re

import numpy as np
import pytest
from broken_sections import BROKEN, GOOD, S0, S1, TOO_MUCH, K, M

from lissom.beam import BeamLink
from lissom.errors import RobotError
from lissom.model import Robot


def robot(body, material="material: steel"):
    return Robot.from_yaml(GOOD.replace("BODY", body).replace("material: steel\n", f"{material}\n", 1))


def boom(body, **options):
    link = robot(body, **options).flexible_links()["boom"]
    assert isinstance(link, BeamLink)
    return link


@pytest.mark.parametrize(("body", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_section_gives_one_error_with_place_value_and_remedy(body, said):
    material = "# none" if "needs a material" in said else "material: steel"
    with pytest.raises(RobotError) as caught:
        robot(body, material=material)
    message = str(caught.value)
    for part in said:
        assert part in message, f"{part!r} is not in: {message}"
    assert len(message.splitlines()) == 1, message
    assert len(message) < 400
    assert not re.search(r"pydantic|http|Traceback|Error:|validator|union|input_", message)


@pytest.mark.parametrize(("body", "said"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_a_link_that_cannot_be_built_is_named_with_a_remedy(body, said):
    with pytest.raises(RobotError) as caught:
        boom(body)
    message = str(caught.value)
    for part in said:
        assert part in message, f"{part!r} is not in: {message}"


GOOD_BODIES = {
    "taper": f"stations: [{S0}, {S1}]",
    "step": f"stations: [{S0}, {S0.replace('x: 0', 'x: 0.5')}, {S1.replace('2.0', '0.5')}, {S1}]",
    "two materials": f"stations: [{S0}, {S0.replace('x: 0', 'x: 1')}, {S1.replace('x: 2.0', 'x: 1, material: alloy')}, "
    f"{S1.replace('x: 2.0', 'x: 2.0, material: alloy')}]",
    "matrices": f"section: {{stiffness: {K}, mass: {M}}}",
    "I": "section: {shape: I, width: 0.1, height: 0.2, flange: 0.01, web: 0.008}",
    "H": "section: {shape: H, width: 0.2, height: 0.1, flange: 0.01, web: 0.008}",
    "L": "section: {shape: L, width: 0.1, height: 0.2, thickness: 0.01, turn: 30 deg}",
    "C": "section: {shape: C, width: 0.1, height: 0.2, flange: 0.01, web: 0.008, offset: [0, 10 mm]}",
    "rounded box": "section: {shape: rounded-box, width: 0.1, height: 0.2, thickness: 0.01, radius: 0.02}",
    "ellipse": "section: {shape: ellipse, width: 0.1, height: 0.2, thickness: 0.01}",
    "polygon": "section: {shape: polygon, outline: [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]], "
    "holes: [[[0.02, 0.02], [0.08, 0.02], [0.05, 0.08]]]}",
}


@pytest.mark.parametrize("body", GOOD_BODIES.values(), ids=GOOD_BODIES)
def test_a_file_comes_back_the_same_and_compiles(body):
    made = robot(body)
    assert Robot.from_yaml(made.to_yaml()) == made
    model = made.compile()
    assert np.linalg.eigvalsh(model.arrays.inertia.modal_mass[1][:6, :6])[0] > 0


def test_shear_is_on_for_shapes_and_off_for_stiffnesses_without_it():
    shape, stiffness = (
        "section: {shape: circle, diameter: 0.1}",
        "section: {rhoA: 3, EA: 1e7, EIy: 1e3, EIz: 1e3, GJ: 1e3",
    )
    assert not boom(shape).plain
    assert boom(shape).profile.shear
    assert boom(f"{shape}\n      shear: none").plain
    assert boom(f"{stiffness}}}").plain
    assert boom(f"{stiffness}, kGAy: 1e6, kGAz: 1e6}}").profile.shear
    assert boom(f"{stiffness}, kGAy: 1e6, kGAz: 1e6}}\n      shear: none").plain


def test_a_factor_sets_the_shear_stiffness():
    link = boom("section: {shape: rectangle, width: 0.1, height: 0.2}\n      shear: 0.5")
    G = 2.1e11 / 2.6
    assert 1 / link.profile.tables(np.zeros(1))[0][0, 2, 2] == pytest.approx(0.5 * G * 0.02)


def test_sizes_change_linearly_between_stations():
    profile = boom(f"stations: [{S0}, {S1}]").profile
    mass = [7850 * np.pi * t * (d - t) for d, t in ((0.1, 0.004), (0.08, 0.004), (0.06, 0.004))]
    np.testing.assert_allclose(profile.tables(np.array([0.0, 0.5, 1.0]))[1][:, 0, 0], mass, rtol=1e-12)


TAPERS = {
    "a tall I to a flat one": ("{shape: I, width: 0.1, height: H, flange: 0.01, web: 0.01}", (0.3, 0.05)),
    "a channel": ("{shape: C, width: 0.1, height: H, flange: 0.01, web: 0.01, turn: 0.3}", (0.2, 0.1)),
    "an I turned once around": ("{shape: I, width: 0.1, height: 0.2, flange: 0.01, web: 0.01, turn: H}", (0, 6.2832)),
    "an angle that leaves the axis": ("{shape: L, width: 0.1, height: 0.2, thickness: 0.01, offset: [H, 0]}", (0, 0.1)),
}


@pytest.mark.parametrize(("section", "sizes"), TAPERS.values(), ids=TAPERS)
def test_a_shape_swept_from_one_size_to_another_is_right_in_between(section, sizes):
    """Torsion and shear, which take a while, are computed at a few places and interpolated; all else is exact."""
    ends = [f"{{x: {x}, section: {section.replace('H', str(size))}}}" for x, size in zip((0, 2.0), sizes)]
    made = robot(f"stations: [{', '.join(ends)}]")
    beam, steel = made.links[0].beam, made.materials["steel"].build()
    profile = beam.profile(made.materials)
    for share in (0.13, 0.5, 0.93):
        found = profile.tables(np.array([share]))[0][0]
        exact = beam.stations[0].section.between(beam.stations[1].section, share).general(steel).compliance
        scale = np.sqrt(np.diag(exact))
        np.testing.assert_allclose(found / np.outer(scale, scale), exact / np.outer(scale, scale), atol=1e-3)
        np.testing.assert_allclose(np.diag(found)[[0, 4, 5]], np.diag(exact)[[0, 4, 5]], rtol=1e-9)


def test_a_twisted_strip_is_resolved_however_it_tapers():
    """Second moments turn with the section: they are those of the turned rectangle, at every place."""
    ends = [
        f"{{x: {x}, section: {{shape: rectangle, width: 0.01, height: {h}, turn: {t}}}}}"
        for x, h, t in ((0, 0.06, 0), (2.0, 0.02, np.pi / 2))
    ]
    profile = boom(f"stations: [{', '.join(ends)}]").profile
    assert profile.degree < 40
    bending = np.linalg.inv(profile.tables(np.array([0.5]))[0][0][4:, 4:])  # a turn by 45 degrees, 10 by 40 mm
    Iy, Iz = 0.01 * 0.04**3 / 12, 0.04 * 0.01**3 / 12
    np.testing.assert_allclose(bending / 2.1e11, np.array([[Iy + Iz, Iy - Iz], [Iy - Iz, Iy + Iz]]) / 2, rtol=1e-9)
