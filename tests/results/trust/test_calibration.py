"""Calibration: estimated errors against true ones, by runs with far more functions, the exact field, finer steps."""

import warnings

import numpy as np
import pytest
from random_motions import converged, random_motion

import lissom

MACHINES = 300
NOTHING = 1e-9  # of the largest number of a unit in a run: rounding


def errors(seed):
    """(size, estimate, true error) of every number of a random machine that has a limit, relative to the largest."""
    motion = random_motion(seed)
    run = motion.run()
    if run.info.status.word != "finished":
        return []
    trust = lissom.trust(run, budget=0.0, progress=False)
    true = converged(run)
    if true is None:
        return []
    largest = {}
    for bar in trust:
        largest[bar.unit] = max(largest.get(bar.unit, 0.0), abs(bar.value))
    told = [bar for bar in trust if np.isfinite(bar.error) and np.isfinite(true.get(bar.name, np.nan))]
    return [(abs(b.value), b.error, abs(b.value - true[b.name]), NOTHING * largest[b.unit]) for b in told]


def check(machines):
    """Assert what error bars promise, over all numbers of some machines."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        size, estimate, true, rounding = np.array([one for seed in machines for one in errors(seed)]).T
    assert len(size) >= 5 * len(machines)
    covered = true <= estimate + rounding
    assert covered.mean() >= 0.95
    felt = true > rounding
    assert np.median(estimate[felt] / true[felt]) <= 5
    certain = (estimate < 0.01 * size) & (size > 1e6 * rounding)
    assert not np.any(true[certain] > 0.1 * size[certain])


def test_error_bars_of_a_few_machines_hold_what_they_promise():
    check([2, 21])


@pytest.mark.slow
def test_error_bars_hold_what_they_promise():
    check(range(MACHINES))
