"""Calibration: error bars against converged runs, against textbooks, and against figures of another program."""

import numpy as np
import pytest
from trust_calibration import MACHINES, MANOEUVRES, judge, manoeuvre, random_machine


def check(records):
    """Assert what error bars promise, over all numbers of some machines."""
    found = judge(records)
    assert found.covered >= 0.95, found
    assert found.ratio <= 5, found
    assert found.misled == 0, found
    return found


def test_error_bars_of_a_few_machines_hold_what_they_promise():
    assert check(map(random_machine, [2, 21])).numbers >= 20


@pytest.mark.slow
def test_error_bars_hold_what_they_promise():
    assert check(map(random_machine, range(MACHINES))).numbers >= 10 * MACHINES


def test_error_bars_of_ella_cover_what_another_program_computed():
    record = manoeuvre("ella")
    found = judge([record])
    assert found.numbers > 60 and found.covered == 1.0 and found.misled == 0
    assert np.median([one["error"] / abs(one["value"]) for one in record["numbers"].values()]) < 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MANOEUVRES if name != "ella"])
def test_error_bars_cover_what_another_program_computed(name):
    found = judge([manoeuvre(name)])
    assert found.covered >= 0.95 and found.misled == 0


def test_a_number_that_is_trusted_wrongly_is_counted():
    """The judge itself: bars that are too narrow are seen."""
    good = {"unit": "m", "value": 1.0, "error": 2e-3, "true": 1.001}
    wrong = {"unit": "m", "value": 1.0, "error": 2e-3, "true": 1.2}
    none = {"unit": "m", "value": 1.0, "error": np.inf, "true": 1.2}
    found = judge([{"numbers": {"a": good, "b": wrong, "c": none}}])
    assert (found.numbers, found.covered, found.misled, found.limitless) == (2, 0.5, 1, 1)
