"""Fatigue: the published example of rainflow counting, the line of EN 1993-1-9, a swelling load by hand."""

import numpy as np
import pytest

import lissom
from lissom.results import Woehler, rainflow

WIDTH, HEIGHT, LENGTH = 0.04, 0.06, 2.0


def test_the_example_of_astm_e1049():
    found = rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2])
    table = {float(size): found.counts[found.ranges == size].sum() for size in np.unique(found.ranges)}
    assert table == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}
    assert found.means[(found.ranges == 4) & (found.counts == 1)] == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
def test_counting_keeps_the_whole_way_and_sees_no_samples_between_turns(seed):
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=60)
    found = rainflow(turns)
    assert np.sum(2 * found.ranges * found.counts) == pytest.approx(np.abs(np.diff(turns)).sum())
    finer = np.interp(np.linspace(0, 59, 59 * 7 + 1), np.arange(60), turns)
    assert rainflow(finer).ranges == pytest.approx(found.ranges)
    assert found.ranges.max() == pytest.approx(np.ptp(turns))


@pytest.mark.parametrize("flat", [[], [1.0], [2.0, 2.0, 2.0]])
def test_nothing_turns_in_a_flat_history(flat):
    assert not len(rainflow(flat).ranges) or not rainflow(flat).ranges.any()


def test_the_line_of_eurocode_3():
    line = Woehler(71e6)
    assert line.cycles(71e6) == pytest.approx(2e6)
    at_knee = (2 / 5) ** (1 / 3) * 71e6  # 0.737 of the category
    assert line.cycles(at_knee) == pytest.approx(5e6)
    cut = (5 / 100) ** (1 / 5) * at_knee  # 0.549 of that
    assert line.cycles(cut * 1.001) == pytest.approx(1e8, rel=0.01)
    assert line.cycles(cut * 0.999) == np.inf
    assert line.cycles(142e6) == pytest.approx(2e6 / 8)
    with pytest.raises(lissom.LissomError, match=r"detail = -1.*above zero"):
        Woehler(-1)


def bar():
    made = {"shape": "rectangle", "width": WIDTH, "height": HEIGHT}
    beam = {"length": LENGTH, "material": "steel", "section": made, "damping": 0.02}
    link = {"name": "bar", "joint": "fixed", "beam": beam}
    steel = {"E": 2.1e11, "nu": 0.3, "rho": 7850}
    return lissom.Robot.from_dict({"lissom": 1, "name": "bar", "materials": {"steel": steel}, "links": [link]})


def test_a_load_that_swells_five_times_does_the_damage_of_five_cycles():
    load = lissom.Load(link="bar", force=lambda t: [0.0, 0.0, 1500.0 * np.sin(0.4 * np.pi * t)])
    run = lissom.simulate(bar(), 25.0, start="equilibrium", loads=[load], rate=40, rtol=1e-8, progress=False)
    found = run.fatigue("bar", 71e6)
    size = 2 * 6 * 1500.0 * LENGTH / (WIDTH * HEIGHT**2)
    line = Woehler(71e6)
    assert found.damage == pytest.approx(4.5 / line.cycles(size) + 1.0 / line.cycles(size / 2), rel=0.01)
    assert found.x == 0.0
    assert abs(found.place[1]) == pytest.approx(HEIGHT / 2)
    assert found.repetitions == pytest.approx(1 / found.damage)
    with pytest.raises(lissom.LissomError, match=r"link = 'rab'.*stresses are not known; those that are: bar"):
        run.fatigue("rab", 71e6)
