"""Values from run to run: grids, lists, draws."""

import numpy as np
import pytest

import lissom
from lissom.errors import LissomError
from lissom.study.plan.sampling import AnyVaried, Sampling, Variations, sample_runs
from lissom.study.store.sobol_ranking import first_order_indices


def varied(**given):
    return {name: AnyVaried().check(value) for name, value in given.items()}


def test_a_grid_has_every_combination():
    made = sample_runs(varied(a=[1, 2], b={"from": 0, "to": 1, "points": 3}), Sampling())
    assert made.columns == {"a": (1, 1, 1, 2, 2, 2), "b": (0.0, 0.5, 1.0, 0.0, 0.5, 1.0)}


def test_a_list_goes_side_by_side():
    made = sample_runs(varied(a=[1, 2, 3], b=["x", "y", "z"]), Sampling(type="list"))
    assert made.changes(1) == [("a", 2), ("b", "y")]


def test_one_quantity_may_set_several_fields():
    made = sample_runs(varied(wall={"values": [1, 2], "fields": ["links.a.wall", "links.b.wall"]}), Sampling())
    assert made.changes(1) == [("links.a.wall", 2), ("links.b.wall", 2)]
    assert made.row(1) == {"wall": 2}


@pytest.mark.parametrize("kind", ["random", "latin-hypercube", "sobol"])
def test_draws_repeat_and_stay_in_range(kind):
    fields = varied(a={"from": 2, "to": 4}, b={"from": 1e-3, "to": 10, "scale": "log"}, c={"mean": 5, "deviation": 0.1})
    draw = Sampling(type=kind, runs=256, seed=7)
    made, again = sample_runs(fields, draw), sample_runs(fields, draw)
    assert made.columns == again.columns
    assert made.columns != sample_runs(fields, Sampling(type=kind, runs=256, seed=8)).columns
    a, b, c = (np.array(made.columns[name]) for name in "abc")
    assert a.min() >= 2
    assert a.max() <= 4
    assert abs(a.mean() - 3) < 0.15
    assert b.min() >= 1e-3
    assert b.max() <= 10
    assert abs(np.median(np.log10(b)) + 1) < 0.4
    assert abs(c.mean() - 5) < 0.03
    assert abs(c.std() - 0.1) < 0.02


def test_a_latin_hypercube_has_one_run_in_every_slice():
    a = np.array(sample_runs(varied(a={"from": 0, "to": 1}), Sampling(type="latin-hypercube", runs=50)).columns["a"])
    assert sorted((a * 50).astype(int)) == list(range(50))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([], "empty list"),
        (3, "must be a list or a mapping"),
        ({"form": 1}, "does not say how it varies"),
        ({"from": 2, "to": 1}, "must be larger than from"),
        ({"from": 0, "to": 1, "scale": "log"}, "must be positive on a logarithmic scale"),
        ({"mean": 1, "deviation": 0}, "must be positive"),
        ({"from": 0, "to": 1, "point": 3}, "did you mean 'points'"),
        ({"from": 0, "too": 1}, "did you mean 'to'"),
        ({"from": "1 stone", "to": 3}, "its unit is not known"),
    ],
)
def test_wrong_values_are_refused(given, text):
    from lissom.study import Study

    with pytest.raises(LissomError, match=text) as error:
        Study(scenario="ella", vary={"gravity.1": given}, outputs=["mass"])
    assert error.value.path[:2] == ("vary", "gravity.1")


@pytest.mark.parametrize(
    ("fields", "draw", "text"),
    [
        (varied(a={"from": 0, "to": 1}), {}, "has no points for a grid"),
        (varied(a={"mean": 0, "deviation": 1}), {}, "has no points for a grid"),
        (varied(a=[1, 2], b=[1]), {"type": "list"}, "lists of one length"),
    ],
)
def test_values_that_do_not_go_together_are_refused(fields, draw, text):
    with pytest.raises(LissomError, match=text):
        sample_runs(fields, Sampling(**draw))


def test_ranges_and_lists_may_have_units():
    from lissom.study import Study

    mass = "links.forearm.beam.masses.0.mass"
    given = {"scenario": "ella", "outputs": ["mass"]}
    vary = {mass: {"from": "500 g", "to": "3 kg", "points": 2}, "start.elbow": ["90 deg", 0]}
    study = Study(vary=vary, **given)
    assert study.variations.columns[mass] == (0.5, 0.5, 3.0, 3.0)
    data = lissom.simulate_batch("ella", study.runs.variations, 0.01, outputs=["mass"], cores=1, progress=False)
    np.testing.assert_allclose(data["start.elbow"], [np.pi / 2, 0, np.pi / 2, 0])
    assert data["start.elbow"].attrs["units"] == "rad"
    assert data[mass].attrs["units"] == "kg"
    with pytest.raises(LissomError, match="a unit of the wrong kind"):
        len(Study(vary={mass: {"from": "500 mm", "to": "3 m", "points": 2}}, **given).runs)


def test_a_draw_needs_a_number_of_runs():
    with pytest.raises(LissomError, match="sobol draws points, say how many"):
        Sampling(type="sobol")
    with pytest.raises(LissomError, match="as many runs as its values make"):
        Sampling(type="grid", runs=5)


def test_variations_as_rows_and_as_columns():
    rows = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert Variations.of(rows).columns == Variations.of({"a": np.array([1, 3]), "b": [2, 4]}).columns


@pytest.mark.parametrize("given", [{}, {"a": []}, [], [{"a": 1}, {"b": 1}], {"a": [1], "b": [1, 2]}, {"a": "text"}, 7])
def test_variations_that_are_none(given):
    with pytest.raises(LissomError, match="variations"):
        Variations.of(given)


def test_ranking_finds_the_shares_of_a_known_function():
    """The Ishigami function, whose indices are known."""
    x = np.random.default_rng(0).uniform(-np.pi, np.pi, (20_000, 3))
    y = np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    y[::100] = np.nan  # runs that failed
    found = first_order_indices({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}, y)
    assert found["a"] == pytest.approx(0.3139, abs=0.02)
    assert found["b"] == pytest.approx(0.4424, abs=0.02)
    assert found["c"] == pytest.approx(0.0, abs=0.02)


def test_ranking_takes_words_and_says_nothing_of_too_few_runs():
    words, numbers = np.array(["steel", "carbon"] * 50), np.linspace(0, 1, 100)
    shares = first_order_indices({"material": words, "other": numbers}, (words == "steel") * 3.0)
    assert shares["material"] == pytest.approx(1.0)
    assert shares["other"] < 0.05
    assert np.isnan(first_order_indices({"x": np.arange(3.0)}, np.arange(3.0))["x"])
