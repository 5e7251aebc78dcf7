"""Links whose sections lie off the axis or are turned: functions, prestress and derivatives, on random sections."""

import numpy as np
import pytest

import lissom

STEEL = {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}
E, RHO = STEEL["E"], STEEL["rho"]
G = E / 2.6


def robot(beam):
    data = {"lissom": 1, "name": "sample", "gravity": [0, 0, 0], "materials": {"steel": STEEL}}
    return lissom.Robot.from_dict(data | {"links": [{"name": "a", "joint": "fixed", "beam": beam}]})


def link(beam):
    return robot(beam).flexible_links()["a"]


def least_eigenvalue(M):
    """Of a mass matrix scaled to ones on its diagonal: zero where two functions are the same."""
    scale = 1 / np.sqrt(np.diag(M))
    return np.linalg.eigvalsh(M * np.outer(scale, scale)).min()


def offset(rng, size):
    return [float(x) for x in rng.uniform(-size, size, 2)]


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_a_link_that_twists_only_has_the_torsional_frequency_of_a_rod_wherever_its_sections_lie(stiffening):
    rng = np.random.default_rng(1)
    for _ in range(50):
        length, diameter = rng.uniform(0.2, 2.0), rng.uniform(0.01, 0.05)
        section = {"shape": "circle", "diameter": diameter, "offset": offset(rng, 0.05)}
        beam = {"length": length, "material": "steel", "section": section, "modes": {"torsion": 1}}
        made = link(beam | {"ends": "clamped-free", "stiffening": stiffening})
        assert made.natural_modes().frequencies[0] == pytest.approx(np.sqrt(G / RHO) / (4 * length), rel=1e-6)


@pytest.mark.slow
def test_shifted_i_beams_that_do_not_shear_have_the_frequencies_of_cantilevers():
    rng = np.random.default_rng(2)
    for _ in range(60):
        width, height = rng.uniform(0.02, 0.08, 2)
        flange, web = rng.uniform(0.06, 0.2, 2) * min(width, height)
        length = 30 * max(width, height)
        inner = height - 2 * flange
        area = 2 * width * flange + inner * web
        I = (width * height**3 - (width - web) * inner**3) / 12, (2 * flange * width**3 + inner * web**3) / 12
        section = {"shape": "I", "width": width, "height": height, "flange": flange, "web": web}
        modes = {"y": int(rng.integers(2, 4)), "z": int(rng.integers(2, 4)), "torsion": int(rng.integers(1, 3))}
        made = link(
            {"length": length, "material": "steel", "shear": "none", "ends": "clamped-free"}
            | {"modes": modes | {"axial": 1}, "section": section | {"offset": offset(rng, 0.03)}}
        )
        found = made.natural_modes()
        GJ = made.profile.section(0.5).compliance[3, 3] ** -1
        bending = {
            f"{name}{k}": root**2 / (2 * np.pi * length**2) * np.sqrt(E * value / (RHO * area))
            for name, value in (("z", I[0]), ("y", I[1]))
            for k, root in enumerate((1.8751041, 4.6940911))
        }
        torsion = np.sqrt(GJ / (RHO * sum(I))) / (4 * length)
        for frequency in (*bending.values(), torsion):
            assert np.abs(found.frequencies / frequency - 1).min() < 0.01
        assert least_eigenvalue(made.invariants().mass_matrix) > 1e-3


@pytest.mark.parametrize("shear", ["none", "auto"])
def test_few_functions_of_a_shifted_and_turned_channel_find_the_frequencies_of_many(shear):
    rng = np.random.default_rng(3)
    for _ in range(8):
        width, height = rng.uniform(0.03, 0.08, 2)
        flange, web = rng.uniform(0.06, 0.2, 2) * min(width, height)
        section = {"shape": "C", "width": width, "height": height, "flange": flange, "web": web}
        section |= {"offset": offset(rng, 0.03), "turn": float(rng.uniform(-1, 1))}
        beam = {"length": float(rng.uniform(0.8, 2)), "material": "steel", "shear": shear, "section": section}
        few = link(beam | {"ends": "clamped-free", "modes": {"y": 3, "z": 3, "torsion": 2, "axial": 1}})
        many = link(beam | {"modes": {"y": 7, "z": 7, "torsion": 6, "axial": 3}})
        found, expected = few.natural_modes().frequencies[:3], many.natural_modes().frequencies[:3]
        np.testing.assert_allclose(found, expected, rtol=5e-3)
        assert least_eigenvalue(few.invariants().mass_matrix) > 1e-3


@pytest.mark.parametrize("shear", ["none", "auto"])
def test_a_link_twisted_by_heat_twists_about_its_sections_and_is_as_stiff_as_before(shear):
    rng = np.random.default_rng(4)
    for modes in ["auto", *29 * [{"y": 4, "z": 4, "torsion": 4, "axial": 2}]]:  # as many as auto finds
        length, outer, twist = rng.uniform(0.5, 2), rng.uniform(0.02, 0.06), rng.uniform(-0.02, 0.02)
        place = offset(rng, 0.03)
        beam = {"length": length, "material": "steel", "shear": shear, "modes": modes}
        beam |= {"section": {"shape": "tube", "outer": outer, "thickness": 0.1 * outer, "offset": place}}
        beam |= {"damping": {"stiffness": 1e-4}}
        still, twisted = link(beam), link(beam | {"prestress": {"twist": twist}})
        scale = np.sqrt(np.diag(still.stiffness()))
        change = (twisted.stiffness() - still.stiffness()) / np.outer(scale, scale)
        assert np.abs(change).max() < 0.02
        assert np.linalg.eigvalsh(twisted.damping_matrix()).min() > 0
        at_rest = -np.linalg.solve(still.stiffness(), twisted.preload())
        tip = twisted.section_map(length)
        np.testing.assert_allclose(tip.psi @ at_rest, [twist * length, 0, 0], atol=1e-9)
        # the axis is carried along by the rotation about the sections' centres at `place`
        y, z = place
        np.testing.assert_allclose(tip.phi @ at_rest, twist * length * np.array([0, z, -y]), atol=1e-9)


def random_turned(rng):
    stiff = {name: float(10 ** rng.uniform(-1, 2)) for name in ("EIy", "EIz", "GJ")}
    section = {"rhoA": 1.3, "EA": 1e5, "Jx": 0.01, "Jy": 0.006, "Jz": 0.004, "turn": float(rng.uniform(-2, 2)), **stiff}
    counts = [(1, 2), (2, 1), (1, 3), (3, 1), (3, 0), (4, 0), (0, 3), (2, 2)]
    y, z = counts[int(rng.integers(len(counts)))]
    modes = {"y": y, "z": z, "torsion": int(rng.integers(0, 2))}
    return {"length": 1.0, "section": section, "modes": modes, "ends": "legendre"}


def test_tables_with_a_complex_step_have_the_real_parts_of_the_model_itself():
    rng = np.random.default_rng(5)
    for _ in range(60):
        given = robot(random_turned(rng))
        value = given.value("links.a.beam.section.EIy")
        stepped = given.with_value("links.a.beam.section.EIy", value + 1e-40j)
        own, other = (each.flexible_links()["a"].shortening() for each in (given, stepped))
        for name in ("form", "phi", "s0"):
            mine, theirs = getattr(own, name), getattr(other, name).real
            np.testing.assert_allclose(theirs, mine, atol=1e-7 * np.abs(mine).max())


def test_the_tip_of_a_turned_link_follows_its_stiffness_as_its_derivative_says():
    section = {"rhoA": 1.3, "EA": 1e5, "EIy": 8.0, "EIz": 11.0, "GJ": 4.0, "Jx": 0.01, "Jy": 0.006, "Jz": 0.004}
    beam = {"length": 1.0, "section": section | {"turn": -0.45}, "modes": {"y": 2, "z": 1}, "ends": "legendre"}
    falling = robot(beam).with_value("gravity.2", -2.0)
    path = "links.a.beam.section.EIy"
    found = lissom.sensitivity(falling, path, 0.3, rate=10, rtol=1e-9, atol=1e-12).output[0, -1]

    def tip(EIy):
        changed = falling.with_value(path, EIy)
        run = lissom.simulate(changed, 0.3, rate=10, rtol=1e-10, atol=1e-13)
        return lissom.tip_pose(changed.compile(), run.q[-1])[:3, 3]

    expected = (tip(8.008) - tip(7.992)) / 0.016
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())
