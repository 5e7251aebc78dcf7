"""Stress stands on the arm in colours: where it is largest the arm is red, on the page and in pictures."""

from functools import cache

import numpy as np
import pytest
from browser import drawn, shot, until

import lissom
from lissom.errors import LissomError
from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.drawing.stress_colours import StressColours
from lissom.view.films.film import still


@cache
def cantilever_run():
    """A beam clamped at one end, let go from level: bending grows towards its root as the square of the way."""
    beam = {
        "length": 2.0,
        "material": "steel",
        "section": {"shape": "box", "width": 0.1, "height": 0.2, "thickness": 0.01},
    }
    link = {"name": "beam", "parent": "world", "joint": {"type": "fixed"}, "beam": beam}
    steel = {"E": 210e9, "nu": 0.3, "rho": 7850.0}
    data = {"name": "cantilever", "gravity": [0, 0, -9.81], "materials": {"steel": steel}, "links": [link]}
    return lissom.simulate(lissom.Robot.from_dict(data), 0.05, rate=200, progress=False)


def test_colours_follow_the_stress_along_the_beam():
    run = cantilever_run()
    arm = Drawing(run.model)
    found = StressColours(run, arm)
    (peak,) = run.stress_peaks()
    assert found.links == ["beam"] and found.most == pytest.approx(peak.stress, rel=1e-6)
    at_peak = found.at(np.array([peak.time]))[0, arm.frames_of["beam"]]
    assert np.all(np.diff(at_peak) < 0)  # from the root to the tip
    root, tip = found.colours(at_peak[[0, -1]])
    assert root[0] > 0.6 > root[2] and tip[2] > 0.5 > tip[0]  # red, blue


def test_pictures_are_coloured():
    run = cantilever_run()
    peak = run.stress_peaks()[0].time
    plain, coloured = (still(run, peak, stress=wanted, size=(320, 180)).astype(int) for wanted in (False, True))

    def red(picture):
        return ((picture[..., 0] > picture[..., 2] + 60) & (picture[..., 0] > 110)).sum()

    assert red(plain) == 0 and red(coloured) > 50


def test_rigid_arms_have_no_stress_to_show():
    run = lissom.simulate("rigid-7-axis", 0.01, progress=False)
    with pytest.raises(LissomError, match="no beam whose stress is known"):
        still(run, 0.0, stress=True)


def test_the_page_colours_the_arm_on_a_click(page, tmp_path):
    page.goto(cantilever_run().report(tmp_path / "r.html").as_uri())
    drawn(page)
    page.evaluate(f"Lissom.page.seek({cantilever_run().stress_peaks()[0].time})")
    before = shot(page, "report-plain-beam", "#scene")
    page.check('[data-show="stress"]')
    until(page, "Lissom.page.scene.runs[0].solids.some((solid) => solid.mesh.material.vertexColors)")
    page.wait_for_timeout(300)
    after = shot(page, "report-stressed-beam", "#scene")
    assert page.inner_text(".stress-most").endswith("MPa")

    def red(picture):
        pixels = np.asarray(picture).astype(int)
        return ((pixels[..., 0] > pixels[..., 2] + 60) & (pixels[..., 0] > 110)).sum()

    assert red(before) == 0 and red(after) > 50
    page.uncheck('[data-show="stress"]')
    page.wait_for_timeout(300)
    assert red(shot(page, "report-plain-again", "#scene")) == 0
