"""Built-in scenarios in lissom's own words: what their numbers hide, and what an accuracy of a thousandth takes."""

import warnings

import numpy as np
import pytest
from random_motions import converged

import lissom
from lissom.results.trust.accuracy_search import COUNTS
from lissom.results.trust.headline import group
from lissom.scenario import builtin_names

ACCURACY = 1e-3


def trusted(name, **changes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lissom.scenario.load(name).with_values(list(changes.items())).run(progress=False, trust=True).trust


def test_ella_says_that_its_field_is_what_moves_its_deflection():
    bar = trusted("ella")["peak |deflection.upper|"]
    assert bar.main_source == "field (first)" and 2e-4 < bar.relative < 2e-3


def test_the_free_base_of_the_satellite_is_held_by_nothing():
    trust = trusted("satellite-two-arm", duration=0.5)
    largest = max(bar.value for bar in trust if bar.name.startswith("peak |wrench") and bar.unit == "N m")
    base = trust["peak |wrench.base.torque|"]
    assert base.value < 1e-9 * largest and base.error < 1e-9 * largest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "quantity", "least", "source"),
    [
        ("canadarm2", "peak |wrench.", 0.007, ""),
        ("slider-crank", "peak |wrench.", 0.05, "functions"),
        ("spinup-beam", "peak |deflection.blade|", 0.0012, "field"),
    ],
)
def test_what_a_better_model_changes_is_within_the_error_bar(name, quantity, least, source):
    """Sizes are those by which the printed numbers move with more functions or the exact field."""
    bars = [bar for bar in trusted(name) if bar.name.startswith(quantity)]
    worst = max(bars, key=lambda bar: bar.relative if bar.value > 1e-6 else 0.0)
    assert worst.relative > least
    assert source in worst.main_source or worst.limitless


@pytest.mark.slow
@pytest.mark.parametrize("name", builtin_names())
def test_an_accuracy_of_a_thousandth_is_met_or_refused_with_the_reason(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = lissom.scenario.load(name).with_values([("accuracy", ACCURACY)]).run(progress=False)
    reached = run.info.accuracy
    if not reached:  # it did not get to its end
        assert run.info.status.word != "finished"
        return
    assert reached["met"] == (not reached["missed"])
    assert all(len(why) > 5 for why in reached["missed"].values())
    assert reached["met"] or any(event.kind == "accuracy" for event in run.warnings)
    true = converged(run)
    assert true is not None
    sizes = {}
    for bar in run.trust:
        kind = group(bar.name, bar.unit)
        sizes[kind] = max(sizes.get(kind, 0.0), abs(bar.value))
    for bar in run.trust:
        if bar.unit == "s" or bar.name in reached["missed"] or bar.name not in true:
            continue
        allowed = ACCURACY * max(abs(bar.value), COUNTS * sizes[group(bar.name, bar.unit)])
        assert abs(bar.value - true[bar.name]) <= allowed + np.finfo(float).eps, bar.name
