"""Links as they are built move as the independent derivation says: shear, steps, tapers, couplings, heat, tendons."""

from functools import cache

import numpy as np
import pytest
from claims import claim_close, claim_equal
from general_arms import BEAMS, arm
from independent import Independent
from random_robots import random_state

import lissom

ORDER = {"none": 10, "first": 8, "exact": 12}  # Gauss points of the derivation
CASES = [(kind, "none") for kind in BEAMS] + [(kind, "first") for kind in BEAMS] + [("thick", "exact")]
SLOW = [(kind, "exact") for kind in BEAMS if kind != "thick"]
SLACK = {"none": 1e-10, "first": 1e-9, "exact": 1e-8}


@cache
def case(kind, stiffening):
    robot = lissom.Robot.from_dict(arm(kind, stiffening))
    rng = np.random.default_rng(5)
    q, v = random_state(robot, rng, 0.03)
    model = robot.compile()
    return model, Independent(robot, order=ORDER[stiffening]), q, v, rng.normal(size=model.nv)


@pytest.mark.parametrize(("kind", "stiffening"), CASES + [pytest.param(*one, marks=pytest.mark.slow) for one in SLOW])
def test_inverse_and_forward_dynamics_and_energy(kind, stiffening):
    model, independent, q, v, a = case(kind, stiffening)
    tau = lissom.inverse_dynamics(model, q, v, a)
    claim_equal(tau, independent.inverse(q, v, a), SLACK[stiffening])
    claim_equal(lissom.forward_dynamics(model, q, v, tau), a, 1e-7)
    kinetic, potential = independent.energy(q, v)
    value = lissom.energy(model, q, v)
    claim_close(value.kinetic, kinetic, SLACK[stiffening])
    assert value.potential == pytest.approx(potential, abs=1e-8 * (abs(potential) + abs(kinetic)))


@pytest.mark.parametrize("kind", ["stations", "matrices", "heated"])
def test_compiled_and_plain_kernels_agree(kind):
    from lissom.dynamics.operation_counts import evaluate

    model, _, q, v, a = case(kind, "first")
    claim_equal(evaluate(model, "inverse_dynamics", q, v, a)[1], lissom.inverse_dynamics(model, q, v, a), 1e-12)


def test_two_joined_links_are_one_stepped_link():
    """Clamped together at the step, two sheared links have the frequencies of one."""
    thick, thin = ({"shape": "rectangle", "width": 0.1, "height": h} for h in (0.2, 0.12))
    steel = {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}}
    modes = {"y": 16, "z": 16, "torsion": 12, "axial": 8}

    def frequencies(links):
        robot = lissom.Robot.from_dict(
            {"lissom": 1, "name": "bar", "gravity": [0, 0, 0], "materials": steel, "links": links}
        )
        return lissom.natural_modes(robot).frequencies[:6]

    stations = [{"x": x, "section": s} for x, s in ((0, thick), (0.4, thick), (0.4, thin), (1.0, thin))]
    fine = {"material": "steel", "modes": modes, "stiffening": "none", "ends": "legendre"}
    one = [
        {"name": "a", "joint": "fixed", "beam": {"length": 1.0, "stations": stations, **fine, "ends": "clamped-free"}}
    ]
    two = [
        {"name": "a", "joint": "fixed", "beam": {"length": 0.4, "section": thick, **fine}},
        {"name": "b", "joint": "fixed", "beam": {"length": 0.6, "section": thin, **fine}},
    ]
    np.testing.assert_allclose(frequencies(one), frequencies(two), rtol=1e-5)


def test_a_composite_tube_twists_under_a_tip_force_as_its_matrices_say():
    data = arm("matrices", "none")
    data["gravity"] = [0, 0, 0]
    data["links"] = data["links"][:1]
    data["links"][0]["joint"] = "fixed"
    robot = lissom.Robot.from_dict(data)
    link = robot.flexible_links()["boom"]
    K, L, tip = np.array(BEAMS["matrices"]["section"]["stiffness"]), 0.7, link.section_map(0.7)
    force = np.array([0.0, 3.0, -5.0])
    eta = np.linalg.solve(link.stiffness(), tip.phi.T @ force)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    C, twist = np.linalg.inv(K), 0.0
    for x, w in zip(L * (1 + nodes) / 2, L * weights / 2):
        inner = np.array([0.0, force[1], force[2], 0.0, -(L - x) * force[2], (L - x) * force[1]])
        twist += w * (C @ inner)[3]
    assert abs(twist) > 1e-4
    assert tip.psi[0] @ eta == pytest.approx(twist, rel=1e-8)


TWISTED_BY_A_FORCE = {  # section, its shear centre (y, z), shear
    "a tube beside the axis": (
        {"shape": "tube", "outer": 0.1, "thickness": 0.02, "offset": [0.06, 0.02]},
        (0.06, 0.02),
    ),
    "stiffnesses without shear": (
        {"rhoA": 4.0, "EA": 3e5, "EIy": 90.0, "EIz": 140.0, "GJ": 60.0, "shear_centre": [0.03, 0.015]},
        (0.03, 0.015),
    ),
}


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
@pytest.mark.parametrize(("section", "centre"), TWISTED_BY_A_FORCE.values(), ids=TWISTED_BY_A_FORCE)
def test_a_force_beside_the_shear_centre_twists_a_link_that_does_not_shear(section, centre, stiffening):
    data = arm("thick", stiffening)
    data["links"] = data["links"][:1]
    data["links"][0]["joint"] = "fixed"
    beam = data["links"][0]["beam"]
    beam |= {"section": section, "shear": "none", "masses": [], "modes": {"y": 3, "z": 3, "torsion": 2, "axial": 1}}
    robot = lissom.Robot.from_dict(data)
    link = robot.flexible_links()["boom"]
    GJ = 60.0 if "GJ" in section else 5.0e7 / 2.8 * np.pi / 32 * (0.1**4 - 0.06**4)
    EIy = 90.0 if "GJ" in section else 5.0e7 * np.pi / 64 * (0.1**4 - 0.06**4)
    tip, force = link.section_map(0.7), np.array([0.0, 3e-3, -5e-3])
    eta = np.linalg.solve(link.stiffness(), tip.phi.T @ force)
    twist = (-centre[0] * force[2] + centre[1] * force[1]) * 0.7 / GJ
    assert tip.psi[0] @ eta == pytest.approx(twist, rel=1e-6)
    # bending about the centroid, and the twist about the shear centre, which lifts the axis
    assert (tip.phi @ eta)[2] == pytest.approx(force[2] * 0.7**3 / (3 * EIy) - twist * centre[0], rel=1e-3)


def test_a_heated_link_bows_to_the_curvature_it_was_given():
    data = arm("heated", "exact")
    beam = data["links"][0]["beam"]
    beam["prestress"] = {"curvature": [0.0, 0.4]}
    beam["modes"] = {"y": 4, "z": 1, "torsion": 1, "axial": 1}
    data["links"], data["gravity"] = data["links"][:1], [0, 0, 0]
    data["links"][0]["joint"] = "fixed"
    rest = lissom.static_equilibrium(lissom.Robot.from_dict(data))
    link = lissom.Robot.from_dict(data).flexible_links()["boom"]
    tip = link.pose(0.7, rest.q)[:3, 3]
    np.testing.assert_allclose(tip, [np.sin(0.28) / 0.4, (1 - np.cos(0.28)) / 0.4, 0.0], atol=1e-6)


def test_a_straight_tendon_shortens_a_link_and_an_eccentric_one_bends_it():
    data = arm("heated", "first")
    beam = data["links"][0]["beam"]
    data["links"], data["gravity"] = data["links"][:1], [0, 0, 0]
    data["links"][0]["joint"] = "fixed"
    beam["prestress"] = {"tendons": [{"tension": 50.0, "at": [0.0, 0.02]}]}
    robot = lissom.Robot.from_dict(data)
    link, rest = robot.flexible_links()["boom"], lissom.static_equilibrium(robot)
    E, b, h, L = 5.0e7, 0.08, 0.12, 0.7
    tip = link.section_map(L)
    assert (tip.phi @ rest.q)[0] == pytest.approx(-50.0 * L / (E * b * h), rel=1e-3)
    # the pull above the axis bends the tip up: w'' = T e / EI
    assert (tip.phi @ rest.q)[2] == pytest.approx(50.0 * 0.02 * 12 / (E * b * h**3) * L**2 / 2, rel=1e-3)


@pytest.mark.parametrize("shear", ["none", "auto"])
@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_a_rod_that_cools_between_two_pins_sounds_like_a_stiff_string(stiffening, shear):
    """f = n/(2 L) sqrt(T/rhoA + (n pi/L)^2 EI/rhoA), with the tension T = EA times the strain that it is denied."""
    length, d, strain, hinge = 2.0, 0.01, 1e-3, {"type": "revolute", "axis": [0, 0, 1]}
    beam = {
        "length": length, "material": "steel", "shear": shear, "stiffening": stiffening,
        "section": {"shape": "circle", "diameter": d}, "prestress": {"stretch": -strain},
        "modes": {"y": 6, "z": 2, "torsion": 1, "axial": 1},
    }  # fmt: skip
    wall = {"link": "world", "origin": {"xyz": [length, 0, 0]}}
    robot = lissom.Robot.from_dict(
        {
            "lissom": 1, "name": "string", "gravity": [0, 0, 0],
            "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}},
            "links": [{"name": "rod", "joint": hinge, "beam": beam}],
            "loops": [{"name": "pin", "joint": hinge, "between": [{"link": "rod"}, wall]}],
        }
    )  # fmt: skip
    at_rest = lissom.static_equilibrium(robot)
    found = lissom.natural_modes(robot, at_rest.q).frequencies[:2]
    n, E, rho = np.array([1, 2]), 2.1e11, 7850.0
    expected = n / (2 * length) * np.sqrt(E * strain / rho + (n * np.pi / length) ** 2 * E * d**2 / 16 / rho)
    np.testing.assert_allclose(found, expected, rtol=2e-4)
