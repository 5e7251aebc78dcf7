"""Natural modes at an equilibrium: all that acts there counts, loads, followers, elements and reactions of loops.

Against the characteristic equations of columns and pendulums, and against `linearise`, which goes through forward
dynamics where natural modes go through inverse dynamics.
"""

import numpy as np
import pytest
from random_robots import JOINTS, random_description
from scipy.optimize import brentq

import lissom
from lissom.scenario import load

EI = 100.0


def column(functions=6, stiffening="first", soft="y"):
    """A cantilever of 1 m and 1 kg along x, of stiffness EI across `soft`, a massless tip that carries wrenches."""
    stiff = {"y": (5 * EI, EI), "z": (EI, 5 * EI)}[soft]
    section = {"rhoA": 1.0, "EA": 1e7, "EIy": stiff[0], "EIz": stiff[1], "GJ": 80.0, "Jx": 1e-3}
    beam = {"length": 1.0, "section": section, "stiffening": stiffening}
    beam["modes"] = {"y": functions, "z": functions, "axial": 1}
    links = [
        {"name": "column", "joint": "fixed", "beam": beam},
        {"name": "tip", "joint": "fixed", "body": {"mass": 1e-9, "inertia": [1e-12, 1e-12, 1e-12]}},
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "column", "gravity": [0, 0, 0], "links": links})


def characteristic(square, p, follower):
    """Determinant of the end conditions of W'''' + p W'' - square W = 0, clamped at 0, loaded at 1."""
    root = np.sqrt(p**2 / 4 + square + 0j)
    a, b = np.sqrt(root - p / 2), np.sqrt(root + p / 2)
    # W = A (cosh a x - cos b x) + B (sinh a x / a - sin b x / b) meets the clamped end
    shapes = []
    for k in (0, 1):
        bend = [a**2 * np.cosh(a) + b**2 * np.cos(b), a * np.sinh(a) + b * np.sin(b)][k]
        shear = [a**3 * np.sinh(a) - b**3 * np.sin(b), a**2 * np.cosh(a) + b**2 * np.cos(b)][k]
        slope = [a * np.sinh(a) + b * np.sin(b), np.cosh(a) - np.cos(b)][k]
        shapes.append((bend, shear + (0 if follower else p * slope)))
    # both shapes vanish where a^2 = -b^2, which is no root of the column
    return np.real((shapes[0][0] * shapes[1][1] - shapes[0][1] * shapes[1][0]) / root**2)


def squares_of(p, follower, count=1):
    """Lowest squares of the angular frequency of the loaded column, in units of EI / (rhoA L^4)."""
    grid = np.linspace(-40.01, 700, 4001)
    signs = np.sign([characteristic(x, p, follower) for x in grid])
    changes = np.flatnonzero(signs[:-1] != signs[1:])[:count]
    return np.array([brentq(characteristic, grid[k], grid[k + 1], (p, follower), xtol=1e-12) for k in changes])


@pytest.mark.parametrize("stiffening", ["first", "exact"])
@pytest.mark.parametrize("share", [-0.8, 0.2, 0.5, 0.9, 0.97, 1.2, 1.5])
def test_a_dead_load_softens_a_column_until_it_buckles(share, stiffening):
    p = share * np.pi**2 / 4
    robot = column(stiffening=stiffening)
    rest = lissom.static_equilibrium(robot, loads={"column": [0, 0, 0, -p * EI, 0, 0]})
    modes = lissom.natural_modes(robot, rest, number=1)
    square = ((2 * np.pi * modes.frequencies) ** 2 - modes.growth**2) / EI
    assert square == pytest.approx(squares_of(p, follower=False), rel=2e-3)
    assert rest.stable == (share < 1) == (modes.growth[0] == 0)
    assert ("unstable" in str(modes)) == (share > 1)


def test_nine_tenths_of_the_euler_load_leave_a_third_of_the_frequency():
    """The column of 1.770 Hz unloaded: 0.580 Hz."""
    assert np.sqrt(squares_of(0.9 * np.pi**2 / 4, False) / squares_of(0, False)) * 1.770 == pytest.approx(
        0.580, rel=2e-3
    )


@pytest.mark.parametrize("stiffening", ["first", "exact"])
@pytest.mark.parametrize("p", [5.0, 10.0, 15.0, 19.0, 19.9])
def test_a_follower_brings_two_frequencies_of_a_column_together(p, stiffening):
    robot = column(stiffening=stiffening)
    rest = lissom.static_equilibrium(robot, wrenches={"tip": [0, 0, 0, -p * EI, 0, 0]})
    modes = lissom.natural_modes(robot, rest)
    bending = np.flatnonzero(modes.participation.directions["y"] > 0.9)[:2]
    found = (2 * np.pi * modes.frequencies[bending]) ** 2 / EI
    assert found == pytest.approx(squares_of(p, True, 2), rel=0.01)
    assert not modes.growth.any()


@pytest.mark.parametrize("soft", ["y", "z"])
def test_beck_s_column_flutters_beyond_20_05(soft):
    robot = column(soft=soft)
    growth = []
    for p in (19.95, 20.15):
        rest = lissom.static_equilibrium(robot, wrenches={"tip": [0, 0, 0, -p * EI, 0, 0]})
        modes = lissom.natural_modes(robot, rest)
        growth.append(modes.growth.max())
    assert growth[0] == 0
    assert growth[1] > 1
    fluttering = modes.growth > 0
    assert fluttering.sum() == 2
    assert np.ptp(modes.frequencies[fluttering]) < 1e-6
    assert modes.frequencies[fluttering][0] == pytest.approx(11.016 * np.sqrt(EI) / (2 * np.pi), rel=0.01)
    assert np.isfinite(modes.shapes).all()
    assert np.isnan(modes.damping_ratios[fluttering]).all()


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize("force", [-12.0, 5.0, 40.0])
def test_a_pull_at_the_end_of_a_pendulum_counts_unless_it_turns_with_it(force, follows):
    body = {"mass": 2.0, "com": [0, 0, -0.5], "inertia": [1 / 6, 1 / 6, 1e-3], "tip": [0, 0, -1.0]}
    link = {"name": "rod", "joint": {"name": "pivot", "type": "revolute", "axis": [0, 1, 0]}, "body": body}
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "pendulum", "links": [link]})
    wrench = [0, 0, 0, 0, 0, -force]
    acts = {"wrenches": {"rod": wrench}} if follows else {"loads": {"rod": wrench}}
    rest = lissom.static_equilibrium(robot, hold=(), **acts)
    modes = lissom.natural_modes(robot, rest, locked=False)
    square = (2 * 9.81 * 0.5 + (0 if follows else force)) / (1 / 6 + 0.5)
    assert (2 * np.pi * modes.frequencies) ** 2 - modes.growth**2 == pytest.approx([square], rel=1e-9)


# Random arms, against the linear model


def squares_by_linearise(rest, free):
    """Squares of the angular frequencies from accelerations by position, the other coordinates held."""
    linear = lissom.linearise(rest.model, rest)
    n, inner = rest.model.nv, np.ix_(free, free)
    M = lissom.mass_matrix(rest.model, rest.q)
    return np.linalg.eigvals(np.linalg.solve(M[inner], (-M @ linear.A[n:, :n])[inner]))


def compare(modes, squares):
    found = (2 * np.pi * modes.frequencies + 1j * modes.growth) ** 2
    found, squares = (np.sort_complex(np.round(x.real, 9) + 1j * np.abs(x.imag)) for x in (found, squares))
    np.testing.assert_allclose(found, squares, rtol=1e-6, atol=1e-9 * np.abs(squares).max())


@pytest.mark.parametrize("seed", range(40))
def test_random_arms_under_loads_and_followers_have_the_modes_of_their_linear_model(seed):
    rng = np.random.default_rng(100 + seed)
    kinds = [JOINTS[k] for k in rng.integers(0, 8, 3)]
    stiffening = ("first", "exact", "none")[seed % 3]
    data = random_description(rng, kinds, flexible=[True, seed % 2 == 0, True], stiffening=stiffening)
    data["gravity"] = [0.3, -0.4, -0.5]
    if seed % 4 == 0:
        between = [{"link": "world"}, {"link": "link2", "at": 0.5 * data["links"][2]["beam"]["length"]}]
        spring = {"name": "stay", "type": "spring", "between": between, "stiffness": 3.0, "length": 0.2}
        data["elements"] = [spring]
    robot = lissom.Robot.from_dict(data)
    acts = {"loads": {"link2": 0.3 * rng.normal(size=6)}, "wrenches": {"link1": 0.3 * rng.normal(size=6)}}
    q = lissom.dynamics.configuration(robot)
    rest = lissom.static_equilibrium(robot, q, **acts)
    modes = lissom.natural_modes(robot, rest)
    free = [k for k, name in enumerate(modes.coordinates) if name not in modes.locked]
    compare(modes, squares_by_linearise(rest, free))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["five-bar", "slider-crank"])
def test_loops_under_loads_have_the_modes_of_their_linear_model(name, seed):
    rng = np.random.default_rng(seed)
    robot = lissom.load(name).with_value("gravity", [0, -9.81, 0])
    start = load(name).prepare().start[0]
    links = [link.name for link in robot.links if link.beam is not None]
    acts = {"loads": {links[-1]: [0, 0, 0, *2 * rng.normal(size=3)]}, "wrenches": {links[0]: rng.normal(size=6)}}
    rest = lissom.static_equilibrium(robot, start, **acts)
    leading = [
        rest.model.coordinates[k] for k in lissom.analysis.equilibrium.loop_freedoms.leading_joints(rest.model, rest.q)
    ]
    modes = lissom.natural_modes(robot, rest, locked=leading)
    held = robot.compile(prescribed=leading)
    linear = lissom.linearise(held, rest.q, tau=rest.tau, wrenches=rest.wrenches, loads=rest.loads)
    k = len(linear.A) // 2
    moving = [i for i, state in enumerate(linear.states[:k]) if state not in leading]
    compare(modes, np.linalg.eigvals(-linear.A[k:, :k][np.ix_(moving, moving)]))


def test_modes_and_linear_models_keep_the_lengths_of_an_equilibrium():
    start = {"pin": 0.3, "swing": [1, 0, 0, 0, 13.4, 0, 2.85]}
    rest = lissom.static_equilibrium("luffing-crane", start, hold=["slew"], lengths={"lift": 3.8})
    modes = lissom.natural_modes("luffing-crane", rest, locked=["slew"], number=1)
    assert np.array_equal(modes.q, rest.q)
    np.testing.assert_allclose(lissom.linearise("luffing-crane", rest).q, rest.q, atol=1e-9)
