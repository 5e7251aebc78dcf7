"""Loads, joints and masses inside the span of a beam, against beam theory and finite elements of our own."""

import numpy as np
import pytest
from tests.helpers.beam_elements import PlaneBeam

import lissom

STEEL = {"E": 2.1e11, "nu": 0.3, "rho": 7850}
PLAIN = {"rhoA": 1, "EA": 1e7, "EIy": 1000, "EIz": 1000, "GJ": 800, "Jx": 1e-3}


def robot(beam, *more, **fields):
    links = [{"name": "rod", "joint": "fixed", "beam": beam}, *more]
    data = {"lissom": 1, "name": "rod", "gravity": [0, 0, 0], "materials": {"steel": STEEL}, "links": links}
    return lissom.Robot.from_dict(data | fields)


def random_beam(rng, kind):
    """A beam as in a file and its numbers (EI, kGA, rhoA, rhoI) along x: plain, sheared or tapered."""
    length, slender = float(rng.uniform(0.5, 6)), float(rng.uniform(12, 60))
    outer = length / slender
    tube = {"shape": "tube", "outer": outer, "thickness": outer / 10}
    beam = {"length": length, "material": "steel", "stiffening": "none", "shear": "none" if kind == "plain" else "auto"}
    if kind == "tapered":
        small = {"shape": "tube", "outer": outer / 2, "thickness": outer / 20}
        beam["stations"] = [{"x": 0, "section": tube}, {"x": length, "section": small}]
    else:
        beam["section"] = tube
    I, A = np.pi / 64 * (1 - 0.8**4) * outer**4, np.pi / 4 * (1 - 0.8**2) * outer**2
    # Cowper's factor of a hollow circle, inner over outer radius 0.8
    nu, m = STEEL["nu"], 0.8
    factor = 6 * (1 + nu) * (1 + m**2) ** 2 / ((7 + 6 * nu) * (1 + m**2) ** 2 + (20 + 12 * nu) * m**2)
    G = STEEL["E"] / 2 / (1 + nu)

    def numbers(x):
        s = 1 - 0.5 * x / length if kind == "tapered" else 1.0
        shear = np.inf if kind == "plain" else factor * G * A * s**2
        return STEEL["E"] * I * s**4, shear, STEEL["rho"] * A * s**2, STEEL["rho"] * I * s**4

    return beam, numbers


@pytest.mark.parametrize("x", [0.45, 1.5, 3.0, 4.5])
def test_a_cantilever_deflects_as_beam_theory_says(x):
    made = robot({"length": 6, "section": PLAIN})
    force = lissom.static_equilibrium(made, loads={("rod", x): [0, 0, 0, 0, 0, 1e-3]})
    couple = lissom.static_equilibrium(made, loads={("rod", x): [0, 1e-3, 0, 0, 0, 0]})
    rod = force.model.flexible["rod"]
    assert rod.displacement(x, force.q)[2] == pytest.approx(1e-3 * x**3 / 3000, rel=2e-4)
    assert rod.displacement(6.0, force.q)[2] == pytest.approx(1e-3 * x**2 * (18 - x) / 6000, rel=2e-4)
    assert -rod.pose(x, couple.q)[2, 0] == pytest.approx(1e-3 * x / 1000, rel=2e-4)
    assert not force.warnings
    assert not couple.warnings


@pytest.mark.parametrize("kind", ["plain", "sheared", "tapered"])
@pytest.mark.parametrize("seed", range(20))
def test_random_loads_inside_a_span(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    beam, numbers = random_beam(rng, kind)
    x = float(rng.uniform(0.04, 0.97)) * beam["length"]
    rod = robot(beam | {"attachments": [x]}).flexible_links()["rod"]
    at = rod.section_map(x)
    P = np.vstack([at.phi, at.psi])
    found = P @ np.linalg.solve(rod.stiffness(), P.T)
    # elements of constant section overlook how it changes within them, as the square of their length
    fine, coarse = (PlaneBeam(beam["length"], numbers, [x], n).compliance(x) for n in (160, 80))
    truth = fine + (fine - coarse) / 3
    assert found[np.ix_([1, 5], [1, 5])] == pytest.approx(truth, rel=1e-3)
    assert np.abs(found[np.ix_([2, 4], [2, 4])]) == pytest.approx(truth, rel=1e-3)


@pytest.mark.parametrize("kind", ["plain", "sheared", "tapered"])
@pytest.mark.parametrize("seed", range(6))
def test_random_masses_inside_a_span(kind, seed):
    rng = np.random.default_rng([seed, len(kind), 1])
    beam, numbers = random_beam(rng, kind)
    places = np.sort(rng.uniform(0.05, 0.97, rng.integers(1, 3))) * beam["length"]
    masses = rng.uniform(0.1, 2, len(places)) * numbers(0)[2] * beam["length"]
    parts = list(zip(places.tolist(), masses.tolist()))
    lumps = robot(beam | {"masses": [{"at": x, "mass": m} for x, m in parts]})
    bodies = [
        {"name": f"m{k}", "parent": "rod", "at": x, "joint": "fixed", "body": {"mass": m}}
        for k, (x, m) in enumerate(parts)
    ]
    truth = PlaneBeam(beam["length"], numbers, places, 100)
    for x, m in parts:
        truth.add_mass(x, m)
    for made in (lumps, robot(beam, *bodies)):
        modes = lissom.natural_modes(made)
        bends = [name.startswith(("rod.y", "rod.z")) for name in made.compile().coordinates]
        share = (modes.shapes[bends] ** 2).sum(axis=0) / (modes.shapes**2).sum(axis=0)
        found = modes.frequencies[share > 0.5][:6:2]  # each twice: the section is round
        assert found.tolist() == pytest.approx(truth.frequencies()[:3].tolist(), rel=0.01)


def test_given_counts_that_do_not_follow_a_load_are_told():
    given = robot(
        {"length": 6, "section": PLAIN, "modes": {"y": 4, "z": 4}},
        {"name": "box", "parent": "rod", "at": 1.5, "joint": "fixed", "body": {"mass": 1}},
    )
    (told,) = lissom.static_equilibrium(given).warnings
    assert "rod: its functions leave out 3.1 % of the deflection under a force" in told
    assert "13 % of the turn under a couple at 1.5 m" in told
    assert "modes: auto" in told
    assert "leave out 3.1 %" in given.describe()
    assert lissom.static_equilibrium(given.with_value("links.rod.beam.modes", "auto")).warnings == ()


def test_a_model_that_does_not_know_a_load_tells_so():
    made = robot({"length": 6, "section": PLAIN})
    load = {("rod", 1.5): [0, 0, 0, 0, 0, 1e-3]}
    (told,) = lissom.static_equilibrium(made.compile(), loads=load).warnings
    assert "3.1 %" in told
    assert "attachments: [1.5]" in told
    run = lissom.simulate(made, 0.01, loads=[lissom.Load(link="rod", at=1.5, force=[0, 0, -1])], progress=False)
    assert not run.warnings
    assert run.model.robot.links[0].beam.attachments == (1.5,)
    with pytest.warns(UserWarning, match="leave out 3.1 %"):
        lissom.simulate(made.compile(), 0.01, loads=[lissom.Load(link="rod", at=1.5, force=[0, 0, -1])], progress=False)


def test_an_equilibrium_under_a_load_inside_a_span_goes_on_in_modes_and_runs():
    made = robot({"length": 6, "section": PLAIN})
    rest = lissom.static_equilibrium(made, loads={("rod", 1.5): [0, 0, 0, 0, 0, 1.0]})
    assert lissom.natural_modes(made, rest).frequencies[0] == pytest.approx(0.4915634, rel=1e-3)
    run = lissom.simulate(made, 0.01, start=rest, progress=False)
    assert run.model.nq == len(rest.q)


def test_describe_says_what_functions_are_for():
    made = robot(
        {"length": 6, "section": PLAIN},
        {"name": "box", "parent": "rod", "at": 1.5, "joint": "fixed", "body": {"mass": 1}},
    )
    text = " ".join(made.describe().split())
    assert "y 6 (tip 2, natural 2, at 1.5 m 2), z 6 (tip 2, natural 2, at 1.5 m 2)" in text
    assert "y6 z6 t5 a3 (auto)" in text


def test_the_lowest_frequencies_of_a_plain_cantilever():
    found = lissom.natural_modes(robot({"length": 1, "section": PLAIN | {"rhoA": 10}})).frequencies
    waves = np.array([1.8751040687, 4.6940911330, 7.8547574382])
    assert found[:6:2] == pytest.approx(waves**2 * np.sqrt(1000 / 10) / (2 * np.pi), rel=0.005)


@pytest.mark.parametrize("seed", range(5))
def test_places_as_parameters(seed):
    """Complex steps through a place and a length: functions stay those of the real parts."""
    rng = np.random.default_rng(seed)
    x = float(rng.uniform(0.3, 5.5))
    made = robot(
        {"length": 6, "section": PLAIN},
        {"name": "box", "parent": "rod", "at": x, "joint": "fixed", "body": {"mass": 1}},
        gravity=[0, 0, -9.81],
    )
    model = made.compile()
    for path, value in (("links.box.at", x), ("links.rod.beam.length", 6.0), ("links.rod.beam.section.EIy", 1000.0)):
        changed = made.with_value(path, value + 1e-30j).compile()
        assert changed.coordinates == model.coordinates
        assert np.all(np.isfinite(changed.arrays.strain.stiffness))
    slope = np.imag(made.with_value("links.box.at", x + 1e-30j).compile().arrays.sections.phi) / 1e-30
    assert np.abs(slope).max() > 0


@pytest.mark.parametrize("seed", range(12))
def test_links_held_at_both_ends_give_way_as_beam_theory_says_near_either(seed):
    """There a cantilever's compliance is hundreds of times that of the link."""
    rng = np.random.default_rng(seed)
    length, x = 2.0, 2.0 * float(rng.uniform(0.03, 0.97) if seed % 3 else rng.uniform(0.75, 0.97))
    beam = {"length": length, "section": PLAIN} | ({"stiffening": "none"} if seed % 2 else {})
    held = {"joint": "fixed", "between": [{"link": "rod"}, {"link": "world", "origin": {"xyz": [length, 0, 0]}}]}
    made = robot(beam, loops=[{"name": "wall"} | held])
    force = lissom.static_equilibrium(made, loads={("rod", x): [0, 0, 0, 0, 0, 1e-3]})
    couple = lissom.static_equilibrium(made, loads={("rod", x): [0, 1e-3, 0, 0, 0, 0]})
    a, b, rod = x, length - x, force.model.flexible["rod"]
    assert rod.displacement(x, force.q)[2] == pytest.approx(1e-3 * a**3 * b**3 / (3 * length**3) / 1000, rel=1e-3)
    turn = 1e-3 * a * b * (length**2 - 3 * a * b) / length**3 / 1000
    assert -rod.pose(x, couple.q)[2, 0] == pytest.approx(turn, rel=1e-3)
