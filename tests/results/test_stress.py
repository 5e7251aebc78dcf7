"""Forces and stresses along beams that are loaded, carry, taper and are held by tendons, against beam formulas."""

import numpy as np
import pytest

import lissom
from lissom import Load, Payload

FORCE, TORQUE, LENGTH = 30.0, 12.0, 1.5
X = np.array([0.0, 0.4, 0.9, 1.2, LENGTH])


def cantilever(section=None, **beam):
    """A steel beam along x without gravity, held at its base."""
    if "stations" not in beam:
        beam["section"] = section or {"shape": "rectangle", "width": 0.03, "height": 0.02}
    beam = {"length": LENGTH, "material": "steel", "modes": {"y": 2, "z": 4, "torsion": 2, "axial": 1}} | beam
    return lissom.Robot.from_dict(
        {
            "name": "cantilever",
            "gravity": [0, 0, 0],
            "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7800.0}},
            "links": [{"name": "beam", "joint": "fixed", "beam": beam}],
        }
    )


def at_rest(robot, force=(0.0, 0.0, 0.0), torque=(0.0, 0.0, 0.0), at=LENGTH):
    """The beam in equilibrium with a load, for a moment."""
    model = robot.compile()
    rest = lissom.static_equilibrium(model, loads={("beam", at): (*torque, *force)})
    load = Load(link="beam", at=at, force=force, torque=torque)
    return lissom.simulate(model, 2e-3, start=rest, loads=[load], progress=False, rtol=1e-9, atol=1e-12)


def test_a_force_and_a_torque_at_the_tip():
    width, height = 0.03, 0.02
    run = at_rest(cantilever(), force=[0, 0, -FORCE], torque=[TORQUE, 0, 0])
    forces = run.section_forces("beam", X).isel(time=-1)
    moment = FORCE * (LENGTH - X)
    assert forces.sel(section_force="My").values == pytest.approx(moment, abs=5e-3 * moment[0])
    assert forces.sel(section_force="Vz").values == pytest.approx(np.full(5, -FORCE), rel=5e-3)
    assert forces.sel(section_force="T").values == pytest.approx(np.full(5, TORQUE), rel=5e-3)
    found = run.stress("beam", X).isel(time=-1)
    bending = moment * 6 / (width * height**2)
    assert found.sel(stress="highest").values == pytest.approx(bending, abs=6e-3 * bending[0])
    assert found.sel(stress="lowest").values == pytest.approx(-bending, abs=6e-3 * bending[0])
    twist = TORQUE / (0.231 * width * height**2)  # table of Timoshenko and Goodier: a/b = 1.5
    assert found.sel(stress="shear").values == pytest.approx(np.full(5, twist), rel=0.03)
    assert np.all(found.sel(stress="von_mises") >= np.maximum(found.sel(stress="highest"), twist) * 0.97)
    assert found.attrs["units"] == "Pa"


def test_a_force_along_the_beam_counts_only_within():
    run = at_rest(cantilever(), force=[0, FORCE, 0], at=0.9)
    forces = run.section_forces("beam", X).isel(time=-1)
    assert forces.sel(section_force="Vy").values == pytest.approx([FORCE] * 3 + [0, 0], abs=5e-3 * FORCE)
    moment = FORCE * np.maximum(0.9 - X, 0)
    assert forces.sel(section_force="Mz").values == pytest.approx(moment, abs=5e-3 * moment[0])


@pytest.mark.parametrize("form", ["tube", "rectangle", "I"])
def test_a_tapered_beam_station_by_station(form):
    """Sizes change linearly; the stress at each place is that of the section there."""
    ends = {
        "tube": [{"shape": "tube", "outer": d, "thickness": t} for d, t in ((0.08, 0.004), (0.04, 0.002))],
        "rectangle": [{"shape": "rectangle", "width": b, "height": h} for b, h in ((0.06, 0.05), (0.02, 0.03))],
        "I": [{"shape": "I", "width": s, "height": 2 * s, "flange": s / 10, "web": s / 12} for s in (0.06, 0.03)],
    }[form]
    robot = cantilever(stations=[{"x": 0, "section": ends[0]}, {"x": LENGTH, "section": ends[1]}])
    run = at_rest(robot, force=[0, 0, -FORCE])
    x = np.array([0.0, 0.5, 1.0])
    found = run.stress("beam", x).isel(time=-1).sel(stress="highest").values
    size = {k: ends[0][k] + x / LENGTH * (ends[1][k] - ends[0][k]) for k in ends[0] if k != "shape"}
    if form == "tube":
        R, r = size["outer"] / 2, size["outer"] / 2 - size["thickness"]
        modulus = np.pi * (R**4 - r**4) / 4 / R
    elif form == "rectangle":
        modulus = size["width"] * size["height"] ** 2 / 6
    else:
        b, h, f, w = (size[k] for k in ("width", "height", "flange", "web"))
        modulus = (b * h**3 - (b - w) * (h - 2 * f) ** 3) / 12 / (h / 2)
    assert found == pytest.approx(FORCE * (LENGTH - x) / modulus, rel=6e-3)


def test_a_section_that_jumps_shows_both_its_sides():
    thick, thin = ({"shape": "rectangle", "width": 0.03, "height": h} for h in (0.04, 0.02))
    stations = [{"x": x, "section": s} for x, s in ((0, thick), (0.7, thick), (0.7, thin), (LENGTH, thin))]
    run = at_rest(cantilever(stations=stations), force=[0, 0, -FORCE])
    before, at = run.stress("beam", [0.7 - 1e-9, 0.7]).isel(time=-1).sel(stress="highest").values
    moment = FORCE * (LENGTH - 0.7)
    assert before == pytest.approx(moment * 6 / (0.03 * 0.04**2), rel=5e-3)
    assert at == pytest.approx(moment * 6 / (0.03 * 0.02**2), rel=5e-3)
    twice = run.stress("beam", [0.7, 0.7]).isel(time=-1).sel(stress="highest").values
    np.testing.assert_allclose(twice, [before, at], rtol=1e-6)
    everywhere = run.stress("beam", 6).isel(time=-1).sel(stress="highest")
    assert len(everywhere) == 8
    np.testing.assert_allclose(everywhere.values[everywhere["x"].values == 0.7], [before, at], rtol=1e-6)
    run.plot("sections")


def test_a_tendon_presses_the_section_that_it_runs_through():
    width, height, tension, off = 0.03, 0.02, 5e3, 0.004
    prestress = {"tendons": [{"tension": tension, "at": [0.0, off]}]}
    run = at_rest(cantilever(prestress=prestress, stiffening="none"))
    found = run.stress("beam", [0.0, 0.75]).isel(time=-1)
    pressed, bent = tension / (width * height), tension * off * 6 / (width * height**2)
    assert found.sel(stress="highest").values == pytest.approx(np.full(2, bent - pressed), rel=1e-2)
    assert found.sel(stress="lowest").values == pytest.approx(np.full(2, -bent - pressed), rel=1e-2)


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_what_hangs_on_a_moving_beam_is_carried_by_its_sections(stiffening):
    """A payload, a spring to the world and a load at once, in motion: the base carries what the joint gives."""
    robot = cantilever(stiffening=stiffening).to_dict() | {
        "gravity": [0, 0, -9.81],
        "elements": [
            {
                "name": "stay",
                "type": "spring",
                "between": [{"link": "beam", "at": 0.8}, {"link": "world", "origin": {"xyz": [0.8, 0.3, 1.0]}}],
                "stiffness": 800.0,
                "length": 0.7,
            }
        ],
    }
    run = lissom.simulate(
        lissom.Robot.from_dict(robot),
        0.05,
        loads=[Load(link="beam", at=1.2, force=[3.0, 4.0, -5.0], torque=[0.3, 0, 0])],
        payloads=[Payload(link="beam", mass=0.8)],
        progress=False,
        rtol=1e-8,
        atol=1e-10,
    )
    found = run.section_forces("beam", [0.0]).values[:, 0]
    given = run.numbers.wrench("beam")
    for part, of in ((slice(0, 3), slice(3, 6)), (slice(3, 6), slice(0, 3))):
        assert -found[:, part] == pytest.approx(given[:, of], abs=2e-3 * np.abs(given[:, of]).max())


def test_stiffnesses_alone_are_refused_with_the_link():
    numbers = {"rhoA": 4.7, "EA": 1.2e8, "EIy": 4.2e3, "EIz": 9.4e3, "GJ": 3e3}
    run = at_rest(cantilever(numbers))
    with pytest.raises(lissom.LissomError, match="link = 'beam': has a section of given stiffnesses without a shape"):
        run.stress("beam")
