"""Rest is found far from where the search begins, or refused in words: roll-up, snap-through, followers, soft booms."""

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import lissom
from lissom.analysis.equilibrium.statics import StaticsWarning

EI = 10.0


def rod(links, stiffening="exact"):
    """A rod of 1 m along x, in so many beams."""
    section = {"rhoA": 1.0, "EA": 1e5, "EIy": EI, "EIz": EI, "GJ": 8.0, "Jx": 1e-3}
    beam = {"length": 1 / links, "stiffening": stiffening, "section": section}
    beam["modes"] = {"y": 3, "z": 3, "torsion": 2, "axial": 1}
    parts = [{"name": f"r{k}", "joint": "fixed", "beam": beam} for k in range(links)]
    return lissom.Robot.from_dict({"lissom": 1, "name": "rod", "gravity": [0, 0, 0], "links": parts}).compile()


@pytest.mark.parametrize("links", [1, 2, 4])
def test_a_couple_rolls_a_rod_up_from_straight_and_from_the_solution_before(links):
    model, q, tip = rod(links), None, f"r{links - 1}"
    for circles in (0.3, 0.5, 0.75, 1.0, 1.25, 1.5):
        turn = 2 * np.pi * circles
        for start in (q, None):
            rest = lissom.static_equilibrium(model, start, loads={tip: [0, 0, EI * turn, 0, 0, 0]})
            arc = [np.sin(turn) / turn, (1 - np.cos(turn)) / turn, 0]
            assert lissom.tip_pose(model, rest.q, tip)[:3, 3] == pytest.approx(arc, abs=1e-9)
            assert rest.iterations < 20
            q = rest.q if start is q else q


@pytest.mark.parametrize("links", [1, 3])
def test_a_rod_rolled_up_unrolls_again(links):
    model, tip = rod(links), f"r{links - 1}"
    q = lissom.static_equilibrium(model, loads={tip: [0, 0, EI * 2 * np.pi, 0, 0, 0]}).q
    for circles in (0.6, 0.1, -0.5):
        q = lissom.static_equilibrium(model, q, loads={tip: [0, 0, EI * 2 * np.pi * circles, 0, 0, 0]}).q
        turn = 2 * np.pi * circles
        arc = [np.sin(turn) / turn, (1 - np.cos(turn)) / turn, 0]
        assert lissom.tip_pose(model, q, tip)[:3, 3] == pytest.approx(arc, abs=1e-9)


# A truss that snaps through: a stiff bar on a hinge, a spring from its end to the ground


ANGLE, STIFFNESS = 0.3, 2e4


def truss(**joint):
    bar = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [1e-3, 0.1, 0.1], "tip": [1, 0, 0]}
    hinge = {"name": "hinge", "type": "revolute", "axis": [0, -1, 0], **joint}
    between = [
        {"link": "bar", "origin": {"xyz": [1, 0, 0]}},
        {"link": "world", "origin": {"xyz": [2 * np.cos(ANGLE), 0, 0]}},
    ]
    spring = {"name": "strut", "type": "spring", "stiffness": STIFFNESS, "length": 1.0, "between": between}
    links = [{"name": "bar", "joint": hinge, "body": bar}]
    data = {"lissom": 1, "name": "truss", "gravity": [0, 0, 0], "links": links, "elements": [spring]}
    return lissom.Robot.from_dict(data)


def force_at(angle):
    """The dead force down at the end of the bar that keeps it at an angle."""
    x, z = 2 * np.cos(ANGLE) - np.cos(angle), np.sin(angle)
    length = np.hypot(x, z)
    slope = (x * np.sin(angle) + z * np.cos(angle)) / length
    return -STIFFNESS * (length - 1) * slope / np.cos(angle)


LIMIT = -minimize_scalar(lambda a: -force_at(a), bounds=(0.05, ANGLE), method="bounded").fun


@pytest.mark.parametrize("share", [0.3, 0.8, 0.97])
def test_a_truss_below_its_limit_load_stays_on_its_side(share):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load = {"bar": [0, 0, 0, 0, 0, -share * LIMIT]}
        rest = lissom.static_equilibrium(truss(), {"hinge": ANGLE}, hold=(), loads=load)
    top = minimize_scalar(lambda a: -force_at(a), bounds=(0.05, ANGLE), method="bounded").x
    assert rest.q[0] == pytest.approx(brentq(lambda a: force_at(a) - share * LIMIT, top, ANGLE), rel=1e-9)
    assert rest.stable
    assert not rest.warnings


@pytest.mark.parametrize("share", [1.03, 1.2, 2.0])
def test_a_truss_beyond_its_limit_load_snaps_through_and_is_told(share):
    load = {"bar": [0, 0, 0, 0, 0, -share * LIMIT]}
    with pytest.warns(StaticsWarning, match="limit point at load factor") as told:
        rest = lissom.static_equilibrium(truss(), {"hinge": ANGLE}, hold=(), loads=load)
    factor = float(str(told[0].message).split("load factor ")[1].split(":")[0])
    assert factor == pytest.approx(1 / share, rel=0.02)
    assert rest.q[0] == pytest.approx(brentq(lambda a: force_at(a) - share * LIMIT, -1.5, -ANGLE), rel=1e-9)
    assert rest.stable
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # begun beyond it, there is nothing to tell
        again = lissom.static_equilibrium(truss(), rest.q, hold=(), loads=load)
    assert again.q == pytest.approx(rest.q, rel=1e-9)


# Followers


def beck(damping=0.0):
    section = {"rhoA": 1.0, "EA": 1e7, "EIy": 500.0, "EIz": 100.0, "GJ": 80.0, "Jx": 1e-3}
    beam = {"length": 1.0, "section": section, "modes": {"y": 6, "z": 6, "axial": 1}}
    beam["damping"] = {"stiffness": damping}
    links = [
        {"name": "column", "joint": "fixed", "beam": beam},
        {"name": "tip", "joint": "fixed", "body": {"mass": 1e-9, "inertia": [1e-12, 1e-12, 1e-12]}},
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "beck", "gravity": [0, 0, 0], "links": links})


@pytest.mark.parametrize(
    ("load", "stable"), [(2.0, True), (10.5, True), (15.0, True), (19.9, True), (20.2, False), (30.0, False)]
)
def test_beck_s_column_is_stable_until_it_flutters_at_20_05(load, stable):
    rest = lissom.static_equilibrium(beck(), wrenches={"tip": [0, 0, 0, -100 * load, 0, 0]})
    assert rest.stable == stable
    assert ("fluttering at" in " ".join(str(rest).split())) != stable


def test_internal_damping_makes_beck_s_column_flutter_at_10_94():
    """Ziegler's paradox: with the least of internal damping 10.94 in place of 20.05 (Bolotin 1963)."""
    for load, stable in ((10.8, True), (11.1, False)):
        rest = lissom.static_equilibrium(beck(1e-5), wrenches={"tip": [0, 0, 0, -100 * load, 0, 0]})
        assert rest.stable == stable


# Soft booms under too much load: rest, or a message


def boom(rng):
    shapes = [
        {"shape": "C", "width": 0.02, "height": 0.03, "flange": 0.002, "web": 0.002},
        {"shape": "rectangle", "width": 0.01, "height": 0.02},
        {"shape": "tube", "outer": 0.03, "thickness": 0.002},
        {"shape": "I", "width": 0.02, "height": 0.03, "flange": 0.002, "web": 0.002},
    ]
    size = 10 ** rng.uniform(-0.5, 0.3)
    section = {k: v if k == "shape" else v * size for k, v in shapes[rng.integers(4)].items()}
    beam = {"length": float(rng.uniform(0.5, 3)), "material": "steel", "section": section}
    if rng.random() < 0.3:
        beam["stiffening"] = str(rng.choice(["none", "exact"]))
    links = [
        {"name": "boom", "origin": {"rpy": rng.normal(size=3).tolist()}, "joint": "fixed", "beam": beam},
        {"name": "mass", "joint": "fixed", "body": {"mass": float(10 ** rng.uniform(-1, 4))}},
    ]
    materials = {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "soft", "materials": materials, "links": links})


@pytest.mark.parametrize("seed", range(20))
def test_what_is_returned_is_at_rest_and_what_is_not_is_refused_in_words(seed):
    rng = np.random.default_rng(seed)
    for _ in range(3):
        robot = boom(rng)
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                rest = lissom.static_equilibrium(robot)
        except lissom.LissomError as error:
            assert "boom" in str(error)
            assert "stiffening: exact" in str(error) or "load" in str(error)
            continue
        weight = 9.81 * rest.model.arrays.inertia.mass.sum()
        assert np.abs(rest.residual).max() < 1e-6 * weight
        share = np.linalg.norm(rest.deflections["boom"].displacement) / robot.link("boom").beam.length
        exact = robot.link("boom").beam.stiffening == "exact"
        assert share < 100
        far = share > 0.1 and not exact
        assert far == any("deflects" in text for text in rest.warnings)
        assert far == any("deflects" in str(w.message) for w in told)
        assert far or all("its torsion is off" in text and not exact for text in rest.warnings)


def test_forces_of_loops_and_cylinders_are_printed():
    start = {"pin": 0.3, "swing": [1, 0, 0, 0, 13.4, 0, 2.85]}
    rest = lissom.static_equilibrium("luffing-crane", start, hold=["slew"])
    text = " ".join(str(rest).split())
    push = np.linalg.norm(rest.loop_wrenches["lift"])
    assert f"lift push {push:.5g} N" in text
