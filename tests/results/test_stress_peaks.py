"""The largest stress in beams: by hand, against all stations and samples, as output and limit of studies."""

import numpy as np
import pytest

import lissom
from lissom.beam.sections.section_stress import SectionStress
from lissom.scenario import Scenario
from lissom.study import minimise

G, LENGTH, WIDTH, HEIGHT, LOAD = 9.81, 2.0, 0.04, 0.06, 500.0
STEEL = {"E": 2.1e11, "nu": 0.3, "rho": 7850, "yield_stress": 355e6}


def cantilever():
    """A bar welded to the world, in gravity across it."""
    made = {"shape": "rectangle", "width": WIDTH, "height": HEIGHT}
    beam = {"length": LENGTH, "material": "steel", "section": made}
    link = {"name": "bar", "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 0]}, "beam": beam}
    return {"lissom": 1, "name": "cantilever", "materials": {"steel": STEEL}, "links": [link]}


def held(robot):
    model = lissom.Robot.from_dict(robot).compile()
    down = lissom.Load(link="bar", force=[0, 0, -LOAD])
    still = lissom.control.Reference.constant([0.0])
    rest = lissom.static_equilibrium(model, hold=["hinge"], loads={"bar": [0, 0, 0, 0, 0, -LOAD]})
    motion = {"hinge": still}
    return lissom.simulate(model, 0.02, motion=motion, start=rest, loads=[down], rate=500, progress=False)


def test_a_cantilever_has_its_peak_at_the_root_as_beam_theory_says():
    run = held(cantilever())
    moment = LOAD * LENGTH + 7850 * WIDTH * HEIGHT * G * LENGTH**2 / 2
    stress = 6 * moment / (WIDTH * HEIGHT**2)
    (peak,) = run.stress_peaks()
    assert peak.link == "bar"
    assert peak.x == 0.0
    assert peak.stress == pytest.approx(stress, rel=2e-3)  # shear is small at the outer fibre; the bar sags
    assert abs(peak.place[1]) == pytest.approx(HEIGHT / 2, rel=1e-9)
    assert peak.safety == pytest.approx(355e6 / stress, rel=2e-3)
    text = str(run.summary())
    assert "Peak von Mises stress" in text
    assert "safety" in text
    assert run.summary().to_dict()["stresses"][0]["link"] == "bar"


def test_the_peak_is_the_largest_of_all_sections_and_samples():
    run = lissom.scenario.load("five-bar").run(duration=0.1, progress=False)
    for peak in run.stress_peaks()[:1]:
        found = run.stress(peak.link, [peak.x, 0.37 * float(run.model.flexible[peak.link].length)]).values
        assert found[:, 0, 3].max() == pytest.approx(peak.stress, rel=1e-12)
        assert run.time[found[:, 0, 3].argmax()] == pytest.approx(peak.time, abs=1e-12)
        assert found[:, 1, 3].max() <= peak.stress


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_out_never_peaks(seed):
    rng = np.random.default_rng(seed)
    section = SectionStress(rng.normal(size=(300, 2)), rng.normal(size=(300, 3, 6)))
    forces = np.cumsum(rng.normal(size=(500, 6)), axis=0) * [1, 0.1, 1, 0.01, 1, 0]
    stress = section.at(forces)
    square = stress[..., 1] ** 2 + stress[..., 2] ** 2
    mises = np.sqrt(stress[..., 0] ** 2 + 3 * square)
    all_ = [stress[..., 0].max(1), stress[..., 0].min(1), np.sqrt(square).max(1), mises.max(1)]
    np.testing.assert_allclose(section.peaks(forces), np.stack(all_, axis=1), rtol=1e-10)
    found = section.largest(forces)
    sample, place = np.unravel_index(mises.argmax(), mises.shape)
    assert (found.stress, found.sample) == (pytest.approx(mises.max(), rel=1e-10), sample)
    assert found.place == pytest.approx(section.places[place])
    assert section.largest(forces, beyond=mises.max() * 1.001) is None


def test_the_weaker_material_decides_where_a_beam_has_two():
    robot = cantilever()
    box = {"shape": "rectangle", "width": WIDTH, "height": HEIGHT}
    robot["materials"]["soft"] = {"E": 2.1e11, "nu": 0.3, "rho": 7850, "yield_stress": 100e6}
    parts = [(0.0, "steel"), (0.5, "steel"), (0.5, "soft"), (LENGTH, "soft")]
    stations = [{"x": x, "section": box, "material": name} for x, name in parts]
    robot["links"][0]["beam"] = {"length": LENGTH, "stations": stations}
    (peak,) = held(robot).stress_peaks()
    assert peak.x == 0.5
    assert peak.safety == pytest.approx(100e6 / peak.stress)


def test_stress_is_a_limit_of_studies_but_not_part_of_datasets():
    """The lowest bar that bears its weight and a load with 150 MPa, which the start finds at rest."""
    assert "stress" not in held(cantilever()).dataset
    robot = cantilever()
    robot["links"][0]["joint"] = "fixed"
    load = {"link": "bar", "force": [0, 0, -LOAD]}
    scenario = Scenario.from_dict({"robot": robot, "duration": 0.01, "start": "equilibrium", "loads": [load]})
    height = "links.bar.beam.section.height"
    limit = {"peak stress.bar": 150e6}
    options = {"limits": limit, "method": "local", "most": 40, "cores": 1, "progress": False}
    found = minimise(scenario, "mass", {height: (0.03, 0.08)}, **options)
    h = found.values[height]
    moment = LOAD * LENGTH + 7850 * WIDTH * h * G * LENGTH**2 / 2
    assert 6 * moment / (WIDTH * h**2) == pytest.approx(150e6, rel=0.01)
    assert found.outputs["peak stress.bar"] <= 150e6 * (1 + 1e-6)
    with pytest.raises(lissom.LissomError, match=r"stress has no beam 'bra'.*did you mean 'bar'"):
        lissom.simulate_batch(scenario, {height: [0.05]}, outputs=["peak stress.bra"], cores=1, progress=False)
