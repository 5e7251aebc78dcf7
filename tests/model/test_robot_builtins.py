"""The built-in robots: their numbers are those of the sets they come from, and their descriptions say so."""

import json
import math
import re

import numpy as np
import pytest
from places import DATA

from lissom.model import builtin_names, load

# Links, joints and point masses of the three reference manoeuvres, as given to an independent program.
REFERENCE = json.loads((DATA / "reference_arms.json").read_text())


@pytest.mark.parametrize("name", REFERENCE)
def test_built_in_arms_hold_the_numbers_of_the_reference_manoeuvres(name: str) -> None:
    robot, parameters = load(name), REFERENCE[name]
    assert robot.gravity == tuple(parameters["gravity"])
    for link, body in zip(robot.links, parameters["bodies"], strict=True):
        joint = body["joint"]
        assert link.joint.axes == (tuple(joint["axis"]),)
        assert link.origin.xyz == tuple(joint["offset"])
        assert np.allclose(link.origin.rotation(), joint.get("R_pre_matrix", np.eye(3)), atol=1e-15)
        if "elastic" in joint:
            gear = link.joint.transmission
            assert {k: getattr(gear, k) for k in joint["elastic"]} == joint["elastic"]
        if body["type"] == "beam":
            beam = link.beam
            assert beam is not None
            assert beam.length == body["L"]
            assert beam.damping.stiffness == body["beta"]  # type: ignore[union-attr]
            section = beam.build(robot.materials).section
            for key in ("rhoA", "EA", "EIy", "EIz", "GJ"):
                assert getattr(section, key) == pytest.approx(body[key], rel=1e-14)
            assert [section.Jx, section.Jy, section.Jz] == pytest.approx(body["rot_inertia"], rel=1e-14)
            points = [p["mass"] for p in parameters["point_masses"] if p["on"] == body["name"]]
            assert [mass.mass for mass in beam.masses] == points
        else:
            assert link.body is not None
            assert link.body.mass == body["mass"]
            assert link.body.com == tuple(body["com"])
            assert np.array_equal(link.body.inertia, body["inertia_com"])
            assert link.body.tip == (tuple(body["tip"]) if "tip" in body else None)


# The tables


@pytest.mark.parametrize("name", builtin_names())
def test_the_description_fits_the_page_and_names_everything(name: str) -> None:
    robot = load(name)
    text = robot.describe()
    assert max(len(line) for line in text.splitlines()) <= 100
    for link in robot.links:
        assert link.name in text
        if link.joint.type != "fixed":
            assert link.joint.name in text
    assert f"nv = {robot.nv}:" in text
    assert f"nq = {robot.nq}" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("name", "totals"),
    [
        (
            "ella",
            ["9.465 kg", "3 (2 flexible)", "nv = 23: 3 joint coordinates, 20 modes, 0 rotors", "nq = 23"],
        ),
        ("canadarm2", ["1050 kg", "5 (2 flexible)", "nv = 38: 5 joint coordinates, 28 modes, 5 rotors"]),
        ("satellite-two-arm", ["814.2 kg", "nv = 36: 12 joint coordinates, 24 modes, 0 rotors", "nq = 37"]),
        ("rigid-7-axis", ["16.6 kg", "nv = 7: 7 joint coordinates, 0 modes, 0 rotors"]),
    ],
)
def test_the_description_has_the_right_totals(name: str, totals: list[str]) -> None:
    text = load(name).describe()
    for total in totals:
        assert total in text


def test_the_description_gives_the_frequencies_of_a_clamped_beam() -> None:
    row = next(line for line in load("spinup-beam").describe().splitlines() if re.match(r" *blade +0", line))
    shown = [float(number) for number in re.findall(r"(?<!\[)\b\d+\.?\d*", row)]
    # beta L of a clamped-free beam, omega = (beta L)^2 sqrt(EI / rhoA L^4)
    unit = math.sqrt(566.7095928 / (7.2968e-5 * 2766.7 * 8.0**4)) / (2 * math.pi)
    assert shown[:2] == pytest.approx([1.8751040687**2 * unit, 4.6940911330**2 * unit], rel=1e-3)
    assert "[15.42]" in row  # three functions are too few for the third frequency, 8.13 Hz
