"""Load factors at which columns, strips and linkages buckle, snap through or flutter, against closed forms."""

import numpy as np
import pytest
import textbook_buckling as columns
import textbook_columns
from textbook_beams import EI, RHO, A, L

import lissom

EULER = np.pi**2 * EI / L**2
MACHINES = {case.name: case for case in columns.CASES + textbook_columns.CASES}


def machine(name):
    (case,) = [case for key, case in MACHINES.items() if key.startswith(name)]
    return case.robot


COLUMN = "column, clamped below, free above"
PUSH = {"rod": [0, 0, 0, -1, 0, 0]}
CASES = {
    "free": (COLUMN, PUSH, "joints", EULER / 4, 1e-3),
    "pinned": ("column, pinned", {"slide": PUSH["rod"]}, (), EULER, 1e-3),
    "propped": ("column, clamped below, pinned above", {"slide": PUSH["rod"]}, (), 20.1907 * EI / L**2, 1e-3),
    "guided": ("column, clamped at both", {"slide": PUSH["rod"]}, (), 4 * EULER, 3e-3),
    "stepped": ("stepped column", {"top": PUSH["rod"]}, "joints", textbook_columns.stepped_column(), 1e-3),
}


@pytest.mark.parametrize("case", CASES)
def test_columns_buckle_at_their_euler_loads(case):
    name, loads, hold, expected, within = CASES[case]
    found = lissom.buckling(machine(name), loads, hold=hold, number=1)
    assert found.kinds == ("buckling",)
    assert found.factors == pytest.approx([expected], rel=within)


def test_a_round_column_buckles_both_ways_at_once_and_each_shape_is_of_one_direction():
    found = lissom.buckling(machine(COLUMN), PUSH)
    assert found.factors == pytest.approx(np.array([1, 1, 9, 9]) * EULER / 4, rel=2e-3)
    assert found.labels == ("rod bending y 1", "rod bending z 1", "rod bending y 2", "rod bending z 2")
    for k, axis in enumerate("yzyz"):
        moving = {name for name, size in found.shape(k).items() if abs(size) > 1e-6}
        assert all(name.startswith(f"rod.{axis}") for name in moving)


def test_a_pull_buckles_nothing():
    found = lissom.buckling(machine(COLUMN), {"rod": [0, 0, 0, 1, 0, 0]})
    assert len(found) == 0
    assert "nothing gives way" in str(found)


def test_weight_that_grows_buckles_an_upright_column():
    robot = machine("column under its own weight").with_value("gravity", [0, 0, -9.81])
    found = lissom.buckling(robot, number=1)
    assert found.factors * 9.81 == pytest.approx([7.8373 * EI / L**3 / (RHO * A)], rel=1e-3)


def test_weight_that_acts_takes_its_share_of_a_column():
    """To first order, by Rayleigh with the shape of the light column: 1/2 - 2/pi^2 of the weight."""
    light = machine("column under its own weight")
    robot = light.with_value("gravity", [0, 0, -9.81])
    loads = {"rod": [0, 0, 0, 0, 0, -1]}
    alone, weighed, without = (
        lissom.buckling(one, loads, number=1, weight=weight).factors[0]
        for one, weight in ((light, None), (robot, None), (robot, "none"))
    )
    assert without == pytest.approx(alone, rel=1e-12)
    assert (alone - weighed) / (RHO * A * 9.81 * L) == pytest.approx(0.5 - 2 / np.pi**2, rel=2e-3)


def test_a_strip_on_edge_buckles_sideways_and_its_own_sag_delays_it():
    """Michell 1899 with the curvature before buckling (Hodges and Peters 1975)."""
    robot = machine("strip on edge").with_value("links.rod.beam.modes", {"y": 6, "z": 6, "torsion": 6, "axial": 2})
    found = lissom.buckling(robot, {"rod": [0, 0, 0, 0, 0, -1]}, number=1)
    edge = columns.E * 0.005 * 0.06**3 / 12
    sag = 1 / np.sqrt((1 - columns._STRIP_EI / edge) * (1 - columns._STRIP_GJ / edge))
    assert found.factors == pytest.approx([columns._LATERAL * sag], rel=2e-3)


def test_beck_s_column_flutters():
    robot = machine("column pushed along").with_value(
        "links.rod.beam.modes", {"y": 6, "z": 6, "torsion": 1, "axial": 1}
    )
    found = lissom.buckling(robot, wrenches={"nozzle": PUSH["rod"]}, number=2)
    assert found.kinds == ("flutter", "flutter")
    assert found.factors == pytest.approx(2 * [20.051 * EI / L**2], rel=1e-3)
    assert found.frequencies == pytest.approx(2 * [11.016 * np.sqrt(EI / (RHO * A * L**4)) / (2 * np.pi)], rel=1e-3)


def test_ziegler_s_bars_flutter():
    found = lissom.buckling(machine("two rigid bars"), wrenches={"upper": PUSH["rod"]}, hold=(), number=1)
    assert found.kinds == ("flutter",)
    assert found.factors == pytest.approx([(3.5 - 2**0.5) * 100], rel=1e-8)


def test_a_ball_on_leaning_springs_snaps_through_at_its_limit_load():
    robot = machine("ball on two leaning springs, just below")
    found = lissom.buckling(robot, {"ball": [0, 0, 0, 0, 0, -1]}, hold=())
    assert found.kinds == ("limit",)
    assert found.factors == pytest.approx([columns._TOP], rel=1e-6)


@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_a_column_that_sags_bends_away_and_its_linear_estimate_is_told(stiffening):
    robot = machine(COLUMN).with_value("gravity", [0, 0, -9.81]).with_value("links.rod.beam.stiffening", stiffening)
    found = lissom.buckling(robot, PUSH, number=1)
    assert found.kinds == ("linear",)
    assert found.factors == pytest.approx([EULER / 4], rel=2e-3)


def test_shapes_that_functions_do_not_follow_are_marked():
    found = lissom.buckling(machine("strip on edge"), {"rod": [0, 0, 0, 0, 0, -1]}, number=2)
    assert found.resolved.tolist() == [True, False]  # 2.75 against 2.57 with ten functions
    assert "do not follow the shape" in str(found)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"number": 0}, "number = 0: must be a whole number of load factors from 1 on"),
        ({"weight": "some"}, "weight = "),
        ({"loads": {"mast": [0] * 6}}, "mast"),
        ({"loads": {"rod": [1, 2, 3]}}, "6 numbers|six numbers|torque, force"),
    ],
)
def test_what_makes_no_sense_is_refused(options, text):
    with pytest.raises(lissom.LissomError, match=text):
        lissom.buckling(machine(COLUMN), **({"loads": PUSH} | options))


def test_what_nothing_holds_is_refused():
    with pytest.raises(lissom.LissomError, match="gives way before the loads grow"):
        lissom.buckling("ella", {"forearm": [0, 0, 0, 0, 0, -1]}, hold=(), weight="none")


def test_a_figure_shows_each_shape():
    import matplotlib.pyplot as plt

    figure = lissom.buckling(machine(COLUMN), PUSH, number=2).plot()
    assert len(figure.axes) == 2
    for axes in figure.axes:
        rest, moved = (line.get_ydata() for line in axes.lines)
        assert np.ptp(rest) < 1e-9 < 0.1 * L < np.ptp(moved)
    plt.close(figure)
