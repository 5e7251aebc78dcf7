"""The lightest sections: exact gradients, limits that hold, and files to go on with."""

import numpy as np
import pytest

import lissom
from lissom.errors import OptimiseError
from lissom.model.flexible.section import Box, Circle, Rectangle, Tube
from lissom.optimise import Sizing, load
from lissom.optimise.design_stress import von_mises
from lissom.optimise.section_design import Case, Design
from lissom.optimise.sizing_search import _SizingSearch

OUTER, WALL = "links.boom.beam.section.outer", "links.boom.beam.section.thickness"
E, RHO, LENGTH, LOAD = 2.1e11, 7850.0, 5.0, 60.0


def boom(section=None, jib=True, **more):
    """A cantilever with a load at its tip; with a jib that carries another."""

    def link(name, length, section, load):
        joint = {"name": f"{name}-pin", "type": "revolute", "axis": [0, -1, 0]}
        beam = {"length": length, "material": "steel", "section": section, "masses": [{"mass": load}]}
        beam |= {"modes": {"y": 2, "z": 2, "torsion": 1}, "damping": {"stiffness": 2e-4}}
        return {"name": name, "joint": joint, "beam": beam | more}

    tube = {"shape": "tube", "outer": 0.2, "thickness": 0.008}
    links = [link("boom", LENGTH, section or tube, LOAD)]
    if jib:
        links.append(link("jib", 2.0, {"shape": "box", "width": 0.08, "height": 0.12, "thickness": 0.004}, 40.0))
    return {
        "lissom": 1,
        "name": "crane",
        "gravity": [0, 0, -9.81],
        "materials": {"steel": {"E": E, "nu": 0.3, "rho": RHO}},
        "links": links,
    }


def sizing(**changes):
    given = {
        "scenario": {"robot": boom(jib=False), "duration": 1.0},
        "sizes": {OUTER: (0.05, 0.4), WALL: (0.002, 0.02)},
        "limits": {"frequency": 2.0, "deflection": {"boom": 0.03}, "stress": {"boom": 80e6}, "slenderness": 40},
    }
    return Sizing(**(given | changes))


def quantities(robot, sizes, case):
    at = Design(robot, sizes).at(case)
    links = ("boom", "jib")
    found = [at.deflection(link) for link in links] + [at.sag("jib")] + at.frequencies()
    return found + [value for link in links for value in at.stresses(link)]


def test_every_gradient_is_that_of_the_quantity():
    robot = lissom.Robot.from_dict(boom())
    sizes = {OUTER: 0.2, WALL: 0.008, "links.jib.beam.section.height": 0.12, "links.jib.beam.section.thickness": 0.004}
    loads = {("jib", None): np.array([0, 0, 30.0, 100, 200, -300]), ("boom", 2.0): np.array([0, 5.0, 0, 0, 50, -100])}
    case = Case({"boom-pin": 0.3, "jib-pin": -0.2}, loads, 1.2)
    exact = np.array([value.slope for value in quantities(robot, sizes, case)])
    for k, (path, size) in enumerate(sizes.items()):
        step = 1e-5 * size
        above, below = (
            np.array([value.value for value in quantities(robot, sizes | {path: size + sign * step}, case)])
            for sign in (1, -1)
        )
        scale = np.abs(exact).max(axis=1) * size
        np.testing.assert_allclose(exact[:, k] * size / scale, (above - below) / (2e-5) / scale, atol=2e-6)


def test_deflection_mass_and_stress_of_a_cantilever_are_the_textbook_s():
    robot = lissom.Robot.from_dict(boom(jib=False, shear="none"))
    R, r = 0.1, 0.092
    area, I = np.pi * (R**2 - r**2), np.pi * (R**4 - r**4) / 4
    q, F, L = 9.81 * RHO * area, 9.81 * LOAD, LENGTH
    design = Design(robot, {OUTER: 0.2, WALL: 0.008})
    at = design.at(Case({}, {}, 1.0))
    assert design.mass.value == pytest.approx(RHO * area * L + LOAD, rel=1e-12)
    assert at.deflection("boom").value == pytest.approx(q * L**4 / (8 * E * I) + F * L**3 / (3 * E * I), rel=2e-3)
    for k, stress in enumerate(at.stresses("boom")):
        left = L * (1 - k / 5)
        moment, force = q * left**2 / 2 + F * left, q * left + F
        shear = force / area * 4 / 3 * (R**2 + R * r + r**2) / (R**2 + r**2)
        assert stress.value == pytest.approx(np.hypot(moment * R / I, np.sqrt(3) * shear), rel=1e-4)


@pytest.mark.parametrize(
    "section",
    [
        Tube(outer=0.2, thickness=0.008),
        Tube(outer=0.2, inner=0.1),
        Circle(diameter=0.1),
        Box(width=0.1, height=0.2, thickness=0.006),
        Rectangle(width=0.05, height=0.1),
    ],
    ids=["thin", "thick", "bar", "box", "rectangle"],
)
def test_stresses_are_those_of_the_solved_section_and_safer_where_they_meet(section):
    solved = section.stress(lissom.model.flexible.material.Material(E=E, nu=0.3, rho=RHO).build())

    def ratio(*forces):
        forces = np.array(forces, float)
        return von_mises(section, forces[:3], forces[3:]) / solved.peaks(forces[None])[0, 3]

    for alone in ((1e4, 0, 0, 0, 0, 0), (0, 0, 0, 0, 1e3, 0), (0, 0, 0, 0, 0, -1e3)):
        assert ratio(*alone) == pytest.approx(1.0, rel=5e-3)
    assert 0.97 < ratio(0, 0, 0, 1e3, 0, 0) < 1.05
    for V in (100.0, 1000.0):  # a slender beam: bending by a force ten times its height away
        assert 1.0 < ratio(500, V, 2 * V, 0.5 * V, 4 * V, 2 * V) < 1.6


def test_the_lightest_boom_keeps_all_limits_when_simulated_and_uses_some_fully():
    lightest = sizing().solve(progress=False)
    assert lightest.saved > 0.15
    assert all(each.room.value > -1e-5 for each in lightest.limited)
    assert sum(each.room.value < 1e-4 for each in lightest.limited) >= 2  # two sizes, two limits
    seen = lightest.verify()
    assert seen.kept
    assert seen.rows[0][1] == pytest.approx(lightest.limited[5].quantity.value, rel=1e-3)
    assert lissom.natural_modes(lightest.robot).frequencies[0] >= 2.0
    assert "lighter" in str(lightest)
    assert lightest._repr_html_().startswith("<table>")
    assert "stress of boom" in str(seen)
    assert seen.to_dict()["kept"]
    assert lightest.plot().axes


def test_a_start_that_misses_its_limits_becomes_heavier_and_says_so():
    thin = {"shape": "tube", "outer": 0.1, "thickness": 0.002}
    found = sizing(scenario={"robot": boom(thin, jib=False), "duration": 1.0}).solve(progress=False)
    assert found.saved < 0
    assert "-" not in str(found).splitlines()[0]
    assert "heavier, as its start misses limits" in str(found)


@pytest.mark.parametrize("limits", [{"frequency": 50.0}, {"frequency": 2.0, "sag": {"boom": 1e-5}}])
def test_limits_that_no_sizes_keep_are_told_after_a_few_designs(limits):
    search = _SizingSearch(sizing(limits=limits), lambda count: None)
    with pytest.raises(OptimiseError, match="no sizes within the bounds keep the limits"):
        search.solve()
    assert len(search.known) <= 25
    stiffest = Design(search.robot, {OUTER: 0.4, WALL: 0.02})
    assert min(each.room.value for each in search.limited_quantities(stiffest)) < 0


def test_no_neighbour_is_lighter():
    """At the optimum every step that saves mass breaks a limit."""
    asked = sizing(limits={"frequency": 2.5, "stress": {"boom": 60e6}, "slenderness": 30})
    lightest = asked.solve(progress=False)
    robot = asked.scenario.load_robot()
    for angle in np.linspace(0, 2 * np.pi, 17):
        near = {OUTER: lightest.sizes[OUTER] * (1 + 0.01 * np.cos(angle))}
        near[WALL] = lightest.sizes[WALL] * (1 + 0.01 * np.sin(angle))
        design = Design(robot, near)
        if design.mass.value < lightest.mass * (1 - 1e-6):
            at = design.at(Case({}, {}, 1.0))
            kept = at.frequencies()[0].value >= 2.5 and max(s.value for s in at.stresses("boom")) <= 60e6
            assert not (kept and near[OUTER] / near[WALL] <= 30)


def test_the_robot_is_written_with_where_it_comes_from(tmp_path):
    lightest = sizing().solve(progress=False)
    file = lightest.save(tmp_path / "deep" / "light.yaml")
    text = file.read_text()
    assert text.startswith("# The lightest sections of crane by lissom")
    assert "was 0.2 m" in text
    again = lissom.load(file)
    assert again.value(OUTER) == pytest.approx(lightest.sizes[OUTER], rel=1e-12)
    assert lightest.to_dict()["sizes"] == lightest.sizes


def test_a_file_with_sizes_is_a_sizing(tmp_path):
    import json

    robot = tmp_path / "boom.yaml"
    robot.write_text(json.dumps(boom(jib=False)))
    task = tmp_path / "light.yaml"
    task.write_text(f"scenario: boom.yaml\nsizes:\n  {OUTER}: [100 mm, 0.4]\nlimits: {{frequency: 2.0}}\n")
    asked = load(task)
    assert isinstance(asked, Sizing)
    assert asked.name == "light"
    assert asked.sizes[OUTER] == (0.1, 0.4)


REFUSED = [
    (
        {"limits": {"frequency": 50.0}},
        "limits: no sizes within the bounds keep the limits.*frequency 1.*50 is the least",
    ),
    ({"limits": {"stress": {"bom": 1e8}}}, "limits.stress.bom: does not bend; the links that do are boom"),
    ({"limits": {"sag": {"bom": 0.1}}}, "limits.sag.bom: there is no such link; there are boom"),
    ({"sizes": {"links.boom.beam.section.otter": (0.1, 0.2)}}, "sizes.links.boom.beam.section.otter.*did you mean"),
    ({"sizes": {OUTER: (0.2, 0.1)}}, "must be .least, largest."),
    ({"sizes": {"links.boom.name": (0.1, 0.2)}}, "is not a number of the robot"),
    (
        {"sizes": {OUTER: (0.01, 0.02), WALL: (0.015, 0.03)}, "limits": {}},
        "there is no such robot with .*outer = .*narrow the bounds",
    ),
    ({"cases": [{"pose": {"bom-pin": 0.1}}]}, r"cases\[0\].pose: crane has no joint.*did you mean 'boom-pin'"),
    ({"cases": [{"loads": [{"link": "hook"}]}]}, r"cases\[0\].loads\[0\].link = 'hook': there is no such link"),
    ({"scenario": "five-bar", "sizes": {"gravity.0": (0.1, 1)}}, "five-bar has loops"),
]


@pytest.mark.parametrize(("change", "text"), REFUSED, ids=[text[:30] for _, text in REFUSED])
def test_what_cannot_be_is_refused(change, text):
    with pytest.raises(lissom.LissomError, match=text):
        sizing(**change).solve(progress=False)


def test_stress_of_a_section_without_a_shape_is_refused():
    section = {"area": 4e-3, "EIy": 4e6, "EIz": 4e6, "GJ": 3e6, "EA": 9e8}
    scenario = {"robot": boom(section, jib=False), "duration": 1.0}
    with pytest.raises(OptimiseError, match=r"limits\.stress\.boom: stress limits take tubes"):
        sizing(scenario=scenario, sizes={"links.boom.beam.length": (4, 6)}).solve(progress=False)
